/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints what `armpmu doctor` found, as text and as JSON. */
#define _GNU_SOURCE
#include <string.h>

#include "doctor.h"

/* ---------------------------------------------------------------------------------------------------------------
 * The exit status.
 */

static bool is_judged(const struct doctor_finding *f)
{
    return f->verdict != DOCTOR_REFUSED && f->verdict != DOCTOR_NO_LOOP && (f->verdict != DOCTOR_ABSENT || f->fault);
}

static unsigned count_faults(const struct doctor_report *report)
{
    unsigned n = 0;

    for (size_t i = 0; i < report->count; i++) {
        n += report->findings[i].fault;
    }
    return n;
}

static unsigned count_judged(const struct doctor_report *report)
{
    unsigned n = 0;

    for (size_t i = 0; i < report->count; i++) {
        n += is_judged(&report->findings[i]);
    }
    return n;
}

/* Returns whether more events at EL0 were refused than judged, so that the rest says little. */
static bool is_mostly_refused(const struct doctor_report *report)
{
    unsigned judged = 0, refused = 0;

    for (size_t i = 0; i < report->count; i++) {
        const struct doctor_finding *f = &report->findings[i];

        judged += f->event >= 0 && f->levels == DOCTOR_AT_USER && is_judged(f);
        refused += f->event >= 0 && f->levels == DOCTOR_AT_USER && f->verdict == DOCTOR_REFUSED;
    }
    return refused > judged;
}

/* Returns whether the report says whether something is wrong. */
static bool is_conclusive(const struct doctor_report *report)
{
    return count_judged(report) != 0 && !is_mostly_refused(report);
}

int doctor_status(const struct doctor_report *reports, size_t count)
{
    bool judged = count != 0;

    for (size_t i = 0; i < count; i++) {
        if (count_faults(&reports[i]) != 0) {
            return CLI_NO;
        }
        judged &= is_conclusive(&reports[i]);
    }
    return judged ? CLI_YES : CLI_CANNOT;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Text.
 */

/* Writes the verdict: "exact", "wrong by -50 %". */
static const char *verdict_text(const struct doctor_finding *f, char buf[32])
{
    if (f->verdict == DOCTOR_WRONG) {
        snprintf(buf, 32, "wrong by %d %%", f->percent);
    } else {
        snprintf(buf, 32, "%s", doctor_verdict_word(f->verdict));
    }
    return buf;
}

static void print_head(const struct doctor_report *report)
{
    const unsigned faults = count_faults(report);

    if (report->pmu.name[0] != '\0') {
        printf("%s on CPU %u (", report->pmu.name, report->cpu);
        if (report->core != NULL) {
            printf("%s): ", report->core->name);
        } else if (report->pmu.midr != 0) {
            printf("an unknown core, MIDR_EL1 0x%08x): ", report->pmu.midr);
        } else {
            printf("an unknown core): ");
        }
    } else {
        printf("this machine: ");
    }
    if (faults != 0) {
        printf("%u fault%s\n", faults, faults == 1 ? "" : "s");
    } else if (!is_conclusive(report)) {
        printf("too little could be judged\n");
    } else {
        printf("nothing is wrong\n");
    }
}

/* Returns whether two findings have the same verdict, the same causes and nothing else to say. */
static bool are_alike(const struct doctor_finding *a, const struct doctor_finding *b)
{
    return a->verdict == b->verdict && a->percent == b->percent && a->fault == b->fault && a->cure == b->cure &&
           memcmp(a->causes, b->causes, sizeof a->causes) == 0 && strcmp(a->text, b->text) == 0;
}

/* Returns whether a finding before @at is like it, so that it is said already. */
static bool is_repeated(const struct doctor_report *report, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (are_alike(&report->findings[i], &report->findings[at])) {
            return true;
        }
    }
    return false;
}

/* Prints the subjects of the findings that are like the one at @first. */
static void print_subjects(const struct doctor_report *report, size_t first)
{
    unsigned n = 0;

    for (size_t i = first; i < report->count; i++) {
        if (are_alike(&report->findings[i], &report->findings[first])) {
            n++;
            if (n <= 4) {
                printf("%s%s", n == 1 ? "" : ", ", report->findings[i].subject);
            }
        }
    }
    if (n > 4) {
        printf(" and %u more", n - 4);
    }
}

static void print_fault(const struct doctor_report *report, size_t at)
{
    const struct doctor_finding *f = &report->findings[at];
    char verdict[32];

    printf("  ");
    print_subjects(report, at);
    printf(": %s%s%s\n", verdict_text(f, verdict), f->text[0] == '\0' ? "" : ": ", f->text);
    if (f->causes[0] != NULL) {
        printf("      because, most likely: %s (cause %u)\n", f->causes[0]->text, f->causes[0]->number);
    }
    if (f->cure != NULL || (f->causes[0] != NULL && f->verdict != DOCTOR_REFUSED)) { /* a refusal says what to do */
        printf("      do: %s\n", f->cure != NULL ? f->cure : f->causes[0]->cure);
    }
    for (size_t c = 1; c < DOCTOR_CAUSES && f->causes[c] != NULL; c++) {
        printf("      or: %s (cause %u)\n", f->causes[c]->text, f->causes[c]->number);
    }
}

