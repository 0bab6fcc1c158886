/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures what a region costs, in instructions of application and kernel together, with armpmu and with its peers.  It
 * runs in the guest, where native_cost() measures them all alike.  All count the same events.  A region is the code
 * executed before and after the code that is counted: start, stop and the reading.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <armpmu/events.h>
#include <armpmu/native.h>
#include <armpmu/perf.h>

#include "native/native.h"

#ifdef WITH_PAPI
#include <papi.h>
#endif

#define MOST NATIVE_EVENTS

static uint64_t sink[64];

static const unsigned sizes[NATIVE_LENGTHS] = NATIVE_SIZES;

#define NONE 0u /* a cost that was not measured; nothing costs 0 */

/* Prints a row of the table. */
static void row(const char *name, const unsigned *cost)
{
    printf("%-50s", name);
    for (unsigned i = 0; i < NATIVE_LENGTHS; i++) {
        if (cost[i] == NONE) {
            printf("%10s", "-");
        } else {
            printf("%10u", cost[i]);
        }
    }
    putchar('\n');
}

/* ---------------------------------------------------------------------------------------------------------------
 * armpmu, native: at EL1 in the module, and here at EL0 while its device is open.
 */

static uint64_t pmuserenr(void)
{
    uint64_t value;

    __asm__ volatile("mrs %0, S3_3_C9_C14_0" : "=r"(value)); /* PMUSERENR_EL0, which EL0 may always read */
    return value;
}

static void native_rows_of(const char *level, const struct native_costs *costs)
{
    char name[64];

    if (costs->error != 0) {
        printf("# native at %s: %s\n", level, apmu_error_text((enum apmu_error)costs->error));
        return;
    }
    if (costs->counted != NATIVE_KNOWN) {
        printf("# native at %s: of %u instructions a region counts %u\n", level, NATIVE_KNOWN, costs->counted);
    }
    snprintf(name, sizeof name, "native at %s: apmu_native_region_begin, _end", level);
    row(name, costs->region);
    snprintf(name, sizeof name, "native at %s: apmu_session_start, _stop, _read", level);
    row(name, costs->session);
}

/* Prints the rows of the native back end, and fills @el1 and @el0. */
static void native_rows(struct native_costs *el1, struct native_costs *el0)
{
    const int device = open("/dev/" NATIVE_DEVICE, O_RDONLY);
    struct native_answer answer = {{0}, {0}};

    if (device < 0 || read(device, &answer, sizeof answer) != (ssize_t)sizeof answer) {
        printf("# native: /dev/" NATIVE_DEVICE ": %s\n", strerror(errno));
        close(device);
        return;
    }
    *el1 = answer.el1;
    native_rows_of("EL1", el1);
    const uint64_t before = pmuserenr();

    if (APMU_GET(PMUSERENR_EL0, EN, before) == 0) {
        printf("# native at EL0: PMUSERENR_EL0 is 0x%llx: EL0 may not\n", (unsigned long long)before);
    } else {
        native_measure(&answer.ids, el0);
        const uint64_t after = pmuserenr();

        native_rows_of("EL0", el0);
        if (after != before) {
            printf("# native at EL0: PMUSERENR_EL0 was 0x%llx before, 0x%llx after\n", (unsigned long long)before,
                   (unsigned long long)after);
        }
    }
    close(device);
}

/* ---------------------------------------------------------------------------------------------------------------
 * armpmu, perf_event.
 */

struct perf_session {
    struct apmu_perf perf;
    struct apmu_session s;
    struct apmu_reading out[MOST];
};

static void read_direct_twice(void *arg)
{
    struct perf_session *a = arg;

    (void)apmu_perf_read_direct(&a->perf, sink);
    (void)apmu_perf_read_direct(&a->perf, sink + 32);
}

static void read_session_twice(void *arg)
{
    struct perf_session *a = arg;

    (void)apmu_session_read(&a->s, a->out);
    (void)apmu_session_read(&a->s, a->out);
}

static void start_stop_read(void *arg)
{
    struct perf_session *a = arg;

    (void)apmu_session_start(&a->s);
    (void)apmu_session_stop(&a->s);
    (void)apmu_session_read(&a->s, a->out);
}

/* Opens a session that counts the first @n events.  Returns false, and says why, if it cannot. */
static bool open_session(struct perf_session *a, unsigned n, uint32_t flags)
{
    const struct apmu_perf_options options = {.size = sizeof options, .flags = flags};
    struct apmu_wish wishes[MOST];
    char text[256];

    for (unsigned i = 0; i < n; i++) {
        wishes[i] = (struct apmu_wish){.event = native_events[i], .counter = APMU_COUNTER_ANY, .unlisted = true,
                                       .filter = APMU_FILTER(P)};
    }
    if (apmu_perf_session_open(&a->s, &a->perf, &options, wishes, n, NULL) == APMU_OK) {
        return true;
    }
    apmu_perf_explain(&a->perf, text, sizeof text);
    printf("# %s\n", text);
    return false;
}

