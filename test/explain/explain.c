/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests verdicts over partly known states against the model: a verdict holds whatever the unknown bits are, and a
 * reason depends on the fields that apmu_dependence() names.
 */

#include "facts.h"

/* Draws the unknown bits again. */
static void draw_unknown(struct choices *c, const struct apmu_facts *f, struct apmu_full_state *w)
{
#define DRAW(word) w->word = (f->is.word & f->known.word) | (pick(c, 64) & ~f->known.word);
    WORDS(DRAW)
    FINE_WORDS(DRAW)
    DRAW(p.ccr)
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        DRAW(p.typer[n])
    }
#undef DRAW
    w->p.ovs &= pick_bool(c) ? UINT64_MAX : f->is.p.ovs;
    w->pe.mdcr_el2 &= pick_bool(c) ? UINT64_MAX : f->is.pe.mdcr_el2 | ~UINT64_C(0x1C);
    if (!f->known.pe.halted) {
        w->pe.halted = pick_bool(c);
    }
    if (!f->known.pe.sm) {
        w->pe.sm = pick_bool(c);
    }
    if (!f->known.pe.dbgen) {
        w->pe.dbgen = pick_bool(c);
        w->pe.niden = pick_bool(c);
        w->pe.spiden = pick_bool(c);
        w->pe.spniden = pick_bool(c);
    }
}

static unsigned long answers[3]; /* how often each verdict was met */

/* Checks a verdict against the model, for the true state and for others with the same known bits. */
static bool verdict_wrong(struct choices *c)
{
    struct apmu_verdict v;
    struct apmu_facts f;
    struct apmu_full_state w;
    const enum apmu_state state = any_facts(c, &f, &w);
    const unsigned n = any_counter(c, &f.is.p.cfg);

    apmu_verdict(&f, n, &v);
    answers[v.is]++;
    for (unsigned i = 0; i < 24; i++) {
        const uint64_t why = apmu_why(&w.p, &w.pe, n);

        if ((why & ~(v.always | v.maybe)) != 0 || (v.always & ~why) != 0) {
            return say("a reason that was excluded, or is missing", &f, n, state, why, v.always);
        }
        if ((v.is == APMU_ANSWER_COUNTS && why != 0) || (v.is == APMU_ANSWER_STANDS && why == 0)) {
            return say("the verdict", &f, n, state, v.is, why);
        }
        draw_unknown(c, &f, &w);
    }
    return !v.complete && say("not all tried", &f, n, state, v.maybe, 0);
}

/*
 * Returns the known bits of a subject, in the places that they have in its value.  A property that supposes another
 * value than these bits have checks nothing.
 */
static uint64_t known_bits(const struct apmu_facts *f, enum apmu_subject s, unsigned n)
{
    struct apmu_facts g = {.is = f->known, .known = f->known};
    uint64_t bits;

    (void)apmu_subject_known(&g, s, n, &bits);
    return bits;
}

/* Subjects for which apmu_dependence() tries classes of values rather than single values. */
static const uint64_t classed = APMU_SUBJECT(OVS) | APMU_SUBJECT(EVENT) | APMU_SUBJECT(HPMN) | APMU_SUBJECT(EPMN) |
                                APMU_SUBJECT(SYNC_ALL);

/* Checks that a reason holds exactly at the values of a product, and that only the named subjects change it. */
static bool dependence_wrong(struct choices *c)
{
    struct apmu_dependence d;
    struct apmu_verdict v;
    struct apmu_facts f;
    struct apmu_full_state w;
    const enum apmu_state state = any_facts(c, &f, &w);
    const unsigned n = any_counter(c, &f.is.p.cfg);

    apmu_verdict(&f, n, &v);
    for (unsigned r = 0; r < APMU_REASON_COUNT; r++) {
        if ((v.maybe >> r & 1) == 0) {
            continue;
        }
        apmu_dependence(&f, n, (enum apmu_reason)r, &d);
        if (d.subjects == 0) {
            return say("depends on nothing", &f, n, state, r, 0);
        }
        struct apmu_facts g = f; /* if all of these are known, the reason is no longer open */
        const bool plain = (d.subjects & classed) == 0;
        bool inside = true, possible = true;
        for (unsigned s = 0; s < APMU_SUBJECT_COUNT; s++) {
            if ((d.subjects >> s & 1) != 0) {
                uint64_t known, now;

                (void)apmu_subject_known(&f, (enum apmu_subject)s, n, &known);
                apmu_subject_suppose(&g, (enum apmu_subject)s, n,
                                     !pick_bool(c) ? known : s == APMU_SUBJECT_OVS ? UINT64_MAX : known | pick(c, 2));
                (void)apmu_subject_known(&g, (enum apmu_subject)s, n, &now);
                possible &= ((now ^ known) & known_bits(&f, (enum apmu_subject)s, n)) == 0;
                inside &= (d.values[s] >> (now & 31) & 1) != 0;
            }
        }
        struct apmu_verdict after;
        apmu_verdict(&g, n, &after);
        if (possible && (after.maybe >> r & 1) != 0) {
            return say("still open", &f, n, state, r, d.subjects);
        }
        if (d.product && plain && possible && inside != ((after.always >> r & 1) != 0)) {
            return say("the product", &f, n, state, r, d.subjects);
        }
    }
    return false;
}

