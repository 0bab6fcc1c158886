/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts the registers that code writes to the model: does the counter count while the region runs, and if not, why. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "code.h"

/* A reason of the model, the cause that it is, and the register to which it belongs. */
static const struct code_reason {
    enum apmu_reason reason;
    enum why_cause_id cause;
    enum code_register reg;
} code_reasons[] = {
    {APMU_REASON_PMCR_E, WHY_pmcr_e_clear, CODE_PMCR},
    {APMU_REASON_CNTEN, WHY_counter_not_enabled, CODE_PMCNTENSET},
    {APMU_REASON_NO_COUNTER, WHY_counter_does_not_exist, CODE_PMEVTYPER},
    {APMU_REASON_HPME, WHY_hpme_clear, CODE_MDCR_EL2},
    {APMU_REASON_FILTER_NSH, WHY_nsh_clear_at_el2, CODE_PMEVTYPER},
    {APMU_REASON_FILTER_P, WHY_filter_p_or_u_set, CODE_PMEVTYPER},
    {APMU_REASON_FILTER_U, WHY_filter_p_or_u_set, CODE_PMEVTYPER},
    {APMU_REASON_FILTER_NSK, WHY_filter_security_bits_differ, CODE_PMEVTYPER},
    {APMU_REASON_FILTER_NSU, WHY_filter_security_bits_differ, CODE_PMEVTYPER},
    {APMU_REASON_FILTER_M, WHY_filter_security_bits_differ, CODE_PMEVTYPER},
    {APMU_REASON_FILTER_SH, WHY_filter_security_bits_differ, CODE_PMEVTYPER},
    {APMU_REASON_HPMD, WHY_el2_forbids_counting, CODE_MDCR_EL2},
    {APMU_REASON_HCCD, WHY_el2_forbids_counting, CODE_MDCR_EL2},
    {APMU_REASON_SPME, WHY_secure_events_prohibited, CODE_MDCR_EL3},
    {APMU_REASON_MPMX, WHY_secure_events_prohibited, CODE_MDCR_EL3},
    {APMU_REASON_SCCD, WHY_cycle_counter_stops_secure, CODE_MDCR_EL3},
    {APMU_REASON_MCCD, WHY_cycle_counter_stops_secure, CODE_MDCR_EL3},
};

static void put_cell(struct state *s, enum apmu_reg reg, unsigned n, const struct code_cell *cell, bool reset,
                     uint64_t reset_bits)
{
    uint64_t known = cell->value.known, bits = cell->value.bits;

    if (reset && !cell->value.vague) {
        known |= reset_bits & ~cell->maybe;
    }
    if (known != 0 && (cell->line != 0 || reset)) {
        state_put(s, reg, n, known, bits & known, cell->line, "code");
    }
}

/* Makes a state of the registers.  @reset: what was not written is taken to be 0, as after reset. */
static void make_state(const struct code_case *k, const struct code_state *st, bool reset, struct state *s)
{
    uint64_t hpmn = k->core != NULL ? k->core->counters : 0;

    state_init(s, k->r->input);
    s->core = k->core;
    put_cell(s, APMU_REG_PMCR_EL0, 0, &st->pmcr, reset, 1);
    put_cell(s, APMU_REG_PMCNTENSET_EL0, 0, &st->cnten, reset, UINT64_C(0xFFFFFFFF));
    put_cell(s, APMU_REG_MDCR_EL2, 0, &st->mdcr2, false, 0);
    put_cell(s, APMU_REG_MDCR_EL3, 0, &st->mdcr3, false, 0);
    put_cell(s, APMU_REG_HCR_EL2, 0, &st->hcr, false, 0);
    for (unsigned n = 0; n < 31; n++) {
        put_cell(s, APMU_REG_PMEVTYPER_EL0, n, &st->types[n], false, 0);
    }
    put_cell(s, APMU_REG_PMCCFILTR_EL0, 0, &st->types[CODE_CYCLE], false, 0);
    if (st->pmcr.value.read == 0) { /* a value that is written has no N */
        struct state_cell *pmcr = state_cell_of(s, APMU_REG_PMCR_EL0, 0);

        pmcr->known &= 0xFF;
        pmcr->value &= 0xFF;
    }
    if (k->core == NULL || k->core->counters > 31) { /* as many as the code uses, or the usual number */
        const uint64_t events = (k->used & 0x7FFFFFFF) >> 6 != 0 ? 31 : 6;

        state_put(s, APMU_REG_PMCR_EL0, 0, 0xF800, events << 11, 0, "code");
        hpmn = events;
    }
    if ((st->mdcr2.value.known & 31) != 31) { /* no hypervisor keeps counters, as far as the code tells */
        state_put(s, APMU_REG_MDCR_EL2, 0, 31, hpmn, 0, "code");
    }
    if (!k->aarch32) { /* most parts have EL2 and EL3 */
        s->features |= APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3);
    }
    state_finish(s);
}

