/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the PMUs of Arm cores among the kernel's event sources, and their events. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <armpmu/cores.h>

#include "internal.h"

#define PATH 512

/* Reads the first line of a file.  Sets "" and returns false if it cannot be read. */
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

long apmu_perf_read_number(const char *path, long otherwise)
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

#define DEVICES "%s/" PERF_DEVICES

/* Returns the number of an event from its file, which holds "event=0x0008", or -1. */
static int event_number(const char *sys, const char *pmu, const char *event)
{
    char path[PATH], line[64];
    const char *number;

    if (strchr(event, '/') != NULL || event[0] == '\0' || event[0] == '.' ||
        snprintf(path, sizeof path, DEVICES "/%s/events/%s", sys, pmu, event) >= (int)sizeof path ||
        !read_line(path, line, sizeof line)) {
        return -1;
    }
    number = strstr(line, "event=");
    return number == NULL ? -1 : (int)(strtoul(number + strlen("event="), NULL, 16) & 0xFFFF);
}

int apmu_perf_event_in(const char *sys, const struct apmu_perf_pmu *pmu, const char *name)
{
    const struct apmu_core_info *core = apmu_core_by_midr(pmu->midr);
    const struct apmu_core_event *own;

    for (size_t i = 0; core != NULL && (own = apmu_core_event_at(core, i)) != NULL; i++) {
        if (strcasecmp(own->name, name) == 0) {
            return own->number;
        }
    }
    return event_number(sys, pmu->name, name);
}

int apmu_perf_event_by_name(const struct apmu_perf_pmu *pmu, const char *name)
{
    return apmu_perf_event_in(SYS, pmu, name);
}

/* Sets pmceid from the common events that the kernel lists for the PMU. */
static void read_events(const char *sys, struct apmu_perf_pmu *pmu)
{
    char path[PATH];
    const struct dirent *entry;
    DIR *dir;

    snprintf(path, sizeof path, DEVICES "/%s/events", sys, pmu->name);
    dir = opendir(path);
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        const int number = event_number(sys, pmu->name, entry->d_name);
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

/* Sets midr to MIDR_EL1 of the first CPU of the PMU, if the kernel tells it (AArch64). */
static void read_midr(const char *sys, struct apmu_perf_pmu *pmu)
{
    char path[PATH], line[32];

    snprintf(path, sizeof path, "%s/devices/system/cpu/cpu%lu/regs/identification/midr_el1", sys,
             strtoul(pmu->cpus, NULL, 10));
    if (read_line(path, line, sizeof line)) {
        pmu->midr = (uint32_t)strtoull(line, NULL, 16);
    }
}

bool apmu_perf_is_core(const char *device)
{
    return (strncmp(device, "armv", 4) == 0 && isdigit((unsigned char)device[4])) || strncmp(device, "apple_", 6) == 0;
}

static int is_core(const struct dirent *entry)
{
    return apmu_perf_is_core(entry->d_name) && strlen(entry->d_name) < sizeof((struct apmu_perf_pmu *)0)->name;
}

size_t apmu_perf_pmus_in(const char *sys, struct apmu_perf_pmu *pmus, size_t room)
{
    struct dirent **entries;
    char path[PATH];
    size_t count = 0;
    int found;

    snprintf(path, sizeof path, DEVICES, sys);
    found = scandir(path, &entries, is_core, alphasort);
    for (int i = 0; i < found; i++) {
        struct apmu_perf_pmu pmu = {.listed = false};
        long type;

        snprintf(pmu.name, sizeof pmu.name, "%.*s", (int)sizeof pmu.name - 1, entries[i]->d_name);
        free(entries[i]);
        snprintf(path, sizeof path, DEVICES "/%s/type", sys, pmu.name);
        type = apmu_perf_read_number(path, -1);
        if (type < 0) {
            continue;
        }
        pmu.type = (uint32_t)type;
        if (count < room) {
            snprintf(path, sizeof path, DEVICES "/%s/cpus", sys, pmu.name);
            read_line(path, pmu.cpus, sizeof pmu.cpus);
            read_events(sys, &pmu);
            read_midr(sys, &pmu);
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
    return apmu_perf_pmus_in(SYS, pmus, room);
}
