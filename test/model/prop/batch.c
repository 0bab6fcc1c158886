/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that a batch equals its steps for every split, with freeze, CHAIN, thresholds, edges and the divider in use,
 * and that until() is exact.
 */

#include "../../../lib/model/internal.h"
#include "any.h"

enum batch_call { EVENT, CYCLES, STEP, CALLS };

struct batch_action {
    enum batch_call call;
    uint16_t event;
    uint64_t each;
    struct apmu_occurrence ev[2];
};

static void act(struct apmu *p, const struct apmu_pe *pe, const struct batch_action *a, uint64_t times,
                struct apmu_out *out)
{
    switch (a->call) {
    case EVENT:
        apmu_event(p, pe, a->event, times, a->each, out);
        break;
    case CYCLES:
        apmu_cycles(p, pe, times, out);
        break;
    default:
        apmu_step(p, pe, times, a->ev, 2, out);
        break;
    }
}

static uint64_t pick_each(struct choices *c)
{
    return pick(c, 3) != 0 ? pick(c, 3) : pick(c, 2) != 0 ? pick(c, 34) : pick(c, 64);
}

static struct batch_action any_action(struct choices *c)
{
    struct batch_action a = {
        .call = (enum batch_call)pick_of(c, CALLS), .event = any_events[pick(c, 2)], .each = pick_each(c)};

    a.ev[0] = (struct apmu_occurrence){0x0008, pick_each(c)};
    a.ev[1] = (struct apmu_occurrence){0x0024, pick_each(c)};
    return a;
}

static bool differ(const struct apmu *a, const struct apmu *b, const struct apmu_out *oa, const struct apmu_out *ob,
                   const char *what, const struct batch_action *act, uint64_t times)
{
    if (memcmp(a, b, sizeof *a) == 0 && oa->overflowed == ob->overflowed && oa->pmuirq == ob->pmuirq) {
        return false;
    }
    snprintf(any_message, sizeof any_message, "%s, call %d, event 0x%x, each %llu, times %llu: flags %llx and %llx",
             what, (int)act->call, act->event, (unsigned long long)act->each, (unsigned long long)times,
             (unsigned long long)a->ovs, (unsigned long long)b->ovs);
    return true;
}

/*
 * Makes a unit in which most counters count: a few counters, all enabled and close to overflow, in two ranges at EL1 or
 * EL0, many with CHAIN, thresholds, and links to the counter below.  Half of the states come from here, because in
 * nearly all states of any_unit() nearly all counters are stopped.
 */
static void any_busy(struct choices *c, struct apmu *p, struct apmu_pe *pe)
{
    any_unit(c, p);
    any_engine_pe(c, &p->cfg, pe);
    p->cfg.counters = (uint8_t)(1 + pick_of(c, 6));
    p->cnten = UINT64_C(0x1FFFFFFFF);
    p->pmcr |= APMU_MASK(PMCR_EL0, E);
    p->pmcr &= pick(c, 2) != 0 ? ~APMU_MASK(PMCR_EL0, FZS) : ~UINT64_C(0);
    p->ccr = APMU_PUT(PMCCR, EPMN, p->cfg.counters);
    pe->el &= 1;
    pe->halted = pe->unattributable = false;
    pe->scr_el3 |= APMU_MASK(SCR_EL3, NS);
    pe->mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, pick_of(c, p->cfg.counters + 1u)) | APMU_MASK(MDCR_EL2, HPME) |
                   (pe->mdcr_el2 & (APMU_MASK(MDCR_EL2, HLP) | APMU_MASK(MDCR_EL2, HPMFZO)));
    for (unsigned n = 0; n < p->cfg.counters; n++) {
        const uint64_t threshold = pick(c, 1) != 0 ? 0 : APMU_PUT(PMEVTYPER_EL0, TC, pick(c, 3)) |
                                                         APMU_PUT(PMEVTYPER_EL0, TE, pick(c, 1)) |
                                                         APMU_PUT(PMEVTYPER_EL0, TLC, pick(c, 2)) |
                                                         APMU_PUT(PMEVTYPER_EL0, TH, pick(c, 2));
        p->typer[n] = threshold | (n % 2 == 1 && pick_bool(c) ? APMU_EV_CHAIN : any_events[pick(c, 2)]);
        p->cntr[n] = (p->cntr[n] & ~UINT64_C(0xFFFFFFFF)) | (pick_bool(c) ? UINT32_MAX - pick(c, 4) : pick(c, 32));
    }
    p->typer[APMU_CYCLE] = p->typer[APMU_INSTR] = 0;
    apmu_settle(p);
}

