/* SPDX-License-Identifier: BSD-2-Clause */
/* The ARM11 unit of the core that runs this code: MRC and MCR p15, 0, <Rt>, c15, c12, 0 to 3. */
#include <armpmu/arm11_driver.h>

#if defined(__arm__) && !defined(__thumb__) && defined(__ARM_ARCH) && __ARM_ARCH == 6

static enum apmu_error c15_read(void *ctx, enum apmu_arm11_reg reg, uint32_t *value)
{
    (void)ctx;
    switch (reg) {
    /*
     * The row of CCNT becomes
     *     case APMU_ARM11_REG_CCNT:
     *         *value = apmu_arm11_c15_CCNT();
     *         return APMU_OK;
     */
#define APMU_ARM11_REGISTER(id, opc2, storage, also, text) \
    case APMU_ARM11_REG_##id: \
        *value = apmu_arm11_c15_##id(); \
        return APMU_OK;
#include <armpmu/tables/arm11.def>
    default:
        *value = 0;
        return APMU_E_NO_REGISTER;
    }
}

static enum apmu_error c15_write(void *ctx, enum apmu_arm11_reg reg, uint32_t value)
{
    (void)ctx;
    switch (reg) {
    /*
     * The row of CCNT becomes
     *     case APMU_ARM11_REG_CCNT:
     *         __asm__ volatile("mcr p15, 0, %0, c15, c12, 1" : : "r"(value) : "memory");
     *         return APMU_OK;
     */
#define APMU_ARM11_REGISTER(id, opc2, storage, also, text) \
    case APMU_ARM11_REG_##id: \
        __asm__ volatile("mcr p15, 0, %0, c15, c12, " #opc2 : : "r"(value) : "memory"); \
        return APMU_OK;
#include <armpmu/tables/arm11.def>
    default:
        return APMU_E_NO_REGISTER;
    }
}

/* Armv6 lacks an ISB instruction.  This is its Prefetch Flush, which User mode may also execute. */
static void c15_sync(void *ctx)
{
    (void)ctx;
    __asm__ volatile("mcr p15, 0, %0, c7, c5, 4" : : "r"(0) : "memory");
}

const struct apmu_arm11_reg_ops apmu_arm11_c15_ops = {
    .size = sizeof(struct apmu_arm11_reg_ops), .read = c15_read, .write = c15_write, .sync = c15_sync,
};

#endif
