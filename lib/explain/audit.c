/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds what less trusted software learns.  The policy's check says which counters move and which fields are to blame.
 * Then the model runs twice for a watcher, which is less trusted software that has programmed the PMU as suits it best:
 * once with and once without an event in the protected state.  If the watcher reads the same both times, there is no
 * leak.
 */
#include "internal.h"

/* The question, and the registers that the policy's check may look at. */
struct audit {
    const struct apmu_facts *f;
    struct apmu_policy_request request;
    struct apmu_policy_reg regs[5]; /* those of which all bits that matter are known */
    size_t count;                   /* of .regs, in use */
    bool entered;                   /* as in apmu_policy_leaks() */
};

static bool has_any(const struct audit *w, uint64_t features)
{
    return (w->f->is.p.cfg.features & features) != 0;
}

/* Adds a register for the check if all @needed bits of it are known. */
static void add_register(struct audit *w, enum apmu_reg reg, uint64_t value, uint64_t known, uint64_t needed)
{
    if ((known & needed) == needed) {
        w->regs[w->count++] = (struct apmu_policy_reg){reg, value};
    }
}

/* Prepares the question, with the registers of which all bits that matter are known. */
static void begin(struct audit *w, const struct apmu_facts *f, unsigned level, unsigned protect, bool entered)
{
    const struct apmu_pe *pe = &f->is.pe, *known = &f->known.pe;
    const bool a64 = explain_has(&f->is.p.cfg, APMU_FEAT(AA64EL3));
    uint64_t snid;

    *w = (struct audit){.f = f, .entered = entered};
    w->request = (struct apmu_policy_request){.features = f->is.p.cfg.features, .level = (uint8_t)level,
                                              .counters = f->is.p.cfg.counters, .protect = (uint16_t)protect};
    add_register(w, APMU_REG_MDCR_EL3, pe->mdcr_el3, known->mdcr_el3,
         APMU_MASK(MDCR_EL3, SPME) | APMU_MASK(MDCR_EL3, SCCD) |
             (a64 && has_any(w, APMU_FEAT(PMUv3p7)) ? APMU_MASK(MDCR_EL3, MPMX) | APMU_MASK(MDCR_EL3, MCCD) : 0));
    add_register(w, APMU_REG_SDER32_EL3, pe->sder32_el3, known->sder32_el3, APMU_MASK(SDER32_EL3, SUNIDEN));
    add_register(w, APMU_REG_MDCR_EL2, pe->mdcr_el2, known->mdcr_el2,
         APMU_MASK(MDCR_EL2, HPMN) | APMU_MASK(MDCR_EL2, HPME) | APMU_MASK(MDCR_EL2, HPMD) | APMU_MASK(MDCR_EL2, HCCD));
    add_register(w, APMU_REG_PMCR_EL0, f->is.p.pmcr, f->known.p.pmcr, APMU_MASK(PMCR_EL0, E) | APMU_MASK(PMCR_EL0, DP));
    if (apmu_subject_known(f, APMU_SUBJECT_AUTH, 0, &snid) &&
        (explain_has_el(&f->is.p.cfg, 3) || f->is.p.cfg.secure_only)) {
        w->regs[w->count++] =
            (struct apmu_policy_reg){APMU_REG_PMAUTHSTATUS, APMU_PUT(PMAUTHSTATUS, SNID, snid != 0 ? 3 : 2)};
    }
}

/* Returns the value of a register that the check may look at; NULL for others. */
static const uint64_t *find_value(const struct audit *w, enum apmu_reg reg)
{
    for (size_t i = 0; i < w->count; i++) {
        if (w->regs[i].reg == reg) {
            return &w->regs[i].value;
        }
    }
    return NULL;
}

/* Returns true if the second range of counters belongs to the protected state, so that the watcher has no access. */
static bool second_range_is_protected(const struct audit *w, enum apmu_state state)
{
    return w->request.level == 2 || state == APMU_STATE_NS_EL2;
}

/* Returns a word of trap controls in which every unknown bit has its value in @harmless, which traps nothing. */
static uint64_t least_traps(uint64_t is, uint64_t known, uint64_t harmless)
{
    return (is & known) | (harmless & ~known);
}

/* The watcher's choices, as bits of a number below CHOICES. */
enum choice {
    CHOOSE_HPMN_COUNTS = 1,   /* a reserved HPMN acts as the number of counters, otherwise as 0 */
    CHOOSE_AARCH64 = 2,       /* HCR_EL2.RW and SCR_EL3.RW are 1 */
    CHOOSE_HPMN_HIGHEST = 4,  /* HPMN is the number of counters */
    CHOOSE_HPMN_ONE_LESS = 8, /* HPMN is one less than that; without both bits it is 0 */
    CHOOSE_OVERFLOW = 16,     /* counters are about to overflow */
    CHOICES = 32,
};

