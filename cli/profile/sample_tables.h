/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes tables of a recording out of the records of perf_event (sample_record.h).
 *
 *     rings of CPUs --- sample_tables_put() --->  records that wait, with their times
 *                                                    | sample_tables_settle(): in the order of time
 *                                                    v
 *     processes, their programs and maps; threads     the samples, each with its thread and map
 *                                                    |
 *                        sample_tables_recording()   v
 *                                                 struct recording
 *
 * The kernel writes a record to the ring of the CPU on which it happened.  So a sample may be read before the map in
 * which it lies, and records wait until all rings were read that may have earlier ones.
 *
 * A program, a map or a thread gets a row when the first sample belongs to it, so a recording of a whole machine has
 * what was sampled.
 */
#ifndef ARMPMU_CLI_SAMPLE_TABLES_H
#define ARMPMU_CLI_SAMPLE_TABLES_H

#include "recording.h"
#include "sample_record.h"

struct sample_tables;

/** How the tables are made. */
struct sample_options {
    uint64_t start_ns;   /**< the time at which the recording began */
    bool call_graph;     /**< samples have call chains */
    size_t event_count;
    /** Returns the command line of process @pid, which the caller frees, or NULL.  May be NULL itself. */
    char *(*command)(int32_t pid);
};

/** What is missing in the tables. */
struct sample_losses {
    uint64_t lost;      /**< records, because a ring was full */
    uint64_t throttled; /**< how often the kernel took no samples for a moment */
    uint64_t broken;    /**< records that made no sense */
};

/** Returns tables without rows.  Ends armpmu if there is no memory, as all of these functions do. */
struct sample_tables *sample_tables_new(const struct sample_options *options);

void sample_tables_free(struct sample_tables *t);

/** Makes samples with the identifier @id samples of event @event. */
void sample_tables_event(struct sample_tables *t, uint64_t id, uint32_t event);

/** Adds a process that runs already: @name is that of its program, @command may be NULL. */
void sample_tables_process(struct sample_tables *t, int32_t pid, const char *name, const char *command);

/** Adds a map of code that process @pid has already. */
void sample_tables_map(struct sample_tables *t, int32_t pid, uint64_t start, uint64_t end, uint64_t offset,
                       const char *path);

/** Sets the name of a thread that runs already. */
void sample_tables_thread(struct sample_tables *t, int32_t tid, const char *name);

/** Adds the record of @size bytes at @bytes. */
void sample_tables_put(struct sample_tables *t, const uint8_t *bytes, size_t size);

/** Takes the records that wait from times before @until_ns into the tables. */
void sample_tables_settle(struct sample_tables *t, uint64_t until_ns);

/** Returns the time of the latest record. */
uint64_t sample_tables_latest(const struct sample_tables *t);

/** Returns the number of samples. */
size_t sample_tables_count(const struct sample_tables *t);

const struct sample_losses *sample_tables_losses(const struct sample_tables *t);

/**
 * Adds all tables but events and symbols to @r, which has its events already.  Sets the mean period of the events that
 * have a frequency.  Returns false if there is no memory.
 */
bool sample_tables_recording(const struct sample_tables *t, struct recording *r);

#endif
