/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the levels of top-down analysis as bars, and says what to look at next. */
#ifndef ARMPMU_CLI_TOPDOWN_H
#define ARMPMU_CLI_TOPDOWN_H

#include "metrics.h"

/**
 * Prints the metrics of @m that are in the decision tree of their core, each below the one that leads to it, and then
 * the metrics and groups that the tree names after the largest of them, of those that the engine can give.
 */
void topdown_print(FILE *out, const struct metrics *m, const struct count_job *job, const struct tally *tallies,
                   uint64_t ns);

#endif
