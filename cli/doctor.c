/* SPDX-License-Identifier: BSD-2-Clause */
/* `armpmu doctor`: says of each event whether this machine's counters count it. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "doctor/doctor.h"
#include "state/live.h"

enum { PMUS = 16, EVENTS = 128, CPUS = 1024 };

struct doctor_options {
    bool json, all_cpus;
    uint16_t only[EVENTS];
    size_t only_count;
};

/* What is examined, and what was found. */
struct visit {
    struct doctor_options options;
    struct state_host host;
    struct apmu_perf_pmu pmus[PMUS];
    size_t pmu_count;
    struct doctor_report *reports;
    size_t count;
};

/* ---------------------------------------------------------------------------------------------------------------
 * The command line.
 */

static bool parse(const struct cli_args *args, struct doctor_options *o)
{
    for (size_t i = 0; i < args->given_count; i++) {
        o->json |= args->given[i].id == CLI_JSON;
        o->all_cpus |= args->given[i].id == CLI_ALL_CPUS;
    }
    for (char **word = args->operands; *word != NULL; word++) {
        const int number = apmu_event_parse(*word);

        if (number < 0) {
            cli_complain(args->verb, "%s: no such event; armpmu list lists them", *word);
            return false;
        }
        if (o->only_count == EVENTS) {
            cli_complain(args->verb, "%s: more than %d events; give fewer, or none for all", *word, EVENTS);
            return false;
        }
        o->only[o->only_count++] = (uint16_t)number;
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The machine.
 */

/* Returns whether this is an Arm machine with the instructions of the loops.  Complains if not. */
static bool is_arm(const struct cli_verb *verb)
{
    struct utsname name;

    if (uname(&name) != 0 || (strncmp(name.machine, "aarch64", 7) != 0 && strncmp(name.machine, "arm", 3) != 0)) {
        cli_complain(verb, "this machine: it is no Arm machine (%s), so it has no counters to examine; run armpmu "
                     "doctor on Arm Linux, or in an Arm guest; armpmu stat --engine=qemu-user counts Arm programs here",
                     name.machine);
        return false;
    }
    if (!doctor_loop_exists(DOCTOR_RUN_ADD)) {
        cli_complain(verb, "this armpmu: it is built for a machine older than Armv7 or without floating point, so it "
                     "lacks the loops; build it for armhf or arm64");
        return false;
    }
    return true;
}

/* Returns the core whose name is in the name of the PMU, "armv7_cortex_a15", or NULL. */
static const struct apmu_core_info *core_by_device(const char *device)
{
    for (size_t i = 0; i < apmu_core_count(); i++) {
        const struct apmu_core_info *core = apmu_core_at(i);
        const size_t length = strlen(core->name), all = strlen(device);
        bool same = all > length;

        for (size_t n = 0; n < length && same; n++) {
            const char c = core->name[n];

            same = device[all - length + n] == (isalnum((unsigned char)c) ? (char)tolower((unsigned char)c) : '_');
        }
        if (same && device[all - length - 1] == '_') {
            return core;
        }
    }
    return NULL;
}

/* Returns the core of a PMU: by MIDR_EL1 if the kernel tells it, else by its device's name.  NULL: not known. */
static const struct apmu_core_info *core_of(const struct apmu_perf_pmu *pmu)
{
    return pmu->midr != 0 ? apmu_core_by_midr(pmu->midr) : core_by_device(pmu->name);
}

/* Adds a report without a PMU: the kernel has none. */
static void report_no_pmu(struct visit *v)
{
    struct doctor_report *report = &v->reports[v->count++];
    struct doctor_finding *f = doctor_add(report, "PMU");

    f->verdict = DOCTOR_ABSENT;
    f->fault = true;
    snprintf(f->text, sizeof f->text, "%s", "no PMU of a core is in /sys/bus/event_source/devices");
    f->causes[0] = &why_causes[WHY_no_pmu_device];
    f->causes[1] = &why_causes[WHY_hypervisor_gives_no_pmu];
    f->cure = "read dmesg | grep -i pmu; give the device tree a pmu node, and a virtual machine pmu=on";
}

/* Adds the finding that CPU report->cpu cannot be examined. */
static void report_no_cpu(struct doctor_report *report, const char *why)
{
    struct doctor_finding *f = doctor_add(report, "CPU");

    f->verdict = DOCTOR_REFUSED;
    snprintf(f->text, sizeof f->text, "this process may not run on CPU %u: %s", report->cpu, why);
    f->cure = "widen its cpuset, or run it under taskset with CPUs of each kind";
}

/* Examines @pmu on @cpu. */
static void visit_cpu(struct visit *v, const struct apmu_perf_pmu *pmu, unsigned cpu)
{
    static struct doctor_machine machine;
    struct doctor_bench bench;
    struct doctor_report *report;

    v->reports = cli_allocate(v->reports, v->count + 1, sizeof *v->reports);
    report = &v->reports[v->count++];
    *report = (struct doctor_report){.pmu = *pmu, .cpu = cpu, .core = core_of(pmu), .host = &v->host};
    if (!doctor_pin(cpu)) {
        report_no_cpu(report, strerror(errno));
        return;
    }
    if (!doctor_arena_open(&machine.arena)) {
        report_no_cpu(report, "there is no memory for the loops");
        return;
    }
    doctor_machine(&machine, pmu, &bench);
    doctor_examine(&bench, v->options.only, v->options.only_count, report);
    doctor_arena_close(&machine.arena);
}

/* Examines @pmu on the first of its CPUs on which this process may run, or on all of its CPUs. */
static void visit_pmu(struct visit *v, const struct apmu_perf_pmu *pmu, const cpu_set_t *allowed)
{
    const size_t before = v->count;
    unsigned first = CPUS;

    for (unsigned cpu = 0; cpu < CPUS && cpu < CPU_SETSIZE; cpu++) {
        if (apmu_perf_has_cpu(pmu, cpu) && (v->options.all_cpus || v->count == before)) {
            first = first == CPUS ? cpu : first;
            if (CPU_ISSET(cpu, allowed)) {
                visit_cpu(v, pmu, cpu);
            }
        }
    }
    if (v->count == before && first != CPUS) { /* none of them: the report says why */
        visit_cpu(v, pmu, first);
    }
}

static void visit_all(struct visit *v)
{
    static cpu_set_t allowed; /* large, and used by one thread */
    static struct state state;

    state_init(&state, "--live");
    state_take_host(&state, "");
    v->host = state.host;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        memset(&allowed, 0xFF, sizeof allowed);
    }
    v->pmu_count = apmu_perf_pmus(v->pmus, PMUS);
    v->pmu_count = v->pmu_count < PMUS ? v->pmu_count : PMUS;
    if (v->pmu_count == 0) {
        v->reports = cli_allocate(NULL, 1, sizeof *v->reports);
        report_no_pmu(v);
    }
    for (size_t i = 0; i < v->pmu_count; i++) {
        visit_pmu(v, &v->pmus[i], &allowed);
    }
    (void)sched_setaffinity(0, sizeof allowed, &allowed);
}

int cli_doctor(const struct cli_args *args)
{
    static struct visit visit;
    int status;

    if (!parse(args, &visit.options)) {
        return CLI_USAGE;
    }
    if (!is_arm(args->verb)) {
        return CLI_CANNOT;
    }
    visit_all(&visit);
    status = doctor_status(visit.reports, visit.count);
    if (visit.options.json) {
        json_t *object = doctor_json(visit.reports, visit.count);

        json_dumpf(object, stdout, JSON_PRESERVE_ORDER | JSON_INDENT(1));
        putchar('\n');
        json_decref(object);
    } else {
        doctor_print(visit.reports, visit.count);
    }
    free(visit.reports);
    return cli_flush(args->verb, stdout, "stdout", status);
}
