/* SPDX-License-Identifier: BSD-2-Clause */
/* Examines the events of one PMU over a bench. */
#include <stdlib.h>
#include <string.h>

#include <armpmu/model.h>

#include "doctor.h"

enum { FEW_EVENTS = 6 }; /* that an emulator announces which does not count most of them */

struct doctor_finding *doctor_add(struct doctor_report *report, const char *subject)
{
    struct doctor_finding *f;

    if (report->count == DOCTOR_FINDINGS) {
        return NULL;
    }
    f = &report->findings[report->count++];
    *f = (struct doctor_finding){.event = -1};
    snprintf(f->subject, sizeof f->subject, "%s", subject);
    return f;
}

struct apmu_wish doctor_wish(uint16_t event, enum doctor_levels levels)
{
    static const uint64_t filters[] = {
        [DOCTOR_AT_USER] = APMU_FILTER(P),
        [DOCTOR_AT_KERNEL] = APMU_FILTER(U) | APMU_FILTER(NSH), /* a kernel with VHE runs at EL2 */
        [DOCTOR_AT_BOTH] = APMU_FILTER(NSH),
    };

    return (struct apmu_wish){.event = event, .counter = APMU_COUNTER_ANY, .filter = filters[levels], .unlisted = true};
}

/* ---------------------------------------------------------------------------------------------------------------
 * Counting.
 */

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Runs @n iterations of @loop once.  Returns false, with the cause in @counts, if that fails. */
static bool run_once(const struct doctor_bench *bench, enum doctor_loop loop, unsigned long n, struct doctor_run *run,
                     struct doctor_counts *counts)
{
    counts->error = bench->run(bench->ctx, loop, n, run);
    if (counts->error != APMU_OK) {
        snprintf(counts->why, sizeof counts->why, "%s; %s", apmu_error_text(counts->error),
                 apmu_error_cure(counts->error));
        counts->tries = 0;
        counts->userenr_known = run->userenr_known;
        counts->userenr = run->userenr;
        return false;
    }
    counts->shared |= run->shared;
    counts->highest = run->counts[0] > counts->highest ? run->counts[0] : counts->highest;
    return true;
}

void doctor_count_open(const struct doctor_bench *bench, enum doctor_loop loop, struct doctor_counts *counts)
{
    const unsigned long n = doctor_loops[loop].iterations;
    int64_t times[DOCTOR_TRIES];
    struct doctor_run one, two;

    counts->highest = 0;
    counts->shared = false;
    if (!run_once(bench, loop, n, &one, counts)) { /* brings the loop and its memory into the caches */
        return;
    }
    counts->first = one.counts[0];
    for (counts->tries = 0; counts->tries < DOCTOR_TRIES; counts->tries++) {
        if (!run_once(bench, loop, n, &one, counts) || !run_once(bench, loop, 2 * n, &two, counts)) {
            return;
        }
        counts->differences[counts->tries] = (int64_t)(two.counts[0] - one.counts[0]);
        times[counts->tries] = (int64_t)(two.ns - one.ns);
    }
    qsort(counts->differences, DOCTOR_TRIES, sizeof counts->differences[0], by_value);
    qsort(times, DOCTOR_TRIES, sizeof times[0], by_value);
    counts->ns = times[DOCTOR_TRIES / 2];
}

/*
 * Opens @wish.  A PMUv1 cannot leave out the kernel: then Linux refuses the filter, and @wish is opened without it.
 */
static void open_wish(const struct doctor_bench *bench, const struct apmu_wish *wish, unsigned flags,
                      struct doctor_counts *counts)
{
    struct apmu_wish all = *wish;

    *counts = (struct doctor_counts){.tries = 0};
    counts->error = bench->open(bench->ctx, wish, 1, flags, counts->why, sizeof counts->why);
    if (counts->error == APMU_E_PERF_EVENT && (wish->filter & APMU_FILTER(P)) != 0 && flags == 0) {
        all.filter = 0;
        counts->unfiltered = true;
        counts->error = bench->open(bench->ctx, &all, 1, flags, counts->why, sizeof counts->why);
    }
}

