/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why a counter stands still: CountPMUEvents() of the Arm ARM, one function a group of reasons, in its order.
 *
 * Where the prose of D13.5 and the pseudocode disagree the pseudocode is followed, in a predicate of its own: see the
 * functions named prose_differs_*() below, and SPEC.md.
 */

#include "internal.h"

/* What the decision looks at, worked out once for a call. */
struct scene {
    const struct apmu *p;
    const struct apmu_pe *pe;
    unsigned n;        /* the counter */
    unsigned range;    /* 1..3 */
    enum apmu_ss ss;
    bool have_el2, have_el3;
    bool el3_a32;      /* EL3 is implemented and uses AArch32 */
};

/* RKYBQW, ISTZYQ, IBTGDJ, IWMNXT: the global enable of the range, and the counter's own. */
static uint64_t disabled(const struct scene *s)
{
    uint64_t why = 0;

    if (s->range == 1 && APMU_GET(PMCR_EL0, E, s->p->pmcr) == 0) {
        why |= APMU_WHY(PMCR_E);
    }
    if (s->range == 2 && APMU_GET(MDCR_EL2, HPME, s->pe->mdcr_el2) == 0) {
        why |= APMU_WHY(HPME);
    }
    if (s->range == 3 && APMU_GET(PMCCR, EPME, s->p->ccr) == 0) {
        why |= APMU_WHY(EPME);
    }
    if (!apmu_bit(s->p->cnten, s->n)) {
        why |= APMU_WHY(CNTEN);
    }
    return why;
}

bool apmu_in_synchronous_mode(const struct apmu *p, unsigned n)
{
    return apmu_has(p, APMU_FEAT(SEBEP)) && n != APMU_CYCLE && APMU_GET(PMEVTYPER_EL0, SYNC, p->typer[n]) != 0;
}

/* ICTDHP speaks of event counters only: INST_RETIRED, the instruction counter's event, is a synchronous one. */
static uint64_t not_synchronous(const struct scene *s)
{
    const bool stops = s->n < APMU_CYCLE && apmu_in_synchronous_mode(s->p, s->n) &&
                       !apmu_event_is_synchronous(s->p, s->n);
    return stops ? APMU_WHY(SYNC) : 0;
}

/*
 * RJRYNM, RJDWFF, RGNGCW: SDER.SUNIDEN lets Secure EL0 count where EL1 or EL3 uses AArch32.
 * The prose of RCSRMB has no such exception for the instruction counter; the pseudocode has (counting-rules C).
 */
static bool prose_differs_suniden_lifts_for_icntr(const struct scene *s)
{
    return s->pe->el == 0 && (s->el3_a32 || apmu_el_is_a32(s->p, s->pe, 1)) &&
           APMU_GET(SDER32_EL3, SUNIDEN, s->pe->sder32_el3) != 0;
}

/*
 * RGNGCW: with {SPME, MPMX} = {1, 1} only the second range counts at EL3.
 * The prose of RCSRMB lets the instruction counter count as well; the pseudocode treats it as first range
 * (counting-rules A).
 */
static bool prose_differs_icntr_is_first_range(const struct scene *s)
{
    return s->range == 1;
}

/*
 * RJRYNM: without FEAT_Debugv8p2 the authentication interface may lift a prohibition.
 * The prose names Secure state only; the pseudocode lifts that of EL2 too (counting-rules B).
 */
static bool prose_differs_authentication_lifts_hpmd(const struct scene *s)
{
    return !apmu_has(s->p, APMU_FEAT(Debugv8p2)) && apmu_secure_noninvasive_debug(s->p, s->pe);
}

/* RWVDWZ, RJRYNM, RJDWFF, RGNGCW, RMMZLZ, RCSRMB.  The third range is never prohibited (RKQDQS). */
static uint64_t prohibited(const struct scene *s)
{
    const bool p7 = apmu_has(s->p, APMU_FEAT(PMUv3p7));
    const bool spme = !apmu_armv7(s->p) && APMU_GET(MDCR_EL3, SPME, s->pe->mdcr_el3) != 0;
    const bool mpmx = p7 && !s->el3_a32 && APMU_GET(MDCR_EL3, MPMX, s->pe->mdcr_el3) != 0;
    const bool at_el3 = s->have_el3 && s->pe->el == 3;
    uint64_t why = 0;

    if (s->range == 3 || prose_differs_authentication_lifts_hpmd(s) ||
        (s->pe->unattributable && s->p->cfg.counts_unattributable)) {
        return 0;
    }
    if (s->have_el3 && (s->ss == APMU_SS_SECURE || at_el3) && !spme && !mpmx &&
        !prose_differs_suniden_lifts_for_icntr(s)) {
        why |= APMU_WHY(SPME);
    }
    if (at_el3 && mpmx && (!spme || prose_differs_icntr_is_first_range(s))) {
        why |= APMU_WHY(MPMX);
    }
    if (s->have_el2 && s->pe->el == 2 && s->range == 1 && apmu_has(s->p, APMU_FEAT(PMUv3p1)) &&
        APMU_GET(MDCR_EL2, HPMD, s->pe->mdcr_el2) != 0) {
        why |= APMU_WHY(HPMD);
    }
    return why;
}

