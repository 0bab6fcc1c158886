/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The model as a back end of the register seam.  This file and arm11_model.c are the only ones that know both the model
 * and the driver.
 */
#include <armpmu/backend.h>
#include <armpmu/model.h>

/* Returns the error for an access that software on the PE could not make. */
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

/* Reads a register that the PMU does not own.  The ID registers can be read from EL1 up. */
static enum apmu_error read_borrowed(const struct apmu_model_backend *model, enum apmu_reg reg, uint64_t *value)
{
    const uint64_t features = model->pmu->cfg.features;
    const bool el2 = (features & (APMU_FEAT(AA64EL2) | APMU_FEAT(AA32EL2))) != 0;
    const bool monitor = model->pe->a32 && model->pe->el == 3;

    if (model->pe->el == 0) {
        return APMU_E_NO_REGISTER;
    }
    if (reg == APMU_REG_MDCR_EL2 && model->pe->el >= 2 && !monitor) {
        *value = el2 ? model->pe->mdcr_el2 : 0;
        return APMU_OK;
    }
    const bool of_a32 = reg >= APMU_REG_ID_PFR0_EL1 && reg <= APMU_REG_ID_DFR1_EL1;
    const bool of_a64 = reg >= APMU_REG_ID_AA64DFR0_EL1 && reg <= APMU_REG_ID_AA64MMFR4_EL1;

    if (model->pe->a32 ? !of_a32 : !of_a64) {
        return APMU_E_NO_REGISTER;
    }
    *value = apmu_id_value(reg, features);
    return APMU_OK;
}

/* The AArch32 registers: what they show. */
static const struct {
    uint8_t of;   /* enum apmu_reg */
    uint8_t part; /* enum apmu_part */
} views[APMU_REG32_COUNT] = {
#define APMU_AARCH32(id, of, copies, place, part, gate, hides) [APMU_REG32_##id] = {APMU_REG_##of, APMU_PART_##part},
#include <armpmu/tables/aarch32.def>
};

/*
 * Finds the AArch32 register that shows @part of @reg.  Returns whether this PMU has it; then *@found is the register
 * and *@outcome the outcome of the access.
 */
static bool find_a32(const struct apmu_model_backend *model, enum apmu_reg reg, unsigned n, bool write,
                     enum apmu_part part, enum apmu_reg32 *found, enum apmu_outcome *outcome)
{
    for (unsigned i = 0; i < APMU_REG32_COUNT; i++) {
        if (views[i].of == reg && views[i].part == part) {
            *found = (enum apmu_reg32)i;
            *outcome = apmu_access_a32(model->pmu, model->pe, *found, n, write).outcome;
            return *outcome != APMU_ACCESS_UNDEFINED;
        }
    }
    return false;
}

/* Reads all 64 bits where there is such an access, otherwise the halves. */
static enum apmu_error read_a32(const struct apmu_model_backend *model, enum apmu_reg reg, unsigned n, uint64_t *value)
{
    enum apmu_outcome outcome = APMU_ACCESS_UNDEFINED, ignored;
    enum apmu_reg32 at;

    *value = 0;
    if (find_a32(model, reg, n, false, APMU_PART_BOTH, &at, &outcome) ||
        find_a32(model, reg, n, false, APMU_PART_LOW, &at, &outcome)) {
        *value = outcome == APMU_ACCESS_OK ? apmu_peek_a32(model->pmu, model->pe, at, n) : 0;
    }
    if (outcome == APMU_ACCESS_OK && find_a32(model, reg, n, false, APMU_PART_HIGH, &at, &ignored)) {
        *value |= apmu_peek_a32(model->pmu, model->pe, at, n) << 32;
    }
    return refusal(outcome);
}

static enum apmu_error write_a32(const struct apmu_model_backend *model, enum apmu_reg reg, unsigned n, uint64_t value)
{
    enum apmu_outcome outcome = APMU_ACCESS_UNDEFINED;
    enum apmu_reg32 at;

    if ((find_a32(model, reg, n, true, APMU_PART_BOTH, &at, &outcome) ||
         find_a32(model, reg, n, true, APMU_PART_LOW, &at, &outcome)) && outcome == APMU_ACCESS_OK) {
        apmu_poke_a32(model->pmu, model->pe, at, n, value, NULL);
    }
    return refusal(outcome);
}

static enum apmu_error model_read(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value)
{
    const struct apmu_model_backend *model = ctx;

    if (reg >= APMU_REG_COUNT) {
        return read_borrowed(model, reg, value);
    }
    if (model->pe->a32) {
        return read_a32(model, reg, n, value);
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
    if (model->pe->a32) {
        return write_a32(model, reg, n, value);
    }
    const enum apmu_outcome outcome = apmu_access(model->pmu, model->pe, reg, n, true).outcome;

    if (outcome == APMU_ACCESS_OK) {
        apmu_poke(model->pmu, model->pe, reg, n, value, NULL);
    }
    return refusal(outcome);
}

static void model_sync(void *ctx)
{
    (void)ctx; /* an access to the model takes effect at once */
}

static struct apmu_place model_place(void *ctx)
{
    const struct apmu_model_backend *model = ctx;

    return (struct apmu_place){.view = model->pe->a32 ? APMU_VIEW_A32 : APMU_VIEW_A64, .el = model->pe->el};
}

const struct apmu_reg_ops apmu_model_ops = {
    .size = sizeof(struct apmu_reg_ops), .read = model_read, .write = model_write, .sync = model_sync,
    .place = model_place,
};