/* Programs the counters as suits the watcher best. */
static void choose_counters(const struct apmu_config *cfg, unsigned choice, struct apmu *p)
{
    *p = (struct apmu){.cfg = *cfg};
    p->cfg.reserved_hpmn = choice & CHOOSE_HPMN_COUNTS ? cfg->counters : 0;
    p->pmcr = APMU_MASK(PMCR_EL0, E);
    p->cnten = ~UINT64_C(0);
    p->ccr = APMU_PUT(PMCCR, EPMN, cfg->counters);
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        p->typer[n] = APMU_MASK(PMEVTYPER_EL0, NSH) | APMU_EV_INST_RETIRED;
    }
    p->divider = 63; /* the next cycle ticks a divided counter */
    apmu_settle(p);  /* gives counters their sizes */
    /* A counter that overflows shows in its flag too, and the flag may freeze other counters. */
    for (unsigned n = 0; (choice & CHOOSE_OVERFLOW) != 0 && n < APMU_COUNTERS; n++) {
        p->cntr[n] = apmu_counter_size(p, n) == 32 ? UINT32_MAX : UINT64_MAX;
    }
}

/* Sets the controls of counting as suits the watcher best where it may choose them, and to their values elsewhere. */
static void choose_controls(const struct audit *w, enum apmu_state state, unsigned choice, struct apmu_full_state *g)
{
    const struct apmu_config *cfg = &w->f->is.p.cfg;
    const uint64_t *value;
    struct apmu_pe *pe = &g->pe;

    pe->mdcr_el3 = APMU_MASK(MDCR_EL3, SPME) | APMU_MASK(MDCR_EL3, EnPM2);
    pe->sder32_el3 = APMU_MASK(SDER32_EL3, SUNIDEN);
    pe->mdcr_el2 = APMU_MASK(MDCR_EL2, HPME);
    pe->dbgen = pe->spiden = true;
    if ((value = find_value(w, APMU_REG_MDCR_EL3)) != NULL) {
        pe->mdcr_el3 = *value;
    }
    if ((value = find_value(w, APMU_REG_SDER32_EL3)) != NULL) {
        pe->sder32_el3 = *value;
    }
    if ((value = find_value(w, APMU_REG_MDCR_EL2)) != NULL && (w->entered || second_range_is_protected(w, state))) {
        pe->mdcr_el2 = *value;
    } else if (cfg->counters != 0) {
        const unsigned hpmn = choice & CHOOSE_HPMN_HIGHEST    ? cfg->counters
                              : choice & CHOOSE_HPMN_ONE_LESS ? cfg->counters - 1u
                                                              : 0;

        pe->mdcr_el2 |= APMU_PUT(MDCR_EL2, HPMN, hpmn);
    }
    if ((value = find_value(w, APMU_REG_PMCR_EL0)) != NULL && w->entered) {
        g->p.pmcr = *value;
    }
    if ((value = find_value(w, APMU_REG_PMAUTHSTATUS)) != NULL) {
        pe->dbgen = pe->niden = true;
        pe->spiden = pe->spniden = APMU_GET(PMAUTHSTATUS, SNID, *value) == 3;
    }
}

/* Sets the traps.  Trusted ones keep their values: those of EL3 and, at level 2, those of EL2. */
static void choose_traps(const struct audit *w, unsigned choice, struct apmu_pe *pe)
{
    const struct apmu_pe *is = &w->f->is.pe, *known = &w->f->known.pe;
    const uint64_t el3_traps = APMU_MASK(MDCR_EL3, TPM) | APMU_MASK(MDCR_EL3, EnPM2);

    pe->scr_el3 = least_traps(is->scr_el3, known->scr_el3, ~APMU_MASK(SCR_EL3, FGTEn)) & ~APMU_MASK(SCR_EL3, RW);
    pe->scr_el3 |= choice & CHOOSE_AARCH64 ? APMU_MASK(SCR_EL3, RW) : 0;
    pe->hcr_el2 = choice & CHOOSE_AARCH64 ? APMU_MASK(HCR_EL2, RW) : 0;
    pe->mdcr_el3 = (pe->mdcr_el3 & ~el3_traps) |
                   (least_traps(is->mdcr_el3, known->mdcr_el3, APMU_MASK(MDCR_EL3, EnPM2)) & el3_traps);
    pe->mdcr_el2 &= ~APMU_MASK(MDCR_EL2, TPM);
    pe->hdfgrtr2_el2 = pe->hdfgwtr2_el2 = UINT64_MAX;
    if (w->request.level == 2) {
        pe->mdcr_el2 |= is->mdcr_el2 & known->mdcr_el2 & APMU_MASK(MDCR_EL2, TPM);
        pe->hdfgrtr_el2 = least_traps(is->hdfgrtr_el2, known->hdfgrtr_el2, 0);
        pe->hdfgrtr2_el2 = least_traps(is->hdfgrtr2_el2, known->hdfgrtr2_el2, UINT64_MAX);
        pe->hstr_el2 = 0;
    }
}

