/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks the Secure policy (<armpmu/policy.h>) against the model.  With its values, no counter that less trusted
 * software can read counts in a protected state, whatever that software wrote.  apmu_policy_check() finds a leak
 * exactly where the model has one.
 */

#include <armpmu/policy.h>

#include "any.h"

#define ONE(n) (UINT64_C(1) << (n))

static unsigned long asked, relied; /* policies tried, and those of them that rely on entries */

/* Draws an implementation and the states to protect in it.  Returns false if the draw is not usable. */
static bool any_request(struct choices *c, struct apmu_config *cfg, struct apmu_policy_request *r)
{
    *cfg = any_legal_config(c);
    if (apmu_config_check(cfg) != NULL && !cfg->secure_only) {
        return false;
    }
    const bool el3 = (cfg->features & (APMU_FEAT(AA64EL3) | APMU_FEAT(AA32EL3))) != 0;
    const bool el2 = (cfg->features & (APMU_FEAT(AA64EL2) | APMU_FEAT(AA32EL2))) != 0;

    cfg->secure_only &= !el3;
    if (apmu_config_check(cfg) != NULL || (!el2 && !el3)) {
        return false;
    }
    *r = (struct apmu_policy_request){.features = cfg->features, .counters = cfg->counters};
    r->level = el3 && (!el2 || pick(c, 2) != 0) ? 3 : 2;
    r->protect = (uint16_t)(apmu_states(r->features) & pick(c, APMU_STATE_COUNT) &
                            (r->level == 2 ? APMU_STATES_EL2 : ~(APMU_STATE(NS_EL0) | APMU_STATE(NS_EL1))));
    if (!el3) { /* the only Security state that is implemented */
        r->protect &= cfg->secure_only ? APMU_STATE(S_EL2) : APMU_STATE(NS_EL2);
    }
    return r->protect != 0;
}

static enum apmu_state any_state(struct choices *c, unsigned set)
{
    unsigned state = pick_of(c, APMU_STATE_COUNT);

    while ((set >> state & 1) == 0) {
        state = (state + 1) % APMU_STATE_COUNT;
    }
    return (enum apmu_state)state;
}

/* Puts the PE into @state.  The other bits of SCR_EL3 are unchanged. */
static void go_to(struct apmu_pe *pe, enum apmu_state state)
{
    static const uint8_t els[APMU_STATE_COUNT] = {
        [APMU_STATE_S_EL1] = 1, [APMU_STATE_S_EL2] = 2, [APMU_STATE_EL3] = 3, [APMU_STATE_NS_EL1] = 1,
        [APMU_STATE_NS_EL2] = 2, [APMU_STATE_RL_EL1] = 1, [APMU_STATE_RL_EL2] = 2,
    };
    const bool realm = (APMU_STATES_REALM >> state & 1) != 0, secure = (APMU_STATES_SECURE >> state & 1) != 0;

    pe->el = els[state];
    pe->halted = false;
    if (state != APMU_STATE_EL3) {
        pe->scr_el3 &= ~(APMU_MASK(SCR_EL3, NS) | APMU_MASK(SCR_EL3, NSE));
        pe->scr_el3 |= APMU_PUT(SCR_EL3, NS, !secure) | APMU_PUT(SCR_EL3, NSE, realm);
    }
    pe->scr_el3 |= state == APMU_STATE_S_EL2 ? APMU_MASK(SCR_EL3, EEL2) : 0;
}

/* Returns whether the protected software is EL2, which owns the second range. */
static bool second_range_is_its_own(const struct apmu_policy_request *r, enum apmu_state state)
{
    return r->level == 2 || state == APMU_STATE_NS_EL2;
}

/* Returns the counters that less trusted software can read. */
static uint64_t readable(const struct apmu *p, const struct apmu_pe *pe, const struct apmu_policy_request *r,
                         enum apmu_state state)
{
    uint64_t set = ONE(APMU_CYCLE) | ONE(APMU_INSTR);

    for (unsigned n = 0; n < p->cfg.counters; n++) {
        const unsigned range = apmu_range(p, pe, n);

        set |= range == 1 || (range == 2 && !second_range_is_its_own(r, state)) ? ONE(n) : 0;
    }
    return set;
}

/* Returns whether the counters outside @set cannot be accessed through System registers below EL2. */
static bool out_of_reach(const struct apmu *p, const struct apmu_pe *pe, uint64_t set)
{
    struct apmu_pe below = *pe;

    below.el = 1;
    for (unsigned n = 0; n < p->cfg.counters; n++) {
        if ((set & ONE(n)) == 0 &&
            apmu_access(p, &below, APMU_REG_PMEVCNTR_EL0, n, false).outcome == APMU_ACCESS_OK) {
            return false;
        }
    }
    return true;
}

