/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The counts of `armpmu stat -I --to perfetto` as a timeline: a counter for each event and each metric, and with
 * --all-cpus one for each event on each CPU.  A counter has the count of an interval from the interval's beginning to
 * its end, so the sum of a counter's values is the event's count.
 */
#ifndef ARMPMU_CLI_INTERVALS_H
#define ARMPMU_CLI_INTERVALS_H

#include "../timeline/timeline.h"
#include "metrics.h"

struct intervals {
    const struct count_job *job;
    const struct metrics *metrics;
    struct timeline timeline;
    uint64_t target;   /**< the group of what is counted */
    uint64_t *tracks;  /**< the counter of each event, then of each metric; 0: it has none */
    uint64_t end_ns;   /**< when the last interval ended */
    uint64_t gaps;     /**< counts that an interval lacks, because the event had no counter */
    unsigned cpus;     /**< 0: CPUs are not told apart; the members below hold a row for each of them */
    struct count_cpu *states;
    uint64_t *cpu_tracks; /**< the counter of each event of each CPU; 0: the CPU was not counted yet */
    struct tally *now, *before;
};

/** Begins the timeline of @run, a run of the engine of @job, in @file. */
void intervals_begin(struct intervals *s, const struct count_job *job, const struct metrics *metrics, void *run,
                     FILE *file);

/** Reads the counts of @run until now, @at_ns after the start, as read() of struct engine does. */
int intervals_read(struct intervals *s, void *run, uint64_t at_ns, struct tally *tallies);

/** Writes an interval of @since_ns that ended at @at_ns: @tallies have what was counted in it. */
void intervals_write(struct intervals *s, const struct tally *tallies, uint64_t at_ns, uint64_t since_ns);

/** Ends the counters, remarks on stderr what they lack, and frees what @s holds. */
void intervals_end(struct intervals *s);

/** Sets *@since to what was counted from *@before to *@now, which becomes *@before. */
void intervals_subtract(const struct tally *now, struct tally *before, struct tally *since);

#endif
