/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes facts of a configuration or of a whole state, puts a PE into a state, and names states. */
#include "internal.h"

const char *apmu_state_name(enum apmu_state state)
{
    static const char *const names[APMU_STATE_COUNT] = {
#define APMU_POLICY_STATE(id, condition, text) #id,
#include <armpmu/tables/policy.def>
    };
    return names[state];
}

void apmu_facts_init(struct apmu_facts *f, const struct apmu_config *cfg)
{
    *f = (struct apmu_facts){.is = {.p = {.pmcr = 0}}};
    apmu_sized_take(&f->is.p.cfg, sizeof f->is.p.cfg, cfg);
    apmu_settle(&f->is.p);
    f->known.pe.halted = true;
    if (!explain_has(&f->is.p.cfg, APMU_FEAT(PMUv3_EXTPMN))) { /* without PMCCR self-hosted software has all counters */
        f->is.p.ccr = APMU_PUT(PMCCR, EPMN, f->is.p.cfg.counters);
        f->known.p.ccr = UINT64_MAX;
    }
}

void apmu_facts_of(struct apmu_facts *f, const struct apmu *p, const struct apmu_pe *pe)
{
    const uint64_t all = UINT64_MAX;

    *f = (struct apmu_facts){
        .is = {.p = *p, .pe = *pe},
        .known.p = {.cfg.pmceid = {all, all}, .pmcr = all, .cnten = all, .inten = all, .ovs = all, .selr = all,
                    .userenr = all, .uacr = all, .ecr = all, .iar = all, .sscr = all, .ccr = all},
        .known.pe = {.a32 = true, .sm = true, .halted = true, .sdd = true, .os_lock = true, .double_lock = true,
                     .dbgen = true, .niden = true, .spiden = true, .spniden = true, .unattributable = true,
                     .mdcr_el2 = all, .mdcr_el3 = all, .hcr_el2 = all, .scr_el3 = all, .sder32_el3 = all,
                     .hstr_el2 = all, .hdfgrtr_el2 = all, .hdfgwtr_el2 = all, .hdfgrtr2_el2 = all,
                     .hdfgwtr2_el2 = all, .pmblimitr_el1 = all, .pmbsr_el1 = all, .pmbsr_el2 = all, .pmbsr_el3 = all,
                     .pmscr_el2 = all, .pm = true, .ppend = true},
    };
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        f->known.p.cntr[n] = f->known.p.typer[n] = f->known.p.svr[n] = all;
    }
}

unsigned apmu_explain_states(const struct apmu_config *cfg)
{
    const unsigned states = apmu_states(cfg->features);

    if (!cfg->secure_only || explain_has_el(cfg, 3)) {
        return states;
    }
    return APMU_STATE(S_EL0) | APMU_STATE(S_EL1) | (states & APMU_STATE(S_EL2));
}

void apmu_facts_at(struct apmu_facts *f, enum apmu_state state)
{
    static const uint8_t els[APMU_STATE_COUNT] = {
        [APMU_STATE_S_EL1] = 1, [APMU_STATE_S_EL2] = 2, [APMU_STATE_EL3] = 3, [APMU_STATE_NS_EL1] = 1,
        [APMU_STATE_NS_EL2] = 2, [APMU_STATE_RL_EL1] = 1, [APMU_STATE_RL_EL2] = 2,
    };
    const uint64_t world = APMU_MASK(SCR_EL3, NS) | APMU_MASK(SCR_EL3, NSE);
    const bool secure = (APMU_STATES_SECURE >> state & 1) != 0, realm = (APMU_STATES_REALM >> state & 1) != 0;

    f->is.pe.el = els[state];
    if (state == APMU_STATE_EL3) {
        return; /* SCR_EL3.NS may be either */
    }
    f->is.pe.scr_el3 = (f->is.pe.scr_el3 & ~world) | APMU_PUT(SCR_EL3, NS, !secure) | APMU_PUT(SCR_EL3, NSE, realm);
    f->known.pe.scr_el3 |= world;
    if (state == APMU_STATE_S_EL2) {
        f->is.pe.scr_el3 |= APMU_MASK(SCR_EL3, EEL2);
        f->known.pe.scr_el3 |= APMU_MASK(SCR_EL3, EEL2);
    }
}
