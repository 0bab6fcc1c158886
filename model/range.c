/* SPDX-License-Identifier: BSD-2-Clause */
/* The three ranges of counters: MDCR_EL2.HPMN and PMCCR.EPMN divide the event counters. */

#include "internal.h"

/* What a reserved value behaves as is a number of counters that there are. */
static unsigned reserved(const struct apmu *p, unsigned choice)
{
    return choice < p->cfg.counters ? choice : p->cfg.counters;
}

/* EffectiveEPMN() */
unsigned apmu_epmn(const struct apmu *p, const struct apmu_pe *pe)
{
    (void)pe;
    if (!apmu_has(p, APMU_FEAT(PMUv3_EXTPMN))) {
        return p->cfg.counters;
    }
    const unsigned epmn = (unsigned)APMU_GET(PMCCR, EPMN, p->ccr);
    return epmn <= p->cfg.counters ? epmn : reserved(p, p->cfg.reserved_epmn);
}

/* EffectiveHPMN() */
unsigned apmu_hpmn(const struct apmu *p, const struct apmu_pe *pe)
{
    const unsigned epmn = apmu_epmn(p, pe);
    if (!apmu_have_el(&p->cfg, 2)) {
        return epmn;
    }
    const unsigned hpmn = (unsigned)APMU_GET(MDCR_EL2, HPMN, pe->mdcr_el2);
    if (hpmn == 0 && !apmu_has(p, APMU_FEAT(HPMN0))) {
        return reserved(p, p->cfg.reserved_hpmn);
    }
    if (hpmn > epmn) { /* with FEAT_PMUv3_EXTPMN the first range ends where the third begins */
        return apmu_has(p, APMU_FEAT(PMUv3_EXTPMN)) ? epmn : reserved(p, p->cfg.reserved_hpmn);
    }
    return hpmn;
}

/* GetPMUCounterRange() */
unsigned apmu_range(const struct apmu *p, const struct apmu_pe *pe, unsigned n)
{
    if (n >= APMU_CYCLE || n < apmu_hpmn(p, pe)) {
        return 1;
    }
    return n < apmu_epmn(p, pe) ? 2 : 3;
}

struct apmu_ranges apmu_ranges(const struct apmu *p, const struct apmu_pe *pe)
{
    const uint64_t all = apmu_ones(p->cfg.counters);
    const uint64_t first = apmu_ones(apmu_hpmn(p, pe)) & all;
    const uint64_t below_third = apmu_ones(apmu_epmn(p, pe)) & all;

    return (struct apmu_ranges){{0, first, below_third & ~first, all & ~below_third & ~first}};
}

uint64_t apmu_range_mask(const struct apmu *p, const struct apmu_pe *pe, unsigned range)
{
    return apmu_ranges(p, pe).mask[range];
}
