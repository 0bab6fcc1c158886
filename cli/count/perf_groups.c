/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens, reads and closes the groups of events of engine perf, and follows CPUs that come and go. */
#define _GNU_SOURCE
#include "perf_groups.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------------------------------------------
 * Groups.
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
 * error, g->refused has what apmu_perf_explain() needs.
 */
static enum apmu_error open_group(struct perf_groups *g, struct apmu_perf_options *options, size_t first)
{
    const struct selection *s = &g->job->selection;
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
    options->pmu = &g->pmus[s->events[first].provider];
    error = apmu_perf_session_open(&group->session, &group->perf, options, wishes, count, NULL);
    free(wishes);
    if (error != APMU_OK) {
        g->refused = group->perf;
        free(group);
        return error;
    }
    g->groups = cli_allocate(g->groups, g->group_count + 1, sizeof *g->groups);
    g->groups[g->group_count++] = group;
    return APMU_OK;
}

/* Opens every group on the thread or CPU of @options, except for groups whose PMU that CPU lacks. */
static enum apmu_error open_groups(struct perf_groups *g, struct apmu_perf_options *options)
{
    const struct selection *s = &g->job->selection;
    enum apmu_error error = APMU_OK;

    for (size_t first = 0; first < s->count && error == APMU_OK; first += group_size(s, first)) {
        const bool on_cpu = (options->flags & APMU_PERF_CPU) != 0;

        if (!on_cpu || apmu_perf_has_cpu(&g->pmus[s->events[first].provider], options->cpu)) {
            error = open_group(g, options, first);
        }
    }
    return error;
}

static void close_group(struct perf_group *group)
{
    (void)apmu_session_close(&group->session);
    free(group);
}

/* Closes the groups from number @first on. */
static void close_groups(struct perf_groups *g, size_t first)
{
    for (size_t i = first; i < g->group_count; i++) {
        close_group(g->groups[i]);
    }
    g->group_count = first;
}

/* Starts the groups from number @first on. */
static enum apmu_error start_groups(struct perf_groups *g, size_t first)
{
    enum apmu_error error = APMU_OK;

    for (size_t i = first; i < g->group_count && error == APMU_OK; i++) {
        error = apmu_session_start(&g->groups[i]->session);
    }
    return error;
}

/* Adds what @group has counted to the tallies of its events, of which the first is @tallies. */
static enum apmu_error add_group(struct perf_groups *g, struct perf_group *group, struct tally *tallies)
{
    struct apmu_reading out[APMU_COUNTERS];
    const enum apmu_error error = apmu_session_read(&group->session, out);

    for (size_t n = 0; n < group->session.count && error == APMU_OK; n++) {
        struct tally *t = &tallies[group->first + n];

        t->count += out[n].raw;
        t->enabled_ns += out[n].enabled;
        t->running_ns += out[n].running;
        g->scaled |= out[n].scaled;
    }
    return error;
}

/* ---------------------------------------------------------------------------------------------------------------
 * CPUs.
 */

bool perf_groups_online(unsigned cpu)
{
    char path[64], state = '1'; /* a CPU without the file cannot be taken offline */
    int file;

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/online", cpu);
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        (void)!read(file, &state, 1);
        close(file);
    }
    return state == '1';
}

/* Opens the sentinel of @cpu, number @number. */
static enum apmu_error open_sentinel(struct perf_groups *g, struct perf_cpu *cpu, unsigned number)
{
    struct perf_event_attr attr = {.size = PERF_ATTR_SIZE_VER0, .type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_DUMMY, .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED};

    cpu->sentinel = (int)syscall(SYS_perf_event_open, &attr, -1, (int)number, -1, PERF_FLAG_FD_CLOEXEC);
    if (cpu->sentinel >= 0) {
        return APMU_OK;
    }
    g->refused = g->groups[g->group_count - 1]->perf;
    g->refused.refusal.system_error = errno;
    g->refused.refusal.error = errno == ENODEV || errno == ESRCH ? APMU_E_PERF_TARGET
                               : errno == EMFILE || errno == ENFILE ? APMU_E_PERF_FILES : APMU_E_PERF_SYSTEM;
    return g->refused.refusal.error;
}

