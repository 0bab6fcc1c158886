/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why a counter stands still: CountPMUEvents() of the Arm ARM, one function a group of reasons, in its order.
 *
 * Where the prose of D13.5 and the pseudocode disagree the pseudocode is followed, in a predicate of its own: see the
 * functions named prose_differs_*() below, and SPEC.md.
 */

#include "internal.h"

/* What the decision looks at, worked out once for a call: all counters share it. */
struct scene {
    const struct apmu *p;
    const struct apmu_pe *pe;
    enum apmu_ss ss;
    bool have_el2, have_el3;
    bool el3_a32;      /* EL3 is implemented and uses AArch32 */
};

/* RKYBQW, IBTGDJ, IWMNXT: the global enable of the range. */
static uint64_t disabled(const struct scene *s, unsigned range)
{
    switch (range) {
    case 1:
        return APMU_GET(PMCR_EL0, E, s->p->pmcr) == 0 ? APMU_WHY(PMCR_E) : 0;
    case 2:
        return APMU_GET(MDCR_EL2, HPME, s->pe->mdcr_el2) == 0 ? APMU_WHY(HPME) : 0;
    default:
        return APMU_GET(PMCCR, EPME, s->p->ccr) == 0 ? APMU_WHY(EPME) : 0;
    }
}

