/* SPDX-License-Identifier: BSD-2-Clause */
/* Which counter counts what.  Pure. */
#include <armpmu/events.h>

#include "internal.h"

#define EVENT_NUMBERS_BEFORE_PMUV3P1 0x400u

/* The order in which wishes are met: what has least choice comes first. */
enum pass { PASS_FIXED, PASS_DEDICATED_WIDE, PASS_DEDICATED, PASS_PAIR, PASS_REST, PASSES };

struct planner {
    const struct apmu_unit *unit;
    uint64_t free; /* counters */
    uint64_t met;  /* wishes */
};

static uint64_t bit(unsigned n)
{
    return UINT64_C(1) << n;
}

/* The counter that is made for the event of a wish, or APMU_COUNTER_ANY. */
static unsigned dedicated_counter(const struct apmu_unit *unit, const struct apmu_wish *wish)
{
    if (wish->event == APMU_EV_CPU_CYCLES) {
        return APMU_CYCLE;
    }
    if (wish->event == APMU_EV_INST_RETIRED && unit->instr) {
        return APMU_INSTR;
    }
    return APMU_COUNTER_ANY;
}

static bool needs_pair(const struct apmu_unit *unit, const struct apmu_wish *wish)
{
    return wish->wide && !unit_has(unit, APMU_PMUVER_PMUV3P5);
}

static enum apmu_error check_wish(const struct apmu_unit *unit, const struct apmu_wish *wish)
{
    if (wish->event == APMU_EV_CHAIN) {
        return APMU_E_CHAIN;
    }
    if (wish->event >= EVENT_NUMBERS_BEFORE_PMUV3P1 && !unit_has(unit, APMU_PMUVER_PMUV3P1)) {
        return APMU_E_EVENT_NUMBER;
    }
    if ((wish->filter & ~APMU_FILTER_ALL) != 0) {
        return APMU_E_FILTER;
    }
    if (wish->counter == APMU_CYCLE || wish->counter == APMU_INSTR) {
        if (wish->counter == APMU_INSTR && !unit->instr) {
            return APMU_E_NO_SUCH_COUNTER;
        }
        return dedicated_counter(unit, wish) == wish->counter ? APMU_OK : APMU_E_COUNTER_EVENT;
    }
    if (wish->counter != APMU_COUNTER_ANY && wish->counter >= unit->counters) {
        return APMU_E_NO_SUCH_COUNTER;
    }
    return APMU_OK;
}

/* The counter for @wish in @pass; APMU_COUNTER_ANY if it is not this pass's; an error if there is none. */
static enum apmu_error choose(const struct planner *p, const struct apmu_wish *wish, enum pass pass, unsigned *counter)
{
    const bool pair = needs_pair(p->unit, wish);
    const uint64_t events = p->free & (bit(p->unit->counters) - 1);
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
        const unsigned n = dedicated_counter(p->unit, wish);

        if (wish->dedicated && n != APMU_COUNTER_ANY && (p->free & bit(n)) != 0 && (pair || pass == PASS_DEDICATED)) {
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

static enum apmu_error grant(struct planner *p, const struct apmu_wish *wish, unsigned counter, struct apmu_slot *slot)
{
    const bool event_counter = counter < APMU_EVENT_COUNTERS;

    if (event_counter && !wish->unlisted && !apmu_event_announced(p->unit->pmceid, wish->event)) {
        return APMU_E_NO_EVENT;
    }
    *slot = (struct apmu_slot){.counter = (uint8_t)counter, .pair = event_counter && needs_pair(p->unit, wish)};
    slot->bits = event_counter && !slot->pair && !unit_has(p->unit, APMU_PMUVER_PMUV3P5) ? 32 : 64;
    if (slot->bits == 32 && wish->period > bit(32)) {
        return APMU_E_PERIOD;
    }
    slot->initial = slot->bits == 32 ? (0 - wish->period) & (bit(32) - 1) : 0 - wish->period;
    p->free &= ~(bit(counter) | (slot->pair ? bit(counter + 1) : 0));
    return APMU_OK;
}

enum apmu_error apmu_plan(const struct apmu_unit *unit, const struct apmu_wish *wishes, size_t count,
                          struct apmu_slot *slots, size_t *refused)
{
    struct planner p = {.unit = unit, .free = apmu_unit_counters(unit)};
    enum apmu_error error = APMU_OK;
    size_t i;

    for (i = 0; i < count && error == APMU_OK; i++) {
        error = i < APMU_COUNTERS ? check_wish(unit, &wishes[i]) : APMU_E_NO_COUNTER;
    }
    for (enum pass pass = PASS_FIXED; pass < PASSES && error == APMU_OK; pass++) {
        for (i = 0; i < count && error == APMU_OK; i++) {
            unsigned counter;

            if ((p.met & bit((unsigned)i)) != 0) {
                continue;
            }
            error = choose(&p, &wishes[i], pass, &counter);
            if (error == APMU_OK && counter != APMU_COUNTER_ANY) {
                error = grant(&p, &wishes[i], counter, &slots[i]);
                p.met |= bit((unsigned)i);
            }
        }
    }
    if (error != APMU_OK && refused != NULL) {
        *refused = i - 1;
    }
    return error;
}
