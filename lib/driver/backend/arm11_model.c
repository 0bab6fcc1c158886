/* SPDX-License-Identifier: BSD-2-Clause */
/* The model of the ARM11 unit as a back end of the ARM11 driver. */
#include <armpmu/arm11.h>
#include <armpmu/arm11_driver.h>

static enum apmu_error arm11_model_read(void *ctx, enum apmu_arm11_reg reg, uint32_t *value)
{
    const struct apmu_arm11_model_backend *model = ctx;

    *value = 0;
    if (apmu_arm11_access(model->unit, model->pe, reg, false).outcome != APMU_ACCESS_OK) {
        return APMU_E_ACCESS;
    }
    *value = apmu_arm11_peek(model->unit, reg);
    return APMU_OK;
}

static enum apmu_error arm11_model_write(void *ctx, enum apmu_arm11_reg reg, uint32_t value)
{
    const struct apmu_arm11_model_backend *model = ctx;

    if (apmu_arm11_access(model->unit, model->pe, reg, true).outcome != APMU_ACCESS_OK) {
        return APMU_E_ACCESS;
    }
    apmu_arm11_poke(model->unit, reg, value, NULL);
    return APMU_OK;
}

static void arm11_model_sync(void *ctx)
{
    (void)ctx; /* an access to the model takes effect at once */
}

const struct apmu_arm11_reg_ops apmu_arm11_model_ops = {
    .size = sizeof(struct apmu_arm11_reg_ops),
    .read = arm11_model_read, .write = arm11_model_write, .sync = arm11_model_sync,
};
