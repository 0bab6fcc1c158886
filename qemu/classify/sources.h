/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sources of events.
 *
 * A source is one thing that an engine can count: a class of instructions, an outcome, or the modelled clock.  Each is
 * a row of tables/sources.def, which gives its PMU event, how far its number can be trusted, what it costs to count,
 * and the convention that applies where the architecture leaves room.
 */
#ifndef ARMPMU_SOURCE_H
#define ARMPMU_SOURCE_H

#include <stdint.h>

/** How far the number of a source can be trusted. */
enum apmu_trust {
    APMU_EXACT,    /**< the architecture's definition, no more and no less */
    APMU_RETIRED,  /**< a *_SPEC event, counted at retirement: correct for a machine that never misspeculates */
    APMU_MODELLED, /**< computed from a model of a machine that does not exist */
};

/** What it costs at run time to count a source. */
enum apmu_cost {
    APMU_COST_BLOCK,   /**< none: derived from how often each block was executed */
    APMU_COST_OUTCOME, /**< a callback at each instruction or block concerned, made only if the source was requested */
};

/** The sources: rows of tables/sources.def, APMU_SOURCE(id, event, trust, cost, convention). */
enum apmu_source {
#define APMU_SOURCE(id, event, trust, cost, convention) APMU_SOURCE_##id,
#include <armpmu/tables/sources.def>
#undef APMU_SOURCE
    APMU_SOURCE_COUNT
};

struct apmu_source_info {
    const char *name;       /**< Arm's name of the event */
    uint16_t event;         /**< the event's number */
    enum apmu_trust trust;
    enum apmu_cost cost;
    const char *convention; /**< what is counted where the architecture leaves room; "" if it leaves none */
};

extern const struct apmu_source_info apmu_source_info[APMU_SOURCE_COUNT];

/** Returns the source of event number @event, or -1 if our engines do not count that event. */
int apmu_source_of_event(uint16_t event);

#endif
