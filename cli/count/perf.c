/* SPDX-License-Identifier: BSD-2-Clause */
/* Engine perf: counts with the PMUs of this machine, through the driver's back end over Linux's perf_event. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <armpmu/events.h>
#include <armpmu/perf.h>

#include "engine.h"
#include "launch.h"
#include "machine.h"

#define REMARKS_SIZE 4096

/* One group of events, opened on one thread or CPU. */
struct perf_group {
    struct apmu_session session;
    struct apmu_perf perf;
    size_t first; /* index in the selection of its first event; it has session.count of them */
    unsigned cpu;
    uint64_t enabled_ns; /* the enabled time of its first event when find_gaps() last read it */
    bool gone;           /* the kernel has given up its events */
};

/* A CPU of --all-cpus that was offline for some time: its events are lost for good, or were never opened. */
struct cpu_gap {
    unsigned cpu;
    bool at_first;     /* it was offline when counting began, and nothing was opened on it */
    uint64_t until_ns; /* otherwise: the time from the start for which it was counted */
};

struct measurement {
    struct count_job *job;
    struct apmu_perf_pmu pmus[MACHINE_PMUS];
    struct launch launch;
    struct perf_group **groups;
    size_t group_count;
    struct cpu_gap *gaps;
    size_t gap_count;
    bool scaled;              /* a reading was an estimate */
    struct apmu_perf refused; /* the last group that could not be opened */
    char remarks[REMARKS_SIZE];
};

static bool is_available(void)
{
    return apmu_perf_pmus(NULL, 0) != 0;
}

