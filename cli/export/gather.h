/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The counts of `armpmu export`, by CPU, by cgroup or for processes, since each was found.  Calls go down:
 *
 *      cli/export.c         the verb: options, and what to do when
 *       |-- gather.c        reads the engine, closes windows, judges counters
 *       |    |-- cgroups.c  the cgroups that match patterns
 *       |    `-- host.c     for how long each CPU was busy, and which are online, from Linux
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
#include "cgroups.h"

/** Whether a counter counts what the CPU does. */
enum gather_health {
    GATHER_UNKNOWN, /**< the CPU was never busy enough to tell, or the event is not one that must move */
    GATHER_STANDS,  /**< the CPU was busy, and the counter stood still */
    GATHER_MOVES
};

#define GATHER_CGROUPS 256u /* more are left out: each costs files and time */

/** The counts of a CPU, a cgroup, or the processes of --pid.  Arrays have an element for each event. */
struct gather_part {
    struct count_cpu state;
    struct tally *total;  /**< since the part was found; it never decreases */
    struct tally *opened; /**< the total when the window was opened */
    struct tally *window; /**< what the last window counted */
    enum gather_health *health;
    double busy_s;        /**< the time for which the CPU had been busy then; not a number: not known */
    double created_s;     /**< when counting began, since 1970 */
    bool has_window;      /**< a window has ended since the part was found */
    void *run;            /**< the engine's; NULL: the one of all CPUs is in struct gather */
    struct cgroup of;     /**< the cgroup; all zeros: none */
    struct count_job job; /**< of the cgroup */
};

struct gather {
    struct count_job *job;
    const char *const *patterns; /**< of cgroups */
    size_t pattern_count;
    void *run; /**< the engine's, for all CPUs */
    struct gather_part **parts;
    size_t part_count; /**< the CPUs of the machine, the cgroups that were found, or 1 */
    size_t left_out;   /**< cgroups that match and are not counted */
    bool full;         /**< no further cgroup is tried until one is gone */
    uint64_t opened_ns, window_ns; /**< when the window was opened; how long the last one was, 0: there is none yet */
    bool ended;                    /**< the processes have ended */
    char online[256];              /**< the CPUs that were online at the last look */
    struct count_cpu *states;      /**< scratch */
    struct tally *tallies;         /**< scratch */
};

/**
 * Begins to count @job, whose selection is complete: on every CPU, or the processes of --pid, or, if there are any, the
 * cgroups that match one of the @pattern_count @patterns.  Returns CLI_YES, or the exit status after a complaint.
 */
int gather_begin(struct gather *g, struct count_job *job, const char *const *patterns, size_t pattern_count);

/** Reads all counts.  Returns CLI_YES, or the exit status after a complaint. */
int gather_read(struct gather *g);

/**
 * Looks whether the processes have ended, and reads all counts if CPUs have come or gone.  Returns as gather_read()
 * does.
 */
int gather_look(struct gather *g);

/**
 * Reads all counts and closes the window.  Begins to count cgroups that are new, and drops those that are gone.
 * Returns as gather_read() does.
 */
int gather_close(struct gather *g);

/** Stops counting and frees what @g holds. */
void gather_end(struct gather *g);

#endif