/* Returns NULL if no counter of @set counts, else what one did. */
static const char *moves(struct choices *c, const struct apmu *p, const struct apmu_pe *pe, uint64_t set)
{
    const struct apmu_occurrence both[2] = {{any_events[pick(c, 2)], 1 + pick(c, 8)}, {0x0008, 3}};
    struct apmu q = *p;

    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        if ((set & ONE(n)) != 0 && apmu_why(p, pe, n) == 0) {
            return "counts";
        }
    }
    apmu_event(&q, pe, any_events[pick(c, 2)], 1 + pick(c, 4), 1 + pick(c, 33), NULL);
    apmu_cycles(&q, pe, 1 + pick(c, 33), NULL);
    apmu_step(&q, pe, 1 + pick(c, 4), both, 2, NULL);
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        if ((set & ONE(n)) != 0 && q.cntr[n] != p->cntr[n]) {
            return "moved";
        }
    }
    return (q.ovs ^ p->ovs) & set ? "overflowed" : NULL;
}

static bool say(const char *what, const struct apmu_policy_request *r, enum apmu_state state, unsigned long long detail)
{
    snprintf(any_message, sizeof any_message, "%s: %s, level %u, protect %x, counters %u, features %llx, %llx", what,
             apmu_state_text(state), r->level, r->protect, r->counters, (unsigned long long)r->features, detail);
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The values.
 */

static bool has(const struct apmu_policy_row *rows, size_t count, enum apmu_policy_hold hold, enum apmu_reg reg)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].hold == hold && rows[i].reg == reg) {
            return true;
        }
    }
    return false;
}

static bool values_leak(struct choices *c)
{
    struct apmu_policy_row rows[APMU_POLICY_ROWS];
    struct apmu_policy_request r;
    struct apmu_config cfg;
    struct apmu_pe pe;
    struct apmu p;
    size_t count;

    if (!any_request(c, &cfg, &r)) {
        return false;
    }
    if (apmu_policy(&r, rows, APMU_POLICY_ROWS, &count) != APMU_OK) {
        return say("no policy", &r, APMU_STATE_EL3, 0);
    }
    const enum apmu_state state = any_state(c, r.protect);
    const bool entry = has(rows, count, APMU_HOLD_ENTRY, APMU_REG_PMCR_EL0);
    const bool own = second_range_is_its_own(&r, state);

    any_unit(c, &p); /* every PMU register has a value that less trusted software may have written */
    p.cfg = cfg;
    any_pe(c, &cfg, &pe); /* so has every register of the PE */
    go_to(&pe, state);
    pe.unattributable = false;
    pe.mdcr_el3 = apmu_policy_value(rows, count, APMU_HOLD_BOOT, APMU_REG_MDCR_EL3, pe.mdcr_el3);
    pe.sder32_el3 = apmu_policy_value(rows, count, APMU_HOLD_BOOT, APMU_REG_SDER32_EL3, pe.sder32_el3);
    if (own) {
        pe.mdcr_el2 = apmu_policy_value(rows, count, APMU_HOLD_BOOT, APMU_REG_MDCR_EL2, pe.mdcr_el2);
    }
    if (entry) {
        p.pmcr = apmu_policy_value(rows, count, APMU_HOLD_ENTRY, APMU_REG_PMCR_EL0, p.pmcr);
        pe.mdcr_el2 = apmu_policy_value(rows, count, APMU_HOLD_ENTRY, APMU_REG_MDCR_EL2, pe.mdcr_el2);
    }
    if (has(rows, count, APMU_HOLD_SIGNAL, APMU_REG_PMAUTHSTATUS)) {
        pe.spiden = pe.spniden = false;
    }
    asked++;
    relied += entry;
    const uint64_t set = readable(&p, &pe, &r, state);
    const char *what = moves(c, &p, &pe, set);

    return (what != NULL && say(what, &r, state, set)) ||
           (own && !out_of_reach(&p, &pe, set) && say("can be read", &r, state, set));
}

/* ---------------------------------------------------------------------------------------------------------------
 * The check.
 */

enum { REGS = 5 };