/* RFGSDP, RBHFSF, RHSGZX.  The third range is never frozen (ILKVKF). */
static uint64_t frozen(const struct scene *s)
{
    const struct apmu *p = s->p;
    const bool p7 = apmu_has(p, APMU_FEAT(PMUv3p7));
    uint64_t why = 0;

    if (s->range == 1) {
        if (p7 && APMU_GET(PMCR_EL0, FZO, p->pmcr) != 0 &&
            apmu_overflow_flags(p, s->pe, APMU_CAUSE_FREEZE, APMU_RANGE_1) != 0) {
            why |= APMU_WHY(FZO);
        }
        if (APMU_GET(PMCR_EL0, FZS, p->pmcr) != 0 && apmu_spe_stopped(p, s->pe) &&
            (s->n != APMU_CYCLE || apmu_has(p, APMU_FEAT(SPE_DPFZS)))) {
            why |= APMU_WHY(FZS);
        }
    }
    if (s->range == 2 && s->have_el2) {
        if (p7 && APMU_GET(MDCR_EL2, HPMFZO, s->pe->mdcr_el2) != 0 &&
            apmu_overflow_flags(p, s->pe, APMU_CAUSE_FREEZE, APMU_RANGE_2) != 0) {
            why |= APMU_WHY(HPMFZO);
        }
        if (APMU_GET(MDCR_EL2, HPMFZS, s->pe->mdcr_el2) != 0 && apmu_spe_stopped(p, s->pe)) {
            why |= APMU_WHY(HPMFZS);
        }
    }
    return why;
}

/* RGKPZH: PMCR.DP says whether prohibitions and freezes reach the cycle counter; SCCD, HCCD and MCCD always do. */
static uint64_t cycle_counter_stopped(const struct scene *s)
{
    const struct apmu *p = s->p;
    const bool at_el3 = s->have_el3 && s->pe->el == 3;
    uint64_t why = 0;

    if (APMU_GET(PMCR_EL0, DP, p->pmcr) != 0) {
        why |= prohibited(s) | frozen(s);
    }
    if (apmu_has(p, APMU_FEAT(PMUv3p5)) && s->have_el3 && (s->ss == APMU_SS_SECURE || at_el3) &&
        APMU_GET(MDCR_EL3, SCCD, s->pe->mdcr_el3) != 0) {
        why |= APMU_WHY(SCCD);
    }
    if (apmu_has(p, APMU_FEAT(PMUv3p5)) && s->have_el2 && s->pe->el == 2 &&
        APMU_GET(MDCR_EL2, HCCD, s->pe->mdcr_el2) != 0) {
        why |= APMU_WHY(HCCD);
    }
    if (apmu_has(p, APMU_FEAT(PMUv3p7)) && at_el3 && !s->el3_a32 && APMU_GET(MDCR_EL3, MCCD, s->pe->mdcr_el3) != 0) {
        why |= APMU_WHY(MCCD);
    }
    return why;
}

/* The filter fields as the implementation has them: fields of absent features read as zero. */
struct filter {
    bool p, u, nsk, nsu, nsh, m, sh, rlk, rlu, rlh;
    unsigned vs;
};

static struct filter filter_fields(const struct scene *s)
{
    const uint64_t t = s->p->typer[s->n];
    const bool rme = apmu_has(s->p, APMU_FEAT(RME));
    return (struct filter){
        .p = APMU_GET(PMEVTYPER_EL0, P, t) != 0,
        .u = APMU_GET(PMEVTYPER_EL0, U, t) != 0,
        .nsk = s->have_el3 && APMU_GET(PMEVTYPER_EL0, NSK, t) != 0,
        .nsu = s->have_el3 && APMU_GET(PMEVTYPER_EL0, NSU, t) != 0,
        .nsh = s->have_el2 && APMU_GET(PMEVTYPER_EL0, NSH, t) != 0,
        .m = s->have_el3 && !s->el3_a32 && APMU_GET(PMEVTYPER_EL0, M, t) != 0,
        .sh = s->have_el3 && apmu_has(s->p, APMU_FEAT(SEL2)) && APMU_GET(PMEVTYPER_EL0, SH, t) != 0,
        .rlk = rme && APMU_GET(PMEVTYPER_EL0, RLK, t) != 0,
        .rlu = rme && APMU_GET(PMEVTYPER_EL0, RLU, t) != 0,
        .rlh = rme && APMU_GET(PMEVTYPER_EL0, RLH, t) != 0,
        .vs = apmu_has(s->p, APMU_FEAT(PMUv3_SME)) ? (unsigned)APMU_GET(PMEVTYPER_EL0, VS, t) : 0,
    };
}

