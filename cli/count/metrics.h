/* SPDX-License-Identifier: BSD-2-Clause */
/* The metrics of `armpmu stat`: those that --metrics chooses, and comments on counts that were chosen anyway. */
#ifndef ARMPMU_CLI_METRICS_H
#define ARMPMU_CLI_METRICS_H

#include <armpmu/metrics.h>

#include "engine.h"

#define METRIC_CORES 8 /* kinds of cores of a machine */

/** A metric that is printed beside an event. */
struct metric_use {
    char name[96];    /**< as printed: "ipc", "armv8_cortex_a53/ipc/"; "": a comment, whose unit says it all */
    const char *id;   /**< its name in the table; "" for a comment or a formula of the user's */
    const char *unit; /**< may be "" */
    struct apmu_formula formula;
    unsigned core;                      /**< index of its core in struct metrics */
    size_t events[APMU_FORMULA_EVENTS]; /**< after metrics_bind(): index in the selection of each event */
    size_t beside;                      /**< index of the event beside which it is printed */
};

/** Metrics that were chosen by their group and cannot be given, all for the same reason. */
struct metric_gap {
    const char *cause; /**< "cause; cure" */
    char *names;       /**< "NAME (EVENT, EVENT), NAME (EVENT)" */
};

/** All metrics of a run. */
struct metrics {
    struct count_core cores[METRIC_CORES];
    size_t core_count;
    struct metric_use *uses;
    size_t count;
    struct metric_gap *gaps;
    size_t gap_count;
    bool topdown; /**< print the levels of top-down analysis */
};

/** The value of a metric. */
struct metric_reading {
    bool defined;
    double value;
    char label[256];   /**< unit and name, and in parentheses what to know: "per cycle  ipc (estimate)" */
    const char *trust; /**< that of the event of which the least can be said */
    const char *mark;  /**< the mark of that event, which the label has too; "": none */
};

/**
 * Adds the metrics of @list, "NAME,GROUP,NAME=FORMULA,...", to @m, and the events that they need to job->selection.
 * Returns CLI_YES; or, after a complaint, CLI_USAGE if there is no such metric, CLI_CANNOT if an event is lacking.  A
 * metric of a group that lacks an event becomes a gap.
 */
int metrics_choose(struct metrics *m, struct count_job *job, const char *list);

/** Finds the events of all metrics in the selection, which is complete now, and adds comments on its other counts. */
void metrics_bind(struct metrics *m, const struct count_job *job);

/** Returns whether the engine of @job counts every event of @item, a metric or one of a group, on core @core. */
bool metrics_can(const struct metrics *m, const struct count_job *job, unsigned core, const char *item);

/** Computes metric @use from @tallies, which cover @ns nanoseconds. */
void metrics_value(const struct metrics *m, const struct count_job *job, const struct metric_use *use,
                   const struct tally *tallies, uint64_t ns, struct metric_reading *reading);

/** Frees what @m holds. */
void metrics_free(struct metrics *m);

#endif
