/* SPDX-License-Identifier: BSD-2-Clause */
/* What counts for `armpmu stat`: an engine behind one interface, whether it emulates a PMU or has the kernel's. */
#ifndef ARMPMU_CLI_ENGINE_H
#define ARMPMU_CLI_ENGINE_H

#include <signal.h>

#include "../../qemu/user/host/run.h"
#include "select.h"

/** What to count.  Everything in it stays until the engine's end(). */
struct count_job {
    const struct cli_verb *verb;
    const struct engine *engine;
    struct selection selection;
    char *const *argv;     /**< the program and its arguments; argv[0] is NULL if there is none */
    const char *sysroot;   /**< NULL: not given */
    bool el0;              /**< the program may use a PMU itself */
    bool all_cpus;         /**< count everything on every CPU */
    const char *pids, *tids; /**< count these processes, threads; NULL: not given */
    const volatile sig_atomic_t *signalled; /**< the signal that came before the program began, or 0 */
};

/** What an event counted since the start. */
struct tally {
    uint64_t count;            /**< while it had a counter */
    uint64_t enabled, running; /**< ns: for which it was to be counted, and had a counter */
    uint64_t missed;           /**< ns beside these in which it was not counted on a CPU; no estimate makes up for it */
    bool counted;              /**< it had one at all */
};

struct engine {
    const char *name;
    const char *usual; /**< the events without -e; those of them that the engine does not have are left out */
    /** Can it count on this machine?  --engine=auto takes the first that can. */
    bool (*is_here)(void);
    /** Does it do what @job asks for, its events aside?  CLI_YES, or the exit status after a complaint. */
    int (*check)(const struct count_job *job);
    /** Adds the event @word, as select_events() says. */
    int (*add)(struct selection *s, const struct cli_verb *verb, const struct event_word *word);
    /** Has it the event, of `usual`, number @number? */
    bool (*has)(uint16_t number);
    /** Starts counting, and the program.  NULL after a complaint; *@status is the exit status. */
    void *(*begin)(struct count_job *job, int *status);
    /** The process to which signals are passed on, or 0. */
    int (*pid)(void *run);
    /** Waits until the program, or what else is counted, ends, or @timeout_ms pass (-1: for ever; 0: asks only). */
    void (*wait)(void *run, int timeout_ms, struct apmu_run_status *st);
    /** Fills one tally for each event of the selection; what st.elapsed_ns was just now is @elapsed_ns. */
    int (*read)(void *run, uint64_t elapsed_ns, struct tally *tallies);
    void (*end)(void *run);
};

/** In the order in which auto tries them. */
extern const struct engine perf_engine;     /* perf.c: Linux's perf_event, on an Arm machine */
extern const struct engine emulator_engine; /* emulator.c: qemu-user and model PMUs */

#endif
