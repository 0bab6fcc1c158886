/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns a state into verdicts, and writes counters and states as words. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "why.h"

static uint64_t known(const struct state *s, enum apmu_reg reg, unsigned n)
{
    return state_cell(s, reg, n)->known;
}

/* Marks the bits that the input gives.  Their values are in f->is, as the model's registers hold them. */
static void set_known(struct apmu_facts *f, const struct state *s, const struct apmu_config *cfg)
{
    struct apmu *p = &f->known.p;
    struct apmu_pe *pe = &f->known.pe;
    uint64_t value;

    p->pmcr = known(s, APMU_REG_PMCR_EL0, 0);
    p->cnten = known(s, APMU_REG_PMCNTENSET_EL0, 0);
    p->inten = known(s, APMU_REG_PMINTENSET_EL1, 0);
    p->ovs = known(s, APMU_REG_PMOVSSET_EL0, 0);
    p->userenr = known(s, APMU_REG_PMUSERENR_EL0, 0);
    p->uacr = known(s, APMU_REG_PMUACR_EL1, 0);
    p->ecr = known(s, APMU_REG_PMECR_EL1, 0);
    p->ccr = (cfg->features & APMU_FEAT(PMUv3_EXTPMN)) != 0 ? known(s, APMU_REG_PMCCR, 0) : UINT64_MAX;
    p->cfg.pmceid[0] = known(s, APMU_REG_PMCEID0_EL0, 0);
    p->cfg.pmceid[1] = known(s, APMU_REG_PMCEID1_EL0, 0);
    for (unsigned n = 0; n < APMU_EVENT_COUNTERS; n++) {
        p->typer[n] = known(s, APMU_REG_PMEVTYPER_EL0, n);
        p->cntr[n] = known(s, APMU_REG_PMEVCNTR_EL0, n);
    }
    p->typer[APMU_CYCLE] = known(s, APMU_REG_PMCCFILTR_EL0, 0);
    p->typer[APMU_INSTR] = known(s, APMU_REG_PMICFILTR_EL0, 0);
    p->cntr[APMU_CYCLE] = known(s, APMU_REG_PMCCNTR_EL0, 0);
    p->cntr[APMU_INSTR] = known(s, APMU_REG_PMICNTR_EL0, 0);
    if ((cfg->features & APMU_FEAT(PMUv3)) == 0) { /* no PMCCFILTR; PMXEVTYPER with SEL = 31 shows its bits */
        p->typer[APMU_CYCLE] |= (cfg->features & APMU_FEAT(PMUv1)) != 0 ? UINT64_MAX : 0;
    }
    for (unsigned r = APMU_REG_BORROWED; r < APMU_REG_ALL; r++) {
        apmu_pe_set(pe, (enum apmu_reg)r, known(s, (enum apmu_reg)r, 0));
    }
    pe->halted = true; /* the PE is not halted unless the input says that it is */
    pe->sm = STATE_FIELD(s, SVCR, 0, SM, &value);
    pe->dbgen = pe->niden = pe->spiden = pe->spniden =
        STATE_FIELD(s, DBGAUTHSTATUS_EL1, 0, SNID, &value) || STATE_FIELD(s, PMAUTHSTATUS, 0, SNID, &value);
}

void why_begin(struct why *w, const struct state *s)
{
    memset(w, 0, sizeof *w);
    w->state = s;
    state_to_model(s, &w->model);
    w->facts.is.p = w->model.p;
    w->facts.is.pe = w->model.pe;
    set_known(&w->facts, s, &w->model.cfg);
    w->states = apmu_explain_states(&w->model.cfg);
    w->counters = (UINT64_C(1) << w->model.cfg.counters) - 1;
    w->counters |= UINT64_C(1) << APMU_CYCLE;
    w->counters |= (w->model.cfg.features & APMU_FEAT(PMUv3_ICNTR)) != 0 ? UINT64_C(1) << APMU_INSTR : 0;
}

