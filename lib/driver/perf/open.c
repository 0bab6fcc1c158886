/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the events of a session, and finds out why the kernel refuses one. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <armpmu/events.h>

#include "internal.h"

#define CONFIG1_LONG 1u /* the counter has 64 bits; see the kernel's Documentation/arch/arm64/perf.rst */
#define CONFIG1_USER 2u /* and EL0 may read it */

#define PARANOID_FILE "/proc/sys/kernel/perf_event_paranoid"
#define USER_ACCESS_FILE "/proc/sys/kernel/perf_user_access"
#define FILTERS_OF_PERF (APMU_FILTER(P) | APMU_FILTER(U) | APMU_FILTER(NSH))

enum apmu_error apmu_perf_check_wish(const struct apmu_perf_pmu *pmu, const struct apmu_wish *wish,
                                     struct apmu_perf_refusal *no)
{
    no->event = wish->event;
    no->filter = wish->filter & ~FILTERS_OF_PERF;
    if (wish->event == APMU_EV_CHAIN) {
        return APMU_E_CHAIN;
    }
    if (no->filter != 0) {
        return APMU_E_PERF_FILTER;
    }
    if (wish->counter != APMU_COUNTER_ANY) {
        return APMU_E_PERF_COUNTER;
    }
    if (wish->interrupt || wish->period != 0) {
        return APMU_E_PERF_SAMPLING;
    }
    if (wish->threshold != 0) {
        return APMU_E_THRESHOLD;
    }
    if (!wish->unlisted && pmu->listed && !apmu_event_announced(pmu->pmceid, wish->event)) {
        return APMU_E_NO_EVENT;
    }
    return APMU_OK;
}

/* Returns the effective capabilities of the process: a bit for each. */
static uint64_t capabilities(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    unsigned long long set = 0;
    char line[256];

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "CapEff:", 7) == 0) {
            set = strtoull(line + 7, NULL, 16);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return set;
}

/*
 * Sets the members of @no for APMU_E_PERF_PERMISSION.  kernel.perf_event_paranoid does not concern a process with
 * CAP_SYS_ADMIN, nor one with CAP_PERFMON, except for values above 2 in the kernels of Debian and Ubuntu.
 */
static void note_permission(struct apmu_perf_refusal *no, bool user_only)
{
    const uint64_t set = capabilities();

    no->paranoid = (int32_t)apmu_perf_read_number(PARANOID_FILE, -1);
    no->perfmon = (set & UINT64_C(1) << 38) != 0;
    if ((set & UINT64_C(1) << 21) != 0 || (no->perfmon && no->paranoid <= 2)) {
        no->needed = INT32_MAX;
    } else {
        no->needed = no->perfmon ? 2 : no->cpu >= 0 ? 0 : user_only ? 2 : 1;
    }
}

enum apmu_error apmu_perf_error(const struct apmu_perf_pmu *pmu, int system_error, bool user_only,
                                struct apmu_perf_refusal *no)
{
    no->system_error = system_error;
    switch (system_error) {
    case ENOSYS: return APMU_E_PERF_ABSENT;
    case EACCES:
    case EPERM:
        note_permission(no, user_only);
        return APMU_E_PERF_PERMISSION;
    case ENOENT: /* also for a CPU that does not have the PMU */
    case EOPNOTSUPP:
    case EINVAL:
        return no->cpu >= 0 && !apmu_perf_has_cpu(pmu, (unsigned)no->cpu) ? APMU_E_PERF_TARGET : APMU_E_PERF_EVENT;
    case ESRCH:
    case ENODEV: return APMU_E_PERF_TARGET;
    case ENOSPC: return APMU_E_PERF_GROUP;
    case EMFILE:
    case ENFILE: return APMU_E_PERF_FILES;
    case EBUSY: return APMU_E_PERF_BUSY;
    default: return APMU_E_PERF_SYSTEM;
    }
}

