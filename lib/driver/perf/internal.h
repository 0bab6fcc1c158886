/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the files of lib/driver/perf/ share: the perf_event back end.  Not for users. */
#ifndef ARMPMU_DRIVER_PERF_INTERNAL_H
#define ARMPMU_DRIVER_PERF_INTERNAL_H

#include <armpmu/perf.h>

#define SYS "/sys"
#define PERF_DEVICES "bus/event_source/devices" /* a folder for each PMU */

/* devices.c: as apmu_perf_pmus() and apmu_perf_event_by_name(), with @sys for /sys. */
size_t apmu_perf_pmus_in(const char *sys, struct apmu_perf_pmu *pmus, size_t room);
int apmu_perf_event_in(const char *sys, const struct apmu_perf_pmu *pmu, const char *name);

/* devices.c: returns the number with which the file @path begins, or @otherwise if there is none. */
long apmu_perf_read_number(const char *path, long otherwise);

/*
 * open.c: returns APMU_OK if perf_event can count @wish on @pmu, otherwise the error.  Sets the members of @no that
 * concern the wish.
 */
enum apmu_error apmu_perf_check_wish(const struct apmu_perf_pmu *pmu, const struct apmu_wish *wish,
                                     struct apmu_perf_refusal *no);

/*
 * open.c: returns the error for @system_error, the errno of perf_event_open() for an event of @pmu.  @user_only: the
 * event excludes the kernel.  Sets the members of @no that explain the error.
 */
enum apmu_error apmu_perf_error(const struct apmu_perf_pmu *pmu, int system_error, bool user_only,
                                struct apmu_perf_refusal *no);

/* session.c: the session seam. */
extern const struct apmu_session_ops apmu_perf_session_ops;

/* session.c: returns the estimate for @enabled ns of an event that was counted @count times in @running ns. */
uint64_t apmu_perf_scale(uint64_t count, uint64_t enabled, uint64_t running);

/*
 * session.c: sets *@enabled and *@running to the times of @page, in ns, when the generic timer is at @cycles.  Returns
 * false if the page does not have them.
 */
bool apmu_perf_page_times(const volatile struct apmu_perf_page *page, uint64_t cycles, uint64_t *enabled,
                          uint64_t *running);

#endif
