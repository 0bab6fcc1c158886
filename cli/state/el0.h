/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads registers of the PMU from this program, at EL0, where the kernel lets it: AArch64 Linux. */
#ifndef ARMPMU_CLI_STATE_EL0_H
#define ARMPMU_CLI_STATE_EL0_H

#include <stdint.h>

enum el0_answer {
    EL0_VALUE,
    EL0_TRAPPED,  /**< the read gave SIGILL */
    EL0_NOT_HERE, /**< this program is not for AArch64 */
};

#define EL0_REGISTERS 9

/** Reads register @i, 0..EL0_REGISTERS-1; *name is Arm's.  Not for several threads: it handles SIGILL meanwhile. */
enum el0_answer el0_read(unsigned i, const char **name, uint64_t *value);

#endif
