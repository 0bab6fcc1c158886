/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sources of events.
 *
 * A source is one thing that is counted in a program under an emulator: a class of instructions, an outcome, or the
 * modelled clock.  Each is a row of tables/sources.def, which gives its PMU event, how far its number can be trusted,
 * what it costs to count, and the convention that applies where the architecture leaves room.
 */
#ifndef ARMPMU_CLASSIFY_SOURCES_H
#define ARMPMU_CLASSIFY_SOURCES_H

#include <stdint.h>

/** How far the number of a source can be trusted. */
enum apmu_trust {
    APMU_EXACT,    /**< the architecture's definition, no more and no less */
    APMU_RETIRED,  /**< a *_SPEC event, counted at retirement: correct for a machine that never misspeculates */
    APMU_MODELLED, /**< computed from a model of a machine that does not exist */
};

/** The cost at run time of counting a source. */
enum apmu_cost {
    APMU_COST_BLOCK,   /**< none: derived from how often each block was executed */
    APMU_COST_OUTCOME, /**< a callback at each instruction or block concerned, made only if the source was requested */
};

/** The sources, one for each row of tables/sources.def, in its order. */
enum apmu_source {
#define APMU_SOURCE(event, trust, cost, convention) APMU_SOURCE_##event,
#include <armpmu/tables/sources.def>
#undef APMU_SOURCE
    APMU_SOURCE_COUNT
};

/** A row of tables/sources.def. */
struct apmu_source_info {
    const char *name;       /**< Arm's name of the event */
    uint16_t event;         /**< the event's number */
    enum apmu_trust trust;
    enum apmu_cost cost;
    const char *convention; /**< what is counted where the architecture leaves room; "" if it leaves none */
};

/** The rows, indexed by enum apmu_source. */
extern const struct apmu_source_info apmu_source_info[APMU_SOURCE_COUNT];

/** Returns the source (enum apmu_source) of event number @event, or -1 if no source counts that event. */
int apmu_source_of_event(uint16_t event);

#endif
