/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests audits as information flow.  Two runs differ only in what the protected state executes.  An audit must report a
 * leak exactly if less trusted software can read a difference between the two, whatever that software wrote before.
 */

#include "facts.h"

/* The arguments of an audit of one state, and the state in which less trusted software reads the counters. */
struct scenario {
    enum apmu_state protected, watcher;
    unsigned level;
    bool entered;
};

/* Draws a scenario.  Returns false if a PE with @cfg has none. */
static bool any_scenario(struct choices *c, const struct apmu_config *cfg, struct scenario *w)
{
    const unsigned states = apmu_explain_states(cfg);
    const bool el3 = (cfg->features & (APMU_FEAT(AA64EL3) | APMU_FEAT(AA32EL3))) != 0;
    const bool el2 = (cfg->features & (APMU_FEAT(AA64EL2) | APMU_FEAT(AA32EL2))) != 0;
    unsigned protect;

    if (!el2 && !el3) {
        return false;
    }
    w->level = el3 && (!el2 || pick_bool(c)) ? 3 : 2;
    protect = states & (w->level == 2 ? APMU_STATES_EL2 : APMU_STATES_SECURE | APMU_STATES_REALM | APMU_STATE(EL3));
    if (protect == 0) {
        return false;
    }
    w->protected = any_state(c, protect);
    w->entered = pick_bool(c);
    w->watcher = w->level == 3                          ? el2 ? APMU_STATE_NS_EL2 : APMU_STATE_NS_EL1
                 : w->protected == APMU_STATE_S_EL2     ? APMU_STATE_S_EL1
                 : w->protected == APMU_STATE_RL_EL2    ? APMU_STATE_RL_EL1
                                                        : APMU_STATE_NS_EL1;
    return true;
}

static bool all_known(uint64_t known, uint64_t bits)
{
    return (known & bits) == bits;
}

/*
 * Draws the state that less trusted software may have written.  Known values that this software cannot change are kept.
 */
static void program(struct choices *c, const struct apmu_facts *f, const struct scenario *w, struct apmu_full_state *s)
{
    const bool own = w->level == 2;
    const bool el2_known = all_known(f->known.pe.mdcr_el2, APMU_MASK(MDCR_EL2, HPMN) | APMU_MASK(MDCR_EL2, HPME) |
                                     APMU_MASK(MDCR_EL2, HPMD) | APMU_MASK(MDCR_EL2, HCCD));
    const uint64_t traps = APMU_MASK(MDCR_EL2, TPM);

    any_unit(c, &s->p);
    s->p.cfg = f->is.p.cfg;
    s->p.cfg.reserved_hpmn = (uint8_t)pick_of(c, s->p.cfg.counters + 1u); /* a reserved HPMN may act as any value */
    s->p.ccr = APMU_PUT(PMCCR, EPMN, s->p.cfg.counters);
    apmu_settle(&s->p);
    any_engine_pe(c, &s->p.cfg, &s->pe);
    s->pe.halted = false;
    s->pe.unattributable = false;
    s->pe.mdcr_el3 = (f->is.pe.mdcr_el3 & f->known.pe.mdcr_el3) | (s->pe.mdcr_el3 & ~f->known.pe.mdcr_el3);
    s->pe.sder32_el3 = (f->is.pe.sder32_el3 & f->known.pe.sder32_el3) | (s->pe.sder32_el3 & ~f->known.pe.sder32_el3);
    if (el2_known && (w->entered || own)) {
        s->pe.mdcr_el2 = f->is.pe.mdcr_el2 | (s->pe.mdcr_el2 & ~f->known.pe.mdcr_el2);
    }
    if (own) { /* the watcher cannot change the traps of EL2, even if the rest is unknown */
        s->pe.mdcr_el2 &= ~(traps & f->known.pe.mdcr_el2);
        s->pe.mdcr_el2 |= f->is.pe.mdcr_el2 & f->known.pe.mdcr_el2 & traps;
        s->pe.hdfgrtr_el2 = (f->is.pe.hdfgrtr_el2 & f->known.pe.hdfgrtr_el2) |
                            (s->pe.hdfgrtr_el2 & ~f->known.pe.hdfgrtr_el2);
        s->pe.hdfgrtr2_el2 = (f->is.pe.hdfgrtr2_el2 & f->known.pe.hdfgrtr2_el2) |
                             (s->pe.hdfgrtr2_el2 & ~f->known.pe.hdfgrtr2_el2);
    }
    if (w->entered && all_known(f->known.p.pmcr, APMU_MASK(PMCR_EL0, E) | APMU_MASK(PMCR_EL0, DP))) {
        s->p.pmcr = (f->is.p.pmcr & f->known.p.pmcr) | (s->p.pmcr & ~f->known.p.pmcr);
    }
    if (f->known.pe.dbgen) {
        s->pe.dbgen = f->is.pe.dbgen;
        s->pe.niden = f->is.pe.niden;
        s->pe.spiden = f->is.pe.spiden;
        s->pe.spniden = f->is.pe.spniden;
    }
}

