/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks what is not about one event: the number of counters, each of them, direct reads, the overflow interrupt. */
#include <string.h>

#include "doctor.h"

enum { SAMPLES = 16 }; /* that a run with the overflow interrupt takes */

/* Writes the text of @f, and its verdict. */
static void conclude(struct doctor_finding *f, enum doctor_verdict verdict, const char *text)
{
    f->verdict = verdict;
    f->fault = verdict == DOCTOR_WRONG || verdict == DOCTOR_STILL;
    snprintf(f->text, sizeof f->text, "%s", text);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The number of counters.  The kernel takes a group only if all of its events can have a counter at once.
 */

/* Returns how many events the kernel takes in one group, besides those that have a counter of their own. */
static unsigned largest_group(const struct doctor_bench *bench, uint16_t event)
{
    struct apmu_wish wishes[APMU_EVENT_COUNTERS + 1];
    char why[256];
    unsigned n = 0;

    for (unsigned i = 0; i <= APMU_EVENT_COUNTERS; i++) {
        wishes[i] = doctor_wish(event, DOCTOR_AT_USER);
    }
    while (n <= APMU_EVENT_COUNTERS && bench->open(bench->ctx, wishes, n + 1, 0, why, sizeof why) == APMU_OK) {
        bench->close(bench->ctx);
        n++;
    }
    return n;
}

static void check_number(const struct doctor_bench *bench, struct doctor_report *report)
{
    const struct apmu_core_info *core = report->core;
    const unsigned has = core == NULL ? APMU_CORE_COUNTERS_UNKNOWN : core->counters;
    const unsigned n = largest_group(bench, APMU_EV_SW_INCR);
    struct doctor_finding *f;
    char text[160];

    report->counters = n;
    if (n == 0 || (f = doctor_add(report, "event counters")) == NULL) {
        return; /* nothing can be counted, which the events say */
    }
    f->counted = n;
    if (has == APMU_CORE_COUNTERS_UNKNOWN) {
        snprintf(text, sizeof text, "%u can count at once", n);
        conclude(f, DOCTOR_PLAUSIBLE, text);
        return;
    }
    f->expected = has;
    snprintf(text, sizeof text, "%u of the %u of a %s can count at once", n, has, core->name);
    conclude(f, n < has ? DOCTOR_WRONG : n == has ? DOCTOR_EXACT : DOCTOR_PLAUSIBLE, text);
    if (n < has) {
        f->percent = (int)(100 * n / has) - 100;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Each counter.
 */

/* Returns a finding about an event at EL0 with an exact count in ADD, the more common the event the better, or NULL. */
static const struct doctor_finding *exact_event(const struct doctor_report *report)
{
    static const uint16_t events[] = {APMU_EV_INST_RETIRED, APMU_EV_BR_RETIRED, APMU_EV_BR_IMMED_RETIRED,
                                      APMU_EV_PC_WRITE_RETIRED, APMU_EV_INST_SPEC};

    for (size_t e = 0; e < sizeof events / sizeof events[0]; e++) {
        for (size_t i = 0; i < report->count; i++) {
            const struct doctor_finding *f = &report->findings[i];

            if (f->event == events[e] && f->levels == DOCTOR_AT_USER && f->verdict <= DOCTOR_PLAUSIBLE) {
                return f;
            }
        }
    }
    return NULL;
}

/* Returns how many of the @n counts are 0, and stores in *@odd how many others differ much from the highest. */
static unsigned still_counts(const struct doctor_run *run, unsigned n, unsigned *odd)
{
    uint64_t highest = 0;
    unsigned still = 0;

    *odd = 0;
    for (unsigned i = 0; i < n; i++) {
        highest = run->counts[i] > highest ? run->counts[i] : highest;
    }
    for (unsigned i = 0; i < n; i++) {
        still += run->counts[i] == 0;
        *odd += run->counts[i] != 0 && highest - run->counts[i] > DOCTOR_NOISE + highest / 100;
    }
    return still;
}

/* Judges one run of the same event on each of @n counters. */
static void judge_each(struct doctor_finding *f, const struct doctor_run *run, unsigned n)
{
    unsigned odd;
    const unsigned still = still_counts(run, n, &odd);
    char text[160];

    if (run->shared) {
        conclude(f, DOCTOR_REFUSED, "somebody else had a counter for some of the time");
    } else if (still == n) {
        conclude(f, DOCTOR_STILL, "all stand still when they count at once");
    } else if (still != 0) {
        snprintf(text, sizeof text, "%u of %u stand still when all count the same event", still, n);
        conclude(f, DOCTOR_STILL, text);
    } else if (odd != 0) {
        snprintf(text, sizeof text, "%u of %u count less than the others when all count the same event", odd, n);
        conclude(f, DOCTOR_WRONG, text);
        f->percent = -100 * (int)odd / (int)n;
    } else {
        snprintf(text, sizeof text, "all %u count the same", n);
        conclude(f, DOCTOR_EXACT, text);
    }
}

static void check_each(const struct doctor_bench *bench, struct doctor_report *report)
{
    const struct doctor_finding *event = exact_event(report);
    const unsigned n = report->counters < APMU_EVENT_COUNTERS ? report->counters : APMU_EVENT_COUNTERS;
    struct apmu_wish wishes[APMU_EVENT_COUNTERS];
    struct doctor_run run = {.ns = 0};
    struct doctor_finding *f;
    enum apmu_error error;
    char why[256] = "";

    if (event == NULL || n == 0 || (f = doctor_add(report, "each counter")) == NULL) {
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        wishes[i] = doctor_wish((uint16_t)event->event, DOCTOR_AT_USER);
    }
    error = bench->open(bench->ctx, wishes, n, 0, why, sizeof why);
    if (error == APMU_OK) {
        error = bench->run(bench->ctx, DOCTOR_RUN_ADD, doctor_loops[DOCTOR_RUN_ADD].iterations, &run);
        bench->close(bench->ctx);
        snprintf(why, sizeof why, "%s; %s", apmu_error_text(error), apmu_error_cure(error));
    }
    f->error = error;
    if (error == APMU_E_PERF_LOST) {
        conclude(f, DOCTOR_REFUSED, "they cannot all be had at once: somebody else counts, or the kernel's watchdog; "
                 "stop it: sysctl kernel.nmi_watchdog=0");
    } else if (error != APMU_OK) {
        conclude(f, DOCTOR_REFUSED, why);
    } else {
        judge_each(f, &run, n);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Direct reads.
 */

/* Writes the verdict on a read at EL0 that ended in SIGILL although the kernel says that EL0 may read. */
static void conclude_trapped(struct doctor_finding *f, const struct doctor_counts *counts)
{
    char text[160];

    snprintf(text, sizeof text, "the kernel says that EL0 may read the counters, and a read at EL0 ends in SIGILL");
    if (counts->userenr_known) {
        const size_t used = strlen(text);

        snprintf(text + used, sizeof text - used, "; PMUSERENR_EL0 is 0x%llx then",
                 (unsigned long long)counts->userenr);
    }
    conclude(f, DOCTOR_STILL, text);
    f->allowed = counts->userenr_known && (counts->userenr & (APMU_MASK(PMUSERENR_EL0, EN) |
                                                              APMU_MASK(PMUSERENR_EL0, ER))) != 0;
}

static void check_direct(const struct doctor_bench *bench, struct doctor_report *report)
{
    const struct doctor_finding *event = exact_event(report);
    struct doctor_finding *f = event == NULL ? NULL : doctor_add(report, "direct reads");
    struct doctor_row row = {.loop = DOCTOR_RUN_ADD, .relation = DOCTOR_WITHIN,
                             .content = DOCTOR_HAS_INSTRUCTIONS, .high = 100};
    struct doctor_counts counts;

    if (f == NULL) {
        return;
    }
    const struct apmu_wish wish = doctor_wish((uint16_t)event->event, DOCTOR_AT_USER);

    doctor_count(bench, &wish, row.loop, DOCTOR_DIRECT, &counts);
    if (counts.error == APMU_E_LEVEL) { /* AArch32: no kernel lets it, and nobody expects it */
        report->count--;
        return;
    }
    if (counts.error == APMU_E_ACCESS) {
        conclude_trapped(f, &counts);
        return;
    }
    doctor_judge(&row, &counts, &report->costs, f);
    if (f->verdict == DOCTOR_PLAUSIBLE && f->counted <= 0) {
        conclude(f, DOCTOR_STILL, "a read at EL0 gives the same value before and after a loop");
    } else if (f->verdict == DOCTOR_PLAUSIBLE) {
        conclude(f, DOCTOR_PLAUSIBLE, "EL0 reads the counters");
    }
    f->loop = NULL;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The overflow interrupt.
 */

static void check_interrupt(const struct doctor_bench *bench, struct doctor_report *report)
{
    const struct doctor_finding *event = exact_event(report);
    struct doctor_finding *f = event == NULL ? NULL : doctor_add(report, "overflow interrupt");
    const struct doctor_loop_info *loop = &doctor_loops[DOCTOR_RUN_ADD];
    const bool branches = event != NULL && event->event != APMU_EV_INST_RETIRED && event->event != APMU_EV_INST_SPEC;
    const uint64_t each = loop->contents[branches ? DOCTOR_HAS_BRANCHES : DOCTOR_HAS_INSTRUCTIONS];
    const uint64_t period = each * loop->iterations * 2 / SAMPLES;
    struct doctor_samples samples = {.count = 0};
    enum apmu_error error;
    char why[256] = "", text[160];

    if (f == NULL) {
        return;
    }
    const struct apmu_wish wish = doctor_wish((uint16_t)event->event, DOCTOR_AT_USER);

    error = bench->sample(bench->ctx, &wish, period, DOCTOR_RUN_ADD, 2ul * loop->iterations, &samples, why, sizeof why);
    f->error = error;
    snprintf(text, sizeof text, "%llu samples of %u", (unsigned long long)samples.count, SAMPLES);
    if (error == APMU_E_PERF_SAMPLING) {
        conclude(f, DOCTOR_ABSENT, "the kernel counts and cannot sample: it has no interrupt for this PMU");
        f->fault = true;
        f->cure = "give the pmu node, or the firmware's table, the interrupt of each CPU: dmesg | grep -i pmu";
    } else if (error != APMU_OK) {
        conclude(f, DOCTOR_REFUSED, why);
    } else if (samples.count == 0) {
        conclude(f, DOCTOR_STILL, text);
    } else if (samples.count >= SAMPLES - 1 && samples.count <= SAMPLES + 1) {
        conclude(f, DOCTOR_EXACT, text);
    } else if (samples.count < SAMPLES / 4 && !samples.throttled) {
        conclude(f, DOCTOR_WRONG, text);
        f->percent = 100 * (int)samples.count / SAMPLES - 100;
    } else {
        conclude(f, DOCTOR_PLAUSIBLE, text); /* the kernel limits how often it samples */
    }
}

void doctor_check_counters(const struct doctor_bench *bench, struct doctor_report *report)
{
    if (!bench->has_loop(bench->ctx, DOCTOR_RUN_ADD)) {
        return;
    }
    check_number(bench, report);
    check_each(bench, report);
    check_direct(bench, report);
    check_interrupt(bench, report);
}
