/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Regions: pieces of code with a name, which nest as they are executed, and what a session counted in each.
 *
 * For users who ask where in a program the events occur.  A region may contain other regions and itself.  Each event
 * is counted twice: with the regions inside (total) and without them (self).
 *
 * @code
 * #include <stdio.h>
 * #include <armpmu/driver.h>
 * #include <armpmu/events.h>
 * #include <armpmu/model.h>
 * int main(void)
 * {
 *     static struct apmu model;
 *     const struct apmu_config config = {
 *         .size = sizeof config, .features = apmu_features_closure(APMU_FEAT(PMUv3) | APMU_FEAT(AA64EL1)),
 *     };
 *     const struct apmu_pe pe = {.el = 1};
 *     struct apmu_model_backend backend = {.pmu = &model, .pe = &pe};
 *     const struct apmu_dev dev = {.ops = &apmu_model_ops, .ctx = &backend};
 *     struct apmu_pmu pmu;
 *     struct apmu_wish wish;
 *     struct apmu_session session;
 *     struct apmu_reading now[1];
 *     struct apmu_region_count counts[1] = {{0}};
 *     struct apmu_region_span spans[8];
 *     struct apmu_region draw = {.name = "draw", .counts = counts}, *stack[8];
 *     struct apmu_regions regions = {.session = &session, .depth = 8, .stack = stack, .spans = spans, .now = now};
 *     apmu_init(&model, &config);
 *     if (apmu_pmu_discover(&dev, NULL, &pmu) != APMU_OK || apmu_wish_parse("CPU_CYCLES", &wish) != APMU_OK ||
 *         apmu_session_open(&session, &dev, &pmu, &wish, 1, NULL) != APMU_OK) {
 *         return 1;
 *     }
 *     apmu_session_start(&session);
 *     apmu_region_begin(&regions, &draw);
 *     apmu_cycles(&model, &pe, 1000, NULL);
 *     apmu_region_end(&regions, &draw);
 *     printf("%s: %u cycles\n", draw.name, (unsigned)counts[0].total);
 *     return apmu_session_close(&session) != APMU_OK;
 * }
 * @endcode
 *
 * All memory is the caller's and stays in place.  Begin and end read the session (apmu_session_read()) and can return
 * its errors; then nothing has begun, or the region is still open.
 *
 * Re-entrancy: a struct apmu_regions, and each struct apmu_region, belongs to one context.  A handler that interrupts
 * that context uses its own, over the same session.
 */
#ifndef ARMPMU_REGION_H
#define ARMPMU_REGION_H

#include <armpmu/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a region counted for one wish, in events, in the calls that have ended. */
struct apmu_region_count {
    uint64_t self;  /**< without the regions that began inside */
    uint64_t total; /**< with them; where a region is inside itself, only its outermost call adds to it */
    uint64_t min;   /**< least events of one call, with the regions inside */
    uint64_t max;   /**< most events of one call, with the regions inside */
};

/** A region.  The caller sets name and counts; all other members begin as 0. */
struct apmu_region {
    const char *name;
    struct apmu_region_count *counts; /**< one for each wish of the session */
    uint64_t calls;                   /**< number of calls that have ended */
    uint32_t doubts;                  /**< set of APMU_DOUBT_x of all readings that the counts are made of */

    /* Internal: */
    uint32_t open; /* number of calls that have begun and not ended */
};

/** One wish in one open call. */
struct apmu_region_span {
    /* Internal: */
    uint64_t begin;  /* the count when the call began */
    uint64_t inside; /* events of the regions that began inside and have ended */
    uint64_t cost;   /* events of beginning and ending them */
};

/** The cost of an empty region, for one wish.  apmu_regions_calibrate() measures it. */
struct apmu_region_cost {
    uint64_t inside;  /**< events that an empty region counts */
    uint64_t outside; /**< events of its begin and end that only the region around it counts */
};

/** A stack of open regions.  The caller sets the first group of members; the others begin as 0. */
struct apmu_regions {
    struct apmu_session *session;
    size_t depth;                   /**< how many calls can be open at once */
    struct apmu_region **stack;     /**< depth elements */
    struct apmu_region_span *spans; /**< depth * number of wishes of the session */
    struct apmu_reading *now;       /**< one for each wish */
    struct apmu_region_cost *costs; /**< one for each wish; or NULL: nothing is subtracted */

    size_t open;                      /**< number of calls that are open */
    const struct apmu_region *missed; /**< after APMU_E_REGION_ORDER: the region that must end first; NULL: none is
                                           open */
};

/** Begins a call of @region.  APMU_E_REGION_DEPTH: r->depth calls are open already. */
enum apmu_error apmu_region_begin(struct apmu_regions *r, struct apmu_region *region);

/**
 * Ends the call of @region, which must be the last that began and has not ended.
 * APMU_E_REGION_ORDER: it is not; r->missed is the one that is, and nothing has changed.
 */
enum apmu_error apmu_region_end(struct apmu_regions *r, struct apmu_region *region);

/**
 * Measures for each wish what an empty region costs, as the least of @rounds (1 or more) attempts, and stores it in
 * r->costs.  From then on the cost is subtracted, so a region counts what its own code does, as far as each call costs
 * the same.  No count falls below 0.
 * APMU_E_REGION_ORDER: a region is open; APMU_E_REGION_DEPTH: r->depth is less than 2; APMU_E_UNSUPPORTED: r->costs is
 * NULL, or the session has more wishes than a PMU has counters; APMU_E_STATE: the session is not running.
 */
enum apmu_error apmu_regions_calibrate(struct apmu_regions *r, unsigned rounds);

#ifdef __cplusplus
}
#endif
#endif
