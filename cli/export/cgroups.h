/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds cgroups by patterns. */
#ifndef ARMPMU_CLI_EXPORT_CGROUPS_H
#define ARMPMU_CLI_EXPORT_CGROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "../cli.h"

/** A cgroup that exists. */
struct cgroup {
    char *path;       /**< of its folder */
    const char *name; /**< in @path: as /proc/PID/cgroup has it, "/system.slice/ssh.service" */
    uint64_t id;      /**< another one of the same name that is made later has another */
};

/** The cgroups that were found. */
struct cgroups {
    struct cgroup *items;
    size_t count;
};

/** Returns CLI_YES if @pattern can be one of --cgroup here, or the exit status after a complaint. */
int cgroups_check(const struct cli_verb *verb, const char *pattern);

/** Finds the cgroups that match one of the @count patterns; one that matches several is found once. */
struct cgroups cgroups_find(const char *const *patterns, size_t count);

void cgroups_free(struct cgroups *found);

#endif
