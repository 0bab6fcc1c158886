/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a program under qemu-user and counts the sources of its events.
 *
 * A run is one program under the emulator, with all processes and threads that it starts.  It gives totals: how often
 * each source of tables/sources.def occurred since the program began.  Counters, filters and registers belong to the
 * model and the driver: the caller feeds the differences of totals to model PMUs (qemu/classify/feed.h) and reads
 * counters there.
 *
 *     struct apmu_run_options opt = {.size = sizeof opt, .argv = argv + 1};
 *     struct apmu_refusal no;
 *     struct apmu_run_status st;
 *     uint64_t totals[APMU_SOURCE_COUNT];
 *     struct apmu_run *run = apmu_run_start(&opt, &no);
 *     if (run != NULL) {
 *         apmu_run_wait(run, -1, &st);
 *         apmu_run_totals(run, totals, NULL, &no);
 *         apmu_run_free(run);
 *     }
 */
#ifndef ARMPMU_QEMU_USER_HOST_RUN_H
#define ARMPMU_QEMU_USER_HOST_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <armpmu/core.h>

#include "../../classify/sources.h" /* enum apmu_source, APMU_SOURCE_COUNT */
#include "../graph.h"

#define APMU_RUN_CORE_EVENTS 256u /* the most events of a modelled core that a run counts */

/** Why a run cannot start or go on.  Filled by the call that failed; the caller owns it. */
struct apmu_refusal {
    int status;       /**< the exit status that fits: 2 usage, 3 cannot here, 126 not executable, 127 no such program,
                          128 + a signal that came before the program began */
    char cause[512];  /**< one line that names the object and what is wrong with it */
    char cure[512];   /**< one line that says what to do about it, or "" */
};

/** The program to run and what to count of it.  Strings and arrays are the caller's and last until apmu_run_free(). */
struct apmu_run_options {
    uint32_t size;          /**< sizeof(struct apmu_run_options) */
    char *const *argv;      /**< program and arguments, NULL-terminated; argv[0] is searched in PATH if it has no '/' */
    /**
     * The emulator.  If it is NULL, it is $ARMPMU_QEMU if that is set, and otherwise qemu-aarch64 in PATH or the one
     * that `make qemu-user` builds.  For a 32-bit program these are $ARMPMU_QEMU_ARM and qemu-arm.
     */
    const char *qemu;
    const char *sysroot;    /**< where the program's loader and libraries are (qemu -L), or NULL */
    uint64_t outcomes;      /**< set of 1 << enum apmu_source: outcome sources to count; calls in most emulators */
    bool record;            /**< also note where the instructions are: see code.h */
    /**
     * The sources of which a call graph is recorded, or NULL: enum apmu_source, or APMU_SOURCE_COUNT + i for
     * core_events[i].
     */
    const uint16_t *graph_sources;
    size_t graph_source_count;     /**< at most APMU_GRAPH_EVENTS */
    const struct apmu_core_row *core; /**< the core to model, which apmu_core_row_check() has passed, or NULL */
    const uint16_t *core_events;      /**< the events of that core to count, numbers that apmu_core_models() */
    size_t core_event_count;          /**< at most APMU_RUN_CORE_EVENTS; with record, APMU_CORE_RECORDED */
    /** With record: samples are taken after so many of a core event; without both, all of them are counted. */
    uint64_t core_period;
    /** With record: samples are taken so many times in a second of core_clock cycles, which core_cycles counts. */
    uint64_t core_frequency, core_clock;
    uint16_t core_cycles;
    uint32_t core_parts;              /**< 0, or the parts to simulate in place of those that the events need */
    /**
     * Hold still what differs between two runs of the same program.  The program's environment is then that of
     * apart.c, with @variables, "NAME=VALUE", which NULL ends or which is NULL.
     */
    bool deterministic;
    const char *const *variables;
    /**
     * The PMU that the program sees at EL0, as the driver programmed it; each thread begins with a copy.  If it is
     * NULL, an access to a PMU register is SIGILL, as on a machine whose kernel does not allow it.
     */
    const struct apmu *el0_pmu;
    /**
     * The number of a signal that the caller got, or 0 before that.  Once it is not 0, apmu_run_start() gives up.
     * NULL if there is none.
     */
    const volatile sig_atomic_t *signalled;
};

