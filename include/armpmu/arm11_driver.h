/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver of the performance monitor unit of ARM1136, ARM1156 and ARM1176: sessions (driver.h) over PMNC, CCNT, PMN0
 * and PMN1.
 *
 * For firmware and kernel engineers.  Wishes are struct apmu_wish with the event numbers of <armpmu/arm11_regs.h>;
 * counter 0 is PMN0, 1 is PMN1, APMU_CYCLE is CCNT.  The counters have 32 bits; readings are extended to 64, so read at
 * least once in 2^32 events, or in the handler of the interrupt, where apmu_session_read() also clears it.
 *
 *     struct apmu_arm11_driver driver = {.ops = &apmu_arm11_c15_ops, .part = APMU_ARM1176};
 *
 *     apmu_arm11_session_open(&session, &driver, wishes, count, &refused);
 *     apmu_session_start(&session);
 *
 * PMNC is never read to be written back: its overflow flags are cleared by writing 1.  They can be cleared only while
 * PMNC.E is 1 (Application Note 195, 1), so where the unit stands still it is enabled for some cycles, and the counters
 * are put back to what they held.  apmu_session_allow_user() is APMU_E_UNSUPPORTED: what User mode may access is a bit of
 * another register (DDI 0301, c15, c9, 0).
 */
#ifndef ARMPMU_ARM11_DRIVER_H
#define ARMPMU_ARM11_DRIVER_H

#include <armpmu/arm11_regs.h>
#include <armpmu/driver.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a back end reads and writes the four registers of one unit. */
struct apmu_arm11_reg_ops {
    uint32_t size; /**< sizeof(struct apmu_arm11_reg_ops): see <armpmu/sized.h>; APMU_E_SIZE */
    enum apmu_error (*read)(void *ctx, enum apmu_arm11_reg reg, uint32_t *value);
    enum apmu_error (*write)(void *ctx, enum apmu_arm11_reg reg, uint32_t value);
    /** Makes the writes before it visible to what comes after. */
    void (*sync)(void *ctx);
};

/** One unit.  The caller fills the first group; it outlives the session, and nothing of it is changed meanwhile. */
struct apmu_arm11_driver {
    const struct apmu_arm11_reg_ops *ops;
    void *ctx;
    enum apmu_arm11_parts part; /**< which events there are; APMU_ARM11_ALL: those of any part */
    bool divide;  /**< CCNT counts every 64th cycle (PMNC.D): counts are multiples of 64, it overflows after 2^38 */
    bool fiq;     /**< overflows assert nPMUFIQ, not nPMUIRQ: ARM1156 */
    bool exports; /**< events appear on EVNTBUS (PMNC.X) */

    /* The driver's. */
    uint32_t control;                    /**< PMNC while the session is stopped */
    uint32_t held[APMU_ARM11_COUNTERS];  /**< what the counters are to hold once flags are cleared */
    uint8_t clearing;                    /**< flags that are being cleared: bit n is counter n */
    uint8_t found;                       /**< flags that were cleared and no reading told of yet */
    bool restart;                        /**< once they are cleared, counts begin again */
};

/**
 * Programs @wishes, @count of them, and leaves the unit disabled.  On an error nothing counts, the session is closed,
 * and *@refused is the wish concerned, or @count if none is; it may be NULL.
 * APMU_E_NO_COUNTER, NO_SUCH_COUNTER, COUNTER_TAKEN, COUNTER_EVENT, PERIOD; ARM11_EVENT: the part does not have it;
 * ARM11_PERIOD: divide, and not a multiple of 64; UNSUPPORTED: a filter, wide, or fiq on another part.
 */
enum apmu_error apmu_arm11_session_open(struct apmu_session *s, struct apmu_arm11_driver *driver,
                                const struct apmu_wish *wishes, size_t count, size_t *refused);

#if defined(__arm__) && !defined(__thumb__) && defined(__ARM_ARCH) && __ARM_ARCH == 6
/**
 * The unit of the core that runs this: CP15 c15.  Built for Armv6, in the Arm instruction set, only.  No context.  In
 * User mode an access is UNDEFINED unless the V bit (DDI 0301, c15, c9, 0) allows it.
 */
extern const struct apmu_arm11_reg_ops apmu_arm11_c15_ops;

/* One register in one instruction: apmu_arm11_c15_CCNT(). */
#define APMU_ARM11_REGISTER(id, opc2, storage, also, text) \
    static inline uint32_t apmu_arm11_c15_##id(void) \
    { \
        uint32_t value; \
        __asm__ volatile("mrc p15, 0, %0, c15, c12, " #opc2 : "=r"(value) : : "memory"); \
        return value; \
    }
#include <armpmu/tables/arm11.def>
#endif

struct apmu_arm11; /* <armpmu/arm11.h> */
struct apmu_arm11_pe;

/** The model as a unit.  The context is a struct apmu_arm11_model_backend. */
extern const struct apmu_arm11_reg_ops apmu_arm11_model_ops;

struct apmu_arm11_model_backend {
    struct apmu_arm11 *unit;
    const struct apmu_arm11_pe *pe; /**< from where the driver accesses it */
};

#ifdef __cplusplus
}
#endif
#endif
