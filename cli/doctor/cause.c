/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the causes of what the examination found, among the rows of cli/why/causes.def.  What the kernel hides, the
 * registers, is inferred from the pattern: which events count, where, and on how many counters.
 */
#include <string.h>

#include "doctor.h"

/* What the findings have in common. */
struct pattern {
    unsigned user_fine, user_still, user_wrong; /* events other than cycles, at EL0 */
    unsigned kernel_fine, kernel_still;         /* the same in the kernel */
    bool cycles_fine, cycles_still;             /* processor cycles at EL0 */
    bool cycles_divided;                        /* they are counted now and then */
    bool kernel_cycles_fine;                    /* and in the kernel */
    bool few_events;                            /* the PMU announces hardly any event */
};

static bool is_fine(const struct doctor_finding *f)
{
    return f->verdict == DOCTOR_EXACT || f->verdict == DOCTOR_PLAUSIBLE;
}

/* Adds a finding about an event to the pattern.  Events of which nothing is expected do not show that they count. */
static void add_to_pattern(struct pattern *p, const struct doctor_finding *f)
{
    const bool fine = is_fine(f) && f->counted > 0, still = f->verdict == DOCTOR_STILL;

    if (f->event == APMU_EV_CPU_CYCLES) {
        p->cycles_fine |= fine && f->levels == DOCTOR_AT_USER;
        p->cycles_still |= still && f->levels == DOCTOR_AT_USER;
        p->cycles_divided |= f->levels == DOCTOR_AT_USER && f->verdict == DOCTOR_WRONG && f->counted < f->expected / 16;
        p->kernel_cycles_fine |= fine && f->levels == DOCTOR_AT_KERNEL;
    } else if (f->levels == DOCTOR_AT_USER) {
        p->user_fine += fine;
        p->user_still += still;
        p->user_wrong += f->verdict == DOCTOR_WRONG;
    } else if (f->levels == DOCTOR_AT_KERNEL) {
        p->kernel_fine += fine;
        p->kernel_still += still;
    }
}

static struct pattern pattern_of(const struct doctor_report *report)
{
    struct pattern p = {.few_events = report->costs.few_events};

    for (size_t i = 0; i < report->count; i++) {
        if (report->findings[i].event >= 0) {
            add_to_pattern(&p, &report->findings[i]);
        }
    }
    return p;
}

/* The rows of causes.def, by what is found.  WHY_CAUSE_COUNT stands for none. */
struct candidates {
    enum why_cause_row rows[DOCTOR_CAUSES];
};

#define NONE WHY_CAUSE_COUNT
#define CAUSES(a, b, c) ((struct candidates){{a, b, c}})

/* Returns the causes for which event counters stand still at EL0 and in the kernel. */
static struct candidates causes_everywhere(const struct pattern *p)
{
    return p->cycles_fine ? CAUSES(WHY_CAUSE_23, WHY_CAUSE_43, WHY_CAUSE_29)
                          : CAUSES(WHY_CAUSE_22, WHY_CAUSE_43, WHY_CAUSE_23);
}

static struct candidates causes_in_kernel(const struct pattern *p)
{
    if (p->user_fine == 0 && !(p->cycles_fine && p->user_still == 0)) {
        return causes_everywhere(p);
    }
    /* The cycle counter counts where event counters are prohibited; a filter stops it like the others. */
    return p->kernel_cycles_fine ? CAUSES(WHY_CAUSE_28, WHY_CAUSE_27, WHY_CAUSE_29)
                                 : CAUSES(WHY_CAUSE_27, WHY_CAUSE_29, WHY_CAUSE_28);
}

static struct candidates causes_of_stillness(const struct pattern *p, const struct doctor_finding *f)
{
    const bool kernel_alone = p->kernel_still != 0 && p->user_still == 0;

    if (p->few_events && f->event != APMU_EV_CPU_CYCLES) {
        return CAUSES(WHY_CAUSE_39, NONE, NONE);
    }
    if (f->levels == DOCTOR_AT_KERNEL || (f->levels == DOCTOR_AT_BOTH && kernel_alone)) {
        return causes_in_kernel(p);
    }
    if (p->user_fine != 0) {
        return CAUSES(WHY_CAUSE_35, WHY_CAUSE_36, NONE);
    }
    if (p->kernel_fine != 0 || (p->kernel_cycles_fine && p->cycles_still)) {
        return CAUSES(WHY_CAUSE_29, WHY_CAUSE_30, NONE);
    }
    return causes_everywhere(p);
}

