/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The counters that an Exception level can access through the registers that have a bit for each counter:
 * GetPMUAccessMask(), GetPMUReadMask() and GetPMUWriteMask() of the pseudocode.
 */
#ifndef ARMPMU_MODEL_MASKS_H
#define ARMPMU_MODEL_MASKS_H

#include "registers.h"

#define APMU_CYCLE_BIT (UINT64_C(1) << APMU_CYCLE)
#define APMU_INSTR_BIT (UINT64_C(1) << APMU_INSTR)

/* Returns true if PMUACR_EL1 limits the access: it is from EL0, and PMUSERENR_EL0.UEN is 1. */
static inline bool apmu_user_limits(const struct apmu *p, const struct apmu_pe *pe)
{
    return pe->el == 0 && apmu_has(p, APMU_FEAT(PMUv3p9)) && APMU_GET(PMUSERENR_EL0, UEN, p->userenr) != 0 &&
           !apmu_el_is_a32(p, pe, 1);
}

/* GetPMUAccessMask() */
static APMU_FOLDED uint64_t apmu_access_mask(const struct apmu *p, const struct apmu_pe *pe)
{
    uint64_t mask = APMU_CYCLE_BIT | ((UINT64_C(1) << apmu_accessible(p, pe)) - 1);

    if (apmu_has(p, APMU_FEAT(PMUv3_ICNTR)) && !pe->a32 &&
        (pe->el != 0 || APMU_GET(PMUSERENR_EL0, UEN, p->userenr) != 0)) {
        mask |= APMU_INSTR_BIT;
    }
    return apmu_user_limits(p, pe) ? mask & p->uacr : mask;
}

/*
 * Returns true if an access to PMICFILTR_EL0 or PMICNTR_EL0 would trap.  The bit of the instruction counter in other
 * registers is then RAZ/WI.
 */
static APMU_FOLDED bool apmu_instr_traps(const struct apmu *p, const struct apmu_pe *pe, bool fine_grained_allows)
{
    const bool have_el3 = apmu_have_el(&p->cfg, 3);

    if (APMU_GET(MDCR_EL3, EnPM2, pe->mdcr_el3) == 0 && have_el3 && pe->el != 3) {
        return true;
    }
    if (fine_grained_allows && (APMU_GET(SCR_EL3, FGTEn2, pe->scr_el3) != 0 || !have_el3)) {
        return false;
    }
    const bool host = APMU_GET(HCR_EL2, E2H, pe->hcr_el2) != 0 && APMU_GET(HCR_EL2, TGE, pe->hcr_el2) != 0;
    return pe->el < 2 && !host && apmu_el2_enabled(p, pe);
}

/* GetPMUReadMask() */
static APMU_FOLDED uint64_t apmu_read_mask(const struct apmu *p, const struct apmu_pe *pe)
{
    const uint64_t mask = apmu_access_mask(p, pe);
    const bool allowed = APMU_GET(HDFGRTR2_EL2, nPMICFILTR_EL0, pe->hdfgrtr2_el2) != 0;

    return apmu_bit(mask, APMU_INSTR) && apmu_instr_traps(p, pe, allowed) ? mask & ~APMU_INSTR_BIT : mask;
}

/*
 * GetPMUWriteMask().  With @counter, the trap of PMICNTR_EL0 hides the instruction counter, else that of PMICFILTR_EL0.
 */
static APMU_FOLDED uint64_t apmu_write_mask(const struct apmu *p, const struct apmu_pe *pe, bool counter)
{
    uint64_t mask = apmu_access_mask(p, pe);

    if (apmu_user_limits(p, pe)) { /* with UEN, IR, CR and ER make counters read-only */
        mask &= APMU_GET(PMUSERENR_EL0, IR, p->userenr) != 0 ? ~APMU_INSTR_BIT : ~UINT64_C(0);
        mask &= APMU_GET(PMUSERENR_EL0, CR, p->userenr) != 0 ? ~APMU_CYCLE_BIT : ~UINT64_C(0);
        mask &= APMU_GET(PMUSERENR_EL0, ER, p->userenr) != 0 ? ~apmu_ones(APMU_EVENT_COUNTERS) : ~UINT64_C(0);
    }
    const bool allowed = counter ? APMU_GET(HDFGWTR2_EL2, nPMICNTR_EL0, pe->hdfgwtr2_el2) != 0
                                 : APMU_GET(HDFGWTR2_EL2, nPMICFILTR_EL0, pe->hdfgwtr2_el2) != 0;
    return apmu_bit(mask, APMU_INSTR) && apmu_instr_traps(p, pe, allowed) ? mask & ~APMU_INSTR_BIT : mask;
}

/* Returns the accessible bits of PMUACR_EL1: those of event counters that are not accessible are RAZ/WI. */
static APMU_FOLDED uint64_t apmu_uacr_mask(const struct apmu *p, const struct apmu_pe *pe)
{
    return ~(apmu_ones(APMU_EVENT_COUNTERS) & ~apmu_ones(apmu_accessible(p, pe)));
}

/* PMUSwIncrement(): PMUSERENR_EL0.SW lifts the limit of PMUACR_EL1, and ER does not matter. */
static APMU_FOLDED uint64_t apmu_swinc_mask(const struct apmu *p, const struct apmu_pe *pe)
{
    const uint64_t mask = apmu_ones(apmu_accessible(p, pe));

    return apmu_user_limits(p, pe) && APMU_GET(PMUSERENR_EL0, SW, p->userenr) == 0 ? mask & p->uacr : mask;
}

#endif
