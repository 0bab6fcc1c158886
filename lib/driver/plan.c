/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans which wish gets which counter, and in which turn.  Pure: accesses no register. */
#include <armpmu/events.h>

#include "internal.h"

#define EVENT_NUMBERS_OF_ARMV7 0x100u
#define EVENT_NUMBERS_BEFORE_PMUV3P1 0x400u
#define NO_ROUND 0xFFu

/* The passes in which wishes get counters.  The wishes with the least choice come first. */
enum plan_pass { PASS_FIXED, PASS_DEDICATED_WIDE, PASS_DEDICATED, PASS_PAIR, PASS_REST, PASSES };

struct planner {
    const struct apmu_pmu *pmu;
    uint64_t free; /* the set of counters that no wish has yet */
};

static const uint64_t threshold_fields =
    APMU_MASK(PMEVTYPER_EL0, TC) | APMU_MASK(PMEVTYPER_EL0, TE) | APMU_MASK(PMEVTYPER_EL0, TH);

/* Returns the fixed counter that counts the event of a wish, or APMU_COUNTER_ANY if there is none. */
static unsigned dedicated_counter(const struct apmu_pmu *pmu, const struct apmu_wish *wish)
{
    if (wish->event == APMU_EV_CPU_CYCLES) {
        return APMU_CYCLE;
    }
    if (wish->event == APMU_EV_INST_RETIRED && pmu->instr) {
        return APMU_INSTR;
    }
    return APMU_COUNTER_ANY;
}

/* Returns the width at which a counter overflows.  The cycle counter of ARMv7 has 32 bits. */
static unsigned bits_of(const struct apmu_pmu *pmu, unsigned counter)
{
    if (counter >= APMU_CYCLE) {
        return pmu->version < PERFMON_V3 ? 32 : 64;
    }
    return apmu_pmu_long(pmu) ? 64 : 32;
}

static bool needs_pair(const struct apmu_pmu *pmu, const struct apmu_wish *wish)
{
    return wish->wide && bits_of(pmu, 0) == 32;
}

/*
 * Returns the filter bits that a wish may have.  M concerns EL3 in AArch64 state; it is accepted elsewhere, where it
 * has no effect.
 */
static uint64_t filter_bits(const struct apmu_pmu *pmu)
{
    const uint64_t armv7 = APMU_FILTER(P) | APMU_FILTER(U) | APMU_FILTER(NSK) | APMU_FILTER(NSU) | APMU_FILTER(NSH);

    if (pmu->version == PERFMON_V1) {
        return APMU_FILTER(M);
    }
    if (pmu->version == PERFMON_V2) {
        return armv7 | APMU_FILTER(M);
    }
    if (pmu->place.view == APMU_VIEW_A32) {
        return armv7 | APMU_FILTER(RLU) | APMU_FILTER(M);
    }
    return apmu_pmu_has(pmu, APMU_FEAT(PMUv3_SME)) ? APMU_FILTER_ALL : APMU_FILTER_ALL & ~APMU_FILTER(VS);
}

static bool threshold_possible(const struct apmu_pmu *pmu, const struct apmu_wish *wish)
{
    const uint64_t width = APMU_GET(PMMIR_EL1, THWIDTH, pmu->pmmir);

    return wish->threshold == 0 ||
           ((wish->threshold & ~threshold_fields) == 0 && pmu->place.view != APMU_VIEW_A32 &&
            apmu_pmu_has(pmu, APMU_FEAT(PMUv3_TH)) && wish->counter != APMU_CYCLE && wish->counter != APMU_INSTR &&
            APMU_GET(PMEVTYPER_EL0, TH, wish->threshold) >> width == 0 &&
            (APMU_GET(PMEVTYPER_EL0, TE, wish->threshold) == 0 || apmu_pmu_has(pmu, APMU_FEAT(PMUv3_EDGE))));
}

static enum apmu_error check_counter(const struct apmu_pmu *pmu, const struct apmu_wish *wish)
{
    if (wish->counter == APMU_COUNTER_ANY) {
        return APMU_OK;
    }
    if (wish->counter == APMU_CYCLE || wish->counter == APMU_INSTR) {
        if (wish->counter == APMU_INSTR && !pmu->instr) {
            return APMU_E_NO_SUCH_COUNTER;
        }
        if (dedicated_counter(pmu, wish) != wish->counter) {
            return APMU_E_COUNTER_EVENT;
        }
        return wish->wide && bits_of(pmu, wish->counter) == 32 ? APMU_E_NO_CHAIN : APMU_OK;
    }
    return wish->counter >= pmu->counters ? APMU_E_NO_SUCH_COUNTER
           : wish->counter >= pmu->first_range ? APMU_E_SECOND_RANGE : APMU_OK;
}

