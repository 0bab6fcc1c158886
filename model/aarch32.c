/* SPDX-License-Identifier: BSD-2-Clause */
/* The AArch32 view: each of its registers shows some bits of an AArch64 register, and has that one's effects. */

#include "registers.h"

bool apmu_reg32_exists(const struct apmu_config *cfg, enum apmu_reg32 reg)
{
    return (cfg->features & APMU_FEAT(AA32)) != 0 && apmu_holds(cfg, apmu_reg32_info(reg)->gate, 0);
}

/* The bits of the AArch64 register that the view shows. */
static uint64_t shown(const struct apmu_reg32_info *info)
{
    static const uint64_t parts[] = {
        [APMU_PART_LOW] = APMU_BITS(31, 0), [APMU_PART_HIGH] = APMU_BITS(63, 32), [APMU_PART_BOTH] = APMU_BITS(63, 0),
    };
    return parts[info->part] & ~info->hides;
}

uint64_t apmu_peek_a32(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg32 reg, unsigned n)
{
    if (reg >= APMU_REG32_COUNT || !apmu_reg32_exists(&p->cfg, reg)) {
        return 0;
    }
    const struct apmu_reg32_info *info = apmu_reg32_info(reg);
    const uint64_t value = apmu_peek(p, pe, info->of, n) & shown(info);
    return info->part == APMU_PART_HIGH ? value >> 32 : value;
}

void apmu_poke_a32(struct apmu *p, const struct apmu_pe *pe, enum apmu_reg32 reg, unsigned n, uint64_t value,
                   struct apmu_out *out)
{
    if (reg >= APMU_REG32_COUNT || !apmu_reg32_exists(&p->cfg, reg)) {
        apmu_poke_bits(p, pe, APMU_REG_ALL, n, 0, 0, out); /* no register: only *out is written */
        return;
    }
    const struct apmu_reg32_info *info = apmu_reg32_info(reg);
    apmu_poke_bits(p, pe, info->of, n, value, shown(info), out); /* the high halves are read-only */
}
