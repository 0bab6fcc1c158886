/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the reasons why a counter does not count: CountPMUEvents() of the Arm ARM, in its order.  Each function returns
 * a group of reasons.
 *
 * Where the prose of D13.5 and the pseudocode disagree, the model follows the pseudocode, in a predicate of its own
 * named prose_differs_*(); SPEC.md lists them.
 */

#include "internal.h"

_Static_assert((int)APMU_REASON_COUNT <= 64, "reasons are bits of a set");

/* RKYBQW: the global enable of the range. */
static uint64_t disabled(const struct apmu *p, const struct apmu_pe *pe, unsigned range)
{
    switch (range) {
    case 1:
        return APMU_GET(PMCR_EL0, E, p->pmcr) == 0 ? APMU_WHY(PMCR_E) : 0;
    case 2:
        return APMU_GET(MDCR_EL2, HPME, pe->mdcr_el2) == 0 ? APMU_WHY(HPME) : 0;
    default:
        return APMU_GET(PMCCR, EPME, p->ccr) == 0 ? APMU_WHY(EPME) : 0;
    }
}

/* ICTDHP is about event counters only: INST_RETIRED, the instruction counter's event, is a synchronous one. */
static uint64_t not_synchronous(const struct apmu *p, unsigned n)
{
    const bool stops = apmu_in_synchronous_mode(p, n) && !apmu_event_is_synchronous(p, n);
    return stops ? APMU_WHY(SYNC) : 0;
}

/*
 * RJRYNM, RJDWFF, RGNGCW: SDER.SUNIDEN lets Secure EL0 count where EL1 or EL3 uses AArch32.
 * The prose of RCSRMB lacks this exception for the instruction counter; the pseudocode has it (SPEC.md, C).
 */
static bool prose_differs_suniden_lifts_for_icntr(const struct apmu *p, const struct apmu_pe *pe)
{
    return pe->el == 0 && (apmu_el3_a32(p) || apmu_el_is_a32(p, pe, 1)) &&
           APMU_GET(SDER32_EL3, SUNIDEN, pe->sder32_el3) != 0;
}

/*
 * RGNGCW: with {SPME, MPMX} = {1, 1} only the second range counts at EL3.
 * The prose of RCSRMB lets the instruction counter count as well; the pseudocode treats it as first range
 * (SPEC.md, A).
 */
static bool prose_differs_icntr_is_first_range(unsigned range)
{
    return range == 1;
}

/*
 * RJRYNM: without FEAT_Debugv8p2 the authentication interface may lift a prohibition.
 * The prose names Secure state only; the pseudocode lifts that of EL2 too (SPEC.md, B).
 */
static bool prose_differs_authentication_lifts_hpmd(const struct apmu *p, const struct apmu_pe *pe)
{
    return !apmu_has(p, APMU_FEAT(Debugv8p2)) && apmu_secure_noninvasive_debug(p, pe);
}

/* RWVDWZ, RJRYNM, RJDWFF, RGNGCW, RMMZLZ, RCSRMB.  The third range is never prohibited (RKQDQS). */
static uint64_t prohibited(const struct apmu *p, const struct apmu_pe *pe, unsigned range)
{
    uint64_t why = 0;

    if (range == 3) {
        return 0;
    }
    if (apmu_secure_or_el3(p, pe)) {
        const bool spme = !apmu_armv7(p) && APMU_GET(MDCR_EL3, SPME, pe->mdcr_el3) != 0;
        const bool mpmx = apmu_has(p, APMU_FEAT(PMUv3p7)) && !apmu_el3_a32(p) &&
                          APMU_GET(MDCR_EL3, MPMX, pe->mdcr_el3) != 0;

        if (!spme && !mpmx && !prose_differs_suniden_lifts_for_icntr(p, pe)) {
            why |= APMU_WHY(SPME);
        }
        if (apmu_at_el3(p, pe) && mpmx && (!spme || prose_differs_icntr_is_first_range(range))) {
            why |= APMU_WHY(MPMX);
        }
    }
    if (apmu_at_el2(p, pe) && range == 1 && apmu_has(p, APMU_FEAT(PMUv3p1)) &&
        APMU_GET(MDCR_EL2, HPMD, pe->mdcr_el2) != 0) {
        why |= APMU_WHY(HPMD);
    }
    if (why != 0 && (prose_differs_authentication_lifts_hpmd(p, pe) ||
                     (pe->unattributable && p->cfg.counts_unattributable))) {
        return 0;
    }
    return why;
}

