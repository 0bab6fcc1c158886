/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on registers: the end, where nothing is wrong or more has to be looked at. */
#include <stdio.h>

#include "registers.h"

/* The registers that a reader may be asked for, the most telling first, by the subjects that they hold. */
static const struct {
    enum apmu_reg reg;
    uint64_t subjects;
    uint8_t level; /* the lowest level that can read it */
} asked[] = {
    {APMU_REG_PMCR_EL0, APMU_SUBJECT(E) | APMU_SUBJECT(DP), 1},
    {APMU_REG_PMCNTENSET_EL0, APMU_SUBJECT(CNTEN), 1},
    {APMU_REG_PMEVTYPER_EL0,
     APMU_SUBJECT(P) | APMU_SUBJECT(U) | APMU_SUBJECT(NSK) | APMU_SUBJECT(NSU) | APMU_SUBJECT(NSH) | APMU_SUBJECT(M) |
         APMU_SUBJECT(SH),
     1},
    {APMU_REG_MDCR_EL2, APMU_SUBJECT(HPMD) | APMU_SUBJECT(HCCD) | APMU_SUBJECT(HPME), 2},
    {APMU_REG_MDCR_EL3, APMU_SUBJECT(SPME) | APMU_SUBJECT(MPMX) | APMU_SUBJECT(SCCD) | APMU_SUBJECT(MCCD), 3},
    {APMU_REG_PMOVSSET_EL0, APMU_SUBJECT(OVS), 1},
};

/* Returns the unknown subjects on which the answers for the counters in question depend. */
static uint64_t open_subjects(const struct registers_case *c, unsigned n, enum apmu_state state)
{
    const struct apmu_verdict *v = &c->w->verdicts[n][state];
    const struct apmu_facts f = why_at(c->w, state);
    uint64_t set = 0;

    for (unsigned r = 0; r < APMU_REASON_COUNT && v->is == APMU_ANSWER_DEPENDS; r++) {
        struct apmu_dependence d;

        if ((v->maybe >> r & 1) != 0) {
            apmu_dependence(&f, n, (enum apmu_reason)r, &d);
            set |= d.subjects;
        }
    }
    return set;
}

/* Asks for the registers that decide about counter @n.  Returns true if there is one that the reader can read. */
static bool ask_for(const struct registers_case *c, unsigned n, uint64_t open)
{
    char list[200] = "", name[48], counter[8];
    bool any = false;

    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        unsigned copy;
        const enum apmu_reg reg = registers_filter(asked[i].reg, n, &copy);

        if ((open & asked[i].subjects) == 0 || asked[i].level > (c->level > 1 ? c->level : 1)) {
            continue;
        }
        why_append(list, sizeof list, "%s%s", why_comma(list), registers_name(c, reg, copy, name));
        any = true;
    }
    if (any) {
        suspect_ask(c->all, 70, "%s, read back where the code runs: it decides whether %s%s counts", list,
                    n < APMU_CYCLE    ? "counter "
                    : n == APMU_CYCLE ? "the cycle counter"
                                      : "the instruction counter",
                    n < APMU_CYCLE ? why_counter_name(n, counter) : "");
    }
    return any;
}

/*
 * Writes what the model says of counter @n at EL3, where the input does not say at which level the code runs, and else
 * what MDCR_EL3 decides among the unknown subjects @open.
 */
static void at_level_3(const struct registers_case *c, unsigned n, uint64_t open, char text[200])
{
    static const struct {
        enum apmu_reason reason;
        const char *field;
    } fields[] = {
        {APMU_REASON_SPME, "SPME"}, {APMU_REASON_MPMX, "MPMX"}, {APMU_REASON_SCCD, "SCCD"}, {APMU_REASON_MCCD, "MCCD"},
    };
    struct apmu_facts facts;
    struct apmu_verdict v;

    snprintf(text, 200, "by these values it counts");
    if (c->level_known && (open & asked[4].subjects) != 0) {
        why_append(text, 200, ", if MDCR_EL3 lets it: SPME, SCCD and the like, which EL3 reads");
    }
    if (c->level_known || (apmu_explain_states(&c->w->model.cfg) & APMU_STATE(EL3)) == 0) {
        return;
    }
    facts = why_at(c->w, APMU_STATE_EL3);
    apmu_verdict(&facts, n, &v);
    if (v.is == APMU_ANSWER_COUNTS) {
        return;
    }
    why_append(text, 200, " at EL1 and EL0; at EL3 it");
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (((v.always | v.maybe) >> fields[i].reason & 1) != 0) {
            why_append(text, 200, " %s MDCR_EL3.%s", v.is == APMU_ANSWER_STANDS ? "stands still by" : "depends on",
                       fields[i].field);
            return;
        }
    }
    why_append(text, 200, v.is == APMU_ANSWER_STANDS ? " stands still" : " may stand still");
}

