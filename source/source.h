/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where events come from.
 *
 * A source is one thing that an engine can count: a class of instructions, an outcome, or the modelled clock.  Each is
 * a row of tables/sources.def, with the PMU event that it is, how far it can be trusted, what it costs, and the
 * convention where the architecture leaves room.
 */
#ifndef ARMPMU_SOURCE_H
#define ARMPMU_SOURCE_H

#include <stdint.h>

/** How far the number of a source can be trusted. */
enum apmu_trust {
    APMU_EXACT,    /**< what the architecture defines, no more and no less */
    APMU_RETIRED,  /**< a *_SPEC event counted at retirement: right for a machine that never speculates wrongly */
    APMU_MODELLED, /**< follows from a model of a machine that does not exist */
};

/** What counting it costs at run time. */
enum apmu_cost {
    APMU_COST_BLOCK,   /**< nothing: it follows from how often each block was executed */
    APMU_COST_OUTCOME, /**< a callback at each instruction or block concerned, paid only when asked for */
};

/** The sources: rows of tables/sources.def, APMU_SOURCE(id, event, trust, cost, convention). */
enum apmu_source {
#define APMU_SOURCE(id, event, trust, cost, convention) APMU_SOURCE_##id,
#include <armpmu/tables/sources.def>
#undef APMU_SOURCE
    APMU_SOURCE_COUNT
};

struct apmu_source_info {
    const char *name;       /**< the event's name, Arm's */
    uint16_t event;         /**< the event's number */
    enum apmu_trust trust;
    enum apmu_cost cost;
    const char *convention; /**< what is counted where the architecture leaves room; "" where it leaves none */
};

extern const struct apmu_source_info apmu_source_info[APMU_SOURCE_COUNT];

/** The source of event number @event, or -1 if no engine of ours counts it. */
int apmu_source_of_event(uint16_t event);

#endif