/* The session that is being opened. */
struct opening {
    struct apmu_perf *perf;
    pid_t thread; /* with APMU_PERF_CGROUP: the descriptor of the cgroup, which takes its place in the call */
    int cpu;
    uint32_t flags;
    bool direct; /* direct reads are possible, as far as is known */
    const struct apmu_wish *leader; /* of the group that is being filled */
};

static struct perf_event_attr attributes(const struct opening *o, const struct apmu_wish *wish, bool leader)
{
    /* The first version of the structure is sufficient, and every kernel accepts it. */
    struct perf_event_attr attr = {.size = PERF_ATTR_SIZE_VER0, .type = o->perf->pmu.type, .config = wish->event};

    attr.config1 = (wish->wide ? CONFIG1_LONG : 0) | (o->direct ? CONFIG1_USER : 0);
    attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
                       PERF_FORMAT_TOTAL_TIME_RUNNING;
    attr.exclude_kernel = (wish->filter & APMU_FILTER(P)) != 0;
    attr.exclude_user = (wish->filter & APMU_FILTER(U)) != 0;
    attr.exclude_hv = (wish->filter & APMU_FILTER(NSH)) == 0;
    attr.inherit = (o->flags & APMU_PERF_INHERIT) != 0;
    attr.disabled = leader; /* the others follow their leader */
    attr.enable_on_exec = leader && (o->flags & APMU_PERF_ON_EXEC) != 0;
    attr.pinned = leader && (o->flags & APMU_PERF_SHARE) == 0;
    return attr;
}

/* Opens @wish in @group, or as the leader of a new group if it is -1.  Returns a file descriptor, or -1 and errno. */
static int open_event(const struct opening *o, const struct apmu_wish *wish, int group)
{
    struct perf_event_attr attr = attributes(o, wish, group < 0);
    const unsigned long flags = PERF_FLAG_FD_CLOEXEC |
                                ((o->flags & APMU_PERF_CGROUP) != 0 ? PERF_FLAG_PID_CGROUP : 0);

    return (int)syscall(SYS_perf_event_open, &attr, o->thread, o->cpu, group, flags);
}

/* Returns whether the kernel accepts @wish in @group, or alone if @group is -1.  Leaves errno unchanged if it does. */
static bool would_open(const struct opening *o, const struct apmu_wish *wish, int group)
{
    const int saved = errno;
    const int fd = open_event(o, wish, group);

    if (fd >= 0) {
        close(fd);
        errno = saved;
    }
    return fd >= 0;
}

/*
 * Opens @wish as a member of @group.  The kernel checks whether there are enough counters for a group, but it does not
 * count a leader that is disabled, unless the leader waits for exec.  So one more event like the leader is opened for a
 * moment, to be counted in its place.
 */
static int open_member(const struct opening *o, const struct apmu_wish *wish, int group)
{
    const int fd = open_event(o, wish, group);

    if (fd >= 0 && (o->flags & APMU_PERF_ON_EXEC) == 0 && !would_open(o, o->leader, group)) {
        const int saved = errno;

        close(fd);
        errno = saved;
        return -1;
    }
    return fd;
}

static void add_event(struct apmu_perf *p, int fd, bool leader)
{
    struct apmu_perf_event *e = &p->events[p->count++];

    *e = (struct apmu_perf_event){.fd = fd, .leader = leader};
    (void)ioctl(fd, PERF_EVENT_IOC_ID, &e->id); /* cannot fail: every event has an id */
    p->groups += leader;
}

/* Opens one wish, in the group of the descriptor *@leader if it fits.  *@leader is -1 if there is no group yet. */
static enum apmu_error add_wish(struct opening *o, const struct apmu_wish *wish, int *leader)
{
    struct apmu_perf *p = o->perf;
    const bool user_only = (wish->filter & APMU_FILTER(P)) != 0;
    int fd = *leader < 0 ? open_event(o, wish, -1) : open_member(o, wish, *leader);

