/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Properties of the ARM11 unit: a batch equals its steps and the sum of its cycles; a counter with a reason does not
 * count; lifting a reason removes it and adds no other; until() is exact; a copy behaves the same; and each bit of a
 * write has its effect.
 */

#include <armpmu/arm11.h>

#include "any.h"

static const uint8_t numbers[8] = {0x05, 0x06, 0x20, 0x21, 0x22, 0xFF, 0x03, 0x08};

static uint32_t any_pmnc(struct choices *c)
{
    return (uint32_t)((pick(c, 32) & ~(APMU_MASK(PMNC, EvtCount0) | APMU_MASK(PMNC, EvtCount1))) |
                      APMU_PUT(PMNC, EvtCount0, numbers[pick(c, 3)]) | APMU_PUT(PMNC, EvtCount1, numbers[pick(c, 3)]));
}

/* Makes a unit in any state that its functions can reach.  Every byte is defined. */
static void any_arm11(struct choices *c, struct apmu_arm11 *p)
{
    static const enum apmu_arm11_parts parts[3] = {APMU_ARM1136, APMU_ARM1156, APMU_ARM1176};

    memset(p, 0, sizeof *p);
    p->cfg.size = sizeof p->cfg;
    p->cfg.part = parts[pick_of(c, 3)];
    p->cfg.clear = (enum apmu_arm11_clear)pick_of(c, 3);
    p->cfg.irq_needs_enable = pick(c, 1) != 0;
    p->cfg.fiq_replaces_irq = pick(c, 1) != 0;
    p->cfg.unpredictable = (uint32_t)pick(c, 32);
    apmu_arm11_poke(p, APMU_ARM11_REG_PMNC, any_pmnc(c) | (pick(c, 2) != 0), NULL);
    p->pmnc |= (uint32_t)(pick(c, 3) & pick(c, 3)) << APMU_PMNC_OC0_LSB;
    for (unsigned n = 0; n < APMU_ARM11_COUNTERS; n++) {
        p->count[n] = (uint32_t)pick_count(c);
    }
    p->divider = (uint8_t)pick(c, 6);
}

static void any_core(struct choices *c, struct apmu_arm11_pe *pe)
{
    memset(pe, 0, sizeof *pe);
    pe->user = pick(c, 1) != 0;
    pe->user_v = pick(c, 1) != 0;
    pe->halted = pick(c, 4) == 0;
    pe->secure = pick(c, 1) != 0;
    pe->spniden = pick(c, 1) != 0;
    pe->suniden = pick(c, 1) != 0;
}

enum arm11_call { EVENT, CYCLES, STEP, CALLS };

struct arm11_action {
    enum arm11_call call;
    uint16_t event;
    uint64_t each;
    struct apmu_occurrence ev[3];
};

static uint64_t any_each(struct choices *c)
{
    return pick(c, 2) != 0 ? pick(c, 2) : pick(c, 3) != 0 ? pick(c, 28) : pick(c, 64);
}

static struct arm11_action any_action(struct choices *c)
{
    struct arm11_action a = {
        .call = (enum arm11_call)pick_of(c, CALLS), .event = numbers[pick(c, 3)], .each = any_each(c)};

    for (unsigned i = 0; i < 3; i++) {
        a.ev[i] = (struct apmu_occurrence){numbers[pick(c, 3)], any_each(c)};
    }
    return a;
}

static void act(struct apmu_arm11 *p, const struct apmu_arm11_pe *pe, const struct arm11_action *a, uint64_t times,
                struct apmu_arm11_out *out)
{
    switch (a->call) {
    case EVENT:
        apmu_arm11_event(p, pe, a->event, times, a->each, out);
        break;
    case CYCLES:
        apmu_arm11_cycles(p, pe, times, out);
        break;
    default:
        apmu_arm11_step(p, pe, times, a->ev, 3, out);
        break;
    }
}

static bool differ(const struct apmu_arm11 *a, const struct apmu_arm11 *b, const struct apmu_arm11_out *oa,
                   const struct apmu_arm11_out *ob, const char *what)
{
    if (memcmp(a, b, sizeof *a) == 0 && oa->overflowed == ob->overflowed && oa->irq == ob->irq && oa->fiq == ob->fiq &&
        oa->exports == ob->exports) {
        return false;
    }
    snprintf(any_message, sizeof any_message, "%s: PMNC %x and %x, CCNT %x and %x, overflowed %x and %x", what, a->pmnc,
             b->pmnc, a->count[APMU_ARM11_CCNT], b->count[APMU_ARM11_CCNT], oa->overflowed, ob->overflowed);
    return true;
}