static bool is_asked_for(const struct count_job *job)
{
    return job->all_cpus || job->pids != NULL || job->tids != NULL;
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
    if (!job->all_cpus && !others && job->argv[0] == NULL) {
        cli_complain(job->verb, "PROGRAM is missing; usage: armpmu stat [OPTION...] %s", job->verb->operands);
        return CLI_USAGE;
    }
    if (!is_available()) {
        cli_complain(job->verb, "engine perf: %s; %s%s", apmu_error_text(APMU_E_PERF_PMU),
                     apmu_error_cure(APMU_E_PERF_PMU),
                     others || job->all_cpus ? "" : "; or give --engine=qemu-user"); /* it runs programs */
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
 * Opening.
 */

/* Returns the number of events in the group that begins with event @first: events of a group are adjacent. */
static size_t group_size(const struct selection *s, size_t first)
{
    size_t n = 1;

    while (first + n < s->count && s->events[first + n].group == s->events[first].group) {
        n++;
    }
    return n;
}

/*
 * Opens the group that begins with event @first on the thread or CPU of @options, of which it sets the PMU.  After an
 * error, m->refused has what apmu_perf_explain() needs.
 */
static enum apmu_error open_group(struct measurement *m, struct apmu_perf_options *options, size_t first)
{
    const struct selection *s = &m->job->selection;
    const size_t count = group_size(s, first);
    struct apmu_wish *wishes = cli_allocate(NULL, count, sizeof *wishes);
    struct perf_group *group = cli_allocate(NULL, 1, sizeof *group);
    enum apmu_error error;

    for (size_t i = 0; i < count; i++) {
        wishes[i] = (struct apmu_wish){.event = s->events[first + i].number, .filter = s->events[first + i].filter,
                                       .counter = APMU_COUNTER_ANY};
    }
    group->first = first;
    group->cpu = options->cpu;
    options->pmu = &m->pmus[s->events[first].provider];
    error = apmu_perf_session_open(&group->session, &group->perf, options, wishes, count, NULL);
    free(wishes);
    if (error != APMU_OK) {
        m->refused = group->perf;
        free(group);
        return error;
    }
    m->groups = cli_allocate(m->groups, m->group_count + 1, sizeof *m->groups);
    m->groups[m->group_count++] = group;
    return APMU_OK;
}

static void close_groups(struct measurement *m)
{
    for (size_t i = 0; i < m->group_count; i++) {
        (void)apmu_session_close(&m->groups[i]->session);
        free(m->groups[i]);
    }
    m->group_count = m->gap_count = 0;
}

/* Adds @gap, unless its CPU has one already. */
static void add_gap(struct measurement *m, struct cpu_gap gap)
{
    for (size_t i = 0; i < m->gap_count; i++) {
        if (m->gaps[i].cpu == gap.cpu) {
            return;
        }
    }
    m->gaps = cli_allocate(m->gaps, m->gap_count + 1, sizeof *m->gaps);
    m->gaps[m->gap_count++] = gap;
}

/* Opens every group on the thread or CPU of @options, except for groups whose PMU that CPU lacks. */
static enum apmu_error open_groups(struct measurement *m, struct apmu_perf_options *options)
{
    const struct selection *s = &m->job->selection;
    enum apmu_error error = APMU_OK;

    for (size_t first = 0; first < s->count && error == APMU_OK; first += group_size(s, first)) {
        const bool on_cpu = (options->flags & APMU_PERF_CPU) != 0;

        if (!on_cpu || apmu_perf_has_cpu(&m->pmus[s->events[first].provider], options->cpu)) {
            error = open_group(m, options, first);
        }
    }
    return error;
}

static unsigned cpu_count(void *run)
{
    (void)run;
    return (unsigned)sysconf(_SC_NPROCESSORS_CONF);
}

/*
 * Opens every group on what the job counts: every CPU, the program, or threads that run already.  A CPU that is offline
 * becomes a gap.
 */
static enum apmu_error open_target(struct measurement *m)
{
    struct apmu_perf_options options = {.size = sizeof options, .flags = APMU_PERF_SHARE};
    const struct count_job *job = m->job;
    enum apmu_error error = APMU_OK;

    if (job->all_cpus) {
        options.flags |= APMU_PERF_CPU;
        for (; options.cpu < cpu_count(m) && error == APMU_OK; options.cpu++) {
            error = open_groups(m, &options);
            if (error == APMU_E_PERF_TARGET) { /* the CPU is offline */
                add_gap(m, (struct cpu_gap){.cpu = options.cpu, .at_first = true});
                error = APMU_OK;
            }
        }
    } else if (job->pids == NULL && job->tids == NULL) {
        options.flags |= APMU_PERF_INHERIT | APMU_PERF_ON_EXEC;
        options.thread = m->launch.pid;
        error = open_groups(m, &options);
    } else {
        options.flags |= APMU_PERF_INHERIT;
        for (size_t i = 0; i < m->launch.thread_count && error == APMU_OK; i++) {
            options.thread = m->launch.threads[i];
            error = open_groups(m, &options);
            if (error == APMU_E_PERF_TARGET && (i + 1 < m->launch.thread_count || m->group_count != 0)) {
                error = APMU_OK; /* this thread has ended, and others are left to count */
            }
        }
    }
    return error;
}

/*
 * Restricts every event without a modifier to the application, as perf does for a user who may not count the kernel,
 * and adds :u to its name.  Returns false if there is no such event.
 */
static bool leave_out_the_kernel(struct selection *s)
{
    bool any = false;

    for (size_t i = 0; i < s->count; i++) {
        struct event_choice *e = &s->events[i];

        if (!e->modified) {
            const size_t used = strlen(e->name);

            any = true;
            e->modified = true;
            e->filter = APMU_FILTER(P);
            snprintf(e->name + used, sizeof e->name - used, "%su", used > 0 && e->name[used - 1] == '/' ? "" : ":");
        }
    }
    return any;
}

/*
 * Raises the limit of open files to the most that the system allows: each event on each CPU or thread takes a file.
 * The program, a child already, keeps the old limit.
 */
static void raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit); /* if it fails, so does an open, with a complaint */
    }
}

