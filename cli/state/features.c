/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides which features the PE has: by --features; then by the ID registers; then by other registers in the input,
 * which a PE without the feature lacks; then by assumptions, which are listed.
 */
#include <string.h>

#include "internal.h"
#include "model.h"

/* What is known of the PE's features: sets of APMU_FEAT(x) that it has and that it lacks. */
struct evidence {
    uint64_t has, lacks;
};

/* Notes that the PE has, or lacks, @features. */
static void decide(struct evidence *e, uint64_t features, bool has)
{
    if (has) {
        e->has |= features;
    } else {
        e->lacks |= features;
    }
}

/*
 * Returns whether @field may decide a feature.  An ID field of AArch32 state may not if its counterpart of AArch64
 * state is known.  PerfMon may not if it is 15, which means a PMU that is not Arm's.
 */
static bool may_decide(const struct state *s, const struct apmu_id_field *field)
{
    uint64_t value;

    if (field->reg == APMU_REG_ID_PFR1_EL1) {
        return state_cell(s, APMU_REG_ID_AA64PFR0_EL1, 0)->known == 0;
    }
    if (field->reg == APMU_REG_ID_DFR0_EL1 && field->lsb == APMU_ID_DFR0_EL1_PerfMon_LSB) {
        return !STATE_FIELD(s, ID_AA64DFR0_EL1, 0, PMUVer, &value) && STATE_FIELD(s, ID_DFR0_EL1, 0, PerfMon, &value) &&
               value != 15;
    }
    return true;
}

/* Decides features by the fields of ID registers.  If several fields show a feature, the first known one decides. */
static void read_ids(const struct state *s, struct evidence *e)
{
    const struct apmu_id_field *field;
    uint64_t value;

    if (!STATE_FIELD(s, ID_AA64DFR0_EL1, 0, PMUVer, &value) && STATE_FIELD(s, ID_DFR0_EL1, 0, PerfMon, &value) &&
        value == 0) { /* as on Cortex-A8 and Cortex-A9, which are older than the field */
        decide(e, APMU_FEAT(PMUv1), true);
    }
    for (size_t i = 0; (field = apmu_id_field_at(i)) != NULL; i++) {
        const uint64_t feature = UINT64_C(1) << field->feature;

        if (((e->has | e->lacks) & feature) == 0 && may_decide(s, field) &&
            state_field(s, field->reg, 0, field->msb, field->lsb, &value)) {
            decide(e, feature, value >= field->least && value <= field->most);
        }
    }
    if (STATE_FIELD(s, PMDEVARCH, 0, ARCHPART, &value)) {
        decide(e, APMU_FEAT(PMUv3_EXT), (e->has & (APMU_FEAT(PMUv3_EXT32) | APMU_FEAT(PMUv3_EXT64))) != 0);
    }
    for (unsigned el = 0; el < 4; el++) {
        if (state_field(s, APMU_REG_ID_AA64PFR0_EL1, 0, 4 * el + 3, 4 * el, &value)) {
            e->has |= APMU_FEAT(AA64) | (value >= 2 ? APMU_FEAT(AA32) : 0);
        }
    }
}

/*
 * Decides features by the presence of a register that needs them.  A memory dump shows unimplemented registers as 0, so
 * a 0 from a dump proves nothing.
 */
