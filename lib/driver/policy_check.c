/* SPDX-License-Identifier: BSD-2-Clause */
/* The check of the Secure policy: finds the fields that are the cause of leaks. */
#include "policy_internal.h"

#define FIRST APMU_KIND_FIRST
#define SECOND APMU_KIND_SECOND
#define CYCLE APMU_KIND_CYCLE
#define INSTR APMU_KIND_INSTR
#define EVENTS (FIRST | SECOND | INSTR)
#define THIRD APMU_KIND_THIRD
#define CYCLE_UNTIL_p5 (HAS(PMUv3p5) ? 0u : (unsigned)CYCLE)

const char *apmu_state_text(enum apmu_state state)
{
    static const char *const texts[APMU_STATE_COUNT] = {
#define APMU_POLICY_STATE(id, condition, text) text,
#include <armpmu/tables/policy.def>
    };
    return texts[state];
}

/* ---------------------------------------------------------------------------------------------------------------
 * The fields that are the cause.
 */

struct leak_row {
    enum policy_field_row field;
    const char *id, *rule, *text;
};

static const struct leak_row leak_rows[APMU_LEAK_COUNT] = {
#define APMU_POLICY_LEAK(id, reg, field, states, counters, condition, rule, text) \
    {POLICY_FIELD_##reg##_##field, #id, rule, text},
#include <armpmu/tables/policy.def>
};

/* Sets *@states and *@counters to the columns of row @leak for this request. */
static void leak_reach(const struct apmu_policy_request *r, unsigned leak, unsigned *states, unsigned *counters)
{
    const uint64_t features = r->features;
    const unsigned level = r->level;
    enum { S = APMU_STATES_SECURE, EL3 = APMU_STATE(EL3), RL = APMU_STATES_REALM, S_EL0 = APMU_STATE(S_EL0) };
    const unsigned EL2_OWN = level == 2 ? APMU_STATES_EL2 : APMU_STATE(NS_EL2);

    *states = *counters = 0;
    switch (leak) {
    /*
     * The row of EL2_HPMD becomes
     *     case APMU_LEAK_EL2_HPMD:
     *         *states = (HAS(PMUv3p1)) ? (EL2_OWN) : 0u;
     *         *counters = (FIRST | INSTR | CYCLE_UNTIL_p5);
     *         break;
     */
#define APMU_POLICY_LEAK(id, reg, field, states_, counters_, condition, rule, text) \
    case APMU_LEAK_##id: \
        *states = (condition) ? (states_) : 0u; \
        *counters = (counters_); \
        break;
#include <armpmu/tables/policy.def>
    default:
        break;
    }
    *states &= r->protect;
}

/* Returns the value of @reg in @regs, or NULL. */
static const uint64_t *find(const struct apmu_policy_reg *regs, size_t count, enum apmu_reg reg)
{
    for (size_t i = 0; i < count; i++) {
        if (regs[i].reg == reg) {
            return &regs[i].value;
        }
    }
    return NULL;
}

/*
 * Returns whether the field of @v has a wrong value or cannot be trusted in @state.  Then sets known and found of *@v.
 */
static bool wrong(const struct apmu_policy_request *r, const struct apmu_policy_reg *regs, size_t count, bool entered,
                  enum apmu_state state, struct apmu_policy_violation *v)
{
    const uint64_t *value = apmu_policy_trusts(r, v->reg, entered, state) ? find(regs, count, v->reg) : NULL;

    if (value != NULL && (*value & v->mask) == v->wanted) {
        return false;
    }
    v->known = value != NULL;
    v->found = value != NULL ? *value & v->mask : 0;
    return true;
}

size_t apmu_policy_check(const struct apmu_policy_request *request, const struct apmu_policy_reg *regs, size_t count,
                         bool entered, struct apmu_policy_violation *out)
{
    const struct policy_moment moment = {request->counters, entered, true};
    unsigned leaks[APMU_STATE_COUNT];
    size_t found = 0;

    for (unsigned state = 0; state < APMU_STATE_COUNT; state++) {
        const bool asked = (request->protect >> state & 1) != 0;

        leaks[state] = asked ? apmu_policy_leaks(request, regs, count, entered, (enum apmu_state)state) : 0;
    }
    for (unsigned leak = 0; leak < APMU_LEAK_COUNT; leak++) {
        const struct leak_row *row = &leak_rows[leak];
        const struct policy_field *field = apmu_policy_field(row->field);
        struct apmu_policy_violation v = {
            .leak = (enum apmu_policy_leak)leak, .id = row->id, .reg = field->reg,
            .name = apmu_policy_reg_name(request->features, field->reg), .field = field->field,
            .mask = APMU_BITS(field->msb, field->lsb),
            .wanted = apmu_policy_wanted(row->field, request->features, &moment), .rule = row->rule, .text = row->text,
        };
        unsigned states, counters;

        leak_reach(request, leak, &states, &counters);
        for (unsigned state = 0; state < APMU_STATE_COUNT; state++) {
            if ((states >> state & 1) != 0 && (leaks[state] & counters) != 0 &&
                wrong(request, regs, count, entered, (enum apmu_state)state, &v)) {
                v.states |= 1u << state;
                v.counters |= leaks[state] & counters;
            }
        }
        if (v.states != 0) {
            out[found++] = v;
        }
    }
    return found;
}

size_t apmu_policy_gaps(const struct apmu_policy_request *request, struct apmu_policy_violation *out)
{
    struct apmu_policy_reg regs[POLICY_HELD];
    const size_t count = apmu_policy_held(request, regs);

    return apmu_policy_check(request, regs, count, false, out);
}

size_t apmu_policy_notes(const struct apmu_policy_request *request, struct apmu_policy_note *out)
{
    const uint64_t features = request->features;
    const unsigned protect = request->protect;
    enum { EL3 = APMU_STATE(EL3), EL2S = APMU_STATES_EL2 };
    struct apmu_policy_violation violations[APMU_LEAK_COUNT];
    const size_t count = apmu_policy_gaps(request, violations);
    unsigned open = 0;
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        open |= violations[i].states;
    }
    const struct apmu_policy_note notes[APMU_NOTE_COUNT] = {
#define APMU_POLICY_NOTE(id, states, counters, rule, text) {APMU_NOTE_##id, #id, states, counters, rule, text},
#include <armpmu/tables/policy.def>
    };
    for (unsigned i = 0; i < APMU_NOTE_COUNT; i++) {
        if (notes[i].states != 0) {
            out[found++] = notes[i];
        }
    }
    return found;
}
