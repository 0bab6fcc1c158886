/* SPDX-License-Identifier: BSD-2-Clause */
/* Has the emulator run a program, and makes recordings of what it counted. */
#ifndef ARMPMU_CLI_COLLECT_H
#define ARMPMU_CLI_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "../../qemu/user/host/record.h"
#include "../count/engine.h"
#include "recording.h"

struct collector;

/**
 * Returns a collector for @job, whose events the emulator counts.  @job lasts until collect_end().  If that fails,
 * complains, sets *@status to the exit status, and returns NULL.
 */
struct collector *collect_begin(const struct count_job *job, int *status);

/** Starts the program.  Returns CLI_YES, or the exit status after a complaint. */
int collect_start(struct collector *c);

/** Returns the process id of the program. */
int collect_pid(const struct collector *c);

/** Waits until the program ends or @timeout_ms pass (-1: no limit).  Fills @status. */
void collect_wait(struct collector *c, int timeout_ms, struct count_status *status);

/** Returns how many instructions were retired until now; 0 if that is not known. */
uint64_t collect_instructions(struct collector *c);

/** Returns a recording without counts, as before the start, which the caller frees; NULL after a complaint. */
struct recording *collect_nothing(const struct collector *c);

/**
 * Returns a recording of what was counted until now, which the caller frees.  If that fails, complains, sets *@status
 * to the exit status, and returns NULL.
 */
struct recording *collect_read(struct collector *c, int *status);

/** Ends the program if it still runs, and frees @c. */
void collect_end(struct collector *c);

/* collect_shares.c */
/** What an event counts for each occurrence of a source. */
struct event_share {
    uint32_t event, source; /**< source: an element of a shape */
    uint64_t times;
};
/** The shares of the events, what the modelled core counts, and the sources of the call graph. */
struct collect_shares {
    uint16_t core_events[APMU_RUN_CORE_EVENTS];
    size_t core_event_count;
    struct event_share *shares;
    size_t count;
    uint16_t sources[APMU_GRAPH_EVENTS]; /**< those that occur in shares, each once */
    size_t source_count;
};
/** Finds the shares of the events of @job.  Returns CLI_YES, or the exit status after a complaint. */
int collect_shares_find(struct collect_shares *s, const struct count_job *job);

/* collect_graph.c */
/** Finds the sources of the call graph.  Returns false if there are more than APMU_GRAPH_EVENTS. */
bool collect_sources(struct collect_shares *s);
/** Adds the call graphs of @run, of which @record was just read, to @r.  Returns false if there is no memory. */
bool collect_graphs(struct recording *r, const struct apmu_run_record *record, const struct apmu_run *run,
                    const struct collect_shares *s);

/* collect_files.c */
/** Adds the file of @kind at @path to @r, with its build id if it has one.  Returns its index, or RECORDING_NONE. */
uint32_t collect_file(struct recording *r, enum recording_file_kind kind, const char *path);
/** Adds the names of the code that process @pid generated, from the file that it wrote after the time @since. */
void collect_symbols(struct recording *r, uint32_t image, int32_t pid, uint64_t since);

#endif
