/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Seeks a state in which a counter has given reasons, and the counter below it none if it must chain: it changes a copy
 * of the unit and of the PE at random, keeps a change that brings the reasons nearer, and plans the writes that lead
 * there.
 */
#include "internal.h"

enum { SEEK_TRIES = 600 };

/* Returns in how many reasons the sets differ. */
static unsigned distance(uint64_t a, uint64_t b)
{
    unsigned count = 0;

    for (uint64_t x = a ^ b; x != 0; x &= x - 1) {
        count++;
    }
    return count;
}

/* Returns how far the state is from the target, 99 if no PE can be in it. */
static unsigned far_from(const struct apmu *p, const struct apmu_pe *pe, const struct tb_target *t)
{
    if (!tb_legal(p, pe)) {
        return 99;
    }
    const unsigned here = distance(apmu_why(p, pe, t->n), t->goal);

    return !t->chains ? here
                      : here + distance(apmu_why(p, pe, t->n - 1), 0) + (apmu_chains_into(p, pe, t->n - 1) ? 0 : 1);
}

/* Gives the counter of the target the event that it must have. */
static void set_event(struct apmu *p, const struct tb_target *t)
{
    if (t->event >= 0) {
        p->typer[t->n] = (p->typer[t->n] & ~APMU_MASK(PMEVTYPER_EL0, evtCount)) | (unsigned)t->event;
    }
}

/* Returns a PE at the highest Exception level, from which nothing refuses writes. */
static struct apmu_pe high_pe(const struct apmu *p)
{
    return (struct apmu_pe){.el = (uint8_t)tb_highest(p), .a32 = (p->cfg.features & APMU_FEAT(AA64)) == 0,
                            .mdcr_el3 = APMU_MASK(MDCR_EL3, EnPM2) | APMU_MASK(MDCR_EL3, EnPMSS),
                            .scr_el3 = APMU_MASK(SCR_EL3, FGTEn2)};
}

/* Changes something of the unit on which the reasons of counter @n depend. */
static void change_unit(struct apmu_tb *tb, struct apmu *p, unsigned n)
{
    const struct apmu_pe high = high_pe(p);
    const uint64_t bit = UINT64_C(1) << n;
    const bool set = tb_chance(tb, 40);

    switch (tb_below(tb, 5)) {
    case 0:
        apmu_poke(p, &high, APMU_REG_PMCR_EL0, 0,
                  tb_random_word(tb, APMU_REG_PMCR_EL0, 0) & ~(APMU_MASK(PMCR_EL0, P) | APMU_MASK(PMCR_EL0, C)), NULL);
        break;
    case 1:
        p->cnten = set ? p->cnten | bit : p->cnten & ~bit;
        break;
    case 2:
        p->ovs = set ? 0 : p->ovs | UINT64_C(1) << tb_below(tb, p->cfg.counters + 1u);
        p->ovs &= (UINT64_C(1) << p->cfg.counters) - 1;
        break;
    case 3:
        if ((p->cfg.features & APMU_FEAT(PMUv3_EXTPMN)) != 0 && (tb->stimulus.views >> APMU_TB_EXT & 1) != 0) {
            p->ccr = APMU_PUT(PMCCR, EPMN, tb_below(tb, p->cfg.counters + 1u)) | APMU_PUT(PMCCR, EPME, tb_below(tb, 2));
        }
        break;
    default:
        if (n == APMU_CYCLE || n == APMU_INSTR) {
            apmu_poke(p, &high, n == APMU_CYCLE ? APMU_REG_PMCCFILTR_EL0 : APMU_REG_PMICFILTR_EL0, 0,
                      tb_random_word(tb, APMU_REG_PMCCFILTR_EL0, 0), NULL);
        } else {
            const uint64_t ccr = p->ccr;
            p->ccr = APMU_PUT(PMCCR, EPMN, p->cfg.counters);
            apmu_poke(p, &high, APMU_REG_PMEVTYPER_EL0, n, tb_random_word(tb, APMU_REG_PMEVTYPER_EL0, n), NULL);
            p->ccr = ccr;
        }
        break;
    }
}