/* Draws registers: some near the policy, some not given. */
static size_t any_regs(struct choices *c, const struct apmu_policy_request *r, const struct apmu_config *cfg,
                       struct apmu_policy_reg *regs)
{
    static const enum apmu_reg which[REGS] = {APMU_REG_MDCR_EL3, APMU_REG_SDER32_EL3, APMU_REG_MDCR_EL2,
                                              APMU_REG_PMCR_EL0, APMU_REG_PMAUTHSTATUS};
    struct apmu_policy_row rows[APMU_POLICY_ROWS];
    const bool secure_state = cfg->secure_only || (cfg->features & (APMU_FEAT(AA64EL3) | APMU_FEAT(AA32EL3))) != 0;
    size_t count = 0, row_count;

    (void)apmu_policy(r, rows, APMU_POLICY_ROWS, &row_count);
    for (unsigned i = 0; i < REGS; i++) {
        uint64_t value = pick(c, 64);

        if (pick_bool(c)) {
            const enum apmu_policy_hold hold = i == 4 ? APMU_HOLD_SIGNAL : APMU_HOLD_BOOT;

            value = apmu_policy_value(rows, row_count, hold, which[i], value);
            value ^= pick(c, 2) == 0 ? ONE(pick_of(c, 40)) : 0;
        }
        if (which[i] == APMU_REG_MDCR_EL2) { /* HPMN near the number of counters */
            value = pick_bool(c) ? (value & ~UINT64_C(31)) | (pick_of(c, r->counters + 2u) & 31u) : value;
        }
        if (which[i] == APMU_REG_PMAUTHSTATUS) {
            value = APMU_PUT(PMAUTHSTATUS, SNID, secure_state ? (value & 0x40) != 0 ? 3 : 2 : 0);
        }
        if (pick(c, 2) != 0 || (which[i] == APMU_REG_PMAUTHSTATUS && !secure_state)) {
            regs[count++] = (struct apmu_policy_reg){which[i], value};
        }
    }
    return count;
}

static const uint64_t *given(const struct apmu_policy_reg *regs, size_t count, enum apmu_reg reg)
{
    for (size_t i = 0; i < count; i++) {
        if (regs[i].reg == reg) {
            return &regs[i].value;
        }
    }
    return NULL;
}

/* Sets the model's registers to the given ones that can be relied on in @state.  The others are unchanged. */
static void give(const struct apmu_policy_request *r, const struct apmu_policy_reg *regs, size_t count, bool entered,
                 enum apmu_state state, struct apmu *p, struct apmu_pe *pe)
{
    const uint64_t *value;

    if ((value = given(regs, count, APMU_REG_MDCR_EL3)) != NULL) {
        pe->mdcr_el3 = *value;
    }
    if ((value = given(regs, count, APMU_REG_SDER32_EL3)) != NULL) {
        pe->sder32_el3 = *value;
    }
    if ((value = given(regs, count, APMU_REG_MDCR_EL2)) != NULL && (entered || second_range_is_its_own(r, state))) {
        pe->mdcr_el2 = *value;
    }
    if ((value = given(regs, count, APMU_REG_PMCR_EL0)) != NULL && entered) {
        p->pmcr = *value;
    }
    if ((value = given(regs, count, APMU_REG_PMAUTHSTATUS)) != NULL) {
        pe->dbgen = pe->niden = true;
        pe->spiden = pe->spniden = APMU_GET(PMAUTHSTATUS, SNID, *value) == 3;
    }
}

/*
 * Returns which counters less trusted software can make count, according to the model, if it chooses the best values.
 */