/* Opens every group on CPU @number, and its sentinel.  If that fails, nothing is open on it. */
static enum apmu_error open_cpu(struct perf_groups *g, unsigned number)
{
    struct apmu_perf_options options = {.size = sizeof options, .flags = APMU_PERF_SHARE | APMU_PERF_CPU,
                                        .cpu = number};
    struct perf_cpu *cpu = &g->cpus[number];
    const size_t before = g->group_count;
    enum apmu_error error;

    if (g->cgroup >= 0) {
        options.flags |= APMU_PERF_CGROUP;
        options.cgroup = g->cgroup;
    }
    error = open_groups(g, &options);
    if (error == APMU_OK && g->group_count != before) {
        error = open_sentinel(g, cpu, number);
    }
    if (error != APMU_OK) {
        close_groups(g, before);
    } else if (g->group_count != before) {
        cpu->state = PERF_CPU_ON;
        cpu->enabled_ns = 0;
    }
    return error;
}

/*
 * Finds the CPUs whose events the kernel has given up.  Reads every sentinel twice: between the two reads its enabled
 * time grows, unless the CPU was taken offline, even if it is online again.
 */
static enum apmu_error find_lost(struct perf_groups *g)
{
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < g->cpu_count; i++) {
            struct perf_cpu *cpu = &g->cpus[i];
            uint64_t values[2]; /* the count, and the enabled time */

            if (cpu->state != PERF_CPU_ON) {
                continue;
            }
            if (read(cpu->sentinel, values, sizeof values) != (ssize_t)sizeof values) {
                return APMU_E_PERF_SYSTEM;
            }
            if (pass == 1 && values[1] == cpu->enabled_ns) {
                cpu->state = PERF_CPU_LOST;
                if (cpu->gap == PERF_CPU_NO_GAP) {
                    cpu->gap = PERF_CPU_TAKEN_OFF;
                    cpu->until_ns = values[1];
                }
            }
            cpu->enabled_ns = values[1];
        }
    }
    return APMU_OK;
}

/* Returns for how long CPU @number may have run uncounted, @elapsed_ns after the start. */
static uint64_t missed_ns(const struct perf_cpu *cpu, unsigned number, uint64_t elapsed_ns)
{
    const uint64_t counted_ns = cpu->past_ns + (cpu->state == PERF_CPU_LOST ? cpu->enabled_ns : 0);

    if (cpu->state == PERF_CPU_ON || cpu->gap == PERF_CPU_NO_GAP) {
        return cpu->missed_ns;
    }
    if (counted_ns == 0 && !perf_groups_online(number)) { /* it has never been online */
        return 0;
    }
    return elapsed_ns > counted_ns ? elapsed_ns - counted_ns : 0;
}

/* Closes what is open on CPU @number, which is lost, and keeps what it counted. */
static enum apmu_error retire(struct perf_groups *g, unsigned number)
{
    struct perf_cpu *cpu = &g->cpus[number];
    size_t left = 0;
    enum apmu_error error = APMU_OK;

    for (size_t i = 0; i < g->group_count; i++) {
        struct perf_group *group = g->groups[i];

        if (group->cpu != number || error != APMU_OK) {
            g->groups[left++] = group;
            continue;
        }
        error = add_group(g, group, cpu->past);
        close_group(group);
    }
    g->group_count = left;
    close(cpu->sentinel);
    cpu->past_ns += cpu->enabled_ns;
    cpu->state = PERF_CPU_OFF;
    return error;
}

/* Counts CPU @number again, which was offline and is online now, @elapsed_ns after the start. */
static enum apmu_error resume(struct perf_groups *g, unsigned number, uint64_t elapsed_ns)
{
    struct perf_cpu *cpu = &g->cpus[number];
    enum apmu_error error = APMU_OK;
    size_t first;

    cpu->missed_ns = missed_ns(cpu, number, elapsed_ns);
    if (cpu->state == PERF_CPU_LOST) {
        error = retire(g, number);
    }
    first = g->group_count;
    if (error == APMU_OK) {
        error = open_cpu(g, number);
    }
    if (error == APMU_E_PERF_TARGET) { /* it is offline again */
        return APMU_OK;
    }
    return error == APMU_OK ? start_groups(g, first) : error;
}

/* Finds the CPUs that have come or gone since the last reading. */
static enum apmu_error follow_cpus(struct perf_groups *g, uint64_t elapsed_ns)
{
    enum apmu_error error = find_lost(g);

