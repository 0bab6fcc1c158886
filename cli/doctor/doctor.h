/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations that the files of `armpmu doctor` share.  The verb runs loops of known content, counts them with this
 * machine's counters, and says for each event whether the count can be true.
 *
 *      cli/doctor.c           the verb: options, which PMUs and CPUs, exit status
 *       |-- machine.c         doctor_machine(): the counters of this machine, by perf_event sessions of the driver
 *       |-- examine.c         doctor_examine(): runs every check of one PMU over a bench
 *       |    |-- counters.c   how many counters there are, whether each counts, direct reads, the interrupt
 *       |    |-- judge.c      doctor_judge(): one row of events.def and its counts to a verdict (pure)
 *       |    `-- loops.c      the loops of loops.def
 *       |-- cause.c           doctor_find_causes(): findings to rows of cli/why/causes.def (pure)
 *       `-- print.c           text and JSON
 *
 * A bench is where counts come from.  The tests have one whose counts they choose.
 */
#ifndef ARMPMU_CLI_DOCTOR_H
#define ARMPMU_CLI_DOCTOR_H

#include <jansson.h>
#include <stdint.h>

#include <armpmu/cores.h>
#include <armpmu/events.h>
#include <armpmu/perf.h>

#include "../state/state.h"
#include "../why/why.h"
#include "loops.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Counting: a bench opens events and counts them while a loop runs.
 */

enum {
    DOCTOR_TRIES = 5,  /**< pairs of runs for each event and loop */
    DOCTOR_NOISE = 64, /**< events that interruptions of a run may add to a count at EL0, or hide from it, besides
                            0.2 % of the instructions: a tick of 1000 Hz comes once in 10000 iterations */
};

/** Where an event is counted. */
enum doctor_levels { DOCTOR_AT_USER, DOCTOR_AT_KERNEL, DOCTOR_AT_BOTH };

#define DOCTOR_DIRECT 1u /**< read the counters at EL0, by the instruction that reads the register */

/** What one run counted. */
struct doctor_run {
    uint64_t counts[APMU_COUNTERS]; /**< by wish */
    uint64_t ns;                    /**< the time that it took */
    bool shared;                    /**< the events did not have their counters all the time */
    bool userenr_known;             /**< a direct read ended in SIGILL, and .userenr is PMUSERENR_EL0 at that time */
    uint64_t userenr;
};

/** The samples of a run. */
struct doctor_samples {
    uint64_t count;
    bool throttled; /**< the kernel left samples out, because they came faster than its limit */
};

/** A source of counts. */
struct doctor_bench {
    void *ctx;
    /**
     * Opens @count wishes as one group, with a set of DOCTOR_x.  If it fails, nothing is open, and a line "object:
     * cause; cure" is in @why, of @size bytes.  APMU_E_LEVEL: this program cannot read counters directly.
     * APMU_E_ACCESS: the process has the capability, and something else forbids it.
     */
    enum apmu_error (*open)(void *ctx, const struct apmu_wish *wishes, size_t count, unsigned flags, char *why,
                            size_t size);
    /** Counts @n iterations of @loop. */
    enum apmu_error (*run)(void *ctx, enum doctor_loop loop, unsigned long n, struct doctor_run *out);
    void (*close)(void *ctx);
    /**
     * Samples @wish every @period events while @n iterations of @loop run.  Nothing is open before or after.  If it
     * fails, a line is in @why.
     */
    enum apmu_error (*sample)(void *ctx, const struct apmu_wish *wish, uint64_t period, enum doctor_loop loop,
                              unsigned long n, struct doctor_samples *out, char *why, size_t size);
    /** Returns whether it can run @loop. */
    bool (*has_loop)(void *ctx, enum doctor_loop loop);
};

/** The counts of one event in one loop: DOCTOR_TRIES differences of a run of 2n and a run of n iterations. */
struct doctor_counts {
    enum apmu_error error; /**< the event could not be counted, and .why says why; the members below are then 0 */
    char why[256];
    unsigned tries;
    int64_t differences[DOCTOR_TRIES]; /**< ascending */
    uint64_t first;   /**< the count of the first run */
    uint64_t highest; /**< the highest count of any run */
    int64_t ns;       /**< the median of the differences in time */
    bool shared;      /**< somebody else had the counter for some of the time */
    bool userenr_known; /**< as in struct doctor_run */
    uint64_t userenr;
    bool unfiltered;  /**< the PMU cannot leave out the kernel, so it is in the counts */
};

/** Returns the median of the differences; 0 if there are none. */
int64_t doctor_median(const struct doctor_counts *counts);

/* ---------------------------------------------------------------------------------------------------------------
 * Verdicts (events.def, judge.c).
 */

enum doctor_relation { DOCTOR_EQUAL, DOCTOR_ABOUT, DOCTOR_MISSES, DOCTOR_GUESSES, DOCTOR_STALLS, DOCTOR_WITHIN,
                       DOCTOR_CLOCK, DOCTOR_ANY };

/** A row of events.def. */
struct doctor_row {
    uint16_t event;
    enum doctor_levels levels;
    enum doctor_loop loop;
    enum doctor_relation relation;
    enum doctor_content content;
    unsigned low, high; /**< percent of the content */
};

extern const struct doctor_row doctor_rows[];
extern const size_t doctor_row_count;

/** In ascending order of weight: of several rows of an event the heaviest verdict is reported. */
enum doctor_verdict {
    DOCTOR_EXACT,     /**< the count is what the loop contains */
    DOCTOR_PLAUSIBLE, /**< it lies within the bounds of the event */
    DOCTOR_NO_LOOP,   /**< no loop says what it must count */
    DOCTOR_ABSENT,    /**< the PMU does not have it */
    DOCTOR_REFUSED,   /**< the kernel does not let this process count it */
    DOCTOR_WRONG,     /**< it lies outside of the bounds */
    DOCTOR_STILL,     /**< it stands still: 0 in every run */
    DOCTOR_VERDICTS
};