const enum apmu_state why_order[APMU_STATE_COUNT] = {
    APMU_STATE_NS_EL0, APMU_STATE_NS_EL1, APMU_STATE_NS_EL2, APMU_STATE_S_EL0, APMU_STATE_S_EL1,
    APMU_STATE_S_EL2,  APMU_STATE_RL_EL0, APMU_STATE_RL_EL1, APMU_STATE_RL_EL2, APMU_STATE_EL3,
};

struct apmu_facts why_at(const struct why *w, enum apmu_state state)
{
    struct apmu_facts f = w->facts;

    apmu_facts_at(&f, state);
    return f;
}

static bool why_has_el2(const struct why *w)
{
    return (w->model.cfg.features & (APMU_FEAT(AA64EL2) | APMU_FEAT(AA32EL2))) != 0;
}

/* Returns the counters that are enabled or have an event, a filter or a count; if there are none, all asked for. */
static uint64_t find_in_use(const struct why *w)
{
    const struct apmu *is = &w->facts.is.p;
    uint64_t set = is->cnten;

    for (unsigned n = 0; n < APMU_CYCLE; n++) {
        set |= is->typer[n] != 0 || is->cntr[n] != 0 ? UINT64_C(1) << n : 0;
    }
    set |= is->typer[APMU_CYCLE] != 0 || is->cntr[APMU_CYCLE] != 0 ? UINT64_C(1) << APMU_CYCLE : 0;
    set &= w->counters;
    return set != 0 ? set : w->counters;
}

/*
 * Returns true if the same is known of event counters @a and @b, which gives them the same answers.  If HPMN is
 * unknown, they may be in different ranges, but each of them may be in either.  Then only overflow flags that are set
 * tell them apart.
 */
static bool alike(const struct why *w, unsigned a, unsigned b)
{
    const struct apmu_facts *f = &w->facts;
    const bool hpmn = apmu_subject_known(f, APMU_SUBJECT_HPMN, a, NULL) || !why_has_el2(w);
    const bool split = hpmn && apmu_subject_known(f, APMU_SUBJECT_EPMN, a, NULL);
    const uint64_t differ = f->is.p.cnten >> a ^ f->is.p.cnten >> b;
    const uint64_t known_differ = f->known.p.cnten >> a ^ f->known.p.cnten >> b;

    if (((differ | known_differ) & 1) != 0 || f->is.p.typer[a] != f->is.p.typer[b] ||
        f->known.p.typer[a] != f->known.p.typer[b]) {
        return false;
    }
    return split ? apmu_range(&f->is.p, &f->is.pe, a) == apmu_range(&f->is.p, &f->is.pe, b)
                 : a > 0 && b > 0 && (f->is.p.ovs & f->known.p.ovs) == 0;
}

/* Returns the lowest event counter asked for that has the same answers as @n, which may be @n itself. */
static unsigned first_alike(const struct why *w, unsigned n)
{
    for (unsigned k = 0; n < APMU_CYCLE && k < n; k++) {
        if ((w->counters >> k & 1) != 0 && alike(w, k, n)) {
            return k;
        }
    }
    return n;
}

void why_decide(struct why *w, uint64_t work)
{
    unsigned shares[APMU_COUNTERS], questions = 0;

    w->in_use = find_in_use(w);
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        shares[n] = first_alike(w, n);
        for (unsigned state = 0; state < APMU_STATE_COUNT; state++) {
            questions += (w->counters >> n & 1) != 0 && shares[n] == n && (w->states >> state & 1) != 0;
        }
    }
    for (unsigned state = 0; state < APMU_STATE_COUNT; state++) {
        if ((w->states >> state & 1) == 0) {
            continue;
        }
        const struct apmu_facts f = why_at(w, (enum apmu_state)state);
        for (unsigned n = 0; n < APMU_COUNTERS; n++) {
            if ((w->counters >> n & 1) != 0 && shares[n] != n) {
                w->verdicts[n][state] = w->verdicts[shares[n]][state];
            } else if ((w->counters >> n & 1) != 0) {
                uint64_t part = work / questions--; /* work that this one leaves goes to the next ones */

                work -= part;
                apmu_verdict_within(&f, n, &part, &w->verdicts[n][state]);
                work += part;
            }
        }
    }
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        if ((w->counters >> n & 1) != 0) {
            apmu_counter_setup(&w->facts, n, &w->setups[n]);
        }
    }
}