static void print_row(const struct doctor_finding *f)
{
    char verdict[32];

    if (f->verdict == DOCTOR_REFUSED) { /* print_fault() says why */
        printf("  %-28s refused\n", f->subject);
        return;
    }
    printf("  %-28s %-15s", f->subject, verdict_text(f, verdict));
    if (f->loop != NULL && f->verdict == DOCTOR_NO_LOOP) {
        printf(" %10lld in %s\n", (long long)f->counted, f->loop->name);
        return;
    }
    if (f->loop != NULL) {
        printf(" %10lld, and %s has %lld", (long long)f->counted, f->loop->name, (long long)f->expected);
    }
    if (f->text[0] != '\0') {
        printf("%s%s", f->loop != NULL ? "; " : " ", f->text);
    }
    putchar('\n');
}

void doctor_print(const struct doctor_report *reports, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        print_head(&reports[r]);
        for (size_t i = 0; i < reports[r].count; i++) {
            const struct doctor_finding *f = &reports[r].findings[i];

            if ((f->fault || f->verdict == DOCTOR_REFUSED) && !is_repeated(&reports[r], i)) {
                print_fault(&reports[r], i);
            }
        }
    }
    for (size_t r = 0; r < count && reports[r].pmu.name[0] != '\0'; r++) {
        printf("\n%s on CPU %u\n", reports[r].pmu.name, reports[r].cpu);
        for (size_t i = 0; i < reports[r].count; i++) {
            print_row(&reports[r].findings[i]);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * JSON.
 */

static void put(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, json_string(text));
}

static json_t *finding_json(const struct doctor_finding *f)
{
    static const char *const levels[] = {"user", "kernel", "both"};
    json_t *object = json_object(), *causes = json_array();

    put(object, "subject", f->subject);
    if (f->event >= 0) {
        const struct apmu_event_info *event = apmu_event_by_number((uint32_t)f->event);

        put(object, "event", event != NULL ? event->name : "");
        json_object_set_new(object, "number", json_integer(f->event));
        put(object, "levels", levels[f->levels]);
    }
    put(object, "verdict", doctor_verdict_word(f->verdict));
    json_object_set_new(object, "fault", json_boolean(f->fault));
    if (f->loop != NULL) {
        put(object, "loop", f->loop->name);
        json_object_set_new(object, "counted", json_integer(f->counted));
        json_object_set_new(object, "expected", json_integer(f->expected));
    }
    if (f->verdict == DOCTOR_WRONG) {
        json_object_set_new(object, "percent", json_integer(f->percent));
    }
    put(object, "text", f->text);
    for (size_t c = 0; c < DOCTOR_CAUSES && f->causes[c] != NULL; c++) {
        json_array_append_new(causes, why_json_cause(f->causes[c]));
    }
    json_object_set_new(object, "causes", causes);
    put(object, "cure", f->cure != NULL ? f->cure : f->causes[0] != NULL ? f->causes[0]->cure : "");
    return object;
}

/* Adds what is wrong with a PMU to @verdict: one object for findings that are alike, with the likeliest cause. */
static void add_verdict(json_t *verdict, const struct doctor_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct doctor_finding *f = &report->findings[i];
        char slug[48] = "unknown", word[32], because[512];
        json_t *object;

        if (!f->fault || is_repeated(report, i)) {
            continue;
        }
        if (f->causes[0] != NULL) {
            why_slug(f->causes[0], slug);
        }
        snprintf(because, sizeof because, "%s%s%s: %s%s%s", report->pmu.name, report->pmu.name[0] == '\0' ? "" : ", ",
                 f->subject, verdict_text(f, word), f->text[0] == '\0' ? "" : ": ", f->text);
        object = json_object();
        put(object, "cause", slug);
        put(object, "confidence", f->causes[0] != NULL && f->causes[1] == NULL ? "certain" : "likely");
        put(object, "because", because);
        put(object, "cure", f->cure != NULL ? f->cure : f->causes[0] != NULL ? f->causes[0]->cure : "");
        json_array_append_new(verdict, object);
    }
}

static json_t *report_json(const struct doctor_report *report)
{
    json_t *object = json_object(), *findings = json_array();

    put(object, "pmu", report->pmu.name);
    json_object_set_new(object, "cpu", json_integer(report->cpu));
    put(object, "core", report->core != NULL ? report->core->name : "");
    json_object_set_new(object, "counters", json_integer(report->counters));
    json_object_set_new(object, "faults", json_integer(count_faults(report)));
    for (size_t i = 0; i < report->count; i++) {
        json_array_append_new(findings, finding_json(&report->findings[i]));
    }
    json_object_set_new(object, "findings", findings);
    return object;
}

json_t *doctor_json(const struct doctor_report *reports, size_t count)
{
    json_t *object = json_object(), *verdict = json_array(), *pmus = json_array();

    for (size_t r = 0; r < count; r++) {
        add_verdict(verdict, &reports[r]);
        json_array_append_new(pmus, report_json(&reports[r]));
    }
    if (doctor_status(reports, count) == CLI_CANNOT) {
        json_t *unknown = json_object();

        put(unknown, "cause", "unknown");
        put(unknown, "ask", "why the kernel refuses: the findings below that are \"refused\"");
        json_array_append_new(verdict, unknown);
    }
    json_object_set_new(object, "verdict", verdict);
    json_object_set_new(object, "pmus", pmus);
    return object;
}
