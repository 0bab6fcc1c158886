/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads from Linux for how long each CPU has been busy. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "gather.h"

void busy_read(double *seconds, size_t count)
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