/** What the cycles of some loops show, and what they do not. */
struct doctor_costs {
    bool known;          /**< processor cycles are counted */
    bool misses_cost;    /**< following pointers far apart costs more than near by */
    bool guesses_cost;   /**< random branches cost more than predictable ones */
    bool one_each;       /**< an instruction takes the same cycles in all loops, as in an emulator */
    bool nanoseconds;    /**< a cycle is a nanosecond whatever the work, as in an emulator */
    bool few_events;     /**< the PMU announces hardly any event */
    bool emulated;       /**< this is an emulator, by one of the last three */
    int64_t cycles[DOCTOR_LOOPS]; /**< of the iterations of its row; 0: not measured */
};

enum { DOCTOR_CAUSES = 3 };

/** What was found out about an event, or about another thing of the PMU. */
struct doctor_finding {
    char subject[48];                   /**< "INST_RETIRED:u", "counters" */
    int event;                          /**< its number; -1: not about an event */
    enum doctor_levels levels;
    enum doctor_verdict verdict;
    bool fault;                         /**< somebody should do something about it */
    const struct doctor_loop_info *loop; /**< NULL: none */
    int64_t counted, expected;          /**< with a loop; .expected is the content */
    int percent;                        /**< with DOCTOR_WRONG: how far the count is off */
    char text[320];                     /**< what was seen, in words */
    enum apmu_error error;              /**< with DOCTOR_REFUSED: the driver's error, or APMU_OK */
    bool allowed;                       /**< EL0 has the access, by PMUSERENR_EL0, that ended in SIGILL */
    const struct why_cause *causes[DOCTOR_CAUSES]; /**< the likeliest first; NULL: no more are known */
    const char *cure;                   /**< what to do about it; NULL: what the first cause says */
};

/** Sets verdict, loop, counted, expected, percent, fault and text of @finding by the counts of a row. */
void doctor_judge(const struct doctor_row *row, const struct doctor_counts *counts, const struct doctor_costs *costs,
                  struct doctor_finding *finding);
/** Returns "exact", "plausible", "no loop", "absent", "refused", "wrong" or "stands still". */
const char *doctor_verdict_word(enum doctor_verdict verdict);

/* ---------------------------------------------------------------------------------------------------------------
 * The examination of one PMU on one CPU (examine.c, counters.c, cause.c).
 */

enum { DOCTOR_FINDINGS = 320 };

/** A PMU, the CPU on which it is examined, and what was found. */
struct doctor_report {
    struct apmu_perf_pmu pmu;
    unsigned cpu;
    const struct apmu_core_info *core; /**< the row of tables/cores.def; NULL: not known */
    const struct state_host *host;     /**< what sysfs says */
    struct doctor_costs costs;
    unsigned counters;                 /**< event counters that can count at once; 0: not known */
    size_t count;
    struct doctor_finding findings[DOCTOR_FINDINGS];
};

/** Returns a new finding of @report for the caller to fill, or NULL if there is no room. */
struct doctor_finding *doctor_add(struct doctor_report *report, const char *subject);
/** Counts @wish in @loop, DOCTOR_TRIES times n and 2n iterations.  Opens and closes the event. */
void doctor_count(const struct doctor_bench *bench, const struct apmu_wish *wish, enum doctor_loop loop,
                  unsigned flags, struct doctor_counts *counts);
/** Counts @loop with what is open. */
void doctor_count_open(const struct doctor_bench *bench, enum doctor_loop loop, struct doctor_counts *counts);
/** Returns the wish for an event at some levels. */
struct apmu_wish doctor_wish(uint16_t event, enum doctor_levels levels);

/**
 * Examines the events whose numbers are in @only, or all if @only_count is 0, and then everything else of the PMU.
 * @report has the PMU, the CPU, the core and the host; the rest is filled.
 */
void doctor_examine(const struct doctor_bench *bench, const uint16_t *only, size_t only_count,
                    struct doctor_report *report);
/** Checks the number of counters, each counter, direct reads and the overflow interrupt. */
void doctor_check_counters(const struct doctor_bench *bench, struct doctor_report *report);
/** Sets .causes and .cure of the findings that are faults or refusals, where the pattern of all findings shows them. */
void doctor_find_causes(struct doctor_report *report);

/* ---------------------------------------------------------------------------------------------------------------
 * The machine (machine.c) and the output (print.c).
 */

/** The counters of this machine. */
struct doctor_machine {
    struct apmu_perf_pmu pmu;
    struct doctor_arena arena;
    struct apmu_session session;
    struct apmu_perf perf;
    bool direct, running;
};

/** Fills @bench, which uses @machine.  Call doctor_arena_open() for its arena first. */
void doctor_machine(struct doctor_machine *machine, const struct apmu_perf_pmu *pmu, struct doctor_bench *bench);
/** Moves this thread to @cpu.  Returns false, with the cause in errno, if it may not run there. */
bool doctor_pin(unsigned cpu);

/** Returns CLI_YES if nothing is wrong, CLI_NO if a fault was found, and CLI_CANNOT if nothing could be judged. */
int doctor_status(const struct doctor_report *reports, size_t count);
/** Prints the reports: for each PMU what is wrong, then every verdict. */
void doctor_print(const struct doctor_report *reports, size_t count);
/**
 * Returns the reports as JSON: "verdict", as `armpmu why -j` has it, [] if nothing is wrong; and "pmus", with every
 * finding.
 */
json_t *doctor_json(const struct doctor_report *reports, size_t count);

#endif
