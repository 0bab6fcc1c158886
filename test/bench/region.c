/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a region costs, in instructions of application and kernel together: in the guest, where one instruction is one
 * nanosecond of the generic timer.  Each way counts the same events; a region is what stands before and after the code
 * that is counted.
 */
#define _GNU_SOURCE
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
#include <armpmu/perf.h>

#ifdef WITH_PAPI
#include <papi.h>
#endif

#define ROUNDS 2000u
#define MOST 6u

/* Events that a Cortex-A57 has, by its name for PAPI; QEMU counts the first two, but a counter costs what it costs. */
static const struct {
    uint16_t event;
    const char *papi;
} events[MOST] = {
    {APMU_EV_INST_RETIRED, "INST_RETIRED"}, {APMU_EV_BR_MIS_PRED, "BRANCH_MISPRED"},
    {APMU_EV_BR_PRED, "BRANCH_PRED"},       {APMU_EV_L1D_CACHE, "L1D_CACHE_ACCESS"},
    {APMU_EV_L1D_CACHE_REFILL, "L1D_CACHE_REFILL"}, {APMU_EV_L1I_CACHE_REFILL, "L1I_CACHE_REFILL"},
};

static uint64_t sink[64];

static uint64_t timer(void)
{
    uint64_t value;

    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(value) : : "memory");
    return value;
}

static uint64_t timer_hz(void)
{
    uint64_t value;

    __asm__("mrs %0, cntfrq_el0" : "=r"(value));
    return value;
}

/* The instructions of ROUNDS times @body, for each. */
#define COST(cost, body) \
    do { \
        uint64_t begin_; \
        for (unsigned i_ = 0; i_ < 20; i_++) { body; } \
        begin_ = timer(); \
        for (unsigned i_ = 0; i_ < ROUNDS; i_++) { \
            __asm__ volatile("" : : : "memory"); \
            body; \
        } \
        (cost) = (double)(timer() - begin_) * 1e9 / (double)timer_hz() / ROUNDS; \
    } while (0)

static void row(const char *name, const double *cost)
{
    printf("%-44s", name);
    for (unsigned i = 0; i < 3; i++) {
        if (cost[i] < 0) {
            printf("%10s", "-");
        } else {
            printf("%10.0f", cost[i]);
        }
    }
    putchar('\n');
}

static const unsigned sizes[3] = {1, 4, MOST};
static double empty;

/* ---------------------------------------------------------------------------------------------------------------
 * armpmu.
 */

static bool open_session(struct apmu_session *s, struct apmu_perf *perf, unsigned n, uint32_t flags)
{
    const struct apmu_perf_options options = {.size = sizeof options, .flags = flags};
    struct apmu_wish wishes[MOST];
    char text[256];

    for (unsigned i = 0; i < n; i++) {
        wishes[i] = (struct apmu_wish){.event = events[i].event, .counter = APMU_COUNTER_ANY, .unlisted = true,
                                       .filter = APMU_FILTER(P)};
    }
    if (apmu_perf_session_open(s, perf, &options, wishes, n, NULL) == APMU_OK) {
        return true;
    }
    apmu_perf_explain(perf, text, sizeof text);
    printf("# %s\n", text);
    return false;
}

static void armpmu_rows(double *direct)
{
    static struct apmu_perf perf;
    struct apmu_session s;
    struct apmu_reading out[MOST];
    double reads[3] = {-1, -1, -1}, calls[3] = {-1, -1, -1};

    for (unsigned i = 0; i < 3; i++) {
        direct[i] = -1;
        if (open_session(&s, &perf, sizes[i], 0) && perf.direct) {
            apmu_session_start(&s);
            COST(direct[i], (apmu_perf_read_direct(&perf, sink), apmu_perf_read_direct(&perf, sink + 32)));
            COST(reads[i], (apmu_session_read(&s, out), apmu_session_read(&s, out)));
            direct[i] -= empty;
            reads[i] -= empty;
        } else {
            printf("# not direct: %s\n", perf.indirect);
        }
        apmu_session_close(&s);
        if (open_session(&s, &perf, sizes[i], APMU_PERF_NO_DIRECT)) {
            COST(calls[i], (apmu_session_start(&s), apmu_session_stop(&s), apmu_session_read(&s, out)));
            calls[i] -= empty;
        }
        apmu_session_close(&s);
    }
    row("armpmu: apmu_perf_read_direct twice", direct);
    row("armpmu: apmu_session_read twice, direct", reads);
    row("armpmu: start, stop, read by system calls", calls);
}

/* ---------------------------------------------------------------------------------------------------------------
 * perf_event_open by hand: a group, and the reader of libperf (tools/lib/perf/mmap.c) after the protocol in
 * <linux/perf_event.h>: times and scaling with every reading.
 */

