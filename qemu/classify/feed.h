/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes the totals of an engine to the model as events. */
#ifndef ARMPMU_SOURCE_FEED_H
#define ARMPMU_SOURCE_FEED_H

#include <armpmu/model.h>

#include "sources.h"

/**
 * Applies @delta, the number of occurrences of each source, to each of the @count PMUs at @pmus, with the PE in state
 * @pe.  CPU_CYCLES become cycles.  Each other source becomes occurrences of its event, one in a cycle.
 */
void apmu_feed(struct apmu *pmus, size_t count, const struct apmu_pe *pe, const uint64_t delta[APMU_SOURCE_COUNT]);

/**
 * Returns the state of a PE that runs a Linux program: Non-secure EL0, AArch64, every event counter in the first range.
 */
struct apmu_pe apmu_program_pe(const struct apmu *p);

#endif
