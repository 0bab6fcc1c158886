/* SPDX-License-Identifier: BSD-2-Clause */
/* The model as a PMU to drive.  The only file that knows both. */
#include <armpmu/driver.h>
#include <armpmu/model.h>

/* ID_AA64DFR0_EL1.PMUVer of each version, the newest first. */
static const struct {
    uint64_t feature;
    unsigned pmuver;
} versions[] = {
    {APMU_FEAT(PMUv3p9), 9}, {APMU_FEAT(PMUv3p8), 8}, {APMU_FEAT(PMUv3p7), 7}, {APMU_FEAT(PMUv3p5), 6},
    {APMU_FEAT(PMUv3p4), 5}, {APMU_FEAT(PMUv3p1), 4}, {APMU_FEAT(PMUv3), 1},
};

static uint64_t dfr0(uint64_t features)
{
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        if ((features & versions[i].feature) != 0) {
            return APMU_PUT(ID_AA64DFR0_EL1, PMUVer, versions[i].pmuver);
        }
    }
    return 0;
}

/* What software would meet in place of an answer. */
static enum apmu_error refusal(enum apmu_outcome outcome)
{
    switch (outcome) {
    case APMU_ACCESS_UNDEFINED:
    case APMU_ACCESS_UNPREDICTABLE:
        return APMU_E_NO_REGISTER;
    case APMU_ACCESS_TRAP:
        return APMU_E_ACCESS;
    default:
        return APMU_OK;
    }
}

static enum apmu_error model_read(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value)
{
    const struct apmu_model_backend *model = ctx;
    const uint64_t features = model->pmu->cfg.features;

    if (reg == APMU_REG_ID_AA64DFR0_EL1) {
        *value = dfr0(features);
        return APMU_OK;
    }
    if (reg == APMU_REG_ID_AA64DFR1_EL1) {
        *value = APMU_PUT(ID_AA64DFR1_EL1, PMICNTR, (features & APMU_FEAT(PMUv3_ICNTR)) != 0);
        return APMU_OK;
    }
    if (reg >= APMU_REG_COUNT) {
        return APMU_E_NO_REGISTER;
    }
    const enum apmu_outcome outcome = apmu_access(model->pmu, model->pe, reg, n, false).outcome;

    *value = outcome == APMU_ACCESS_OK ? apmu_peek(model->pmu, model->pe, reg, n) : 0;
    return refusal(outcome);
}

static enum apmu_error model_write(void *ctx, enum apmu_reg reg, unsigned n, uint64_t value)
{
    const struct apmu_model_backend *model = ctx;

    if (reg >= APMU_REG_COUNT) {
        return APMU_E_NO_REGISTER;
    }
    const enum apmu_outcome outcome = apmu_access(model->pmu, model->pe, reg, n, true).outcome;

    if (outcome == APMU_ACCESS_OK) {
        apmu_poke(model->pmu, model->pe, reg, n, value, NULL);
    }
    return refusal(outcome);
}

static void model_sync(void *ctx)
{
    (void)ctx; /* the model does what it is told at once */
}

const struct apmu_reg_ops apmu_model_ops = {
    .size = sizeof(struct apmu_reg_ops), .read = model_read, .write = model_write, .sync = model_sync,
};
