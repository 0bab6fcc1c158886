/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events and cycles in the common case.  No counter that takes part overflows; none has a threshold, a filter by
 * Streaming SVE mode, or synchronous mode; and PMCR_EL0.D does not divide.  Then a batch is an addition to each counter
 * that counts.  count.c handles all other cases.
 */

#include "internal.h"

/* The fields of PMEVTYPER<n>_EL0 that are 0 in the common case. */
#define UNCOMMON \
    (APMU_MASK(PMEVTYPER_EL0, TC) | APMU_MASK(PMEVTYPER_EL0, TE) | APMU_MASK(PMEVTYPER_EL0, TLC) | \
     APMU_MASK(PMEVTYPER_EL0, TH) | APMU_MASK(PMEVTYPER_EL0, VS) | APMU_MASK(PMEVTYPER_EL0, SYNC))

#define BIT(n) (UINT64_C(1) << (n))
#define EVENT_COUNTERS (BIT(APMU_EVENT_COUNTERS) - 1)
#define HIGH_HALF APMU_BITS(63, 32)

/*
 * Returns the filter that holds, if nothing else stops the first range, the cycle counter and the instruction counter:
 * they are enabled and cannot be frozen, and the PE is where counting is not prohibited.  Returns NULL if that is not
 * certain.
 */
static APMU_FOLDED const struct apmu_filter *filter_if_running(const struct apmu *p, const struct apmu_pe *pe)
{
    const uint64_t running = APMU_MASK(PMCR_EL0, E) | APMU_MASK(PMCR_EL0, FZO) | APMU_MASK(PMCR_EL0, FZS);

    if ((p->pmcr & running) != APMU_MASK(PMCR_EL0, E) || pe->el > 1 || pe->halted) {
        return NULL;
    }
    if (!apmu_have_el(&p->cfg, 3)) {
        return &apmu_filters[pe->el][APMU_SS_SECURE]; /* as apmu_filter_of() */
    }
    if (APMU_GET(SCR_EL3, NS, pe->scr_el3) == 0) {
        return NULL;
    }
    const bool realm = APMU_GET(SCR_EL3, NSE, pe->scr_el3) != 0 && apmu_has(p, APMU_FEAT(RME));
    return &apmu_filters[pe->el][realm ? APMU_SS_REALM : APMU_SS_NONSECURE];
}

/*
 * Returns true if @old + @by may be an overflow: if it carries out of all 64 bits, or changes the bits @narrow above
 * the counter's width.
 */
static inline bool may_overflow(uint64_t old, uint64_t by, uint64_t narrow)
{
    return old + by < old || (((old + by) ^ old) & narrow) != 0;
}

/*
 * Undoes add_to_events() for the counters of @set below @n: subtracts @by from those whose type has one of the values
 * @plain in @bits.
 */
static APMU_COLD void take_back(struct apmu *p, uint32_t set, uint64_t bits, const uint64_t *plain, unsigned n,
                                uint64_t by)
{
    while (n-- > 0) {
        const uint64_t typer = p->typer[n] & bits;
        if (apmu_bit(set, n) && (typer == plain[0] || typer == plain[1])) {
            p->cntr[n] -= by;
        }
    }
}

/*
 * Adds @by to each event counter of @set that counts @event.  Returns false, with nothing changed, if a counter does
 * not fit the common case.
 */
static inline bool add_to_events(struct apmu *p, uint32_t set, uint64_t event, uint64_t by,
                                 const struct apmu_filter *filter, uint64_t narrow)
{
    const uint64_t event_bits = apmu_event_bits(p), bits = event_bits | UNCOMMON | filter->bits;
    const uint64_t plain[] = {event | filter->pass[0], event | filter->pass[1]};
    unsigned n = 0;

    for (uint32_t rest = set; rest != 0; rest >>= 1, n++) {
        const uint64_t typer = p->typer[n] & bits;
        if ((rest & 1) == 0) {
            continue;
        }
        if (typer != plain[0] && typer != plain[1]) {
            if ((typer & UNCOMMON) == 0 || (typer & event_bits) != event) {
                continue;
            }
        } else if (!may_overflow(p->cntr[n], by, narrow)) {
            p->cntr[n] += by;
            continue;
        }
        take_back(p, set, bits, plain, n, by);
        return false;
    }
    return true;
}