static bool batch_differs(struct choices *c)
{
    struct apmu_arm11 batch, steps, halves;
    struct apmu_arm11_out ob, os, oh, o;
    struct apmu_arm11_pe pe;

    any_arm11(c, &batch);
    any_core(c, &pe);
    memcpy(&steps, &batch, sizeof batch);
    memcpy(&halves, &batch, sizeof batch);
    const struct arm11_action a = any_action(c);
    const uint64_t times = 1 + pick(c, 8), first = pick(c, 8) % times;

    act(&batch, &pe, &a, times, &ob);
    uint8_t overflowed = 0;
    for (uint64_t i = 0; i < times; i++) {
        act(&steps, &pe, &a, 1, &os);
        overflowed |= os.overflowed;
    }
    os.overflowed = overflowed;
    act(&halves, &pe, &a, first, &o);
    act(&halves, &pe, &a, times - first, &oh);
    oh.overflowed |= o.overflowed;
    return differ(&batch, &steps, &ob, &os, "a batch and its steps") ||
           differ(&batch, &halves, &ob, &oh, "a batch and its halves");
}

static bool leap_differs(struct choices *c)
{
    struct apmu_arm11 whole, halves;
    struct apmu_arm11_out ow, oh, o;
    struct apmu_arm11_pe pe;

    any_arm11(c, &whole);
    any_core(c, &pe);
    memcpy(&halves, &whole, sizeof whole);
    const struct arm11_action a = any_action(c);
    const uint64_t times = pick(c, 20 + pick_of(c, 44)), first = pick(c, 64) % (times + 1);

    act(&whole, &pe, &a, times, &ow);
    act(&halves, &pe, &a, first, &o);
    act(&halves, &pe, &a, times - first, &oh);
    oh.overflowed |= o.overflowed;
    return differ(&whole, &halves, &ow, &oh, "a leap and its halves");
}

/* A second formulation, from the text of table 2: one cycle, one occurrence at a time. */
static bool cycle_differs(struct choices *c)
{
    struct apmu_arm11 p;
    struct apmu_arm11_pe pe;
    uint64_t want[APMU_ARM11_COUNTERS];
    struct arm11_action a;

    any_arm11(c, &p);
    any_core(c, &pe);
    a = any_action(c);
    const bool runs = (p.pmnc & 1) != 0 && !pe.halted &&
                      !(p.cfg.part == APMU_ARM1176 && pe.secure && !pe.spniden && !(pe.user && pe.suniden));
    const uint32_t before = p.pmnc & 0x700;
    uint32_t flags = before;

    for (unsigned n = 0; n < APMU_ARM11_COUNTERS; n++) {
        const unsigned event = p.pmnc >> (n == 0 ? 20 : 12) & 0xFF;
        const bool unused = event == 0x08 || (event == 0x03 && p.cfg.part == APMU_ARM1156);
        uint64_t adds = 0;
        for (unsigned i = 0; n != APMU_ARM11_CCNT && i < 3; i++) {
            a.ev[i].count &= 0xFFFFFF;
            const unsigned ev = a.ev[i].event;
            const bool derived = ev == 0x22 || ev == 0xFF;
            adds += !derived && (ev == event || (event == 0x22 && (ev == 0x20 || ev == 0x21))) ? a.ev[i].count : 0;
        }
        adds = n == APMU_ARM11_CCNT ? ((p.pmnc & 8) == 0 || p.divider == 63) : event == 0xFF ? 1 : unused ? 0 : adds;
        want[n] = p.count[n] + (runs ? adds : 0);
        flags |= want[n] >> 32 != 0 ? 0x100u << n : 0;
    }
    apmu_arm11_step(&p, &pe, 1, a.ev, 3, NULL);
    for (unsigned n = 0; n < APMU_ARM11_COUNTERS; n++) {
        if (p.count[n] != (uint32_t)want[n] || (p.pmnc & 0x700) != flags) {
            snprintf(any_message, sizeof any_message, "counter %u is %x, wanted %x; flags %x, wanted %x; PMNC %x", n,
                     p.count[n], (uint32_t)want[n], p.pmnc & 0x700, flags, p.pmnc);
            return true;
        }
    }
    return false;
}

