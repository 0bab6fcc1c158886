/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events and cycles.
 *
 * one_cycle() is PMUCycle() of the pseudocode, in its order: accumulate, decide, threshold, add, overflow, chain.  It
 * is the definition; the rest of this file computes the result of many equal cycles at once.  After one cycle, the next
 * ones are quiet: they change only counter values, until a flag of PMOVS changes.  So advance() takes one cycle, leaps
 * over the quiet cycles, and repeats.  Nearly every call needs two rounds at most.
 */

#include "internal.h"

#define NEVER UINT64_MAX

/* The events of one cycle, or of each of several equal cycles. */
struct cycle {
    uint64_t vb[APMU_EVENT_COUNTERS]; /* how often the event of counter n occurs */
    uint32_t members;                 /* event counters for which the cycle passes */
    uint64_t instr;                   /* what the instruction counter adds */
    bool clock;                       /* the cycle counter takes part */
};

static bool is_member(const struct cycle *c, unsigned n)
{
    return apmu_bit(c->members, n);
}

/*
 * D13.8 defines V[n-1] for a linked counter n (TLC), and a counter that does not count has no increment.  The
 * pseudocode of PMUCycle() would use the left-over value of counter n-2 instead, because it resets the value only for
 * counters that count.  This model takes that as an oversight; no vector file covers it.
 */
static uint64_t prose_differs_stopped_counter_links_zero(void)
{
    return 0;
}

/*
 * PMUCycle().  RMZPBW, ITLHSZ: it is CONSTRAINED UNPREDICTABLE whether an event counts in the cycle of the overflow
 * that freezes its counter.  Here, as in the pseudocode, each counter is decided in turn: those above the one that
 * overflowed are frozen.
 */