/* Makes *@other the state of @w on a PE with @features, with its verdicts.  Returns false if no PE can have these. */
static bool with_features(const struct why *w, uint64_t features, struct why *other)
{
    struct apmu_config cfg = w->model.cfg;

    cfg.features = apmu_features_closure(features);
    apmu_events_closure(cfg.features, cfg.pmceid); /* the input's PMCEID may lack events that are required */
    cfg.thwidth = (cfg.features & APMU_FEAT(PMUv3_TH)) != 0 && cfg.thwidth == 0 ? 1 : cfg.thwidth;
    cfg.thwidth = (cfg.features & APMU_FEAT(PMUv3_TH)) != 0 ? cfg.thwidth : 0;
    if (apmu_config_check(&cfg) != NULL) {
        return false;
    }
    cfg.pmceid[0] = w->model.cfg.pmceid[0];
    cfg.pmceid[1] = w->model.cfg.pmceid[1];
    *other = *w;
    other->model.cfg = cfg;
    apmu_init(&other->facts.is.p, &cfg);
    state_fill(w->state, &other->facts.is.p, &other->facts.is.pe);
    set_known(&other->facts, w->state, &cfg);
    other->states &= apmu_explain_states(&cfg);
    other->counters = w->in_use;
    why_decide(other, WHY_WORK / APMU_FEAT_END);
    return true;
}

bool why_feature_matters(const struct why *w, unsigned bit, struct why_finding *differ)
{
    static struct why other;
    /* No reason depends on these.  They are about accesses, signals, snapshots, thresholds and the external view. */
    const uint64_t others = APMU_FEAT(FGT) | APMU_FEAT(FGT2) | APMU_FEAT(PMUv3_SS) | APMU_FEAT(MTPMU) |
                            APMU_FEAT(PMUv3_EXT) | APMU_FEAT(PMUv3_EXT32) | APMU_FEAT(PMUv3_EXT64) |
                            APMU_FEAT(PCSRv8p2) | APMU_FEAT(PCSRv8p9) | APMU_FEAT(DoPD) | APMU_FEAT(Debugv8p9) |
                            APMU_FEAT(Debugv8p4) | APMU_FEAT(PMUv3_TH) | APMU_FEAT(PMUv3_EDGE) | APMU_FEAT(PMUv3_TH2) |
                            APMU_FEAT(PMUv3p4) | APMU_FEAT(PMUv3p8) | APMU_FEAT(PMUv3p9) | APMU_FEAT(EBEP);
    const uint64_t feature = UINT64_C(1) << bit & ~others, features = w->model.cfg.features;
    bool any = false;

    *differ = (struct why_finding){.maybe = true};
    if ((w->model.undecided & feature) == 0 ||
        !with_features(w, (features & feature) != 0 ? features & ~feature : features | feature, &other)) {
        return false;
    }
    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        for (unsigned n = 0; n < APMU_COUNTERS; n++) {
            const bool both = (w->states & other.states) >> s & 1 && (w->in_use & other.counters) >> n & 1 &&
                              w->verdicts[n][s].complete && other.verdicts[n][s].complete;

            if (both && w->verdicts[n][s].is != other.verdicts[n][s].is) {
                differ->where[s] |= UINT64_C(1) << n;
                any = true;
            }
        }
    }
    return any;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Words.
 */

