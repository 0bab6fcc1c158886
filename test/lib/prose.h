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

#endif
