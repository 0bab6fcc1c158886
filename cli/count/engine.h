/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engines of `armpmu stat`.  An engine counts events while a program runs, behind an interface that hides how: perf
 * with the counters of this machine, the emulator with model PMUs.  This folder has the engines and what `stat` needs
 * around them.  Calls go down and to the right:
 *
 *      cli/stat.c             the verb: options
 *       |-- runs.c            runs_conduct(): signals, when to read and to print, the runs of -r
 *       |-- engine.c          engine_find(), engine_choose(): the list of engines
 *       |-- select.c          select_events(): parses --event, and has the engine add() each event
 *       |-- metrics.c         metrics_choose(): parses --metrics, and adds the events; metrics_value(): their values
 *       |-- series.c          series_add(): mean and spread over the runs of -r
 *       |-- print.c           print_begin(), print_counts(), print_end(): text, fields, JSON
 *       |    `-- topdown.c     prints the levels of top-down analysis, and what to look at next
 *       |-- result.c          result_write(), result_read(): the files of --save and --baseline
 *       |    `-- digest.c      numbers that tell one file from another
 *       |-- compare.c         compare(): two results; compare_print.c prints what differs
 *       |
 *       |  check() supports() cores() refuses() begin() pid() wait() read() end()
 *       v
 *      struct engine
 *       |-- perf.c            counts with perf_event sessions of lib/driver/perf
 *       |    |-- perf_groups.c  one session for each group, thread and CPU; CPUs that come and go
 *       |    |-- launch.c     starts the program, or finds the threads that run already
 *       |    `-- machine.c    the kinds of cores of this machine
 *       `-- emulator.c        runs the program by qemu/user/host, which gives totals of sources, and of the events of
 *            |                a modelled core (core.c finds it; version.c asks the emulator for its version)
 *            `-- bank.c       model PMUs: the totals are fed to them as events, and the driver reads their counters
 *
 * One run of `armpmu stat` calls check(), add() for each event, begin(), then wait() and read() in turns, wait() once
 * more for the remarks of the last reading, and end().  `armpmu export` reads CPUs one by one, with read_cpus().
 *
 * A new engine is a file with a struct engine, its declaration below, and its place in the list of engine.c.
 */
#ifndef ARMPMU_CLI_ENGINE_H
#define ARMPMU_CLI_ENGINE_H

#include <signal.h>
#include <stdint.h>

#include <armpmu/cores.h>

#include "select.h"

/** The job of an engine: the events, and what they are counted on.  All of it stays valid until the engine's end(). */
struct count_job {
    const struct cli_verb *verb;
    const struct engine *engine;
    struct selection selection;
    char *const *argv;       /**< the program and its arguments; argv[0] is NULL if none is given */
    const char *sysroot;     /**< the folder with the program's loader and libraries; NULL: not given */
    bool el0;                /**< give the program a PMU that it can use itself */
    bool all_cpus;           /**< count everything on every CPU */
    const char *cgroup;      /**< the folder of a cgroup to count on every CPU; NULL: not given */
    bool lasting;            /**< count until end(): signals are the caller's, and CPUs that come back are counted */
    bool identify;           /**< have count_status.runner say what ran the program */
    bool call_graph;         /**< record a call graph, too */
    uint64_t period;         /**< take samples after so many occurrences of an event; 0: see frequency */
    uint64_t frequency;      /**< take samples so many times in a second; without both, record all occurrences */
    uint64_t clock;          /**< the cycles in a second of a modelled core; 0: not given */
    bool deterministic;      /**< hold still what differs between two runs of the same program */
    const char *const *variables; /**< with it: what the environment has besides, "NAME=VALUE"; NULL ends them */
    const char *pids, *tids; /**< lists of processes and of threads to count, "12,34"; NULL: not given */
    const volatile sig_atomic_t *signalled; /**< the signal that came before the program began; 0: none */
};

/** The count of an event since the start, and the times that go with it. */
struct tally {
    uint64_t count;                  /**< occurrences while the event had a counter */
    uint64_t enabled_ns, running_ns; /**< time in which the event was to be counted, and in which it had a counter */
    uint64_t missed_ns;              /**< further time in which a CPU was not counted; no estimate makes up for it */
    bool counted;                    /**< the event had a counter at some time; otherwise there is no count */
};

/** The state of what is counted.  The engine owns both texts; they stay valid until the next call to it. */
struct count_status {
    bool ended;                  /**< what is counted has ended; the members below are final */
    int wait_status;             /**< the program's, as waitpid() gives it; 0 without a program */
    uint64_t elapsed_ns;         /**< wall time since the start of counting */
    uint64_t user_ns, system_ns; /**< processor time of the program; 0 until it has ended */
    unsigned processes, threads; /**< how many the counts cover; 0 processes: the engine does not know */
    unsigned execs;              /**< how many times one of these processes executed another program */
    const char *runner;          /**< what ran the program, with its version, if asked for; NULL: this machine */
    const char *method;          /**< one line for --verbose: how it was counted; "": nothing to say */
    const char *remarks;         /**< what the counts leave out, and why: lines with '\n' between; "": none */
};

/** A kind of core on which an engine counts. */
struct count_core {
    char name[32];                   /**< how results name it; "": it is the only one */
    const struct apmu_core_info *info; /**< NULL: not known */
    uint32_t midr;                   /**< its MIDR_EL1, for its revision; 0: not known */
    unsigned provider;               /**< event_choice.provider of its events, if it is not the only one */
    unsigned slots;                  /**< slots of dispatch in a cycle; 0: not known */
    unsigned line;                   /**< bytes of a line of its caches; 0: not known */
    bool timed;                      /**< wall time is that of the core, so that rates by time mean something */
};

/** A CPU of this machine, as an engine finds it. */
struct count_cpu {
    bool online;
    bool counting; /**< the engine counts on it; otherwise its tallies do not grow, or are zeros */
};

struct engine {
    const char *name;
    /** Returns "NAME,NAME": the events to count without --event, of which stat takes those that are supported. */
    const char *(*usual)(const struct selection *s);
    /** Returns whether the engine can count on this machine. */
    bool (*is_available)(void);
    /** Returns whether @job has an option of this engine alone. */
    bool (*is_asked_for)(const struct count_job *job);
    /**
     * Checks that the engine can do what the options of @job ask for; add() checks the events.
     * Returns CLI_YES, or the exit status after a complaint.
     */
    int (*check)(const struct count_job *job);
    /** Returns whether the engine counts event number @number, one of usual(), here. */
    bool (*supports)(const struct selection *s, uint16_t number);
    /** Fills @cores, which has room for @room, with the kinds of cores of @job.  Returns how many there are. */
    size_t (*cores)(const struct count_job *job, struct count_core *cores, size_t room);
    /**
     * Returns NULL if a metric of @core can use event number @number as the engine counts it, or else why not and what
     * to do, as "cause; cure".
     */
    const char *(*refuses)(const struct count_job *job, const struct count_core *core, uint16_t number);
    /** Adds the event @word to @s.  Returns as select_events() does. */
    int (*add)(struct selection *s, const struct cli_verb *verb, const struct event_word *word);
    /**
     * Starts counting, and the program if there is one.  Returns the run, which end() frees.
     * If that fails, complains, sets *@status to the exit status, and returns NULL.
     */
    void *(*begin)(struct count_job *job, int *status);
    /** Returns the id of the process to which signals are passed on, or 0 if there is none. */
    int (*pid)(void *run);
    /** Waits until what is counted ends or @timeout_ms pass (-1: no limit; 0: returns at once).  Fills @status. */
    void (*wait)(void *run, int timeout_ms, struct count_status *status);
    /**
     * Fills one tally for each event of the selection, in its order.  @elapsed_ns is what wait() gave just before.
     * Returns CLI_YES, or the exit status after a complaint.
     */
    int (*read)(void *run, uint64_t elapsed_ns, struct tally *tallies);
    /** Returns the number of this machine's CPUs, online or not.  NULL: the engine does not tell CPUs apart. */
    unsigned (*cpus)(void *run);
    /**
     * With --all-cpus: fills one of @states for each CPU, and @tallies as read() does, with those of CPU 0 first, then
     * those of CPU 1, and so on.  Returns as read() does.  NULL if cpus is NULL.
     */
    int (*read_cpus)(void *run, uint64_t elapsed_ns, struct count_cpu *states, struct tally *tallies);
    /** Stops counting, kills a program that still runs, and frees @run. */
    void (*end)(void *run);
};

extern const struct engine perf_engine;     /* perf.c */
extern const struct engine emulator_engine; /* emulator.c */

/** Every engine, in the order in which engine_choose() tries them; NULL ends the list. */
extern const struct engine *const engine_list[];

/** Returns the engine of that name, or NULL. */
const struct engine *engine_find(const char *name);

/** Returns the count if the event had a counter all the time, else an estimate of what it would have been then. */
uint64_t engine_estimate(const struct tally *t);

/** Returns the engine that @job needs because of its options, else the first that is available here. */
const struct engine *engine_choose(const struct count_job *job);

#endif
