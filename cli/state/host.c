/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the host: what /sys and /proc say of an Arm Linux machine, and the registers that a program may read at EL0. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <armpmu/perf.h>

#include "el0.h"
#include "internal.h"
#include "live.h"

enum { PATH = 512 };

/*
 * Reads the first line of a file, without the newline.  The path is @root, then @format, in which two %s stand for
 * @name and @file.  Returns false if there is no line.
 */
static bool read_line(char *line, size_t size, const char *root, const char *format, const char *name, const char *file)
{
    char path[PATH], sub[PATH / 2];
    FILE *in;

    snprintf(sub, sizeof sub, format, name, file);
    snprintf(path, sizeof path, "%.200s%s", root, sub);
    line[0] = '\0';
    in = fopen(path, "re");
    if (in == NULL) {
        return false;
    }
    const bool read = fgets(line, (int)size, in) != NULL;

    fclose(in);
    line[strcspn(line, "\n")] = '\0';
    return read;
}

/* Reads a number from -1000 to 1000.  Returns STATE_UNREADABLE if the file does not begin with one. */
static int read_number(const char *root, const char *path)
{
    char line[32], *end;
    long value;

    if (!read_line(line, sizeof line, root, "%s%s", path, "")) {
        return STATE_UNREADABLE;
    }
    value = strtol(line, &end, 10);
    return end == line || value < -1000 || value > 1000 ? STATE_UNREADABLE : (int)value;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Types of core: CPUs with the same MIDR_EL1 are of one type.
 */

/* Adds a CPU to its type of core, a new one if need be.  Types beyond STATE_HOST_CORES are left out. */
static void add_cpu(struct state_host *host, unsigned cpu, uint32_t midr)
{
    static const char more[] = ",...";
    char number[16];
    unsigned i = 0;

    host->cpu_count++;
    while (i < host->core_count && host->cores[i].midr != midr) {
        i++;
    }
    if (i == STATE_HOST_CORES) {
        return;
    }
    if (i == host->core_count) {
        host->cores[host->core_count++].midr = midr;
    }
    struct state_host_core *core = &host->cores[i];
    const size_t used = strlen(core->cpus);

    snprintf(number, sizeof number, "%s%u", used > 0 ? "," : "", cpu);
    if (used + strlen(number) + sizeof more <= sizeof core->cpus) {
        strcat(core->cpus, number);
    } else if (core->cpus[used - 1] != '.') {
        strcat(core->cpus, more);
    }
}

static void read_cores(struct state_host *host, const char *root)
{
    for (unsigned cpu = 0; cpu < STATE_HOST_CPUS; cpu++) {
        char name[16], line[32];
        uint64_t midr;
        size_t used;

        snprintf(name, sizeof name, "cpu%u", cpu);
        if (read_line(line, sizeof line, root, "/sys/devices/system/cpu/%s/%s", name, "regs/identification/midr_el1") &&
            state_number(line, strlen(line), &midr, &used) == STATE_NUMBER) {
            add_cpu(host, cpu, (uint32_t)midr);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * PMU devices.
 */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct state_host_pmu *)a)->name, ((const struct state_host_pmu *)b)->name);
}

/* Reads the PMU devices of cores, sorted by name.  Devices beyond STATE_HOST_PMUS are left out. */
static void read_devices(struct state_host *host, const char *root)
{
    static const char devices[] = "/sys/bus/event_source/devices";
    char path[PATH];
    DIR *dir;

    snprintf(path, sizeof path, "%.200s%s", root, devices);
    dir = opendir(path);
    for (const struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL && host->pmu_count < STATE_HOST_PMUS;) {
        struct state_host_pmu *pmu = &host->pmus[host->pmu_count];
        char line[64];

        const size_t length = strlen(e->d_name);

        if (!apmu_perf_is_core(e->d_name) || length >= sizeof pmu->name) {
            continue;
        }
        memset(pmu, 0, sizeof *pmu);
        memcpy(pmu->name, e->d_name, length);
        read_line(pmu->cpus, sizeof pmu->cpus, root, "/sys/bus/event_source/devices/%s/%s", e->d_name, "cpus");
        pmu->slots = STATE_UNREADABLE;
        if (read_line(line, sizeof line, root, "/sys/bus/event_source/devices/%s/%s", e->d_name, "caps/slots")) {
            pmu->slots = (int)(strtoul(line, NULL, 0) & 0xFF);
        }
        host->pmu_count++;
    }
    if (dir != NULL) {
        closedir(dir);
    }
    qsort(host->pmus, host->pmu_count, sizeof host->pmus[0], by_name);
}