static bool until_is_wrong(struct choices *c)
{
    struct apmu_arm11 p;
    struct apmu_arm11_pe pe;
    struct apmu_arm11_out out;

    any_arm11(c, &p);
    any_core(c, &pe);
    struct arm11_action a = any_action(c);
    a.call = a.event == APMU_ARM11_EV_CPU_CYCLES ? CYCLES : EVENT;
    a.event = a.event == APMU_ARM11_EV_ETMEXTOUT_BOTH ? APMU_ARM11_EV_ETMEXTOUT_0 : a.event;
    const uint64_t until = apmu_arm11_until(&p, &pe, a.event, a.each);

    act(&p, &pe, &a, until, &out);
    const uint8_t early = out.overflowed;
    act(&p, &pe, &a, 1, &out);
    if (early != 0 || (until != UINT64_MAX && out.overflowed == 0)) {
        snprintf(any_message, sizeof any_message, "until %llu of 0x%x, each %llu: overflowed %x, and with one more %x",
                 (unsigned long long)until, a.event, (unsigned long long)a.each, early, out.overflowed);
        return true;
    }
    return false;
}

static bool counts_with_a_reason(struct choices *c)
{
    struct apmu_arm11 p, q;
    struct apmu_arm11_pe pe;

    any_arm11(c, &p);
    any_core(c, &pe);
    memcpy(&q, &p, sizeof p);
    const struct arm11_action a = any_action(c);
    act(&q, &pe, &a, 1 + pick(c, 30), NULL);
    for (unsigned n = 0; n < APMU_ARM11_COUNTERS; n++) {
        const uint64_t why = apmu_arm11_why(&p, &pe, (enum apmu_arm11_counter)n);
        if (why != 0 && (p.count[n] != q.count[n] || ((p.pmnc ^ q.pmnc) >> (8 + n) & 1) != 0)) {
            snprintf(any_message, sizeof any_message, "counter %u has the reasons %llx and moved", n,
                     (unsigned long long)why);
            return true;
        }
    }
    return false;
}

static void lift(enum apmu_arm11_reason why, struct apmu_arm11 *p, struct apmu_arm11_pe *pe, unsigned n)
{
    switch (why) {
    case APMU_ARM11_REASON_HALTED:
        pe->halted = false;
        break;
    case APMU_ARM11_REASON_PMNC_E:
        p->pmnc |= 1;
        break;
    case APMU_ARM11_REASON_NO_EVENT:
        p->pmnc &= ~(UINT32_C(0xFF) << (n == 0 ? 20 : 12));
        break;
    case APMU_ARM11_REASON_SPNIDEN:
        pe->spniden = true;
        break;
    default:
        break;
    }
}

static uint64_t seen_alone; /* the reasons that have been the only one */

static bool lifting_fails(struct choices *c)
{
    struct apmu_arm11 p;
    struct apmu_arm11_pe pe;

    any_arm11(c, &p);
    any_core(c, &pe);
    const unsigned n = pick_of(c, APMU_ARM11_COUNTERS);
    uint64_t why = apmu_arm11_why(&p, &pe, (enum apmu_arm11_counter)n);

    for (unsigned r = 0; r < APMU_ARM11_REASON_COUNT; r++) {
        if ((why >> r & 1) == 0) {
            continue;
        }
        seen_alone |= why == UINT64_C(1) << r ? why : 0;
        lift((enum apmu_arm11_reason)r, &p, &pe, n);
        const uint64_t left = apmu_arm11_why(&p, &pe, (enum apmu_arm11_counter)n);
        if (left != (why & ~(UINT64_C(1) << r))) {
            snprintf(any_message, sizeof any_message, "reason %u of counter %u lifted: before %llx, after %llx", r, n,
                     (unsigned long long)why, (unsigned long long)left);
            return true;
        }
        why = left;
    }
    return false;
}

