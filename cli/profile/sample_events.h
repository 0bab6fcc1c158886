/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of perf_event that are sampled, and the rings into which the kernel writes the samples: one for each CPU, as
 * an event that children inherit can have none for all CPUs.
 */
#ifndef ARMPMU_CLI_SAMPLE_EVENTS_H
#define ARMPMU_CLI_SAMPLE_EVENTS_H

#include "../count/launch.h"
#include "../count/machine.h"
#include "sample_record.h"

struct perf_event_mmap_page;

/** The ring of a CPU. */
struct sample_cpu {
    struct perf_event_mmap_page *page; /**< NULL: nothing is open on this CPU */
    size_t length;                     /**< of what is mapped, from the page on */
    int fd;                            /**< the event whose ring it is; the others write there, too */
};

/** An open event. */
struct sample_event {
    int fd;
    bool leader;   /**< of a group, or alone: it is the one to be started */
    bool tracks;   /**< it takes no samples, and tells of maps, names and forks */
    uint64_t id;
    uint32_t event; /**< its number in the selection */
};

struct sample_events {
    struct count_job *job;
    struct apmu_perf_pmu pmus[MACHINE_PMUS];
    struct sample_cpu *cpus;
    unsigned cpu_count;
    struct sample_event *events;
    size_t event_count, event_room;
};

/**
 * Opens the events of @job on each CPU for what it samples: the program of @launch, threads that run already, or
 * everything.  A program's events start when it is executed; others by sample_events_start().  @e is all zeros.
 * Returns CLI_YES, or CLI_CANNOT after a complaint; sample_events_close() is called in any case.
 */
int sample_events_open(struct sample_events *e, struct count_job *job, const struct launch *launch);

/** Starts the events.  Returns CLI_YES, or CLI_CANNOT after a complaint. */
int sample_events_start(struct sample_events *e);

/** Stops the events. */
void sample_events_stop(struct sample_events *e);

/** Returns what the ring of @cpu has. */
struct sample_ring sample_events_ring(const struct sample_cpu *cpu);

/** Tells the kernel that the ring of @cpu was read up to @tail. */
void sample_events_read(struct sample_cpu *cpu, uint64_t tail);

/** Closes everything and frees what @e holds. */
void sample_events_close(struct sample_events *e);

#endif