/* Prints the rows of the perf_event back end, and fills @direct. */
static void armpmu_rows(unsigned *direct)
{
    static struct perf_session a;
    unsigned reads[NATIVE_LENGTHS] = {NONE}, calls[NATIVE_LENGTHS] = {NONE};

    for (unsigned i = 0; i < NATIVE_LENGTHS; i++) {
        if (open_session(&a, sizes[i], 0)) {
            if (a.perf.direct && apmu_session_start(&a.s) == APMU_OK) {
                direct[i] = native_cost(read_direct_twice, &a);
                reads[i] = native_cost(read_session_twice, &a);
            } else {
                printf("# not direct: %s\n", a.perf.indirect);
            }
            apmu_session_close(&a.s);
        }
        if (open_session(&a, sizes[i], APMU_PERF_NO_DIRECT)) {
            calls[i] = native_cost(start_stop_read, &a);
            apmu_session_close(&a.s);
        }
    }
    row("perf, direct: apmu_perf_read_direct twice", direct);
    row("perf, direct: apmu_session_read twice", reads);
    row("perf, read(2): apmu_session_start, _stop, _read", calls);
}

/* ---------------------------------------------------------------------------------------------------------------
 * perf_event_open by hand: a group, and the reader of libperf (tools/lib/perf/mmap.c) after the protocol in
 * <linux/perf_event.h>: times and scaling with every reading.
 */

/* Opens a group of the first @n events of PMU @type, and fills @fds.  Returns the leader, or -1 and sets errno. */
static int open_group(unsigned n, uint32_t type, int *fds)
{
    for (unsigned i = 0; i < n; i++) {
        struct perf_event_attr attr = {.size = sizeof attr, .type = type, .config = native_events[i]};

        attr.config1 = 2; /* readable from user space */
        attr.disabled = i == 0;
        attr.exclude_kernel = attr.exclude_hv = 1;
        attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        fds[i] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, i == 0 ? -1 : fds[0], 0);
        if (fds[i] < 0) {
            return -1;
        }
    }
    return fds[0];
}

struct libperf_count {
    uint64_t value, enabled, running;
};

/* Reads a counter from its mapped @page, with its times, and scales it if it did not count all the time. */
static __attribute__((noinline)) void libperf_read(volatile struct perf_event_mmap_page *page,
                                                   struct libperf_count *count)
{
    uint32_t seq, index;
    uint64_t cycles = 0, offset = 0, mult = 0;
    int64_t value;
    uint16_t shift = 0;

    do {
        seq = page->lock;
        __asm__ volatile("" : : : "memory");
        count->enabled = page->time_enabled;
        count->running = page->time_running;
        if (page->cap_user_time && count->enabled != count->running) {
            __asm__ volatile("mrs %0, cntvct_el0" : "=r"(cycles));
            mult = page->time_mult;
            shift = page->time_shift;
            offset = page->time_offset;
        }
        index = page->index;
        value = page->offset;
        if (page->cap_user_rdpmc && index != 0) {
            const unsigned width = page->pmc_width;
            int64_t pmc = (int64_t)apmu_perf_counter(NULL, index - 1);

            value += (int64_t)((uint64_t)pmc << (64 - width)) >> (64 - width);
        }
        __asm__ volatile("" : : : "memory");
    } while (page->lock != seq);
    if (count->enabled != count->running) {
        const uint64_t rest = cycles & ((UINT64_C(1) << shift) - 1);
        const uint64_t delta = offset + (cycles >> shift) * mult + ((rest * mult) >> shift);

        count->enabled += delta;
        count->running += index != 0 ? delta : 0;
        if (count->running != 0) {
            value = (int64_t)((double)value * (double)count->enabled / (double)count->running);
        }
    }
    count->value = (uint64_t)value;
}

/* The events of one perf_event group. */
struct event_group {
    unsigned n;
    int fds[MOST];
    volatile struct perf_event_mmap_page *pages[MOST];
    struct libperf_count counts[MOST];
};

static void enable_disable_read(void *arg)
{
    const int leader = ((const struct event_group *)arg)->fds[0];

    ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
    ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
    sink[0] = (uint64_t)read(leader, sink, sizeof sink);
}

static void libperf_read_twice(void *arg)
{
    struct event_group *g = arg;

    for (unsigned twice = 0; twice < 2; twice++) {
        for (unsigned i = 0; i < g->n; i++) {
            libperf_read(g->pages[i], &g->counts[i]);
        }
    }
}

