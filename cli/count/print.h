/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the results of `armpmu stat` as text for people, as fields like perf stat -x, or as JSON like perf stat -j. */
#ifndef ARMPMU_CLI_PRINT_H
#define ARMPMU_CLI_PRINT_H

#include "metrics.h"
#include "series.h"

/** PRINT_REMARKS: the counts go elsewhere, and print_end() alone is called. */
enum print_format { PRINT_TEXT, PRINT_FIELDS, PRINT_JSON, PRINT_REMARKS };

struct printer {
    FILE *out;
    enum print_format format;
    const char *separator; /**< the text between fields; NULL for the other formats */
    bool intervals;        /**< counts are printed at intervals, with the time before them */
    bool verbose;          /**< print how it was counted */
    const struct count_job *job;
    const struct metrics *metrics;
    const struct series *series; /**< the runs whose means are printed; NULL: there is one run */
};

/** Prints the heading: in text what is counted, or the columns of intervals; otherwise nothing. */
void print_begin(const struct printer *p);

/**
 * Prints a line for each event and for each metric: the event's tally since the last call, @since_ns before, and with
 * intervals the time since the start, @at_ns.
 */
void print_counts(const struct printer *p, const struct tally *tallies, uint64_t at_ns, uint64_t since_ns);

/** Prints what comes after the last count: times, what the counts cover, the method, remarks. */
void print_end(const struct printer *p, const struct count_status *status);

/** Prints each line of @remarks, with @before in front of it. */
void print_remarks(FILE *out, const char *before, const char *remarks);

#endif