/* Changes something of the PE, to a state in which it can be. */
static void change_pe(struct apmu_tb *tb, const struct apmu *p, struct apmu_pe *pe)
{
    const enum tb_state row = tb_chance(tb, 16) ? TB_PE_el : (enum tb_state)tb_below(tb, TB_PE_COUNT);
    struct apmu_pe other = *pe;

    if ((tb->stimulus.held >> row & 1) != 0 || !tb_state_matters(&p->cfg, row)) {
        return;
    }
    tb_state_set(&other, row, tb_random_state(tb, pe, row));
    other.a32 = (p->cfg.features & APMU_FEAT(AA64)) == 0 || (other.a32 && other.el == 0);
    if (tb_legal(p, &other)) {
        *pe = other;
    }
}

static void plan_typer(struct apmu_tb *tb, const struct apmu *to, unsigned n)
{
    if (tb->p.typer[n] != to->typer[n]) {
        tb_plan_access(tb, n == APMU_CYCLE   ? APMU_REG_PMCCFILTR_EL0
                           : n == APMU_INSTR ? APMU_REG_PMICFILTR_EL0
                                             : APMU_REG_PMEVTYPER_EL0,
                       n < APMU_CYCLE ? n : 0, true, to->typer[n]);
    }
}

/* Plans the writes that give the unit the members of @to. */
static void plan_unit(struct apmu_tb *tb, const struct apmu *to, const struct tb_target *t)
{
    const struct apmu *p = &tb->p;

    tb_plan_high(tb);
    if (p->ccr != to->ccr) {
        tb_plan_access(tb, APMU_REG_PMCCR, 0, true, to->ccr);
    }
    plan_typer(tb, to, t->n);
    if (t->chains) {
        plan_typer(tb, to, t->n - 1);
        tb_plan_access(tb, APMU_REG_PMEVCNTR_EL0, t->n - 1, true, UINT64_MAX);
    }
    if ((to->cnten & ~p->cnten) != 0) {
        tb_plan_access(tb, APMU_REG_PMCNTENSET_EL0, 0, true, to->cnten & ~p->cnten);
    }
    if ((p->cnten & ~to->cnten) != 0) {
        tb_plan_access(tb, APMU_REG_PMCNTENCLR_EL0, 0, true, p->cnten & ~to->cnten);
    }
    if ((to->ovs & ~p->ovs) != 0) {
        tb_plan_access(tb, APMU_REG_PMOVSSET_EL0, 0, true, to->ovs & ~p->ovs);
    }
    if ((p->ovs & ~to->ovs) != 0) {
        tb_plan_access(tb, APMU_REG_PMOVSCLR_EL0, 0, true, p->ovs & ~to->ovs);
    }
    if (p->pmcr != to->pmcr) {
        tb_plan_access(tb, APMU_REG_PMCR_EL0, 0, true, to->pmcr);
    }
}

bool tb_seek(struct apmu_tb *tb, const struct tb_target *target)
{
    struct apmu p = tb->p;
    struct apmu_pe pe = tb->pe;

    set_event(&p, target);
    unsigned now = far_from(&p, &pe, target);
    for (unsigned tries = 0; now != 0 && tries < SEEK_TRIES; tries++) {
        struct apmu trial = p;
        struct apmu_pe trial_pe = pe;

        if (tb_chance(tb, 24)) {
            change_unit(tb, &trial, target->n - (target->chains ? tb_below(tb, 2) : 0));
            set_event(&trial, target);
        } else {
            change_pe(tb, &trial, &trial_pe);
        }
        const unsigned then = far_from(&trial, &trial_pe, target);
        if (then <= now || tb_chance(tb, 2)) {
            p = trial;
            pe = trial_pe;
            now = then;
        }
    }
    if (now != 0) {
        return false;
    }
    plan_unit(tb, &p, target);
    tb_plan_pe(tb, &pe);
    return true;
}
