/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The check of the Secure policy: finds which counters count in which protected state, whatever less trusted software
 * does, and which fields are the cause.
 */
#include "policy_internal.h"

#define FIRST APMU_KIND_FIRST
#define SECOND APMU_KIND_SECOND
#define THIRD APMU_KIND_THIRD
#define CYCLE APMU_KIND_CYCLE
#define INSTR APMU_KIND_INSTR
#define EVENTS (FIRST | SECOND | INSTR)
#define CYCLE_UNTIL_p5 (HAS(PMUv3p5) ? 0u : (unsigned)CYCLE)

const char *apmu_state_text(enum apmu_state state)
{
    static const char *const texts[APMU_STATE_COUNT] = {
#define APMU_POLICY_STATE(id, condition, text) text,
#include <armpmu/tables/policy.def>
    };
    return texts[state];
}

unsigned apmu_states(uint64_t features)
{
    unsigned states = 0;

#define APMU_POLICY_STATE(id, condition, text) states |= (condition) ? APMU_STATE(id) : 0;
#include <armpmu/tables/policy.def>
    return states;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The registers in a state.  A register that may hold anything is given the value that lets most counters count.
 */

/* What decides which counters count in one state. */
struct sight {
    uint64_t features;
    unsigned level;
    unsigned counters;
    uint64_t mdcr_el3, sder32_el3, mdcr_el2, pmcr_el0, pmauthstatus;
    bool any_mdcr_el2; /* MDCR_EL2 may hold anything, also in HPMN */
};

/* Returns whether software that is less trusted than @state cannot write @reg. */
static bool trusted(const struct apmu_policy_request *r, enum apmu_reg reg, bool entered, enum apmu_state state)
{
    switch (reg) {
    case APMU_REG_PMCR_EL0:
        return entered;
    case APMU_REG_MDCR_EL2:
        return entered || r->level == 2 || state == APMU_STATE_NS_EL2;
    default:
        return true;
    }
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

/* Returns the registers in @state: those that are given and trusted, and the worst value for the others. */
static struct sight sight_of(const struct apmu_policy_request *r, const struct apmu_policy_reg *regs, size_t count,
                             bool entered, enum apmu_state state)
{
    struct sight s = {
        .features = r->features,
        .level = r->level,
        .counters = r->counters,
        .mdcr_el3 = APMU_MASK(MDCR_EL3, SPME),
        .sder32_el3 = APMU_MASK(SDER32_EL3, SUNIDEN),
        .mdcr_el2 = APMU_MASK(MDCR_EL2, HPME),
        .pmcr_el0 = APMU_MASK(PMCR_EL0, E),
        .pmauthstatus = APMU_PUT(PMAUTHSTATUS, SNID, 3),
        .any_mdcr_el2 = true,
    };

    for (size_t i = 0; i < count; i++) {
        if (!trusted(r, regs[i].reg, entered, state)) {
            continue;
        }
        switch (regs[i].reg) {
        case APMU_REG_MDCR_EL3:
            s.mdcr_el3 = regs[i].value;
            break;
        case APMU_REG_SDER32_EL3:
            s.sder32_el3 = regs[i].value;
            break;
        case APMU_REG_MDCR_EL2:
            s.mdcr_el2 = regs[i].value;
            s.any_mdcr_el2 = false;
            break;
        case APMU_REG_PMCR_EL0:
            s.pmcr_el0 = regs[i].value;
            break;
        case APMU_REG_PMAUTHSTATUS:
            s.pmauthstatus = regs[i].value;
            break;
        default:
            break;
        }
    }
    return s;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The counters that count.
 */

static bool is_secure(enum apmu_state state)
{
    return (APMU_STATES_SECURE >> state & 1) != 0;
}

static bool is_el2(enum apmu_state state)
{
    return (APMU_STATES_EL2 >> state & 1) != 0;
}

/*
 * Returns whether counting by the first range, or by the second, is prohibited: RJRYNM, RJDWFF, RGNGCW, RMMZLZ, RCSRMB.
 */
static bool prohibited(const struct sight *s, enum apmu_state state, bool first)
{
    const uint64_t features = s->features;
    const bool el3_a32 = HAS_EL3 && !HAS(AA64EL3), at_el3 = state == APMU_STATE_EL3;
    const bool spme = HAS(PMUv3) && APMU_GET(MDCR_EL3, SPME, s->mdcr_el3) != 0;
    const bool mpmx = HAS(PMUv3p7) && !el3_a32 && APMU_GET(MDCR_EL3, MPMX, s->mdcr_el3) != 0;
    const bool suniden = state == APMU_STATE_S_EL0 && HAS(AA32EL1) && APMU_GET(SDER32_EL3, SUNIDEN, s->sder32_el3) != 0;

    if (!HAS(Debugv8p2) && (HAS_EL3 || is_secure(state)) && APMU_GET(PMAUTHSTATUS, SNID, s->pmauthstatus) == 3) {
        return false;
    }
    return (HAS_EL3 && (is_secure(state) || at_el3) && !spme && !mpmx && !suniden) ||
           (at_el3 && mpmx && (!spme || first)) ||
           (is_el2(state) && first && HAS(PMUv3p1) && APMU_GET(MDCR_EL2, HPMD, s->mdcr_el2) != 0);
}

/* Returns whether the cycle counter is stopped, apart from PMCR_EL0.E: RGKPZH. */
static bool cycles_stopped(const struct sight *s, enum apmu_state state)
{
    const uint64_t features = s->features;
    const bool at_el3 = state == APMU_STATE_EL3, p5 = HAS(PMUv3p5);

    return (APMU_GET(PMCR_EL0, DP, s->pmcr_el0) != 0 && prohibited(s, state, true)) ||
           (p5 && HAS_EL3 && (is_secure(state) || at_el3) && APMU_GET(MDCR_EL3, SCCD, s->mdcr_el3) != 0) ||
           (p5 && is_el2(state) && APMU_GET(MDCR_EL2, HCCD, s->mdcr_el2) != 0) ||
           (HAS(PMUv3p7) && at_el3 && HAS(AA64EL3) && APMU_GET(MDCR_EL3, MCCD, s->mdcr_el3) != 0);
}

/*
 * Returns the ranges that can have counters: set of FIRST and SECOND.  A reserved HPMN can act as any value, as can
 * EPMN.
 */
static unsigned ranges(const struct sight *s)
{
    const uint64_t features = s->features;
    const unsigned hpmn = (unsigned)APMU_GET(MDCR_EL2, HPMN, s->mdcr_el2);
    const bool reserved = (hpmn == 0 && !HAS(HPMN0)) || (hpmn > s->counters && !HAS(PMUv3_EXTPMN));

    if (s->counters == 0 || !HAS_EL2) {
        return s->counters == 0 ? 0 : FIRST;
    }
    if (s->any_mdcr_el2 || reserved) {
        return FIRST | SECOND;
    }
    return (hpmn > 0 ? FIRST : 0u) | (hpmn < s->counters ? SECOND : 0u);
}

/* Returns the kinds of counters that count in @state. */
static unsigned counting(const struct sight *s, enum apmu_state state)
{
    const uint64_t features = s->features;
    const unsigned there = ranges(s);
    unsigned set = 0;

    if (APMU_GET(PMCR_EL0, E, s->pmcr_el0) != 0) { /* RKYBQW, IBTGDJ, IWMNXT */
        if (!prohibited(s, state, true)) {
            set |= (there & FIRST) | (HAS(PMUv3_ICNTR) ? INSTR : 0u);
        }
        set |= cycles_stopped(s, state) ? 0u : CYCLE;
    }
    /* EL2 owns the second range, so it is no leak to the software below EL2. */
    const bool own = s->level == 2 || state == APMU_STATE_NS_EL2;
    if (!own && APMU_GET(MDCR_EL2, HPME, s->mdcr_el2) != 0 && !prohibited(s, state, false)) {
        set |= there & SECOND;
    }
    return set;
}

unsigned apmu_policy_leaks(const struct apmu_policy_request *request, const struct apmu_policy_reg *regs, size_t count,
                           bool entered, enum apmu_state state)
{
    const struct sight s = sight_of(request, regs, count, entered, state);

    return counting(&s, state);
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

/*
 * Returns whether the field of @v has a wrong value or cannot be trusted in @state.  Then sets known and found of *@v.
 */
static bool wrong(const struct apmu_policy_request *r, const struct apmu_policy_reg *regs, size_t count, bool entered,
                  enum apmu_state state, struct apmu_policy_violation *v)
{
    const uint64_t *value = trusted(r, v->reg, entered, state) ? find(regs, count, v->reg) : NULL;

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
