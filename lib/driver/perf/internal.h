/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the perf_event back end share.  Not for users. */
#ifndef ARMPMU_DRIVER_PERF_INTERNAL_H
#define ARMPMU_DRIVER_PERF_INTERNAL_H

#include <armpmu/perf.h>

#define SYS "/sys"
#define PERF_DEVICES "bus/event_source/devices" /* a folder for each PMU */

/* devices.c: as the public functions, with @sys for /sys. */
size_t apmu_perf_pmus_in(const char *sys, struct apmu_perf_pmu *pmus, size_t room);
int apmu_perf_event_in(const char *sys, const struct apmu_perf_pmu *pmu, const char *name);

/* devices.c: the number that the file @path begins with, or @otherwise. */
long apmu_perf_read_number(const char *path, long otherwise);

/* open.c: can perf_event express @wish on @pmu?  Fills the members of @no that concern the wish. */
enum apmu_error apmu_perf_check_wish(const struct apmu_perf_pmu *pmu, const struct apmu_wish *wish,
                                     struct apmu_perf_refusal *no);

/* open.c: what @system_error of perf_event_open() means for an event of @pmu that excludes the kernel, or does not. */
enum apmu_error apmu_perf_error(const struct apmu_perf_pmu *pmu, int system_error, bool user_only,
                                struct apmu_perf_refusal *no);

/* session.c */
extern const struct apmu_session_ops apmu_perf_session_ops;

/* session.c: @count in @running ns, for @enabled ns. */
uint64_t apmu_perf_scale(uint64_t count, uint64_t enabled, uint64_t running);

/* session.c: the times of @page now, when the generic timer is at @cycles.  False: the page does not say. */
bool apmu_perf_page_times(const volatile struct apmu_perf_page *page, uint64_t cycles, uint64_t *enabled,
                          uint64_t *running);

#endif
