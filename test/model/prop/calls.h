/* SPDX-License-Identifier: BSD-2-Clause */
/* One random call of the model.  It is drawn first and made later, so that two units can be given the same call. */
#ifndef ARMPMU_TEST_CALLS_H
#define ARMPMU_TEST_CALLS_H

#include "any.h"

enum call_kind {
    CALL_EVENT, CALL_CYCLES, CALL_STEP, CALL_SNAPSHOT, CALL_RETIRE, CALL_RESET, CALL_MSR, CALL_MRS, CALL_MCR, CALL_MRC,
    CALL_STORE, CALL_LOAD, CALL_ASK, CALLS
};

struct model_call {
    enum call_kind kind;
    struct apmu_pe pe;
    uint16_t event;
    uint64_t times, each, value;
    struct apmu_occurrence ev[2];
    enum apmu_reg reg;
    enum apmu_reg32 reg32;
    unsigned n, counter;
    enum apmu_reset_kind reset;
    struct apmu_ext at;
};

/* The result of a call. */
struct call_result {
    struct apmu_out out;
    uint64_t value;
    bool performed;
};

/*
 * Draws amounts: usually few events at once, rarely many.  It never draws many events in many cycles, because no
 * emulator sends that.
 */
static inline void any_amount(struct choices *c, struct model_call *call)
{
    const bool many = pick(c, 3) == 0;

    call->times = many ? pick(c, 5) : pick(c, pick_bool(c) ? 4 : 36);
    call->each = many ? pick(c, 64) : pick(c, 2);
    call->ev[0] = (struct apmu_occurrence){0x0008, many ? pick(c, 40) : pick(c, 2)};
    call->ev[1] = (struct apmu_occurrence){0x0024, pick(c, 3)};
}

static inline struct model_call any_call(struct choices *c, const struct apmu_config *cfg)
{
    struct model_call call;

    memset(&call, 0, sizeof call);
    call.kind = (enum call_kind)pick_of(c, CALLS);
    if (call.kind == CALL_RESET && pick_bool(c)) {
        call.kind = CALL_MSR;
    }
    any_engine_pe(c, cfg, &call.pe);
    call.event = any_events[pick(c, 2)];
    any_amount(c, &call);
    call.value = pick_bool(c) ? pick(c, 64) : pick(c, 33) & pick(c, 33);
    call.reg = (enum apmu_reg)pick_of(c, APMU_REG_ALL);
    call.reg32 = (enum apmu_reg32)pick_of(c, APMU_REG32_COUNT);
    call.n = (unsigned)pick(c, 3);
    call.counter = pick_of(c, APMU_COUNTERS);
    call.reset = (enum apmu_reset_kind)pick_of(c, 3);
    call.at = (struct apmu_ext){
        .offset = pick(c, 10) * 4, .size = pick_bool(c) ? 8 : 4, .pas = (enum apmu_pas)pick(c, 2),
        .debugger = pick_bool(c),
    };
    return call;
}

/* Returns whether the access that @call makes is allowed.  Other calls are always allowed. */
static inline bool access_allowed(const struct model_call *call, const struct apmu *p)
{
    const bool write = call->kind == CALL_MSR || call->kind == CALL_MCR || call->kind == CALL_STORE;

    switch (call->kind) {
    case CALL_MSR:
    case CALL_MRS:
        return apmu_access(p, &call->pe, call->reg, call->n, write).outcome == APMU_ACCESS_OK;
    case CALL_MCR:
    case CALL_MRC:
        return apmu_access_a32(p, &call->pe, call->reg32, call->n, write).outcome == APMU_ACCESS_OK;
    case CALL_STORE:
    case CALL_LOAD:
        return apmu_access_ext(p, &call->pe, &call->at, write).outcome == APMU_ACCESS_OK;
    default:
        return true;
    }
}

/*
 * Makes the call as an emulator does: an access is performed only if it is allowed.  With @insist, a refused access is
 * performed too; its effect is defined.
 */
static inline struct call_result make_call(const struct model_call *call, struct apmu *p, bool insist)
{
    const struct apmu_pe *pe = &call->pe;
    struct call_result r;

    memset(&r, 0, sizeof r);
    r.performed = access_allowed(call, p);
    if (!r.performed && !insist) {
        return r;
    }
    switch (call->kind) {
    case CALL_EVENT:
        apmu_event(p, pe, call->event, call->times, call->each, &r.out);
        break;
    case CALL_CYCLES:
        apmu_cycles(p, pe, call->times, &r.out);
        break;
    case CALL_STEP:
        apmu_step(p, pe, call->times, call->ev, 2, &r.out);
        break;
    case CALL_SNAPSHOT:
        apmu_snapshot(p, pe, &r.out);
        break;
    case CALL_RETIRE:
        r.value = apmu_retire(p, pe, call->value);
        break;
    case CALL_RESET:
        apmu_on_reset(p, call->reset);
        break;
    case CALL_MSR:
        apmu_poke(p, pe, call->reg, call->n, call->value, &r.out);
        break;
    case CALL_MRS:
        r.value = apmu_peek(p, pe, call->reg, call->n);
        break;
    case CALL_MCR:
        apmu_poke_a32(p, pe, call->reg32, call->n, call->value, &r.out);
        break;
    case CALL_MRC:
        r.value = apmu_peek_a32(p, pe, call->reg32, call->n);
        break;
    case CALL_STORE:
        apmu_poke_ext(p, pe, &call->at, call->value, &r.out);
        break;
    case CALL_LOAD:
        r.value = apmu_read_ext(p, pe, &call->at);
        break;
    default:
        r.value = apmu_why(p, pe, call->counter) ^ (uint64_t)apmu_pmuirq(p, pe) << 63 ^
                  apmu_until(p, pe, call->event, call->each & 0xFF);
        break;
    }
    return r;
}

#endif
