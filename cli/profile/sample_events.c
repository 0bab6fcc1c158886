/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens events of perf_event that are sampled, and their rings. */
#define _GNU_SOURCE
#include "sample_events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <armpmu/perf.h>

#include "../count/perf_groups.h"

#define RING_PAGES 128u /* without its first one; with 4 KB, what a user without privileges may map on each CPU */

/* What is opened now. */
struct target {
    pid_t thread;      /* -1: everything on the CPU */
    unsigned cpu;
    bool waits;        /* for the thread to execute the program */
};

/* Why an event could not be opened. */
struct denial {
    int error;         /* errno; 0: it could */
    bool maps;         /* the ring could not be mapped */
    size_t event;
    struct target target;
};

/* ---------------------------------------------------------------------------------------------------------------
 * Complaints.
 */

/* Says why nothing can be sampled of an event that can be counted. */
static void complain_of_sampling(const struct sample_events *e, const struct denial *no)
{
    const struct event_choice *choice = &e->job->selection.events[no->event];
    const char *pmu = e->pmus[choice->provider].name;

    if (no->maps) {
        cli_complain(e->job->verb, "the ring for samples of CPU %u: %s; raise kernel.perf_event_mlock_kb, or the limit "
                                   "of locked memory (ulimit -l)", no->target.cpu, strerror(no->error));
    } else if (no->error == EOPNOTSUPP) {
        cli_complain(e->job->verb, "event %s: %s has no interrupt at overflow, so it takes no samples; name the "
                                   "interrupt in the machine's device tree, or count with armpmu stat", choice->name,
                     pmu);
    } else if (no->error == EINVAL && e->job->frequency != 0) {
        cli_complain(e->job->verb, "-F: %llu samples in a second are more than kernel.perf_event_max_sample_rate "
                                   "allows; choose a lower frequency, or raise it",
                     (unsigned long long)e->job->frequency);
    } else {
        cli_complain(e->job->verb, "event %s: no samples are taken of it on CPU %u: %s; count it with armpmu stat",
                     choice->name, no->target.cpu, strerror(no->error));
    }
}

/*
 * Complains of @no in the words of armpmu stat, if the event cannot be counted either.  With @quiet says nothing, and
 * only returns whether the user may not look at the kernel and could without it.
 */