static enum apmu_error check_wish(const struct apmu_pmu *pmu, const struct apmu_wish *wish)
{
    if (wish->event == APMU_EV_CHAIN) {
        return APMU_E_CHAIN;
    }
    if ((wish->event >= EVENT_NUMBERS_OF_ARMV7 && pmu->version < PERFMON_V3) ||
        (wish->event >= EVENT_NUMBERS_BEFORE_PMUV3P1 && pmu->version < PERFMON_V3P1)) {
        return APMU_E_EVENT_NUMBER;
    }
    if ((wish->filter & ~filter_bits(pmu)) != 0) {
        return APMU_E_FILTER;
    }
    if (!threshold_possible(pmu, wish)) {
        return APMU_E_THRESHOLD;
    }
    if (wish->interrupt && !apmu_pmu_interrupts(pmu)) {
        return APMU_E_LEVEL;
    }
    return check_counter(pmu, wish);
}

/*
 * Sets *@counter to the counter for @wish, or to APMU_COUNTER_ANY if this pass does not concern it.  Returns an error
 * if there is no counter for it.
 */
static enum apmu_error choose(const struct planner *p, const struct apmu_wish *wish, enum plan_pass pass,
                              unsigned *counter)
{
    const bool pair = needs_pair(p->pmu, wish);
    const uint64_t events = p->free & (bit(p->pmu->first_range) - 1);
    const uint64_t pairs = events & events >> 1 & UINT64_C(0x5555555555555555);

    *counter = APMU_COUNTER_ANY;
    switch (pass) {
    case PASS_FIXED:
        if (wish->counter == APMU_COUNTER_ANY) {
            return APMU_OK;
        }
        if ((p->free & bit(wish->counter)) == 0) {
            return APMU_E_COUNTER_TAKEN;
        }
        if (pair && wish->counter < APMU_CYCLE && (pairs & bit(wish->counter)) == 0) {
            return APMU_E_PAIR;
        }
        *counter = wish->counter;
        return APMU_OK;
    case PASS_DEDICATED_WIDE:
    case PASS_DEDICATED: {
        const unsigned n = dedicated_counter(p->pmu, wish);

        if (wish->dedicated && wish->threshold == 0 && n != APMU_COUNTER_ANY && (p->free & bit(n)) != 0 &&
            (pass == PASS_DEDICATED ? !wish->wide || bits_of(p->pmu, n) == 64 : pair && bits_of(p->pmu, n) == 64)) {
            *counter = n;
        }
        return APMU_OK;
    }
    default: {
        const uint64_t choice = pair ? pairs : events;

        if (pass == PASS_PAIR && !pair) {
            return APMU_OK;
        }
        for (unsigned n = 0; n < APMU_EVENT_COUNTERS; n++) {
            if ((choice & bit(n)) != 0) {
                *counter = n;
                return APMU_OK;
            }
        }
        return APMU_E_NO_COUNTER;
    }
    }
}

/* Gives @wish the counter and fills its slot. */
static enum apmu_error grant(struct planner *p, const struct apmu_wish *wish, unsigned counter, struct apmu_slot *slot)
{
    const bool event_counter = counter < APMU_EVENT_COUNTERS;
    const bool announced = !event_counter || apmu_event_announced(p->pmu->pmceid, wish->event);
    const bool pair = event_counter && needs_pair(p->pmu, wish);
    const unsigned bits = pair ? 64 : bits_of(p->pmu, counter);
    const uint64_t nothing = p->pmu->place.view == APMU_VIEW_A32 ? APMU_FILTER(M) : 0;

    if (!announced && !wish->unlisted) {
        return APMU_E_NO_EVENT;
    }
    if (pair && !apmu_event_announced(p->pmu->pmceid, APMU_EV_CHAIN)) {
        return APMU_E_NO_CHAIN;
    }
    if (bits == 32 && wish->period > bit(32)) {
        return APMU_E_PERIOD;
    }
    *slot = (struct apmu_slot){
        .counter = (uint8_t)counter, .pair = pair, .bits = (uint8_t)bits, .round = slot->round,
        .interrupt = wish->interrupt, .doubts = announced ? 0 : APMU_DOUBT_UNLISTED,
        .type = (wish->filter & ~nothing) | wish->threshold |
                (event_counter ? APMU_PUT(PMEVTYPER_EL0, evtCount, wish->event) : 0),
        .wished = wish->period, .period = wish->period, .initial = value_before(bits, wish->period, 0),
    };
    slot->held = slot->initial;
    p->free &= ~(bit(counter) | (pair ? bit(counter + 1) : 0));
    return APMU_OK;
}

