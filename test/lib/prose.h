/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A second formulation of the counting decision: the prose of D13.5, rule by rule, over plain facts and bit numbers,
 * without any code of the model.  Where prose and pseudocode differ, it follows the pseudocode, and says so.
 */
#ifndef ARMPMU_TEST_PROSE_H
#define ARMPMU_TEST_PROSE_H

#include <armpmu/model.h>

/* Returns the set of reasons, as apmu_why() should return it. */
uint64_t prose_why(const struct apmu *p, const struct apmu_pe *pe, unsigned n);

/*
 * Returns the value of the PMEE field that decides.  Stores the Exception level to which a PMU Profiling exception is
 * taken.
 */
unsigned prose_pmee(const struct apmu *p, const struct apmu_pe *pe, unsigned *target_el);

/* The bits at which a counter overflows, and its size in bits. */
struct prose_width {
    unsigned overflow, counter;
};
struct prose_width prose_width(const struct apmu *p, const struct apmu_pe *pe, unsigned n);

#endif