/** How the run went.  Filled by apmu_run_wait(). */
struct apmu_run_status {
    bool ended;             /**< the program has ended: wait_status, user_ns and system_ns hold */
    int wait_status;        /**< as waitpid() gives it */
    uint64_t elapsed_ns;    /**< wall time from start to end, or until now */
    uint64_t user_ns, system_ns; /**< processor time of the emulated program */
    unsigned processes;     /**< processes whose events are in the totals */
    unsigned threads;       /**< threads in all these processes */
    unsigned execs;         /**< programs that one of them became by exec, and that were counted */
    unsigned plugin_interface; /**< the version of the emulator's plugin interface; 0: no emulator runs it */
    const char *emulator;      /**< the emulator's path, which lasts until apmu_run_free() */
    /** What the totals lack, and why; the access that raised SIGILL.  One line each, '\n' between them, or "". */
    char remarks[4096];
};

struct apmu_run; /* one program under way */

/**
 * Starts the program, with the caller's stdin, stdout and stderr.  Returns NULL and fills @no if it cannot: no such
 * program, not an Arm program (x86, script), no emulator, an emulator without plugins, no plugin next to the tool.
 * The caller ends the run with apmu_run_free().
 */
struct apmu_run *apmu_run_start(const struct apmu_run_options *opt, struct apmu_refusal *no);

/**
 * Waits until the program ends or @timeout_ms milliseconds pass, and fills @st.  If @timeout_ms is negative, it waits
 * until the program ends.
 */
void apmu_run_wait(struct apmu_run *run, int timeout_ms, struct apmu_run_status *st);

/**
 * Fills @totals with the occurrences of each source since the start, and @core with those of each event of the modelled
 * core: the sums over all cores, that is over threads and processes.  May be called at any time, also while the program
 * runs; then an event of the core may seem to go back by a few.  @core may be NULL if no core is modelled.  Returns
 * false and fills @no if the counts are not whole: there was no room for them, or somebody removed or changed their
 * files.
 */
bool apmu_run_totals(struct apmu_run *run, uint64_t totals[APMU_SOURCE_COUNT], uint64_t *core,
                     struct apmu_refusal *no);

/** The call graph of one image of one process, checked.  A parent comes before its children. */
struct apmu_run_graph {
    int32_t pid;
    uint32_t image;  /**< 0 for the process's first image, and one more for each exec */
    uint64_t start_ns; /**< when the image began, since the start of the run */
    uint32_t events; /**< counts in each node, in the order of graph_sources */
    uint32_t threads, nodes, room;
    uint32_t notes;  /**< a set of enum apmu_graph_note */
    struct apmu_graph_thread *thread;
    unsigned char *node; /**< see apmu_run_graph_node() */
};

/** Returns node @n of @g, which has more than @n nodes. */
static inline struct apmu_graph_node *apmu_run_graph_node(const struct apmu_run_graph *g, uint32_t n)
{
    return (struct apmu_graph_node *)(void *)(g->node + n * apmu_graph_node_size(g->events));
}

/**
 * Returns the call graph of image @n, or NULL if there are no more: of those that ended before the last
 * apmu_run_totals() or apmu_run_record(), and after the latter also of those that run.  It lasts until the next call of
 * one of these, or of apmu_run_free().
 */
const struct apmu_run_graph *apmu_run_graph(const struct apmu_run *run, size_t n);

/** Returns the process id of the emulator, to which the tool passes signals on. */
int apmu_run_pid(const struct apmu_run *run);

/** Ends the program by SIGKILL if it still runs, and frees everything.  @run may be NULL. */
void apmu_run_free(struct apmu_run *run);

#endif