static enum apmu_state state_of(const struct code_case *k)
{
    if (k->el == 3) {
        return APMU_STATE_EL3;
    }
    if (k->secure) {
        return k->el == 0 ? APMU_STATE_S_EL0 : k->el == 2 ? APMU_STATE_S_EL2 : APMU_STATE_S_EL1;
    }
    return k->el == 0 ? APMU_STATE_NS_EL0 : k->el == 2 ? APMU_STATE_NS_EL2 : APMU_STATE_NS_EL1;
}

/* Asks the model for counter @n with the registers @st. */
static void ask(const struct code_case *k, const struct code_state *st, unsigned n, bool reset, struct apmu_verdict *v)
{
    struct state *s = cli_allocate(NULL, 1, sizeof *s);
    struct why *w = cli_allocate(NULL, 1, sizeof *w);
    struct apmu_facts facts;

    make_state(k, st, reset, s);
    why_begin(w, s);
    facts = why_at(w, state_of(k));
    apmu_verdict(&facts, n, v);
    free(w);
    free(s);
}

/* Returns true if step @i zeroes counter @n. */
static bool zeroes(const struct code_case *k, size_t i, unsigned n)
{
    const struct code_step *s = &k->c->steps[i];

    return s->act == CODE_WRITE &&
           ((s->reg == CODE_PMCR && (s->value.bits & (n == CODE_CYCLE ? 4u : 2u)) != 0) ||
            ((s->reg == CODE_PMCCNTR || s->reg == CODE_PMEVCNTR) && code_counter_of(k, i) == (int)n));
}

/* Returns true if a region of unknown code may run at step @i: a call, the end of a function, a loop. */
static bool is_region(const struct code_case *k, size_t i, bool reads)
{
    const struct code_step *s = &k->c->steps[i];

    return s->act == CODE_WORK || s->act == CODE_DELAY || s->act == CODE_WFI ||
           (s->act == CODE_LEAVE && !k->c->functions[s->function].called) ||
           (reads && s->act == CODE_READ && code_counter_of(k, i) >= 0) || i + 1 == k->c->step_count ||
           s->reg == CODE_PMSWINC;
}

/* The registers that say whether counter @n counts: their steps, to tell states apart. */
static uint64_t signature(const struct code_state *st, unsigned n)
{
    uint64_t h = st->pmcr.step * 31 + st->cnten.step;

    h = h * 31 + st->types[n].step;
    h = h * 31 + st->mdcr2.step + 7 * st->mdcr3.step + 11 * st->hcr.step;
    return h + (st->pmcr.line != 0 ? 1u : 0u) + (st->cnten.line != 0 ? 2u : 0u);
}

/*
 * Finds the region in which counter @n is nearest to counting, after the set-up and before the last read of it.
 * Returns true, and its step and its verdict, if the counter stands still in all of them.
 */
static bool stands_everywhere(const struct code_case *k, unsigned n, bool reset, size_t *best, struct apmu_verdict *v)
{
    size_t from = SIZE_MAX, to = k->c->step_count;
    uint64_t before = UINT64_MAX;
    unsigned fewest = 99, asked = 0;
    bool read = false, works = false;

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (s->act == CODE_WRITE && (s->reg == CODE_PMCR || s->reg == CODE_PMCNTENSET) && from == SIZE_MAX) {
            from = i;
        }
        if (s->act == CODE_READ && code_counter_of(k, i) == (int)n && s->reg != CODE_PMEVTYPER) {
            read = true;
            to = i + 1;
        }
    }
    if (!read) {
        to = k->c->step_count;
    }
    for (size_t i = to; read && i-- > from && from != SIZE_MAX;) { /* what was counted before a reset is gone */
        if (zeroes(k, i, n)) {
            from = i;
            break;
        }
    }
    for (size_t i = from; i < to && !works; i++) { /* without a region between, the read itself is one */
        works |= is_region(k, i, false) && i + 1 < k->c->step_count;
    }
    for (size_t i = from; i < to && asked < 60; i++) {
        struct apmu_verdict now;
        unsigned reasons = 0;
        const uint64_t sign = signature(&k->states[i], n);

        if (!is_region(k, i, !works) || sign == before) {
            continue;
        }
        before = sign;
        asked++;
        ask(k, &k->states[i], n == CODE_CYCLE ? APMU_CYCLE : n, reset, &now);
        if (now.is != APMU_ANSWER_STANDS) {
            return false;
        }
        for (uint64_t set = now.always; set != 0; set &= set - 1) {
            reasons++;
        }
        if (reasons <= fewest) {
            fewest = reasons;
            *best = i;
            *v = now;
        }
    }
    return asked != 0;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Texts.
 */