/*
 * RFGSDP, RBHFSF, RHSGZX.  The third range is never frozen (ILKVKF); SPE freezes @cycle, the cycle counter, by DPFZS.
 */
static uint64_t frozen(const struct apmu *p, const struct apmu_pe *pe, unsigned range, bool cycle)
{
    uint64_t why = 0;

    if (range == 1) {
        if (APMU_GET(PMCR_EL0, FZO, p->pmcr) != 0 && apmu_has(p, APMU_FEAT(PMUv3p7)) &&
            apmu_overflow_flags(p, pe, APMU_CAUSE_FREEZE, APMU_RANGE_1) != 0) {
            why |= APMU_WHY(FZO);
        }
        if (APMU_GET(PMCR_EL0, FZS, p->pmcr) != 0 && apmu_spe_stopped(p, pe) &&
            (!cycle || apmu_has(p, APMU_FEAT(SPE_DPFZS)))) {
            why |= APMU_WHY(FZS);
        }
    }
    if (range == 2) {
        if (APMU_GET(MDCR_EL2, HPMFZO, pe->mdcr_el2) != 0 && apmu_has(p, APMU_FEAT(PMUv3p7)) &&
            apmu_overflow_flags(p, pe, APMU_CAUSE_FREEZE, APMU_RANGE_2) != 0) {
            why |= APMU_WHY(HPMFZO);
        }
        if (APMU_GET(MDCR_EL2, HPMFZS, pe->mdcr_el2) != 0 && apmu_spe_stopped(p, pe)) {
            why |= APMU_WHY(HPMFZS);
        }
    }
    return why;
}

/* Returns what stops all event counters of a range; it stops the instruction counter with the first range. */
static uint64_t range_stopped(const struct apmu *p, const struct apmu_pe *pe, unsigned range)
{
    return (pe->halted ? APMU_WHY(HALTED) : 0) | disabled(p, pe, range) | prohibited(p, pe, range) |
           frozen(p, pe, range, false);
}

