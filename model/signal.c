/* SPDX-License-Identifier: BSD-2-Clause */
/* What an overflow asks the PE to do: PMUInterruptEnabled(), PMUExceptionEnabled(), CheckPMUOverflowCondition(). */

#include "internal.h"

enum { PMEE_INTERRUPT = 0, PMEE_DELEGATE = 1, PMEE_EXCEPTION = 3 };

/* The three PMEE fields form a chain: EL3 decides or delegates to EL2, EL2 to EL1. */
bool apmu_exception_enabled(const struct apmu *p, const struct apmu_pe *pe, unsigned *target_el)
{
    if (!apmu_has(p, APMU_FEAT(EBEP))) {
        return false;
    }
    if (apmu_have_el(&p->cfg, 3)) {
        unsigned pmee = (unsigned)APMU_GET(MDCR_EL3, PMEE, pe->mdcr_el3);
        pmee = pmee == 2 ? p->cfg.reserved_pmee : pmee;
        if (pmee != PMEE_DELEGATE) {
            *target_el = 3;
            return pmee == PMEE_EXCEPTION;
        }
    }
    if (apmu_el2_enabled(p, pe)) {
        unsigned pmee = (unsigned)APMU_GET(MDCR_EL2, PMEE, pe->mdcr_el2);
        pmee = pmee == 2 ? p->cfg.reserved_pmee : pmee;
        if (pmee != PMEE_DELEGATE) {
            *target_el = 2;
            return pmee == PMEE_EXCEPTION;
        }
    }
    unsigned pmee = (unsigned)APMU_GET(PMECR_EL1, PMEE, p->ecr);
    pmee = pmee == 1 || pmee == 2 ? p->cfg.reserved_pmee : pmee;
    *target_el = apmu_el2_enabled(p, pe) && APMU_GET(HCR_EL2, TGE, pe->hcr_el2) != 0 ? 2 : 1;
    return pmee == PMEE_EXCEPTION;
}

bool apmu_interrupt_enabled(const struct apmu *p, const struct apmu_pe *pe)
{
    unsigned target_el;

    return !apmu_exception_enabled(p, pe, &target_el);
}

/* IVQXCB, IQKDTZ: the global enable of its own range gates a flag; PMCNTENSET does not. */
bool apmu_overflow_condition(const struct apmu *p, const struct apmu_pe *pe)
{
    const uint64_t fixed = UINT64_C(1) << APMU_CYCLE |
                           (apmu_has(p, APMU_FEAT(PMUv3_ICNTR)) ? UINT64_C(1) << APMU_INSTR : 0);
    uint64_t enabled = 0;

    if (APMU_GET(PMCR_EL0, E, p->pmcr) != 0) {
        enabled |= apmu_range_mask(p, pe, 1) | fixed;
    }
    if (APMU_GET(MDCR_EL2, HPME, pe->mdcr_el2) != 0) {
        enabled |= apmu_range_mask(p, pe, 2);
    }
    if (APMU_GET(PMCCR, EPME, p->ccr) != 0) {
        enabled |= apmu_range_mask(p, pe, 3);
    }
    return (p->ovs & p->inten & enabled) != 0;
}

bool apmu_pmuirq(const struct apmu *p, const struct apmu_pe *pe)
{
    return apmu_interrupt_enabled(p, pe) && apmu_overflow_condition(p, pe);
}

void apmu_signal(const struct apmu *p, const struct apmu_pe *pe, struct apmu_out *out)
{
    if (out != NULL) {
        out->pmuirq = apmu_pmuirq(p, pe);
    }
}