static unsigned model_leaks(const struct apmu_policy_request *r, const struct apmu_config *cfg,
                            const struct apmu_policy_reg *regs, size_t count, bool entered, enum apmu_state state)
{
    static const unsigned kinds[4] = {0, APMU_KIND_FIRST, APMU_KIND_SECOND, APMU_KIND_THIRD};
    const bool held = entered || second_range_is_its_own(r, state);
    const bool any_el2 = given(regs, count, APMU_REG_MDCR_EL2) == NULL || !held;
    unsigned set = 0;

    for (unsigned choice = 0; choice < 16; choice++) {
        struct apmu p;
        struct apmu_pe pe;

        memset(&p, 0, sizeof p);
        memset(&pe, 0, sizeof pe);
        p.cfg = *cfg;
        p.cfg.reserved_hpmn = choice & 1 ? cfg->counters : 0;
        p.pmcr = APMU_MASK(PMCR_EL0, E);
        p.cnten = ~UINT64_C(0);
        p.ccr = APMU_PUT(PMCCR, EPMN, cfg->counters);
        for (unsigned n = 0; n < APMU_COUNTERS; n++) {
            p.typer[n] = APMU_MASK(PMEVTYPER_EL0, NSH);
        }
        apmu_settle(&p);
        pe.mdcr_el3 = APMU_MASK(MDCR_EL3, SPME);
        pe.sder32_el3 = APMU_MASK(SDER32_EL3, SUNIDEN);
        pe.mdcr_el2 = APMU_MASK(MDCR_EL2, HPME);
        pe.dbgen = pe.spiden = true;
        pe.scr_el3 = choice & 2 ? APMU_MASK(SCR_EL3, RW) : 0;
        pe.hcr_el2 = choice & 2 ? APMU_MASK(HCR_EL2, RW) : 0;
        give(r, regs, count, entered, state, &p, &pe);
        if (any_el2 && cfg->counters != 0) {
            const unsigned hpmn = choice & 4 ? cfg->counters : choice & 8 ? cfg->counters - 1u : 0;

            pe.mdcr_el2 |= APMU_PUT(MDCR_EL2, HPMN, hpmn);
        }
        go_to(&pe, state);
        for (unsigned n = 0; n < APMU_COUNTERS; n++) {
            const unsigned range = apmu_range(&p, &pe, n);

            if (apmu_why(&p, &pe, n) == 0 && !(range == 2 && second_range_is_its_own(r, state))) {
                set |= n == APMU_CYCLE ? APMU_KIND_CYCLE : n == APMU_INSTR ? APMU_KIND_INSTR : kinds[range];
            }
        }
    }
    return set;
}

static unsigned long leaking, tight; /* register states in which a counter leaks, and in which none does */

static bool check_differs(struct choices *c)
{
    struct apmu_policy_violation v[APMU_LEAK_COUNT];
    struct apmu_policy_reg regs[REGS];
    struct apmu_policy_request r;
    struct apmu_config cfg;
    unsigned by_state[APMU_STATE_COUNT] = {0}, blamed[APMU_STATE_COUNT] = {0};
    bool leaks = false;

    if (!any_request(c, &cfg, &r)) {
        return false;
    }
    const size_t count = any_regs(c, &r, &cfg, regs);
    const bool entered = pick_bool(c);
    const size_t found = apmu_policy_check(&r, regs, count, entered, v);

    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        const enum apmu_state state = (enum apmu_state)s;

        if ((r.protect >> s & 1) != 0) {
            by_state[s] = model_leaks(&r, &cfg, regs, count, entered, state);
            leaks |= by_state[s] != 0;
            const unsigned got = apmu_policy_leaks(&r, regs, count, entered, state);
            if (got != by_state[s]) {
                return say("the check and the model differ", &r, state, got << 8 | by_state[s]);
            }
        }
    }
    leaking += leaks;
    tight += !leaks;
    if ((found != 0) != leaks) {
        return say("a violation without a leak, or a leak without a violation", &r, APMU_STATE_EL3, found);
    }
    for (size_t i = 0; i < found; i++) {
        unsigned any = 0;

        for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
            blamed[s] |= v[i].states >> s & 1 ? v[i].counters : 0;
            any |= v[i].states >> s & 1 ? by_state[s] : 0;
            if ((v[i].states >> s & 1) != 0 && (by_state[s] & v[i].counters) == 0) {
                return say("a state is blamed in which nothing moves", &r, (enum apmu_state)s, v[i].leak);
            }
        }
        if ((v[i].counters & ~any) != 0 || (v[i].known && v[i].found == v[i].wanted)) {
            return say("a violation without a cause", &r, APMU_STATE_EL3, v[i].leak);
        }
    }
    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        if ((by_state[s] & ~blamed[s]) != 0) {
            return say("a leak has no cause", &r, (enum apmu_state)s, by_state[s]);
        }
    }
    return false;
}

/* Checks that no violation is left at an entry after the writes that the violations ask for. */
static bool lifting_fails(struct choices *c)
{
    struct apmu_policy_violation v[APMU_LEAK_COUNT];
    struct apmu_policy_reg regs[REGS + 1];
    struct apmu_policy_request r;
    struct apmu_config cfg;

    if (!any_request(c, &cfg, &r)) {
        return false;
    }
    size_t count = any_regs(c, &r, &cfg, regs);
    const size_t found = apmu_policy_check(&r, regs, count, true, v);

    for (size_t i = 0; i < found; i++) {
        size_t k = 0;

        while (k < count && regs[k].reg != v[i].reg) {
            k++;
        }
        if (k == count) {
            regs[count++] = (struct apmu_policy_reg){v[i].reg, pick(c, 64)};
            if (v[i].reg == APMU_REG_MDCR_EL3) { /* a random value could add violations */
                regs[k].value = 0;
            }
        }
        regs[k].value = (regs[k].value & ~v[i].mask) | v[i].wanted;
    }
    return apmu_policy_check(&r, regs, count, true, v) != 0 &&
           say("a violation is left", &r, APMU_STATE_EL3, found);
}

