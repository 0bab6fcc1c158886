/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses the banks through PMSELR_EL0, for a PMU that has no direct forms of them: ARMv7.
 *
 * Code that also uses PMSELR_EL0 may interrupt between these accesses, so each function restores PMSELR_EL0.
 */
#include <armpmu/backend.h>

/*
 * Sets *@select to the value of PMSELR_EL0.SEL for copy @n of @reg, and *@behind to the register to access.  Returns
 * false if @reg is accessed directly.
 */
static bool indirect(enum apmu_reg reg, unsigned n, uint64_t *select, enum apmu_reg *behind)
{
    if (reg != APMU_REG_PMEVCNTR_EL0 && reg != APMU_REG_PMEVTYPER_EL0 && reg != APMU_REG_PMCCFILTR_EL0) {
        return false;
    }
    *select = reg == APMU_REG_PMCCFILTR_EL0 ? APMU_CYCLE : n;
    *behind = reg == APMU_REG_PMEVCNTR_EL0 ? APMU_REG_PMXEVCNTR_EL0 : APMU_REG_PMXEVTYPER_EL0;
    return true;
}

/* Writes @select to PMSELR_EL0 and sets *@before to its former value. */
static enum apmu_error change(const struct apmu_dev *dev, uint64_t select, uint64_t *before)
{
    enum apmu_error error = dev->ops->read(dev->ctx, APMU_REG_PMSELR_EL0, 0, before);

    if (error == APMU_OK) {
        error = dev->ops->write(dev->ctx, APMU_REG_PMSELR_EL0, 0, select);
    }
    dev->ops->sync(dev->ctx);
    return error;
}

/* Restores PMSELR_EL0 after an access that returned @error.  Returns the first error. */
static enum apmu_error change_back(const struct apmu_dev *dev, uint64_t before, enum apmu_error error)
{
    const enum apmu_error last = dev->ops->write(dev->ctx, APMU_REG_PMSELR_EL0, 0, before);

    dev->ops->sync(dev->ctx);
    return error != APMU_OK ? error : last;
}

static enum apmu_error select_read(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value)
{
    const struct apmu_dev *dev = ctx;
    enum apmu_reg behind;
    uint64_t select, before;

    if (!indirect(reg, n, &select, &behind)) {
        return dev->ops->read(dev->ctx, reg, n, value);
    }
    const enum apmu_error error = change(dev, select, &before);

    return error != APMU_OK ? error : change_back(dev, before, dev->ops->read(dev->ctx, behind, 0, value));
}

static enum apmu_error select_write(void *ctx, enum apmu_reg reg, unsigned n, uint64_t value)
{
    const struct apmu_dev *dev = ctx;
    enum apmu_reg behind;
    uint64_t select, before;

    if (!indirect(reg, n, &select, &behind)) {
        return dev->ops->write(dev->ctx, reg, n, value);
    }
    const enum apmu_error error = change(dev, select, &before);

    return error != APMU_OK ? error : change_back(dev, before, dev->ops->write(dev->ctx, behind, 0, value));
}

static void select_sync(void *ctx)
{
    const struct apmu_dev *dev = ctx;

    dev->ops->sync(dev->ctx);
}

static struct apmu_place select_place(void *ctx)
{
    return apmu_dev_place(ctx);
}

const struct apmu_reg_ops apmu_select_ops = {
    .size = sizeof(struct apmu_reg_ops), .read = select_read, .write = select_write, .sync = select_sync,
    .place = select_place,
};
