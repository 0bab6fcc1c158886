/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which counters an Exception level reaches through the registers that have a bit for each: GetPMUAccessMask(),
 * GetPMUReadMask() and GetPMUWriteMask() of the pseudocode.
 */
#include "registers.h"

static const uint64_t cycle_bit = UINT64_C(1) << APMU_CYCLE;
static const uint64_t instr_bit = UINT64_C(1) << APMU_INSTR;

/* An access to PMICFILTR_EL0 or PMICNTR_EL0 would trap: then the instruction counter's bit elsewhere is RAZ/WI. */
static APMU_FOLDED bool instr_traps(const struct apmu *p, const struct apmu_pe *pe, bool fine_grained_allows)
{
    if (apmu_have_el(&p->cfg, 3) && pe->el != 3 && APMU_GET(MDCR_EL3, EnPM2, pe->mdcr_el3) == 0) {
        return true;
    }
    const bool host = APMU_GET(HCR_EL2, E2H, pe->hcr_el2) != 0 && APMU_GET(HCR_EL2, TGE, pe->hcr_el2) != 0;
    if (pe->el >= 2 || host || !apmu_el2_enabled(p, pe)) {
        return false;
    }
    return !fine_grained_allows || (apmu_have_el(&p->cfg, 3) && APMU_GET(SCR_EL3, FGTEn2, pe->scr_el3) == 0);
}

uint64_t apmu_read_mask(const struct apmu *p, const struct apmu_pe *pe)
{
    const uint64_t mask = apmu_access_mask(p, pe);
    const bool allowed = APMU_GET(HDFGRTR2_EL2, nPMICFILTR_EL0, pe->hdfgrtr2_el2) != 0;

    return (mask & instr_bit) != 0 && instr_traps(p, pe, allowed) ? mask & ~instr_bit : mask;
}

uint64_t apmu_write_mask(const struct apmu *p, const struct apmu_pe *pe, bool counter)
{
    uint64_t mask = apmu_access_mask(p, pe);

    if (apmu_user_limits(p, pe)) { /* with UEN these bits make counters read-only */
        mask &= APMU_GET(PMUSERENR_EL0, IR, p->userenr) != 0 ? ~instr_bit : ~UINT64_C(0);
        mask &= APMU_GET(PMUSERENR_EL0, CR, p->userenr) != 0 ? ~cycle_bit : ~UINT64_C(0);
        mask &= APMU_GET(PMUSERENR_EL0, ER, p->userenr) != 0 ? ~apmu_ones(APMU_EVENT_COUNTERS) : ~UINT64_C(0);
    }
    const bool allowed = counter ? APMU_GET(HDFGWTR2_EL2, nPMICNTR_EL0, pe->hdfgwtr2_el2) != 0
                                 : APMU_GET(HDFGWTR2_EL2, nPMICFILTR_EL0, pe->hdfgwtr2_el2) != 0;
    return (mask & instr_bit) != 0 && instr_traps(p, pe, allowed) ? mask & ~instr_bit : mask;
}

/* PMUACR_EL1: the bits of event counters beyond reach are RAZ/WI. */
uint64_t apmu_uacr_mask(const struct apmu *p, const struct apmu_pe *pe)
{
    return apmu_counter_bits(&p->cfg) & ~(apmu_ones(APMU_EVENT_COUNTERS) & ~apmu_ones(apmu_accessible(p, pe)));
}

/* PMUSwIncrement(): PMUSERENR_EL0.SW lifts the limit of PMUACR_EL1, and ER does not forbid it. */
uint64_t apmu_swinc_mask(const struct apmu *p, const struct apmu_pe *pe)
{
    const uint64_t mask = apmu_ones(apmu_accessible(p, pe));

    return apmu_user_limits(p, pe) && APMU_GET(PMUSERENR_EL0, SW, p->userenr) == 0 ? mask & p->uacr : mask;
}