static uint64_t filtered_el0(const struct scene *s, const struct filter *f)
{
    switch (s->ss) {
    case APMU_SS_NONSECURE:
        return f->u == f->nsu ? 0 : s->have_el3 ? APMU_WHY(FILTER_NSU) : APMU_WHY(FILTER_U);
    case APMU_SS_REALM:
        return f->u == f->rlu ? 0 : APMU_WHY(FILTER_RLU);
    default:
        return f->u ? APMU_WHY(FILTER_U) : 0;
    }
}

static uint64_t filtered_el1(const struct scene *s, const struct filter *f)
{
    switch (s->ss) {
    case APMU_SS_NONSECURE:
        return f->p == f->nsk ? 0 : s->have_el3 ? APMU_WHY(FILTER_NSK) : APMU_WHY(FILTER_P);
    case APMU_SS_REALM:
        return f->p == f->rlk ? 0 : APMU_WHY(FILTER_RLK);
    default:
        return f->p ? APMU_WHY(FILTER_P) : 0;
    }
}

static uint64_t filtered_el2(const struct scene *s, const struct filter *f)
{
    switch (s->ss) {
    case APMU_SS_NONSECURE:
        return f->nsh ? 0 : APMU_WHY(FILTER_NSH);
    case APMU_SS_REALM:
        return f->nsh != f->rlh ? 0 : APMU_WHY(FILTER_RLH);
    default:
        return f->nsh != f->sh ? 0 : APMU_WHY(FILTER_SH);
    }
}

static uint64_t filtered_el3(const struct scene *s, const struct filter *f)
{
    if (s->el3_a32) {
        return f->p ? APMU_WHY(FILTER_P) : 0;
    }
    return f->m != f->p ? APMU_WHY(FILTER_M) : 0;
}

static uint64_t filtered(const struct scene *s)
{
    const struct filter f = filter_fields(s);
    const bool vs_filters[4] = {false, s->pe->sm, !s->pe->sm, s->p->cfg.reserved_vs_filters};
    uint64_t why = vs_filters[f.vs] ? APMU_WHY(FILTER_VS) : 0;

    switch (s->pe->el) {
    case 0:
        return why | filtered_el0(s, &f);
    case 1:
        return why | filtered_el1(s, &f);
    case 2:
        return why | filtered_el2(s, &f);
    default:
        return why | filtered_el3(s, &f);
    }
}

static bool counter_exists(const struct apmu *p, unsigned n)
{
    return n < p->cfg.counters || n == APMU_CYCLE || (n == APMU_INSTR && apmu_has(p, APMU_FEAT(PMUv3_ICNTR)));
}

static struct scene scene_of(const struct apmu *p, const struct apmu_pe *pe, unsigned n, unsigned range)
{
    const bool have_el3 = apmu_have_el(&p->cfg, 3);

    return (struct scene){
        .p = p,
        .pe = pe,
        .n = n,
        .range = range,
        .ss = apmu_security_state(p, pe),
        .have_el2 = apmu_have_el(&p->cfg, 2),
        .have_el3 = have_el3,
        .el3_a32 = have_el3 && apmu_el_is_a32(p, pe, 3),
    };
}

/* IFZPQV: CountPMUEvents(n), as a set of what stops the counter. */
uint64_t apmu_why(const struct apmu *p, const struct apmu_pe *pe, unsigned n)
{
    if (!counter_exists(p, n)) {
        return APMU_WHY(NO_COUNTER);
    }
    const struct scene s = scene_of(p, pe, n, apmu_range(p, pe, n));
    uint64_t why = pe->halted ? APMU_WHY(HALTED) : 0;

    why |= disabled(&s) | not_synchronous(&s) | filtered(&s);
    why |= n == APMU_CYCLE ? cycle_counter_stopped(&s) : prohibited(&s) | frozen(&s);
    return why;
}

/* PMCR_EL0.X.  No event leaves where counting is prohibited, which is asked as for a counter of the first range. */
bool apmu_exports(const struct apmu *p, const struct apmu_pe *pe)
{
    if (!p->cfg.export_bus || APMU_GET(PMCR_EL0, X, p->pmcr) == 0 || pe->halted) {
        return false;
    }
    const struct scene s = scene_of(p, pe, 0, 1);
    return prohibited(&s) == 0;
}
