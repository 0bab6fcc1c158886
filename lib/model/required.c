/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks PMCEID<n>_EL0 against the events that a PMU must implement (tables/required.def), and adds missing ones. */
#include <armpmu/model.h>

/*
 * Expands to the bit of PMCEID<word>_EL0 that announces event @number, or 0 if the bit is in the other register or in
 * none: ANNOUNCES(1, 0x0023) is bit 3.
 */
#define ANNOUNCES(word, number) \
    ((((number) & ~0x403F) == 0 && ((number) >> 5 & 1) == (word)) \
         ? UINT64_C(1) << (((number) & 0x4000) >> 9 | ((number) & 0x1F)) : 0)

enum event_rule { REQUIRED, ONE_OF, TOGETHER };

static const struct {
    enum event_rule kind;
    uint64_t feature; /* 0 with TOGETHER: the rule always applies */
} rules[] = {
#define F(x) APMU_FEAT(x)
#define APMU_EVENT_REQUIRED(feature, event) {REQUIRED, feature},
#define APMU_EVENT_ONE_OF(feature, events) {ONE_OF, feature},
#define APMU_EVENTS_TOGETHER(events) {TOGETHER, 0},
#include <armpmu/tables/required.def>
#undef F
};

enum { RULES = sizeof rules / sizeof rules[0] };

/* The events of each rule, as bits of both registers. */
static const uint64_t events[2][RULES] = {
    {
#define E(x) | ANNOUNCES(0, APMU_EV_##x)
#define APMU_EVENT_REQUIRED(feature, event) UINT64_C(0) event,
#define APMU_EVENT_ONE_OF(feature, events) UINT64_C(0) events,
#define APMU_EVENTS_TOGETHER(events) UINT64_C(0) events,
#include <armpmu/tables/required.def>
#undef E
    },
    {
#define E(x) | ANNOUNCES(1, APMU_EV_##x)
#define APMU_EVENT_REQUIRED(feature, event) UINT64_C(0) event,
#define APMU_EVENT_ONE_OF(feature, events) UINT64_C(0) events,
#define APMU_EVENTS_TOGETHER(events) UINT64_C(0) events,
#include <armpmu/tables/required.def>
#undef E
    },
};

static const char *const sentences[RULES] = {
#define CURE "; apmu_events_closure() adds what is missing"
#define F(x) "FEAT_" #x
#define E(x) " " #x
#define APMU_EVENT_REQUIRED(feature, event) "pmceid: " feature " requires the event" event ": announce it" CURE,
#define APMU_EVENT_ONE_OF(feature, events) \
    "pmceid: " feature " requires one of the events" events ": announce one" CURE,
#define APMU_EVENTS_TOGETHER(events) "pmceid: the events" events " go together: announce all of them or none" CURE,
#include <armpmu/tables/required.def>
#undef F
#undef E
#undef CURE
};

static bool satisfied(unsigned rule, uint64_t features, const uint64_t pmceid[2])
{
    const uint64_t here[2] = {events[0][rule], events[1][rule]};
    const bool any = ((pmceid[0] & here[0]) | (pmceid[1] & here[1])) != 0;
    const bool all = (pmceid[0] & here[0]) == here[0] && (pmceid[1] & here[1]) == here[1];

    if ((features & rules[rule].feature) != rules[rule].feature) {
        return true;
    }
    return all || (rules[rule].kind == ONE_OF ? any : rules[rule].kind == TOGETHER && !any);
}

void apmu_events_closure(uint64_t features, uint64_t pmceid[2])
{
    for (unsigned i = 0; i < RULES; i++) {
        if (satisfied(i, features, pmceid)) {
            continue;
        }
        if (rules[i].kind == ONE_OF) { /* add the one with the lowest number */
            const unsigned word = events[0][i] == 0;

            pmceid[word] |= events[word][i] & (~events[word][i] + 1);
        } else {
            pmceid[0] |= events[0][i];
            pmceid[1] |= events[1][i];
        }
    }
}

const char *apmu_events_check(uint64_t features, const uint64_t pmceid[2])
{
    for (unsigned i = 0; i < RULES; i++) {
        if (!satisfied(i, features, pmceid)) {
            return sentences[i];
        }
    }
    return NULL;
}
