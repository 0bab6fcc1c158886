/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the cure of the first cause of an input as lines of its language. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "insert.h"
#include "patch.h"

/* A cause whose remedy is the same for each input: one write, or one of each counter in question. */
static const struct simple_remedy {
    enum why_cause_id cause;
    enum remedy_act act;
    enum apmu_reg reg;
    uint64_t clear, set;
    enum { SIMPLE_BITS, SIMPLE_MASK, SIMPLE_EACH } kind; /* .set as it is; the counters' bits; .set in each filter */
} simple[] = {
    {WHY_pmcr_e_clear, REMEDY_CHANGE, APMU_REG_PMCR_EL0, 0, 1, SIMPLE_BITS},
    {WHY_counter_not_enabled, REMEDY_WRITE, APMU_REG_PMCNTENSET_EL0, 0, 0, SIMPLE_MASK},
    {WHY_overflow_interrupt_not_enabled, REMEDY_WRITE, APMU_REG_PMINTENSET_EL1, 0, 0, SIMPLE_MASK},
    {WHY_overflow_flag_never_cleared, REMEDY_WRITE, APMU_REG_PMOVSCLR_EL0, 0, 0, SIMPLE_MASK},
    {WHY_frozen_on_overflow, REMEDY_WRITE, APMU_REG_PMOVSCLR_EL0, 0, 0, SIMPLE_MASK},
    {WHY_nsh_clear_at_el2, REMEDY_CHANGE, APMU_REG_PMEVTYPER_EL0, 0, UINT64_C(1) << 27, SIMPLE_EACH},
    {WHY_filter_p_or_u_set, REMEDY_CHANGE, APMU_REG_PMEVTYPER_EL0, UINT64_C(15) << 28, 0, SIMPLE_EACH},
    {WHY_hpme_clear, REMEDY_CHANGE, APMU_REG_MDCR_EL2, 0, UINT64_C(1) << 7, SIMPLE_BITS},
    {WHY_el2_forbids_counting, REMEDY_CHANGE, APMU_REG_MDCR_EL2, UINT64_C(0x820000), 0, SIMPLE_BITS},
    {WHY_el2_traps_pmu, REMEDY_CHANGE, APMU_REG_MDCR_EL2, UINT64_C(0x60), 0, SIMPLE_BITS},
    {WHY_el3_traps_pmu, REMEDY_CHANGE, APMU_REG_MDCR_EL3, UINT64_C(0x40), 0, SIMPLE_BITS},
    {WHY_el3_traps_newer_registers, REMEDY_CHANGE, APMU_REG_MDCR_EL3, 0, UINT64_C(0x80), SIMPLE_BITS},
    {WHY_secure_events_prohibited, REMEDY_CHANGE, APMU_REG_MDCR_EL3, 0, UINT64_C(1) << 17, SIMPLE_BITS},
    {WHY_cycle_counter_stops_secure, REMEDY_CHANGE, APMU_REG_MDCR_EL3, UINT64_C(1) << 23, 0, SIMPLE_BITS},
    {WHY_divide_by_64, REMEDY_CHANGE, APMU_REG_PMCR_EL0, 8, 0, SIMPLE_BITS},
    {WHY_cycle_overflow_at_32_bits, REMEDY_CHANGE, APMU_REG_PMCR_EL0, 0, 0x40, SIMPLE_BITS},
    {WHY_el0_access_off, REMEDY_WRITE, APMU_REG_PMUSERENR_EL0, 0, 1, SIMPLE_BITS},
    {WHY_el0_access_off_aarch32, REMEDY_WRITE, APMU_REG_PMUSERENR_EL0, 0, 1, SIMPLE_BITS},
    {WHY_el0_write_not_allowed, REMEDY_WRITE, APMU_REG_PMUSERENR_EL0, 0, 1, SIMPLE_BITS},
};

static void make_each(struct remedy *m, const struct simple_remedy *row, uint64_t counters)
{
    for (unsigned n = 0; n <= APMU_CYCLE; n++) {
        if ((counters >> n & 1) != 0) {
            remedy_change(m, n == APMU_CYCLE ? APMU_REG_PMCCFILTR_EL0 : APMU_REG_PMEVTYPER_EL0,
                          n == APMU_CYCLE ? 0 : n, row->clear, row->set);
        }
    }
}

