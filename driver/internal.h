/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the driver share.  Not for users. */
#ifndef ARMPMU_DRIVER_INTERNAL_H
#define ARMPMU_DRIVER_INTERNAL_H

#include <armpmu/driver.h>

/*
 * A sequence of accesses.  The first error is kept; after it nothing is accessed any more, or, where all must be tried,
 * everything is.
 */
struct io {
    const struct apmu_dev *dev;
    enum apmu_error error;
    bool try_all;
};

static inline void io_write(struct io *io, enum apmu_reg reg, unsigned n, uint64_t value)
{
    if (io->error == APMU_OK || io->try_all) {
        const enum apmu_error error = io->dev->ops->write(io->dev->ctx, reg, n, value);

        if (io->error == APMU_OK) {
            io->error = error;
        }
    }
}

/* The same of what switches something off that the view behind the seam may not have: then it is off. */
static inline void io_switch_off(struct io *io, enum apmu_reg reg)
{
    const enum apmu_error before = io->error;

    io_write(io, reg, 0, 0);
    if (before == APMU_OK && io->error == APMU_E_VIEW) {
        io->error = APMU_OK;
    }
}

/* 0 after an error. */
static inline uint64_t io_read(struct io *io, enum apmu_reg reg, unsigned n)
{
    uint64_t value = 0;

    if (io->error == APMU_OK) {
        io->error = io->dev->ops->read(io->dev->ctx, reg, n, &value);
    }
    return io->error == APMU_OK ? value : 0;
}

static inline void io_sync(struct io *io)
{
    if (io->error == APMU_OK || io->try_all) {
        io->dev->ops->sync(io->dev->ctx);
    }
}

static inline bool unit_has(const struct apmu_unit *unit, unsigned version)
{
    return unit->version >= version;
}

/*
 * The whole of PMCR_EL0 but E, P and C: never read-modify-write, for its reset value is UNKNOWN.  64-bit overflow
 * everywhere; D, X, DP, FZO and FZS are 0.
 */
static inline uint64_t unit_control(const struct apmu_unit *unit)
{
    return APMU_PUT(PMCR_EL0, LC, 1) | (unit_has(unit, APMU_PMUVER_PMUV3P5) ? APMU_PUT(PMCR_EL0, LP, 1) : 0);
}

#endif
