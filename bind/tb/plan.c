/* SPDX-License-Identifier: BSD-2-Clause */
/* The queue of planned actions. */
#include "internal.h"

void tb_plan(struct apmu_tb *tb, const struct tb_action *action)
{
    struct tb_stimulus *s = &tb->stimulus;

    if (s->length < TB_QUEUE) {
        s->queue[(s->head + s->length++) % TB_QUEUE] = *action;
    }
}

void tb_plan_state(struct apmu_tb *tb, enum tb_state row, uint64_t value)
{
    if ((tb->stimulus.held >> row & 1) == 0) {
        tb_plan(tb, &(struct tb_action){.kind = APMU_TB_STATE, .row = row, .value = value});
    }
}

unsigned tb_highest(const struct apmu *p)
{
    const unsigned els = (unsigned)((p->cfg.features | p->cfg.features >> 4) & 0x0F);

    return (els & 8) != 0 ? 3 : (els & 4) != 0 ? 2 : 1;
}

void tb_plan_high(struct apmu_tb *tb)
{
    const unsigned highest = tb_highest(&tb->p);
    static const enum tb_state clear[] = {TB_PE_debug_off, TB_PE_core_off, TB_PE_os_lock, TB_PE_double_lock};

    if (tb->pe.el != highest) {
        tb_plan_state(tb, TB_PE_a32, (tb->p.cfg.features & APMU_FEAT(AA64)) == 0);
        tb_plan_state(tb, TB_PE_el, highest);
    }
    for (unsigned i = 0; i < sizeof clear / sizeof clear[0]; i++) {
        if (tb_state_get(&tb->pe, clear[i]) != 0) {
            tb_plan_state(tb, clear[i], 0);
        }
    }
}

/* Returns the attributes of an external access that nothing but locks refuses. */
static unsigned most_secure(const struct apmu *p, unsigned size)
{
    const unsigned pas = (p->cfg.features & APMU_FEAT(RME)) != 0 ? APMU_PAS_ROOT : APMU_PAS_SECURE;

    return APMU_TB_ATTRIBUTES(size, pas, 1u);
}

void tb_plan_sysreg(struct apmu_tb *tb, enum apmu_reg reg, bool write, uint64_t value)
{
    struct tb_action action = {.kind = write ? APMU_TB_WRITE : APMU_TB_READ};

    int select;

    action.access = (struct tb_access){APMU_TB_A64, write, apmu_reg_info(reg)->key, 0, value, {.control = ""}};
    if (tb->stimulus.views == 1u << APMU_TB_A32 && tb_access_a32(&tb->p, reg, 0, &action.access.address, &select)) {
        action.access.view = APMU_TB_A32;
        tb_plan(tb, &action);
    } else if ((tb->stimulus.views >> APMU_TB_A64 & 1) != 0) {
        tb_plan(tb, &action);
    }
}

void tb_plan_access(struct apmu_tb *tb, enum apmu_reg reg, unsigned n, bool write, uint64_t value)
{
    struct tb_action action = {.kind = write ? APMU_TB_WRITE : APMU_TB_READ};
    const int offset = tb_access_offset(&tb->p, reg, n);
    const bool third = (tb->p.cfg.features & APMU_FEAT(PMUv3_EXTPMN)) != 0;
    const unsigned views = tb->stimulus.views;
    const bool ext = (views >> APMU_TB_EXT & 1) != 0 && offset >= 0 && (third || views == 1u << APMU_TB_EXT);
    int select = -1;

    action.access = (struct tb_access){APMU_TB_A64, write, 0, 0, value, {.control = ""}};
    if (ext) {
        const bool wide = (tb->p.cfg.features & APMU_FEAT(PMUv3_EXT64)) != 0 || third;
        action.access.view = APMU_TB_EXT;
        action.access.address = (unsigned)offset;
        action.access.attributes = most_secure(&tb->p, wide ? 8 : 4);
        struct tb_access trial = action.access;
        if (tb_access_decide(&tb->p, &tb->pe, &trial, false, NULL) == APMU_ACCESS_ERROR) {
            action.access.attributes = most_secure(&tb->p, wide ? 4 : 8);
        }
    } else if ((views >> APMU_TB_A64 & 1) != 0 && reg < APMU_REG_COUNT) {
        action.access.address = apmu_reg_info(reg)->key + n;
    } else if ((views >> APMU_TB_A32 & 1) != 0 && tb_access_a32(&tb->p, reg, n, &action.access.address, &select)) {
        action.access.view = APMU_TB_A32;
        if (select >= 0) {
            tb_plan_access(tb, APMU_REG_PMSELR_EL0, 0, true, (uint64_t)select);
        }
    } else {
        return;
    }
    tb_plan(tb, &action);
}

void tb_plan_pe(struct apmu_tb *tb, const struct apmu_pe *pe)
{
    const unsigned highest = tb_highest(&tb->p);

    tb_plan_state(tb, TB_PE_a32, (tb->p.cfg.features & APMU_FEAT(AA64)) == 0);
    tb_plan_state(tb, TB_PE_el, highest);
    for (unsigned row = 0; row < TB_PE_COUNT; row++) {
        const uint64_t value = tb_state_get(pe, (enum tb_state)row);

        if (row != TB_PE_el && row != TB_PE_a32 && value != tb_state_get(&tb->pe, (enum tb_state)row)) {
            tb_plan_state(tb, (enum tb_state)row, value);
        }
    }
    if (pe->el != highest) {
        tb_plan_state(tb, TB_PE_el, pe->el);
    }
    if (pe->a32 && (tb->p.cfg.features & APMU_FEAT(AA64)) != 0) {
        tb_plan_state(tb, TB_PE_a32, 1);
    }
}