/* RGKPZH: PMCR.DP says whether prohibitions and freezes reach the cycle counter; SCCD, HCCD and MCCD always do. */
static uint64_t cycle_counter_stopped(const struct apmu *p, const struct apmu_pe *pe)
{
    const bool p5 = apmu_has(p, APMU_FEAT(PMUv3p5)), p7 = apmu_has(p, APMU_FEAT(PMUv3p7));
    uint64_t why = (pe->halted ? APMU_WHY(HALTED) : 0) | disabled(p, pe, 1);

    if (APMU_GET(PMCR_EL0, DP, p->pmcr) != 0) {
        why |= prohibited(p, pe, 1) | frozen(p, pe, 1, true);
    }
    if (apmu_secure_or_el3(p, pe) && p5 && APMU_GET(MDCR_EL3, SCCD, pe->mdcr_el3) != 0) {
        why |= APMU_WHY(SCCD);
    }
    if (apmu_at_el2(p, pe) && p5 && APMU_GET(MDCR_EL2, HCCD, pe->mdcr_el2) != 0) {
        why |= APMU_WHY(HCCD);
    }
    if (apmu_at_el3(p, pe) && p7 && !apmu_el3_a32(p) && APMU_GET(MDCR_EL3, MCCD, pe->mdcr_el3) != 0) {
        why |= APMU_WHY(MCCD);
    }
    return why;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Filters.
 */

/*
 * A filter has the fields that it tests, the two values of these fields with which a counter counts, and the reason for
 * all other values.  EQUAL(P, NSK, FILTER_NSK) is {P and NSK, {none of them, both}, APMU_REASON_FILTER_NSK}.
 */
#define BIT(field) APMU_MASK(PMEVTYPER_EL0, field)
#define EQUAL(a, b, reason) {BIT(a) | BIT(b), {0, BIT(a) | BIT(b)}, APMU_REASON_##reason}
#define UNEQUAL(a, b, reason) {BIT(a) | BIT(b), {BIT(a), BIT(b)}, APMU_REASON_##reason}
#define CLEAR(a, reason) {BIT(a), {0, 0}, APMU_REASON_##reason}
#define SET(a, reason) {BIT(a), {BIT(a), BIT(a)}, APMU_REASON_##reason}

const struct apmu_filter apmu_filters[4][4] = { /* [EL0..EL3][Secure, Non-secure, Root, Realm] */
    {CLEAR(U, FILTER_U),        EQUAL(U, NSU, FILTER_NSU), CLEAR(U, FILTER_U),        EQUAL(U, RLU, FILTER_RLU)},
    {CLEAR(P, FILTER_P),        EQUAL(P, NSK, FILTER_NSK), CLEAR(P, FILTER_P),        EQUAL(P, RLK, FILTER_RLK)},
    {UNEQUAL(NSH, SH, FILTER_SH), SET(NSH, FILTER_NSH), UNEQUAL(NSH, SH, FILTER_SH), UNEQUAL(NSH, RLH, FILTER_RLH)},
    {EQUAL(M, P, FILTER_M),     EQUAL(M, P, FILTER_M),     EQUAL(M, P, FILTER_M),     EQUAL(M, P, FILTER_M)},
};

const struct apmu_filter apmu_filter_without_sh = SET(NSH, FILTER_SH);

static bool streaming_mode_stops(const struct apmu *p, const struct apmu_pe *pe, unsigned n)
{
    const bool stops[] = {false, pe->sm, !pe->sm, p->cfg.reserved_vs_filters};

    return apmu_has(p, APMU_FEAT(PMUv3_SME)) && stops[APMU_GET(PMEVTYPER_EL0, VS, p->typer[n])];
}

static uint64_t filtered(const struct apmu *p, const struct apmu_pe *pe, unsigned n)
{
    const struct apmu_filter *filter = apmu_filter_of(p, pe);

    return (apmu_passes(filter, p->typer[n]) ? 0 : UINT64_C(1) << filter->reason) |
           (streaming_mode_stops(p, pe, n) ? APMU_WHY(FILTER_VS) : 0);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The public functions.
 */

static bool counter_exists(const struct apmu *p, unsigned n)
{
    return n < p->cfg.counters || n == APMU_CYCLE || (n == APMU_INSTR && apmu_has(p, APMU_FEAT(PMUv3_ICNTR)));
}

/*
 * IFZPQV: CountPMUEvents(n), as the set of all that stops the counter.  ISTZYQ, IBTGDJ, IWMNXT: PMCNTENSET enables each
 * counter, in addition to the global enable.
 */
uint64_t apmu_why(const struct apmu *p, const struct apmu_pe *pe, unsigned n)
{
    if (!counter_exists(p, n)) {
        return APMU_WHY(NO_COUNTER);
    }
    const uint64_t own = (apmu_bit(p->cnten, n) ? 0 : APMU_WHY(CNTEN)) | not_synchronous(p, n) | filtered(p, pe, n);

    return own | (n == APMU_CYCLE ? cycle_counter_stopped(p, pe) : range_stopped(p, pe, apmu_range(p, pe, n)));
}

/* Decides many counters at once, without their filters.  It computes once what the counters of a range share. */
uint64_t apmu_unstopped(const struct apmu *p, const struct apmu_pe *pe, uint64_t set)
{
    const struct apmu_ranges r = apmu_ranges(p, pe);
    const uint64_t cycle = UINT64_C(1) << APMU_CYCLE, instr = UINT64_C(1) << APMU_INSTR;
    const uint64_t of[] = {0, r.mask[1] | instr, r.mask[2], r.mask[3]};

    for (unsigned range = 1; range <= 3; range++) {
        if ((set & of[range]) != 0 && range_stopped(p, pe, range) != 0) {
            set &= ~of[range];
        }
    }
    return (set & cycle) != 0 && cycle_counter_stopped(p, pe) != 0 ? set & ~cycle : set;
}

bool apmu_is_prohibited(const struct apmu *p, const struct apmu_pe *pe)
{
    return prohibited(p, pe, 1) != 0;
}
