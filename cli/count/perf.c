/* SPDX-License-Identifier: BSD-2-Clause */
/* Engine perf: counts with the PMUs of this machine, through the driver's back end over Linux's perf_event. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <armpmu/events.h>

#include "perf_groups.h"

#define REMARKS_SIZE 4096

struct measurement {
    struct count_job *job;
    struct launch launch;
    struct perf_groups open;
    char remarks[REMARKS_SIZE];
};

static bool is_available(void)
{
    return apmu_perf_pmus(NULL, 0) != 0;
}

static bool is_asked_for(const struct count_job *job)
{
    return job->all_cpus || job->cgroup != NULL || job->pids != NULL || job->tids != NULL;
}

static int check(const struct count_job *job)
{
    const bool others = job->pids != NULL || job->tids != NULL;

    if (job->selection.core != NULL) {
        cli_complain(job->verb, "--core: engine perf counts what the core of this machine does; leave --core out, or "
                                "give --engine=qemu-user too");
        return CLI_USAGE;
    }
    if (job->el0 || job->sysroot != NULL || job->deterministic) {
        cli_complain(job->verb, "--%s: engine perf lacks it; leave it out, or give --engine=qemu-user too",
                     job->el0 ? "el0" : job->sysroot != NULL ? "sysroot" : "deterministic");
        return CLI_USAGE;
    }
    if (job->all_cpus && others) {
        cli_complain(job->verb, "--all-cpus, --%s: they exclude each other; give one of them",
                     job->pids != NULL ? "pid" : "tid");
        return CLI_USAGE;
    }
    if (!job->all_cpus && job->cgroup == NULL && !others && job->argv[0] == NULL) {
        cli_complain(job->verb, "PROGRAM is missing; usage: armpmu %s [OPTION...] %s", job->verb->name,
                     job->verb->operands);
        return CLI_USAGE;
    }
    if (!is_available()) {
        cli_complain(job->verb, "engine perf: %s; %s%s", apmu_error_text(APMU_E_PERF_PMU),
                     apmu_error_cure(APMU_E_PERF_PMU),
                     is_asked_for(job) ? "" : "; or give --engine=qemu-user"); /* it runs programs */
        return CLI_CANNOT;
    }
    return CLI_YES;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Events.
 */

static bool supports(const struct selection *s, uint16_t number)
{
    struct apmu_perf_pmu pmus[MACHINE_PMUS];
    const size_t count = machine_pmus(pmus);

    (void)s;
    for (size_t i = 0; i < count; i++) {
        if (machine_counts(&pmus[i], number)) {
            return true;
        }
    }
    return false;
}

/*
 * Writes choice->name, the name of the common event or else the user's word, with the modifier: "INST_RETIRED:u".  If
 * @pmu is not NULL, the name begins with it: "armv8_cortex_a53/INST_RETIRED/u".
 */
static void name_choice(struct event_choice *choice, const struct event_word *word, const char *pmu)
{
    const struct apmu_event_info *info = apmu_event_by_number(choice->number);
    const char *name = info != NULL ? info->name : word->text;
    const char *colon = pmu == NULL && word->modifier[0] != '\0' ? ":" : "";

    if (pmu != NULL) {
        snprintf(choice->name, sizeof choice->name, "%.31s/%.96s/%.8s", pmu, name, word->modifier);
    } else {
        snprintf(choice->name, sizeof choice->name, "%.96s%s%.8s", name, colon, word->modifier);
    }
}

/*
 * Adds the event on every PMU that has it, because a program may run on any kind of core.  A group of the kernel cannot
 * span PMUs, so a group between braces becomes one group for each PMU.
 */