/* Fills the remedy of the ARM11's causes. */
static bool make_arm11(enum why_cause_id cause, struct remedy *m)
{
    if (cause == WHY_pmcr_e_clear) {
        remedy_change_plain(m, CODE_A11_PMNC, 0, 1);
    } else if (cause == WHY_divide_by_64) {
        remedy_change_plain(m, CODE_A11_PMNC, 8, 0);
    } else if (cause == WHY_arm11_v_bit_clear || cause == WHY_el0_access_off_aarch32) {
        remedy_write_plain(m, CODE_A11_VALIDATION, 1);
        m->who = "privileged code";
    } else {
        return false;
    }
    return true;
}

/* Fills the remedy of the causes that M-profile has. */
static bool make_dwt(enum why_cause_id cause, const struct suspect *s, struct remedy *m)
{
    if (cause == WHY_m_profile_trcena_or_lock) {
        remedy_change_plain(m, CODE_DEMCR, 0, UINT64_C(1) << 24);
        if (strstr(s->cure, "LAR") != NULL) {
            remedy_write_plain(m, CODE_DWT_LAR, 0xC5ACCE55);
        }
    } else if (cause != WHY_cyccnt_not_enabled) {
        return false;
    }
    remedy_change_plain(m, CODE_DWT_CTRL, 0, 1);
    return true;
}

