/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stimulus: chooses plans, whose actions wait in a queue, and gives one action after another.  A plan follows from
 * the state of the unit when it is made; an action that the state no longer allows is replaced or left out.
 */
#include "internal.h"

struct apmu_pe tb_open_pe(const struct apmu *p)
{
    return (struct apmu_pe){
        .el = (uint8_t)tb_highest(p),
        .a32 = (p->cfg.features & APMU_FEAT(AA64)) == 0,
        .dbgen = true,
        .spiden = true,
        .mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, p->cfg.counters) | APMU_MASK(MDCR_EL2, HPME),
        .mdcr_el3 = APMU_MASK(MDCR_EL3, SPME) | APMU_MASK(MDCR_EL3, EnPM2) | APMU_MASK(MDCR_EL3, EnPMSS) |
                    APMU_MASK(MDCR_EL3, EPMSSAD),
        .hcr_el2 = APMU_MASK(HCR_EL2, RW),
        .scr_el3 = APMU_MASK(SCR_EL3, RW) | APMU_MASK(SCR_EL3, NS) | APMU_MASK(SCR_EL3, EEL2) |
                   APMU_MASK(SCR_EL3, FGTEn) | APMU_MASK(SCR_EL3, FGTEn2),
        .hdfgrtr2_el2 = UINT64_MAX,
        .hdfgwtr2_el2 = UINT64_MAX,
    };
}

/* Returns an implemented counter. */
static unsigned any_counter(struct apmu_tb *tb)
{
    const bool instr = (tb->p.cfg.features & APMU_FEAT(PMUv3_ICNTR)) != 0;
    const unsigned n = tb_below(tb, tb->p.cfg.counters + (instr ? 2u : 1u));

    return n < tb->p.cfg.counters ? n : APMU_CYCLE + n - tb->p.cfg.counters;
}

/* Plans cycles with events, which fill_step() chooses: that of counter @n occurs in each. */
static void plan_step(struct apmu_tb *tb, unsigned n)
{
    const unsigned most = tb->stimulus.most_cycles;
    struct tb_action step = {.kind = APMU_TB_STEP, .row = n};

    step.cycles = 1 + (tb_chance(tb, 40) ? tb_below(tb, 3) : tb_below(tb, most));
    step.cycles = step.cycles > most ? most : step.cycles;
    tb_plan(tb, &step);
}

/* Returns how often an event occurs in a cycle: up to three times, or sometimes as often as it may. */
static unsigned times(struct apmu_tb *tb)
{
    const unsigned most = tb->stimulus.most_events;

    return 1 + tb_below(tb, most > 3 && tb_chance(tb, 56) ? 3 : most);
}

/* Chooses the events of a step by what the counters count now. */
static void fill_step(struct apmu_tb *tb, struct tb_action *step)
{
    const unsigned n = step->row;
    const uint16_t wanted = n < APMU_CYCLE ? (uint16_t)APMU_GET(PMEVTYPER_EL0, evtCount, tb->p.typer[n])
                                           : APMU_EV_INST_RETIRED;

    for (unsigned line = 0; line < tb->line_count; line++) {
        if (tb->lines[line] == wanted || tb_chance(tb, 32)) {
            step->counts[line / 4] |= (uint32_t)times(tb) << line % 4 * 8;
        }
    }
}

/* Plans to read the counter back. */
static void plan_look(struct apmu_tb *tb, unsigned n)
{
    const enum apmu_reg reg = n == APMU_CYCLE   ? APMU_REG_PMCCNTR_EL0
                              : n == APMU_INSTR ? APMU_REG_PMICNTR_EL0
                                                : APMU_REG_PMEVCNTR_EL0;

    tb_plan_access(tb, reg, n < APMU_CYCLE ? n : 0, false, 0);
}

/* Returns one of the reasons of @set that were found least, of those in @sought. */
static unsigned rare_reason(struct apmu_tb *tb, uint64_t set, const uint32_t *sought)
{
    unsigned best = APMU_REASON_COUNT;

    for (unsigned tries = 0; tries < 6 || best == APMU_REASON_COUNT; tries++) {
        const unsigned reason = 1 + tb_below(tb, APMU_REASON_COUNT - 1);
        if ((set >> reason & 1) != 0 && (best == APMU_REASON_COUNT || sought[reason] <= sought[best])) {
            best = reason;
        }
    }
    return best;
}

