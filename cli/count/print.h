/* SPDX-License-Identifier: BSD-2-Clause */
/* How `armpmu stat` prints: for people, as perf stat -x, as perf stat -j. */
#ifndef ARMPMU_CLI_PRINT_H
#define ARMPMU_CLI_PRINT_H

#include "engine.h"

enum format { FORMAT_TEXT, FORMAT_FIELDS, FORMAT_JSON };

struct printer {
    FILE *out;
    enum format format;
    const char *separator;
    bool intervals;
    bool verbose; /* also what ran it */
    const struct count_job *job;
};

/** What stands before the first count. */
void print_begin(const struct printer *p);

/** The counts since they were last printed, @at_ns after the start. */
void print_counts(const struct printer *p, const struct tally *tallies, uint64_t at_ns);

/** What stands after the last count: times, and what the counts cover. */
void print_end(const struct printer *p, const struct apmu_run_status *st);

#endif
