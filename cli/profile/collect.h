/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files share that make recordings of a program which the emulator runs. */
#ifndef ARMPMU_CLI_COLLECT_H
#define ARMPMU_CLI_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "../../qemu/user/host/record.h"
#include "../count/engine.h"
#include "recording.h"

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
/** Sets the build id of @file, if it is an ELF file that has one. */
void collect_build_id(struct recording_file *file);
/** Returns whether the file @path is a 32-bit program or library. */
bool collect_is_32(const char *path);
/** Adds the file of @kind at @path to @r, with its build id if it has one.  Returns its index, or RECORDING_NONE. */
uint32_t collect_file(struct recording *r, enum recording_file_kind kind, const char *path);
/** Adds the names of the code that process @pid generated, from the file that it wrote after the time @since. */
void collect_symbols(struct recording *r, uint32_t image, int32_t pid, uint64_t since);

#endif