/* Seeks a state in which one reason, or none, stops a counter; then its event occurs. */
static void plan_reason(struct apmu_tb *tb)
{
    const unsigned reason = rare_reason(tb, tb->stimulus.reachable, tb->stimulus.sought[0]);
    const uint64_t goal = tb_chance(tb, 16) ? 0 : UINT64_C(1) << reason;
    struct tb_target target = {any_counter(tb), goal, -1, false};
    bool found = tb_seek(tb, &target);

    for (unsigned tries = 0; tries < 4 && !found; tries++) {
        target.n = any_counter(tb);
        found = tb_seek(tb, &target);
    }
    tb->stimulus.sought[0][reason] += found && goal != 0;
    plan_step(tb, target.n);
    plan_look(tb, target.n);
}

/* Plans what makes the counter of @cross count, if nothing stopped it. */
static void plan_occurrence(struct apmu_tb *tb, enum tb_cross cross, unsigned n)
{
    switch (cross) {
    case TB_CROSS_CYCLE:
        plan_step(tb, n);
        break;
    case TB_CROSS_CHAIN:
        plan_step(tb, n - 1);
        break;
    default:
        tb_plan_sysreg(tb, APMU_REG_PMSWINC_EL0, true, UINT64_C(1) << n);
        break;
    }
    plan_look(tb, n);
}

/*
 * Seeks a state in which one reason stops the cycle counter, a counter of CHAIN or one of SW_INCR; then it occurs.
 * Returns false if no reason can stop the one that it chose.
 */
static bool plan_cross(struct apmu_tb *tb)
{
    const enum tb_cross cross = (enum tb_cross)tb_below(tb, TB_CROSS_COUNT);
    const uint64_t set = tb->stimulus.crossed[cross] & ~APMU_WHY(NO_COUNTER);

    if (set == 0) {
        return false;
    }
    const unsigned reason = rare_reason(tb, set, tb->stimulus.sought[1 + cross]);
    struct tb_target target = {APMU_CYCLE, UINT64_C(1) << reason, -1, cross == TB_CROSS_CHAIN};

    if (cross == TB_CROSS_SW_INCR) {
        tb_plan_high(tb);
        tb_plan_access(tb, APMU_REG_PMUSERENR_EL0, 0, true,
                       APMU_MASK(PMUSERENR_EL0, EN) | APMU_MASK(PMUSERENR_EL0, SW));
    }
    for (unsigned tries = 0; tries < 4; tries++) {
        if (cross == TB_CROSS_CHAIN) {
            target.n = 1 + 2 * tb_below(tb, tb->p.cfg.counters / 2u);
            target.event = APMU_EV_CHAIN;
        } else if (cross == TB_CROSS_SW_INCR) {
            target.n = tb_below(tb, tb->p.cfg.counters);
            target.event = APMU_EV_SW_INCR;
        }
        if (tb_seek(tb, &target)) {
            tb->stimulus.sought[1 + cross][reason]++;
            plan_occurrence(tb, cross, target.n);
            return true;
        }
    }
    return true;
}

