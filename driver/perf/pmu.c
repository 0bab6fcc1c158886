/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMUs of Arm cores among the kernel's event sources. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <armpmu/events.h>

#include "internal.h"

#define PATH 512

/* The first line of a file; "" where there is none. */
static bool read_line(const char *path, char *line, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? -1 : read(fd, line, size - 1);

    if (fd >= 0) {
        close(fd);
    }
    line[n > 0 ? n : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return n >= 0;
}

long perf_read_number(const char *path, long otherwise)
{
    char line[32];
    char *end = line;
    long value = 0;

    if (read_line(path, line, sizeof line)) {
        value = strtol(line, &end, 10);
    }
    return end == line ? otherwise : value;
}

bool apmu_perf_has_cpu(const struct apmu_perf_pmu *pmu, unsigned cpu)
{
    const char *cpus = pmu->cpus;

    if (cpus[0] == '\0') {
        return true;
    }
    for (;;) {
        char *end;
        const unsigned long first = strtoul(cpus, &end, 10);
        const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

        if (first <= cpu && cpu <= last) {
            return true;
        }
        if (*end != ',') {
            return false;
        }
        cpus = end + 1;
    }
}

/* The number in "event=0x0008", or -1. */
static int event_number(const char *devices, const char *pmu, const char *event)
{
    char path[PATH], line[64];
    const char *number;

    if (strchr(event, '/') != NULL || event[0] == '\0' || event[0] == '.' ||
        snprintf(path, sizeof path, "%s/%s/events/%s", devices, pmu, event) >= (int)sizeof path ||
        !read_line(path, line, sizeof line)) {
        return -1;
    }
    number = strstr(line, "event=");
    return number == NULL ? -1 : (int)(strtoul(number + strlen("event="), NULL, 16) & 0xFFFF);
}

int perf_event_in(const char *devices, const struct apmu_perf_pmu *pmu, const char *name)
{
    return event_number(devices, pmu->name, name);
}

int apmu_perf_event_by_name(const struct apmu_perf_pmu *pmu, const char *name)
{
    return perf_event_in(PERF_DEVICES, pmu, name);
}

static void read_events(const char *devices, struct apmu_perf_pmu *pmu)
{
    char path[PATH];
    const struct dirent *entry;
    DIR *dir;

    snprintf(path, sizeof path, "%s/%s/events", devices, pmu->name);
    dir = opendir(path);
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        const int number = event_number(devices, pmu->name, entry->d_name);
        const int bit = number < 0 ? -1 : apmu_event_pmceid((uint32_t)number);

        pmu->listed |= number >= 0;
        if (bit >= 0) {
            pmu->pmceid[bit / 64] |= UINT64_C(1) << (bit % 64);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
}

/* "armv7_cortex_a15" yes, "arm_spe_0", "arm_cmn_0" and the like no. */
static int is_core(const struct dirent *entry)
{
    return strncmp(entry->d_name, "armv", 4) == 0 && isdigit((unsigned char)entry->d_name[4]) &&
           strlen(entry->d_name) < sizeof((struct apmu_perf_pmu *)0)->name;
}

size_t perf_pmus_in(const char *devices, struct apmu_perf_pmu *pmus, size_t room)
{
    struct dirent **entries;
    const int found = scandir(devices, &entries, is_core, alphasort);
    size_t count = 0;

    for (int i = 0; i < found; i++) {
        struct apmu_perf_pmu pmu = {.listed = false};
        char path[PATH];
        long type;

        snprintf(pmu.name, sizeof pmu.name, "%.*s", (int)sizeof pmu.name - 1, entries[i]->d_name);
        free(entries[i]);
        snprintf(path, sizeof path, "%s/%s/type", devices, pmu.name);
        type = perf_read_number(path, -1);
        if (type < 0) {
            continue;
        }
        pmu.type = (uint32_t)type;
        if (count < room) {
            snprintf(path, sizeof path, "%s/%s/cpus", devices, pmu.name);
            read_line(path, pmu.cpus, sizeof pmu.cpus);
            read_events(devices, &pmu);
            pmus[count] = pmu;
        }
        count++;
    }
    if (found >= 0) {
        free(entries);
    }
    return count;
}

size_t apmu_perf_pmus(struct apmu_perf_pmu *pmus, size_t room)
{
    return perf_pmus_in(PERF_DEVICES, pmus, room);
}
