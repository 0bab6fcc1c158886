/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a unit of the model and a PE from the facts of a state. */
#include <string.h>

#include "internal.h"
#include "model.h"

static uint64_t value_of(const struct state *s, enum apmu_reg reg, unsigned n)
{
    return state_cell(s, reg, n)->value;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The configuration.
 */

static bool has(const struct state_model *m, uint64_t feature)
{
    return (m->cfg.features & feature) != 0;
}

/* Returns @n, or one more than the highest event counter with a bit in PMCNTENSET, PMINTENSET or PMOVSSET. */
static uint64_t add_counters_of_bits(const struct state *s, uint64_t n)
{
    const uint64_t set = value_of(s, APMU_REG_PMCNTENSET_EL0, 0) | value_of(s, APMU_REG_PMINTENSET_EL1, 0) |
                         value_of(s, APMU_REG_PMOVSSET_EL0, 0);

    for (unsigned i = 0; i < APMU_EVENT_COUNTERS; i++) {
        n = (set >> i & 1) != 0 && n <= i ? i + 1 : n;
    }
    return n;
}

/* Decides the number of event counters.  PMCFGR.N counts all of them, PMCR.N those that its reader may use. */
static void set_counters(const struct state *s, struct state_model *m)
{
    uint64_t n;
    const bool core = s->core != NULL && s->core->counters <= APMU_EVENT_COUNTERS;
    const bool el2 = has(m, APMU_FEAT(AA64EL2) | APMU_FEAT(AA32EL2));

    if (STATE_FIELD(s, PMCFGR, 0, N, &n)) {
        n -= n > 0 && has(m, APMU_FEAT(PMUv3_ICNTR));
        m->counters_known = true;
    } else if (STATE_FIELD(s, PMCR_EL0, 0, N, &n) && (!state_pmcr_is_written(s) || s->secure_only)) {
        m->counters_known = !el2 || (m->el_known && m->pe.el >= 2) || (core && n == s->core->counters);
        if (!m->counters_known) {
            state_assume(m, APMU_REG_PMCR_EL0, "PMCR_EL0.N was read at EL2 or EL3: at EL0 and EL1 it is MDCR_EL2.HPMN");
        }
    } else if (core) {
        n = s->core->counters;
        m->counters_known = true;
    } else {
        n = 0;
        for (unsigned i = 0; i < APMU_EVENT_COUNTERS; i++) {
            if (state_cell(s, APMU_REG_PMEVTYPER_EL0, i)->known != 0 ||
                state_cell(s, APMU_REG_PMEVCNTR_EL0, i)->known != 0) {
                n = i + 1;
            }
        }
        n = add_counters_of_bits(s, n);
        state_assume(m, APMU_REG_PMCR_EL0, "there are as many event counters as the input has registers for");
    }
    m->cfg.counters = (uint8_t)(n > APMU_EVENT_COUNTERS ? APMU_EVENT_COUNTERS : n);
}

/* Fills the configuration from the registers that show it.  The features and the event counters are decided already. */
static void set_config(const struct state *s, struct state_model *m)
{
    const uint64_t high = has(m, APMU_FEAT(PMUv3p1)) ? ~UINT64_C(0) : UINT32_MAX;
    uint64_t value;

    for (unsigned i = 0; i < 2; i++) {
        m->cfg.pmceid[i] = value_of(s, i == 0 ? APMU_REG_PMCEID0_EL0 : APMU_REG_PMCEID1_EL0, 0) & high;
    }
    if (STATE_FIELD(s, PMMIR_EL1, 0, SLOTS, &value)) {
        m->cfg.slots = (uint8_t)value;
    }
    if (STATE_FIELD(s, PMMIR_EL1, 0, BUS_SLOTS, &value)) {
        m->cfg.bus_slots = (uint8_t)value;
    }
    if (STATE_FIELD(s, PMMIR_EL1, 0, BUS_WIDTH, &value)) {
        m->cfg.bus_width = (uint8_t)value;
    }
    if (STATE_FIELD(s, PMMIR_EL1, 0, THWIDTH, &value) && value >= 1 && value <= 12 && has(m, APMU_FEAT(PMUv3_TH))) {
        m->cfg.thwidth = (uint8_t)value;
    }
    if (STATE_FIELD(s, PMCR_EL0, 0, IMP, &value)) {
        m->cfg.imp = (uint8_t)value;
    } else if (s->core != NULL) {
        m->cfg.imp = s->core->implementer;
    }
    if (STATE_FIELD(s, PMCR_EL0, 0, IDCODE, &value)) {
        m->cfg.idcode = (uint8_t)value;
    }
    m->cfg.export_bus = (STATE_FIELD(s, PMCFGR, 0, EX, &value) && value != 0) ||
                        (STATE_FIELD(s, PMCR_EL0, 0, X, &value) && value != 0);
    m->cfg.software_lock = STATE_FIELD(s, PMLSR, 0, SLI, &value) && value != 0 && has(m, APMU_FEAT(PMUv3_EXT32)) &&
                           !has(m, APMU_FEAT(Debugv8p4) | APMU_FEAT(DoPD));
    m->cfg.secure_only = s->secure_only && !has(m, APMU_FEAT(AA64EL3) | APMU_FEAT(AA32EL3));
    m->cfg.mpidr = value_of(s, APMU_REG_PMDEVAFF, 0);
    m->cfg.iidr = (uint32_t)value_of(s, APMU_REG_PMIIDR, 0);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The PE.
 */

/* Decides the Exception level, the Execution state and PSTATE.SM. */
static void set_level(const struct state *s, struct state_model *m)
{
    static const struct {
        uint8_t mode, el;
    } modes[] = {{0, 0}, {1, 1}, {2, 1}, {3, 1}, {6, 3}, {7, 1}, {10, 2}, {11, 1}, {15, 1}}; /* by PSTATE.M[3:0] */
    uint64_t value, nrw;

    if (STATE_FIELD(s, CurrentEL, 0, EL, &value)) {
        m->pe.el = (uint8_t)value;
        m->pe.a32 = STATE_FIELD(s, PSTATE, 0, nRW, &nrw) && nrw != 0;
        m->el_known = true;
    } else if (STATE_FIELD(s, PSTATE, 0, M, &value) && STATE_FIELD(s, PSTATE, 0, nRW, &nrw)) {
        m->pe.a32 = nrw != 0;
        m->pe.el = (uint8_t)(value >> 2);
        m->el_known = !m->pe.a32;
        for (size_t i = 0; m->pe.a32 && i < sizeof modes / sizeof modes[0]; i++) {
            if (modes[i].mode == value) {
                m->pe.el = modes[i].el;
                m->el_known = true;
            }
        }
    } else if (m->pe.halted && STATE_FIELD(s, EDSCR, 0, EL, &value)) {
        m->pe.el = (uint8_t)value;
        m->el_known = true;
    }
    if (m->pe.el > 3) {
        m->pe.el = 0;
        m->el_known = false;
    }
    m->pe.sm = STATE_FIELD(s, SVCR, 0, SM, &value) && value != 0;
}

/* Fills @pe, except for .el, .a32 and .sm, from the cells. */
static void set_pe(const struct state *s, struct apmu_pe *pe)
{
    enum { ENABLED = 3 }; /* in a field of DBGAUTHSTATUS_EL1 */
    uint64_t value;

    for (unsigned r = APMU_REG_BORROWED; r < APMU_REG_ALL; r++) {
        apmu_pe_set(pe, (enum apmu_reg)r, value_of(s, (enum apmu_reg)r, 0));
    }
    pe->os_lock = APMU_GET(OSLSR_EL1, OSLK, value_of(s, APMU_REG_OSLSR_EL1, 0)) != 0 ||
                  APMU_GET(EDPRSR, OSLK, value_of(s, APMU_REG_EDPRSR, 0)) != 0;
    pe->double_lock = APMU_GET(EDPRSR, DLK, value_of(s, APMU_REG_EDPRSR, 0)) != 0;
    pe->core_off = STATE_FIELD(s, EDPRSR, 0, PU, &value) && value == 0;
    pe->sdd = APMU_GET(EDSCR, SDD, value_of(s, APMU_REG_EDSCR, 0)) != 0;
    pe->halted = APMU_GET(EDPRSR, HALTED, value_of(s, APMU_REG_EDPRSR, 0)) != 0 ||
                 APMU_GET(EDSCR, STATUS, value_of(s, APMU_REG_EDSCR, 0)) > 2;
    pe->pm = APMU_GET(PSTATE, PM, value_of(s, APMU_REG_PSTATE, 0)) != 0;
    pe->ppend = APMU_GET(PSTATE, PPEND, value_of(s, APMU_REG_PSTATE, 0)) != 0;

    const uint64_t status = value_of(s, APMU_REG_DBGAUTHSTATUS_EL1, 0);

    pe->dbgen = APMU_GET(DBGAUTHSTATUS_EL1, NSID, status) == ENABLED;
    pe->niden = APMU_GET(DBGAUTHSTATUS_EL1, NSNID, status) == ENABLED;
    pe->spiden = APMU_GET(DBGAUTHSTATUS_EL1, SID, status) == ENABLED;
    pe->spniden = APMU_GET(DBGAUTHSTATUS_EL1, SNID, status) == ENABLED;
    pe->rlpiden = APMU_GET(DBGAUTHSTATUS_EL1, RLID, status) == ENABLED;
    pe->rtpiden = APMU_GET(DBGAUTHSTATUS_EL1, RTID, status) == ENABLED;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The unit.
 */

/* Writes the copies of @reg that the unit has, as the PE @at. */
static void fill_bank(const struct state *s, struct apmu *p, const struct apmu_pe *at, enum apmu_reg reg)
{
    for (unsigned n = 0; n < p->cfg.counters && n < APMU_EVENT_COUNTERS; n++) {
        apmu_poke(p, at, reg, n, value_of(s, reg, n), NULL);
    }
}

/*
 * Writes the registers from EL3, which can access all counters.  PMCCR, which can hide counters, is set to hide none
 * first, and gets its value last.
 */
void state_fill(const struct state *s, struct apmu *p, struct apmu_pe *pe)
{
    static const enum apmu_reg plain[] = {
        APMU_REG_PMSELR_EL0, APMU_REG_PMUSERENR_EL0, APMU_REG_PMUACR_EL1, APMU_REG_PMECR_EL1, APMU_REG_PMIAR_EL1,
        APMU_REG_PMCCNTR_EL0, APMU_REG_PMCCFILTR_EL0, APMU_REG_PMICNTR_EL0, APMU_REG_PMICFILTR_EL0,
    };
    static const struct {
        enum apmu_reg clear, set;
    } sets[] = {{APMU_REG_PMCNTENCLR_EL0, APMU_REG_PMCNTENSET_EL0},
                {APMU_REG_PMINTENCLR_EL1, APMU_REG_PMINTENSET_EL1},
                {APMU_REG_PMOVSCLR_EL0, APMU_REG_PMOVSSET_EL0}};
    const struct apmu_pe at = {.el = 3};
    const struct state_cell *ccr = state_cell(s, APMU_REG_PMCCR, 0);
    const uint64_t acts = APMU_MASK(PMCR_EL0, P) | APMU_MASK(PMCR_EL0, C);

    set_pe(s, pe);
    p->ccr = APMU_PUT(PMCCR, EPMN, p->cfg.counters);
    apmu_poke(p, &at, APMU_REG_PMCR_EL0, 0, value_of(s, APMU_REG_PMCR_EL0, 0) & ~acts, NULL);
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        apmu_poke(p, &at, sets[i].clear, 0, ~UINT64_C(0), NULL);
        apmu_poke(p, &at, sets[i].set, 0, value_of(s, sets[i].set, 0), NULL);
    }
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        apmu_poke(p, &at, plain[i], 0, value_of(s, plain[i], 0), NULL);
    }
    apmu_poke(p, &at, APMU_REG_PMSSCR_EL1, 0,
              value_of(s, APMU_REG_PMSSCR_EL1, 0) & ~APMU_MASK(PMSSCR_EL1, SS), NULL);
    fill_bank(s, p, &at, APMU_REG_PMEVTYPER_EL0);
    fill_bank(s, p, &at, APMU_REG_PMEVCNTR_EL0);
    if (ccr->known != 0 || ccr->value != 0) {
        apmu_poke(p, &at, APMU_REG_PMCCR, 0, ccr->value, NULL);
    }
    p->locked = p->cfg.software_lock && APMU_GET(PMLSR, SLK, value_of(s, APMU_REG_PMLSR, 0)) != 0;
}

void state_to_model(const struct state *s, struct state_model *m)
{
    uint64_t value;

    memset(m, 0, sizeof *m);
    m->cfg.size = sizeof m->cfg;
    set_pe(s, &m->pe);
    state_features(s, m);
    set_level(s, m);
    set_counters(s, m);
    set_config(s, m);
    m->ss_known = STATE_FIELD(s, SCR_EL3, 0, NS, &value) || !has(m, APMU_FEAT(AA64EL3) | APMU_FEAT(AA32EL3));
    if (m->el_known && m->pe.el == 3) {
        m->ss_known = true;
    }
    apmu_init(&m->p, &m->cfg);
    state_fill(s, &m->p, &m->pe);
}

void state_to_arm11(const struct state *s, struct state_arm11 *m)
{
    struct apmu_arm11_config cfg = {.size = sizeof cfg, .part = APMU_ARM1176};
    uint64_t value;

    memset(m, 0, sizeof *m);
    if (s->core != NULL && s->core->pmu == APMU_CORE_PMU_ARM11) {
        m->part_known = s->core->part != 0xB02;
        cfg.part = s->core->part == 0xB36 ? APMU_ARM1136 : s->core->part == 0xB56 ? APMU_ARM1156 : APMU_ARM1176;
    }
    apmu_arm11_init(&m->p, &cfg);
    m->p.pmnc = (uint32_t)(s->arm11[APMU_ARM11_REG_PMNC].value & ~(APMU_MASK(PMNC, C) | APMU_MASK(PMNC, P)));
    m->p.count[APMU_ARM11_CCNT] = (uint32_t)s->arm11[APMU_ARM11_REG_CCNT].value;
    m->p.count[APMU_ARM11_PMN0] = (uint32_t)s->arm11[APMU_ARM11_REG_PMN0].value;
    m->p.count[APMU_ARM11_PMN1] = (uint32_t)s->arm11[APMU_ARM11_REG_PMN1].value;
    m->pe.user_v = (s->arm11[STATE_ARM11_SUNAVCR].value & 1) != 0;
    m->pe.halted = (s->arm11[STATE_ARM11_DSCR].value & 1) != 0;
    m->pe.suniden = APMU_GET(SDER32_EL3, SUNIDEN, value_of(s, APMU_REG_SDER32_EL3, 0)) != 0;
    m->pe.secure = STATE_FIELD(s, SCR_EL3, 0, NS, &value) && value == 0;
    m->pe.user = STATE_FIELD(s, PSTATE, 0, M, &value) && value == 0;
    m->pe.spniden = APMU_GET(DBGAUTHSTATUS_EL1, SNID, value_of(s, APMU_REG_DBGAUTHSTATUS_EL1, 0)) == 3;
}