    for (unsigned i = 0; i < g->cpu_count && g->job->lasting && error == APMU_OK; i++) {
        if (g->cpus[i].gap != PERF_CPU_NO_GAP && g->cpus[i].state != PERF_CPU_ON && perf_groups_online(i)) {
            error = resume(g, i, elapsed_ns);
        }
    }
    return error;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Opening and closing.
 */

/* Opens every group on every CPU that is online. */
static enum apmu_error open_cpus(struct perf_groups *g)
{
    enum apmu_error error = APMU_OK;

    for (unsigned i = 0; i < g->cpu_count && error == APMU_OK; i++) {
        error = open_cpu(g, i);
        if (error == APMU_E_PERF_TARGET) {
            g->cpus[i].gap = PERF_CPU_OFF_AT_FIRST;
            error = APMU_OK;
        }
    }
    return error;
}

/* Opens every group on what the job counts. */
static enum apmu_error open_target(struct perf_groups *g, const struct launch *launch)
{
    struct apmu_perf_options options = {.size = sizeof options, .flags = APMU_PERF_SHARE | APMU_PERF_INHERIT};
    enum apmu_error error = APMU_OK;

    if (g->cpu_count != 0) {
        return open_cpus(g);
    }
    if (g->job->pids == NULL && g->job->tids == NULL) {
        options.flags |= APMU_PERF_ON_EXEC;
        options.thread = launch->pid;
        return open_groups(g, &options);
    }
    for (size_t i = 0; i < launch->thread_count && error == APMU_OK; i++) {
        options.thread = launch->threads[i];
        error = open_groups(g, &options);
        if (error == APMU_E_PERF_TARGET && (i + 1 < launch->thread_count || g->group_count != 0)) {
            error = APMU_OK; /* this thread has ended, and others are left to count */
        }
    }
    return error;
}

/* Closes all groups and sentinels. */
static void close_all(struct perf_groups *g)
{
    close_groups(g, 0);
    for (unsigned i = 0; i < g->cpu_count; i++) {
        if (g->cpus[i].state != PERF_CPU_OFF) {
            close(g->cpus[i].sentinel);
            g->cpus[i].state = PERF_CPU_OFF;
        }
        g->cpus[i].gap = PERF_CPU_NO_GAP;
    }
}

bool perf_groups_leave_out_the_kernel(struct selection *s)
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

void perf_groups_raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit); /* if it fails, so does an open, with a complaint */
    }
}

/* Returns CLI_YES, or CLI_CANNOT after a complaint if @error is one. */
static int judge(const struct perf_groups *g, enum apmu_error error)
{
    if (error != APMU_OK) {
        cli_complain(g->job->verb, "PMU: %s; %s", apmu_error_text(error), apmu_error_cure(error));
        return CLI_CANNOT;
    }
    return CLI_YES;
}

/* Complains that a group could not be opened, as g->refused has it. */
static void complain(const struct perf_groups *g)
{
    const struct apmu_perf_refusal *no = &g->refused.refusal;
    char text[512];

    if (g->cgroup >= 0 && no->error == APMU_E_PERF_EVENT && no->system_error == ENOENT) {
        cli_complain(g->job->verb, "--cgroup: %s: Linux does not count it, because it is removed, or no controller has "
                                   "been enabled; enable one: echo +pids >/sys/fs/cgroup/cgroup.subtree_control",
                     g->job->cgroup);
        return;
    }
    apmu_perf_explain(&g->refused, text, sizeof text);
    cli_complain(g->job->verb, "%s", text);
}

/*
 * Opens all events; those without a modifier leave out the kernel if the user may not count it.  Returns CLI_YES, or
 * CLI_CANNOT after a complaint.
 */
static int open_all(struct perf_groups *g, const struct launch *launch)
{
    enum apmu_error error;

    perf_groups_raise_limit();
    error = open_target(g, launch);
    if (error == APMU_E_PERF_PERMISSION && g->refused.refusal.needed == 1 &&
        perf_groups_leave_out_the_kernel(&g->job->selection)) {
        close_all(g);
        error = open_target(g, launch);
    }
    if (error != APMU_OK) {
        complain(g);
    }
    return error == APMU_OK ? CLI_YES : CLI_CANNOT;
}

/* Opens the folder of the job's cgroup, if it has one. */
static int open_cgroup(struct perf_groups *g)
{
    const char *path = g->job->cgroup;

    g->cgroup = path == NULL ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (path != NULL && g->cgroup < 0) {
        cli_complain(g->job->verb, "--cgroup: %s: %s; name a folder below /sys/fs/cgroup", path, strerror(errno));
        return CLI_CANNOT;
    }
    return CLI_YES;
}