static bool explain(const struct sample_events *e, const struct denial *no, bool quiet)
{
    const struct event_choice *choice = &e->job->selection.events[no->event];
    const struct apmu_wish wish = {.event = choice->number, .filter = choice->filter, .counter = APMU_COUNTER_ANY};
    struct apmu_perf_options options = {.size = sizeof options, .flags = APMU_PERF_SHARE,
                                        .pmu = &e->pmus[choice->provider], .cpu = no->target.cpu};
    struct apmu_session session;
    struct apmu_perf perf;
    char text[512];

    if (no->target.thread < 0) {
        options.flags |= APMU_PERF_CPU;
    } else {
        options.thread = no->target.thread;
    }
    if (apmu_perf_session_open(&session, &perf, &options, &wish, 1, NULL) == APMU_OK) {
        (void)apmu_session_close(&session);
        if (!quiet) {
            complain_of_sampling(e, no);
        }
        return false;
    }
    if (!quiet) {
        apmu_perf_explain(&perf, text, sizeof text);
        cli_complain(e->job->verb, "%s", text);
    }
    return perf.refusal.error == APMU_E_PERF_PERMISSION && perf.refusal.needed == 1;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Opening.
 */

static int open_event(const struct perf_event_attr *attr, const struct target *target, int group)
{
    struct perf_event_attr copy = *attr;

    return (int)syscall(SYS_perf_event_open, &copy, target->thread, (int)target->cpu, group, PERF_FLAG_FD_CLOEXEC);
}

/* Returns what all events have. */
static struct perf_event_attr common_attributes(const struct sample_events *e)
{
    struct perf_event_attr attr = {.size = sizeof attr, .sample_type = SAMPLE_RECORD_TYPE, .sample_id_all = 1,
                                   .inherit = !e->job->all_cpus, .use_clockid = 1, .clockid = CLOCK_MONOTONIC};

    attr.sample_type |= e->job->call_graph ? PERF_SAMPLE_CALLCHAIN : 0;
    return attr;
}

/* Returns the attributes of event @i of the selection, which leads its group or not. */
static struct perf_event_attr sampled_attributes(const struct sample_events *e, size_t i, bool leader,
                                                 const struct target *target)
{
    const struct event_choice *choice = &e->job->selection.events[i];
    struct perf_event_attr attr = common_attributes(e);

    attr.type = e->pmus[choice->provider].type;
    attr.config = choice->number;
    if (e->job->period != 0) {
        attr.sample_period = e->job->period;
    } else {
        attr.sample_freq = e->job->frequency;
        attr.freq = 1;
    }
    attr.exclude_kernel = (choice->filter & APMU_FILTER(P)) != 0;
    attr.exclude_user = (choice->filter & APMU_FILTER(U)) != 0;
    attr.exclude_hv = (choice->filter & APMU_FILTER(NSH)) == 0;
    attr.exclude_callchain_kernel = attr.exclude_kernel;
    attr.disabled = leader;
    attr.enable_on_exec = leader && target->waits;
    return attr;
}

/* Maps the ring of @cpu, which is that of @fd: as many pages as the limit allows. */
static bool map_ring(struct sample_cpu *cpu, int fd)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    for (size_t pages = RING_PAGES * 4096 / page < 8 ? 8 : RING_PAGES * 4096 / page; pages != 0; pages /= 2) {
        void *map = mmap(NULL, (1 + pages) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

        if (map != MAP_FAILED) {
            *cpu = (struct sample_cpu){.page = map, .length = (1 + pages) * page, .fd = fd};
            return true;
        }
        if (errno != EPERM && errno != ENOMEM) {
            break;
        }
    }
    return false;
}

/* Has @event write to the ring of its CPU, and adds it. */
static bool add_event(struct sample_events *e, const struct sample_event *event, struct denial *no)
{
    struct sample_cpu *cpu = &e->cpus[no->target.cpu];

    if (e->event_count == e->event_room) {
        e->event_room = e->event_room * 2 + 64;
        e->events = cli_allocate(e->events, e->event_room, sizeof *e->events);
    }
    e->events[e->event_count] = *event;
    (void)ioctl(event->fd, PERF_EVENT_IOC_ID, &e->events[e->event_count].id); /* cannot fail: every event has an id */
    e->event_count++;
    if (cpu->page == NULL ? !map_ring(cpu, event->fd) : ioctl(event->fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->fd) != 0) {
        no->error = errno;
        no->maps = true;
        return false;
    }
    return true;
}

/* Opens what tells of maps, names and forks on no->target. */
static bool open_tracker(struct sample_events *e, struct denial *no)
{
    struct perf_event_attr attr = common_attributes(e);

    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.sample_period = 1;
    attr.exclude_kernel = 1;
    attr.exclude_callchain_kernel = 1;
    attr.mmap = 1;
    attr.mmap2 = 1;
    attr.comm = 1;
    attr.comm_exec = 1;
    attr.task = 1;
    const struct sample_event event = {.fd = open_event(&attr, &no->target, -1), .leader = true, .tracks = true};

    if (event.fd < 0) {
        no->error = errno;
        return false;
    }
    return add_event(e, &event, no);
}

/* Opens everything on no->target.  Returns false and fills @no if that fails. */
static bool open_target(struct sample_events *e, struct denial *no)
{
    const struct selection *s = &e->job->selection;
    int leader = -1;

    no->event = 0;
    if (!open_tracker(e, no)) {
        return false;
    }
    for (size_t i = 0; i < s->count; i++) {
        const bool leads = i == 0 || s->events[i].group != s->events[i - 1].group;

        no->event = i;
        if (!apmu_perf_has_cpu(&e->pmus[s->events[i].provider], no->target.cpu)) {
            continue;
        }
        const struct perf_event_attr attr = sampled_attributes(e, i, leads, &no->target);
        const struct sample_event event = {.fd = open_event(&attr, &no->target, leads ? -1 : leader),
                                           .leader = leads, .event = (uint32_t)i};

        if (event.fd < 0) {
            no->error = errno;
            return false;
        }
        leader = leads ? event.fd : leader;
        if (!add_event(e, &event, no)) {
            return false;
        }
    }
    return true;
}

/* Opens everything for @thread, or for all if it is -1, on each CPU that is online. */
static bool open_thread(struct sample_events *e, pid_t thread, bool waits, struct denial *no)
{
    for (unsigned cpu = 0; cpu < e->cpu_count; cpu++) {
        no->target = (struct target){.thread = thread, .cpu = cpu, .waits = waits};
        if (perf_groups_online(cpu) && !open_target(e, no) && no->error != ENODEV) {
            return false;
        }
        no->error = 0;
    }
    return true;
}

/* Closes events and rings. */
static void close_all(struct sample_events *e)
{
    for (unsigned cpu = 0; cpu < e->cpu_count; cpu++) {
        if (e->cpus[cpu].page != NULL) {
            munmap(e->cpus[cpu].page, e->cpus[cpu].length);
            e->cpus[cpu].page = NULL;
        }
    }
    while (e->event_count > 0) {
        close(e->events[--e->event_count].fd);
    }
}

/* Opens everything.  Returns false and fills @no if that fails. */
static bool open_all(struct sample_events *e, const struct launch *launch, struct denial *no)
{
    if (e->job->all_cpus) {
        return open_thread(e, -1, false, no);
    }
    if (launch->thread_count == 0) {
        return open_thread(e, launch->pid, true, no);
    }
    for (size_t i = 0; i < launch->thread_count; i++) {
        if (!open_thread(e, launch->threads[i], false, no) &&
            (no->error != ESRCH || (i + 1 == launch->thread_count && e->event_count == 0))) {
            return false; /* otherwise this thread has ended, and others are left */
        }
    }
    return true;
}

int sample_events_open(struct sample_events *e, struct count_job *job, const struct launch *launch)
{
    struct denial no = {.error = 0};

    e->job = job;
    machine_pmus(e->pmus);
    e->cpu_count = (unsigned)sysconf(_SC_NPROCESSORS_CONF);
    e->cpus = cli_allocate(NULL, e->cpu_count, sizeof *e->cpus);
    perf_groups_raise_limit();
    if (open_all(e, launch, &no)) {
        return CLI_YES;
    }
    if (explain(e, &no, true) && perf_groups_leave_out_the_kernel(&job->selection)) {
        close_all(e);
        no.error = 0;
        if (open_all(e, launch, &no)) {
            return CLI_YES;
        }
    }
    (void)explain(e, &no, false);
    return CLI_CANNOT;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Running.
 */

int sample_events_start(struct sample_events *e)
{
    for (size_t i = 0; i < e->event_count; i++) {
        if (e->events[i].leader && !e->events[i].tracks && ioctl(e->events[i].fd, PERF_EVENT_IOC_ENABLE, 0) != 0) {
            cli_complain(e->job->verb, "PMU: %s; %s", apmu_error_text(APMU_E_PERF_SYSTEM), strerror(errno));
            return CLI_CANNOT;
        }
    }
    return CLI_YES;
}

void sample_events_stop(struct sample_events *e)
{
    for (size_t i = 0; i < e->event_count; i++) {
        if (e->events[i].leader) {
            (void)ioctl(e->events[i].fd, PERF_EVENT_IOC_DISABLE, 0); /* what counts on has samples too many at most */
        }
    }
}

struct sample_ring sample_events_ring(const struct sample_cpu *cpu)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (struct sample_ring){.data = (const uint8_t *)cpu->page + page, .size = cpu->length - page,
                                .head = __atomic_load_n(&cpu->page->data_head, __ATOMIC_ACQUIRE),
                                .tail = cpu->page->data_tail};
}

void sample_events_read(struct sample_cpu *cpu, uint64_t tail)
{
    __atomic_store_n(&cpu->page->data_tail, tail, __ATOMIC_RELEASE);
}

void sample_events_close(struct sample_events *e)
{
    close_all(e);
    free(e->cpus);
    free(e->events);
    *e = (struct sample_events){0};
}
