/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starts the program that engine perf counts, or finds the processes and threads that run already, and waits for their
 * end.
 *
 * The program is a child that waits at a pipe until its events are open.  The order of calls is launch_prepare(), then
 * opening the events, launch_go(), launch_wait() as often as wanted, and in any case launch_end().
 */
#ifndef ARMPMU_CLI_LAUNCH_H
#define ARMPMU_CLI_LAUNCH_H

#include <signal.h>
#include <sys/types.h>

#include "engine.h"

struct launch {
    pid_t pid;          /**< the program; 0: none is given */
    pid_t *threads;     /**< the threads of --pid and --tid */
    size_t thread_count;
    bool watch_threads; /**< counting ends when these threads have ended or the user interrupts */
    bool interrupted;   /**< a signal asked for the end */
    int go;             /**< the pipe to the child: a byte has it execute the program; -1: not open */
    int failed;         /**< the pipe from the child: the errno if exec fails; -1: not open */
    sigset_t waited;    /**< the signals for which launch_wait() waits; they stay blocked until launch_end() */
    sigset_t old_mask;
    uint64_t start_ns;  /**< the start of counting, by CLOCK_MONOTONIC */
    struct count_status status; /**< without method and remarks */
};

/**
 * Finds the threads of --pid and --tid, and makes the child that waits to become the program.
 * Returns CLI_YES, or the exit status after a complaint.
 */
int launch_prepare(struct launch *l, const struct count_job *job);

/**
 * Lets the program begin.  Returns CLI_YES; or, after a complaint, 127 if there is no such program, 126 if it cannot be
 * executed, CLI_CANNOT if the child is gone.
 */
int launch_go(struct launch *l, const struct count_job *job);

/** Does what wait() of struct engine does.  Both texts of @status are "". */
void launch_wait(struct launch *l, int timeout_ms, struct count_status *status);

/** Kills a program that still runs, closes the pipes, frees the threads, and restores the signal mask. */
void launch_end(struct launch *l);

#endif