/* Plans the wishes of one round.  On an error *@at is the wish concerned. */
static enum apmu_error plan_round(const struct apmu_pmu *pmu, const struct apmu_wish *wishes, size_t count,
                                  unsigned round, struct apmu_slot *slots, size_t *at)
{
    struct planner p = {.pmu = pmu, .free = apmu_pmu_session_counters(pmu)};

    for (*at = 0; *at < count; ++*at) {
        if (slots[*at].round == round) {
            const enum apmu_error error = check_wish(pmu, &wishes[*at]);

            if (error != APMU_OK) {
                return error;
            }
            slots[*at].counter = APMU_COUNTER_ANY;
        }
    }
    for (enum plan_pass pass = PASS_FIXED; pass < PASSES; pass++) {
        for (*at = 0; *at < count; ++*at) {
            unsigned counter = APMU_COUNTER_ANY;
            enum apmu_error error = APMU_OK;

            if (slots[*at].round == round && slots[*at].counter == APMU_COUNTER_ANY) {
                error = choose(&p, &wishes[*at], pass, &counter);
            }
            if (error == APMU_OK && counter != APMU_COUNTER_ANY) {
                error = grant(&p, &wishes[*at], counter, &slots[*at]);
            }
            if (error != APMU_OK) {
                return error;
            }
        }
    }
    return APMU_OK;
}

/* Returns @error, and sets *@refused to @at if it is one. */
static enum apmu_error refuse(enum apmu_error error, size_t at, size_t *refused)
{
    if (error != APMU_OK && refused != NULL) {
        *refused = at;
    }
    return error;
}

enum apmu_error apmu_plan(const struct apmu_pmu *pmu, const struct apmu_wish *wishes, size_t count,
                          struct apmu_slot *slots, size_t *refused)
{
    size_t at;

    for (at = 0; at < count; at++) {
        slots[at].round = 0;
    }
    const enum apmu_error error = plan_round(pmu, wishes, count, 0, slots, &at);

    return refuse(error, at, refused);
}

/* Moves the wishes of the group of wish @first from round @from to round @to. */
static void move(const struct apmu_wish *wishes, size_t count, struct apmu_slot *slots, size_t first, unsigned from,
                 unsigned to)
{
    for (size_t i = first; i < count; i++) {
        const bool same_group = wishes[first].group != 0 && wishes[i].group == wishes[first].group;

        if (slots[i].round == from && (i == first || same_group)) {
            slots[i].round = (uint8_t)to;
        }
    }
}

enum apmu_error apmu_plan_shared(const struct apmu_pmu *pmu, const struct apmu_wish *wishes, size_t count,
                                 struct apmu_slot *slots, size_t *rounds, size_t *refused)
{
    enum apmu_error error = APMU_OK;
    unsigned round = 0;
    bool empty = true; /* the round has no wishes yet */
    size_t at;

    *rounds = 1;
    if (count >= NO_ROUND) {
        return refuse(APMU_E_NO_COUNTER, NO_ROUND - 1, refused); /* the first for which there is no number of a turn */
    }
    for (size_t i = 0; i < count; i++) {
        slots[i].round = NO_ROUND;
    }
    for (size_t first = 0; first < count; first++) {
        if (slots[first].round != NO_ROUND) {
            continue;
        }
        move(wishes, count, slots, first, NO_ROUND, round);
        error = plan_round(pmu, wishes, count, round, slots, &at);
        if (error != APMU_OK && !empty) { /* plan the round again without the group, which begins the next round */
            move(wishes, count, slots, first, round, NO_ROUND);
            (void)plan_round(pmu, wishes, count, round, slots, &at);
            round++;
            move(wishes, count, slots, first, NO_ROUND, round);
            error = plan_round(pmu, wishes, count, round, slots, &at);
        }
        if (error != APMU_OK) {
            return refuse(error, at, refused);
        }
        empty = false;
    }
    *rounds = (size_t)round + 1;
    return APMU_OK;
}
