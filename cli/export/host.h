/* SPDX-License-Identifier: BSD-2-Clause */
/* What Linux says of this machine. */
#ifndef ARMPMU_CLI_EXPORT_HOST_H
#define ARMPMU_CLI_EXPORT_HOST_H

#include <stddef.h>

/** Sets the first @count of @seconds to the time for which each CPU has been busy; not a number: not known. */
void host_read_busy(double *seconds, size_t count);

/** Writes the list of CPUs that are online, "0-3,6", to @text, cut at @size bytes; "" if it is not known. */
void host_read_online(char *text, size_t size);

/** Returns the folder of the root of all cgroups that perf_event knows, or NULL if there is none. */
const char *host_cgroup_root(void);

#endif
