/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was counted over time while a program runs: a row for each interval.  At most INTERVALS_MOST have ended.  When
 * there would be more, each two become one, and intervals are twice as long from then on.  So a run of any length has a
 * row for each thirtieth of its time, or more, unless reading the counts took longer.
 */
#ifndef ARMPMU_CLI_COLLECT_INTERVALS_H
#define ARMPMU_CLI_COLLECT_INTERVALS_H

#include "collect.h"

#define INTERVALS_MOST     64u
#define INTERVALS_FIRST_NS UINT64_C(100000000) /* the length of the first intervals */
#define INTERVALS_SHARE    50u /* counts are read at most for one part in so many of the time */

struct collect_intervals {
    size_t events;
    uint64_t step_ns; /* the length of an interval; 0: there are none */
    uint64_t next_ns; /* when the present interval ends */
    uint64_t last_ns; /* when the last one ended */
    struct recording_interval *rows;
    size_t count;
    uint64_t *counts; /* a row of events for each interval */
    uint64_t *last;   /* the sum of all rows */
};

/** Makes @s ready for the counts of @events events.  All zeros, it has no intervals. */
void collect_intervals_init(struct collect_intervals *s, size_t events);

/** Ends an interval at @now_ns: since the start @totals was counted.  What seems to go back waits. */
void collect_intervals_end(struct collect_intervals *s, uint64_t now_ns, const uint64_t *totals);

/** Does what apmu_run_wait() does, and ends intervals meanwhile: @shares tell what the events count of @run. */
void collect_intervals_wait(struct collect_intervals *s, struct apmu_run *run, const struct collect_shares *shares,
                            int timeout_ms, struct apmu_run_status *status);

/**
 * Adds the intervals to @r, which has its code, with one that ends at @now_ns, so that they add up to what the code
 * counted.  Returns false if there is no memory.
 */
bool collect_intervals_add(const struct collect_intervals *s, struct recording *r, uint64_t now_ns);

/** Frees what @s holds. */
void collect_intervals_free(struct collect_intervals *s);

#endif