static void any_start(struct choices *c, struct apmu *p, struct apmu_pe *pe)
{
    if (pick_bool(c)) {
        any_busy(c, p, pe);
    } else {
        any_unit(c, p);
        any_engine_pe(c, &p->cfg, pe);
    }
}

static bool steps_differ(const struct apmu *start, const struct apmu_pe *pe, const struct batch_action *a,
                         uint64_t times, uint64_t first)
{
    struct apmu batch, split, steps;
    struct apmu_out ob, os = {0}, o2;

    memcpy(&batch, start, sizeof batch);
    memcpy(&split, start, sizeof split);
    memcpy(&steps, start, sizeof steps);
    act(&batch, pe, a, times, &ob);
    for (uint64_t i = 0; i < times; i++) {
        struct apmu_out o;
        act(&steps, pe, a, 1, &o);
        os.overflowed |= o.overflowed;
        os.pmuirq = o.pmuirq;
    }
    act(&split, pe, a, first, &o2);
    const uint64_t before = o2.overflowed;
    act(&split, pe, a, times - first, &o2);
    o2.overflowed |= before;
    return differ(&batch, &steps, &ob, &os, "a batch and its steps", a, times) ||
           differ(&batch, &split, &ob, &o2, "a batch and its halves", a, times);
}

static bool batch_differs(struct choices *c)
{
    struct apmu start;
    struct apmu_pe pe;

    any_start(c, &start, &pe);
    const struct batch_action a = any_action(c);
    const uint64_t times = 1 + pick(c, 7);
    return steps_differ(&start, &pe, &a, times, pick(c, 7) % times);
}

/*
 * Uses increments so large that a CHAIN event occurs every few cycles.  The chained counter may be in another range,
 * and freeze it, or have its flag set, and may have a threshold or synchronous mode of its own.
 */
static bool chained_batch_differs(struct choices *c)
{
    struct apmu start;
    struct apmu_pe pe;

    any_busy(c, &start, &pe);
    start.cfg.counters = (uint8_t)(2 + pick_of(c, 3));
    start.ccr = APMU_PUT(PMCCR, EPMN, start.cfg.counters);
    if (pick(c, 2) != 0) { /* two ranges, of which the second freezes */
        start.cfg.features |= APMU_FEAT(AA64) | APMU_FEAT(AA64EL2) | APMU_FEAT(PMUv3p5) | APMU_FEAT(PMUv3p7);
        start.cfg.features &= ~APMU_FEAT(EBEP);
        start.cfg.chain_crosses_ranges = true;
        start.pmcr &= ~(APMU_MASK(PMCR_EL0, LP) | APMU_MASK(PMCR_EL0, FZO));
        pe.mdcr_el2 |= APMU_MASK(MDCR_EL2, HPMFZO);
    }
    pe.mdcr_el2 = (pe.mdcr_el2 & ~APMU_MASK(MDCR_EL2, HPMN)) | APMU_PUT(MDCR_EL2, HPMN, pick(c, 1) + 1);
    pe.pmblimitr_el1 = 0;
    start.ovs = pick_bool(c) ? 1 : pick(c, 3);
    start.typer[1] = (start.typer[1] & ~UINT64_C(0xFFFF)) | APMU_EV_CHAIN;
    start.typer[0] = start.typer[2] = 0x0024;
    start.typer[0] |= APMU_PUT(PMEVTYPER_EL0, SYNC, pick(c, 1));
    apmu_settle(&start);
    const struct batch_action a = {
        .call = EVENT, .event = 0x0024, .each = (UINT64_C(1) << (28 + pick(c, 3))) + pick(c, 29)};
    const uint64_t times = 1 + pick(c, 6);
    return steps_differ(&start, &pe, &a, times, pick(c, 6) % times);
}

