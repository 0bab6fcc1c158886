/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads registers of the PMU at EL0, in this program, as far as the kernel of an AArch64 Linux machine allows it. */
#ifndef ARMPMU_CLI_STATE_EL0_H
#define ARMPMU_CLI_STATE_EL0_H

#include <stdint.h>

enum el0_answer {
    EL0_VALUE,    /**< the register was read */
    EL0_TRAPPED,  /**< the read raised SIGILL */
    EL0_NOT_HERE, /**< this program was not built for AArch64 */
};

#define EL0_REGISTERS 9 /* registers that el0_read() knows */
#define EL0_PMUSERENR 0 /* the number of PMUSERENR_EL0 among them, which EL0 may always read unless EL2 traps it */

/**
 * Reads register @i, 0 to EL0_REGISTERS - 1.  Stores its name, a constant string, and its value, which is 0 unless the
 * answer is EL0_VALUE.  Replaces the handler of SIGILL during the read, so the program must have one thread.
 */
enum el0_answer el0_read(unsigned i, const char **name, uint64_t *value);

#endif
