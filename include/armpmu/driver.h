/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver: discover a PMU, plan which counter counts what, start, stop and read, in the order that the architecture
 * asks for.
 *
 * For firmware, kernel and application engineers.  The driver reaches a PMU through the register seam, a struct of
 * functions; a back end fills it.  All memory is the caller's and stays until apmu_session_close(); nothing allocates.
 *
 *     apmu_pmu_discover(&dev, NULL, &pmu);
 *     apmu_session_open(&session, &dev, &pmu, wishes, count, &refused);
 *     apmu_session_start(&session);
 *     ...
 *     apmu_session_stop(&session);
 *     apmu_session_read(&session, readings);
 *     apmu_session_close(&session);
 *
 * pmu.h     what the PMU is, its known state, its state across a loss of power; the register seam
 * session.h  wishes, the plan, sessions: count, overflow interrupts, sampling, sharing of counters, snapshots
 * region.h   pieces of code with a name
 * backend.h  the model, the recorder, the saboteur
 *
 * Every function that returns enum apmu_error can return what the back end refused with, besides the errors it lists;
 * struct apmu_dev has .refused to say which register that was.
 */
#ifndef ARMPMU_DRIVER_H
#define ARMPMU_DRIVER_H

#include <armpmu/backend.h>
#include <armpmu/region.h>
#include <armpmu/session.h>
#include <armpmu/pmu.h>

#endif