static int add(struct selection *s, const struct cli_verb *verb, const struct event_word *word)
{
    struct apmu_perf_pmu pmus[MACHINE_PMUS];
    const size_t count = machine_pmus(pmus);
    const int common = apmu_event_parse(word->text);
    int status = CLI_YES, known = common;
    bool added = false;

    for (unsigned i = 0; i < count && status == CLI_YES; i++) {
        const int named = apmu_perf_event_by_name(&pmus[i], word->text);
        const int number = named >= 0 ? named : common;
        struct event_choice choice = {.number = (uint16_t)number, .modified = word->modifier[0] != '\0',
                                      .filter = word->filter, .group = word->group * MACHINE_PMUS + i, .provider = i,
                                      .trust = "measured", .mark = ""};

        known = number >= 0 ? number : known;
        if (number >= 0 && (word->only == 0 || word->only == i + 1) && machine_counts(&pmus[i], number)) {
            name_choice(&choice, word, count > 1 ? pmus[i].name : NULL);
            status = select_add(s, verb, word, &choice);
            added = true;
        }
    }
    if (known < 0) {
        return select_complain_unknown(verb, word);
    }
    if (!added) {
        cli_complain(verb, "event %s: %s does not have it (0x%04X); use an event of "
                           "/sys/bus/event_source/devices/%s/events", word->text, pmus[0].name, (unsigned)known,
                     pmus[0].name);
        return CLI_CANNOT;
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The engine.
 */

static void end(void *run)
{
    struct measurement *m = run;

    perf_groups_close(&m->open);
    launch_end(&m->launch);
    free(m);
}

static void *begin(struct count_job *job, int *status)
{
    struct measurement *m = cli_allocate(NULL, 1, sizeof *m);

    m->job = job;
    *status = launch_prepare(&m->launch, job);
    if (*status == CLI_YES) {
        *status = perf_groups_open(&m->open, job, &m->launch);
    }
    if (*status == CLI_YES) {
        *status = launch_go(&m->launch, job);
    }
    if (*status != CLI_YES) {
        end(m);
        return NULL;
    }
    return m;
}

static int pid(void *run)
{
    return ((struct measurement *)run)->launch.pid;
}

/* Adds to @remarks, of @size bytes, what the counts lack because CPU @number was offline. */
static void remark_gap(const struct perf_cpu *cpu, unsigned number, char *remarks, size_t size)
{
    const size_t used = strlen(remarks);
    const char *before = used == 0 ? "" : "\n";

    if (cpu->gap == PERF_CPU_TAKEN_OFF) {
        snprintf(remarks + used, size - used,
                 "%sCPU %u was taken offline after %.3f s: the counts lack what it did after that", before, number,
                 (double)cpu->until_ns / 1e9);
    } else if (cpu->gap == PERF_CPU_OFF_AT_FIRST && perf_groups_online(number)) {
        snprintf(remarks + used, size - used,
                 "%sCPU %u was offline when counting began: the counts lack what it did since", before, number);
    }
}

static void wait_for(void *run, int timeout_ms, struct count_status *status)
{
    struct measurement *m = run;

    launch_wait(&m->launch, timeout_ms, status);
    m->remarks[0] = '\0';
    if (m->open.scaled) {
        snprintf(m->remarks, sizeof m->remarks, "counts with a percentage are estimates: their events shared counters");
    }
    for (unsigned i = 0; i < m->open.cpu_count; i++) {
        remark_gap(&m->open.cpus[i], i, m->remarks, sizeof m->remarks);
    }
    status->remarks = m->remarks;
}

static int read_tallies(void *run, uint64_t elapsed_ns, struct tally *tallies)
{
    return perf_groups_read(&((struct measurement *)run)->open, elapsed_ns, tallies);
}

static unsigned cpu_count(void *run)
{
    return ((const struct measurement *)run)->open.cpu_count;
}

static int read_cpus(void *run, uint64_t elapsed_ns, struct count_cpu *states, struct tally *tallies)
{
    return perf_groups_read_cpus(&((struct measurement *)run)->open, elapsed_ns, states, tallies);
}

static const char *usual(const struct selection *s)
{
    (void)s;
    return "CPU_CYCLES,INST_RETIRED,BR_RETIRED,BR_MIS_PRED_RETIRED,STALL_FRONTEND,STALL_BACKEND,L1D_CACHE,"
           "L1D_CACHE_REFILL";
}

const struct engine perf_engine = {
    .name = "perf", .usual = usual,
    .is_available = is_available, .is_asked_for = is_asked_for, .check = check, .supports = supports,
    .cores = machine_cores, .refuses = machine_refuses, .add = add,
    .begin = begin, .pid = pid, .wait = wait_for, .read = read_tallies,
    .cpus = cpu_count, .read_cpus = read_cpus, .end = end,
};