/* Returns true if @fixed, the cycle or the instruction counter, fits the common case.  It is known to count. */
static inline bool fixed_is_plain(const struct apmu *p, unsigned fixed, uint64_t by)
{
    const bool wide = fixed == APMU_INSTR || APMU_GET(PMCR_EL0, LC, p->pmcr) != 0;
    const uint64_t narrow = wide ? ~p->derived.counter[fixed - APMU_CYCLE + 1] : HIGH_HALF;

    return (p->typer[fixed] & UNCOMMON) == 0 && !may_overflow(p->cntr[fixed], by, narrow) &&
           (wide || APMU_GET(PMCR_EL0, D, p->pmcr) == 0);
}

/* Returns the event counters that may count @event; 0 if none has that type. */
static inline uint64_t event_counters(const struct apmu *p, uint64_t event)
{
    return apmu_bit(p->derived.events, event % 64) ? p->cnten & (BIT(p->cfg.counters) - 1) : 0;
}

/*
 * Finds the filter that holds, and takes the counters out of *@set that something else stops.  *@narrow becomes the
 * bits of an event counter above its overflow width.
 */
static APMU_FOLDED const struct apmu_filter *find_filter(const struct apmu *p, const struct apmu_pe *pe, uint64_t *set,
                                                         uint64_t *narrow)
{
    const struct apmu_filter *filter = filter_if_running(p, pe);

    *narrow = APMU_GET(PMCR_EL0, LP, p->pmcr) != 0 ? ~p->derived.counter[0] : HIGH_HALF;
    if (filter == NULL || (*set & EVENT_COUNTERS) >> apmu_second_range(p, pe) != 0) {
        *set = apmu_unstopped(p, pe, *set);
        filter = apmu_filter_of(p, pe);
        *narrow = APMU_GET(MDCR_EL2, HLP, pe->mdcr_el2) != 0 ? *narrow : HIGH_HALF;
    }
    return filter;
}

/*
 * Counts @by occurrences of @event, and adds @by to @fixed: the cycle counter, the instruction counter, or
 * APMU_COUNTERS for neither.  Returns false, with nothing changed, if this is not the common case.
 */
static inline bool add_plainly(struct apmu *p, const struct apmu_pe *pe, uint64_t event, uint64_t by, unsigned fixed)
{
    uint64_t set = event_counters(p, event) | (fixed < APMU_COUNTERS ? p->cnten & BIT(fixed) : 0);

    if ((p->ovs & p->inten & set) != 0 && apmu_has(p, APMU_FEAT(SEBEP)) &&
        (fixed == APMU_INSTR || p->cfg.sync_event_count != 0)) {
        return false; /* SyncCounterOverflowed may change */
    }
    uint64_t narrow;
    const struct apmu_filter *filter = find_filter(p, pe, &set, &narrow);
    const bool with_fixed = fixed < APMU_COUNTERS && apmu_bit(set, fixed) && apmu_passes(filter, p->typer[fixed]);
    if ((with_fixed && !fixed_is_plain(p, fixed, by)) ||
        !add_to_events(p, (uint32_t)(set & EVENT_COUNTERS), event, by, filter, narrow)) {
        return false;
    }
    if (with_fixed) {
        p->cntr[fixed] += by;
    }
    return true;
}

static void batch(struct apmu *p, const struct apmu_pe *pe, uint32_t event, uint64_t times, uint64_t each,
                  struct apmu_out *out)
{
    const bool exact = each <= 1 || (times | each) >> 32 == 0; /* times * each does not wrap */
    const bool retires = event == APMU_EV_INST_RETIRED && apmu_has(p, APMU_FEAT(PMUv3_ICNTR));
    const unsigned fixed = event == APMU_CLOCK ? APMU_CYCLE : retires ? APMU_INSTR : APMU_COUNTERS;

    if (exact && add_plainly(p, pe, event & 0xFFFF, times * each, fixed)) {
        apmu_report(p, pe, 0, out);
    } else {
        apmu_count(p, pe, event, times, each, out);
    }
}

void apmu_event(struct apmu *p, const struct apmu_pe *pe, uint16_t event, uint64_t times, uint64_t each,
                struct apmu_out *out)
{
    if (event_counters(p, event) == 0 && event != APMU_EV_INST_RETIRED) {
        apmu_report(p, pe, 0, out);
    } else {
        batch(p, pe, event, times, each, out);
    }
}

