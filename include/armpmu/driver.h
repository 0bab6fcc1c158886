/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver: discovers a PMU, plans which counter counts what, starts, stops and reads the counters, in the order of
 * accesses that the architecture requires.
 *
 * For firmware, kernel and application engineers.  Includes:
 *
 *     pmu.h      one PMU: discovers it, resets it, saves and restores it across a loss of power; the register seam
 *     session.h  wishes, sessions, overflow interrupts, sampling, shared counters, snapshots; the plan
 *     region.h   named pieces of code, and what was counted in each
 *     backend.h  back ends without hardware: the model, a recorder, a saboteur, and accesses through PMSELR_EL0
 *
 * Back ends have headers of their own: native.h (MRS, MRC), mmio.h (the external view), arm11_driver.h (ARM11), perf.h
 * (Linux's perf_event).  policy.h keeps counters out of protected states.
 *
 * @code
 * #include <armpmu/driver.h>
 * #include <armpmu/events.h>
 * #include <armpmu/model.h>
 * int main(void)
 * {
 *     static struct apmu model;
 *     const struct apmu_config config = {
 *         .size = sizeof config, .features = apmu_features_closure(APMU_FEAT(PMUv3) | APMU_FEAT(AA64EL1)),
 *     };
 *     const struct apmu_pe pe = {.el = 1};
 *     struct apmu_model_backend backend = {.pmu = &model, .pe = &pe};
 *     const struct apmu_dev dev = {.ops = &apmu_model_ops, .ctx = &backend};
 *     struct apmu_pmu pmu;
 *     struct apmu_wish wish;
 *     struct apmu_session session;
 *     struct apmu_reading reading;
 *     apmu_init(&model, &config);
 *     if (apmu_pmu_discover(&dev, NULL, &pmu) != APMU_OK || apmu_wish_parse("CPU_CYCLES", &wish) != APMU_OK ||
 *         apmu_session_open(&session, &dev, &pmu, &wish, 1, NULL) != APMU_OK) {
 *         return 1;
 *     }
 *     apmu_session_start(&session);
 *     apmu_cycles(&model, &pe, 1000, NULL);
 *     apmu_session_stop(&session);
 *     apmu_session_read(&session, &reading);
 *     return apmu_session_close(&session) != APMU_OK || reading.count != 1000;
 * }
 * @endcode
 *
 * Rules of all these headers:
 *   - apmu_X_open() makes an X usable, and apmu_X_close() ends it.  Every session is ended by apmu_session_close(),
 *     whichever function opened it: apmu_session_open(), apmu_session_open_shared(), apmu_arm11_session_open() or
 *     apmu_perf_session_open().
 *   - The first parameter is the object of the call, or the device by which it is reached.  What the call fills in
 *     comes last.  Such a parameter may be NULL only where the function says so.
 *   - An array that is read is followed by its @count.  An array that is filled is as long as the function says, or is
 *     followed by its @room.
 *   - A call that can fail returns enum apmu_error: APMU_OK or a negative number.  Its comment lists its own errors.
 *     If the back end refuses an access, the call returns the back end's error, and apmu_dev.refused says which access
 *     it was.
 *   - All memory is the caller's.  Nothing allocates, except perf.h through the C library.
 *
 * Re-entrancy: each header has its own rules.
 */
#ifndef ARMPMU_DRIVER_H
#define ARMPMU_DRIVER_H

#include <armpmu/backend.h>
#include <armpmu/region.h>
#include <armpmu/session.h>
#include <armpmu/pmu.h>

#endif
