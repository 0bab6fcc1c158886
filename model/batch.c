/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events and cycles in the common case: no counter that takes part overflows, none has a threshold, a filter by
 * Streaming SVE mode or synchronous mode, and none divides.  Then a batch is an addition to each counter that counts.
 * Everything else is count.c's.
 */

#include "internal.h"

/* PMEVTYPER<n>_EL0: where one of these is not 0, the counter is not of the common case. */
#define UNCOMMON \
    (APMU_MASK(PMEVTYPER_EL0, TC) | APMU_MASK(PMEVTYPER_EL0, TE) | APMU_MASK(PMEVTYPER_EL0, TLC) | \
     APMU_MASK(PMEVTYPER_EL0, TH) | APMU_MASK(PMEVTYPER_EL0, VS) | APMU_MASK(PMEVTYPER_EL0, SYNC))

#define BIT(n) (UINT64_C(1) << (n))

static inline bool overflows(const struct apmu *p, const struct apmu_pe *pe, unsigned n, uint64_t by)
{
    const bool carries = ((p->cntr[n] + by) ^ p->cntr[n]) >> 32 != 0; /* out of the low half */

    return carries && apmu_would_overflow(p, pe, n, by); /* it matters how wide the counter is */
}

/* Does one of the first event counters, as many as @set has bits, count @event, as far as its type says? */
static inline bool anyone_counts(const struct apmu *p, uint32_t set, uint64_t event, uint64_t bits)
{
    for (const uint64_t *typer = p->typer; set != 0; typer++, set >>= 1) {
        if (((*typer ^ event) & bits) == 0) {
            return true;
        }
    }
    return false;
}

/* What the counters that count an event have in common, and that their filter lets them. */
struct match {
    uint64_t event_bits, bits;
    uint64_t event, plain[2];
};

static inline bool matches(const struct match *m, uint64_t typer)
{
    return (typer & m->bits) == m->plain[0] || (typer & m->bits) == m->plain[1];
}

static inline bool uncommon_match(const struct match *m, uint64_t typer)
{
    return (typer & UNCOMMON) != 0 && (typer & m->event_bits) == m->event;
}

/* Adds to each event counter of @set that counts the event; false, and nothing done, if that is not all to do. */
static inline bool add_to_events(struct apmu *p, const struct apmu_pe *pe, const struct match *m, uint32_t set,
                                 uint64_t by)
{
    unsigned n = 0;

    for (uint32_t rest = set; rest != 0; rest >>= 1, n++) {
        if ((rest & 1) == 0) {
            continue;
        }
        if (!matches(m, p->typer[n])) {
            if (uncommon_match(m, p->typer[n])) {
                break;
            }
        } else if (overflows(p, pe, n, by)) {
            break;
        } else {
            p->cntr[n] += by;
        }
    }
    if (set >> n == 0) {
        return true;
    }
    while (n-- > 0) { /* take it back */
        if (apmu_bit(set, n) && matches(m, p->typer[n])) {
            p->cntr[n] -= by;
        }
    }
    return false;
}

/* SyncCounterOverflowed, after an increment of the counters of @set that count. */
static void note_synchronous(struct apmu *p, const struct match *m, uint64_t set)
{
    for (unsigned n = 0; set >> n != 0; n++) {
        if (apmu_bit(set, n) && (n == APMU_INSTR || matches(m, p->typer[n]))) {
            apmu_note_synchronous(p, n);
        }
    }
}

/*
 * Nothing stops the first range, the cycle counter and the instruction counter: they are enabled, cannot be frozen, and
 * the PE is where nothing is prohibited.  A state in which they run that is not of these costs the whole question.
 */
static inline bool first_range_runs(const struct apmu *p, const struct apmu_pe *pe)
{
    return (p->pmcr & (APMU_MASK(PMCR_EL0, E) | APMU_MASK(PMCR_EL0, FZO) | APMU_MASK(PMCR_EL0, FZS))) ==
               APMU_MASK(PMCR_EL0, E) &&
           pe->el < 2 && !pe->halted && !apmu_secure_or_el3(p, pe);
}

static inline uint64_t unstopped(const struct apmu *p, const struct apmu_pe *pe, uint64_t set)
{
    const bool all_of_first_range = (uint32_t)(set & ~BIT(APMU_CYCLE)) >> apmu_second_range(p, pe) == 0;

    return all_of_first_range && first_range_runs(p, pe) ? set : apmu_unstopped(p, pe, set);
}

/*
 * @event occurs @by times, and @fixed, the cycle or the instruction counter, if any, counts as many.  False: it is not
 * the common case, and nothing is done.
 */
static inline bool add_plainly(struct apmu *p, const struct apmu_pe *pe, uint64_t event, uint64_t by, unsigned fixed)
{
    const uint32_t events = (uint32_t)p->cnten & ((UINT32_C(1) << p->cfg.counters) - 1);
    const uint64_t event_bits = apmu_event_bits(p);
    uint64_t set = fixed < APMU_COUNTERS ? p->cnten & BIT(fixed) : 0;

    set |= anyone_counts(p, events, event, event_bits) ? events : 0;
    if (set == 0) {
        return true;
    }
    set = unstopped(p, pe, set);
    const struct apmu_filter *filter = apmu_filter_of(p, pe);
    const struct match m = {event_bits, event_bits | UNCOMMON | filter->bits, event,
                            {event | filter->pass[0], event | filter->pass[1]}};
    const bool with_fixed = fixed < APMU_COUNTERS && apmu_bit(set, fixed) && apmu_passes(filter, p->typer[fixed]);
    if (with_fixed && ((p->typer[fixed] & UNCOMMON) != 0 || overflows(p, pe, fixed, by) ||
                       (fixed == APMU_CYCLE && apmu_cycle_divides(p, pe)))) {
        return false;
    }
    if (!add_to_events(p, pe, &m, (uint32_t)set & ~(UINT32_C(1) << APMU_CYCLE), by)) {
        return false;
    }
    if (with_fixed) {
        p->cntr[fixed] += by;
    }
    if (by != 0 && (p->ovs & p->inten) != 0) {
        note_synchronous(p, &m, set & ~(with_fixed ? 0 : BIT(APMU_INSTR)));
    }
    return true;
}

void apmu_batch(struct apmu *p, const struct apmu_pe *pe, uint32_t event, uint64_t times, uint64_t each,
                struct apmu_out *out)
{
    const bool exact = each <= 1 || (times | each) >> 32 == 0; /* the product */
    const bool retires = event == APMU_EVENT_INST_RETIRED && apmu_has(p, APMU_FEAT(PMUv3_ICNTR));
    const unsigned fixed = event == APMU_CLOCK ? APMU_CYCLE : retires ? APMU_INSTR : APMU_COUNTERS;

    if (exact && add_plainly(p, pe, event & 0xFFFF, times * each, fixed)) {
        apmu_report(p, pe, 0, out);
    } else {
        apmu_count(p, pe, event, times, each, out);
    }
}