/* Checks the effect of each bit that a write of PMNC sets, and that nothing else changes. */
static bool write_differs(struct choices *c)
{
    struct apmu_arm11 p, q;
    struct apmu_arm11_out out;

    any_arm11(c, &p);
    memcpy(&q, &p, sizeof p);
    const uint32_t value = any_pmnc(c);
    apmu_arm11_poke(&q, APMU_ARM11_REG_PMNC, value, &out);

    const uint32_t keeps = p.cfg.part == APMU_ARM1156 ? 0x7FFFF879 : 0x0FFFF879;
    const bool clears = p.cfg.clear == APMU_ARM11_CLEAR_ALWAYS ||
                        ((p.cfg.clear == APMU_ARM11_CLEAR_E_WRITTEN ? value : p.pmnc) & 1) != 0;
    p.pmnc = (value & keeps) | (p.pmnc & 0x700 & ~(clears ? value : 0));
    p.count[APMU_ARM11_CCNT] &= (value & 4) != 0 ? 0 : UINT32_MAX;
    p.count[APMU_ARM11_PMN0] &= (value & 2) != 0 ? 0 : UINT32_MAX;
    p.count[APMU_ARM11_PMN1] &= (value & 2) != 0 ? 0 : UINT32_MAX;
    const bool enabled = !p.cfg.irq_needs_enable || (p.pmnc & 1) != 0;
    const uint32_t fiq = p.pmnc >> 28 & 7, irq = p.pmnc >> 4 & 7 & (p.cfg.fiq_replaces_irq ? ~fiq : 7);
    const struct apmu_arm11_out want = {
        .irq = enabled && (p.pmnc >> 8 & irq) != 0,
        .fiq = enabled && (p.pmnc >> 8 & 7 & fiq) != 0,
        .exports = (p.pmnc & 0x800) != 0,
    };
    return differ(&q, &p, &out, &want, "a write of PMNC");
}

/* Checks that a register reads back the bits that it keeps, and that no register shows the bits of another. */
static bool read_differs(struct choices *c)
{
    struct apmu_arm11 p, q;

    any_arm11(c, &p);
    memcpy(&q, &p, sizeof p);
    const uint32_t mask = p.cfg.part == APMU_ARM1156 ? 0x7FFFFF79 : 0x0FFFFF79;
    const uint32_t pmnc = apmu_arm11_peek(&p, APMU_ARM11_REG_PMNC);
    const uint32_t value = (uint32_t)pick(c, 32);
    const enum apmu_arm11_reg reg = (enum apmu_arm11_reg)(1 + pick_of(c, 3));
    bool wrong = pmnc != ((p.pmnc & mask) | (p.cfg.unpredictable & ~mask));

    apmu_arm11_poke(&p, reg, value, NULL);
    for (unsigned r = 0; r < APMU_ARM11_REG_COUNT; r++) {
        const uint32_t got = apmu_arm11_peek(&p, (enum apmu_arm11_reg)r);
        wrong |= got != (r == (unsigned)reg ? value : apmu_arm11_peek(&q, (enum apmu_arm11_reg)r));
    }
    if (wrong) {
        snprintf(any_message, sizeof any_message, "PMNC reads %x; then register %d written with %x", pmnc, (int)reg,
                 value);
    }
    return wrong;
}

/* Returns true unless the rounds have met each reason as the only one. */
static bool one_never_alone(struct choices *c)
{
    const uint64_t all = (UINT64_C(1) << APMU_ARM11_REASON_COUNT) - 1;

    (void)c;
    snprintf(any_message, sizeof any_message, "reasons never seen alone: %llx",
             (unsigned long long)(all & ~seen_alone));
    return seen_alone != all;
}

PROPERTIES(
    {"a batch equals its steps, however it is split", batch_differs, .rounds = 60000},
    {"a leap equals its halves", leap_differs, .rounds = 200000},
    {"a cycle equals a second formulation", cycle_differs, .rounds = 200000},
    {"until() is the last call before an overflow", until_is_wrong, .rounds = 200000},
    {"a counter with a reason does not count", counts_with_a_reason, .rounds = 200000},
    {"lifting a reason removes it and adds none", lifting_fails, .rounds = 200000},
    {"a write of PMNC does what its bits say", write_differs, .rounds = 200000},
    {"registers read back what they keep", read_differs, .rounds = 200000},
    {"each reason can be the only one", one_never_alone, .sums_up = true})