static uint64_t one_cycle(struct apmu *p, const struct apmu_pe *pe, const struct cycle *c)
{
    uint64_t overflowed = 0;
    uint64_t vm = 0; /* the increment of the counter below */
    bool chain = false;

    if (c->instr != 0 && apmu_counts(p, pe, APMU_INSTR)) {
        overflowed |= apmu_increment_instr(p, pe, c->instr);
    }
    for (unsigned n = 0; n < p->cfg.counters; n++) {
        const uint64_t vb = (is_member(c, n) ? c->vb[n] : 0) + (chain ? 1 : 0);
        const bool takes_part = is_member(c, n) || chain;

        chain = false;
        if (!takes_part || !apmu_counts(p, pe, n)) {
            vm = prose_differs_stopped_counter_links_zero();
            continue;
        }
        vm = apmu_count_value(p, n, vb, vm);
        overflowed |= apmu_increment_event(p, pe, n, vm, &chain);
    }
    if (c->clock && apmu_counts(p, pe, APMU_CYCLE)) {
        overflowed |= apmu_increment_cycle(p, pe);
    }
    return overflowed;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Leaping.
 */

/* Divides by shift and subtract, because Armv7 has no 64-bit division without a library. */
uint64_t apmu_divide(uint64_t a, uint64_t b)
{
    uint64_t quotient = 0, rest = 0;

    if (b == 1) { /* the increment of most counters */
        return a;
    }
    for (unsigned i = 64; i-- > 0;) {
        rest = rest << 1 | (a >> i & 1);
        if (rest >= b) {
            rest -= b;
            quotient |= UINT64_C(1) << i;
        }
    }
    return quotient;
}

/* Returns how many increments by @v do not carry out of the low @width bits of @value. */
static uint64_t until_carry(uint64_t value, uint64_t v, unsigned width)
{
    return v == 0 ? NEVER : apmu_divide(apmu_ones(width) - (value & apmu_ones(width)), v);
}

/* Returns how often @k increments by @v carry out of the low 32 bits of @value; k * v is below 2^64 - 2^32. */
static uint64_t carries32(uint64_t value, uint64_t v, uint64_t k)
{
    return ((value & apmu_ones(32)) + k * v) >> 32;
}

/* The behaviour of one counter in each quiet cycle. */
struct rate {
    bool counts;
    bool steady;  /* the next cycle adds as much as all cycles after it */
    uint64_t v;   /* the increment */
    bool chains;  /* its overflow is a CHAIN event of the counter above */
    unsigned width;
};

static void rates(const struct apmu *p, const struct apmu_pe *pe, const struct cycle *c, struct rate *r)
{
    uint64_t vm = 0;

    for (unsigned n = 0; n < p->cfg.counters; n++) {
        r[n] = (struct rate){.steady = true, .counts = apmu_counts(p, pe, n)};
        if (!r[n].counts) {
            vm = prose_differs_stopped_counter_links_zero();
            continue;
        }
        r[n].width = apmu_overflow_width(p, pe, n);
        r[n].chains = apmu_chains_into(p, pe, n);
        if (!is_member(c, n)) {
            vm = prose_differs_stopped_counter_links_zero();
            continue;
        }
        const struct apmu_threshold t = apmu_threshold(p, n, c->vb[n], vm);
        r[n].v = vm = t.value;
        r[n].steady = t.condition == apmu_bit(p->last_threshold, n);
    }
}

/* The changes that end a leap. */
enum horizon {
    FLAGS,    /* a change of a flag of PMOVS */
    OVERFLOW, /* any overflow */
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns how many cycles may pass before counter @n, or through CHAIN counter n+1, reaches the horizon. */
static uint64_t counter_quiet(const struct apmu *p, const struct rate *r, unsigned n, enum horizon h)
{
    const bool pending = !apmu_bit(p->ovs, n) || h == OVERFLOW;
    uint64_t quiet = NEVER;

    if (pending) {
        quiet = until_carry(p->cntr[n], r[n].v, r[n].width);
    }
    if (h == OVERFLOW || r[n].v == 0 || !r[n].chains || !r[n + 1].counts) {
        return quiet; /* its own overflow comes before any CHAIN */
    }
    if (apmu_threshold_active(p, n + 1) || r[n + 1].v != 0 || r[n].v >> 32 != 0) {
        return until_carry(p->cntr[n], r[n].v, 32); /* CHAIN does not add a plain 1: one_cycle() takes it */
    }
    /* carries32() is exact while k * v is below 2^63; a longer leap takes another round of the loop. */
    quiet = smaller(quiet, apmu_divide(UINT64_C(1) << 63, r[n].v));
    if (!apmu_bit(p->ovs, n + 1)) {
        const uint64_t left = until_carry(p->cntr[n + 1], 1, r[n + 1].width); /* CHAIN events without overflow */
        if (left < UINT64_C(1) << 31) { /* otherwise the bound 2^63 is lower */
            const uint64_t room = ((left + 1) << 32) - 1 - (p->cntr[n] & apmu_ones(32));
            quiet = smaller(quiet, apmu_divide(room, r[n].v));
        }
    }
    return quiet;
}

static uint64_t cycle_quiet(const struct apmu *p, const struct apmu_pe *pe, enum horizon h)
{
    if (!apmu_counts(p, pe, APMU_CYCLE) || (apmu_bit(p->ovs, APMU_CYCLE) && h == FLAGS)) {
        return NEVER;
    }
    const uint64_t ticks = until_carry(p->cntr[APMU_CYCLE], 1, apmu_overflow_width(p, pe, APMU_CYCLE));
    if (!apmu_cycle_divides(p, pe)) {
        return ticks;
    }
    return ticks >> 58 != 0 ? NEVER : (ticks << 6) + (63 - p->divider);
}

static uint64_t instr_quiet(const struct apmu *p, const struct apmu_pe *pe, uint64_t by, enum horizon h)
{
    if (!apmu_counts(p, pe, APMU_INSTR) || (apmu_bit(p->ovs, APMU_INSTR) && h == FLAGS)) {
        return NEVER;
    }
    return until_carry(p->cntr[APMU_INSTR], by, 64);
}

/* Returns how many of the next cycles @c change only counter values; 0 if the next cycle is not steady yet. */
static uint64_t quiet_cycles(const struct apmu *p, const struct apmu_pe *pe, const struct cycle *c,
                             const struct rate *r, enum horizon h)
{
    uint64_t quiet = NEVER;

    for (unsigned n = 0; n < p->cfg.counters; n++) {
        if (!r[n].steady) {
            return 0;
        }
        quiet = smaller(quiet, counter_quiet(p, r, n, h));
    }
    if (c->clock) {
        quiet = smaller(quiet, cycle_quiet(p, pe, h));
    }
    if (c->instr != 0) {
        quiet = smaller(quiet, instr_quiet(p, pe, c->instr, h));
    }
    return quiet;
}

/* Adds @k times @v to counter @n.  Returns its bit if its low @width bits carried at least once, else 0. */
static uint64_t leap_add(struct apmu *p, unsigned n, uint64_t k, uint64_t v, unsigned width)
{
    const bool carried = k > until_carry(p->cntr[n], v, width);

    p->cntr[n] += k * v;
    p->cntr[n] &= apmu_ones(apmu_counter_width(p, n));
    const uint64_t overflowed = carried ? apmu_overflow(p, n) : 0;
    if (k != 0 && v != 0) {
        apmu_note_synchronous(p, n);
    }
    return overflowed;
}

/* Lets @k quiet cycles pass.  Returns the counters that overflow. */
static uint64_t leap(struct apmu *p, const struct apmu_pe *pe, const struct cycle *c, const struct rate *r, uint64_t k)
{
    uint64_t overflowed = 0;

    for (unsigned n = 0; n < p->cfg.counters; n++) {
        if (r[n].v == 0) {
            continue;
        }
        if (r[n].chains && r[n + 1].counts) {
            overflowed |= leap_add(p, n + 1, carries32(p->cntr[n], r[n].v, k), 1, r[n + 1].width);
        }
        overflowed |= leap_add(p, n, k, r[n].v, r[n].width);
    }
    if (c->instr != 0 && apmu_counts(p, pe, APMU_INSTR)) {
        overflowed |= leap_add(p, APMU_INSTR, k, c->instr, 64);
    }
    if (c->clock && apmu_counts(p, pe, APMU_CYCLE)) {
        uint64_t ticks = k;
        if (apmu_cycle_divides(p, pe)) {
            const unsigned phase = (unsigned)(p->divider + (k & 63));
            ticks = (k >> 6) + (phase >> 6);
            p->divider = (uint8_t)(phase & 63);
        }
        overflowed |= leap_add(p, APMU_CYCLE, ticks, 1, apmu_overflow_width(p, pe, APMU_CYCLE));
    }
    return overflowed;
}

static void advance(struct apmu *p, const struct apmu_pe *pe, const struct cycle *c, uint64_t times,
                    struct apmu_out *out)
{
    uint64_t overflowed = 0;

    while (times != 0) {
        overflowed |= one_cycle(p, pe, c);
        times--;
        if (times != 0) {
            struct rate r[APMU_EVENT_COUNTERS];
            rates(p, pe, c, r);
            const uint64_t k = smaller(times, quiet_cycles(p, pe, c, r, FLAGS));
            overflowed |= leap(p, pe, c, r, k);
            times -= k;
        }
    }
    apmu_report(p, pe, overflowed, out);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The public functions.
 */

static uint32_t members_of(const struct apmu *p, uint16_t event)
{
    uint32_t members = 0;

    for (unsigned n = 0; n < p->cfg.counters; n++) {
        members |= (uint32_t)(apmu_typer_event(p, n) == event) << n;
    }
    return members;
}

static struct cycle cycle_of_event(const struct apmu *p, uint16_t event, uint64_t each)
{
    struct cycle c = {.members = members_of(p, event), .instr = event == APMU_EV_INST_RETIRED ? each : 0};

    for (unsigned n = 0; n < p->cfg.counters; n++) {
        c.vb[n] = is_member(&c, n) ? each : 0;
    }
    return c;
}

static struct cycle cycle_of_clock(const struct apmu *p)
{
    struct cycle c = cycle_of_event(p, APMU_EV_CPU_CYCLES, 1);

    c.clock = true;
    return c;
}

void apmu_count(struct apmu *p, const struct apmu_pe *pe, uint32_t event, uint64_t times, uint64_t each,
                struct apmu_out *out)
{
    const struct cycle c = event == APMU_CLOCK ? cycle_of_clock(p) : cycle_of_event(p, (uint16_t)event, each);

    advance(p, pe, &c, times, out);
}

void apmu_count_cycles(struct apmu *p, const struct apmu_pe *pe, uint64_t n, const struct apmu_occurrence *ev,
                       size_t count, struct apmu_out *out)
{
    struct cycle c = cycle_of_clock(p);

    for (size_t i = 0; i < count; i++) {
        const struct cycle one = cycle_of_event(p, ev[i].event, ev[i].count);
        for (unsigned k = 0; k < p->cfg.counters; k++) {
            c.vb[k] += one.vb[k];
        }
        c.instr += one.instr;
    }
    c.members = (uint32_t)apmu_ones(p->cfg.counters);
    advance(p, pe, &c, n, out);
}

void apmu_sw_increment(struct apmu *p, const struct apmu_pe *pe, uint64_t mask, struct apmu_out *out)
{
    struct cycle c = cycle_of_event(p, APMU_EV_SW_INCR, 1);

    c.members &= (uint32_t)mask;
    advance(p, pe, &c, 1, out);
}

uint64_t apmu_until(const struct apmu *p, const struct apmu_pe *pe, uint16_t event, uint64_t each)
{
    const struct cycle c = event == APMU_EV_CPU_CYCLES ? cycle_of_clock(p) : cycle_of_event(p, event, each);
    struct apmu ahead = *p;
    uint64_t until = 0;

    /* A threshold may need a cycle or two until it is steady; then quiet_cycles() gives the answer. */
    while (until < 4) {
        struct rate r[APMU_EVENT_COUNTERS];
        rates(&ahead, pe, &c, r);
        const uint64_t quiet = quiet_cycles(&ahead, pe, &c, r, OVERFLOW);
        if (quiet != 0) {
            return quiet > NEVER - until ? NEVER : until + quiet;
        }
        if (one_cycle(&ahead, pe, &c) != 0) {
            break;
        }
        until++;
    }
    return until;
}

/* Returns how often the event of counter @n may occur, in as many cycles at most, before the counter overflows. */
static uint64_t counter_until(const struct apmu *p, const struct apmu_pe *pe, unsigned n)
{
    const bool threshold = n < APMU_CYCLE && apmu_threshold_active(p, n);

    if (!apmu_counts(p, pe, n)) {
        return NEVER;
    }
    if (n == APMU_CYCLE) {
        return cycle_quiet(p, pe, OVERFLOW);
    }
    if (n < APMU_CYCLE && apmu_typer_event(p, n) == APMU_EV_CHAIN && !threshold) {
        return NEVER; /* the counter below overflows first */
    }
    /* With a threshold a counter may add 1 in each cycle, and what the counter below it adds. */
    return until_carry(p->cntr[n], 1, apmu_overflow_width(p, pe, n)) >> (threshold ? 1 : 0);
}

uint64_t apmu_until_all(const struct apmu *p, const struct apmu_pe *pe)
{
    uint64_t until = NEVER;

    for (unsigned n = 0; n < p->cfg.counters; n++) {
        until = smaller(until, counter_until(p, pe, n));
    }
    return smaller(until, smaller(counter_until(p, pe, APMU_CYCLE), counter_until(p, pe, APMU_INSTR)));
}
