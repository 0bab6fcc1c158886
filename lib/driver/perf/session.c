/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The session seam over perf_event: the kernel programs, reads and extends the counters.  <armpmu/perf.h> draws the
 * states of direct reads.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

/* Checks that a member of struct apmu_perf_page is where the kernel has it. */
#define SAME(ours, theirs) \
    _Static_assert(offsetof(struct apmu_perf_page, ours) == offsetof(struct perf_event_mmap_page, theirs), #ours)
SAME(lock, lock);
SAME(index, index);
SAME(offset, offset);
SAME(time_enabled, time_enabled);
SAME(time_running, time_running);
SAME(capabilities, capabilities);
SAME(pmc_width, pmc_width);
SAME(time_shift, time_shift);
SAME(time_mult, time_mult);
SAME(time_offset, time_offset);
SAME(time_zero, time_zero);
SAME(page_size, size);

/* A reading of a group: PERF_FORMAT_GROUP, ID and both times. */
struct group_values {
    uint64_t count, enabled, running;
    struct {
        uint64_t value, id;
    } events[APMU_COUNTERS];
};

/* A function that takes the @value of event @e, and the times of its group in @v. */
typedef void event_taker(const struct apmu_perf *p, struct apmu_perf_event *e, const struct group_values *v,
                         uint64_t value, void *ctx);

static struct apmu_perf *of(const struct apmu_session *s)
{
    return s->ctx;
}

uint64_t apmu_perf_scale(uint64_t count, uint64_t enabled, uint64_t running)
{
    return (uint64_t)((double)count * ((double)enabled / (double)running) + 0.5);
}

bool apmu_perf_page_times(const volatile struct apmu_perf_page *page, uint64_t cycles, uint64_t *enabled,
                          uint64_t *running)
{
    uint32_t lock;

    do {
        uint64_t delta;

        lock = page->lock;
        if (!APMU_PERF_CAP(page, APMU_PERF_CAP_TIME)) {
            return false;
        }
        if (APMU_PERF_CAP(page, APMU_PERF_CAP_TIME_SHORT)) { /* the timer has fewer than 64 bits */
            cycles = page->time_cycles + ((cycles - page->time_cycles) & page->time_mask);
        }
        /* computed in two parts, because the product can have more than 64 bits */
        delta = page->time_offset + (cycles >> page->time_shift) * page->time_mult +
                ((cycles & ((UINT64_C(1) << page->time_shift) - 1)) * page->time_mult >> page->time_shift);
        *enabled = page->time_enabled + delta;
        *running = page->time_running + (page->index != 0 ? delta : 0);
    } while (page->lock != lock);
    return true;
}

/* Returns the event with the kernel's name @id in the group that begins with @first, or NULL. */
static struct apmu_perf_event *event_by_id(struct apmu_perf *p, uint32_t first, uint64_t id)
{
    for (uint32_t i = first; i < p->count && (i == first || !p->events[i].leader); i++) {
        if (p->events[i].id == id) {
            return &p->events[i];
        }
    }
    return NULL;
}

/* Reads the event @leader, and those that follow it if they are still one group. */
static enum apmu_error read_group(const struct apmu_perf *p, uint32_t leader, struct group_values *v)
{
    ssize_t n;

    do {
        n = read(p->events[leader].fd, v, sizeof *v);
    } while (n < 0 && errno == EINTR);
    if (n == 0) { /* a pinned group that lost its counters */
        return APMU_E_PERF_LOST;
    }
    return n < (ssize_t)offsetof(struct group_values, events) ? APMU_E_PERF_SYSTEM : APMU_OK;
}

/*
 * Reads the group that begins with event @first, and calls @take for each of its events.  When a CPU is taken offline,
 * the kernel makes each event of its groups a group of its own.  So events that the reading of the leader lacks are
 * read singly.
 */
static enum apmu_error take_group(struct apmu_perf *p, uint32_t first, event_taker *take, void *ctx)
{
    uint64_t seen = 0;

    for (uint32_t next = first; next < p->count && (next == first || !p->events[next].leader); next++) {
        struct group_values v;
        enum apmu_error error;

        if ((seen >> (next - first) & 1) != 0) {
            continue;
        }
        error = read_group(p, next, &v);
        for (uint64_t i = 0; i < v.count && error == APMU_OK; i++) {
            struct apmu_perf_event *e = event_by_id(p, first, v.events[i].id);

            if (e == NULL) {
                error = APMU_E_PERF_SYSTEM;
                break;
            }
            seen |= UINT64_C(1) << (e - &p->events[first]);
            take(p, e, &v, v.events[i].value, ctx);
        }
        if (error != APMU_OK) {
            return error;
        }
    }
    return APMU_OK;
}

/* Fills a reading from the value and the times, in ns, and scales it if they differ. */
static void fill(struct apmu_reading *out, uint64_t value, uint64_t enabled, uint64_t running)
{
    out->raw = value;
    out->enabled = enabled;
    out->running = running;
    out->scaled = running < enabled;
    out->count = !out->scaled ? value : running == 0 ? 0 : apmu_perf_scale(value, enabled, running);
    out->valid = running != 0 || enabled == 0; /* not valid: it was to be counted and never had a counter */
}

static void take_reading(const struct apmu_perf *p, struct apmu_perf_event *e, const struct group_values *v,
                         uint64_t value, void *ctx)
{
    struct apmu_reading *out = ctx;

    fill(&out[e - p->events], value - e->base, v->enabled - e->base_enabled, v->running - e->base_running);
}

/* Reads all groups, and calls @take for each event. */
static enum apmu_error take_all(struct apmu_perf *p, event_taker *take, void *ctx)
{
    enum apmu_error error = APMU_OK;

    for (uint32_t first = 0; first < p->count && error == APMU_OK; first++) {
        if (p->events[first].leader) {
            error = take_group(p, first, take, ctx);
        }
    }
    return error;
}

#if defined(__aarch64__)
/* Reads all events without a system call.  Returns false if that is not possible now. */
static bool read_directly(const struct apmu_perf *p, struct apmu_reading *out)
{
    uint64_t counts[APMU_COUNTERS], cycles, enabled, running;

    if (!apmu_perf_read_direct(p, counts)) {
        return false;
    }
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(cycles));
    if (!apmu_perf_page_times(p->events[0].page, cycles, &enabled, &running)) {
        enabled = running = 0;
    } else {
        enabled -= p->events[0].base_enabled;
        running -= p->events[0].base_running;
    }
    for (uint32_t i = 0; i < p->count; i++) {
        fill(&out[i], counts[i], enabled, enabled); /* a pinned event that has its counter has always had it */
    }
    return true;
}
#else
static bool read_directly(const struct apmu_perf *p, struct apmu_reading *out)
{
    (void)p;
    (void)out;
    return false;
}
#endif

