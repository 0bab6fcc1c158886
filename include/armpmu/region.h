/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Regions: pieces of code with a name, nested as they are executed, and what a session counted in each.
 *
 * For whoever asks where in a program the events occur.  A region may contain others and itself; what it counts is kept
 * twice, with (total) and without (self) the regions inside it.  All memory is the caller's, and none is moved.
 *
 *     static struct apmu_region_count draw_counts[2];
 *     static struct apmu_region draw = {.name = "draw", .counts = draw_counts};
 *     static struct apmu_region *stack[8];
 *     static struct apmu_region_span spans[8 * 2];
 *     static struct apmu_reading now[2];
 *     struct apmu_regions regions = {.session = &session, .depth = 8, .stack = stack, .spans = spans, .now = now};
 *
 *     apmu_region_begin(&regions, &draw);
 *     ...
 *     apmu_region_end(&regions, &draw);
 *
 * Beginning and ending are readings of the session (apmu_session_read()), so they may return its errors; then nothing
 * has begun, or the region is still open.  A struct apmu_regions belongs to one context: a handler that interrupts it
 * has its own, with regions of its own, over the same session.
 */
#ifndef ARMPMU_REGION_H
#define ARMPMU_REGION_H

#include <armpmu/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a region counted of one wish, in its events, over the calls that have ended. */
struct apmu_region_count {
    uint64_t self;  /**< without the regions that began inside */
    uint64_t total; /**< with them; of a region inside itself, the outermost call */
    uint64_t min;   /**< least of one call, with what began inside */
    uint64_t max;   /**< most of one call */
};

/** A region.  name and counts are the caller's to set, the rest begins as 0. */
struct apmu_region {
    const char *name;
    struct apmu_region_count *counts; /**< one for each wish of the session */
    uint64_t calls;                   /**< that have ended */
    uint32_t doubts;                  /**< of any reading that it is made of: set of APMU_DOUBT_x */
    uint32_t open;                    /**< calls that have begun and not ended */
};

/** Of one wish in one open call. */
struct apmu_region_span {
    uint64_t begin;  /**< the count when it began */
    uint64_t inside; /**< events of the regions that began inside, and ended */
    uint64_t cost;   /**< events of beginning and ending them */
};

/** What an empty region costs, of one wish. */
struct apmu_region_cost {
    uint64_t inside;  /**< events that an empty region counts */
    uint64_t outside; /**< events of its beginning and end that only the region around it counts */
};

/** Where in the regions the execution is.  The first group of members is the caller's to set, the rest begins as 0. */
struct apmu_regions {
    struct apmu_session *session;
    size_t depth;                   /**< the most calls that can be open */
    struct apmu_region **stack;     /**< depth */
    struct apmu_region_span *spans; /**< depth * wishes of the session */
    struct apmu_reading *now;       /**< one for each wish */
    struct apmu_region_cost *costs; /**< one for each wish, or NULL: nothing is subtracted */

    size_t open;                      /**< calls that are */
    const struct apmu_region *missed; /**< after APMU_E_REGION_ORDER: the region that has to end first; NULL: none is open */
};

/**
 * @region begins.
 * APMU_E_REGION_DEPTH: as many are open as there is room for.
 */
enum apmu_error apmu_region_begin(struct apmu_regions *r, struct apmu_region *region);

/**
 * @region ends: it is the last one that began and has not ended.
 * APMU_E_REGION_ORDER: it is not; r->missed is the one that is.  Nothing has changed then.
 */
enum apmu_error apmu_region_end(struct apmu_regions *r, struct apmu_region *region);

/**
 * Measures what an empty region costs, the least of @rounds, 1 or more, for each wish, into r->costs.  From then on it is
 * subtracted: a region counts what its own code does, as far as each call costs the same.  No count falls below 0.
 * APMU_E_REGION_ORDER: a region is open; APMU_E_REGION_DEPTH: r->depth is less than 2; APMU_E_UNSUPPORTED: r->costs is
 * NULL, or the session has more wishes than a PMU has counters; APMU_E_STATE: the session is not running.
 */
enum apmu_error apmu_regions_calibrate(struct apmu_regions *r, unsigned rounds);

#ifdef __cplusplus
}
#endif
#endif
