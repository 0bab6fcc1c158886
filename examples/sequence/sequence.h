/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programming sequence of "Programming ARM v8 Performance Monitors" (Valtrix, 2016), step for step: setup, start
 * and stop.  It counts the first N events that the PMU announces, where N is the number of event counters, and cycles.
 *
 * This is how the registers work.  A program that measures uses a session (<armpmu/session.h>), which does the same and
 * lacks the limits: it takes the user's own list of events, counts on when a counter overflows, and lets events share
 * counters.
 */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#include <armpmu/driver.h>

/** What setup finds out, and what stop reads. */
struct sequence_run {
    const struct apmu_dev *dev;
    unsigned counters;  /**< PMCR_EL0.N */
    uint64_t announced; /**< bit j: event j, 0..63, is implemented */
    unsigned used;      /**< event counters that have an event */
    unsigned events[APMU_EVENT_COUNTERS];
    uint64_t counts[APMU_EVENT_COUNTERS]; /**< of events[], after stop */
    uint64_t cycles;                      /**< after stop */
    enum apmu_error error;                /**< of the first access that was refused */
};

/** Records what the PMU of @dev has, and lets EL0 use it.  Called at EL1 or above. */
void sequence_setup(struct sequence_run *s, const struct apmu_dev *dev);
/** Gives each event counter its event, and starts all counters from 0.  Called just before the measured code. */
void sequence_start(struct sequence_run *s);
/** Stops all counters and reads them.  Called just after that code. */
void sequence_stop(struct sequence_run *s);

#endif