/* Checks an access against the model: if there is only one answer, it is the model's. */
static bool reach_wrong(struct choices *c)
{
    static const enum apmu_reg regs[4] = {APMU_REG_PMEVCNTR_EL0, APMU_REG_PMCCNTR_EL0, APMU_REG_PMICNTR_EL0,
                                          APMU_REG_PMCR_EL0};
    struct apmu_reach reach;
    struct apmu_facts f;
    struct apmu_full_state w;
    const enum apmu_state state = any_facts(c, &f, &w);
    const enum apmu_reg reg = regs[pick(c, 2)];
    const unsigned n = reg == APMU_REG_PMEVCNTR_EL0 ? pick_of(c, f.is.p.cfg.counters + 1u) % 31 : 0;
    const bool write = pick_bool(c);

    apmu_reach(&f, reg, n, write, false, &reach);
    for (unsigned i = 0; i < 12; i++) {
        const struct apmu_access a = apmu_access(&w.p, &w.pe, reg, n, write);
        bool found = false;

        for (size_t k = 0; k < reach.count; k++) {
            found |= reach.answers[k].outcome == a.outcome && reach.answers[k].el == a.el &&
                     strcmp(reach.answers[k].control, a.control) == 0;
        }
        if (!found && (reach.count == 1 || reach.count == 0)) {
            return say(a.control, &f, n, state, a.outcome, reach.count);
        }
        draw_unknown(c, &f, &w);
    }
    return false;
}

/* Checks that each subject has a register and a field to quote, and the overflow flags a register only. */
static bool subject_without_name(struct choices *c)
{
    struct apmu_facts f;
    struct apmu_full_state w;
    const enum apmu_state state = any_facts(c, &f, &w);
    const unsigned n = any_counter(c, &f.is.p.cfg);

    for (unsigned s = 0; s < APMU_SUBJECT_COUNT; s++) {
        struct apmu_subject_name name = {"", ""};

        apmu_subject_name(&f.is.p.cfg, (enum apmu_subject)s, n, &name);
        if (name.reg[0] == '\0' || (name.field[0] == '\0') != (s == APMU_SUBJECT_OVS)) {
            return say("a subject without a name", &f, n, state, s, 0);
        }
    }
    return false;
}

/* Checks that where everything is known a verdict is apmu_why() and an access has one outcome. */
static bool whole_state_unknown(struct choices *c)
{
    struct apmu_facts f, whole_facts;
    struct apmu_full_state w;
    struct apmu_verdict v;
    struct apmu_reach reach;
    const enum apmu_state state = any_facts(c, &f, &w);
    const unsigned n = any_counter(c, &w.p.cfg);
    const enum apmu_reg reg = (enum apmu_reg)pick_of(c, APMU_REG_COUNT);

    apmu_settle(&w.p);
    apmu_facts_of(&whole_facts, &w.p, &w.pe);
    apmu_verdict(&whole_facts, n, &v);
    const uint64_t why = apmu_why(&w.p, &w.pe, n);
    if (v.always != why || v.maybe != 0 || !v.complete ||
        v.is != (why == 0 ? APMU_ANSWER_COUNTS : APMU_ANSWER_STANDS)) {
        return say("a whole state has another verdict", &whole_facts, n, state, v.always, why);
    }
    for (unsigned s = 0; s < APMU_SUBJECT_COUNT; s++) {
        if (!apmu_subject_known(&whole_facts, (enum apmu_subject)s, n, NULL)) {
            return say("an unknown subject of a whole state", &whole_facts, n, state, s, 0);
        }
    }
    apmu_reach(&whole_facts, reg, 0, pick_bool(c), false, &reach);
    return reach.count != 1 && say("a whole state has several outcomes", &whole_facts, reg, state, reach.count, 1);
}

/* Checks that the properties met enough verdicts of each kind. */
static bool an_answer_is_never_given(struct choices *c)
{
    (void)c;
    snprintf(any_message, sizeof any_message, "counts %lu, stands %lu, depends %lu", answers[0], answers[1],
             answers[2]);
    return answers[0] < 50 || answers[1] < 50 || answers[2] < 50;
}

PROPERTIES(
    {"a verdict holds whatever is unknown", verdict_wrong, .rounds = 20000},
    {"what a reason depends on decides it", dependence_wrong, .rounds = 4000},
    {"who can read, whatever is unknown", reach_wrong, .rounds = 4000},
    {"of a whole state everything is known", whole_state_unknown, .rounds = 4000},
    {"every subject has a name", subject_without_name, .rounds = 500},
    {"all verdicts are met", an_answer_is_never_given, .sums_up = true})