static const char *counter_text(unsigned n, char buf[32])
{
    if (n == CODE_CYCLE) {
        return "the cycle counter";
    }
    snprintf(buf, 32, "counter %u", n);
    return buf;
}

/* Does the same for the controls of EL2 and EL3, and for the bits of Security states. */
static void explain_levels(const struct code_case *k, const struct code_reason *row, unsigned n, char because[400],
                           char cure[400])
{
    char counter[32], a[160], b[32];
    const enum code_register type = n == CODE_CYCLE ? CODE_PMCCFILTR : CODE_PMEVTYPER;

    switch (row->reason) {
    case APMU_REASON_HPME:
        suspect_text(because, "MDCR_EL2.HPMN gives %s to EL2, and MDCR_EL2.HPME (bit 7) is 0",
                     counter_text(n, counter));
        suspect_text(cure, "set HPME, bit 7 of MDCR_EL2: %s; or set HPMN above %u",
                     code_write_text(k, CODE_MDCR_EL2, 0, "value | (1 << 7)", a), n);
        return;
    case APMU_REASON_HPMD:
    case APMU_REASON_HCCD:
        suspect_text(because, "MDCR_EL2.%s is 1, so %s does not count at EL2",
                     row->reason == APMU_REASON_HPMD ? "HPMD (bit 17)" : "HCCD (bit 23)", counter_text(n, counter));
        suspect_text(cure, "write %s of MDCR_EL2 as 0",
                     row->reason == APMU_REASON_HPMD ? "HPMD, bit 17," : "HCCD, bit 23,");
        return;
    case APMU_REASON_SPME:
    case APMU_REASON_MPMX:
        suspect_text(because, "MDCR_EL3.%s prohibits counting in Secure state and at EL3",
                     row->reason == APMU_REASON_SPME ? "SPME (bit 17) = 0" : "MPMX (bit 35) = 1");
        suspect_text(cure, "firmware at EL3 sets SPME, bit 17 of MDCR_EL3 (and MPMX = 0)");
        return;
    case APMU_REASON_SCCD:
    case APMU_REASON_MCCD:
        suspect_text(because, "MDCR_EL3.%s is 1, which stops the cycle counter there",
                     row->reason == APMU_REASON_SCCD ? "SCCD (bit 23)" : "MCCD (bit 34)");
        suspect_text(cure, "firmware at EL3 writes %s of MDCR_EL3 as 0",
                     row->reason == APMU_REASON_SCCD ? "SCCD, bit 23," : "MCCD, bit 34,");
        return;
    default:
        suspect_text(because, "%s: a filter bit of one Security state differs from its partner",
                     code_name_text(k, type, n, b));
        suspect_text(cure, "make NSK = P, NSU = U and M = P in %s: write these bits all as 0", b);
        return;
    }
}

