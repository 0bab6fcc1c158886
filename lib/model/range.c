/* SPDX-License-Identifier: BSD-2-Clause */
/* The three ranges of counters: MDCR_EL2.HPMN and PMCCR.EPMN divide the event counters. */

#include "internal.h"

/* EffectiveEPMN() */
unsigned apmu_epmn(const struct apmu *p, const struct apmu_pe *pe)
{
    (void)pe;
    return apmu_third_range(p);
}

/* EffectiveHPMN() */
unsigned apmu_hpmn(const struct apmu *p, const struct apmu_pe *pe)
{
    return apmu_second_range(p, pe);
}

/* GetPMUCounterRange() */
unsigned apmu_range(const struct apmu *p, const struct apmu_pe *pe, unsigned n)
{
    if (n >= APMU_CYCLE || n < apmu_second_range(p, pe)) {
        return 1;
    }
    return n < apmu_third_range(p) ? 2 : 3;
}
