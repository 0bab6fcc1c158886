/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads from Linux for how long each CPU has been busy, which are online, and where cgroups are. */
#define _GNU_SOURCE
#include "host.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

void host_read_busy(double *seconds, size_t count)
{
    const double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    FILE *file = fopen("/proc/stat", "re");
    char line[512];

    for (size_t i = 0; i < count; i++) {
        seconds[i] = (double)NAN;
    }
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        unsigned long long user, nice, system, idle, wait, irq, softirq;
        unsigned cpu;

        if (sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu", &cpu, &user, &nice, &system, &idle, &wait, &irq,
                   &softirq) == 8 && cpu < count) {
            seconds[cpu] = (double)(user + nice + system + irq + softirq) * tick;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

void host_read_online(char *text, size_t size)
{
    FILE *file = fopen("/sys/devices/system/cpu/online", "re");

    text[0] = '\0';
    if (file != NULL) {
        (void)!fgets(text, (int)size, file);
        fclose(file);
    }
}

const char *host_cgroup_root(void)
{
    static const char *const roots[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/perf_event"}; /* of version 2, of version 1 */
    char path[64];

    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        snprintf(path, sizeof path, "%s/cgroup.procs", roots[i]);
        if (access(path, F_OK) == 0) {
            return roots[i];
        }
    }
    return NULL;
}
