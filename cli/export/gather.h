/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The counts of `armpmu export`, by CPU or for processes, since the exporter began.  Calls go down:
 *
 *      cli/export.c         the verb: options, and what to do when
 *       |-- gather.c        reads the engine, closes windows, judges counters
 *       |    `-- busy.c     for how long each CPU was busy, from Linux
 *       |-- expose.c        prints the counts as OpenMetrics
 *       |-- textfile.c      writes them for node_exporter
 *       `-- serve.c         serves them over HTTP; serve_none.c stands for it in a static program
 *
 * Counts are read at each scrape.  Besides, time is divided into windows: gather_close() ends one and begins the next.
 * Metrics, validity and health are those of the last window, so that they are the same for everybody who asks.
 */
#ifndef ARMPMU_CLI_EXPORT_GATHER_H
#define ARMPMU_CLI_EXPORT_GATHER_H

#include "../count/engine.h"

/** Whether a counter counts what the CPU does. */
enum gather_health {
    GATHER_UNKNOWN, /**< the CPU was never busy enough to tell, or the event is not one that must move */
    GATHER_STANDS,  /**< the CPU was busy, and the counter stood still */
    GATHER_MOVES
};

/** The counts of a CPU, or of the processes of --pid.  Arrays have an element for each event of the selection. */
struct gather_part {
    struct count_cpu state;
    struct tally *base;   /**< what earlier runs of the engine counted */
    struct tally *total;  /**< since the exporter began; it never decreases */
    struct tally *opened; /**< the total when the window was opened */
    struct tally *window; /**< what the last window counted */
    enum gather_health *health;
    struct count_cpu before; /**< the state when the window was opened */
    double busy_s;           /**< the time for which the CPU had been busy then; not a number: not known */
};

struct gather {
    struct count_job *job;
    void *run; /**< the engine's */
    struct gather_part *parts;
    size_t part_count; /**< the CPUs of the machine, with --all-cpus; otherwise 1 */
    double created_s;  /**< when the exporter began, since 1970 */
    uint64_t opened_ns, window_ns; /**< when the window was opened; how long the last one was, 0: there is none yet */
    bool ended;                    /**< the processes have ended */
    struct count_cpu *states;      /**< scratch */
    struct tally *tallies;         /**< scratch */
};

/** Begins to count @job, whose selection is complete.  Returns CLI_YES, or the exit status after a complaint. */
int gather_begin(struct gather *g, struct count_job *job);

/** Reads all counts.  Returns CLI_YES, or the exit status after a complaint. */
int gather_read(struct gather *g);

/**
 * Reads all counts and closes the window.  Counts a CPU again that has come back.  Returns CLI_YES, or the exit status
 * after a complaint.
 */
int gather_close(struct gather *g);

/** Stops counting and frees what @g holds. */
void gather_end(struct gather *g);

/** Sets the first @count of @seconds to the time for which each CPU has been busy; not a number: not known. */
void busy_read(double *seconds, size_t count);

#endif
