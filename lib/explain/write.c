/* SPDX-License-Identifier: BSD-2-Clause */
/* Does the writes of a cure, and finds the Exception levels that may do them, as the model decides. */
#include "internal.h"

/*
 * Makes *g the facts with the PE at @el in the Security state of @state, or at Non-secure EL2 if that Security state
 * has no EL2.  Returns false if there is no such Exception level.
 */
static bool facts_at_level(const struct apmu_facts *f, enum apmu_state state, unsigned el, struct apmu_facts *g)
{
    static const enum apmu_state below[3][3] = {
        {APMU_STATE_NS_EL0, APMU_STATE_NS_EL1, APMU_STATE_NS_EL2},
        {APMU_STATE_S_EL0, APMU_STATE_S_EL1, APMU_STATE_S_EL2},
        {APMU_STATE_RL_EL0, APMU_STATE_RL_EL1, APMU_STATE_RL_EL2},
    };
    const bool realm = (APMU_STATES_REALM >> state & 1) != 0;
    const bool secure = ((APMU_STATES_SECURE | APMU_STATE(EL3)) >> state & 1) != 0;
    enum apmu_state there = el == 3 ? APMU_STATE_EL3 : below[realm ? 2 : secure ? 1 : 0][el];
    const unsigned states = apmu_explain_states(&f->is.p.cfg);
    uint64_t eel2;

    if (there == APMU_STATE_S_EL2 && explain_has_el(&f->is.p.cfg, 3) &&
        ((states >> there & 1) == 0 || (apmu_subject_known(f, APMU_SUBJECT_EEL2, 0, &eel2) && eel2 == 0))) {
        there = APMU_STATE_NS_EL2; /* Secure EL2 is absent or disabled, and these registers are shared */
    }
    if ((states >> there & 1) == 0) {
        return false;
    }
    *g = *f;
    apmu_facts_at(g, there);
    return true;
}

/* Returns the Exception level that a register of the PE belongs to, from op1 of its encoding. */
static unsigned own_level(enum apmu_reg reg)
{
    const unsigned op1 = apmu_reg_info(reg)->key >> 11 & 7u;

    return op1 == 6 ? 3 : op1 == 4 ? 2 : 1;
}

/* Returns true if the write changes its bits.  It does not if the Exception level cannot write them. */
static bool has_effect(const struct apmu_facts *g, const struct apmu_cure_write *write)
{
    struct apmu p = g->is.p;
    uint64_t now;

    switch (write->reg) {
    case APMU_REG_PMCNTENSET_EL0:
        apmu_poke(&p, &g->is.pe, write->reg, 0, write->mask, NULL);
        return (p.cnten & write->mask) == write->mask;
    case APMU_REG_PMOVSCLR_EL0:
        p.ovs |= write->mask;
        apmu_poke(&p, &g->is.pe, write->reg, 0, write->mask, NULL);
        return (p.ovs & write->mask) == 0;
    default:
        now = apmu_peek(&p, &g->is.pe, write->reg, write->n);
        apmu_poke(&p, &g->is.pe, write->reg, write->n, (now & ~write->mask) | write->value, NULL);
        return (apmu_peek(&p, &g->is.pe, write->reg, write->n) & write->mask) == write->value;
    }
}

/* Returns true for the filters of ARMv7, which are reached by PMXEVTYPER. */
static bool is_selected(const struct apmu_facts *g, enum apmu_reg reg)
{
    return !explain_has(&g->is.p.cfg, APMU_FEAT(PMUv3)) &&
           (reg == APMU_REG_PMEVTYPER_EL0 || reg == APMU_REG_PMCCFILTR_EL0);
}