/* Checks that nothing counts if apmu_policy_check() finds nothing, with random values in all other registers. */
static bool clean_leaks(struct choices *c)
{
    struct apmu_policy_violation v[APMU_LEAK_COUNT];
    struct apmu_policy_reg regs[REGS];
    struct apmu_policy_request r;
    struct apmu_config cfg;
    struct apmu_pe pe;
    struct apmu p;

    if (!any_request(c, &cfg, &r)) {
        return false;
    }
    const enum apmu_state state = any_state(c, r.protect);
    r.protect = (uint16_t)(1u << state);
    const size_t count = any_regs(c, &r, &cfg, regs);
    const bool entered = pick_bool(c);

    if (apmu_policy_check(&r, regs, count, entered, v) != 0) {
        return false;
    }
    any_unit(c, &p);
    p.cfg = cfg;
    any_pe(c, &cfg, &pe);
    pe.unattributable = false;
    give(&r, regs, count, entered, state, &p, &pe);
    go_to(&pe, state);
    const uint64_t set = readable(&p, &pe, &r, state);
    const char *what = moves(c, &p, &pe, set);

    return what != NULL && say(what, &r, state, set);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Filters.
 */

static bool filter_differs(struct choices *c)
{
    unsigned out = (unsigned)pick(c, APMU_STATE_COUNT);
    struct apmu_config cfg = any_legal_config(c);
    struct apmu_pe pe;
    struct apmu p;

    if (apmu_config_check(&cfg) != NULL || (cfg.features & APMU_FEAT(PMUv1)) != 0) {
        return false;
    }
    const bool el3 = (cfg.features & (APMU_FEAT(AA64EL3) | APMU_FEAT(AA32EL3))) != 0;
    const bool a32_el3 = el3 && (cfg.features & APMU_FEAT(AA64EL3)) == 0;
    unsigned states = apmu_states(cfg.features);

    if (!el3) {
        states &= cfg.secure_only ? APMU_STATE(S_EL2) : ~APMU_STATES_SECURE;
        out &= states; /* the bits of the only Security state that is implemented */
    }
    if (states == 0) {
        return false;
    }
    const enum apmu_state state = any_state(c, states);
    const unsigned shared = a32_el3 ? APMU_STATE(S_EL1) | APMU_STATE(EL3) : 0;
    const bool is_out = (out >> state & 1) != 0 || ((shared >> state & 1) != 0 && (out & shared) != 0);

    memset(&p, 0, sizeof p);
    memset(&pe, 0, sizeof pe);
    p.cfg = cfg;
    apmu_init(&p, &cfg);
    p.typer[APMU_CYCLE] = apmu_policy_filter(cfg.features, out);
    apmu_settle(&p);
    go_to(&pe, state);
    const uint64_t filtered = UINT64_C(0x3FF) << APMU_REASON_FILTER_U;
    const bool stopped = (apmu_why(&p, &pe, APMU_CYCLE) & filtered) != 0;

    return stopped != is_out && say(is_out ? "filtered out, but counts" : "not filtered out, but stopped",
                                   &(struct apmu_policy_request){.features = cfg.features}, state, out);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Coverage.
 */

static bool seen_little(struct choices *c)
{
    (void)c;
    printf("# %lu policies, %lu with entries; %lu register states leak, %lu do not\n", asked, relied, leaking, tight);
    snprintf(any_message, sizeof any_message, "one of these numbers is 0");
    return asked == 0 || relied == 0 || leaking == 0 || tight == 0;
}

PROPERTIES(
    {"policy: with its values nothing moves in a protected state", values_leak, .rounds = 200000},
    {"policy: the check finds a leak exactly where the model does", check_differs, .rounds = 100000},
    {"policy: a clean check means that nothing leaks", clean_leaks, .rounds = 100000},
    {"policy: the wanted writes end all violations", lifting_fails, .rounds = 100000},
    {"policy: a filter stops the counter in its states, and in no other", filter_differs, .rounds = 100000},
    {"policy: leaks, tight states and entries were all seen", seen_little, .sums_up = true})