/* Prints the rows of perf_event_open by hand. */
static void by_hand_rows(void)
{
    unsigned plain[NATIVE_LENGTHS] = {NONE}, libperf[NATIVE_LENGTHS] = {NONE};
    struct apmu_perf_pmu pmu;

    if (apmu_perf_pmus(&pmu, 1) == 0) {
        return;
    }
    for (unsigned i = 0; i < NATIVE_LENGTHS; i++) {
        struct event_group g = {.n = sizes[i]};

        if (open_group(g.n, pmu.type, g.fds) < 0) {
            printf("# perf_event_open: %u events: %s\n", g.n, strerror(errno));
            continue;
        }
        for (unsigned n = 0; n < g.n; n++) {
            g.pages[n] = mmap(NULL, 4096, PROT_READ, MAP_SHARED, g.fds[n], 0);
        }
        plain[i] = native_cost(enable_disable_read, &g);
        ioctl(g.fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
        libperf[i] = native_cost(libperf_read_twice, &g);
        for (unsigned n = 0; n < g.n; n++) {
            munmap((void *)(uintptr_t)g.pages[n], 4096);
            close(g.fds[n]);
        }
    }
    row("perf_event_open: enable, disable, read(2)", plain);
    row("a reader like libperf's, twice", libperf);
}

/* ---------------------------------------------------------------------------------------------------------------
 * PAPI.
 */

#ifdef WITH_PAPI
/* PAPI's names of native_events. */
static const char *const papi_names[MOST] = {
    "INST_RETIRED", "BRANCH_MISPRED", "BRANCH_PRED", "L1D_CACHE_ACCESS", "L1D_CACHE_REFILL", "L1I_CACHE_REFILL",
};

/* Makes a set of the first @n events. */
static bool make_papi_set(unsigned n, int *set)
{
    *set = PAPI_NULL;
    int error = PAPI_create_eventset(set);

    for (unsigned i = 0; i < n && error == PAPI_OK; i++) {
        error = PAPI_add_named_event(*set, papi_names[i]);
        if (error != PAPI_OK) {
            printf("# PAPI: %s: %s\n", papi_names[i], PAPI_strerror(error));
        }
    }
    return error == PAPI_OK;
}

/* An event set of PAPI's. */
struct papi_set {
    int set;
    long long values[MOST];
};

static void papi_start_stop(void *arg)
{
    struct papi_set *p = arg;

    (void)PAPI_start(p->set);
    (void)PAPI_stop(p->set, p->values);
}

static void papi_read_twice(void *arg)
{
    struct papi_set *p = arg;

    (void)PAPI_read(p->set, p->values);
    (void)PAPI_read(p->set, p->values);
}

/* Prints the rows of PAPI, and fills @start_stop. */
static void papi_rows(unsigned *start_stop)
{
    unsigned reads[NATIVE_LENGTHS] = {NONE};
    const int version = PAPI_library_init(PAPI_VER_CURRENT);

    if (version != PAPI_VER_CURRENT) {
        printf("# PAPI: %s\n", PAPI_strerror(version));
        return;
    }
    for (unsigned i = 0; i < NATIVE_LENGTHS; i++) {
        struct papi_set p;

        if (!make_papi_set(sizes[i], &p.set) || PAPI_start(p.set) != PAPI_OK || PAPI_stop(p.set, p.values) != PAPI_OK) {
            printf("# PAPI: %u events do not start\n", sizes[i]);
            continue;
        }
        start_stop[i] = native_cost(papi_start_stop, &p);
        PAPI_start(p.set);
        reads[i] = native_cost(papi_read_twice, &p);
        PAPI_stop(p.set, p.values);
    }
    row("PAPI: PAPI_start, PAPI_stop with values", start_stop);
    row("PAPI: PAPI_read twice", reads);
}
#else
static void papi_rows(unsigned *start_stop)
{
    (void)start_stop;
    printf("# PAPI: no package is available\n");
}
#endif

/* ------------------------------------------------------------------------------------------------------------ */

/* Prints whether @cost keeps its goal of at most @most instructions, unless it was not measured. */
static void goal(const char *what, unsigned cost, unsigned most)
{
    if (cost != NONE) {
        printf("%s: %u (goal: at most %u): %s\n", what, cost, most, cost <= most ? "yes" : "no");
    }
}

int main(void)
{
    struct native_costs el1 = {0}, el0 = {0};
    unsigned direct[NATIVE_LENGTHS] = {NONE}, papi[NATIVE_LENGTHS] = {NONE};

    const unsigned known = native_cost(native_known, NULL);

    if (known != NATIVE_KNOWN) {
        printf("# a loop of %u instructions measures as %u: is this a guest with -icount shift=0?\n", NATIVE_KNOWN,
               known);
    }
    printf("%-50s%10u%10u%10u\n", "instructions for one region, counters:", sizes[0], sizes[1], sizes[2]);
    native_rows(&el1, &el0);
    armpmu_rows(direct);
    by_hand_rows();
    papi_rows(papi);
    goal("one inline read at EL1", el1.read, 1);
    goal("one inline read at EL0", el0.read, 1);
    goal("native region of 6 counters at EL1", el1.region[2], 45);
    goal("native region of 6 counters at EL0", el0.region[2], 45);
    for (unsigned i = 0; i < NATIVE_LENGTHS && papi[i] != NONE && direct[i] != NONE; i++) {
        printf("PAPI's region of %u counters to armpmu's direct one: %u.%u times (goal: at least 5): %s\n", sizes[i],
               papi[i] / direct[i], papi[i] % direct[i] * 10 / direct[i], papi[i] >= 5 * direct[i] ? "yes" : "no");
    }
    return 0;
}