/* Lets a counter overflow that counts, with the flags and controls that matter then at random. */
static void plan_overflow(struct apmu_tb *tb)
{
    const unsigned n = any_counter(tb);
    const uint64_t bit = UINT64_C(1) << n;

    tb_seek(tb, &(struct tb_target){n, 0, -1, false});
    tb_plan_high(tb);
    if (n < APMU_CYCLE && tb_chance(tb, 40)) {
        tb_plan_access(tb, APMU_REG_PMEVTYPER_EL0, n, true, tb_random_word(tb, APMU_REG_PMEVTYPER_EL0, n));
    }
    if (n < APMU_CYCLE && (n & 1) == 0 && tb_chance(tb, 24)) {
        tb_plan_access(tb, APMU_REG_PMEVTYPER_EL0, n + 1, true, APMU_EV_CHAIN | APMU_MASK(PMEVTYPER_EL0, NSH));
        tb_plan_access(tb, APMU_REG_PMCNTENSET_EL0, 0, true, bit << 1);
        tb_plan_access(tb, APMU_REG_PMEVCNTR_EL0, n + 1, true, tb_random_word(tb, APMU_REG_PMEVCNTR_EL0, n));
    }
    const enum apmu_reg reg = n == APMU_CYCLE   ? APMU_REG_PMCCNTR_EL0
                              : n == APMU_INSTR ? APMU_REG_PMICNTR_EL0
                                                : APMU_REG_PMEVCNTR_EL0;
    tb_plan_access(tb, reg, n < APMU_CYCLE ? n : 0, true, tb_random_word(tb, reg, n));
    tb_plan_access(tb, tb_chance(tb, 44) ? APMU_REG_PMINTENSET_EL1 : APMU_REG_PMINTENCLR_EL1, 0, true, bit);
    if (tb_chance(tb, 32)) {
        tb_plan_access(tb, APMU_REG_PMOVSCLR_EL0, 0, true, UINT64_MAX);
    }
    plan_step(tb, n);
    tb_plan_access(tb, APMU_REG_PMCR_EL0, 0, true,
                   tb_random_word(tb, APMU_REG_PMCR_EL0, 0) & ~(APMU_MASK(PMCR_EL0, P) | APMU_MASK(PMCR_EL0, C)));
    tb_plan_state(tb, TB_PE_el, tb->pe.el);
    plan_step(tb, n);
    plan_look(tb, n);
}

/*
 * Lets software increment a counter that counts SW_INCR, often one that then overflows.  Sometimes the counter counts
 * an event of a similar number and stays as it is.
 */
