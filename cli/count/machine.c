/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the PMUs of this machine, and reads what the kernel says of the cores that have them. */
#define _GNU_SOURCE
#include "machine.h"

#include <stdlib.h>
#include <string.h>

size_t machine_pmus(struct apmu_perf_pmu pmus[MACHINE_PMUS])
{
    const size_t count = apmu_perf_pmus(pmus, MACHINE_PMUS);

    return count < MACHINE_PMUS ? count : MACHINE_PMUS;
}

bool machine_counts(const struct apmu_perf_pmu *pmu, int number)
{
    return !pmu->listed || apmu_event_announced(pmu->pmceid, (uint32_t)number);
}

/* Returns the number in the file at @path, 1 to 65535, or 0 if there is none. */
static unsigned read_number(const char *path)
{
    FILE *file = fopen(path, "re");
    char line[32] = "";
    unsigned long value = 0;

    if (file != NULL) {
        value = fgets(line, sizeof line, file) == NULL ? 0 : strtoul(line, NULL, 0);
        fclose(file);
    }
    return value <= UINT16_MAX ? (unsigned)value : 0;
}

/* Returns the bytes of a line of the first cache of the first CPU that has @pmu. */
static unsigned read_line_size(const struct apmu_perf_pmu *pmu)
{
    char path[128];

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%lu/cache/index0/coherency_line_size",
             strtoul(pmu->cpus, NULL, 10));
    return read_number(path);
}

size_t machine_cores(const struct count_job *job, struct count_core *cores, size_t room)
{
    struct apmu_perf_pmu pmus[MACHINE_PMUS];
    const size_t count = machine_pmus(pmus);

    (void)job;
    for (size_t i = 0; i < count && i < room; i++) {
        char path[128];

        cores[i] = (struct count_core){.info = apmu_core_by_midr(pmus[i].midr), .midr = pmus[i].midr,
                                       .provider = (unsigned)i, .line = read_line_size(&pmus[i]), .timed = true};
        snprintf(cores[i].name, sizeof cores[i].name, "%.31s", count > 1 ? pmus[i].name : "");
        snprintf(path, sizeof path, "/sys/bus/event_source/devices/%.31s/caps/slots", pmus[i].name);
        cores[i].slots = read_number(path) & 0xFF; /* PMMIR_EL1.SLOTS */
    }
    return count;
}

const char *machine_refuses(const struct count_job *job, const struct count_core *core, uint16_t number)
{
    struct apmu_perf_pmu pmus[MACHINE_PMUS];

    (void)job;
    if (core->provider < machine_pmus(pmus) && machine_counts(&pmus[core->provider], number)) {
        return NULL;
    }
    return "this machine's PMU does not count it; armpmu list --metrics prints the events of each metric";
}
