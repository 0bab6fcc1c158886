/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report and the limit (observe.h).  cli/run_report.c describes the lines of the report: how long each counter
 * counted, and how long it did not count for which reasons.
 */
#include "core_feed.h"
#include "observe.h"

#include "hw/core/cpu.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "qemu/notify.h"
#include "system/system.h"

bool observe_active;

/* The exit status CLI_CANNOT of armpmu. */
enum { CANNOT = 3 };

static const char *report;
static uint64_t limit = UINT64_MAX;
static bool limit_reached;

/* The cycles in which one set of reasons kept a counter from counting.  With the empty set, those that it counted. */
struct reason_time {
    uint64_t why;    /* the reasons, as apmu_why() or apmu_arm11_why() returns them */
    uint64_t cycles;
};

/* The cycles for which the counters of ARM11 counted the events of a value of PMNC. */
struct event_time {
    uint64_t pmnc, cycles;
};

void observe_fail(const char *file, int error)
{
    /* QEMU's error_report() and exit() need a machine, and files are opened before there is one. */
    fprintf(stderr, "armpmu: %s: cannot be written: %s; make room, or name another file\n", file, strerror(error));
    fflush(NULL);
    _exit(CANNOT);
}

bool observe_close(FILE *file)
{
    const bool failed = ferror(file) != 0;

    errno = 0;
    if (fclose(file) != 0 || failed) {
        errno = errno != 0 ? errno : EIO;
        return false;
    }
    return true;
}

uint64_t observe_limit(const struct armpmu_vcpu *v)
{
    return limit == UINT64_MAX || v->flushed >= limit ? limit : limit - v->flushed;
}

/* Adds @cycles to the time of the reasons @why. */
static void add_time(GArray *reason_times, uint64_t why, uint64_t cycles)
{
    for (unsigned i = 0; i < reason_times->len; i++) {
        struct reason_time *t = &g_array_index(reason_times, struct reason_time, i);

        if (t->why == why) {
            t->cycles += cycles;
            return;
        }
    }
    const struct reason_time first = {why, cycles};

    g_array_append_val(reason_times, first);
}

/* Adds @cycles to the time for which the counters of ARM11 counted the events of PMNC. */
static void add_events(struct armpmu_vcpu *v, uint64_t cycles)
{
    const struct event_time now = {v->arm11.pmnc & (APMU_MASK(PMNC, EvtCount0) | APMU_MASK(PMNC, EvtCount1)), cycles};

    if (v->event_times == NULL) {
        v->event_times = g_array_new(false, false, sizeof(struct event_time));
    }
    for (unsigned i = 0; i < v->event_times->len; i++) {
        struct event_time *t = &g_array_index(v->event_times, struct event_time, i);

        if (t->pmnc == now.pmnc) {
            t->cycles += cycles;
            return;
        }
    }
    g_array_append_val(v->event_times, now);
}

/*
 * Returns PMNC with the events that the counters of ARM11 counted for the longest time, or PMNC as it is if they never
 * counted.  The write that ends a measurement may clear the events, too, and a driver that clears flags enables the
 * counters for a moment.
 */
static uint64_t counted_events(const struct armpmu_vcpu *v)
{
    struct event_time longest = {v->arm11.pmnc, 0};

    for (unsigned i = 0; v->event_times != NULL && i < v->event_times->len; i++) {
        const struct event_time *t = &g_array_index(v->event_times, struct event_time, i);

        longest = t->cycles > longest.cycles ? *t : longest;
    }
    return longest.pmnc;
}

void observe_cycles(struct armpmu_vcpu *v, uint64_t cycles)
{
    wave_begin();
    if (report == NULL) {
        return;
    }
    if (v->is_arm11 && (v->arm11.pmnc & APMU_MASK(PMNC, E)) != 0) {
        add_events(v, cycles);
    }
    for (unsigned n = 0; n < (v->is_arm11 ? APMU_ARM11_COUNTERS : APMU_COUNTERS); n++) {
        if (v->reason_times[n] == NULL) {
            v->reason_times[n] = g_array_new(false, false, sizeof(struct reason_time));
        }
        const uint64_t why = v->is_arm11 ? apmu_arm11_why(&v->arm11, &v->pe11, (enum apmu_arm11_counter)n)
                                         : apmu_why(&v->pmu, &v->pe, n);

        add_time(v->reason_times[n], why, cycles);
    }
}

void observe_point(struct armpmu_vcpu *v)
{
    wave_sample();
    if (v->flushed >= limit && !limit_reached) {
        limit_reached = true;
        exit(EXIT_SUCCESS); /* as semihosting ends the emulator */
    }
}

