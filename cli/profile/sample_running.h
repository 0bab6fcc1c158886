/* SPDX-License-Identifier: BSD-2-Clause */
/* What /proc says of processes that run already, and of the kernel. */
#ifndef ARMPMU_CLI_SAMPLE_RUNNING_H
#define ARMPMU_CLI_SAMPLE_RUNNING_H

#include <sys/types.h>

#include "sample_tables.h"

/** Returns the command line of process @pid, which the caller frees, or NULL. */
char *sample_running_command(int32_t pid);

/** Adds the processes that have @threads. */
void sample_running_threads(struct sample_tables *t, const pid_t *threads, size_t count);

/** Adds every process. */
void sample_running_all(struct sample_tables *t);

/** Adds the names of the kernel's functions in which @r has samples, if the user may know where they are. */
void sample_running_kernel(struct recording *r);

#endif
