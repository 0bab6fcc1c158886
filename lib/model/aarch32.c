/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The AArch32 view: each of its registers shows some bits of an AArch64 register and has the effects of that register.
 */

#include "registers.h"

#define SHOWS_LOW APMU_BITS(31, 0)
#define SHOWS_HIGH APMU_BITS(63, 32)
#define SHOWS_BOTH APMU_BITS(63, 0)

enum {
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    KEY_##id = APMU_A64_KEY(op0, op1, crn, crm, op2),
#include <armpmu/tables/registers.def>
};

const struct apmu_row32 apmu_rows32[APMU_REG32_COUNT] = {
#define APMU_AARCH32(id, of, copies, place, part, gate, hides) \
    {SHOWS_##part & ~(UINT64_C(0) | (hides)), APMU_A32_##place(KEY_##of), APMU_REG_##of, APMU_PART_##part, \
     APMU_GATE_##gate},
#include <armpmu/tables/aarch32.def>
};

bool apmu_reg32_exists(const struct apmu_config *cfg, enum apmu_reg32 reg)
{
    return (cfg->features & APMU_FEAT(AA32)) != 0 && apmu_holds(cfg, (enum apmu_gate)apmu_rows32[reg].gate, 0);
}

uint64_t apmu_peek_a32(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg32 reg, unsigned n)
{
    if (reg >= APMU_REG32_COUNT || !apmu_reg32_exists(&p->cfg, reg)) {
        return 0;
    }
    const struct apmu_row32 *row = &apmu_rows32[reg];
    const uint64_t value = apmu_peek(p, pe, (enum apmu_reg)row->of, n) & row->shows;
    return row->part == APMU_PART_HIGH ? value >> 32 : value;
}

void apmu_poke_a32(struct apmu *p, const struct apmu_pe *pe, enum apmu_reg32 reg, unsigned n, uint64_t value,
                   struct apmu_out *out)
{
    if (reg >= APMU_REG32_COUNT || !apmu_reg32_exists(&p->cfg, reg)) {
        apmu_poke_bits(p, pe, APMU_REG_ALL, n, 0, 0, out); /* fills *out, and writes no register */
        return;
    }
    const struct apmu_row32 *row = &apmu_rows32[reg];
    apmu_poke_bits(p, pe, (enum apmu_reg)row->of, n, value, row->shows, out); /* those that show 63:32 are read-only */
}
