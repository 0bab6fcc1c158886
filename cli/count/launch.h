/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program that the perf engine starts, or the processes and threads that run already, until they end.
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
    pid_t pid;          /**< of the program; 0: none is given */
    pid_t *threads;     /**< of --pid and --tid */
    size_t thread_count;
    bool watch_threads; /**< counting ends when these threads have ended or the user interrupts */
    bool interrupted;   /**< a signal asked for the end */
    int go, failed;     /**< pipes: to the child, which executes the program then; from it, the errno; -1: not open */
    sigset_t waited;    /**< the signals that launch_wait() takes; they stay blocked until launch_end() */
    sigset_t old_mask;
    uint64_t start_ns;
    struct count_status status; /**< without method and remarks */
};

/**
 * Finds the threads of --pid and --tid, and makes the child that waits to become the program.
 * CLI_YES, or the exit status after a complaint.
 */
int launch_prepare(struct launch *l, const struct count_job *job);

/** Lets the program begin.  CLI_YES, or the exit status after a complaint that it cannot be executed. */
int launch_go(struct launch *l, const struct count_job *job);

/** Waits as engine.h says of wait().  Fills @status; both texts in it are "". */
void launch_wait(struct launch *l, int timeout_ms, struct count_status *status);

/** Kills a program that still runs, frees what @l has, and restores the signal mask. */
void launch_end(struct launch *l);

#endif
