/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What engine perf has open with the kernel: groups of events, each on one thread or CPU.
 *
 * CPUs come and go.  When a CPU goes offline the kernel gives up its events for good: their counts and times stay as
 * they are, and nothing resumes them when the CPU is online again.  A CPU is in one of these states:
 *
 *     OFF   nothing is open on it                  LOST  the kernel has given up what was open
 *     ON    its events count
 *
 *     perf_groups_open() --> ON, or OFF if the CPU is offline
 *     ON --- find_lost(): the CPU was offline since the last reading ------------------------------> LOST
 *     OFF, LOST --- resume(): with count_job.lasting; the CPU is online, and its events are opened --> ON
 *
 * What was counted before is added to what is counted afterwards.
 */
#ifndef ARMPMU_CLI_PERF_GROUPS_H
#define ARMPMU_CLI_PERF_GROUPS_H

#include <armpmu/perf.h>

#include "engine.h"
#include "launch.h"
#include "machine.h"

/** The first reason for which a CPU was not counted. */
enum perf_cpu_gap {
    PERF_CPU_NO_GAP,
    PERF_CPU_OFF_AT_FIRST, /**< it was offline when counting began */
    PERF_CPU_TAKEN_OFF
};

/** A CPU that is counted. */
struct perf_cpu {
    enum { PERF_CPU_OFF, PERF_CPU_ON, PERF_CPU_LOST } state;
    enum perf_cpu_gap gap;
    uint64_t until_ns;   /**< with PERF_CPU_TAKEN_OFF: the time from the start for which it was counted */
    int sentinel;        /**< the descriptor of a software event whose enabled time grows until the CPU is lost */
    uint64_t enabled_ns; /**< this time when find_lost() last read it */
    uint64_t past_ns;    /**< for how long it was counted before that sentinel */
    uint64_t missed_ns;  /**< while it is ON: for how long it may have run uncounted */
    struct tally *past;  /**< what events count that are open no more, for each event of the selection */
};

/** One group of events, open on one thread or CPU. */
struct perf_group {
    struct apmu_session session;
    struct apmu_perf perf;
    size_t first; /**< index in the selection of its first event; it has session.count of them */
    unsigned cpu; /**< its CPU, with --all-cpus or a cgroup */
};

struct perf_groups {
    struct count_job *job;
    struct apmu_perf_pmu pmus[MACHINE_PMUS];
    int cgroup; /**< the descriptor of the folder of count_job.cgroup; -1: none */
    struct perf_group **groups;
    size_t group_count;
    struct perf_cpu *cpus;
    unsigned cpu_count;       /**< the CPUs of the machine, with --all-cpus or a cgroup; otherwise 0 */
    bool scaled;              /**< a reading was an estimate */
    struct apmu_perf refused; /**< the last group that could not be opened */
};

/**
 * Opens the events of @job on what it counts: every CPU, the program of @launch, or threads that run already.  Starts
 * them, except for those of a program, which the kernel starts when it is executed.  @g is all zeros.  Returns CLI_YES,
 * or CLI_CANNOT after a complaint; perf_groups_close() is called in any case.
 */
int perf_groups_open(struct perf_groups *g, struct count_job *job, const struct launch *launch);

/** Does what read() of struct engine does. */
int perf_groups_read(struct perf_groups *g, uint64_t elapsed_ns, struct tally *tallies);

/** Does what read_cpus() of struct engine does. */
int perf_groups_read_cpus(struct perf_groups *g, uint64_t elapsed_ns, struct count_cpu *states, struct tally *tallies);

/** Closes everything and frees what @g holds. */
void perf_groups_close(struct perf_groups *g);

/** Returns whether CPU @cpu is online. */
bool perf_groups_online(unsigned cpu);

/**
 * Restricts every event without a modifier to the application, as perf does for a user who may not count the kernel,
 * and adds :u to its name.  Returns false if there is no such event.
 */
bool perf_groups_leave_out_the_kernel(struct selection *s);

/**
 * Raises the limit of open files to the most that the system allows: each event on each CPU or thread takes a file.
 * The program, a child already, keeps the old limit.
 */
void perf_groups_raise_limit(void);

#endif
