/* SPDX-License-Identifier: BSD-2-Clause */
/* The saboteur: lets one access fail.  That access does not reach the other back end. */
#include <armpmu/backend.h>

static bool fails(struct apmu_fault *fault)
{
    fault->calls++;
    return fault->calls == fault->fail_at;
}

static enum apmu_error fault_read(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value)
{
    struct apmu_fault *fault = ctx;

    return fails(fault) ? fault->error : fault->inner.ops->read(fault->inner.ctx, reg, n, value);
}

static enum apmu_error fault_write(void *ctx, enum apmu_reg reg, unsigned n, uint64_t value)
{
    struct apmu_fault *fault = ctx;

    return fails(fault) ? fault->error : fault->inner.ops->write(fault->inner.ctx, reg, n, value);
}

static void fault_sync(void *ctx)
{
    struct apmu_fault *fault = ctx;

    fault->inner.ops->sync(fault->inner.ctx);
}

static struct apmu_place fault_place(void *ctx)
{
    const struct apmu_fault *fault = ctx;

    return apmu_dev_place(&fault->inner);
}

const struct apmu_reg_ops apmu_fault_ops = {
    .size = sizeof(struct apmu_reg_ops), .read = fault_read, .write = fault_write, .sync = fault_sync,
    .place = fault_place,
};
