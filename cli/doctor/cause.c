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
    unsigned lost;                              /* events that got no counter */
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

    p->lost += f->verdict == DOCTOR_REFUSED && f->error == APMU_E_PERF_LOST;
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

/* Causes, the likeliest first.  WHY_CAUSE_IDS stands for none. */
struct candidates {
    enum why_cause_id ids[DOCTOR_CAUSES];
};

#define NO_CAUSE ((struct candidates){{WHY_CAUSE_IDS, WHY_CAUSE_IDS, WHY_CAUSE_IDS}})
#define ONE(a) ((struct candidates){{WHY_##a, WHY_CAUSE_IDS, WHY_CAUSE_IDS}})
#define TWO(a, b) ((struct candidates){{WHY_##a, WHY_##b, WHY_CAUSE_IDS}})
#define THREE(a, b, c) ((struct candidates){{WHY_##a, WHY_##b, WHY_##c}})

/* ---------------------------------------------------------------------------------------------------------------
 * Events.
 */

/* Returns the causes for which counters stand still at EL0 and in the kernel. */
static struct candidates causes_everywhere(const struct pattern *p)
{
    if (p->cycles_fine) {
        return THREE(counter_not_enabled, frozen_on_overflow, filter_p_or_u_set);
    }
    return p->lost != 0 ? TWO(register_emulated_as_zero, pmcr_e_clear) /* the PMU has no event counters either */
                        : THREE(pmcr_e_clear, frozen_on_overflow, register_emulated_as_zero);
}

static struct candidates causes_in_kernel(const struct pattern *p)
{
    if (p->user_fine == 0 && !(p->cycles_fine && p->user_still == 0)) {
        return causes_everywhere(p);
    }
    /* The cycle counter counts where event counters are prohibited; a filter stops it like the others. */
    return p->kernel_cycles_fine ? THREE(el2_forbids_counting, nsh_clear_at_el2, filter_p_or_u_set)
                                 : THREE(nsh_clear_at_el2, filter_p_or_u_set, el2_forbids_counting);
}

static struct candidates causes_of_stillness(const struct pattern *p, const struct doctor_finding *f)
{
    const bool kernel_alone = p->kernel_still != 0 && p->user_still == 0;

    if (p->few_events && f->event != APMU_EV_CPU_CYCLES) {
        return TWO(emulator_counts_little, qemu_no_icount);
    }
    if (f->levels == DOCTOR_AT_KERNEL || (f->levels == DOCTOR_AT_BOTH && kernel_alone)) {
        return causes_in_kernel(p);
    }
    if (p->user_fine != 0) {
        return TWO(event_not_implemented, event_not_of_this_core);
    }
    if (p->kernel_fine != 0 || (p->kernel_cycles_fine && p->cycles_still)) {
        return TWO(filter_p_or_u_set, filter_security_bits_differ);
    }
    return causes_everywhere(p);
}

static struct candidates causes_of_error(const struct doctor_report *report, const struct pattern *p,
                                         const struct doctor_finding *f)
{
    if (f->event == APMU_EV_CPU_CYCLES && p->cycles_divided) {
        return ONE(divide_by_64);
    }
    if (f->event == APMU_EV_CPU_CYCLES && (report->costs.nanoseconds || p->few_events)) {
        return TWO(emulator_counts_little, qemu_no_icount);
    }
    if (why_erratum_cure(report->core, report->pmu.midr, (uint16_t)f->event) != NULL) {
        return TWO(core_erratum, event_number_unknown);
    }
    return p->user_wrong > 1 ? THREE(threshold_set, somebody_else_programs_pmu, event_number_unknown)
                             : THREE(event_number_unknown, core_erratum, event_counts_other_than_thought);
}