static void read_presence(const struct state *s, struct evidence *e)
{
    static const struct {
        enum apmu_reg reg;
        uint64_t features;
    } present[] = {
        {APMU_REG_HDFGRTR_EL2, APMU_FEAT(FGT)},           {APMU_REG_HDFGWTR_EL2, APMU_FEAT(FGT)},
        {APMU_REG_HDFGRTR2_EL2, APMU_FEAT(FGT2)},         {APMU_REG_HDFGWTR2_EL2, APMU_FEAT(FGT2)},
        {APMU_REG_PMICNTR_EL0, APMU_FEAT(PMUv3_ICNTR)},   {APMU_REG_PMICFILTR_EL0, APMU_FEAT(PMUv3_ICNTR)},
        {APMU_REG_PMUACR_EL1, APMU_FEAT(PMUv3p9)},        {APMU_REG_PMIAR_EL1, APMU_FEAT(SEBEP)},
        {APMU_REG_PMSSCR_EL1, APMU_FEAT(PMUv3_SS)},       {APMU_REG_PMMIR_EL1, APMU_FEAT(PMUv3p4)},
        {APMU_REG_PMCCR, APMU_FEAT(PMUv3_EXTPMN)},        {APMU_REG_PMCFGR, APMU_FEAT(PMUv3_EXT)},
        {APMU_REG_PMPCSR, APMU_FEAT(PCSRv8p2)},           {APMU_REG_SVCR, APMU_FEAT(PMUv3_SME)},
        {APMU_REG_PMBSR_EL2, APMU_FEAT(SPE_EXC)},         {APMU_REG_PMBSR_EL3, APMU_FEAT(SPE_EXC)},
    };

    for (size_t i = 0; i < sizeof present / sizeof present[0]; i++) {
        const struct state_cell *cell = state_cell(s, present[i].reg, 0);

        if (cell->known != 0 && (cell->value != 0 || !s->memory)) {
            e->has |= present[i].features & ~e->lacks;
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Assumptions.
 */

void state_assume(struct state_model *m, enum apmu_reg reg, const char *text)
{
    if (m->assumed_count < STATE_ASSUMPTIONS) {
        m->assumed[m->assumed_count++] = (struct state_assumption){reg, text};
    }
}

#define ALL_LEVELS (APMU_BITS(7, 0) | APMU_FEAT(AA64) | APMU_FEAT(AA32))
#define AA64_LEVELS (APMU_BITS(APMU_FEAT_BIT_AA64EL3, APMU_FEAT_BIT_AA64EL0) | APMU_FEAT(AA64))
#define AA32_LEVELS (APMU_BITS(APMU_FEAT_BIT_AA32EL3, APMU_FEAT_BIT_AA32EL0) | APMU_FEAT(AA32))

static bool is_known(const struct state *s, enum apmu_reg reg)
{
    return state_cell(s, reg, 0)->known != 0;
}

/* Decides the Exception levels of an ARMv7 PE, which has EL0 and EL1. */
static uint64_t decide_armv7_levels(const struct state *s, struct state_model *m, const struct evidence *e)
{
    const uint64_t decided = (e->has | e->lacks) & ALL_LEVELS;
    uint64_t has = (e->has & AA32_LEVELS) | APMU_FEAT(AA32EL0) | APMU_FEAT(AA32EL1) | APMU_FEAT(AA32);

    if ((decided & APMU_FEAT(AA32EL2)) == 0 && (e->has & APMU_FEAT(PMUv2)) != 0 && is_known(s, APMU_REG_MDCR_EL2)) {
        has |= APMU_FEAT(AA32EL2);
    }
    if ((decided & APMU_FEAT(AA32EL3)) == 0) {
        has |= APMU_FEAT(AA32EL3);
        m->undecided |= APMU_FEAT(AA32EL3);
        state_assume(m, APMU_REG_ID_PFR1_EL1, "the Security Extensions are implemented");
    }
    if ((has & APMU_FEAT(AA32EL2)) != 0) {
        has |= APMU_FEAT(AA32EL3);
    }
    return has;
}

/* Decides the Exception levels and Execution states.  Returns at least EL0 and EL1. */
static uint64_t decide_levels(const struct state *s, struct state_model *m, const struct evidence *e)
{
    uint64_t has = e->has & ALL_LEVELS, seen;

    if ((e->has & (APMU_FEAT(PMUv1) | APMU_FEAT(PMUv2))) != 0) {
        return decide_armv7_levels(s, m, e);
    }
    if (has == 0) {
        has = AA64_LEVELS;
        seen = APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(AA64);
        if (is_known(s, APMU_REG_ID_PFR0_EL1) && state_cell(s, APMU_REG_ID_PFR0_EL1, 0)->value != 0) {
            has |= APMU_FEAT(AA32EL0) | APMU_FEAT(AA32);
            seen |= APMU_FEAT(AA32EL0) | APMU_FEAT(AA32);
        }
        seen |= is_known(s, APMU_REG_MDCR_EL2) || is_known(s, APMU_REG_HCR_EL2) ? APMU_FEAT(AA64EL2) : 0;
        seen |= is_known(s, APMU_REG_MDCR_EL3) || is_known(s, APMU_REG_SCR_EL3) ? APMU_FEAT(AA64EL3) : 0;
        m->undecided |= ALL_LEVELS & ~seen & ~e->lacks;
        state_assume(m, APMU_REG_ID_AA64PFR0_EL1, "EL2 and EL3 are implemented, and EL1 does not use AArch32");
        has &= ~e->lacks;
    }
    if ((has & AA64_LEVELS) != 0) {
        has |= APMU_FEAT(AA64) | APMU_FEAT(AA64EL1) | APMU_FEAT(AA64EL0);
    }
    if ((has & AA32_LEVELS) != 0) {
        has |= APMU_FEAT(AA32) | APMU_FEAT(AA32EL0);
    }
    if ((has & AA64_LEVELS) == 0) {
        has |= APMU_FEAT(AA32EL1);
    }
    return has;
}

/* Adds the set @features and what it requires.  If no PE can have them all, adds none and notes the contradiction. */
static void add_features(struct state_model *m, uint64_t features)
{
    const uint64_t before = m->cfg.features;
    const char *wrong;

    m->cfg.features = apmu_features_closure(before | features);
    m->cfg.thwidth = (m->cfg.features & APMU_FEAT(PMUv3_TH)) != 0 ? 12 : 0; /* set_config() reads PMMIR_EL1.THWIDTH */
    wrong = apmu_config_check(&m->cfg);
    if (wrong != NULL) {
        m->cfg.features = before;
        m->cfg.thwidth = (before & APMU_FEAT(PMUv3_TH)) != 0 ? 12 : 0;
        m->contradiction = m->contradiction != NULL ? m->contradiction : wrong;
    }
}

/* Assumes PMUv3 if nothing says that there is a PMU. */
static void assume_pmuv3(const struct state *s, struct state_model *m, struct evidence *e)
{
    const uint64_t any = APMU_FEAT(PMUv3) | APMU_FEAT(PMUv2) | APMU_FEAT(PMUv1);

    if ((e->has & any) != 0) {
        return;
    }
    if ((e->lacks & APMU_FEAT(PMUv3)) != 0 && s->core != NULL && s->core->pmu == APMU_CORE_PMU_V3) {
        m->contradiction = "PMUVer says that there is no PMUv3, but the core has one: it is hidden from the software "
                           "that read it";
    } else if ((e->lacks & APMU_FEAT(PMUv3)) != 0) {
        m->contradiction = "PMUVer says that there is no PMUv3: the registers are of another PMU, or it is hidden";
    }
    e->has |= APMU_FEAT(PMUv3);
    e->lacks &= ~APMU_FEAT(PMUv3);
}

/* Notes the assumption about the version if no register tells it. */
static void assume_version(const struct state *s, struct state_model *m)
{
    static const char text[] = "the version of the PMU is the oldest that has the registers given";

    if (!is_known(s, APMU_REG_ID_AA64DFR0_EL1) && !is_known(s, APMU_REG_ID_DFR0_EL1)) {
        state_assume(m, APMU_REG_ID_AA64DFR0_EL1, text);
    }
}

void state_features(const struct state *s, struct state_model *m)
{
    struct evidence e = {s->features, s->no_features & ~s->features};
    struct evidence read = {0, 0};
    const uint64_t every = APMU_BITS(APMU_FEAT_END - 1, 0);
    uint64_t layout;

    m->cfg.features = s->features;
    m->cfg.thwidth = (s->features & APMU_FEAT(PMUv3_TH)) != 0 ? 12 : 0;
    if (((s->features | s->no_features) & every) == every && apmu_config_check(&m->cfg) == NULL) {
        return; /* --features or a trace decides all features */
    }
    read_ids(s, &read);
    e.has |= read.has & ~e.lacks;
    e.lacks |= read.lacks & ~e.has;
    read_presence(s, &e);
    assume_pmuv3(s, m, &e);

    m->cfg.features = decide_levels(s, m, &e);
    add_features(m, e.has & (APMU_FEAT(PMUv3) | APMU_FEAT(PMUv2) | APMU_FEAT(PMUv1)));
    if (apmu_config_check(&m->cfg) != NULL) { /* no PE has these levels */
        m->contradiction = apmu_config_check(&m->cfg);
        m->cfg.features = AA64_LEVELS | APMU_FEAT(PMUv3);
    }
    layout = (e.has & APMU_FEAT(PMUv3_EXT64)) != 0 ? APMU_FEAT(PMUv3_EXT64) : APMU_FEAT(PMUv3_EXT32);
    for (unsigned bit = 0; bit < APMU_FEAT_END; bit++) {
        const uint64_t feature = UINT64_C(1) << bit;

        if ((e.has & feature & ~m->cfg.features) != 0) {
            const bool external = (apmu_features_closure(feature) & APMU_FEAT(PMUv3_EXT)) != 0;

            add_features(m, feature | (external ? layout : 0));
        }
    }
    if ((m->cfg.features & APMU_FEAT(VHE)) != 0 && ((e.has | e.lacks) & APMU_FEAT(E2H0)) == 0) {
        add_features(m, APMU_FEAT(E2H0));
    }
    assume_version(s, m);
    m->undecided |= every & ~(e.has | e.lacks | m->cfg.features | ALL_LEVELS);
}
