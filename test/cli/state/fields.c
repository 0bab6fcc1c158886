/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests the fields as decode and encode list them.  Splitting a value into fields and joining them gives the same
 * value, in every view.
 */
#include <string.h>

#include "../../../cli/state/fields.h"
#include "../../model/prop/any.h"

/* Picks a register of any view.  Returns false if the choices name none. */
static bool any_place(struct choices *c, struct names_place *place)
{
    switch (pick_of(c, 4)) {
    case 0: {
        const enum apmu_reg reg = (enum apmu_reg)pick_of(c, APMU_REG_ALL);
        char name[24];

        apmu_reg_name(reg, pick_of(c, apmu_reg_info(reg)->copies), name);
        return names_by_name(name, strlen(name), place);
    }
    case 1: {
        const enum apmu_reg32 reg = (enum apmu_reg32)pick_of(c, APMU_REG32_COUNT);
        char name[24];

        apmu_reg32_name(reg, 0, name);
        return names_by_name(name, strlen(name), place);
    }
    case 2:
        return names_by_offset((unsigned)pick(c, 12), pick_bool(c) ? NAMES_EXT32 : NAMES_EXT64, place);
    default:
        return names_by_a32(15, (uint16_t)APMU_A32_KEY(0, 15, 12, pick(c, 2)), place);
    }
}

/* Checks that the fields of a register do not overlap, and that they make up its value. */
static bool does_not_come_back(struct choices *c)
{
    const struct apmu_config cfg = any_legal_config(c);
    const struct fields_config config = {pick_bool(c) ? &cfg : NULL, pick_bool(c) ? pick(c, APMU_FEAT_END) : 0, NULL};
    const uint64_t value = pick(c, 64);
    struct names_place place;
    struct fields_register f;
    uint64_t built = 0, described = 0;
    int next;

    if (!any_place(c, &place)) {
        return false;
    }
    fields_list(&place, &config, &f);
    next = (int)f.bits;
    for (unsigned i = 0; i < f.count; i++) {
        const struct fields_row *row = &f.rows[i];

        HOLDS(row->msb < next && row->lsb <= row->msb, "%s.%s: bits %u:%u below %d", f.name, row->name, row->msb,
              row->lsb, next);
        next = row->lsb;
        described |= APMU_BITS(row->msb, row->lsb);
        built |= fields_get(row, value) << row->lsb;
        HOLDS(!(row->reserved && row->writable) && !(row->res1 && row->writable), "%s.%s: is reserved and writable",
              f.name, row->name);
        HOLDS(row->unless == NULL || row->only_if == NULL, "%s.%s: has both .unless and .only_if", f.name, row->name);
    }
    HOLDS(built == (value & described), "%s: 0x%llx, not 0x%llx", f.name, (unsigned long long)built,
          (unsigned long long)(value & described));
    HOLDS(place.view == NAMES_ARM11 || place.reg >= APMU_REG_BORROWED ||
              described == (f.bits == 64 ? UINT64_MAX : UINT32_MAX), "%s: bits that no field describes", f.name);
    return false;
}

/* Checks that the bits which the model lets a register keep are those that the list marks as writable. */
static bool model_differs(struct choices *c)
{
    struct apmu_config cfg = any_legal_config(c);
    const struct fields_config config = {&cfg, 0, NULL};
    const struct apmu_pe el3 = {.el = 3};
    const enum apmu_reg reg = pick_bool(c) ? APMU_REG_PMEVTYPER_EL0 : pick_bool(c) ? APMU_REG_PMCR_EL0
                                                                                  : APMU_REG_PMUSERENR_EL0;
    struct names_place place;
    struct fields_register f;
    struct apmu p;
    char name[24];
    uint64_t keeps = 0;

    if (apmu_config_check(&cfg) != NULL || cfg.counters < 2 || (cfg.features & APMU_FEAT(AA64)) == 0) {
        return false;
    }
    cfg.export_bus = cfg.multithreaded = true; /* the list marks fields of these with .only_if */
    cfg.imp = 1;
    apmu_init(&p, &cfg);
    apmu_reg_name(reg, 1, name);
    if (!names_by_name(name, strlen(name), &place)) {
        return false;
    }
    fields_list(&place, &config, &f);
    for (unsigned i = 0; i < f.count; i++) {
        const bool acts = reg == APMU_REG_PMCR_EL0 && (f.rows[i].lsb == 1 || f.rows[i].lsb == 2); /* P and C */

        keeps |= f.rows[i].writable && !acts ? APMU_BITS(f.rows[i].msb, f.rows[i].lsb) : 0;
    }
    keeps &= reg != APMU_REG_PMEVTYPER_EL0
                 ? UINT64_MAX
                 : ~(APMU_MASK(PMEVTYPER_EL0, TH) & ~APMU_PUT(PMEVTYPER_EL0, TH, (UINT64_C(1) << cfg.thwidth) - 1));
    apmu_poke(&p, &el3, reg, place.n, UINT64_MAX, NULL);
    const uint64_t ones = apmu_peek(&p, &el3, reg, place.n);

    apmu_poke(&p, &el3, reg, place.n, 0, NULL);
    HOLDS((ones & ~apmu_peek(&p, &el3, reg, place.n)) == keeps, "%s: writes change 0x%llx, the list says 0x%llx", name,
          (unsigned long long)(ones & ~apmu_peek(&p, &el3, reg, place.n)), (unsigned long long)keeps);
    return false;
}

PROPERTIES(
    {"fields put together are the value", does_not_come_back, .rounds = 50000},
    {"what can be written is what the model keeps", model_differs, .rounds = 20000})
