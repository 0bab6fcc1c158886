/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the PE that the PMU consults: Security state, Execution states, SPE and debug authentication. */

#include "internal.h"

enum apmu_ss apmu_security_state(const struct apmu *p, const struct apmu_pe *pe)
{
    return apmu_current_ss(p, pe);
}

/* The registers that struct apmu_pe holds as a whole, and where. */
static const struct {
    enum apmu_reg reg;
    size_t place;
} words[] = {
#define WORD(reg, member) {APMU_REG_##reg, offsetof(struct apmu_pe, member)}
    WORD(MDCR_EL2, mdcr_el2),           WORD(MDCR_EL3, mdcr_el3),       WORD(HCR_EL2, hcr_el2),
    WORD(SCR_EL3, scr_el3),             WORD(SDER32_EL3, sder32_el3),   WORD(HSTR_EL2, hstr_el2),
    WORD(HDFGRTR_EL2, hdfgrtr_el2),     WORD(HDFGWTR_EL2, hdfgwtr_el2), WORD(HDFGRTR2_EL2, hdfgrtr2_el2),
    WORD(HDFGWTR2_EL2, hdfgwtr2_el2),   WORD(PMBSR_EL1, pmbsr_el1),     WORD(PMBSR_EL2, pmbsr_el2),
    WORD(PMBLIMITR_EL1, pmblimitr_el1), WORD(PMBSR_EL3, pmbsr_el3),     WORD(PMSCR_EL2, pmscr_el2),
#undef WORD
};

enum { WORDS = sizeof words / sizeof words[0] };

/* Returns the index of @reg in words[], or WORDS. */
static unsigned word_of(enum apmu_reg reg)
{
    unsigned i = 0;

    while (i < WORDS && words[i].reg != reg) {
        i++;
    }
    return i;
}

bool apmu_pe_set(struct apmu_pe *pe, enum apmu_reg reg, uint64_t value)
{
    const unsigned i = word_of(reg);

    if (i < WORDS) {
        *(uint64_t *)(void *)((unsigned char *)pe + words[i].place) = value;
    }
    return i < WORDS;
}

bool apmu_pe_get(const struct apmu_pe *pe, enum apmu_reg reg, uint64_t *value)
{
    const unsigned i = word_of(reg);

    if (i < WORDS) {
        *value = *(const uint64_t *)(const void *)((const unsigned char *)pe + words[i].place);
    }
    return i < WORDS;
}

bool apmu_el_is_a32(const struct apmu *p, const struct apmu_pe *pe, unsigned el)
{
    if (apmu_a32_only(p)) {
        return true;
    }
    if ((p->cfg.features & APMU_FEAT(AA32EL0) << el) == 0 || el == 3) {
        return false;
    }
    const bool secure = !apmu_below_el3_is_nonsecure(p, pe);
    const bool below_el3 = apmu_have_el(&p->cfg, 3) && APMU_GET(SCR_EL3, RW, pe->scr_el3) == 0 &&
                           !(secure && apmu_secure_el2_enabled(p, pe));
    if (el == 2) {
        return below_el3 && !secure;
    }
    /* The pseudocode tests SCR_EL3.EEL2 itself here: without EL3 it is 0, although Secure EL2 is enabled. */
    const bool el2_decides = apmu_have_el(&p->cfg, 2) &&
                             (!secure || (apmu_has(p, APMU_FEAT(SEL2)) && APMU_GET(SCR_EL3, EEL2, pe->scr_el3) != 0));
    return below_el3 || (el2_decides && APMU_GET(HCR_EL2, RW, pe->hcr_el2) == 0 && !apmu_el0_in_host(p, pe));
}

bool apmu_el0_in_host(const struct apmu *p, const struct apmu_pe *pe)
{
    const bool e2h = !apmu_has(p, APMU_FEAT(E2H0)) || APMU_GET(HCR_EL2, E2H, pe->hcr_el2) != 0;

    return apmu_has(p, APMU_FEAT(VHE)) && e2h && APMU_GET(HCR_EL2, TGE, pe->hcr_el2) != 0 &&
           apmu_el2_enabled(p, pe) && !apmu_el_is_a32(p, pe, 2);
}

bool apmu_secure_noninvasive_debug(const struct apmu *p, const struct apmu_pe *pe)
{
    if (!apmu_have_el(&p->cfg, 3) && !p->cfg.secure_only) {
        return false;
    }
    return (pe->dbgen || pe->niden) && (pe->spiden || pe->spniden);
}

/*
 * RHSGZX.  SPEFreezeOnEvent() requires FEAT_PMUv3p7 too; the prose does not (SPEC.md, D).  By IHMLGP,
 * PMBLIMITR_EL1.E reads as 0 if the highest Exception level uses AArch32.
 */
bool apmu_spe_stopped(const struct apmu *p, const struct apmu_pe *pe)
{
    if (!apmu_has(p, APMU_FEAT(SPEv1p2) | APMU_FEAT(PMUv3p7)) || apmu_a32_only(p)) {
        return false;
    }
    if (APMU_GET(PMBLIMITR_EL1, E, pe->pmblimitr_el1) == 0 || APMU_GET(PMBLIMITR_EL1, PMFZ, pe->pmblimitr_el1) == 0) {
        return false;
    }
    if (APMU_GET(PMBSR_EL1, S, pe->pmbsr_el1) != 0) {
        return true;
    }
    if (!apmu_has(p, APMU_FEAT(SPE_EXC))) {
        return false;
    }
    /*
     * A buffer management event that is reported to EL2 or EL3 stops profiling like one at EL1.  PMSEE and EE say which
     * Exception level it is reported to: 0 EL1, 1 as the level below says, 2 and 3 this level.
     */
    const bool el3 = apmu_have_el(&p->cfg, 3);
    const uint64_t pmsee = APMU_GET(MDCR_EL3, PMSEE, pe->mdcr_el3);

    if (el3 && pmsee >= 2 && APMU_GET(PMBSR_EL3, S, pe->pmbsr_el3) != 0) {
        return true;
    }
    return apmu_el2_enabled(p, pe) && (!el3 || pmsee != 0) && APMU_GET(PMSCR_EL2, EE, pe->pmscr_el2) >= 2 &&
           APMU_GET(PMBSR_EL2, S, pe->pmbsr_el2) != 0;
}