static struct candidates causes_of_event(const struct doctor_report *report, const struct pattern *p,
                                         const struct doctor_finding *f)
{
    switch (f->verdict) {
    case DOCTOR_STILL: return causes_of_stillness(p, f);
    case DOCTOR_WRONG: return causes_of_error(report, p, f);
    case DOCTOR_ABSENT:
        return !f->fault ? NO_CAUSE : p->few_events ? THREE(qemu_no_icount, emulator_counts_little,
                                                            hypervisor_filters_events)
                                                    : ONE(hypervisor_filters_events);
    case DOCTOR_REFUSED:
        switch (f->error) {
        case APMU_E_PERF_PERMISSION: return TWO(perf_paranoid, android_perf_harden);
        case APMU_E_ACCESS: return TWO(container_forbids_perf, selinux_denies_perf);
        case APMU_OK:
        case APMU_E_PERF_LOST: return ONE(somebody_else_programs_pmu);
        default: return NO_CAUSE;
        }
    default: return NO_CAUSE;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * What is not about an event.
 */

/* Returns whether direct reads are refused for another reason than that the kernel forbids them. */
static bool is_no_question_of_access(const struct doctor_report *report, const struct doctor_finding *f)
{
    return strcmp(f->subject, "direct reads") == 0 && f->verdict == DOCTOR_REFUSED && report->host != NULL &&
           report->host->user_access == 1;
}

/* Returns the causes of a finding that is not about an event. */
static struct candidates causes_of_other(const struct doctor_report *report, const struct pattern *p,
                                         const struct doctor_finding *f)
{
    static const struct {
        const char *subject;
        enum doctor_verdict verdict;
        struct candidates causes;
    } others[] = {
#define ROW(subject, verdict, a, b, c) {subject, DOCTOR_##verdict, {{WHY_##a, WHY_##b, WHY_##c}}}
        ROW("event counters", WRONG, counters_kept_back, CAUSE_IDS, CAUSE_IDS),
        ROW("each counter", STILL, hpme_clear, counter_not_enabled, filter_p_or_u_set),
        ROW("each counter", WRONG, somebody_else_programs_pmu, CAUSE_IDS, CAUSE_IDS),
        ROW("each counter", REFUSED, somebody_else_programs_pmu, CAUSE_IDS, CAUSE_IDS),
        ROW("direct reads", STILL, el0_access_off, perf_takes_el0_access_away, el2_traps_pmu),
        ROW("direct reads", REFUSED, perf_user_access_0, CAUSE_IDS, CAUSE_IDS),
        ROW("overflow interrupt", STILL, overflow_interrupt_not_enabled, irq_not_unmasked, pmu_irq_request_failed),
        ROW("overflow interrupt", WRONG, interrupt_pending_not_handled, interrupt_late_after_migration, CAUSE_IDS),
        ROW("overflow interrupt", ABSENT, pmu_node_without_interrupts, pmu_irq_request_failed, irq_line_shared),
        ROW("PMU", NO_LOOP, apple_not_pmuv3, CAUSE_IDS, CAUSE_IDS),
#undef ROW
    };

    if (is_no_question_of_access(report, f)) {
        return NO_CAUSE;
    }
    if (f->allowed) {
        return TWO(el2_traps_pmu, el3_traps_pmu);
    }
    if (f->verdict == DOCTOR_WRONG && p->few_events && strcmp(f->subject, "overflow interrupt") == 0) {
        return ONE(emulator_counts_little);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strcmp(others[i].subject, f->subject) == 0 && others[i].verdict == f->verdict) {
            return others[i].causes;
        }
    }
    return NO_CAUSE;
}

void doctor_find_causes(struct doctor_report *report)
{
    const struct pattern p = pattern_of(report);

    for (size_t i = 0; i < report->count; i++) {
        struct doctor_finding *f = &report->findings[i];
        const struct candidates found = f->event >= 0 ? causes_of_event(report, &p, f) : causes_of_other(report, &p, f);

        for (size_t c = 0; c < DOCTOR_CAUSES; c++) {
            f->causes[c] = found.ids[c] == WHY_CAUSE_IDS ? NULL : &why_causes[found.ids[c]];
        }
    }
}