    if (fd < 0 && (errno == EINVAL || errno == ENOSPC) && *leader >= 0 && would_open(o, wish, -1)) {
        if ((o->flags & APMU_PERF_MULTIPLEX) != APMU_PERF_MULTIPLEX) {
            p->refusal.counters = p->count;
            p->refusal.system_error = errno;
            return APMU_E_PERF_GROUP;
        }
        fd = open_event(o, wish, -1);
        *leader = -1;
    }
    if (fd < 0) {
        return apmu_perf_error(&p->pmu, errno, user_only, &p->refusal);
    }
    add_event(p, fd, *leader < 0);
    if (*leader < 0) {
        *leader = fd;
        o->leader = wish;
    }
    return APMU_OK;
}

static void close_all(struct apmu_perf *p)
{
    struct apmu_session s = {.ctx = p};

    (void)apmu_perf_session_ops.close(&s);
    p->groups = 0;
}

/* Opens all wishes.  On an error none stays open. */
static enum apmu_error add_wishes(struct opening *o, const struct apmu_wish *wishes, size_t count)
{
    enum apmu_error error = APMU_OK;
    int leader = -1;

    for (size_t i = 0; i < count && error == APMU_OK; i++) {
        o->perf->refusal.wish = i;
        o->perf->refusal.event = wishes[i].event;
        error = add_wish(o, &wishes[i], &leader);
    }
    if (error != APMU_OK) {
        close_all(o->perf);
    }
    return error;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Direct reads.
 */

/* Returns why the session cannot have direct reads, before the kernel is asked; NULL if it may have them. */
static const char *never_direct(const struct opening *o)
{
#if !defined(__aarch64__)
    (void)o;
    return "only AArch64 can";
#else
    if ((o->flags & APMU_PERF_NO_DIRECT) != 0) {
        return "the options forbid it";
    }
    if (o->cpu >= 0 || (o->thread != 0 && o->thread != (pid_t)syscall(SYS_gettid))) {
        return "the session counts others than the calling thread";
    }
    if ((o->flags & APMU_PERF_INHERIT) != 0) {
        return "the session inherits: the counters are one thread's";
    }
    if ((o->flags & APMU_PERF_SHARE) != 0) {
        return "the session may share its counters";
    }
    switch (apmu_perf_read_number(USER_ACCESS_FILE, -1)) {
    case 1: return NULL;
    case 0: return "kernel.perf_user_access is 0: set it to 1";
    default: return "the kernel has no kernel.perf_user_access: use Linux 5.17 or later";
    }
#endif
}

/* Maps the page of every event.  Returns why direct reads are not possible, or NULL. */
static const char *map_pages(struct apmu_perf *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, p->events[i].fd, 0);

        if (page == MAP_FAILED) {
            return "the kernel does not map the events' pages: raise the limit of locked memory";
        }
        p->events[i].page = page;
        if (!APMU_PERF_CAP(p->events[i].page, APMU_PERF_CAP_RDPMC)) {
            return "the kernel does not allow it for this event";
        }
    }
    return NULL;
}

static enum apmu_error open_session(struct opening *o, const struct apmu_wish *wishes, size_t count)
{
    struct apmu_perf *p = o->perf;
    enum apmu_error error;

    p->indirect = never_direct(o);
    o->direct = p->indirect == NULL;
    error = add_wishes(o, wishes, count);
    if (error == APMU_E_PERF_EVENT && o->direct) { /* for example 64 bits without FEAT_PMUv3p5: a pair cannot be read
                                                      directly */
        p->indirect = "this PMU cannot let EL0 read one of these events: ask for it without 64 bits";
        o->direct = false;
        error = add_wishes(o, wishes, count);
    }
    if (error == APMU_OK && o->direct) {
        p->indirect = map_pages(p);
        o->direct = p->indirect == NULL;
    }
    p->direct = o->direct;
    if (p->direct) {
        p->indirect = "";
#if defined(__aarch64__)
        p->reader = apmu_perf_thread_pointer();
#endif
    }
    return error;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The PMU, the checks, and the open.
 */

/* Sets p->pmu to @wanted, or to the only PMU of the machine. */
static enum apmu_error choose_pmu(struct apmu_perf *p, const struct apmu_perf_pmu *wanted)
{
    struct apmu_perf_pmu pmus[4];
    size_t count;