/* Returns the state in which the watcher executes: the most privileged one that is not trusted. */
static enum apmu_state watcher(const struct audit *w, enum apmu_state state)
{
    const bool el2 = explain_has_el(&w->f->is.p.cfg, 2);

    if (w->request.level == 3 && state != APMU_STATE_NS_EL2) {
        return el2 ? APMU_STATE_NS_EL2 : APMU_STATE_NS_EL1;
    }
    switch (state) {
    case APMU_STATE_S_EL2:
        return APMU_STATE_S_EL1;
    case APMU_STATE_RL_EL2:
        return APMU_STATE_RL_EL1;
    default:
        return APMU_STATE_NS_EL1;
    }
}

/* Returns true if the watcher reads the same count and the same overflow flag of counter @n from @a and from @b. */
static bool same_reads(const struct apmu *a, const struct apmu *b, const struct apmu_pe *pe, unsigned n)
{
    const enum apmu_reg reg = n == APMU_CYCLE   ? APMU_REG_PMCCNTR_EL0
                              : n == APMU_INSTR ? APMU_REG_PMICNTR_EL0
                                                : APMU_REG_PMEVCNTR_EL0;
    const unsigned copy = n < APMU_CYCLE ? n : 0;
    const bool a32 = !explain_has(&a->cfg, APMU_FEAT(AA64EL1));
    const struct apmu_full_state wa = {.p = *a, .pe = *pe}, wb = {.p = *b, .pe = *pe};
    const uint64_t flag = UINT64_C(1) << n;

    if (apmu_explain_access(&wa, reg, copy, false, a32).outcome == APMU_ACCESS_OK &&
        apmu_peek(a, pe, reg, copy) != apmu_peek(b, pe, reg, copy)) {
        return false;
    }
    return apmu_explain_access(&wb, APMU_REG_PMOVSSET_EL0, 0, false, a32).outcome != APMU_ACCESS_OK ||
           ((apmu_peek(a, pe, APMU_REG_PMOVSSET_EL0, 0) ^ apmu_peek(b, pe, APMU_REG_PMOVSSET_EL0, 0)) & flag) == 0;
}

/* Returns the kinds of counters by which the watcher can tell that an event occurred in @state. */
static unsigned told_apart(const struct audit *w, enum apmu_state state)
{
    static const unsigned kinds[4] = {0, APMU_KIND_FIRST, APMU_KIND_SECOND, APMU_KIND_THIRD};
    const struct apmu_occurrence event = {APMU_EV_INST_RETIRED, 1};
    unsigned set = 0;

    for (unsigned choice = 0; choice < CHOICES; choice++) {
        struct apmu_facts g, at;

        g = (struct apmu_facts){.is = {.pe = {.el = 0}}};
        choose_counters(&w->f->is.p.cfg, choice, &g.is.p);
        choose_controls(w, state, choice, &g.is);
        choose_traps(w, choice, &g.is.pe);
        at = g;
        apmu_facts_at(&g, state);
        apmu_facts_at(&at, watcher(w, state));
        struct apmu after = g.is.p;
        apmu_step(&after, &g.is.pe, 1, &event, 1, NULL);
        for (unsigned n = 0; n < APMU_COUNTERS; n++) {
            const unsigned range = apmu_range(&g.is.p, &g.is.pe, n);

            if ((range == 2 && second_range_is_protected(w, state)) || same_reads(&g.is.p, &after, &at.is.pe, n)) {
                continue;
            }
            set |= n == APMU_CYCLE   ? (unsigned)APMU_KIND_CYCLE
                   : n == APMU_INSTR ? (unsigned)APMU_KIND_INSTR
                                     : kinds[range];
        }
    }
    return set;
}

unsigned apmu_audit_leaks(const struct apmu_facts *f, unsigned level, bool entered, enum apmu_state state)
{
    struct audit w;

    begin(&w, f, level, 1u << state, entered);
    const unsigned moving = apmu_policy_leaks(&w.request, w.regs, w.count, entered, state);
    return moving == 0 ? 0 : moving & told_apart(&w, state);
}

size_t apmu_audit(const struct apmu_facts *f, unsigned level, unsigned protect, bool entered,
                  struct apmu_policy_violation *out)
{
    struct audit w;
    unsigned apart[APMU_STATE_COUNT];
    size_t kept = 0;

    begin(&w, f, level, protect, entered);
    const size_t count = apmu_policy_check(&w.request, w.regs, w.count, entered, out);

    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        apart[s] = (protect >> s & 1) != 0 ? apmu_audit_leaks(f, level, entered, (enum apmu_state)s) : 0;
    }
    for (size_t i = 0; i < count; i++) {
        unsigned states = 0, counters = 0;

        for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
            if ((out[i].states >> s & 1) != 0 && (apart[s] & out[i].counters) != 0) {
                states |= 1u << s;
                counters |= apart[s] & out[i].counters;
            }
        }
        if (states != 0) {
            out[kept] = out[i];
            out[kept].states = states;
            out[kept++].counters = counters;
        }
    }
    return kept;
}