/* Returns true if the write can be done at the Exception level of @g.  *unsure is true if unknown bits decide that. */
static bool can_write(struct apmu_facts *g, const struct apmu_cure_write *write, struct explain_memo *memo,
                      uint64_t *work, bool *unsure)
{
    const bool a32 = !explain_has(&g->is.p.cfg, APMU_FEAT(AA64));
    const bool hpmn_known = apmu_subject_known(g, APMU_SUBJECT_HPMN, 0, NULL);
    const unsigned el = g->is.pe.el;

    if (memo->reg != write->reg || !memo->have[el]) {
        if (memo->reg != write->reg) {
            *memo = (struct explain_memo){.reg = write->reg};
        }
        if (is_selected(g, write->reg)) {
            g->is.p.selr = write->reg == APMU_REG_PMCCFILTR_EL0 ? APMU_CYCLE : write->n;
            memo->at[el] = apmu_explain_may_write(g, APMU_REG_PMXEVTYPER_EL0, 0, a32, el == 0, work);
        } else {
            memo->at[el] = apmu_explain_may_write(g, write->reg, write->n, a32, el == 0, work);
        }
        memo->have[el] = true;
    }
    if (!memo->at[el].may) {
        return false;
    }
    if (!hpmn_known) { /* supposes that every counter is in the first range */
        apmu_subject_suppose(g, APMU_SUBJECT_HPMN, 0, g->is.p.cfg.counters);
    }
    const bool counters = write->reg == APMU_REG_PMCNTENSET_EL0 || write->reg == APMU_REG_PMOVSCLR_EL0;
    *unsure = memo->at[el].unsure || (!hpmn_known && counters && g->is.pe.el < 2 && explain_has_el(&g->is.p.cfg, 2) &&
                                      (write->mask & 0x7FFFFFFF) != 0);
    return has_effect(g, write);
}

bool apmu_explain_level(const struct apmu_facts *f, struct apmu_cure_write *write, enum apmu_state state,
                        unsigned level, struct explain_memo *memo, uint64_t *work)
{
    struct apmu_facts g;

    if (write->reg >= APMU_REG_COUNT && write->reg < APMU_REG_BORROWED) {
        write->el = APMU_CURE_EXTERNAL;
        return level >= APMU_CURE_EXTERNAL;
    }
    for (unsigned el = 0; el <= 3 && el <= level; el++) {
        bool unsure = false;

        if (!facts_at_level(f, state, el, &g)) {
            continue;
        }
        if (write->reg >= APMU_REG_BORROWED ? el < own_level(write->reg) : !can_write(&g, write, memo, work, &unsure)) {
            continue;
        }
        if (el == 0 && unsure) {
            continue; /* EL0 is the answer only if nothing can stop it */
        }
        write->el = (uint8_t)el;
        write->unsure = unsure;
        return true;
    }
    return false;
}

/* Sets the fields of a register that is not the PMU's.  The model decides no access to it. */
static void write_fields(struct apmu_facts *f, const struct apmu_cure_write *write)
{
    for (unsigned i = 0; i < APMU_SUBJECT_COUNT; i++) {
        const enum apmu_subject subject = (enum apmu_subject)i;
        uint64_t bits;
        unsigned lsb;

        if ((write->subjects >> i & 1) != 0 && apmu_explain_word(&f->is, subject, 0, &bits, &lsb) != NULL) {
            apmu_subject_suppose(f, subject, 0, (write->value & bits) >> lsb);
        }
    }
}

void apmu_cure_apply(struct apmu_facts *f, const struct apmu_cure_write *write, enum apmu_state state)
{
    struct apmu *p = &f->is.p;
    struct apmu_facts g;
    uint64_t now;

    if (write->reg >= APMU_REG_COUNT) {
        write_fields(f, write);
        return;
    }
    if (!facts_at_level(f, state, write->el, &g)) {
        return;
    }
    if (!apmu_subject_known(&g, APMU_SUBJECT_HPMN, 0, NULL)) { /* as in can_write() */
        apmu_subject_suppose(&g, APMU_SUBJECT_HPMN, 0, p->cfg.counters);
    }
    switch (write->reg) {
    case APMU_REG_PMCNTENSET_EL0:
        apmu_poke(p, &g.is.pe, write->reg, 0, write->mask, NULL);
        f->known.p.cnten |= write->mask;
        break;
    case APMU_REG_PMOVSCLR_EL0:
        apmu_poke(p, &g.is.pe, write->reg, 0, write->mask, NULL);
        f->known.p.ovs |= write->mask;
        break;
    default:
        now = apmu_peek(p, &g.is.pe, write->reg, write->n);
        apmu_poke(p, &g.is.pe, write->reg, write->n, (now & ~write->mask) | write->value, NULL);
        switch (write->reg) {
        case APMU_REG_PMCR_EL0:
            f->known.p.pmcr |= write->mask;
            break;
        case APMU_REG_PMCCFILTR_EL0:
            f->known.p.typer[APMU_CYCLE] |= write->mask;
            break;
        case APMU_REG_PMICFILTR_EL0:
            f->known.p.typer[APMU_INSTR] |= write->mask;
            break;
        default:
            f->known.p.typer[write->n] |= write->mask;
            break;
        }
        break;
    }
}
