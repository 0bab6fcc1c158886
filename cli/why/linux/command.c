/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what a command of perf or simpleperf asks for. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux.h"

/* Returns the CPUs that @option gives in @command: "-C 0-3", "--cpu 4", "taskset -c 4"; 0: none. */
static uint64_t cpus_of(const char *command, const char *option)
{
    const char *at = strstr(command, option), *end;
    uint64_t cpus = 0;

    if (at == NULL) {
        return 0;
    }
    at += strlen(option);
    at += strspn(at, " =");
    while (isdigit((unsigned char)*at)) {
        uint64_t first = linux_number(at, &end), last = first;

        if (*end == '-' && isdigit((unsigned char)end[1])) {
            last = linux_number(end + 1, &end);
        }
        for (uint64_t cpu = first; cpu <= last && cpu < 64; cpu++) {
            cpus |= UINT64_C(1) << cpu;
        }
        at = *end == ',' ? end + 1 : end;
    }
    return cpus;
}

uint64_t linux_task_cpus(const struct linux_view *v, const char *command)
{
    uint64_t cpus = cpus_of(command, "taskset -c");

    cpus = cpus != 0 ? cpus : cpus_of(command, "taskset --cpu-list");
    cpus = cpus != 0 ? cpus : cpus_of(command, "numactl -c");
    cpus = cpus != 0 ? cpus : cpus_of(command, "--physcpubind");
    if (cpus == 0) {
        const char *mask = strstr(command, "taskset 0x");

        cpus = mask != NULL ? strtoull(mask + 8, NULL, 16) : 0;
        mask = mask == NULL ? strstr(command, "taskset ") : NULL;
        cpus = mask != NULL && isxdigit((unsigned char)mask[8]) ? strtoull(mask + 8, NULL, 16) : cpus;
    }
    if (cpus == 0 && v->first[CLUE_linux_cpus_allowed] != NULL) {
        cpus = v->first[CLUE_linux_cpus_allowed]->values[0];
    }
    return cpus;
}

uint64_t linux_counted_cpus(const char *command)
{
    uint64_t cpus = cpus_of(command, "--cpu ");

    cpus = cpus != 0 ? cpus : cpus_of(command, "--cpu=");
    cpus = cpus != 0 ? cpus : cpus_of(command, "perf stat -c ");
    return cpus != 0 ? cpus : cpus_of(command, " -c ") & (strstr(command, "taskset -c ") != NULL ? 0 : UINT64_MAX);
}

/* Returns true if the @length bytes at @text name the event of cycles. */
static bool is_cycles(const char *text, size_t length)
{
    static const char *const names[] = {"cycles", "cpu-cycles", "cpu_cycles", "r11", "r011", "r0011"};
    const size_t name = strcspn(text, ":,}");

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if ((name <= length && name == strlen(names[i]) && memcmp(text, names[i], name) == 0)) {
            return true;
        }
    }
    return memmem(text, length, "/cpu_cycles", 11) != NULL || memmem(text, length, "/cycles", 7) != NULL ||
           memmem(text, length, "event=0x11", 10) != NULL;
}

/* Returns true if the @length bytes at @text name an event that the kernel counts itself. */
static bool is_software(const char *text, size_t length)
{
    char event[64];

    snprintf(event, sizeof event, "%.*s", (int)strcspn(text, ":,}"), text);
    return length < sizeof event && linux_is_software(event);
}

unsigned linux_largest_group(const char *command, bool *cycles)
{
    unsigned most = 0;

    *cycles = false;

    for (const char *at = strchr(command, '{'); at != NULL; at = strchr(at + 1, '{')) {
        unsigned events = 0;
        bool counts = false;

        for (const char *c = at; *c == '{' || *c == ','; c += strcspn(c, ",}")) {
            c++;
            counts |= is_cycles(c, strcspn(c, ",}"));
            events += !is_software(c, strcspn(c, ",}"));
        }
        if (events + !counts > most + !*cycles) {
            most = events;
            *cycles = counts;
        }
    }
    return most;
}
