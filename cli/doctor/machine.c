/* SPDX-License-Identifier: BSD-2-Clause */
/* The bench over this machine's own counters: perf_event sessions of the driver, and the loops. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../state/el0.h"
#include "doctor.h"

enum { RING_PAGES = 8 }; /* of the buffer for samples; a power of two */

bool doctor_pin(unsigned cpu)
{
    static cpu_set_t set; /* large, and used by one thread */

    CPU_ZERO(&set);
    if (cpu >= CPU_SETSIZE) {
        errno = EINVAL;
        return false;
    }
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

static uint64_t now_ns(void)
{
    struct timespec t = {.tv_sec = 0};

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Counting.
 */

/* Returns the number after @key in /proc/self/status, or 0. */
static unsigned long long own_status(const char *key)
{
    FILE *file = fopen("/proc/self/status", "re");
    const size_t length = strlen(key);
    unsigned long long value = 0;
    char line[256];

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, length) == 0) {
            value = strtoull(line + length, NULL, 10);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return value;
}

/*
 * Writes why the kernel refused: what the driver says, without the event, because the finding names it.  Returns the
 * error, APMU_E_ACCESS for a process that has the capability and is refused nevertheless.
 */
static enum apmu_error explain_refusal(const struct apmu_perf *perf, char *why, size_t size)
{
    char line[256];
    const char *cause;

    apmu_perf_explain(perf, line, sizeof line);
    cause = strncmp(line, "event ", 6) == 0 ? strstr(line, ": ") : NULL;
    snprintf(why, size, "%s", cause != NULL ? cause + 2 : line);
    if (perf->refusal.error == APMU_E_PERF_PERMISSION && perf->refusal.needed == INT32_MAX) {
        snprintf(why, size, "%s forbids perf_event_open() to this process, which has the capability for it; have it "
                 "allow the call, or run outside of it", own_status("Seccomp:") == 2
                 ? "a seccomp filter, as containers have one," : "a security module");
        return APMU_E_ACCESS;
    }
    return perf->refusal.error;
}

static enum apmu_error open_wishes(void *ctx, const struct apmu_wish *wishes, size_t count, unsigned flags, char *why,
                                   size_t size)
{
    struct doctor_machine *m = ctx;
    const struct apmu_perf_options options = {
        .size = sizeof options, .pmu = &m->pmu, .flags = (flags & DOCTOR_DIRECT) != 0 ? 0 : APMU_PERF_NO_DIRECT,
    };
    enum apmu_error error;

#if !defined __aarch64__
    if ((flags & DOCTOR_DIRECT) != 0) {
        snprintf(why, size, "%s; %s", apmu_error_text(APMU_E_LEVEL), apmu_error_cure(APMU_E_LEVEL));
        return APMU_E_LEVEL;
    }
#endif
    error = apmu_perf_session_open(&m->session, &m->perf, &options, wishes, count, NULL);
    m->running = false;
    m->direct = (flags & DOCTOR_DIRECT) != 0;
    if (error != APMU_OK) {
        return explain_refusal(&m->perf, why, size);
    }
    if (m->direct && !m->perf.direct) {
        snprintf(why, size, "%s", m->perf.indirect);
        (void)apmu_session_close(&m->session);
        return APMU_E_UNSUPPORTED;
    }
    return APMU_OK;
}

static void close_wishes(void *ctx)
{
    struct doctor_machine *m = ctx;

    (void)apmu_session_close(&m->session);
}

/* Stops the counters around the loop: system calls, whose instructions at EL0 are the same in each run. */
static enum apmu_error run_by_calls(struct doctor_machine *m, enum doctor_loop loop, unsigned long n,
                                    struct doctor_run *out)
{
    struct apmu_reading readings[APMU_COUNTERS];
    enum apmu_error error = apmu_session_reset(&m->session);
    uint64_t begin = now_ns();

    if (error == APMU_OK) {
        error = apmu_session_start(&m->session);
    }
    if (error == APMU_OK) {
        begin = now_ns();
        doctor_loop_run(loop, &m->arena, n);
        out->ns = now_ns() - begin;
        error = apmu_session_stop(&m->session);
    }
    if (error == APMU_OK) {
        error = apmu_session_read(&m->session, readings);
    }
    out->shared = false;
    for (size_t i = 0; i < m->session.count && error == APMU_OK; i++) {
        out->counts[i] = readings[i].raw;
        out->shared |= readings[i].running < readings[i].enabled;
    }
    return error;
}

#if defined __aarch64__

static sigjmp_buf back;

/* Handles the SIGILL of a read that EL0 may not do. */
static void leave_read(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

/* Reads the counters before and after the loop by MRS. */
static enum apmu_error run_directly(struct doctor_machine *m, enum doctor_loop loop, unsigned long n,
                                    struct doctor_run *out)
{
    struct sigaction mine = {.sa_handler = leave_read}, before;
    uint64_t first[APMU_COUNTERS] = {0}, last[APMU_COUNTERS] = {0};
    volatile enum apmu_error error = APMU_OK;

    if (!m->running && apmu_session_start(&m->session) == APMU_OK) {
        m->running = true;
    }
    sigaction(SIGILL, &mine, &before);
    if (sigsetjmp(back, 1) != 0) {
        const char *name;

        out->userenr_known = el0_read(EL0_PMUSERENR, &name, &out->userenr) == EL0_VALUE;
        error = APMU_E_ACCESS;
    } else if (!apmu_perf_read_direct(&m->perf, first)) {
        error = APMU_E_PERF_LOST;
    } else {
        const uint64_t begin = now_ns();

        doctor_loop_run(loop, &m->arena, n);
        out->ns = now_ns() - begin;
        error = apmu_perf_read_direct(&m->perf, last) ? APMU_OK : APMU_E_PERF_LOST;
    }
    sigaction(SIGILL, &before, NULL);
    for (size_t i = 0; i < m->session.count; i++) {
        out->counts[i] = last[i] - first[i];
    }
    out->shared = false;
    return error;
}

#else

static enum apmu_error run_directly(struct doctor_machine *m, enum doctor_loop loop, unsigned long n,
                                    struct doctor_run *out)
{
    (void)m;
    (void)loop;
    (void)n;
    (void)out;
    return APMU_E_UNSUPPORTED;
}

#endif

static enum apmu_error run_loop(void *ctx, enum doctor_loop loop, unsigned long n, struct doctor_run *out)
{
    struct doctor_machine *m = ctx;

    *out = (struct doctor_run){.ns = 0};
    return (m->direct ? run_directly : run_by_calls)(m, loop, n, out);
}

static bool has_loop(void *ctx, enum doctor_loop loop)
{
    (void)ctx;
    return doctor_loop_exists(loop);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Sampling.
 */

/* Returns the samples that are in the @size bytes of @data, into which the kernel has written @head bytes. */
static struct doctor_samples count_samples(const unsigned char *data, uint64_t size, uint64_t head)
{
    struct perf_event_header header;
    struct doctor_samples samples = {.count = 0};

    for (uint64_t at = 0; at + sizeof header <= head && at + sizeof header <= size; at += header.size) {
        memcpy(&header, data + at, sizeof header);
        if (header.size < sizeof header) {
            break;
        }
        samples.count += header.type == PERF_RECORD_SAMPLE;
        samples.throttled |= header.type == PERF_RECORD_THROTTLE;
    }
    return samples;
}

/* Runs the loop while the event @fd is enabled, and counts the samples in its buffer. */
static enum apmu_error run_sampling(struct doctor_machine *m, int fd, enum doctor_loop loop, unsigned long n,
                                    struct doctor_samples *samples, char *why, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), length = (1 + RING_PAGES) * page;
    struct perf_event_mmap_page *ring = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (ring == MAP_FAILED) {
        snprintf(why, size, "the buffer for samples: %s; raise the limit of locked memory", strerror(errno));
        return APMU_E_PERF_SYSTEM;
    }
    (void)ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    doctor_loop_run(loop, &m->arena, n);
    (void)ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    *samples = count_samples((const unsigned char *)ring + page, RING_PAGES * page,
                             __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE));
    munmap(ring, length);
    return APMU_OK;
}

static enum apmu_error sample_loop(void *ctx, const struct apmu_wish *wish, uint64_t period, enum doctor_loop loop,
                                   unsigned long n, struct doctor_samples *out, char *why, size_t size)
{
    struct doctor_machine *m = ctx;
    struct perf_event_attr attr = {
        .size = PERF_ATTR_SIZE_VER0, .type = m->pmu.type, .config = wish->event, .sample_period = period,
        .sample_type = PERF_SAMPLE_IP, .disabled = 1, .exclude_hv = 1,
        .exclude_kernel = (wish->filter & APMU_FILTER(P)) != 0,
    };
    const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    enum apmu_error error;

    *out = (struct doctor_samples){.count = 0};
    if (fd < 0) {
        snprintf(why, size, "sampling: %s", strerror(errno));
        return errno == EOPNOTSUPP ? APMU_E_PERF_SAMPLING : APMU_E_PERF_SYSTEM;
    }
    error = run_sampling(m, fd, loop, n, out, why, size);
    close(fd);
    return error;
}

void doctor_machine(struct doctor_machine *machine, const struct apmu_perf_pmu *pmu, struct doctor_bench *bench)
{
    machine->pmu = *pmu;
    *bench = (struct doctor_bench){.ctx = machine, .open = open_wishes, .run = run_loop, .close = close_wishes,
                                   .sample = sample_loop, .has_loop = has_loop};
}