int perf_groups_open(struct perf_groups *g, struct count_job *job, const struct launch *launch)
{
    int status;

    g->job = job;
    machine_pmus(g->pmus);
    status = open_cgroup(g);
    if (job->all_cpus || job->cgroup != NULL) {
        g->cpu_count = (unsigned)sysconf(_SC_NPROCESSORS_CONF);
        g->cpus = cli_allocate(NULL, g->cpu_count, sizeof *g->cpus);
        for (unsigned i = 0; i < g->cpu_count; i++) {
            g->cpus[i].past = cli_allocate(NULL, job->selection.count, sizeof *g->cpus[i].past);
        }
    }
    if (status == CLI_YES) {
        status = open_all(g, launch);
    }
    if (status == CLI_YES && (g->cpu_count != 0 || launch->thread_count != 0)) {
        status = judge(g, start_groups(g, 0));
    }
    return status;
}

void perf_groups_close(struct perf_groups *g)
{
    close_all(g);
    for (unsigned i = 0; i < g->cpu_count; i++) {
        free(g->cpus[i].past);
    }
    if (g->job != NULL && g->cgroup >= 0) {
        close(g->cgroup);
    }
    free(g->cpus);
    free(g->groups);
    *g = (struct perf_groups){0};
}

/* ---------------------------------------------------------------------------------------------------------------
 * Reading.
 */

/* Sets the tallies of each event on CPU @number, or the only ones, to what was counted and is not open any more. */
static void begin_row(const struct perf_groups *g, unsigned number, uint64_t elapsed_ns, struct tally *row)
{
    const struct selection *s = &g->job->selection;
    uint64_t missed;

    memset(row, 0, s->count * sizeof *row);
    if (g->cpu_count == 0) {
        return;
    }
    missed = missed_ns(&g->cpus[number], number, elapsed_ns);
    for (size_t n = 0; n < s->count; n++) {
        row[n] = g->cpus[number].past[n];
        row[n].missed_ns = apmu_perf_has_cpu(&g->pmus[s->events[n].provider], number) ? missed : 0;
    }
}

/* Fills @rows with the tallies of each event: a row for each CPU, or the only one. */
static enum apmu_error read_rows(struct perf_groups *g, uint64_t elapsed_ns, struct tally *rows)
{
    const size_t events = g->job->selection.count;
    const unsigned row_count = g->cpu_count == 0 ? 1 : g->cpu_count;
    enum apmu_error error = follow_cpus(g, elapsed_ns);

    for (unsigned i = 0; i < row_count; i++) {
        begin_row(g, i, elapsed_ns, rows + i * events);
    }
    for (size_t i = 0; i < g->group_count && error == APMU_OK; i++) {
        error = add_group(g, g->groups[i], rows + (g->cpu_count == 0 ? 0 : g->groups[i]->cpu * events));
    }
    for (size_t i = 0; i < row_count * events; i++) {
        rows[i].counted = rows[i].running_ns != 0;
    }
    return error;
}

int perf_groups_read(struct perf_groups *g, uint64_t elapsed_ns, struct tally *tallies)
{
    const size_t events = g->job->selection.count;
    struct tally *rows = cli_allocate(NULL, (g->cpu_count == 0 ? 1 : g->cpu_count) * events, sizeof *rows);
    const enum apmu_error error = read_rows(g, elapsed_ns, rows);

    memcpy(tallies, rows, events * sizeof *tallies);
    for (size_t i = events; i < g->cpu_count * events; i++) {
        struct tally *t = &tallies[i % events];

        t->count += rows[i].count;
        t->enabled_ns += rows[i].enabled_ns;
        t->running_ns += rows[i].running_ns;
        t->missed_ns += rows[i].missed_ns;
        t->counted |= rows[i].counted;
    }
    free(rows);
    return judge(g, error);
}

int perf_groups_read_cpus(struct perf_groups *g, uint64_t elapsed_ns, struct count_cpu *states, struct tally *tallies)
{
    const enum apmu_error error = read_rows(g, elapsed_ns, tallies);

    for (unsigned i = 0; i < g->cpu_count; i++) {
        const bool counting = g->cpus[i].state == PERF_CPU_ON;

        states[i] = (struct count_cpu){.online = counting || perf_groups_online(i), .counting = counting};
    }
    return judge(g, error);
}