void doctor_count(const struct doctor_bench *bench, const struct apmu_wish *wish, enum doctor_loop loop,
                  unsigned flags, struct doctor_counts *counts)
{
    open_wish(bench, wish, flags, counts);
    if (counts->error == APMU_OK) {
        doctor_count_open(bench, loop, counts);
        bench->close(bench->ctx);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * What cycles show.
 */

/* Returns whether two numbers differ by at most 2 %. */
static bool are_near(int64_t a, int64_t b)
{
    return a > 0 && b > 0 && 50 * (a > b ? a - b : b - a) <= b;
}

/* Returns the number of instructions of a run of @loop. */
static int64_t instructions_of(enum doctor_loop loop)
{
    return (int64_t)doctor_loops[loop].contents[DOCTOR_HAS_INSTRUCTIONS] * doctor_loops[loop].iterations;
}

/* Returns how many dependent additions a run of @loop makes, each of which takes a core a cycle. */
static int64_t additions_of(enum doctor_loop loop)
{
    return (int64_t)doctor_loops[loop].contents[DOCTOR_HAS_CHAIN] * doctor_loops[loop].iterations;
}

/* Returns how many events the PMU announces. */
static unsigned announced_events(const struct apmu_perf_pmu *pmu)
{
    unsigned n = 0;

    for (unsigned bit = 0; bit < 128; bit++) {
        n += (unsigned)(pmu->pmceid[bit / 64] >> (bit % 64) & 1);
    }
    return n;
}

static void measure_costs(const struct doctor_bench *bench, const struct apmu_perf_pmu *pmu,
                          struct doctor_costs *costs)
{
    static const enum doctor_loop loops[] = {DOCTOR_RUN_ADD, DOCTOR_RUN_NEAR, DOCTOR_RUN_FAR, DOCTOR_RUN_KNOWN,
                                             DOCTOR_RUN_RANDOM};
    const struct apmu_wish cycles = doctor_wish(APMU_EV_CPU_CYCLES, DOCTOR_AT_USER);
    int64_t *const of = costs->cycles;

    *costs = (struct doctor_costs){.one_each = true, .nanoseconds = true};
    for (size_t i = 0; i < sizeof loops / sizeof loops[0] && bench->has_loop(bench->ctx, loops[i]); i++) {
        struct doctor_counts counts;

        doctor_count(bench, &cycles, loops[i], 0, &counts);
        of[loops[i]] = doctor_median(&counts);
        costs->one_each &= are_near(of[loops[i]] * instructions_of(DOCTOR_RUN_ADD),
                                    of[DOCTOR_RUN_ADD] * instructions_of(loops[i]));
        costs->nanoseconds &= are_near(of[loops[i]], counts.ns);
    }
    costs->known = of[DOCTOR_RUN_ADD] > 0;
    costs->one_each &= costs->known;
    costs->nanoseconds &= costs->known;
    costs->few_events = pmu->listed && announced_events(pmu) <= FEW_EVENTS;
    costs->emulated = costs->one_each || costs->few_events ||
                      (costs->nanoseconds && of[DOCTOR_RUN_ADD] < additions_of(DOCTOR_RUN_ADD));
    costs->misses_cost = costs->known && of[DOCTOR_RUN_FAR] >= 4 * of[DOCTOR_RUN_NEAR];
    costs->guesses_cost = costs->known && 2 * of[DOCTOR_RUN_RANDOM] >= 3 * of[DOCTOR_RUN_KNOWN];
}

/* ---------------------------------------------------------------------------------------------------------------
 * Which events the PMU has.
 */

enum presence {
    ANNOUNCED,   /* the PMU announces it, or its manual lists it */
    UNKNOWN,     /* PMCEID has no bit for it, and no manual is known that lists it */
    MISSING,     /* the PMU does not announce it */
    UNLISTED,    /* nor does it, but the manual of the core lists it */
    WITHHELD,    /* nor does it, but every PMU of its version has it */
};

/* Returns whether the PMU is one of PMUv3. */
static bool is_v3(const struct doctor_report *report)
{
    return report->core != NULL ? report->core->pmu == APMU_CORE_PMU_V3 : strncmp(report->pmu.name, "armv8", 5) == 0;
}

/*
 * Returns whether a PMU without the event hides it: every PMUv3 has it (tables/required.def), or it is INST_RETIRED and
 * the manual of the core lists it.
 */
static bool is_required(const struct doctor_report *report, uint16_t event)
{
    uint64_t pmceid[2] = {report->pmu.pmceid[0] | 1, report->pmu.pmceid[1]}; /* the kernel never lists SW_INCR */

    if (!is_v3(report) || apmu_event_announced(pmceid, event)) {
        return false;
    }
    if (event == APMU_EV_INST_RETIRED && report->core != NULL && apmu_core_lists_event(report->core, event)) {
        return true;
    }
    apmu_events_closure(APMU_FEAT(PMUv3), pmceid);
    return apmu_event_announced(pmceid, event);
}

/*
 * Returns whether the kernel's list of events says nothing about @event: the driver of ARMv7 lists the same events for
 * every core, also those that the core's manual lacks.  An emulator of such a core lacks those that need caches or
 * prediction.
 */
static bool is_listed_blindly(const struct doctor_report *report, uint16_t event)
{
    const struct apmu_event_info *info = apmu_event_by_number(event);

    if (is_v3(report) || event == APMU_EV_CPU_CYCLES) {
        return false;
    }
    if (report->costs.emulated) {
        return info == NULL || info->kind != APMU_EVENT_KIND_ARCHITECTURAL;
    }
    return report->core != NULL && !apmu_core_lists_event(report->core, event);
}

static enum presence presence_of(const struct doctor_report *report, uint16_t event)
{
    const bool own = report->core != NULL && apmu_core_lists_event(report->core, event);

    if (is_listed_blindly(report, event)) {
        return UNKNOWN;
    }
    if (apmu_event_pmceid(event) < 0) { /* an emulator has the MIDR of a core and not all of its events */
        return own && !report->costs.emulated ? ANNOUNCED : UNKNOWN;
    }
    if (event == APMU_EV_SW_INCR || !report->pmu.listed || apmu_event_announced(report->pmu.pmceid, event)) {
        return ANNOUNCED;
    }
    return is_required(report, event) ? WITHHELD : own && !report->costs.emulated ? UNLISTED : MISSING;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Events.
 */

static void name_subject(char *subject, size_t size, const struct doctor_report *report, uint16_t event,
                         enum doctor_levels levels)
{
    static const char *const suffixes[] = {[DOCTOR_AT_USER] = ":u", [DOCTOR_AT_KERNEL] = ":k", [DOCTOR_AT_BOTH] = ""};
    const char *name = apmu_core_event_name(report->core, event);
    const struct apmu_event_info *common = apmu_event_by_number(event);

    name = common != NULL ? common->name : name;
    if (name != NULL) {
        snprintf(subject, size, "%.40s%s", name, suffixes[levels]);
    } else {
        snprintf(subject, size, "0x%04X%s", event, suffixes[levels]);
    }
}

/* Adds the finding of an event that the PMU does not announce. */
static void add_absent(struct doctor_report *report, const struct doctor_row *row, enum presence presence)
{
    const char *because = presence == WITHHELD   ? ", and every PMU of this kind has it"
                          : presence == UNLISTED ? ", and the core's manual lists it"
                                                 : "";
    char subject[48];
    struct doctor_finding *f;

    name_subject(subject, sizeof subject, report, row->event, row->levels);
    f = doctor_add(report, subject);
    if (f != NULL) {
        f->event = row->event;
        f->levels = row->levels;
        f->verdict = DOCTOR_ABSENT;
        f->fault = presence == WITHHELD;
        snprintf(f->text, sizeof f->text, "the PMU does not announce it%s", because);
    }
}

/*
 * Returns whether a finding about an event that nothing announces is worth a line: it counts as its definition says.
 * Otherwise the core may use the number for something else, or for nothing.
 */
static bool is_worth(const struct doctor_finding *f, enum presence presence)
{
    return presence == ANNOUNCED || f->verdict <= DOCTOR_PLAUSIBLE;
}

/* Counts the @n rows from @row on, which are of one event and one place, and adds a finding: the heaviest verdict. */
static void examine_rows(const struct doctor_bench *bench, struct doctor_report *report, const struct doctor_row *row,
                         size_t n, enum presence presence)
{
    const struct apmu_wish wish = doctor_wish(row->event, row->levels);
    struct doctor_finding worst = {.verdict = DOCTOR_EXACT}, *f;
    struct doctor_counts counts;
    uint64_t highest = 0;
    bool any = false;

    open_wish(bench, &wish, 0, &counts);
    const bool open = counts.error == APMU_OK;

    for (size_t i = 0; i < n; i++) {
        struct doctor_finding next = {.event = row->event, .levels = row->levels};

        if (!bench->has_loop(bench->ctx, row[i].loop)) {
            continue;
        }
        if (open) {
            doctor_count_open(bench, row[i].loop, &counts);
        }
        highest = counts.highest > highest ? counts.highest : highest;
        doctor_judge(&row[i], &counts, &report->costs, &next);
        if (!any || next.verdict > worst.verdict) {
            worst = next;
        }
        any = true;
    }
    if (open) {
        bench->close(bench->ctx);
    }
    if (!any || !is_worth(&worst, presence) || (presence == UNKNOWN && highest == 0)) {
        return;
    }
    name_subject(worst.subject, sizeof worst.subject, report, row->event, row->levels);
    f = doctor_add(report, worst.subject);
    if (f != NULL) {
        *f = worst;
    }
}

static bool is_among(uint16_t event, const uint16_t *only, size_t count)
{
    bool found = count == 0;

    for (size_t i = 0; i < count; i++) {
        found |= only[i] == event;
    }
    return found;
}

/* Returns the number of rows from @first on that are of one event and one place. */
static size_t rows_of_event(size_t first)
{
    size_t n = 1;

    while (first + n < doctor_row_count && doctor_rows[first + n].event == doctor_rows[first].event &&
           doctor_rows[first + n].levels == doctor_rows[first].levels) {
        n++;
    }
    return n;
}

static bool has_row(uint32_t event)
{
    for (size_t i = 0; i < doctor_row_count; i++) {
        if (doctor_rows[i].event == event) {
            return true;
        }
    }
    return false;
}

/* Examines the announced events that have no row, and those of @only. */
static void examine_others(const struct doctor_bench *bench, const uint16_t *only, size_t only_count,
                           struct doctor_report *report)
{
    for (uint32_t event = 0; event <= 0xFFFF; event++) {
        const struct doctor_row row = {.event = (uint16_t)event, .loop = DOCTOR_RUN_FAR, .relation = DOCTOR_ANY,
                                       .content = DOCTOR_HAS_NOTHING};
        const bool wanted = only_count != 0 ? is_among(row.event, only, only_count)
                                            : report->pmu.listed && apmu_event_pmceid(event) >= 0 &&
                                                  apmu_event_announced(report->pmu.pmceid, event);

        if (wanted && !has_row(event) && event != APMU_EV_CHAIN) {
            if (presence_of(report, row.event) >= MISSING) {
                add_absent(report, &row, presence_of(report, row.event));
            } else {
                examine_rows(bench, report, &row, 1, ANNOUNCED);
            }
        }
    }
}

/* Adds a finding for each event of @only about which there is none: nothing says that the PMU has it. */
static void add_silent(struct doctor_report *report, const uint16_t *only, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct doctor_finding *f;
        char subject[48];
        bool found = false;

        for (size_t k = 0; k < report->count; k++) {
            found |= report->findings[k].event == only[i];
        }
        if (found) {
            continue;
        }
        name_subject(subject, sizeof subject, report, only[i], DOCTOR_AT_USER);
        f = doctor_add(report, subject);
        if (f != NULL) {
            f->event = only[i];
            f->verdict = DOCTOR_ABSENT;
            snprintf(f->text, sizeof f->text,
                     "it does not count what it should, and nothing says that this PMU has it");
        }
    }
}

/* Adds the finding that a PMU is none of Arm's. */
static void add_foreign(struct doctor_report *report)
{
    struct doctor_finding *f = doctor_add(report, "PMU");

    if (f != NULL) {
        f->verdict = DOCTOR_NO_LOOP;
        snprintf(f->text, sizeof f->text, "%s is not one of Arm's PMUs: its event numbers are the vendor's own, and no "
                 "event here is known to be what it counts", report->pmu.name);
        f->cure = "count by the names that the kernel lists: cycles, instructions";
    }
}

void doctor_examine(const struct doctor_bench *bench, const uint16_t *only, size_t only_count,
                    struct doctor_report *report)
{
    report->count = 0;
    if (strncmp(report->pmu.name, "apple_", 6) == 0) {
        add_foreign(report);
        doctor_find_causes(report);
        return;
    }
    measure_costs(bench, &report->pmu, &report->costs);
    for (size_t i = 0; i < doctor_row_count; i += rows_of_event(i)) {
        const enum presence presence = presence_of(report, doctor_rows[i].event);

        if (!is_among(doctor_rows[i].event, only, only_count)) {
            continue;
        }
        if (presence >= UNLISTED || (presence == MISSING && only_count != 0)) {
            add_absent(report, &doctor_rows[i], presence);
        } else if (presence != MISSING) {
            examine_rows(bench, report, &doctor_rows[i], rows_of_event(i), presence);
        }
    }
    examine_others(bench, only, only_count, report);
    add_silent(report, only, only_count);
    if (only_count == 0) {
        doctor_check_counters(bench, report);
    }
    doctor_find_causes(report);
}