static int longest_first(gconstpointer a, gconstpointer b)
{
    const struct reason_time *x = a, *y = b;

    return x->cycles < y->cycles ? 1 : x->cycles > y->cycles ? -1 : 0;
}

static bool has_counter(const struct armpmu_vcpu *v, unsigned n)
{
    if (v->is_arm11) {
        return n < APMU_ARM11_COUNTERS;
    }
    return n == APMU_CYCLE || (n == APMU_INSTR ? (v->pmu.cfg.features & APMU_FEAT(PMUv3_ICNTR)) != 0
                                               : n < v->pmu.cfg.counters);
}

static uint16_t event_of(const struct armpmu_vcpu *v, unsigned n)
{
    if (v->is_arm11) {
        const uint64_t pmnc = counted_events(v);

        return (uint16_t)(n == APMU_ARM11_PMN0   ? APMU_GET(PMNC, EvtCount0, pmnc)
                          : n == APMU_ARM11_PMN1 ? APMU_GET(PMNC, EvtCount1, pmnc)
                                                 : APMU_ARM11_EV_CPU_CYCLES);
    }
    return n == APMU_CYCLE   ? APMU_EV_CPU_CYCLES
           : n == APMU_INSTR ? APMU_EV_INST_RETIRED
                             : (uint16_t)APMU_GET(PMEVTYPER_EL0, evtCount, v->pmu.typer[n]);
}

static void report_counter(FILE *file, struct armpmu_vcpu *v, unsigned n)
{
    const uint16_t event = event_of(v, n);
    const bool modelled = v->feed != NULL && batch_is_modelled(v, event);

    fprintf(file, "counter %u 0x%x %" PRIu64 "%s%s\n", n, event, v->is_arm11 ? v->arm11.count[n] : v->pmu.cntr[n],
            modelled ? " modelled:" : batch_counts_event(v, event) ? "" : " silent",
            modelled ? core_feed_row.name : "");
    g_array_sort(v->reason_times[n], longest_first);
    for (unsigned i = 0; i < v->reason_times[n]->len; i++) {
        const struct reason_time *t = &g_array_index(v->reason_times[n], struct reason_time, i);

        fprintf(file, "reason_time %" PRIu64 " 0x%" PRIx64 "\n", t->cycles, t->why);
    }
}

static void write_report(void)
{
    FILE *file = fopen(report, "w");

    if (file == NULL) {
        observe_fail(report, errno);
    }
    fprintf(file, "armpmu-report 1\n");
    if (limit_reached) {
        fprintf(file, "limit %" PRIu64 "\n", limit);
    }
    for (int i = 0; i < MAX_VCPUS; i++) {
        struct armpmu_vcpu *v = vcpu_at(i);

        if (v == NULL) {
            continue;
        }
        fprintf(file, "cpu %d %" PRIu64 " %s\n", i, v->flushed + v->unretired, v->is_arm11 ? "arm11" : "pmuv3");
        core_feed_report(v, file);
        for (unsigned c = 0; c < APMU_COUNTERS; c++) {
            if (v->reason_times[c] != NULL && has_counter(v, c)) {
                report_counter(file, v, c);
            }
        }
    }
    if (!observe_close(file)) {
        observe_fail(report, errno);
    }
}

static void finish(Notifier *n, void *data)
{
    for (int i = 0; i < MAX_VCPUS; i++) {
        struct armpmu_vcpu *v = vcpu_at(i);

        if (v != NULL) {
            vcpu_flush(v, vcpu_retired(v));
        }
    }
    if (report != NULL) {
        write_report();
    }
    trace_close();
    wave_close();
}

static void __attribute__((constructor)) start(void)
{
    static Notifier at_exit = {.notify = finish};
    const char *const trace = getenv("ARMPMU_TRACE"), *const wave = getenv("ARMPMU_WAVE");
    const char *const count = getenv("ARMPMU_LIMIT");

    report = getenv("ARMPMU_REPORT");
    if (count != NULL && (qemu_strtou64(count, NULL, 10, &limit) != 0 || limit == 0)) {
        error_report("armpmu: ARMPMU_LIMIT=%s is no number of instructions", count);
        exit(EXIT_FAILURE);
    }
    observe_active = report != NULL || trace != NULL || wave != NULL || count != NULL;
    if (observe_active) {
        qemu_add_exit_notifier(&at_exit);
    }
    if (trace != NULL) {
        trace_open(trace);
    }
    if (wave != NULL) {
        wave_open(wave);
    }
}