static enum apmu_error perf_read(struct apmu_session *s, struct apmu_reading *out)
{
    return read_directly(of(s), out) ? APMU_OK : take_all(of(s), take_reading, out);
}

/* Makes a request of all leaders.  A group starts and stops as one with its leader. */
static enum apmu_error for_leaders(struct apmu_perf *p, unsigned long request)
{
    enum apmu_error error = APMU_OK;

    for (uint32_t i = 0; i < p->count; i++) {
        if (p->events[i].leader && ioctl(p->events[i].fd, request, 0) != 0) {
            error = APMU_E_PERF_SYSTEM;
        }
    }
    return error;
}

static enum apmu_error perf_stop(struct apmu_session *s)
{
    return for_leaders(of(s), PERF_EVENT_IOC_DISABLE);
}

static enum apmu_error perf_start(struct apmu_session *s)
{
    const enum apmu_error error = for_leaders(of(s), PERF_EVENT_IOC_ENABLE);

    if (error != APMU_OK) {
        (void)for_leaders(of(s), PERF_EVENT_IOC_DISABLE);
    }
    return error;
}

static void take_base(const struct apmu_perf *p, struct apmu_perf_event *e, const struct group_values *v,
                      uint64_t value, void *ctx)
{
    (void)p;
    (void)ctx;
    e->base = value;
    e->base_enabled = v->enabled;
    e->base_running = v->running;
}

/* Does not use PERF_EVENT_IOC_RESET, which keeps the times and the counts of inherited events. */
static enum apmu_error perf_reset(struct apmu_session *s)
{
    return take_all(of(s), take_base, NULL);
}

static enum apmu_error perf_close(struct apmu_session *s)
{
    struct apmu_perf *p = of(s);
    enum apmu_error error = APMU_OK;

    /* Leaders last: a member whose leader is closed would become a leader and continue. */
    for (uint32_t i = p->count; i-- > 0;) {
        if (p->events[i].page != NULL) {
            munmap((void *)(uintptr_t)p->events[i].page, (size_t)sysconf(_SC_PAGESIZE));
        }
        if (close(p->events[i].fd) != 0) {
            error = APMU_E_PERF_SYSTEM;
        }
    }
    p->count = 0;
    p->direct = false;
    return error;
}

const struct apmu_session_ops apmu_perf_session_ops = {
    .size = sizeof(struct apmu_session_ops), .start = perf_start, .stop = perf_stop, .read = perf_read,
    .reset = perf_reset, .close = perf_close,
};
