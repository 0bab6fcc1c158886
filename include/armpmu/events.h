/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events: names, numbers and meanings of the common events of PMUv3.  They are rows of tables/events.def.
 *
 * This header is for tools and for users of the driver.  All data is constant; every function is safe in any context.
 *
 * @code
 * #include <stdio.h>
 * #include <armpmu/events.h>
 *
 * int main(void)
 * {
 *     const struct apmu_event_info *event = apmu_event_by_name("inst_retired");
 *
 *     if (event == NULL) {
 *         return 1;
 *     }
 *     printf("0x%04x %s: %s\n", (unsigned)event->number, event->name, event->text);
 *     return event->number == APMU_EV_INST_RETIRED ? 0 : 1;
 * }
 * @endcode
 */
#ifndef ARMPMU_EVENTS_H
#define ARMPMU_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <armpmu/error.h>
#include <armpmu/event_numbers.h>
#include <armpmu/inline.h>

#ifdef __cplusplus
extern "C" {
#endif

enum apmu_event_kind {
    APMU_EVENT_KIND_ARCHITECTURAL, /**< its count follows from the program alone */
    APMU_EVENT_KIND_MICROARCHITECTURAL
};

/** What an event is about. */
enum apmu_event_class {
    APMU_EVENT_CLASS_BRANCH,
    APMU_EVENT_CLASS_BRBE,
    APMU_EVENT_CLASS_CACHE,
    APMU_EVENT_CLASS_CHAIN,
    APMU_EVENT_CLASS_CTI,
    APMU_EVENT_CLASS_CYCLE,
    APMU_EVENT_CLASS_EXCEPTION,
    APMU_EVENT_CLASS_INSTRUCTION,
    APMU_EVENT_CLASS_MEMORY,
    APMU_EVENT_CLASS_PMU,
    APMU_EVENT_CLASS_SME,
    APMU_EVENT_CLASS_SOFTWARE,
    APMU_EVENT_CLASS_SPE,
    APMU_EVENT_CLASS_SVE,
    APMU_EVENT_CLASS_TLB,
    APMU_EVENT_CLASS_TRACE
};

/** Levels at which FEAT_SEBEP asks for synchronous mode of an event. */
enum apmu_event_sync { APMU_EVENT_SYNC_NO, APMU_EVENT_SYNC_RECOMMENDED, APMU_EVENT_SYNC_REQUIRED };

/** Describes a common event. */
struct apmu_event_info {
    uint16_t number;
    const char *name; /**< Arm's, e.g. "INST_RETIRED" */
    enum apmu_event_kind kind;
    enum apmu_event_class class_;
    enum apmu_event_sync sync;
    const char *text;
};

/** Returns the number of common events. */
size_t apmu_event_count(void);

/** Returns common event @i, 0..apmu_event_count()-1, in ascending order of number; NULL past the last one. */
const struct apmu_event_info *apmu_event_at(size_t i);

/** Returns the common event with number @number, or NULL if there is none. */
const struct apmu_event_info *apmu_event_by_number(uint32_t number);

/** Returns the common event that Arm, or perf generically, calls @name; NULL if there is none.  Case is ignored. */
const struct apmu_event_info *apmu_event_by_name(const char *name);

/**
 * Returns the event number that @text means, 0..0xFFFF, or -1 if it means none.  @text is a name that
 * apmu_event_by_name() finds, or a hexadecimal number as perf takes it: rNNNN, r0xNNNN or 0xNNNN.
 */
int apmu_event_parse(const char *text);

struct apmu_wish; /* <armpmu/session.h> */

/**
 * Fills *@wish from @text: EVENT or EVENT:LEVELS.  EVENT is what apmu_event_parse() takes.  LEVELS are letters: u EL0,
 * k EL1, h EL2, m EL3, each in all Security states.  Without them the filter is 0, which counts at EL0, EL1 and EL3.
 * The wish accepts any counter: .counter is APMU_COUNTER_ANY and .dedicated is true.
 * APMU_E_EVENT_NAME: there is no such event; APMU_E_LEVELS: another letter, or none after the colon.
 */
enum apmu_error apmu_wish_parse(const char *text, struct apmu_wish *wish);

/**
 * Fills @out, which has room for @max, with the events whose names are nearest to @name, the nearest first.  Returns
 * how many there are: @max or 8, whichever is less.
 */
size_t apmu_event_nearest(const char *name, const struct apmu_event_info **out, size_t max);

/**
 * Returns the bit of PMCEID<n>_EL0 that announces event @number: bit (result % 64) of PMCEID<result / 64>_EL0.  Returns
 * -1 if they have no bit for it; then only the core's manual says whether it is implemented.
 */
APMU_INLINE int apmu_event_pmceid(uint32_t number)
{
    if ((number & ~UINT32_C(0x403F)) != 0) {
        return -1;
    }
    return (int)((number & 0x20) << 1 | (number & 0x4000) >> 9 | (number & 0x1F));
}

/** Returns true if the PMCEID<n>_EL0 in @pmceid announce event @number, or have no bit for it. */
APMU_INLINE bool apmu_event_announced(const uint64_t pmceid[2], uint32_t number)
{
    const int bit = apmu_event_pmceid(number);

    return bit < 0 || (pmceid[bit / 64] >> (bit % 64) & 1) != 0;
}

#ifdef __cplusplus
}
#endif
#endif