/* Returns true if the words say that a counter stands still, whatever its value is. */
static bool says_still(const struct registers_case *c)
{
    return registers_sees(c, READING_zero) || registers_sees(c, READING_stuck);
}

/* Returns true if counter @n is seen to count, or counts by the model as far as the reader can read. */
static bool is_fine(const struct registers_case *c, unsigned n)
{
    const uint64_t bit = UINT64_C(1) << n;
    const bool defaults = c->moved != 0 && !c->symptom && registers_known(c, APMU_REG_MDCR_EL2, 0) == 0; /* HPMN is N */
    bool fine = true;
    uint64_t all_open = 0;
    char counts[200];

    if ((c->moved & bit) != 0 || ((c->counted & ~c->stuck & bit) != 0 && !c->symptom)) {
        return true;
    }
    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        if ((c->states >> s & 1) != 0) {
            const uint64_t open = open_subjects(c, n, (enum apmu_state)s) & ~(defaults ? APMU_SUBJECT(HPME) : 0);

            all_open |= open;
            if (open != 0 && ask_for(c, n, open)) {
                fine = false;
            }
            fine &= c->w->verdicts[n][s].is != APMU_ANSWER_STANDS;
        }
    }
    if (fine && (c->stuck & bit) != 0) {
        suspect_ask(c->all, 55,
                    "whether firmware (MDCR_EL3), a hypervisor (MDCR_EL2), Secure state or an emulator keeps it still: "
                    "the counter was read twice, and by all that can be read here it counts");
        fine = false;
    } else if (fine && ((c->zero & bit) != 0 || ((c->counted & bit) != 0 && says_still(c)))) {
        at_level_3(c, n, all_open, counts);
        suspect_ask(c->all, 50,
                    "the counter read twice with a loop and an ISB between, with PMCR_EL0, PMCNTENSET_EL0 "
                    "and CurrentEL at the same place: %s", counts);
        fine = false;
    }
    return fine;
}

/* Returns true if a register of the PMU itself is known. */
static bool has_pmu_register(const struct registers_case *c)
{
    bool any = false;

    for (unsigned reg = 0; reg < APMU_REG_COUNT; reg++) {
        const uint32_t line = state_cell(c->s, (enum apmu_reg)reg, 0)->line;

        any |= state_cell(c->s, (enum apmu_reg)reg, 0)->known != 0 && line != STATE_LINE_CORE;
    }
    for (unsigned n = 1; n < APMU_CYCLE; n++) {
        any |= registers_known(c, APMU_REG_PMEVTYPER_EL0, n) != 0 || registers_known(c, APMU_REG_PMEVCNTR_EL0, n) != 0;
    }
    return any;
}

/* Returns true if the writer sees what a counter that moves does not contradict. */
static bool sees_more(const struct registers_case *c)
{
    static const enum reading_symptom symptoms[] = {
        READING_fault, READING_refused, READING_few_counters, READING_few_events, READING_no_interrupt,
        READING_storm, READING_small,   READING_large,        READING_wraps,      READING_noisy,
    };

    for (size_t i = 0; i < sizeof symptoms / sizeof symptoms[0]; i++) {
        if (registers_sees(c, symptoms[i]) && !(symptoms[i] == READING_wraps && registers_wants_divider(c))) {
            return true;
        }
    }
    return false;
}

void registers_conclude(const struct registers_case *c)
{
    const uint64_t shown = c->focus & (c->zero | c->counted);
    const bool moving =
        shown != 0 && (shown & ~c->moved) == 0; /* whatever is said of 0 and of standing still is not so */
    bool fine = c->focus != 0 && (moving ? !sees_more(c) : !c->symptom);

    if (c->r->code != NULL || !has_pmu_register(c)) { /* its rules say what the code leaves open */
        return;
    }
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        fine = (c->focus >> n & 1) == 0 || is_fine(c, n) ? fine : false;
    }
    if (fine) {
        const bool controls = (registers_value(c, APMU_REG_PMCR_EL0, 0) & 1) != 0 &&
                              (c->focus & ~registers_value(c, APMU_REG_PMCNTENSET_EL0, 0)) == 0;

        c->all->fine = true;
        c->all->proven |= moving || (controls && (c->focus & ~c->counted) == 0);
    }
}