/* Does @times of action @a as the definition says, in an event call with @each. */
static void act_by_definition(struct apmu *p, const struct apmu_pe *pe, const struct batch_action *a, uint64_t times,
                              uint64_t each, struct apmu_out *out)
{
    if (a->call == STEP) {
        apmu_count_cycles(p, pe, times, a->ev, 2, out);
    } else {
        apmu_count(p, pe, a->call == EVENT ? a->event : APMU_CLOCK, times, each, out);
    }
}

/* Checks that the fast paths, apmu_event(), apmu_cycles() and apmu_step(), do what the definition does. */
static bool short_way_differs(struct choices *c)
{
    struct apmu by_batch, by_definition;
    struct apmu_pe pe;
    struct apmu_out ob, od;

    any_start(c, &by_batch, &pe);
    if (pick_bool(c)) { /* states that note synchronous events, and filters of the cycle and instruction counters */
        by_batch.ovs = pick(c, 33);
        by_batch.typer[APMU_CYCLE] = pick(c, 16) << 16;
        by_batch.typer[APMU_INSTR] = pick(c, 16) << 16;
        apmu_settle(&by_batch);
    }
    pe.ppend = pick_bool(c);
    struct batch_action a = any_action(c);
    const bool many = pick(c, 3) == 0;
    const uint64_t times = pick(c, many ? 31 : 7);
    if (many) {
        a.each &= 0xFF;
        a.ev[0].count &= 0xFF;
        a.ev[1].count &= 0xFF;
    }
    a.ev[1].event = any_events[pick(c, 2)]; /* also CPU_CYCLES, CHAIN, and the event of a.ev[0] */

    memset(&ob, 0xA5, sizeof ob);
    memset(&od, 0xA5, sizeof od);
    memcpy(&by_definition, &by_batch, sizeof by_batch);
    act(&by_batch, &pe, &a, times, &ob);
    act_by_definition(&by_definition, &pe, &a, times, a.each, &od);
    if (memcmp(&ob, &od, sizeof ob) != 0) {
        snprintf(any_message, sizeof any_message, "call %d, event 0x%x, each %llu, times %llu: the answers differ",
                 (int)a.call, a.event, (unsigned long long)a.each, (unsigned long long)times);
        return true;
    }
    return differ(&by_batch, &by_definition, &ob, &od, "the short way and the definition", &a, times);
}

/* Checks batches that are too long for single steps: their two halves must give the same. */
static bool leap_differs(struct choices *c)
{
    struct apmu whole, halves;
    struct apmu_pe pe;
    struct apmu_out ow, o1, o2;

    any_start(c, &whole, &pe);
    struct batch_action a = any_action(c);
    a.each &= 0xFF;
    a.ev[0].count &= 0xFF;
    a.ev[1].count &= 0xFF;
    const uint64_t times = pick(c, 20 + pick_of(c, 20));
    const uint64_t first = pick(c, 40) % (times + 1);

    memcpy(&halves, &whole, sizeof whole);
    act(&whole, &pe, &a, times, &ow);
    act(&halves, &pe, &a, first, &o1);
    act(&halves, &pe, &a, times - first, &o2);
    o2.overflowed |= o1.overflowed;
    return differ(&whole, &halves, &ow, &o2, "a leap and its halves", &a, times);
}