/* Writes why and the cure for reason @row of counter @n. */
static void explain(const struct code_case *k, const struct code_reason *row, unsigned n, char because[400],
                    char cure[400])
{
    char counter[32], a[160], b[32], value[32];
    const bool cycle = n == CODE_CYCLE;
    const enum code_register type = cycle ? CODE_PMCCFILTR : CODE_PMEVTYPER;

    counter_text(n, counter);
    snprintf(value, sizeof value, "1 << %u", n);
    switch (row->reason) {
    case APMU_REASON_PMCR_E:
        suspect_text(because, "%s.E (bit 0) is 0 while %s should count", code_name_text(k, CODE_PMCR, 0, b),
                     counter_text(n, counter));
        suspect_text(
            cure, "set E, bit 0 of PMCR, after the set-up: %s, then %s",
            code_write_text(k, CODE_PMCR, 0, cycle && !k->aarch32 ? "value | 0x41 (LC, E)" : "value | 1 (E)", a),
            code_isb_text(k));
        return;
    case APMU_REASON_CNTEN:
        suspect_text(because, "bit %u of %s is not set, so %s is not enabled", n,
                     code_name_text(k, CODE_PMCNTENSET, 0, b), counter_text(n, counter));
        suspect_text(cure, "write bit %u of PMCNTENSET: %s, then %s", n,
                     code_write_text(k, CODE_PMCNTENSET, 0, value, a), code_isb_text(k));
        return;
    case APMU_REASON_NO_COUNTER:
        suspect_text(because, "there is no counter %u: the PMU has %u event counters", n,
                     k->core != NULL ? k->core->counters : 0);
        suspect_text(cure, "use one of the counters 0 to %u; PMCR.N (bits 15:11) says how many there are",
                     k->core != NULL && k->core->counters > 0 ? k->core->counters - 1u : 0);
        return;
    case APMU_REASON_FILTER_NSH:
        suspect_text(because, "NSH (bit 27) of %s is 0, and the code runs at EL2", code_name_text(k, type, n, b));
        suspect_text(cure, "set NSH, bit 27 (0x8000000): %s",
                     code_write_text(k, type, n, cycle ? "0x8000000" : "event | 0x8000000 (NSH)", a));
        return;
    case APMU_REASON_FILTER_P:
    case APMU_REASON_FILTER_U:
        suspect_text(because, "%s of %s is 1, which excludes EL%u, where the code runs; it is no enable bit",
                     row->reason == APMU_REASON_FILTER_P ? "P (bit 31)" : "U (bit 30)", code_name_text(k, type, n, b),
                     row->reason == APMU_REASON_FILTER_P ? 1u : 0u);
        suspect_text(cure, "write %s as 0 in %s: %s", row->reason == APMU_REASON_FILTER_P ? "P, bit 31," : "U, bit 30,",
                     b, code_write_text(k, type, n, cycle ? "0" : "the event alone", a));
        return;
    default:
        explain_levels(k, row, n, because, cure);
        return;
    }
}

/* Returns the step that is to blame: the last write of the register before @at, or the set-up's last write. */
static size_t blame(const struct code_case *k, const struct code_reason *row, unsigned n, size_t at)
{
    const struct code_state *st = &k->states[at];
    const struct code_cell *cell = row->reg == CODE_PMCR         ? &st->pmcr
                                   : row->reg == CODE_PMCNTENSET ? &st->cnten
                                   : row->reg == CODE_MDCR_EL2   ? &st->mdcr2
                                   : row->reg == CODE_MDCR_EL3   ? &st->mdcr3
                                                                 : &st->types[n];

    if (cell->line != 0) {
        return cell->step;
    }
    if (st->pmcr.line != 0 && row->reg != CODE_PMCR) {
        return st->pmcr.step;
    }
    return st->cnten.line != 0 ? st->cnten.step : st->pmcr.line != 0 ? st->pmcr.step : at;
}

/*
 * Returns the row of P or U instead of @row for NSK or NSU, if P or U is 1 and its partner 0: who sets P wants it to
 * enable, and knows of no partner.
 */
static const struct code_reason *plain_filter(const struct code_reason *row, const struct code_value *type)
{
    const bool kernel = row->reason == APMU_REASON_FILTER_NSK, user = row->reason == APMU_REASON_FILTER_NSU;
    const unsigned own = kernel ? 31 : 30, partner = kernel ? 29 : 28;

    if ((!kernel && !user) || (type->known & type->bits >> own & 1) == 0 || (type->bits >> partner & 1) != 0) {
        return row;
    }
    for (size_t i = 0; i < sizeof code_reasons / sizeof code_reasons[0]; i++) {
        if (code_reasons[i].reason == (kernel ? APMU_REASON_FILTER_P : APMU_REASON_FILTER_U)) {
            return &code_reasons[i];
        }
    }
    return row;
}

/*
 * Returns true if step @at writes PMCR behind a read of it in its function, and another function writes a PMCR whose E
 * is not known: that one restores what this one saved, as the other half of a context switch does.
 */
static bool is_saved(const struct code_case *k, size_t at)
{
    const struct code_step *write = &k->c->steps[at];
    bool saved = false, restored = false;

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        saved |= i < at && s->function == write->function && code_does(s, CODE_READ, CODE_PMCR);
        restored |= s->function != write->function && code_does(s, CODE_WRITE, CODE_PMCR) && (s->value.known & 1) == 0;
    }
    return saved && restored;
}