/* Fills the remedy of a cause that an input without code shows. */
static void make_simple(const struct rules_input *in, const struct suspect *s, struct remedy *m)
{
    const uint64_t named = s->counters != 0 ? s->counters : in->counters;
    const uint64_t counters = named != 0 ? named : UINT64_C(1) << APMU_CYCLE;
    const uint64_t pmu = reading_value(&in->r->machine.pmu, READING_PMU_UNKNOWN);

    if (make_dwt(s->cause, s, m) || (pmu == READING_PMU_ARM11 && make_arm11(s->cause, m))) {
        return;
    }
    for (size_t i = 0; i < sizeof simple / sizeof simple[0] && pmu != READING_PMU_ARM11; i++) {
        const struct simple_remedy *row = &simple[i];

        if (row->cause != s->cause) {
            continue;
        }
        if (row->kind == SIMPLE_EACH) {
            make_each(m, row, counters);
        } else if (row->act == REMEDY_WRITE) {
            remedy_write(m, row->reg, 0, row->kind == SIMPLE_MASK ? counters : row->set);
        } else {
            remedy_change(m, row->reg, 0, row->clear, row->set);
        }
        if (row->reg == APMU_REG_PMUSERENR_EL0) {
            m->who = "a kernel module, on each CPU (on_each_cpu)";
            m->form = FORM_LINUX;
        } else {
            remedy_sync(m);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Output.
 */

static void remark(const struct cure_form *form, const char *text)
{
    char buf[1200] = "", plain[1000];
    size_t used = 0;

    for (; *text != '\0' && used + 2 < sizeof plain; text++) { /* a quoted comment must not end this one */
        plain[used++] = *text;
        if (*text == '*' && text[1] == '/') {
            plain[used++] = ' ';
        }
    }
    plain[used] = '\0';
    form_remark(form, "", plain, buf, sizeof buf);
    fputs(buf, stdout);
}

static void print_edit(const struct cure_form *form, const struct insert_edit *e)
{
    static const char *const words[] = {"after", "before", "instead of"};
    char text[120] = "";

    if (e->column != 0) {
        why_append(text, sizeof text, "in line %u, at column %u%s", e->line, e->column,
                   e->how == INSERT_INSTEAD ? ", instead of that statement" : "");
    } else if (e->how == INSERT_INSTEAD && e->last > e->line) {
        why_append(text, sizeof text, "instead of lines %u to %u", e->line, e->last);
    } else {
        why_append(text, sizeof text, "%s line %u", words[e->how], e->line);
    }
    why_append(text, sizeof text, "%s", e->text[0] == '\0' ? ": nothing" : ":");
    remark(form, text);
    fputs(e->text, stdout);
}

/* Prints the remedy of code at its places. */
static void print_edits(const struct rules_input *in, const struct cure_form *form, const struct suspect *s,
                        const struct remedy *m)
{
    struct insert_edits *edits = cli_allocate(NULL, 1, sizeof *edits);
    char text[120], lines[4000] = "";

    insert_find(in, form, s, m, edits);
    for (size_t i = 0; i < edits->count; i++) {
        print_edit(form, &edits->list[i]);
    }
    if (edits->count == 0) {
        snprintf(text, sizeof text, s->line != 0 ? "at line %u; armpmu could not check the place:"
                                                 : "armpmu could not find the place:", s->line);
        remark(form, text);
        form_print(form, m, "", lines, sizeof lines);
        fputs(lines, stdout);
    } else if (!edits->proved) {
        remark(form, "not all of it: the input shows the cause still");
    }
    free(edits);
}

/* Prints a remedy that belongs to other code than the input's. */
static void print_elsewhere(const struct cure_form *form, const struct remedy *m)
{
    struct cure_form other = *form;
    char text[120], lines[4000] = "";

    if (m->who != NULL) {
        form_choose(&other, m->form);
        other.memory = false;
        snprintf(text, sizeof text, "in %s:", m->who);
        remark(&other, text);
    }
    form_print(&other, m, "", lines, sizeof lines);
    fputs(lines, stdout);
}

static int print_first(const struct rules_input *in, const struct cure_form *form, const struct suspects *all)
{
    const struct suspect *s = &all->list[0];
    struct remedy *m = &all->remedies[s->cause];
    struct cure_form other = *form;
    char text[600];

    if (m->count == 0 && !m->instead && m->old == NULL && in->r->code == NULL && !s->call) {
        make_simple(in, s, m);
    }
    if (m->who != NULL) {
        form_choose(&other, m->form);
    }
    snprintf(text, sizeof text, "%s: %s (cause %u)", in->r->input, why_causes[s->cause].text,
             why_causes[s->cause].number);
    remark(&other, text);
    if (m->count == 0 && !m->instead && m->old == NULL) {
        snprintf(text, sizeof text, "no write of a register cures it: %s", s->cure);
        remark(form, text);
        return CLI_NO;
    }
    if (in->r->code != NULL && m->who == NULL) {
        print_edits(in, form, s, m);
    } else {
        print_elsewhere(form, m);
    }
    return CLI_YES;
}

int why_patch(const struct rules_input *in, const struct cure_form *form)
{
    struct suspects *all = cli_allocate(NULL, 1, sizeof *all);
    enum verdict_answer answer;
    int status = CLI_YES;
    char text[600];

    all->remedies = cli_allocate(NULL, WHY_CAUSE_IDS, sizeof *all->remedies);
    answer = verdict_decide(in, all);
    if (answer == VERDICT_CAUSES) {
        status = print_first(in, form, all);
    } else if (answer == VERDICT_NONE) {
        snprintf(text, sizeof text, "%s: nothing wrong is seen here", in->r->input);
        remark(form, text);
    } else {
        snprintf(text, sizeof text, "%s: the cause cannot be told from this; look at: %s", in->r->input,
                 all->questions[0].text);
        remark(form, text);
        status = CLI_CANNOT;
    }
    free(all->remedies);
    free(all);
    return status;
}

bool why_patches(const struct rules_input *in)
{
    static const enum why_cause_id others[] = {
        WHY_divide_by_64, WHY_cycle_overflow_at_32_bits, WHY_overflow_interrupt_not_enabled, WHY_el0_access_off,
        WHY_el0_access_off_aarch32, WHY_el0_write_not_allowed, WHY_el2_traps_pmu, WHY_el3_traps_pmu,
        WHY_el3_traps_newer_registers,
    };
    struct suspects *all = cli_allocate(NULL, 1, sizeof *all);
    bool patches = false;

    if (verdict_decide(in, all) == VERDICT_CAUSES) {
        patches = in->r->sentence;
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
            patches |= all->list[0].cause == others[i];
        }
    }
    free(all);
    return patches;
}