static struct candidates causes_of_error(const struct doctor_report *report, const struct pattern *p,
                                         const struct doctor_finding *f)
{
    if (f->event == APMU_EV_CPU_CYCLES) {
        if (p->cycles_divided) {
            return CAUSES(WHY_CAUSE_50, NONE, NONE);
        }
        if (report->costs.nanoseconds || p->few_events) {
            return CAUSES(WHY_CAUSE_39, NONE, NONE);
        }
    }
    return p->user_wrong > 1 ? CAUSES(WHY_CAUSE_46, WHY_CAUSE_21, WHY_CAUSE_37)
                             : CAUSES(WHY_CAUSE_37, WHY_CAUSE_58, NONE);
}

static struct candidates causes_of_event(const struct doctor_report *report, const struct pattern *p,
                                         const struct doctor_finding *f)
{
    switch (f->verdict) {
    case DOCTOR_STILL: return causes_of_stillness(p, f);
    case DOCTOR_WRONG: return causes_of_error(report, p, f);
    case DOCTOR_ABSENT: return p->few_events ? CAUSES(WHY_CAUSE_39, WHY_CAUSE_17, NONE)
                                             : CAUSES(WHY_CAUSE_17, NONE, NONE);
    case DOCTOR_REFUSED:
        return f->error == APMU_E_PERF_PERMISSION ? CAUSES(WHY_CAUSE_12, NONE, NONE)
               : f->error == APMU_OK || f->error == APMU_E_PERF_LOST ? CAUSES(WHY_CAUSE_21, NONE, NONE)
                                                                     : CAUSES(NONE, NONE, NONE);
    default: return CAUSES(NONE, NONE, NONE);
    }
}

/* Returns the causes of a finding that is not about an event. */
static struct candidates causes_of_other(const struct pattern *p, const struct doctor_finding *f)
{
    static const struct {
        const char *subject;
        enum doctor_verdict verdict;
        struct candidates causes;
    } others[] = {
        {"event counters", DOCTOR_WRONG, {{WHY_CAUSE_18, NONE, NONE}}},
        {"each counter", DOCTOR_STILL, {{WHY_CAUSE_24, WHY_CAUSE_23, WHY_CAUSE_29}}},
        {"each counter", DOCTOR_WRONG, {{WHY_CAUSE_21, NONE, NONE}}},
        {"each counter", DOCTOR_REFUSED, {{WHY_CAUSE_21, NONE, NONE}}},
        {"direct reads", DOCTOR_STILL, {{WHY_CAUSE_1, WHY_CAUSE_2, WHY_CAUSE_6}}},
        {"direct reads", DOCTOR_REFUSED, {{WHY_CAUSE_4, NONE, NONE}}},
        {"overflow interrupt", DOCTOR_STILL, {{WHY_CAUSE_20, WHY_CAUSE_57, WHY_CAUSE_19}}},
        {"overflow interrupt", DOCTOR_WRONG, {{WHY_CAUSE_57, WHY_CAUSE_20, NONE}}},
        {"overflow interrupt", DOCTOR_ABSENT, {{WHY_CAUSE_19, NONE, NONE}}},
    };

    if (f->verdict == DOCTOR_WRONG && p->few_events && strcmp(f->subject, "overflow interrupt") == 0) {
        return CAUSES(WHY_CAUSE_39, NONE, NONE);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strcmp(others[i].subject, f->subject) == 0 && others[i].verdict == f->verdict) {
            return others[i].causes;
        }
    }
    return CAUSES(NONE, NONE, NONE);
}

/* Returns whether direct reads are refused for another reason than that the kernel forbids them. */
static bool is_no_question_of_access(const struct doctor_report *report, const struct doctor_finding *f)
{
    return strcmp(f->subject, "direct reads") == 0 && f->verdict == DOCTOR_REFUSED && report->host != NULL &&
           report->host->user_access == 1;
}

void doctor_find_causes(struct doctor_report *report)
{
    const struct pattern p = pattern_of(report);

    for (size_t i = 0; i < report->count; i++) {
        struct doctor_finding *f = &report->findings[i];
        struct candidates found = CAUSES(NONE, NONE, NONE);

        if (f->event >= 0 && (f->fault || f->verdict == DOCTOR_REFUSED || f->verdict == DOCTOR_ABSENT)) {
            found = causes_of_event(report, &p, f);
        } else if (f->event < 0 && !is_no_question_of_access(report, f)) {
            found = causes_of_other(&p, f);
        }
        for (size_t c = 0; c < DOCTOR_CAUSES; c++) {
            f->causes[c] = found.rows[c] == NONE ? NULL : &why_causes[found.rows[c]];
        }
    }
}