/* In most calls only the cycle counter counts cycles. */
void apmu_cycles(struct apmu *p, const struct apmu_pe *pe, uint64_t n, struct apmu_out *out)
{
    const struct apmu_filter *filter = filter_if_running(p, pe);

    if (filter == NULL || event_counters(p, APMU_EV_CPU_CYCLES) != 0 || !fixed_is_plain(p, APMU_CYCLE, n)) {
        batch(p, pe, APMU_CLOCK, n, 1, out);
        return;
    }
    p->cntr[APMU_CYCLE] += apmu_bit(p->cnten, APMU_CYCLE) && apmu_passes(filter, p->typer[APMU_CYCLE]) ? n : 0;
    apmu_report(p, pe, 0, out);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Whole cycles.
 */

/* Returns how often @event occurs in a cycle in which the @count events @ev occur, and CPU_CYCLES once. */
static inline uint64_t occurrences(uint64_t event, const struct apmu_occurrence *ev, size_t count)
{
    uint64_t sum = event == APMU_EV_CPU_CYCLES ? 1 : 0;

    for (size_t i = 0; i < count; i++) {
        sum += ev[i].event == event ? ev[i].count : 0;
    }
    return sum;
}

/* Returns whether @n times @each does not wrap. */
static inline bool product_fits(uint64_t n, uint64_t each)
{
    return n <= 1 || (n | each) >> 32 == 0;
}

/*
 * Finds what each event counter of @set adds in @n cycles, and takes those that do not count out of *@set.  Returns
 * false if a counter does not fit the common case.
 */
static inline bool plan_events(const struct apmu *p, uint32_t *set, const struct apmu_filter *filter, uint64_t narrow,
                               uint64_t n, const struct apmu_occurrence *ev, size_t count, uint64_t *by)
{
    const uint64_t event_bits = apmu_event_bits(p);
    unsigned k = 0;

    for (uint32_t rest = *set; rest != 0; rest >>= 1, k++) {
        const uint64_t typer = p->typer[k];
        if ((rest & 1) == 0) {
            continue;
        }
        if (!apmu_passes(filter, typer)) {
            *set &= ~(UINT32_C(1) << k);
            continue;
        }
        const uint64_t each = occurrences(typer & event_bits, ev, count);
        by[k] = n * each;
        if ((typer & UNCOMMON) != 0 || !product_fits(n, each) || may_overflow(p->cntr[k], by[k], narrow)) {
            return false;
        }
    }
    return true;
}

/*
 * Lets @n cycles pass, in each of which the @count events @ev occur.  Returns false, with nothing changed, if this is
 * not the common case.
 */
static bool step_plainly(struct apmu *p, const struct apmu_pe *pe, uint64_t n, const struct apmu_occurrence *ev,
                         size_t count)
{
    const uint64_t retired = apmu_has(p, APMU_FEAT(PMUv3_ICNTR)) ? occurrences(APMU_EV_INST_RETIRED, ev, count) : 0;
    uint64_t by[APMU_EVENT_COUNTERS], narrow;
    uint64_t set = p->cnten & ((BIT(p->cfg.counters) - 1) | BIT(APMU_CYCLE) | (retired != 0 ? BIT(APMU_INSTR) : 0));

    if ((p->ovs & p->inten & set) != 0 && apmu_has(p, APMU_FEAT(SEBEP)) &&
        (retired != 0 || p->cfg.sync_event_count != 0)) {
        return false; /* SyncCounterOverflowed may change */
    }
    const struct apmu_filter *filter = find_filter(p, pe, &set, &narrow);
    const bool cycle = apmu_bit(set, APMU_CYCLE) && apmu_passes(filter, p->typer[APMU_CYCLE]);
    const bool instr = apmu_bit(set, APMU_INSTR) && apmu_passes(filter, p->typer[APMU_INSTR]);
    uint32_t events = (uint32_t)(set & EVENT_COUNTERS);
    if ((cycle && !fixed_is_plain(p, APMU_CYCLE, n)) ||
        (instr && (!product_fits(n, retired) || !fixed_is_plain(p, APMU_INSTR, n * retired))) ||
        !plan_events(p, &events, filter, narrow, n, ev, count, by)) {
        return false;
    }
    p->cntr[APMU_CYCLE] += cycle ? n : 0;
    p->cntr[APMU_INSTR] += instr ? n * retired : 0;
    for (unsigned k = 0; events != 0; events >>= 1, k++) {
        p->cntr[k] += (events & 1) != 0 ? by[k] : 0;
    }
    return true;
}

void apmu_step(struct apmu *p, const struct apmu_pe *pe, uint64_t n, const struct apmu_occurrence *ev, size_t count,
               struct apmu_out *out)
{
    if (step_plainly(p, pe, n, ev, count)) {
        apmu_report(p, pe, 0, out);
    } else {
        apmu_count_cycles(p, pe, n, ev, count, out);
    }
}
