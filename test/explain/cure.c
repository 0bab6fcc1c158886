/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests cures.  If all writes of a cure are done to the model, each at its Exception level, the counter must count; if
 * only some are, it must not.  If a cure is impossible, trying everything must find none.  Answers that had less work
 * than they need may say less, but nothing wrong.
 */

#include "facts.h"

/* How often each result was met, and cures by their number of writes. */
static unsigned long results[4], sizes[APMU_CURE_WRITES + 1];

/* Draws a state of which everything is known. */
static enum apmu_state any_whole(struct choices *c, struct apmu_facts *f)
{
    struct apmu_full_state whole;
    const enum apmu_state state = any_facts(c, f, &whole);

    apmu_settle(&whole.p);
    apmu_facts_of(f, &whole.p, &whole.pe);
    f->is.pe.halted &= pick(c, 3) == 0;
    if ((f->is.p.cfg.features & APMU_FEAT(PMUv3_EXTPMN)) == 0) {
        f->is.p.ccr = APMU_PUT(PMCCR, EPMN, f->is.p.cfg.counters);
    }
    f->is.p.userenr = pick_bool(c) ? pick(c, 5) : 0;
    f->is.p.uacr = pick(c, 33);
    /* Registers as software can have written them: absent fields are 0. */
    for (unsigned n = 0; n < f->is.p.cfg.counters; n++) {
        const uint64_t typer = f->is.p.typer[n];
        f->is.p.typer[n] = 0;
        apmu_poke(&f->is.p, &(struct apmu_pe){.el = 3}, APMU_REG_PMEVTYPER_EL0, n, typer, NULL);
    }
    apmu_facts_at(f, state);
    return state;
}

/* Returns true if the PE at the write's Exception level would perform it.  For PMU registers the model decides. */
static bool performed(const struct apmu_facts *f, const struct apmu_cure_write *w, enum apmu_state state)
{
    static const enum apmu_state levels[3][3] = {
        {APMU_STATE_NS_EL0, APMU_STATE_NS_EL1, APMU_STATE_NS_EL2},
        {APMU_STATE_S_EL0, APMU_STATE_S_EL1, APMU_STATE_S_EL2},
        {APMU_STATE_RL_EL0, APMU_STATE_RL_EL1, APMU_STATE_RL_EL2},
    };
    const unsigned world = (APMU_STATES_REALM >> state & 1) != 0 ? 2
                           : (APMU_STATES_SECURE >> state & 1) != 0 || state == APMU_STATE_EL3 ? 1 : 0;
    struct apmu_facts g = *f;

    if (w->el == APMU_CURE_EXTERNAL) {
        return w->reg == APMU_REG_PMCCR;
    }
    const bool sel2 = (f->is.p.cfg.features & APMU_FEAT(SEL2)) != 0;
    const bool secure_el2 = sel2 && APMU_GET(SCR_EL3, EEL2, f->is.pe.scr_el3) != 0;
    const bool el3 = (f->is.p.cfg.features & (APMU_FEAT(AA64EL3) | APMU_FEAT(AA32EL3))) != 0;
    const unsigned where = world == 1 && w->el == 2 && el3 && !secure_el2 ? 0 : world;
    apmu_facts_at(&g, w->el == 3 ? APMU_STATE_EL3 : levels[where][w->el]);
    if (w->reg >= APMU_REG_BORROWED) {
        const unsigned op1 = apmu_reg_info(w->reg)->key >> 11 & 7u;
        return w->el >= (op1 == 6 ? 3u : op1 == 4 ? 2u : 1u);
    }
    for (unsigned r = 0; (f->is.p.cfg.features & APMU_FEAT(AA64)) == 0 && r < APMU_REG32_COUNT; r++) {
        const struct apmu_reg32_info *info = apmu_reg32_info((enum apmu_reg32)r);

        g.is.pe.a32 = true;
        if (info->of == w->reg && info->part == APMU_PART_LOW) {
            return apmu_access_a32(&g.is.p, &g.is.pe, (enum apmu_reg32)r, w->n, true).outcome == APMU_ACCESS_OK;
        }
    }
    return apmu_access(&g.is.p, &g.is.pe, w->reg, w->n, true).outcome == APMU_ACCESS_OK;
}

