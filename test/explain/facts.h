/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws random states that are partly known, for the properties of test/explain/. */
#ifndef ARMPMU_TEST_FACTS_H
#define ARMPMU_TEST_FACTS_H

#include <armpmu/explain.h>

#include "../model/prop/any.h"

/* Returns which bits of a word are known: all, none, all but one, or any. */
static inline uint64_t any_known(struct choices *c)
{
    switch (pick(c, 3)) {
    case 0:
        return 0;
    case 1:
        return ~(UINT64_C(1) << pick(c, 6));
    case 2:
        return pick(c, 64);
    default:
        return UINT64_MAX;
    }
}

/* Draws a state of @set, which is not empty. */
static inline enum apmu_state any_state(struct choices *c, unsigned set)
{
    unsigned state = pick_of(c, APMU_STATE_COUNT);

    while ((set >> state & 1) == 0) {
        state = (state + 1) % APMU_STATE_COUNT;
    }
    return (enum apmu_state)state;
}

/* Words of which any bits may be known.  WORDS(DRAW) is DRAW(p.pmcr) DRAW(p.cnten) and so on. */
#define WORDS(X) \
    X(p.pmcr) X(p.cnten) X(p.ovs) X(p.userenr) X(p.uacr) X(pe.mdcr_el2) X(pe.mdcr_el3) X(pe.hcr_el2) X(pe.scr_el3) \
    X(pe.sder32_el3) X(pe.pmblimitr_el1) X(pe.pmbsr_el1) X(pe.pmbsr_el2) X(pe.pmbsr_el3) X(pe.pmscr_el2) X(pe.hstr_el2)

/* Words of fine-grained traps.  An access depends on only one bit of each, so all bits are known or none. */
#define FINE_WORDS(X) X(pe.hdfgrtr_el2) X(pe.hdfgwtr_el2) X(pe.hdfgrtr2_el2) X(pe.hdfgwtr2_el2)

/* Makes *@cfg legal: draws its features again until they are, but at most 50 times. */
static inline void make_config_legal(struct choices *c, struct apmu_config *cfg)
{
    for (unsigned i = 0; i < 50; i++) {
        cfg->features = apmu_features_closure(cfg->features);
        cfg->thwidth = (cfg->features & APMU_FEAT(PMUv3_TH)) != 0 ? 12 : 0;
        cfg->secure_only &= (cfg->features & (APMU_FEAT(AA64EL3) | APMU_FEAT(AA32EL3))) == 0;
        if ((cfg->features & APMU_FEAT(AA64EL2)) == 0 || (cfg->features & APMU_FEAT(SEL2)) == 0) {
            cfg->secure_only &= (cfg->features & (APMU_FEAT(AA64EL2) | APMU_FEAT(AA32EL2))) == 0;
        }
        if (apmu_config_check(cfg) == NULL) {
            break;
        }
        cfg->features = any_config(c).features;
    }
}

/* Draws a partly known state.  *@whole is the true state, of which *@f knows a part. */
static inline enum apmu_state any_facts(struct choices *c, struct apmu_facts *f, struct apmu_full_state *whole)
{
    any_unit(c, &whole->p);
    make_config_legal(c, &whole->p.cfg);
    apmu_settle(&whole->p);
    any_engine_pe(c, &whole->p.cfg, &whole->pe);
    whole->pe.unattributable = false;
    whole->pe.sdd = false; /* it matters only in Debug state */
    apmu_facts_init(f, &whole->p.cfg);
    f->known.pe.halted = pick(c, 3) != 0;
    f->known.pe.sm = pick_bool(c);
    f->known.pe.dbgen = f->known.pe.niden = f->known.pe.spiden = f->known.pe.spniden = pick_bool(c);
#define KNOW(word) f->known.word = any_known(c);
    WORDS(KNOW)
#undef KNOW
#define KNOW(word) f->known.word = pick_bool(c) ? UINT64_MAX : 0;
    FINE_WORDS(KNOW)
#undef KNOW
    f->known.p.ccr |= any_known(c);
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        f->known.p.typer[n] = any_known(c);
    }
    if ((whole->p.cfg.features & APMU_FEAT(PMUv3_EXTPMN)) == 0) {
        whole->p.ccr = f->is.p.ccr;
        f->known.p.ccr = UINT64_MAX;
    }
    const enum apmu_state state = any_state(c, apmu_explain_states(&whole->p.cfg));
    struct apmu_facts g = {.is = *whole};
    apmu_facts_at(&g, state);
    *whole = g.is;
    const struct apmu_full_state known = f->known;
#define FILL(word) f->is.word = whole->word & known.word;
    WORDS(FILL)
    FINE_WORDS(FILL)
    FILL(p.ccr)
#undef FILL
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        f->is.p.typer[n] = whole->p.typer[n] & known.p.typer[n];
        f->is.p.cntr[n] = whole->p.cntr[n];
    }
    f->is.pe.halted = whole->pe.halted && known.pe.halted;
    f->is.pe.sm = whole->pe.sm && known.pe.sm;
    if (known.pe.dbgen) {
        f->is.pe.dbgen = whole->pe.dbgen;
        f->is.pe.niden = whole->pe.niden;
        f->is.pe.spiden = whole->pe.spiden;
        f->is.pe.spniden = whole->pe.spniden;
    }
    apmu_facts_at(f, state);
    return state;
}

/* Describes a failure in any_message.  Returns true. */
static inline bool say(const char *what, const struct apmu_facts *f, unsigned n, enum apmu_state state, uint64_t got,
                       uint64_t want)
{
    snprintf(any_message, sizeof any_message, "%s: counter %u, %s, features %llx, counters %u: %llx, %llx", what, n,
             apmu_state_text(state), (unsigned long long)f->is.p.cfg.features, f->is.p.cfg.counters,
             (unsigned long long)got, (unsigned long long)want);
    return true;
}

/* Draws a counter; event counters may be one past the last. */
static inline unsigned any_counter(struct choices *c, const struct apmu_config *cfg)
{
    const unsigned kind = (unsigned)pick(c, 2);

    return kind == 0 ? APMU_CYCLE : kind == 1 ? APMU_INSTR : pick_of(c, cfg->counters + 1u);
}

#endif