/* ICTDHP speaks of event counters only: INST_RETIRED, the instruction counter's event, is a synchronous one. */
static uint64_t not_synchronous(const struct apmu *p, unsigned n)
{
    const bool stops = n < APMU_CYCLE && apmu_in_synchronous_mode(p, n) && !apmu_event_is_synchronous(p, n);
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
static bool prose_differs_icntr_is_first_range(unsigned range)
{
    return range == 1;
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
static uint64_t prohibited(const struct scene *s, unsigned range)
{
    const bool p7 = apmu_has(s->p, APMU_FEAT(PMUv3p7));
    const bool spme = !apmu_armv7(s->p) && APMU_GET(MDCR_EL3, SPME, s->pe->mdcr_el3) != 0;
    const bool mpmx = p7 && !s->el3_a32 && APMU_GET(MDCR_EL3, MPMX, s->pe->mdcr_el3) != 0;
    const bool at_el3 = s->have_el3 && s->pe->el == 3;
    uint64_t why = 0;

    if (range == 3 || prose_differs_authentication_lifts_hpmd(s) ||
        (s->pe->unattributable && s->p->cfg.counts_unattributable)) {
        return 0;
    }
    if (s->have_el3 && (s->ss == APMU_SS_SECURE || at_el3) && !spme && !mpmx &&
        !prose_differs_suniden_lifts_for_icntr(s)) {
        why |= APMU_WHY(SPME);
    }
    if (at_el3 && mpmx && (!spme || prose_differs_icntr_is_first_range(range))) {
        why |= APMU_WHY(MPMX);
    }
    if (s->have_el2 && s->pe->el == 2 && range == 1 && apmu_has(s->p, APMU_FEAT(PMUv3p1)) &&
        APMU_GET(MDCR_EL2, HPMD, s->pe->mdcr_el2) != 0) {
        why |= APMU_WHY(HPMD);
    }
    return why;
}

/* RFGSDP, RBHFSF, RHSGZX.  The third range is never frozen (ILKVKF); SPE freezes @cycle, the cycle counter, by DPFZS. */
static uint64_t frozen(const struct scene *s, unsigned range, bool cycle)
{
    const struct apmu *p = s->p;
    const bool p7 = apmu_has(p, APMU_FEAT(PMUv3p7));
    uint64_t why = 0;

    if (range == 1) {
        if (p7 && APMU_GET(PMCR_EL0, FZO, p->pmcr) != 0 &&
            apmu_overflow_flags(p, s->pe, APMU_CAUSE_FREEZE, APMU_RANGE_1) != 0) {
            why |= APMU_WHY(FZO);
        }
        if (APMU_GET(PMCR_EL0, FZS, p->pmcr) != 0 && apmu_spe_stopped(p, s->pe) &&
            (!cycle || apmu_has(p, APMU_FEAT(SPE_DPFZS)))) {
            why |= APMU_WHY(FZS);
        }
    }
    if (range == 2 && s->have_el2) {
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
        why |= prohibited(s, 1) | frozen(s, 1, true);
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

/* ---------------------------------------------------------------------------------------------------------------
 * Filters.
 */

enum {
    P = APMU_PMEVTYPER_EL0_P_LSB,
    U = APMU_PMEVTYPER_EL0_U_LSB,
    NSK = APMU_PMEVTYPER_EL0_NSK_LSB,
    NSU = APMU_PMEVTYPER_EL0_NSU_LSB,
    NSH = APMU_PMEVTYPER_EL0_NSH_LSB,
    M = APMU_PMEVTYPER_EL0_M_LSB,
    SH = APMU_PMEVTYPER_EL0_SH_LSB,
    RLK = APMU_PMEVTYPER_EL0_RLK_LSB,
    RLU = APMU_PMEVTYPER_EL0_RLU_LSB,
    RLH = APMU_PMEVTYPER_EL0_RLH_LSB,
    ZERO = APMU_PMEVTYPER_EL0_TC_LSB, /* a bit that filter_bits() leaves out: it reads as 0 */
};

/* A counter counts where field @a equals field @b, or where they differ. */
struct filter_rule {
    uint8_t a, b;
    bool differ;
    enum apmu_reason reason;
};

/* By Exception level and Security state: Secure, Non-secure, Root, Realm. */
static const struct filter_rule filter_rules[4][4] = {
    {{U, ZERO, false, APMU_REASON_FILTER_U}, {U, NSU, false, APMU_REASON_FILTER_NSU},
     {U, ZERO, false, APMU_REASON_FILTER_U}, {U, RLU, false, APMU_REASON_FILTER_RLU}},
    {{P, ZERO, false, APMU_REASON_FILTER_P}, {P, NSK, false, APMU_REASON_FILTER_NSK},
     {P, ZERO, false, APMU_REASON_FILTER_P}, {P, RLK, false, APMU_REASON_FILTER_RLK}},
    {{NSH, SH, true, APMU_REASON_FILTER_SH}, {NSH, ZERO, true, APMU_REASON_FILTER_NSH},
     {NSH, SH, true, APMU_REASON_FILTER_SH}, {NSH, RLH, true, APMU_REASON_FILTER_RLH}},
    {{M, P, false, APMU_REASON_FILTER_M}, {M, P, false, APMU_REASON_FILTER_M},
     {M, P, false, APMU_REASON_FILTER_M}, {M, P, false, APMU_REASON_FILTER_M}},
};

/* The rule that holds now.  Without EL3 there is no NSU or NSK: the field that stops the counter is U or P. */
static struct filter_rule filter_rule(const struct scene *s)
{
    struct filter_rule rule = filter_rules[s->pe->el & 3][s->ss];

    if (s->pe->el == 3 && s->el3_a32) {
        rule = filter_rules[1][APMU_SS_SECURE];
    } else if (s->pe->el < 2 && s->ss == APMU_SS_NONSECURE && !s->have_el3) {
        rule.reason = s->pe->el == 0 ? APMU_REASON_FILTER_U : APMU_REASON_FILTER_P;
    }
    return rule;
}

#define BIT(field) (UINT64_C(1) << (field))

/* The filter fields that are implemented; the others read as zero. */
static uint64_t filter_bits(const struct scene *s)
{
    uint64_t bits = BIT(P) | BIT(U);

    bits |= s->have_el3 ? BIT(NSK) | BIT(NSU) : 0;
    bits |= s->have_el2 ? BIT(NSH) : 0;
    bits |= s->have_el3 && !s->el3_a32 ? BIT(M) : 0;
    bits |= s->have_el3 && apmu_has(s->p, APMU_FEAT(SEL2)) ? BIT(SH) : 0;
    bits |= apmu_has(s->p, APMU_FEAT(RME)) ? BIT(RLK) | BIT(RLU) | BIT(RLH) : 0;
    return bits;
}

static bool filter_stops(const struct filter_rule *rule, uint64_t typer)
{
    return (((typer >> rule->a ^ typer >> rule->b) & 1) != 0) != rule->differ;
}

static bool streaming_mode_stops(const struct scene *s, uint64_t typer)
{
    const bool stops[4] = {false, s->pe->sm, !s->pe->sm, s->p->cfg.reserved_vs_filters};

    return apmu_has(s->p, APMU_FEAT(PMUv3_SME)) && stops[APMU_GET(PMEVTYPER_EL0, VS, typer)];
}

static uint64_t filtered(const struct scene *s, unsigned n)
{
    const struct filter_rule rule = filter_rule(s);
    const uint64_t typer = s->p->typer[n];

    return (filter_stops(&rule, typer & filter_bits(s)) ? UINT64_C(1) << rule.reason : 0) |
           (streaming_mode_stops(s, typer) ? APMU_WHY(FILTER_VS) : 0);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The answers.
 */

static bool counter_exists(const struct apmu *p, unsigned n)
{
    return n < p->cfg.counters || n == APMU_CYCLE || (n == APMU_INSTR && apmu_has(p, APMU_FEAT(PMUv3_ICNTR)));
}

static struct scene scene_of(const struct apmu *p, const struct apmu_pe *pe)
{
    const bool have_el3 = apmu_have_el(&p->cfg, 3);

    return (struct scene){
        .p = p,
        .pe = pe,
        .ss = apmu_security_state(p, pe),
        .have_el2 = apmu_have_el(&p->cfg, 2),
        .have_el3 = have_el3,
        .el3_a32 = have_el3 && apmu_el_is_a32(p, pe, 3),
    };
}

/* What stops all event counters of a range alike, and the instruction counter with the first. */
static uint64_t range_stopped(const struct scene *s, unsigned range)
{
    return (s->pe->halted ? APMU_WHY(HALTED) : 0) | disabled(s, range) | prohibited(s, range) | frozen(s, range, false);
}

/* IFZPQV: CountPMUEvents(n), as a set of what stops the counter.  ISTZYQ: PMCNTENSET enables each. */
uint64_t apmu_why(const struct apmu *p, const struct apmu_pe *pe, unsigned n)
{
    if (!counter_exists(p, n)) {
        return APMU_WHY(NO_COUNTER);
    }
    const struct scene s = scene_of(p, pe);
    const uint64_t own = (apmu_bit(p->cnten, n) ? 0 : APMU_WHY(CNTEN)) | not_synchronous(p, n) | filtered(&s, n);

    if (n == APMU_CYCLE) {
        return own | (pe->halted ? APMU_WHY(HALTED) : 0) | disabled(&s, 1) | cycle_counter_stopped(&s);
    }
    return own | range_stopped(&s, apmu_range(p, pe, n));
}

/* The same for many event counters at once: what they share is worked out once. */
uint64_t apmu_counting(const struct apmu *p, const struct apmu_pe *pe, const struct apmu_ranges *r, uint64_t set)
{
    const struct scene s = scene_of(p, pe);
    const bool more = apmu_has(p, APMU_FEAT(PMUv3_SME)) || apmu_has(p, APMU_FEAT(SEBEP));
    uint64_t counting = 0;

    set &= p->cnten;
    for (unsigned range = 1; range <= 3; range++) {
        if ((set & r->mask[range]) != 0 && range_stopped(&s, range) == 0) {
            counting |= set & r->mask[range];
        }
    }
    if (counting == 0) {
        return 0;
    }
    const struct filter_rule rule = filter_rule(&s);
    const uint64_t bits = filter_bits(&s);
    for (unsigned n = 0; counting >> n != 0; n++) {
        const uint64_t typer = p->typer[n];
        if (filter_stops(&rule, typer & bits) ||
            (more && (streaming_mode_stops(&s, typer) || not_synchronous(p, n) != 0))) {
            counting &= ~(UINT64_C(1) << n);
        }
    }
    return counting;
}

/* PMCR_EL0.X.  No event leaves where counting is prohibited, which is asked as for a counter of the first range. */
bool apmu_exports(const struct apmu *p, const struct apmu_pe *pe)
{
    if (!p->cfg.export_bus || APMU_GET(PMCR_EL0, X, p->pmcr) == 0 || pe->halted) {
        return false;
    }
    const struct scene s = scene_of(p, pe);
    return prohibited(&s, 1) == 0;
}