/* Makes *@in the PE of @s in the protected state, and *@out the PE in the watcher's state. */
static void place(const struct apmu_full_state *s, const struct scenario *w, struct apmu_pe *in, struct apmu_pe *out)
{
    struct apmu_facts g = {.is = *s};

    apmu_facts_at(&g, w->protected);
    *in = g.is.pe;
    apmu_facts_at(&g, w->watcher);
    *out = g.is.pe;
}

/*
 * Makes each register known as a whole or not at all, because apmu_audit() treats a partly known register as unknown.
 */
static uint64_t whole_or_none(uint64_t known)
{
    return known == UINT64_MAX ? known : 0;
}

static void know_whole_registers(struct apmu_facts *f)
{
    f->known.pe.mdcr_el3 = whole_or_none(f->known.pe.mdcr_el3);
    f->known.pe.mdcr_el2 = whole_or_none(f->known.pe.mdcr_el2);
    f->known.pe.sder32_el3 = whole_or_none(f->known.pe.sder32_el3);
    f->known.p.pmcr = whole_or_none(f->known.p.pmcr);
    f->is.pe.mdcr_el3 &= f->known.pe.mdcr_el3;
    f->is.pe.mdcr_el2 &= f->known.pe.mdcr_el2;
    f->is.pe.sder32_el3 &= f->known.pe.sder32_el3;
    f->is.p.pmcr &= f->known.p.pmcr;
    f->is.pe.scr_el3 = f->known.pe.scr_el3 = 0; /* it differs between states */
}

/* Returns the event counters that EL2 reserves for itself, if the audit protects EL2. */
static uint64_t own_range(const struct apmu *p, const struct apmu_pe *in, const struct scenario *w)
{
    uint64_t own = 0;

    for (unsigned n = 0; n < p->cfg.counters; n++) {
        own |= (uint64_t)(w->level == 2 && apmu_range(p, in, n) == 2) << n;
    }
    return own;
}

/*
 * Returns true if the watcher can read a difference between @a and @b.  It cannot read the counters of @own.
 */
static bool tells_apart(const struct apmu *a, const struct apmu *b, const struct apmu_pe *pe, const struct scenario *w,
                        uint64_t own)
{
    const bool a64 = (a->cfg.features & APMU_FEAT(AA64EL1)) != 0;

    if (!a64) {
        return false; /* only PEs with AArch64 are checked */
    }
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        const enum apmu_reg reg = n == APMU_CYCLE   ? APMU_REG_PMCCNTR_EL0
                                  : n == APMU_INSTR ? APMU_REG_PMICNTR_EL0
                                                    : APMU_REG_PMEVCNTR_EL0;
        const unsigned copy = n < 31 ? n : 0;

        if (w->level == 2 && (own >> n & 1) != 0) {
            continue;
        }
        if (apmu_access(a, pe, reg, copy, false).outcome == APMU_ACCESS_OK &&
            apmu_peek(a, pe, reg, copy) != apmu_peek(b, pe, reg, copy)) {
            return true;
        }
    }
    return apmu_access(a, pe, APMU_REG_PMOVSSET_EL0, 0, false).outcome == APMU_ACCESS_OK &&
           ((apmu_peek(a, pe, APMU_REG_PMOVSSET_EL0, 0) ^ apmu_peek(b, pe, APMU_REG_PMOVSSET_EL0, 0)) & ~own) != 0;
}

/* Audits that reported a leak, and those that did not; pairs of runs that the watcher told apart. */
static unsigned long leaks, tight, seen;