void why_append(char *buf, size_t size, const char *format, ...)
{
    const size_t used = strlen(buf);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(buf + used, size - used, format, arguments);
    va_end(arguments);
}

const char *why_comma(const char *buf)
{
    return buf[0] == '\0' ? "" : ", ";
}

const char *why_counter_name(unsigned n, char buf[8])
{
    if (n >= APMU_CYCLE) {
        return n == APMU_CYCLE ? "cycle" : "instr";
    }
    snprintf(buf, 8, "%u", n);
    return buf;
}

const char *why_counter_list(uint64_t set, char buf[96])
{
    buf[0] = '\0';
    for (unsigned n = APMU_CYCLE; n <= APMU_INSTR; n++) {
        if ((set >> n & 1) != 0) {
            why_append(buf, 96, "%s%s", why_comma(buf), n == APMU_CYCLE ? "cycle" : "instr");
        }
    }
    for (unsigned n = 0; n < APMU_CYCLE; n++) {
        unsigned last = n;

        if ((set >> n & 1) == 0) {
            continue;
        }
        while (last + 1 < APMU_CYCLE && (set >> (last + 1) & 1) != 0) {
            last++;
        }
        why_append(buf, 96, last > n ? "%s%u-%u" : "%s%u", why_comma(buf), n, last);
        n = last;
    }
    return buf;
}

const char *why_state_word(enum apmu_state state, char buf[16])
{
    snprintf(buf, 16, "%s", apmu_state_name(state));
    for (char *c = buf; *c != '\0'; c++) {
        *c = *c == '_' ? ' ' : *c;
    }
    return buf;
}

const char *why_state_list(unsigned set, unsigned all, char buf[128])
{
    char word[16];

    buf[0] = '\0';
    if (set == all && (all & (all - 1)) != 0) {
        return "everywhere";
    }
    for (unsigned i = 0; i < APMU_STATE_COUNT; i++) {
        if ((set >> why_order[i] & 1) != 0) {
            why_append(buf, 128, "%s%s", why_comma(buf), why_state_word(why_order[i], word));
        }
    }
    return buf;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Accesses.
 */

/* Returns the Exception level of a state. */
static unsigned level_of(const struct why *w, enum apmu_state state)
{
    return why_at(w, state).is.pe.el;
}

bool why_has_a32(const struct why *w, enum apmu_state state)
{
    return (w->model.cfg.features & APMU_FEAT(AA32EL0) << level_of(w, state)) != 0;
}

bool why_has_a64(const struct why *w, enum apmu_state state)
{
    return (w->model.cfg.features & APMU_FEAT(AA64EL0) << level_of(w, state)) != 0;
}

void why_readers(struct why *w)
{
    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        const enum apmu_state state = (enum apmu_state)s;

        if ((w->states >> s & 1) == 0) {
            continue;
        }
        struct apmu_facts f = why_at(w, state);
        for (unsigned n = 0; n < APMU_COUNTERS; n++) {
            const bool selects = (w->model.cfg.features & APMU_FEAT(PMUv3)) == 0; /* ARMv7 has no PMEVCNTR<n> */
            const enum apmu_reg reg = n == APMU_CYCLE   ? APMU_REG_PMCCNTR_EL0
                                      : n == APMU_INSTR ? APMU_REG_PMICNTR_EL0
                                      : selects         ? APMU_REG_PMXEVCNTR_EL0
                                                        : APMU_REG_PMEVCNTR_EL0;

            f.is.p.selr = selects ? n : f.is.p.selr;
            for (unsigned a32 = 0; (w->in_use >> n & 1) != 0 && a32 < 2; a32++) {
                if (a32 ? why_has_a32(w, state) : why_has_a64(w, state)) {
                    apmu_reach(&f, reg, n < APMU_CYCLE && !selects ? n : 0, false, a32 != 0, &w->reach[a32][n][s]);
                }
            }
        }
    }
}
