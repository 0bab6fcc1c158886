/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver of the performance monitor unit of ARM1136, ARM1156 and ARM1176: sessions over PMNC, CCNT, PMN0 and PMN1.
 *
 * For firmware and kernel engineers.  A wish has an event number of <armpmu/arm11_regs.h>, and counter 0 for PMN0, 1
 * for PMN1, APMU_CYCLE for CCNT, or APMU_COUNTER_ANY.  The example counts on the model; on the core itself .ops is
 * &apmu_arm11_c15_ops.
 *
 * @code
 * #include <armpmu/arm11.h>
 * #include <armpmu/arm11_driver.h>
 * int main(void)
 * {
 *     static struct apmu_arm11 unit;
 *     const struct apmu_arm11_config config = {.size = sizeof config, .part = APMU_ARM1176};
 *     const struct apmu_arm11_pe pe = {0};
 *     struct apmu_arm11_model_backend backend = {.unit = &unit, .pe = &pe};
 *     struct apmu_arm11_driver driver = {.ops = &apmu_arm11_model_ops, .ctx = &backend, .part = APMU_ARM1176};
 *     const struct apmu_wish wish = {.event = APMU_ARM11_EV_CPU_CYCLES, .counter = APMU_CYCLE};
 *     struct apmu_session session;
 *     struct apmu_reading reading;
 *     apmu_arm11_init(&unit, &config);
 *     if (apmu_arm11_session_open(&session, &driver, &wish, 1, NULL) != APMU_OK) {
 *         return 1;
 *     }
 *     apmu_session_start(&session);
 *     apmu_arm11_cycles(&unit, &pe, 1000, NULL);
 *     apmu_session_stop(&session);
 *     apmu_session_read(&session, &reading);
 *     return apmu_session_close(&session) != APMU_OK || reading.count != 1000;
 * }
 * @endcode
 *
 * The counters have 32 bits, and readings extend them to 64.  So read at least once in 2^32 events, or in the handler
 * of the interrupt, where apmu_session_read() also clears the interrupt.
 *
 * PMNC is never read and written back, because its overflow flags are cleared by writing 1.  They can be cleared only
 * while PMNC.E is 1 (Application Note 195, 1), so for a stopped unit the driver enables it for some cycles and then
 * restores the counters.  apmu_session_allow_user() returns APMU_E_UNSUPPORTED: a bit of another register decides what
 * User mode may access (DDI 0301, c15, c9, 0).  So do apmu_session_interrupt(), snapshot and rotate.
 *
 * Re-entrancy: no call of a session may interrupt another of the same session.  Where the handler of the interrupt
 * reads the session, mask the interrupt around the other calls.
 */
#ifndef ARMPMU_ARM11_DRIVER_H
#define ARMPMU_ARM11_DRIVER_H

#include <armpmu/arm11_regs.h>
#include <armpmu/driver.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The functions of a back end, which read and write the four registers of one unit. */
struct apmu_arm11_reg_ops {
    uint32_t size; /**< sizeof(struct apmu_arm11_reg_ops): see <armpmu/sized.h>; APMU_E_SIZE */
    enum apmu_error (*read)(void *ctx, enum apmu_arm11_reg reg, uint32_t *value);
    enum apmu_error (*write)(void *ctx, enum apmu_arm11_reg reg, uint32_t value);
    /** Makes earlier writes visible to what follows: a Prefetch Flush, or nothing. */
    void (*sync)(void *ctx);
};

/** One unit, and the driver's state of it.  The caller sets the first group of members and keeps them constant. */
struct apmu_arm11_driver {
    const struct apmu_arm11_reg_ops *ops;
    void *ctx;                  /**< the back end's argument */
    enum apmu_arm11_parts part; /**< decides which events exist; APMU_ARM11_ALL: those of any part */
    bool divide;                /**< CCNT counts every 64th cycle (PMNC.D): counts are multiples of 64, and overflow at
                                     2^38 */
    bool fiq;                   /**< overflows assert nPMUFIQ instead of nPMUIRQ: ARM1156 only */
    bool exports;               /**< events appear on EVNTBUS (PMNC.X) */

    /* Internal: */
    uint32_t control;                   /* PMNC while the session is stopped */
    uint32_t held[APMU_ARM11_COUNTERS]; /* the values for the counters once the flags are cleared */
    uint8_t clearing;                   /* flags that are being cleared: bit n is counter n */
    uint8_t found;                      /* flags that were cleared and that no reading has reported yet */
    bool restart;                       /* once the flags are cleared, counts begin again */
};

/**
 * Programs the @count wishes and leaves the unit disabled.  On an error nothing counts, the session is closed, and
 * *@refused is the index of the wish concerned, or @count if none is.  @refused may be NULL.
 * APMU_E_NO_COUNTER, NO_SUCH_COUNTER, COUNTER_TAKEN, COUNTER_EVENT, PERIOD; ARM11_EVENT: the part does not have it;
 * ARM11_PERIOD: divide, and not a multiple of 64; THRESHOLD: the unit has none; UNSUPPORTED: a filter, wide, or fiq on
 * another part; SIZE: driver->ops.
 */
enum apmu_error apmu_arm11_session_open(struct apmu_session *s, struct apmu_arm11_driver *driver,
                                const struct apmu_wish *wishes, size_t count, size_t *refused);

#if defined(__arm__) && !defined(__thumb__) && defined(__ARM_ARCH) && __ARM_ARCH == 6
/**
 * The unit of the core that runs this, in CP15 c15; only in code for Armv6 in the Arm instruction set.  The context is
 * not used.  In User mode an access is UNDEFINED unless the V bit (DDI 0301, c15, c9, 0) allows it.
 */
extern const struct apmu_arm11_reg_ops apmu_arm11_c15_ops;

/*
 * Reads of one register in one instruction.  The row of CCNT becomes
 *     static inline uint32_t apmu_arm11_c15_CCNT(void)
 *     {
 *         uint32_t value;
 *         __asm__ volatile("mrc p15, 0, %0, c15, c12, 1" : "=r"(value) : : "memory");
 *         return value;
 *     }
 */
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

/** The model of the unit as a back end.  The context is a struct apmu_arm11_model_backend. */
extern const struct apmu_arm11_reg_ops apmu_arm11_model_ops;

struct apmu_arm11_model_backend {
    struct apmu_arm11 *unit;
    const struct apmu_arm11_pe *pe; /**< the PE state in which the driver accesses it */
};

#ifdef __cplusplus
}
#endif
#endif