static bool counts(const struct apmu_facts *f, unsigned n, enum apmu_state state)
{
    struct apmu_facts g = *f;

    apmu_facts_at(&g, state);
    return apmu_why(&g.is.p, &g.is.pe, n) == 0;
}

/* Checks a cure: all of it makes the counter count, and no part of it does. */
static bool cure_fails(struct choices *c)
{
    struct apmu_facts f, g;
    struct apmu_cure cure;
    const enum apmu_state state = any_whole(c, &f);
    const unsigned n = any_counter(c, &f.is.p.cfg), level = 1 + pick_of(c, 4);

    apmu_cure(&f, n, state, level, &cure);
    results[cure.result]++;
    if ((cure.result == APMU_CURE_NEEDLESS) != counts(&f, n, state)) {
        return say("needless", &f, n, state, cure.result, level);
    }
    if (cure.result != APMU_CURE_FOUND) {
        return cure.result == APMU_CURE_GAVE_UP && say("gave up", &f, n, state, apmu_why(&f.is.p, &f.is.pe, n), level);
    }
    sizes[cure.count]++;
    for (unsigned subset = 0; subset < 1u << cure.count; subset++) {
        const bool all = subset == (1u << cure.count) - 1;

        g = f;
        for (size_t i = 0; i < cure.count; i++) {
            if ((subset >> i & 1) == 0) {
                continue;
            }
            if (all && (cure.writes[i].el > level || cure.writes[i].unsure || !performed(&g, &cure.writes[i], state))) {
                return say("a write is not performed", &f, n, state, cure.writes[i].reg << 8 | cure.writes[i].el, i);
            }
            apmu_cure_apply(&g, &cure.writes[i], state);
        }
        if (counts(&g, n, state) != all) {
            return say(all ? "does not cure" : "a part cures", &f, n, state, cure.writes[0].mask, cure.writes[0].reg);
        }
    }
    for (size_t i = 0; i < cure.count; i++) { /* a write with one field less does not cure either */
        for (unsigned s = 0; s < APMU_SUBJECT_COUNT; s++) {
            struct apmu_cure_write w = cure.writes[i];
            struct apmu_facts one = f;
            uint64_t was;

            if ((w.subjects >> s & 1) == 0 || w.reg == APMU_REG_PMCNTENSET_EL0 || w.reg == APMU_REG_PMOVSCLR_EL0) {
                continue;
            }
            (void)apmu_subject_known(&f, (enum apmu_subject)s, n, &was);
            for (size_t k = 0; k < cure.count; k++) {
                apmu_cure_apply(&one, &cure.writes[k], state);
            }
            apmu_subject_suppose(&one, (enum apmu_subject)s, n, was);
            if (counts(&one, n, state)) {
                return say("with one field less", &f, n, state, s, w.reg);
            }
        }
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Trying everything, over the fields of a small configuration.
 */

static const struct knob {
    enum apmu_subject subject;
    enum apmu_reg reg;
    uint64_t bit;
} knobs[] = {
    {APMU_SUBJECT_E, APMU_REG_PMCR_EL0, APMU_MASK(PMCR_EL0, E)},
    {APMU_SUBJECT_DP, APMU_REG_PMCR_EL0, APMU_MASK(PMCR_EL0, DP)},
    {APMU_SUBJECT_FZO, APMU_REG_PMCR_EL0, APMU_MASK(PMCR_EL0, FZO)},
    {APMU_SUBJECT_HPME, APMU_REG_MDCR_EL2, APMU_MASK(MDCR_EL2, HPME)},
    {APMU_SUBJECT_HPMD, APMU_REG_MDCR_EL2, APMU_MASK(MDCR_EL2, HPMD)},
    {APMU_SUBJECT_HCCD, APMU_REG_MDCR_EL2, APMU_MASK(MDCR_EL2, HCCD)},
    {APMU_SUBJECT_HPMFZO, APMU_REG_MDCR_EL2, APMU_MASK(MDCR_EL2, HPMFZO)},
    {APMU_SUBJECT_SPME, APMU_REG_MDCR_EL3, APMU_MASK(MDCR_EL3, SPME)},
    {APMU_SUBJECT_MPMX, APMU_REG_MDCR_EL3, APMU_MASK(MDCR_EL3, MPMX)},
    {APMU_SUBJECT_SCCD, APMU_REG_MDCR_EL3, APMU_MASK(MDCR_EL3, SCCD)},
    {APMU_SUBJECT_MCCD, APMU_REG_MDCR_EL3, APMU_MASK(MDCR_EL3, MCCD)},
    {APMU_SUBJECT_SUNIDEN, APMU_REG_SDER32_EL3, APMU_MASK(SDER32_EL3, SUNIDEN)},
};

enum { KNOBS = sizeof knobs / sizeof knobs[0] };

/* Sets each knob to its bit of @choice.  Returns false if no level up to @level may write a knob that would change. */
static bool turn_knobs(struct apmu_facts *g, unsigned n, enum apmu_state state, unsigned level, unsigned choice)
{
    for (unsigned k = 0; k < KNOBS; k++) {
        struct apmu_cure_write w = {.reg = knobs[k].reg, .mask = knobs[k].bit,
                                    .subjects = UINT64_C(1) << knobs[k].subject};
        bool allowed = false;
        uint64_t was;

        w.value = (choice >> k & 1) != 0 ? w.mask : 0;
        (void)apmu_subject_known(g, knobs[k].subject, n, &was);
        if ((was != 0) == (w.value != 0)) {
            continue;
        }
        for (w.el = 1; w.el <= level && !allowed; w.el++) {
            if (performed(g, &w, state) && (w.el < 2 || (g->is.p.cfg.features >> w.el & 0x11) != 0)) {
                apmu_cure_apply(g, &w, state);
                allowed = true;
            }
        }
        if (!allowed) {
            return false;
        }
    }
    return true;
}

static uint64_t tried_everything; /* impossible cures for which all settings of the knobs were tried */

/* Checks that no setting of the knobs makes the counter count if a cure is impossible. */
static bool impossible_is_possible(struct choices *c)
{
    struct apmu_facts f;
    struct apmu_cure cure;
    const enum apmu_state state = any_whole(c, &f);
    const unsigned n = any_counter(c, &f.is.p.cfg), level = 1 + pick_of(c, 3);
    bool possible = false;

    f.is.pe.pmblimitr_el1 = 0; /* leaves only the knobs and the counter's own register and enable */
    f.is.p.ccr = APMU_PUT(PMCCR, EPMN, f.is.p.cfg.counters) | APMU_MASK(PMCCR, EPME);
    f.is.p.cnten |= UINT64_C(1) << n;
    f.is.p.typer[n] = APMU_MASK(PMEVTYPER_EL0, NSH);
    f.is.p.ovs = pick_bool(c) ? f.is.p.ovs & ~(UINT64_C(1) << n) : 0;
    f.is.p.userenr = 0;
    apmu_facts_at(&f, state);
    apmu_cure(&f, n, state, level, &cure);
    if (cure.result != APMU_CURE_IMPOSSIBLE) {
        return false;
    }
    tried_everything++;
    for (unsigned choice = 0; choice < 1u << KNOBS && !possible; choice++) {
        struct apmu_facts g = f;

        possible = turn_knobs(&g, n, state, level, choice) && counts(&g, n, state);
    }
    return possible && say("impossible, but it is not", &f, n, state, apmu_why(&f.is.p, &f.is.pe, n), level);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Answers with less work than they need.
 */

/* Verdicts that are not complete, and cures by their result whose search was given up. */
static unsigned long cut_verdicts, cut_cures[4];

/* Checks that a verdict with less work agrees with the full one, or says that it is not complete. */
static bool cut_verdict_is_wrong(struct choices *c)
{
    struct apmu_facts f;
    struct apmu_full_state whole;
    struct apmu_verdict all, some;
    const enum apmu_state state = any_facts(c, &f, &whole);
    const unsigned n = any_counter(c, &f.is.p.cfg);
    const uint64_t bound = pick(c, 1 + pick_of(c, 12));
    uint64_t work = bound;

    apmu_facts_at(&f, state);
    apmu_verdict(&f, n, &all);
    apmu_verdict_within(&f, n, &work, &some);
    cut_verdicts += !some.complete;
    const bool same = some.is == all.is && some.always == all.always && some.maybe == all.maybe;

    return (work > bound || (some.complete && !same) || (some.is != APMU_ANSWER_DEPENDS && some.is != all.is) ||
            (some.always & ~all.always) != 0 || ((all.always | all.maybe) & ~(some.always | some.maybe)) != 0) &&
           say("a verdict with less work", &f, n, state, bound, some.is);
}

/* Checks that a cure with less work still cures, or says that the search was given up. */
static bool cut_cure_is_wrong(struct choices *c)
{
    struct apmu_facts f;
    struct apmu_full_state whole;
    struct apmu_cure all, some;
    struct apmu_verdict after;
    const enum apmu_state state = any_facts(c, &f, &whole);
    const unsigned n = any_counter(c, &f.is.p.cfg), level = 1 + pick_of(c, 4);
    const uint64_t bound = pick(c, 1 + pick_of(c, 14));
    uint64_t work = bound;

    apmu_cure(&f, n, state, level, &all);
    apmu_cure_within(&f, n, state, level, &work, &some);
    cut_cures[some.result] += some.cut;
    if (work > bound || (some.result == APMU_CURE_GAVE_UP && !some.cut)) {
        return say("a cure's work", &f, n, state, bound, work);
    }
    if (some.result == APMU_CURE_GAVE_UP || all.result == APMU_CURE_GAVE_UP ||
        (some.result == APMU_CURE_NEEDLESS && some.cut)) { /* a search for what excludes the unknown was cut short */
        return false;
    }
    if (some.result == APMU_CURE_FOUND) {
        for (size_t i = 0; i < some.count; i++) {
            apmu_cure_apply(&f, &some.writes[i], state);
        }
        apmu_facts_at(&f, state);
        apmu_verdict(&f, n, &after);
        return after.is == APMU_ANSWER_STANDS && say("a cure with less work cures nothing", &f, n, state, bound, 0);
    }
    return some.result != all.result && say("a cure with less work", &f, n, state, some.result, all.result);
}

/* Checks that the properties met enough cases of each kind. */
static bool a_case_is_never_met(struct choices *c)
{
    (void)c;
    snprintf(any_message, sizeof any_message, "found %lu, needless %lu, impossible %lu; writes %lu %lu %lu %lu; %llu",
             results[0], results[1], results[2], sizes[1], sizes[2], sizes[3], sizes[4],
             (unsigned long long)tried_everything);
    if (cut_verdicts < 10 || cut_cures[APMU_CURE_FOUND] < 10 || cut_cures[APMU_CURE_GAVE_UP] < 10) {
        snprintf(any_message, sizeof any_message, "cut: verdicts %lu, cures found %lu, given up %lu", cut_verdicts,
                 cut_cures[APMU_CURE_FOUND], cut_cures[APMU_CURE_GAVE_UP]);
        return true;
    }
    return results[0] < 100 || results[1] < 20 || results[2] < 20 || sizes[3] < 10 || tried_everything < 10;
}

PROPERTIES(
    {"a cure cures, and no part of it does", cure_fails, .rounds = 100000},
    {"impossible is what trying everything does not find", impossible_is_possible, .rounds = 1500},
    {"a verdict with less work says nothing wrong", cut_verdict_is_wrong, .rounds = 3000},
    {"a cure with less work says nothing wrong", cut_cure_is_wrong, .rounds = 3000},
    {"cures of all kinds are met", a_case_is_never_met, .sums_up = true})