static int open_group(unsigned n, uint32_t type, int *fds)
{
    for (unsigned i = 0; i < n; i++) {
        struct perf_event_attr attr = {.size = sizeof attr, .type = type, .config = events[i].event};

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

static __attribute__((noinline)) void libperf_read(volatile struct perf_event_mmap_page *page, struct libperf_count *count)
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
        const uint64_t delta = offset + (cycles >> shift) * mult + (((cycles & ((UINT64_C(1) << shift) - 1)) * mult) >> shift);

        count->enabled += delta;
        count->running += index != 0 ? delta : 0;
        value = count->running == 0 ? value : (int64_t)((double)value * (double)count->enabled / (double)count->running);
    }
    count->value = (uint64_t)value;
}

static void by_hand_rows(void)
{
    double plain[3] = {-1, -1, -1}, libperf[3] = {-1, -1, -1};
    struct apmu_perf_pmu pmu;

    if (apmu_perf_pmus(&pmu, 1) == 0) {
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        volatile struct perf_event_mmap_page *pages[MOST];
        struct libperf_count counts[MOST];
        int fds[MOST] = {-1};
        const int leader = open_group(sizes[i], pmu.type, fds);

        if (leader < 0) {
            continue;
        }
        for (unsigned n = 0; n < sizes[i]; n++) {
            pages[n] = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fds[n], 0);
        }
        COST(plain[i], (ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP),
                        ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP),
                        sink[0] = (uint64_t)read(leader, sink, sizeof sink)));
        ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
        COST(libperf[i], for (unsigned n = 0; n < 2 * sizes[i]; n++) libperf_read(pages[n % sizes[i]], &counts[n % sizes[i]]));
        plain[i] -= empty;
        libperf[i] -= empty;
        for (unsigned n = 0; n < sizes[i]; n++) {
            munmap((void *)(uintptr_t)pages[n], 4096);
            close(fds[n]);
        }
    }
    row("perf_event_open: enable, disable, read(2)", plain);
    row("a reader like libperf's, twice", libperf);
}

/* ---------------------------------------------------------------------------------------------------------------
 * PAPI.
 */

#ifdef WITH_PAPI
static bool papi_set(unsigned n, int *set)
{
    *set = PAPI_NULL;
    int error = PAPI_create_eventset(set);

    for (unsigned i = 0; i < n && error == PAPI_OK; i++) {
        error = PAPI_add_named_event(*set, events[i].papi);
        if (error != PAPI_OK) {
            printf("# PAPI: %s: %s\n", events[i].papi, PAPI_strerror(error));
        }
    }
    return error == PAPI_OK;
}

static void papi_rows(double *start_stop)
{
    double reads[3] = {-1, -1, -1};
    const int version = PAPI_library_init(PAPI_VER_CURRENT);

    if (version != PAPI_VER_CURRENT) {
        printf("# PAPI: %s\n", PAPI_strerror(version));
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        long long values[MOST];
        int set;

        if (!papi_set(sizes[i], &set) || PAPI_start(set) != PAPI_OK || PAPI_stop(set, values) != PAPI_OK) {
            printf("# PAPI: %u events do not start\n", sizes[i]);
            continue;
        }
        COST(start_stop[i], (PAPI_start(set), PAPI_stop(set, values)));
        PAPI_start(set);
        COST(reads[i], (PAPI_read(set, values), PAPI_read(set, values)));
        PAPI_stop(set, values);
        start_stop[i] -= empty;
        reads[i] -= empty;
    }
    row("PAPI: PAPI_start, PAPI_stop with values", start_stop);
    row("PAPI: PAPI_read twice", reads);
}
#else
static void papi_rows(double *start_stop)
{
    (void)start_stop;
    printf("# PAPI: no package of it was to be had\n");
}
#endif

int main(void)
{
    double direct[3], papi[3] = {-1, -1, -1};
    double known;

    COST(known, for (unsigned n_ = 1000; n_ != 0;) __asm__ volatile("subs %w0, %w0, #1" : "+r"(n_) : : "cc"));
    COST(empty, (void)0);
    printf("# a loop of 1000 rounds takes %.0f instructions, an empty round %.1f\n", known, empty);
    printf("%-44s%10s%10s%10s\n", "instructions for one region, counters:", "1", "4", "6");
    armpmu_rows(direct);
    by_hand_rows();
    papi_rows(papi);
    for (unsigned i = 0; i < 3 && papi[i] > 0 && direct[i] > 0; i++) {
        printf("%s PAPI's region of %u counters takes %.1f times armpmu's direct one\n",
               papi[i] >= 5 * direct[i] ? "#" : "# goal missed (5):", sizes[i], papi[i] / direct[i]);
    }
    return 0;
}
