/* SPDX-License-Identifier: BSD-2-Clause */
/* From totals of an engine to events of the model. */
#ifndef ARMPMU_SOURCE_FEED_H
#define ARMPMU_SOURCE_FEED_H

#include <armpmu/model.h>

#include "source.h"

/**
 * What happened in @delta happens to each of the @count PMUs at @pmus, in the state @pe of the PE: CPU_CYCLES as so
 * many cycles, each other source as so many occurrences of its event, one in a cycle.
 */
void apmu_feed(struct apmu *pmus, size_t count, const struct apmu_pe *pe, const uint64_t delta[APMU_SOURCE_COUNT]);

/** The state of a PE that executes a Linux program: Non-secure EL0, AArch64, every event counter in the first range. */
struct apmu_pe apmu_program_pe(const struct apmu *p);

#endif
