/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that an Exception level cannot infer what it may not see.  Events leave no trace if no counter counts them.
 * The counters that MDCR_EL2.HPMN reserves for EL2 are not visible at EL1 and EL0, whatever software there does.
 */
#include "calls.h"

/* Returns whether a counter counts the events or cycles of @call. */
static bool counted(const struct apmu *p, const struct apmu_pe *pe, const struct model_call *call)
{
    const bool clock = call->kind == CALL_CYCLES;
    const uint16_t event = clock ? APMU_EV_CPU_CYCLES : call->event;

    for (unsigned n = 0; n < p->cfg.counters; n++) {
        const unsigned bits = (p->cfg.features & APMU_FEAT(PMUv3p1)) != 0 ? 0xFFFF
                              : (p->cfg.features & APMU_FEAT(PMUv3)) != 0 ? 0x03FF
                                                                          : 0x00FF;
        if ((p->typer[n] & bits) == event && apmu_counts(p, pe, n)) {
            return true;
        }
    }
    return (clock && apmu_counts(p, pe, APMU_CYCLE)) ||
           (event == APMU_EV_INST_RETIRED && apmu_counts(p, pe, APMU_INSTR));
}

/* Gives two units the same calls, except for a victim's events that nothing counts: only one unit gets those. */
static bool prohibited_events_show(struct choices *c)
{
    struct apmu p, q;

    any_unit(c, &p);
    memcpy(&q, &p, sizeof p);
    for (unsigned i = 0; i < 12; i++) {
        struct model_call call = any_call(c, &p.cfg);
        const bool secret = pick_bool(c);
        if (secret) {
            call.kind = pick_bool(c) ? CALL_EVENT : CALL_CYCLES;
        }
        if (!secret || counted(&p, &call.pe, &call)) {
            make_call(&call, &q, false);
        }
        make_call(&call, &p, false);
        if (memcmp(&p, &q, sizeof p) != 0) {
            snprintf(any_message, sizeof any_message, "after call %d, event 0x%x, at EL%u: ovs %llx and %llx",
                     (int)call.kind, call.event, call.pe.el, (unsigned long long)p.ovs, (unsigned long long)q.ovs);
            return true;
        }
    }
    return false;
}

/* Changes every member of @q that belongs to the counters from @from up. */
static void change_beyond(struct choices *c, struct apmu *q, unsigned from)
{
    for (unsigned n = from; n < q->cfg.counters; n++) {
        const uint64_t bit = UINT64_C(1) << n;
        q->cntr[n] ^= pick(c, 32);
        q->typer[n] ^= pick(c, 32);
        q->svr[n] ^= pick(c, 64);
        q->cnten ^= pick_bool(c) ? bit : 0;
        q->inten ^= pick_bool(c) ? bit : 0;
        q->ovs ^= pick_bool(c) ? bit : 0;
        q->uacr ^= pick_bool(c) ? bit : 0;
        q->last_threshold ^= pick_bool(c) ? (uint32_t)bit : 0;
    }
    apmu_settle(q);
}

static bool same_answer(const struct apmu_access *a, const struct apmu_access *b)
{
    return a->outcome == b->outcome && a->el == b->el && a->hyp == b->hyp && a->ec == b->ec && a->iss == b->iss &&
           strcmp(a->control, b->control) == 0;
}

/*
 * Makes one MRS, MSR, MRC or MCR of the guest on both units, as a hypervisor does, including accesses that are
 * CONSTRAINED UNPREDICTABLE.
 */
static bool guest_sees(const struct model_call *call, struct apmu *p, struct apmu *q)
{
    const bool a32 = call->kind == CALL_MCR || call->kind == CALL_MRC;
    const bool write = call->kind == CALL_MSR || call->kind == CALL_MCR;
    struct apmu *unit[2] = {p, q};
    struct apmu_access answer[2];
    uint64_t value[2] = {0, 0};

    for (unsigned i = 0; i < 2; i++) {
        answer[i] = a32 ? apmu_access_a32(unit[i], &call->pe, call->reg32, call->n, write)
                        : apmu_access(unit[i], &call->pe, call->reg, call->n, write);
        if (answer[i].outcome != APMU_ACCESS_OK && answer[i].outcome != APMU_ACCESS_UNPREDICTABLE) {
            continue;
        }
        if (write && a32) {
            apmu_poke_a32(unit[i], &call->pe, call->reg32, call->n, call->value, NULL);
        } else if (write) {
            apmu_poke(unit[i], &call->pe, call->reg, call->n, call->value, NULL);
        } else {
            value[i] = a32 ? apmu_peek_a32(unit[i], &call->pe, call->reg32, call->n)
                           : apmu_peek(unit[i], &call->pe, call->reg, call->n);
        }
    }
    return !same_answer(&answer[0], &answer[1]) || value[0] != value[1];
}

static bool second_range_shows(struct choices *c)
{
    struct apmu p, q;
    struct apmu_pe at;

    any_unit(c, &p);
    p.cfg.features = apmu_features_closure(p.cfg.features | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL0));
    p.cfg.reserved_hpmn = p.cfg.reserved_hpmn < p.cfg.counters ? p.cfg.reserved_hpmn : p.cfg.counters;
    p.cfg.reserved_epmn = p.cfg.reserved_epmn < p.cfg.counters ? p.cfg.reserved_epmn : p.cfg.counters;
    any_engine_pe(c, &p.cfg, &at);
    at.el &= 1;
    at.scr_el3 |= 1; /* EL2 is enabled */
    p.cfg.secure_only = false;
    apmu_settle(&p);
    memcpy(&q, &p, sizeof p);
    change_beyond(c, &q, apmu_hpmn(&p, &at));
    for (unsigned i = 0; i < 40; i++) {
        struct model_call call = any_call(c, &p.cfg);
        call.pe = at;
        call.pe.el = (uint8_t)pick(c, 1);
        if (call.kind == CALL_EVENT || call.kind == CALL_CYCLES || call.kind == CALL_STEP) {
            make_call(&call, &p, false);
            make_call(&call, &q, false);
            continue;
        }
        call.kind = (enum call_kind)(CALL_MSR + (int)pick(c, 2));
        call.pe.a32 = call.kind == CALL_MCR || call.kind == CALL_MRC;
        call.reg = (enum apmu_reg)pick_of(c, APMU_REG_COUNT);
        if (guest_sees(&call, &p, &q)) {
            char name[24];
            snprintf(any_message, sizeof any_message, "%s or its AArch32 view at EL%u, HPMN %u of %u (features 0x%llx)",
                     apmu_reg_name(call.reg, call.n, name), call.pe.el, apmu_hpmn(&p, &at), p.cfg.counters,
                     (unsigned long long)p.cfg.features);
            return true;
        }
    }
    return false;
}

PROPERTIES(
    {"events that nothing counts leave no trace", prohibited_events_show, .rounds = 20000},
    {"the second range does not show at EL1 and EL0", second_range_shows, .rounds = 20000})
