/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes what a program did, as totals of sources, to model PMUs as events. */
#ifndef ARMPMU_CLASSIFY_FEED_H
#define ARMPMU_CLASSIFY_FEED_H

#include <armpmu/model.h>

#include "sources.h"

/**
 * Applies @delta, the number of occurrences of each source, to each of the @count PMUs at @pmus, with the PE in state
 * @pe.  Occurrences of CPU_CYCLES become cycles.  Occurrences of each other source become occurrences of its event, one
 * in a cycle.
 */
void apmu_feed(struct apmu *pmus, size_t count, const struct apmu_pe *pe, const uint64_t delta[APMU_SOURCE_COUNT]);

/** Some occurrences of an event. */
struct apmu_occurred {
    uint16_t event;
    uint64_t times;
};

/** Applies the @events that occurred, @event_count of them, in the same way. */
void apmu_feed_events(struct apmu *pmus, size_t count, const struct apmu_pe *pe, const struct apmu_occurred *events,
                      size_t event_count);

/**
 * Returns the state of a PE with the PMU @p that runs a Linux program: Non-secure EL0, AArch64, every event counter in
 * the first range, nothing trapped to EL2 or EL3.
 */
struct apmu_pe apmu_program_pe(const struct apmu *p);

#endif
