/* SPDX-License-Identifier: BSD-2-Clause */
/* Fine-grained traps to EL2: the bits of HDFGRTR_EL2 and HDFGWTR_EL2, register by register. */
#ifndef ARMPMU_CLI_WHY_FINE_TRAP_H
#define ARMPMU_CLI_WHY_FINE_TRAP_H

#include "../state/state.h"

/** A fine-grained trap. */
struct fine_trap_bit {
    const char *name; /**< "HDFGRTR_EL2.PMOVS" */
    unsigned bit;     /**< its bit */
};

/** Finds the fine-grained trap that @s has set for reads, or writes, of @reg.  Returns false if it has set none. */
bool fine_trap_find(const struct state *s, enum apmu_reg reg, bool write, struct fine_trap_bit *t);

#endif
