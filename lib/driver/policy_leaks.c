/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds which counters count in which protected state, whatever less trusted software does.  This file has no texts. */
#include "policy_internal.h"

#define FIRST APMU_KIND_FIRST
#define SECOND APMU_KIND_SECOND
#define CYCLE APMU_KIND_CYCLE
#define INSTR APMU_KIND_INSTR

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

bool apmu_policy_trusts(const struct apmu_policy_request *r, enum apmu_reg reg, bool entered, enum apmu_state state)
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
        if (!apmu_policy_trusts(r, regs[i].reg, entered, state)) {
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