static void plan_software(struct apmu_tb *tb)
{
    const unsigned n = tb->p.cfg.counters == 0 ? 0 : tb_below(tb, tb->p.cfg.counters);
    const struct apmu_pe now = tb->pe;
    const uint16_t event = tb_chance(tb, 56) ? APMU_EV_SW_INCR : tb_random_neighbour(tb, APMU_EV_SW_INCR);

    tb_plan_high(tb);
    tb_plan_access(tb, APMU_REG_PMEVTYPER_EL0, n, true, event | APMU_MASK(PMEVTYPER_EL0, NSH));
    tb_plan_access(tb, APMU_REG_PMCNTENSET_EL0, 0, true, UINT64_C(1) << n);
    tb_plan_access(tb, APMU_REG_PMCR_EL0, 0, true, (tb->p.pmcr & ~APMU_MASK(PMCR_EL0, FZO)) | APMU_MASK(PMCR_EL0, E));
    if (tb_chance(tb, 40)) {
        tb_plan_access(tb, APMU_REG_PMEVCNTR_EL0, n, true, tb_random_word(tb, APMU_REG_PMEVCNTR_EL0, n));
        tb_plan_access(tb, APMU_REG_PMOVSCLR_EL0, 0, true, UINT64_C(1) << n);
    }
    tb_plan_state(tb, TB_PE_MDCR_EL2, now.mdcr_el2 | APMU_MASK(MDCR_EL2, HPME));
    tb_plan_state(tb, TB_PE_el, tb_below(tb, 4));
    for (unsigned i = 0; i < 3; i++) {
        tb_plan_sysreg(tb, APMU_REG_PMSWINC_EL0, true, tb_chance(tb, 32) ? UINT64_MAX : tb_random(tb, 32));
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Accesses.
 */

/* Chooses a register that is implemented, or now and then another one. */
static bool choose_a64(struct apmu_tb *tb, struct tb_access *a)
{
    const enum apmu_reg reg = (enum apmu_reg)tb_below(tb, APMU_REG_COUNT);
    const struct apmu_reg_info *info = apmu_reg_info(reg);

    if (!apmu_holds(&tb->p.cfg, info->gate, 0) && !tb_chance(tb, 4)) {
        return false;
    }
    const unsigned near = tb->p.cfg.counters + 1u;
    const unsigned n = info->copies == 1 ? 0 : tb_below(tb, tb_chance(tb, 4) ? 31 : near);
    if (n >= info->copies) {
        return false;
    }
    a->address = info->key + n;
    a->value = a->write ? tb_random_word(tb, reg, n) : 0;
    return true;
}

static bool choose_a32(struct apmu_tb *tb, struct tb_access *a)
{
    const struct apmu_reg32_info *info = apmu_reg32_info((enum apmu_reg32)tb_below(tb, APMU_REG32_COUNT));
    const unsigned copies = apmu_reg_info(info->of)->copies;
    const unsigned n = copies == 1 ? 0 : tb_below(tb, tb->p.cfg.counters + 1u);

    if (n >= copies || (!apmu_holds(&tb->p.cfg, info->gate, 0) && !tb_chance(tb, 8))) {
        return false;
    }
    a->address = info->key + n;
    a->value = a->write ? tb_random_word(tb, info->of, n) : 0;
    if (info->part != APMU_PART_BOTH) {
        a->value &= UINT32_MAX;
    }
    return true;
}

/* Finds the register of the AArch64 view at an offset, for its values. */
static enum apmu_reg register_at(const struct apmu_tb *tb, unsigned offset, unsigned *n)
{
    for (unsigned r = 0; r < APMU_REG_BORROWED; r++) {
        const unsigned copies = apmu_reg_info((enum apmu_reg)r)->copies;
        for (*n = 0; *n < copies; (*n)++) {
            if (tb_access_offset(&tb->p, (enum apmu_reg)r, *n) == (int)offset) {
                return (enum apmu_reg)r;
            }
        }
    }
    return APMU_REG_ALL;
}

static bool choose_ext(struct apmu_tb *tb, struct tb_access *a)
{
    const bool rme = (tb->p.cfg.features & APMU_FEAT(RME)) != 0;
    const int named = tb_access_any_offset(&tb->p, (unsigned)tb_random(tb, 16));
    const unsigned size = tb_chance(tb, 32) ? 4 : 8;
    unsigned offset = tb_chance(tb, 56) && named >= 0 ? (unsigned)named : (unsigned)tb_random(tb, 12), n = 0;

    if (!tb_chance(tb, 2)) {
        offset &= ~3u;
    }
    if (tb_chance(tb, 4)) {
        offset ^= 4;
    }
    a->address = offset;
    a->attributes = (unsigned)APMU_TB_ATTRIBUTES(size, tb_below(tb, rme ? 4 : 2), tb_chance(tb, 16) ? 1u : 0u);
    const enum apmu_reg reg = register_at(tb, offset, &n);
    a->value = !a->write ? 0 : reg == APMU_REG_ALL ? tb_random(tb, 64) : tb_random_word(tb, reg, n);
    if (size == 4) {
        a->value &= UINT32_MAX;
    }
    return true;
}

/* Turns an access into a write of PMCR, whose P and C reset counters. */
static void write_control(struct apmu_tb *tb, struct tb_access *a)
{
    static const char *const names[] = {"PMCR_EL0", "PMCR", "PMCR"};

    a->write = true;
    a->address = (unsigned)apmu_tb_find(tb, (int)a->view, names[a->view]);
    a->value = tb_random_word(tb, APMU_REG_PMCR_EL0, 0);
    if (a->view == APMU_TB_EXT) {
        const bool wide = (tb->p.cfg.features & APMU_FEAT(PMUv3_EXT64)) != 0 && tb_chance(tb, 32);
        a->attributes = (a->attributes & ~15u) | (wide ? 8u : 4u);
    }
    a->value &= a->view == APMU_TB_A64 || (a->attributes & 15u) == 8 ? UINT64_MAX : UINT32_MAX;
}

/* Chooses an access in a view at random.  Returns false if it chose none. */
static bool choose_access(struct apmu_tb *tb, struct tb_action *action)
{
    const unsigned view = tb_below(tb, 3);
    struct tb_access *a = &action->access;
    bool found;

    if ((tb->stimulus.views >> view & 1) == 0) {
        return false;
    }
    *action = (struct tb_action){.kind = APMU_TB_READ};
    *a = (struct tb_access){(enum apmu_tb_view)view, tb_chance(tb, 32), 0, 0, 0, {.control = ""}};
    switch (a->view) {
    case APMU_TB_A64:
        found = choose_a64(tb, a);
        break;
    case APMU_TB_A32:
        found = choose_a32(tb, a);
        break;
    default:
        found = choose_ext(tb, a);
        break;
    }
    if (found && tb_chance(tb, 5)) {
        write_control(tb, a);
    }
    action->kind = a->write ? APMU_TB_WRITE : APMU_TB_READ;
    return found;
}

/* The states that decide accesses. */
static const enum tb_state deciding[] = {
    TB_PE_MDCR_EL2,     TB_PE_MDCR_EL3,     TB_PE_HDFGRTR_EL2, TB_PE_HDFGWTR_EL2, TB_PE_HDFGRTR2_EL2,
    TB_PE_HDFGWTR2_EL2, TB_PE_SCR_EL3,      TB_PE_HCR_EL2,     TB_PE_HSTR_EL2,    TB_PE_os_lock,
    TB_PE_double_lock,  TB_PE_core_off,     TB_PE_debug_off,   TB_PE_halted,      TB_PE_sdd,
    TB_PE_dbgen,        TB_PE_niden,        TB_PE_spiden,      TB_PE_spniden,     TB_PE_rlpiden,
    TB_PE_rtpiden,
};

/* Changes one state that decides accesses, or the Exception level, if the PE can be in the new one. */
static void change_deciding(struct apmu_tb *tb, struct apmu_pe *pe, bool level)
{
    const enum tb_state row = level ? TB_PE_el : deciding[tb_below(tb, sizeof deciding / sizeof deciding[0])];
    struct apmu_pe other = *pe;

    tb_state_set(&other, row, tb_random_state(tb, pe, row));
    if ((tb->stimulus.held >> row & 1) == 0 && tb_state_matters(&tb->p.cfg, row) && tb_legal(&tb->p, &other)) {
        *pe = other;
    }
}

/* Seeks one change of *@pe that changes the answer to the access. */
static void seek_other_answer(struct apmu_tb *tb, const struct tb_access *access, struct apmu_pe *pe)
{
    struct tb_access now = *access;

    tb_access_decide(&tb->p, pe, &now, false, NULL);
    for (unsigned tries = 0; tries < 300; tries++) {
        struct tb_access then = *access;
        struct apmu_pe other = *pe;

        change_deciding(tb, &other, false);
        tb_access_decide(&tb->p, &other, &then, false, NULL);
        if (then.result.outcome != now.result.outcome || then.result.control != now.result.control ||
            then.value != now.value) {
            *pe = other;
            return;
        }
    }
}

/*
 * Opens all accesses at an Exception level, sometimes in another Security state.  Then it either seeks the one field
 * that decides about an access, or changes up to three fields and accesses some registers.
 */
static void plan_accesses(struct apmu_tb *tb)
{
    struct apmu_pe pe = tb_open_pe(&tb->p);
    struct tb_action action;
    const bool directed = tb_chance(tb, 36);

    if (tb_chance(tb, 32)) {
        pe.mdcr_el2 = tb->pe.mdcr_el2 & ~(APMU_MASK(MDCR_EL2, TPM) | APMU_MASK(MDCR_EL2, TPMCR));
    }
    change_deciding(tb, &pe, true);
    if (tb_chance(tb, 24)) {
        tb_random_world(tb, &pe);
    }
    if (tb_chance(tb, 24)) {
        tb_plan_high(tb);
        tb_plan_access(tb, APMU_REG_PMUSERENR_EL0, 0, true, tb_random_word(tb, APMU_REG_PMUSERENR_EL0, 0));
    }
    if (directed && choose_access(tb, &action)) {
        seek_other_answer(tb, &action.access, &pe);
        tb_plan_pe(tb, &pe);
        tb_plan(tb, &action);
        return;
    }
    for (unsigned i = tb_below(tb, 4); i > 0; i--) {
        change_deciding(tb, &pe, false);
    }
    tb_plan_pe(tb, &pe);
    for (unsigned i = 0; i < 6; i++) {
        if (choose_access(tb, &action)) {
            tb_plan(tb, &action);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Choice.
 */

/* Changes one state, if the PE can be in the new one. */
static void plan_state(struct apmu_tb *tb)
{
    const enum tb_state row = (enum tb_state)tb_below(tb, TB_PE_COUNT);
    struct apmu_pe pe = tb->pe;

    tb_state_set(&pe, row, tb_random_state(tb, &tb->pe, row));
    if (tb_state_matters(&tb->p.cfg, row) && tb_legal(&tb->p, &pe)) {
        tb_plan_state(tb, row, tb_state_get(&pe, row));
    }
}

/* Reads all registers that have no copies. */
static void plan_dump(struct apmu_tb *tb)
{
    tb_plan_high(tb);
    for (unsigned reg = 0; reg < APMU_REG_COUNT; reg++) {
        const struct apmu_reg_info *info = apmu_reg_info((enum apmu_reg)reg);
        if (info->copies == 1 && info->readable && apmu_holds(&tb->p.cfg, info->gate, 0)) {
            tb_plan_access(tb, (enum apmu_reg)reg, 0, false, 0);
        }
    }
}

static void plan(struct apmu_tb *tb)
{
    const unsigned choice = tb_below(tb, 200);
    const unsigned resets = (tb->p.cfg.features & APMU_FEAT(PMUv3_EXT)) != 0 ? 3 : 2; /* External debug reset is last */

    if (!tb_legal(&tb->p, &tb->pe)) {
        const struct apmu_pe pe = tb_open_pe(&tb->p);
        tb_plan_pe(tb, &pe);
    } else if (choice < 70) {
        if (choice < 55 || !plan_cross(tb)) {
            plan_reason(tb);
        }
    } else if (choice < 105) {
        plan_overflow(tb);
    } else if (choice < 112) {
        plan_software(tb);
    } else if (choice < 172) {
        plan_accesses(tb);
    } else if (choice < 182) {
        plan_state(tb);
    } else if (choice < 194) {
        plan_step(tb, any_counter(tb));
    } else if (choice < 197) {
        plan_dump(tb);
    } else {
        tb_plan(tb, &(struct tb_action){.kind = APMU_TB_RESET, .row = tb_below(tb, resets)});
    }
}

/* Returns whether the stimulus leaves the register of the access alone. */
static bool left_out(const struct apmu_tb *tb, const struct tb_access *access)
{
    enum apmu_reg reg;
    unsigned n;

    return tb_access_reached(&tb->p, access, &reg, &n) && reg < APMU_REG_COUNT && tb->stimulus.left_out[reg];
}

/*
 * Returns whether the state allows the action.  If a change of state makes it possible, *@first becomes this change.  A
 * core without power executes nothing, and an instruction belongs to one Execution state.
 */
static bool allowed(const struct apmu_tb *tb, const struct tb_action *action, struct tb_action *first)
{
    const bool access = action->kind == APMU_TB_READ || action->kind == APMU_TB_WRITE;
    const bool executes = action->kind == APMU_TB_STEP || (access && action->access.view != APMU_TB_EXT);
    const bool a32 = access && action->access.view == APMU_TB_A32;
    const uint64_t held = tb->stimulus.held;

    *first = (struct tb_action){.kind = APMU_TB_STATE};
    if (action->kind == APMU_TB_STATE) {
        struct apmu_pe pe = tb->pe;
        tb_state_set(&pe, (enum tb_state)action->row, action->value);
        return tb_legal(&tb->p, &pe) || !tb_legal(&tb->p, &tb->pe);
    }
    if (executes && tb->pe.core_off) {
        first->row = TB_PE_core_off;
        return (held >> TB_PE_core_off & 1) == 0;
    }
    if (executes && access && tb->pe.a32 != a32) {
        first->row = TB_PE_a32;
        first->value = a32;
        struct apmu_pe pe = tb->pe;
        pe.a32 = a32;
        return tb_legal(&tb->p, &pe) && (held >> TB_PE_a32 & 1) == 0;
    }
    first->kind = action->kind;
    return !access || !left_out(tb, &action->access);
}

int apmu_tb_next(struct apmu_tb *tb)
{
    struct tb_stimulus *s = &tb->stimulus;

    for (;;) {
        while (s->length == 0) {
            plan(tb);
        }
        const struct tb_action *action = &s->queue[s->head];
        struct tb_action first;
        const bool possible = allowed(tb, action, &first);
        const bool replaced = possible && action->kind != APMU_TB_STATE && first.kind == APMU_TB_STATE;

        if (possible) {
            s->action = replaced ? first : *action;
        }
        if (possible && s->action.kind == APMU_TB_STEP) {
            fill_step(tb, &s->action);
        }
        if (!replaced) {
            s->head = (s->head + 1) % TB_QUEUE;
            s->length--;
        }
        if (possible) {
            return (int)s->action.kind;
        }
    }
}