static void add_reasons(const struct code_case *k, unsigned n, size_t at, const struct apmu_verdict *v, bool reset)
{
    for (size_t i = 0; i < sizeof code_reasons / sizeof code_reasons[0]; i++) {
        const struct code_reason *row = &code_reasons[i];
        const struct suspect *mask = suspect_find(k->all, WHY_wrong_bit_or_mask);
        char because[400], cure[400];

        if ((v->always >> row->reason & 1) == 0 || (mask != NULL && !related_is_effect(row->cause, mask->cause))) {
            continue;
        }
        if ((row->reason == APMU_REASON_FILTER_NSH || row->reason == APMU_REASON_FILTER_P) && k->el != 0 &&
            code_wants_user_alone(k)) {
            continue; /* the level of this code is not to be counted */
        }
        if (row->reason == APMU_REASON_PMCR_E && is_saved(k, blame(k, row, n, at))) {
            continue;
        }
        row = plain_filter(row, &k->states[at].types[n].value);
        explain(k, row, n, because, cure);
        code_suspect(k, row->cause, reset || mask != NULL ? SUSPECT_LIKELY : SUSPECT_CERTAIN, blame(k, row, n, at),
                     because, cure)
            ->weight = 60 - (unsigned)i;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Rules.
 */

/* Returns true if enough of the set-up is shown that what is missing is missing. */
static bool is_complete(const struct code_case *k, unsigned n)
{
    const bool pmcr = k->last.pmcr.line != 0, cnten = k->last.cnten.line != 0;
    const bool typed = n != CODE_CYCLE ? (k->typed >> n & 1) != 0 : k->last.types[n].line != 0;
    const bool zero = k->sees[READING_zero] || k->sees[READING_stuck] || k->sees[READING_runs_on];

    static const char *const elsewhere[] = {"earlier",      "elsewhere",  "already",
                                            "another file", "other file", "by the boot"};

    if (code_says_any(k, elsewhere, sizeof elsewhere / sizeof elsewhere[0])) {
        return false;
    }
    if (k->last.pmcr.line != 0 && k->last.pmcr.value.read == 0 && cnten) {
        return true;
    }
    return (pmcr && cnten) || ((pmcr || cnten) && (typed || (k->read_counters >> n & 1) != 0)) ||
           (typed && zero && k->reads);
}

/* Returns true if EL2 or a filter may not count where the code runs, for code at EL2 that leaves NSH alone. */
static void check_el2(const struct code_case *k, unsigned n)
{
    const struct code_cell *type = &k->last.types[n];
    char because[400], cure[400];
    static const struct code_reason row = {APMU_REASON_FILTER_NSH, WHY_nsh_clear_at_el2, CODE_PMEVTYPER};

    if (k->el != 2 || !k->el_known || type->line != 0 || k->secure || code_wants_user_alone(k)) {
        return;
    }
    explain(k, &row, n, because, cure);
    suspect_text(because, "nothing sets NSH (bit 27) of the filter, and the code runs at EL2");
    code_suspect(k, WHY_nsh_clear_at_el2, SUSPECT_LIKELY,
                 k->last.cnten.line != 0 ? k->last.cnten.step : k->last.pmcr.step, because, cure)
        ->weight = 40;
}

/* Returns true if the writer sees counts that are wrong, but none that stands: no cause of standing still holds. */
static bool sees_counts(const struct code_case *k)
{
    const bool *sees = k->sees;

    return (sees[READING_noisy] || (sees[READING_large] && !code_says(k, "garbage")) || sees[READING_wraps] ||
            sees[READING_small]) &&
           !sees[READING_zero] && !sees[READING_stuck] && !sees[READING_sometimes] && !sees[READING_no_interrupt] &&
           k->reads;
}

void rules_code_model(struct code_case *k)
{
    uint32_t counters = k->read_counters != 0 ? k->read_counters | k->typed : k->used;
    const bool counts = sees_counts(k);

    if (!k->set_up || k->m_profile || k->arm11 || (k->user && !k->granted)) {
        return;
    }
    if (k->read_counters != 0 && (k->enabled & ~k->read_counters & ~k->typed) != 0 &&
        (k->read_counters & ~k->enabled) != 0) {
        counters = k->read_counters;
    }
    for (unsigned n = 0; n < 32; n++) {
        struct apmu_verdict v;
        size_t at = 0;

        if ((counters >> n & 1) == 0) {
            continue;
        }
        if (stands_everywhere(k, n, false, &at, &v)) {
            add_reasons(k, n, at, &v, false);
            if (k->enabled != 0 && (k->enabled >> n & 1) == 0 && k->last.cnten.maybe == 0 &&
                k->last.pmcr.line != 0 && stands_everywhere(k, n, true, &at, &v)) {
                v.always &= UINT64_C(1) << APMU_REASON_CNTEN; /* other counters are enabled, and this is not */
                add_reasons(k, n, at, &v, true);
            }
        } else if (!counts && is_complete(k, n) && stands_everywhere(k, n, true, &at, &v)) {
            add_reasons(k, n, at, &v, true);
        }
        check_el2(k, n);
    }
}