/* Checks that the audit reports a leak if a watcher that writes anything can tell the two runs apart. */
static bool audit_wrong(struct choices *c)
{
    struct apmu_policy_violation v[APMU_AUDIT_ROWS];
    struct apmu_full_state whole, s;
    struct apmu_facts f;
    struct apmu_pe in, out;
    struct scenario w;
    bool apart = false;

    (void)any_facts(c, &f, &whole);
    if ((f.is.p.cfg.features & APMU_FEAT(PMUv3_EXTPMN)) != 0 || !any_scenario(c, &f.is.p.cfg, &w)) {
        return false; /* the third range belongs to an external agent */
    }
    know_whole_registers(&f);
    const unsigned found = apmu_audit_leaks(&f, w.level, w.entered, w.protected);
    const size_t count = apmu_audit(&f, w.level, 1u << w.protected, w.entered, v);

    if ((count != 0) != (found != 0)) {
        return say("violations without a leak, or a leak without one", &f, 0, w.protected, count, found);
    }
    leaks += found != 0;
    tight += found == 0;
    for (unsigned i = 0; i < 12 && !apart; i++) { /* whatever the watcher writes */
        struct apmu quiet, busy;
        const struct apmu_occurrence event = {any_events[pick(c, 2)], 1 + pick(c, 3)};

        program(c, &f, &w, &s);
        place(&s, &w, &in, &out);
        quiet = busy = s.p;
        if (event.event == APMU_EV_CHAIN || event.event == APMU_EV_CPU_CYCLES) {
            apmu_cycles(&busy, &in, 1 + pick(c, 5), NULL);
        } else {
            apmu_step(&busy, &in, 1 + pick(c, 5), &event, 1, NULL);
        }
        apart = tells_apart(&quiet, &busy, &out, &w, own_range(&s.p, &in, &w));
    }
    seen += apart;
    return apart && found == 0 && say("told apart, and the audit says no", &f, w.level, w.protected, w.entered, 0);
}

static unsigned long confirmed; /* reported leaks with which the watcher told two runs apart */

/* Checks the other direction: if the audit reports a leak, a watcher that writes what suits it can tell them apart. */
static bool leak_is_none(struct choices *c)
{
    struct apmu_full_state whole, s;
    struct apmu_facts f;
    struct apmu_pe in, out;
    struct scenario w;

    (void)any_facts(c, &f, &whole);
    if ((f.is.p.cfg.features & APMU_FEAT(PMUv3_EXTPMN)) != 0 || (f.is.p.cfg.features & APMU_FEAT(AA64EL1)) == 0 ||
        !any_scenario(c, &f.is.p.cfg, &w) || f.is.p.cfg.counters == 0) {
        return false;
    }
    know_whole_registers(&f);
    if (apmu_audit_leaks(&f, w.level, w.entered, w.protected) == 0) {
        return false;
    }
    for (unsigned i = 0; i < 4000; i++) {
        struct apmu busy;
        const struct apmu_occurrence event = {APMU_EV_INST_RETIRED, 1};

        program(c, &f, &w, &s);
        s.p.cnten = ~UINT64_C(0);
        s.p.ovs = 0;
        for (unsigned n = 0; n < APMU_COUNTERS; n++) {
            s.p.typer[n] = APMU_MASK(PMEVTYPER_EL0, NSH) | APMU_EV_INST_RETIRED;
            s.p.cntr[n] = i % 2 == 0 ? 0 : apmu_counter_size(&s.p, n) == 32 ? UINT32_MAX : UINT64_MAX;
        }
        if (!(w.entered && all_known(f.known.p.pmcr, APMU_MASK(PMCR_EL0, E) | APMU_MASK(PMCR_EL0, DP)))) {
            s.p.pmcr |= APMU_MASK(PMCR_EL0, E);
            s.p.pmcr &= ~(APMU_MASK(PMCR_EL0, FZO) | APMU_MASK(PMCR_EL0, FZS) | APMU_MASK(PMCR_EL0, DP));
        }
        s.pe.pmblimitr_el1 = 0;
        place(&s, &w, &in, &out);
        apmu_settle(&s.p);
        busy = s.p;
        busy.divider = 63; /* one cycle ticks a divided counter */
        struct apmu quiet = busy;
        apmu_step(&busy, &in, 1, &event, 1, NULL);
        if (tells_apart(&quiet, &busy, &out, &w, own_range(&s.p, &in, &w))) {
            confirmed++;
            return false;
        }
    }
    return say("a leak that nothing tells apart", &f, w.level, w.protected,
               apmu_audit_leaks(&f, w.level, w.entered, w.protected), w.entered);
}

/* Checks that the properties met enough states of each kind. */
static bool never_met(struct choices *c)
{
    (void)c;
    snprintf(any_message, sizeof any_message, "leaks %lu, tight %lu, seen %lu, confirmed %lu", leaks, tight, seen,
             confirmed);
    return leaks < 50 || tight < 50 || seen < 50 || confirmed < 20;
}

PROPERTIES(
    {"what is told apart is reported", audit_wrong, .rounds = 15000},
    {"what is reported can be told apart", leak_is_none, .rounds = 1500},
    {"leaks and tight states are met", never_met, .sums_up = true})