static bool until_is_wrong(struct choices *c)
{
    struct apmu p, q;
    struct apmu_pe pe;
    struct apmu_out out;

    any_start(c, &p, &pe);
    struct batch_action a = any_action(c);
    a.call = a.event == APMU_EV_CPU_CYCLES ? CYCLES : EVENT;
    a.each = pick(c, 3) != 0 ? a.each & 7 : a.each;
    const uint64_t until = apmu_until(&p, &pe, a.event, a.each);

    memcpy(&q, &p, sizeof p);
    if (until > UINT64_C(1) << 50 && a.each >> 12 != 0) {
        return false; /* no emulator sends so many at once, and their CHAIN events take long to compute */
    }
    act(&q, &pe, &a, until, &out);
    if (out.overflowed != 0) {
        snprintf(any_message, sizeof any_message, "until %llu, yet %llx overflowed", (unsigned long long)until,
                 (unsigned long long)out.overflowed);
        return true;
    }
    act(&q, &pe, &a, 1, &out);
    if (until != UINT64_MAX && out.overflowed == 0) {
        snprintf(any_message, sizeof any_message, "until %llu of event 0x%x each %llu, yet one more does not overflow",
                 (unsigned long long)until, a.event, (unsigned long long)a.each);
        return true;
    }
    return false;
}

/* Does an action in which no event occurs more than @most times, and no more than @most cycles pass. */
static uint64_t act_within(struct choices *c, struct apmu *p, const struct apmu_pe *pe, uint64_t most)
{
    const uint64_t each = pick_bool(c) ? pick(c, 2) : pick(c, 20), per_cycle = each != 0 ? each : 1;
    const uint64_t times = pick_bool(c) ? apmu_divide(most, per_cycle) : apmu_divide(most, per_cycle + pick(c, 8));
    const struct batch_action a = {.call = (enum batch_call)pick_of(c, CALLS), .event = any_events[pick(c, 1) * 3],
                                   .each = each, .ev = {{0x0008, each}, {0x0024, each - (each != 0)}}};
    struct apmu_out out;

    act(p, pe, &a, times, &out);
    return out.overflowed;
}

/* Returns the least apmu_until() of the events that counters count.  *@threshold: a threshold decides for a counter. */
static uint64_t least_until(const struct apmu *p, const struct apmu_pe *pe, bool *threshold)
{
    const uint64_t cycles = apmu_until(p, pe, APMU_EV_CPU_CYCLES, 1), retired = apmu_until(p, pe, 0x0008, 1);
    uint64_t least = cycles < retired ? cycles : retired;

    *threshold = false;
    for (unsigned n = 0; n < p->cfg.counters; n++) {
        const uint16_t event = apmu_typer_event(p, n);
        const uint64_t until = event == APMU_EV_CHAIN ? UINT64_MAX : apmu_until(p, pe, event, 1);

        least = until < least ? until : least;
        *threshold |= apmu_threshold_active(p, n);
    }
    return least;
}

static bool until_all_is_wrong(struct choices *c)
{
    struct apmu p, q;
    struct apmu_pe pe;
    bool threshold;

    any_start(c, &p, &pe);
    const uint64_t until = apmu_until_all(&p, &pe), first = pick_bool(c) ? until : until >> pick(c, 6);
    const uint64_t least = least_until(&p, &pe, &threshold);

    memcpy(&q, &p, sizeof p);
    HOLDS(act_within(c, &q, &pe, first) == 0 && act_within(c, &q, &pe, until - first) == 0,
          "until %llu of everything, yet %llx overflowed", (unsigned long long)until, (unsigned long long)q.ovs);
    HOLDS(threshold || until == least, "until %llu of everything, but %llu of one event", (unsigned long long)until,
          (unsigned long long)least);
    return false;
}

PROPERTIES(
    {"a batch equals its steps, however it is split", batch_differs, .rounds = 40000},
    {"a batch with CHAIN equals its steps", chained_batch_differs, .rounds = 40000},
    {"the short way for a batch gives what the definition gives", short_way_differs, .rounds = 100000},
    {"a leap equals its halves", leap_differs, .rounds = 40000},
    {"until() is the last call before an overflow", until_is_wrong, .rounds = 40000},
    {"nothing overflows within until_all()", until_all_is_wrong, .rounds = 100000})
