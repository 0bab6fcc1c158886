/* SPDX-License-Identifier: BSD-2-Clause */
/* Fine-grained traps to EL2. */
#include "fine_trap.h"

/* The trap of one direction: where it traps at 1.  HDFGRTR2_EL2 and HDFGWTR2_EL2 trap at 0 and have no rows. */
struct trap_row {
    const char *name; /* NULL: none */
    enum apmu_reg control;
    unsigned bit;
};

static const struct trap_row trap_rows[APMU_REG_COUNT][2] = {
#define NO_FGT {NULL, 0, 0}
#define FGT(control, field) {#control "." #field, APMU_REG_##control, APMU_##control##_##field##_LSB}
#define FGT2(control, field) {NULL, 0, 0}
#define APMU_ACCESS(id, user_read, user_write, counter, read_trap, write_trap, el2, el3) \
    [APMU_REG_##id] = {read_trap, write_trap},
#include <armpmu/tables/access.def>
};

bool fine_trap_find(const struct state *s, enum apmu_reg reg, bool write, struct fine_trap_bit *t)
{
    const struct trap_row *row;
    uint64_t value = 0;

    if (reg >= APMU_REG_COUNT) {
        return false;
    }
    row = &trap_rows[reg][write];
    if (row->name == NULL || !state_field(s, row->control, 0, row->bit, row->bit, &value) || value == 0) {
        return false;
    }
    *t = (struct fine_trap_bit){row->name, row->bit};
    return true;
}