    if (wanted != NULL) {
        p->pmu = *wanted;
        return APMU_OK;
    }
    errno = 0;
    count = apmu_perf_pmus(pmus, sizeof pmus / sizeof pmus[0]);
    for (size_t i = 0; i < count && i < sizeof pmus / sizeof pmus[0]; i++) {
        const size_t used = strlen(p->refusal.pmus);

        snprintf(p->refusal.pmus + used, sizeof p->refusal.pmus - used, "%s%s", i == 0 ? "" : ", ", pmus[i].name);
    }
    if (count == 0) {
        return errno == EMFILE || errno == ENFILE ? APMU_E_PERF_FILES : APMU_E_PERF_PMU;
    }
    p->pmu = pmus[0];
    return count == 1 ? APMU_OK : APMU_E_PERF_PMUS;
}

static enum apmu_error check_and_open(struct opening *o, const struct apmu_perf_pmu *pmu,
                                      const struct apmu_wish *wishes, size_t count)
{
    struct apmu_perf *p = o->perf;
    enum apmu_error error = choose_pmu(p, pmu);

    if (error == APMU_OK && (count == 0 || count > APMU_COUNTERS)) {
        return APMU_E_NO_COUNTER;
    }
    for (size_t i = 0; i < count && error == APMU_OK; i++) {
        error = apmu_perf_check_wish(&p->pmu, &wishes[i], &p->refusal);
        if (error != APMU_OK) {
            p->refusal.wish = i;
        }
    }
    return error == APMU_OK ? open_session(o, wishes, count) : error;
}

enum apmu_error apmu_perf_session_open(struct apmu_session *s, struct apmu_perf *perf,
                                       const struct apmu_perf_options *options, const struct apmu_wish *wishes,
                                       size_t count, size_t *refused)
{
    static const struct apmu_perf_options usual = {.size = sizeof usual};
    struct apmu_perf_options taken = usual;
    const struct apmu_perf_options *const given = &taken;
    const bool fits = options == NULL || apmu_sized_check(options, sizeof taken, sizeof taken) == APMU_SIZED_OK;

    if (fits && options != NULL) {
        apmu_sized_take(&taken, sizeof taken, options);
    }
    const bool on_cpu = (given->flags & APMU_PERF_CPU) != 0;
    const bool on_cgroup = (given->flags & APMU_PERF_CGROUP) != 0;
    struct opening o = {.perf = perf, .flags = given->flags,
                        .thread = on_cgroup ? given->cgroup : on_cpu ? -1 : given->thread,
                        .cpu = on_cpu ? (int)given->cpu : -1};
    enum apmu_error error;

    *s = (struct apmu_session){.ops = &apmu_perf_session_ops, .ctx = perf, .count = count};
    *perf = (struct apmu_perf){.indirect = "", .refusal = {.wish = count, .thread = given->thread, .cpu = o.cpu}};
    error = fits ? check_and_open(&o, given->pmu, wishes, count) : APMU_E_SIZE;
    perf->refusal.error = error;
    switch (error) {
    case APMU_OK: s->state = APMU_SESSION_STOPPED; break;
    case APMU_E_SIZE: /* these concern no single wish */
    case APMU_E_PERF_ABSENT:
    case APMU_E_PERF_FILES:
    case APMU_E_PERF_TARGET: perf->refusal.wish = count; break;
    default: break;
    }
    if (refused != NULL) {
        *refused = perf->refusal.wish;
    }
    return error;
}
