/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An engine runs a program and counts where events come from.
 *
 * For the tool.  An engine knows instructions, processes and threads; it does not know counters, filters or registers
 * (those are the model's and the driver's).  It answers with totals: how often each source of tables/sources.def
 * occurred since the program began, over all of its processes and threads.  The caller feeds the differences to model
 * PMUs (qemu/classify/feed.h) and reads counters.
 */
#ifndef ARMPMU_ENGINE_H
#define ARMPMU_ENGINE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../classify/sources.h" /* enum apmu_source, APMU_SOURCE_COUNT */

/** Why an engine cannot do it: one line each.  Filled by the call that failed; the caller owns it. */
struct apmu_refusal {
    int status;       /**< the exit status that fits: 2 usage, 3 cannot here, 126 not executable, 127 no such program,
                          128 + a signal that came before the program began */
    char cause[512];  /**< names the object and what is wrong with it */
    char cure[512];   /**< what to do about it; may be empty */
};

/** What to run and what to watch.  All strings and arrays are the caller's and stay until apmu_run_free(). */
struct apmu_run_options {
    uint32_t size;          /**< sizeof(struct apmu_run_options) */
    char *const *argv;      /**< program and arguments, NULL-terminated; argv[0] is searched in PATH if it has no '/' */
    /** The emulator, or NULL to search: $ARMPMU_QEMU, qemu-aarch64 in PATH, ours; of 32-bit Arm $ARMPMU_QEMU_ARM and so on. */
    const char *qemu;
    const char *sysroot;    /**< where the program's loader and libraries are (qemu -L), or NULL */
    uint64_t outcomes;      /**< set of 1 << enum apmu_source: outcome sources to count (they cost a callback) */
    /**
     * The PMU that the program sees at EL0, or NULL: then a PMU register access is SIGILL as on a machine whose kernel
     * does not allow it.  It was programmed by the driver; each thread begins with a copy of it.
     */
    const struct apmu *el0_pmu;
    /** The number of a signal that came, or 0: then a start under way is given up.  Or NULL. */
    const volatile sig_atomic_t *signalled;
};

/** How it went.  Filled by apmu_run_wait(). */
struct apmu_run_status {
    bool ended;             /**< the program has ended; the members below hold */
    int wait_status;        /**< as waitpid() gives it */
    uint64_t elapsed_ns;    /**< wall time from start to end, or until now */
    uint64_t user_ns, system_ns; /**< processor time of the emulated program, once ended */
    unsigned processes;     /**< processes whose events are in the totals */
    unsigned threads;       /**< threads of them, all processes together */
    unsigned execs;         /**< programs that one of them became by exec, counted */
    unsigned plugin_interface; /**< the version of the emulator's plugin interface; 0: no emulator runs it */
    const char *emulator;      /**< its path, as long as the run is there */
    /** One line each, '\n' between: what the totals do not cover, and why; what a SIGILL was about.  "" if nothing. */
    char remarks[4096];
};

struct apmu_run; /* one program under way */

/**
 * Starts the program.  Its stdin, stdout and stderr are the caller's.
 * Returns NULL and fills @no where that cannot be: no such program, not an Arm program (x86, script),
 * no emulator, an emulator without plugin support, no plugin beside the tool.
 */
struct apmu_run *apmu_run_start(const struct apmu_run_options *opt, struct apmu_refusal *no);

/** Waits until the program ends or @timeout_ms pass (-1: for ever; 0: asks only).  Fills @st. */
void apmu_run_wait(struct apmu_run *run, int timeout_ms, struct apmu_run_status *st);

/**
 * Occurrences of each source since the start.  May be called at any time, also while the program runs.  Returns false and
 * fills @no where the counts are not whole: there was no room for them, or somebody removed their files.
 */
bool apmu_run_totals(struct apmu_run *run, uint64_t totals[APMU_SOURCE_COUNT], struct apmu_refusal *no);

/** The process to which the tool passes signals on. */
int apmu_run_pid(const struct apmu_run *run);

/** Ends a program that still runs (SIGKILL), and frees everything.  NULL is allowed. */
void apmu_run_free(struct apmu_run *run);

#endif
