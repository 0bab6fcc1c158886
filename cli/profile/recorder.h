/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What makes recordings: the emulator, exact ones or samples of a model's counters (collect.c), and perf_event samples
 * of this machine (sample.c).  `armpmu record` calls begin(), nothing(), start(), then wait() and read() in turns, and
 * end().
 */
#ifndef ARMPMU_CLI_RECORDER_H
#define ARMPMU_CLI_RECORDER_H

#include "../count/engine.h"
#include "recording.h"

struct recorder {
    const struct engine *engine; /**< it chooses events */
    const char *usual;           /**< the events without --event */
    const char *unit;            /**< what progress() counts: "million instructions", "samples" */
    /** Returns CLI_YES if the options of @job fit, or the exit status after a complaint. */
    int (*check)(struct count_job *job);
    /**
     * Prepares to record @job, which lasts until end().  If that fails, complains, sets *@status to the exit status,
     * and returns NULL.
     */
    void *(*begin)(struct count_job *job, int *status);
    /** Starts the program, if there is one.  Returns CLI_YES, or the exit status after a complaint. */
    int (*start)(void *run);
    /** Returns the process id of the program; 0: there is none. */
    int (*pid)(const void *run);
    /** Waits until what is recorded ends or @timeout_ms pass (-1: no limit).  Fills @status. */
    void (*wait)(void *run, int timeout_ms, struct count_status *status);
    /** Returns how far the run is. */
    double (*progress)(void *run);
    /** Returns a recording without counts, as before the start, which the caller frees; NULL after a complaint. */
    struct recording *(*nothing)(const void *run);
    /**
     * Returns a recording of what was counted until now, which the caller frees.  If that fails, complains, sets
     * *@status to the exit status, and returns NULL.
     */
    struct recording *(*read)(void *run, int *status);
    /** Ends the program if it still runs, and frees @run. */
    void (*end)(void *run);
};

extern const struct recorder collect_recorder; /* collect.c */
extern const struct recorder sample_recorder;  /* sample.c */

#endif
