/* SPDX-License-Identifier: BSD-2-Clause */
/* What the perf engine counts: a program that it starts, or processes and threads that run already. */
#ifndef ARMPMU_CLI_LAUNCH_H
#define ARMPMU_CLI_LAUNCH_H

#include <signal.h>
#include <sys/types.h>

#include "engine.h"

struct launch {
    pid_t pid;         /**< of the program, or 0: none is given */
    pid_t *threads;    /**< of --pid and --tid */
    size_t thread_count;
    bool watch_threads; /**< it ends when they do, or the user interrupts */
    bool interrupted;
    int go, failed;    /**< pipes to and from the child: it may go, and why it could not; -1: closed */
    sigset_t waited;   /**< signals that wait() takes; they are blocked meanwhile */
    sigset_t old_mask;
    uint64_t start_ns;
    struct apmu_run_status status;
};

/** Finds the threads, and makes the process that will be the program: it waits.  0, or an exit status after a complaint. */
int launch_prepare(struct launch *l, const struct count_job *job);

/** Lets the program go.  0, or an exit status after a complaint that it cannot be executed. */
int launch_go(struct launch *l, const struct count_job *job);

void launch_wait(struct launch *l, int timeout_ms, struct apmu_run_status *st);
void launch_end(struct launch *l);

#endif
