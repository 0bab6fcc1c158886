/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The second formulation of the counting decision: the prose of D13.5, rule by rule, over plain facts and bit numbers
 * and without a line of the model.  Where prose and pseudocode part it follows the pseudocode, and says so.
 */
#ifndef ARMPMU_TEST_PROSE_H
#define ARMPMU_TEST_PROSE_H

#include <armpmu/model.h>

/* The set of reasons, as apmu_why() should give it. */
uint64_t prose_why(const struct apmu *p, const struct apmu_pe *pe, unsigned n);

/* What the PMEE field that decides says, and the Exception level that a PMU Profiling exception is for. */
unsigned prose_pmee(const struct apmu *p, const struct apmu_pe *pe, unsigned *target_el);

/* What overflows at the counter's bit 32 or 64, and the bits that it has. */
struct prose_width {
    unsigned overflow, counter;
};
struct prose_width prose_width(const struct apmu *p, const struct apmu_pe *pe, unsigned n);

#endif