void state_take_host(struct state *s, const char *root)
{
    struct state_host *host = &s->host;

    memset(host, 0, sizeof *host);
    host->known = true;
    host->paranoid = read_number(root, "/proc/sys/kernel/perf_event_paranoid");
    host->user_access = read_number(root, "/proc/sys/kernel/perf_user_access");
    read_cores(host, root);
    read_devices(host, root);
    if (host->core_count == 1) { /* with several types, the state describes none of them */
        s->facts++;
        state_put(s, APMU_REG_MIDR_EL1, 0, UINT32_MAX, host->cores[0].midr, STATE_LINE_LIVE, "midr_el1");
    }
    if (host->pmu_count == 1 && host->pmus[0].slots != STATE_UNREADABLE) {
        s->facts++;
        state_put(s, APMU_REG_PMMIR_EL1, 0, APMU_MASK(PMMIR_EL1, SLOTS),
                  APMU_PUT(PMMIR_EL1, SLOTS, (unsigned)host->pmus[0].slots), STATE_LINE_LIVE, "caps/slots");
    }
}

/* Takes the registers that this program may read at EL0: PMUSERENR_EL0, and those that PMUSERENR_EL0 allows. */
static void take_el0(struct state *s)
{
    for (unsigned i = 0; i < EL0_REGISTERS; i++) {
        struct names_place place;
        uint64_t value;
        const char *name;
        const enum el0_answer answer = el0_read(i, &name, &value);

        if (answer == EL0_NOT_HERE) {
            return;
        }
        if (answer == EL0_VALUE && names_by_name(name, strlen(name), &place)) {
            state_take(s, &place, value, STATE_LINE_LIVE, name, strlen(name));
        } else {
            state_remark(s, STATE_UNUSED, STATE_LINE_LIVE, name, strlen(name), "a read of it at EL0 is trapped");
        }
    }
}

bool state_read_host(const struct cli_verb *verb, struct state *s)
{
    struct utsname name;

    if (uname(&name) != 0 || (strncmp(name.machine, "aarch64", 7) != 0 && strncmp(name.machine, "arm", 3) != 0)) {
        cli_complain(verb, "--live: not an Arm machine (%s); run armpmu on one, or give a text or --gdb",
                     name.machine);
        return false;
    }
    state_take_host(s, "");
    take_el0(s);
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Output.
 */

static void print_access(FILE *out, const struct state_host *host)
{
    static const char *const paranoid[] = {
        "programs may count everything, including the kernel",
        "programs may count themselves and the kernel, not whole CPUs",
        "programs may count themselves at EL0 only; more needs CAP_PERFMON",
        "programs may count nothing without CAP_PERFMON",
    };
    const int level = host->paranoid < 0 ? 0 : host->paranoid > 3 ? 3 : host->paranoid;

    if (host->paranoid == STATE_UNREADABLE) {
        fprintf(out, "perf_event_paranoid: cannot be read: this kernel lacks perf_event\n");
    } else {
        fprintf(out, "perf_event_paranoid %d: %s\n", host->paranoid, paranoid[level]);
    }
    if (host->user_access == STATE_UNREADABLE) {
        fprintf(out, "perf_user_access: not there: the kernel does not let EL0 read the counters\n");
    } else {
        fprintf(out, "perf_user_access %d: %s\n", host->user_access,
                host->user_access != 0 ? "EL0 may read the counters of events that ask for it (config1 bit 1)"
                                    : "EL0 may not read counters; sysctl kernel.perf_user_access=1 lets it");
    }
}

void state_print_host(FILE *out, const struct state *s)
{
    const struct state_host *host = &s->host;

    if (!host->known) {
        return;
    }
    print_access(out, host);
    for (unsigned i = 0; i < host->core_count; i++) {
        const struct apmu_core_info *core = apmu_core_by_midr(host->cores[i].midr);

        fprintf(out, "CPUs %s: %s, MIDR_EL1 0x%08x\n", host->cores[i].cpus,
                core != NULL ? core->name : "an unknown core", host->cores[i].midr);
    }
    for (unsigned i = 0; i < host->pmu_count; i++) {
        fprintf(out, "PMU %s: CPUs %s\n", host->pmus[i].name,
                host->pmus[i].cpus[0] != '\0' ? host->pmus[i].cpus : "all");
    }
    if (host->pmu_count == 0) {
        fprintf(out, "PMU: none in /sys/bus/event_source/devices: the device tree or ACPI has no node for it, the "
                "hypervisor hides it, or its driver is not there\n");
    }
    if (host->core_count > 1) {
        fprintf(out, "Cores differ: an event counts only on the CPUs of the PMU that it was opened on\n");
    }
}
