/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMUs of this machine, and the kinds of cores that have them, as engine perf and its metrics see them. */
#ifndef ARMPMU_CLI_MACHINE_H
#define ARMPMU_CLI_MACHINE_H

#include <armpmu/perf.h>

#include "engine.h"

#define MACHINE_PMUS 8 /* Linux has one PMU for each kind of core of the machine */

/** Fills @pmus with the PMUs of this machine.  Returns how many it has filled. */
size_t machine_pmus(struct apmu_perf_pmu pmus[MACHINE_PMUS]);

/** Returns whether @pmu counts event @number; a PMU whose list of events is not known is taken to count any. */
bool machine_counts(const struct apmu_perf_pmu *pmu, int number);

/** Fills @cores with a row for each PMU.  Returns how many there are. */
size_t machine_cores(const struct count_job *job, struct count_core *cores, size_t room);

/** Returns NULL if the PMU of @core counts event @number, or else why not and what to do. */
const char *machine_refuses(const struct count_job *job, const struct count_core *core, uint16_t number);

#endif