/*
 * Opens all events; those without a modifier leave out the kernel if the user may not count it.  Returns CLI_YES, or
 * CLI_CANNOT after a complaint.
 */
static int open_all(struct measurement *m)
{
    enum apmu_error error;
    char text[512];

    raise_limit();
    error = open_target(m);
    if (error == APMU_E_PERF_PERMISSION && m->refused.refusal.needed == 1 && leave_out_the_kernel(&m->job->selection)) {
        close_groups(m);
        error = open_target(m);
    }
    if (error != APMU_OK) {
        apmu_perf_explain(&m->refused, text, sizeof text);
        cli_complain(m->job->verb, "%s", text);
    }
    return error == APMU_OK ? CLI_YES : CLI_CANNOT;
}

/* Starts the events of what runs already.  The kernel starts those of a program when it is executed. */
static int start_all(struct measurement *m)
{
    const bool on_exec = !m->job->all_cpus && m->launch.thread_count == 0;

    for (size_t i = 0; i < m->group_count && !on_exec; i++) {
        const enum apmu_error error = apmu_session_start(&m->groups[i]->session);

        if (error != APMU_OK) {
            cli_complain(m->job->verb, "PMU: %s; %s", apmu_error_text(error), apmu_error_cure(error));
            return CLI_CANNOT;
        }
    }
    return CLI_YES;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The engine.
 */

static void end(void *run)
{
    struct measurement *m = run;

    close_groups(m);
    launch_end(&m->launch);
    free(m->groups);
    free(m->gaps);
    free(m);
}

static void *begin(struct count_job *job, int *status)
{
    struct measurement *m = cli_allocate(NULL, 1, sizeof *m);

    m->job = job;
    machine_pmus(m->pmus);
    *status = launch_prepare(&m->launch, job);
    if (*status == CLI_YES) {
        *status = open_all(m);
    }
    if (*status == CLI_YES) {
        *status = start_all(m);
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

static bool cpu_is_online(unsigned cpu)
{
    char path[64];
    FILE *f;
    bool on;

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/online", cpu);
    f = fopen(path, "re");
    if (f == NULL) {
        return true; /* this CPU cannot be taken offline */
    }
    on = fgetc(f) == '1';
    fclose(f);
    return on;
}

/* Adds to @remarks, of @size bytes, what the counts lack because of @gap. */
static void remark_gap(const struct cpu_gap *gap, char *remarks, size_t size)
{
    const size_t used = strlen(remarks);
    const char *before = used == 0 ? "" : "\n";

    if (!gap->at_first) {
        snprintf(remarks + used, size - used,
                 "%sCPU %u was taken offline after %.3f s: the counts lack what it did after that", before, gap->cpu,
                 (double)gap->until_ns / 1e9);
    } else if (cpu_is_online(gap->cpu)) {
        snprintf(remarks + used, size - used,
                 "%sCPU %u was offline when counting began: the counts lack what it did since", before, gap->cpu);
    }
}

static void wait_for(void *run, int timeout_ms, struct count_status *status)
{
    struct measurement *m = run;

    launch_wait(&m->launch, timeout_ms, status);
    m->remarks[0] = '\0';
    if (m->scaled) {
        snprintf(m->remarks, sizeof m->remarks, "counts with a percentage are estimates: their events shared counters");
    }
    for (size_t i = 0; i < m->gap_count; i++) {
        remark_gap(&m->gaps[i], m->remarks, sizeof m->remarks);
    }
    status->remarks = m->remarks;
}

/*
 * With --all-cpus, finds the groups whose events the kernel gave up because their CPU was taken offline.  The kernel
 * does not resume them when the CPU comes back.  Reads every group twice: between the two reads the enabled time grows,
 * unless the group is gone.
 */
static enum apmu_error find_gaps(struct measurement *m)
{
    enum apmu_error error = APMU_OK;

    for (unsigned pass = 0; pass < 2 && m->job->all_cpus; pass++) {
        for (size_t i = 0; i < m->group_count && error == APMU_OK; i++) {
            struct perf_group *group = m->groups[i];
            struct apmu_reading out[APMU_COUNTERS];

            error = apmu_session_read(&group->session, out);
            if (pass == 1 && error == APMU_OK && out[0].enabled == group->enabled_ns) {
                group->gone = true;
                add_gap(m, (struct cpu_gap){.cpu = group->cpu, .until_ns = out[0].enabled});
            }
            group->enabled_ns = out[0].enabled;
        }
    }
    return error;
}

/* Adds what one group has counted to the tallies of its events, @elapsed_ns after the start. */
static enum apmu_error add_group(struct measurement *m, struct perf_group *group, uint64_t elapsed_ns,
                                 struct tally *tallies)
{
    struct apmu_reading out[APMU_COUNTERS];
    const enum apmu_error error = apmu_session_read(&group->session, out);

    for (size_t n = 0; n < group->session.count && error == APMU_OK; n++) {
        struct tally *t = &tallies[group->first + n];

        t->count += out[n].raw;
        t->enabled_ns += out[n].enabled;
        t->running_ns += out[n].running;
        t->missed_ns += group->gone && elapsed_ns > out[n].enabled ? elapsed_ns - out[n].enabled : 0;
        t->counted = t->running_ns != 0;
        m->scaled |= out[n].scaled;
    }
    return error;
}

/*
 * Adds the time missed on each CPU that was offline at the beginning and is online now.  The kernel does not say how
 * long it has been online, so all of @elapsed_ns counts as missed.
 */
static void add_missing_cpus(const struct measurement *m, uint64_t elapsed_ns, struct tally *tallies)
{
    const struct selection *s = &m->job->selection;

    for (size_t i = 0; i < m->gap_count; i++) {
        const struct cpu_gap *gap = &m->gaps[i];

        for (size_t n = 0; n < s->count && gap->at_first && cpu_is_online(gap->cpu); n++) {
            tallies[n].missed_ns += apmu_perf_has_cpu(&m->pmus[s->events[n].provider], gap->cpu) ? elapsed_ns : 0;
        }
    }
}

/* Returns CLI_YES, or CLI_CANNOT after a complaint if @error is one. */
static int judge_reading(const struct measurement *m, enum apmu_error error)
{
    if (error != APMU_OK) {
        cli_complain(m->job->verb, "PMU: %s; %s", apmu_error_text(error), apmu_error_cure(error));
        return CLI_CANNOT;
    }
    return CLI_YES;
}

static int read_tallies(void *run, uint64_t elapsed_ns, struct tally *tallies)
{
    struct measurement *m = run;
    enum apmu_error error = find_gaps(m);

    memset(tallies, 0, m->job->selection.count * sizeof *tallies);
    for (size_t i = 0; i < m->group_count && error == APMU_OK; i++) {
        error = add_group(m, m->groups[i], elapsed_ns, tallies);
    }
    add_missing_cpus(m, elapsed_ns, tallies);
    return judge_reading(m, error);
}

static int read_cpus(void *run, uint64_t elapsed_ns, struct count_cpu *states, struct tally *tallies)
{
    struct measurement *m = run;
    const size_t events = m->job->selection.count;
    const unsigned cpus = cpu_count(m);
    enum apmu_error error = find_gaps(m);

    memset(tallies, 0, cpus * events * sizeof *tallies);
    for (unsigned cpu = 0; cpu < cpus; cpu++) {
        states[cpu] = (struct count_cpu){.online = cpu_is_online(cpu)};
    }
    for (size_t i = 0; i < m->group_count && error == APMU_OK; i++) {
        struct perf_group *group = m->groups[i];

        if (group->cpu < cpus) {
            states[group->cpu].counting |= !group->gone;
            error = add_group(m, group, elapsed_ns, tallies + group->cpu * events);
        }
    }
    return judge_reading(m, error);
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
