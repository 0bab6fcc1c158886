/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver: discover a PMU, plan which counter counts what, start, stop and read, in the order that the architecture
 * asks for.
 *
 * For firmware, kernel and application engineers.  The driver reaches a PMU through the register seam, a struct of
 * three functions; a back end fills it.  All memory is the caller's; nothing allocates.  No function may be called for
 * one session from two contexts at once.
 */
#ifndef ARMPMU_DRIVER_H
#define ARMPMU_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <armpmu/error.h>
#include <armpmu/regs.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The register seam: how a back end reads and writes the registers of one PMU. */
struct apmu_reg_ops {
    uint32_t size; /**< sizeof(struct apmu_reg_ops): members are only ever appended */
    uint32_t caps; /**< set of APMU_CAP_x */
    /** Reads copy @n of @reg into *@value. */
    enum apmu_error (*read)(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value);
    /** Writes @value to copy @n of @reg. */
    enum apmu_error (*write)(void *ctx, enum apmu_reg reg, unsigned n, uint64_t value);
    /** Makes the writes before it visible to what comes after: ISB, DSB, or nothing. */
    void (*sync)(void *ctx);
};

/** One PMU: the back end's functions and its context.  Both are the caller's and outlive the session. */
struct apmu_dev {
    const struct apmu_reg_ops *ops;
    void *ctx;
};

#ifdef __cplusplus
}
#endif
#endif
