/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads registers of the PMU at EL0, from this program, as far as the kernel allows it.  For AArch64 Linux. */
#ifndef ARMPMU_CLI_STATE_EL0_H
#define ARMPMU_CLI_STATE_EL0_H

#include <stdint.h>

enum el0_answer {
    EL0_VALUE,
    EL0_TRAPPED,  /**< the read raised SIGILL */
    EL0_NOT_HERE, /**< this program was not built for AArch64 */
};

#define EL0_REGISTERS 9

/**
 * Reads register @i, 0 to EL0_REGISTERS - 1, and stores its name and value.  Handles SIGILL meanwhile, so no other
 * thread may run.
 */
enum el0_answer el0_read(unsigned i, const char **name, uint64_t *value);

#endif
