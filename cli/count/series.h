/* SPDX-License-Identifier: BSD-2-Clause */
/* The runs of one program that `armpmu stat -r` makes: mean, spread, least and greatest of each count and time. */
#ifndef ARMPMU_CLI_SERIES_H
#define ARMPMU_CLI_SERIES_H

#include "engine.h"

/** Some values, as their number, mean, sum of squared distances from the mean, least and greatest. */
struct sample {
    unsigned number;
    double mean, squares;
    uint64_t least, greatest;
};

/** The runs that ended so far. */
struct series {
    unsigned runs;
    size_t events;
    struct sample *counts;       /**< one for each event: its counts, estimates where it shared a counter */
    struct tally *sums;          /**< one for each event: sums of its tallies; counted if it was in every run */
    struct sample elapsed, user, system; /**< nanoseconds */
};

/** Makes @s ready for the runs of a selection of @events events. */
void series_init(struct series *s, size_t events);

/** Adds a run with the counts @tallies, which ended as @status says. */
void series_add(struct series *s, const struct tally *tallies, const struct count_status *status);

/** Fills @tallies with the means over the runs; there is one at least. */
void series_means(const struct series *s, struct tally *tallies);

/** Returns the standard deviation of the mean in per cent of the mean, as perf stat -r has it; 0 if all are equal. */
double series_spread(const struct sample *s);

/** Frees what @s holds. */
void series_free(struct series *s);

#endif
