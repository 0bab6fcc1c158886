/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The model of the performance monitor unit of ARM1136, ARM1156 and ARM1176: PMNC, CCNT, PMN0 and PMN1 in CP15 c15.
 *
 * For authors of emulators and verification engineers.  The same shape as model.h: the unit is plain data, what it
 * borrows from the core comes with each call, no function allocates, keeps a global or calls back, and an engine
 * flushes pending events before every register access and every change of `struct apmu_arm11_pe`.
 *
 * Source: Application Note 195 (ARM DAI 0195B); user access, Debug state and the Secure world: DDI 0301.
 */
#ifndef ARMPMU_ARM11_H
#define ARMPMU_ARM11_H

#include <armpmu/arm11_regs.h>
#include <armpmu/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------------
 * The unit.
 */

/** Which write of 1 to an overflow flag clears it and its interrupt: "when bit 0 is set" does not say whose bit 0. */
enum apmu_arm11_clear {
    APMU_ARM11_CLEAR_E_WRITTEN, /**< one that writes E = 1 too */
    APMU_ARM11_CLEAR_E_BEFORE,  /**< one that finds E = 1 */
    APMU_ARM11_CLEAR_ALWAYS,    /**< any */
};

/** The implementation.  Where the Application Note leaves a choice, a member names it; zero is a legal choice. */
struct apmu_arm11_config {
    uint32_t size;              /**< sizeof(struct apmu_arm11_config) at the caller: see <armpmu/sized.h> */
    enum apmu_arm11_parts part; /**< one of APMU_ARM1136, APMU_ARM1156, APMU_ARM1176 */
    enum apmu_arm11_clear clear;
    bool irq_needs_enable;      /**< PMNC.E = 0 keeps nPMUIRQ and nPMUFIQ from being asserted */
    bool fiq_replaces_irq;      /**< ARM1156: a counter with both enables asserts nPMUFIQ alone */
    uint32_t unpredictable;     /**< SBZ bits, PMNC.C and PMNC.P read as these bits of PMNC */
    uint32_t unknown_fill;      /**< all that a reset leaves unknown reads as these bits of its register */
};

/** What struct apmu_arm11_config had in 0.1: no smaller one is accepted. */
#define APMU_ARM11_CONFIG_SIZE_FIRST sizeof(struct apmu_arm11_config)

/** The registers.  Set by apmu_arm11_init(), then only through the functions below. */
struct apmu_arm11 {
    struct apmu_arm11_config cfg;
    uint32_t pmnc;                       /**< PMNC: the writable fields and the flags */
    uint32_t count[APMU_ARM11_COUNTERS]; /**< PMN0, PMN1, CCNT */
    uint8_t divider;                     /**< cycles since CCNT last counted with PMNC.D = 1, 0..63 */
};

/** What the unit borrows from the core for one call.  All zero: a privileged mode, not halted, not Secure. */
struct apmu_arm11_pe {
    bool user;      /**< in User mode */
    bool user_v;    /**< the V bit of the Secure User and Non-secure Access Validation Control Register (c15, c9, 0) */
    bool halted;    /**< in Debug state */
    bool secure;    /**< ARM1176: in the Secure world */
    bool spniden;   /**< ARM1176: the signal SPNIDEN */
    bool suniden;   /**< ARM1176: SDER.SUNIDEN */
};

/** What the world must know after a call.  The caller owns it; the call overwrites it. */
struct apmu_arm11_out {
    uint8_t overflowed; /**< counters that overflowed during the call: bit n is counter n */
    bool irq;           /**< nPMUIRQ is asserted (LOW) after the call */
    bool fiq;           /**< nPMUFIQ is asserted (LOW) after the call; ARM1156 */
    bool exports;       /**< EVNTBUS carries events: PMNC.X */
};

/** Is @cfg a unit that exists?  Returns NULL, or one sentence that names the member, the cause and the cure. */
const char *apmu_arm11_config_check(const struct apmu_arm11_config *cfg);

/** Makes a unit with the implementation @cfg, after a reset.  @cfg is copied; the caller has checked it. */
void apmu_arm11_init(struct apmu_arm11 *p, const struct apmu_arm11_config *cfg);

/** Reset: the overflow flags become 0, the rest unknown (apmu_arm11_config.unknown_fill). */
void apmu_arm11_on_reset(struct apmu_arm11 *p);

/* ---------------------------------------------------------------------------------------------------------------
 * Decisions.  Pure: they read *p and *pe and change nothing.
 */

/** Why a counter stands still: the bits of a set.  Text, rule and cure of each are a row of tables/reasons_arm11.def. */
enum apmu_arm11_reason {
#define APMU_ARM11_REASON(id, rule, cure, text) APMU_ARM11_REASON_##id,
#include <armpmu/tables/reasons_arm11.def>
    APMU_ARM11_REASON_COUNT
};
/** The set that holds the one reason @id, a name of tables/reasons_arm11.def. */
#define APMU_ARM11_WHY(id) (UINT64_C(1) << APMU_ARM11_REASON_##id)

struct apmu_arm11_reason_info {
    const char *name, *rule, *cure, *text;
};

/** The row of @reason. */
const struct apmu_arm11_reason_info *apmu_arm11_reason_info(enum apmu_arm11_reason reason);

/** Everything that now keeps counter @n from counting: a set of APMU_ARM11_WHY(x), 0 if it counts.  Complete. */
uint64_t apmu_arm11_why(const struct apmu_arm11 *p, const struct apmu_arm11_pe *pe, enum apmu_arm11_counter n);

/** Does counter @n count?  Derived from the reasons. */
static inline bool apmu_arm11_counts(const struct apmu_arm11 *p, const struct apmu_arm11_pe *pe,
                                     enum apmu_arm11_counter n)
{
    return apmu_arm11_why(p, pe, n) == 0;
}

/** Is nPMUIRQ asserted?  A level: an overflow flag and its enable (ECC, EC1, EC0). */
bool apmu_arm11_irq(const struct apmu_arm11 *p);
/** Is nPMUFIQ asserted?  ARM1156: an overflow flag and its enable (FCC, FC1, FC0). */
bool apmu_arm11_fiq(const struct apmu_arm11 *p);

/* ---------------------------------------------------------------------------------------------------------------
 * Events and cycles.
 */

/**
 * @event occurs @each times in each of @times cycles.  The result equals that of @times calls with times = 1.
 * ETMEXTOUT_0 and ETMEXTOUT_1 advance the counters of ETMEXTOUT_BOTH too, which is their sum and, like CPU_CYCLES,
 * does not occur by itself: a call with one of these two does nothing.  @out may be NULL.
 */
void apmu_arm11_event(struct apmu_arm11 *p, const struct apmu_arm11_pe *pe, uint16_t event, uint64_t times,
                      uint64_t each, struct apmu_arm11_out *out);

/** @n cycles pass: for CCNT, and for the counters of CPU_CYCLES.  Equals @n calls with n = 1.  @out may be NULL. */
void apmu_arm11_cycles(struct apmu_arm11 *p, const struct apmu_arm11_pe *pe, uint64_t n, struct apmu_arm11_out *out);

/** @n whole cycles, in each of which the @count events @ev occur.  Equals @n calls with n = 1.  @out may be NULL. */
void apmu_arm11_step(struct apmu_arm11 *p, const struct apmu_arm11_pe *pe, uint64_t n,
                     const struct apmu_occurrence *ev, size_t count, struct apmu_arm11_out *out);

/**
 * How far an engine may run ahead: the largest `times` for which apmu_arm11_event(p, pe, event, times, each, out)
 * overflows no counter; for CPU_CYCLES, the largest n of apmu_arm11_cycles().  UINT64_MAX if no number does.
 */
uint64_t apmu_arm11_until(const struct apmu_arm11 *p, const struct apmu_arm11_pe *pe, uint16_t event, uint64_t each);

/* ---------------------------------------------------------------------------------------------------------------
 * Registers.
 */

/** What becomes of an MRC (or MCR if @write): it is performed, or UNDEFINED.  The same for reads and writes. */
struct apmu_access apmu_arm11_access(const struct apmu_arm11 *p, const struct apmu_arm11_pe *pe,
                                     enum apmu_arm11_reg reg, bool write);

/** The value that a read gives, without permission check; 0 of a register that does not exist. */
uint32_t apmu_arm11_peek(const struct apmu_arm11 *p, enum apmu_arm11_reg reg);

/** What a write of @value does, without permission check.  @out may be NULL. */
void apmu_arm11_poke(struct apmu_arm11 *p, enum apmu_arm11_reg reg, uint32_t value, struct apmu_arm11_out *out);

/* ---------------------------------------------------------------------------------------------------------------
 * Metrics: rows of tables/metrics_arm11.def.
 */

enum apmu_arm11_metric {
#define APMU_ARM11_METRIC(id, kind, a, b, unit, text) APMU_ARM11_METRIC_##id,
#include <armpmu/tables/metrics_arm11.def>
    APMU_ARM11_METRIC_COUNT
};

enum apmu_arm11_metric_kind {
    APMU_ARM11_RATIO,      /**< a / b */
    APMU_ARM11_COMPLEMENT, /**< 1 - a / b */
    APMU_ARM11_DIFFERENCE, /**< a - b */
};

struct apmu_arm11_metric_info {
    const char *name;
    enum apmu_arm11_metric_kind kind;
    uint8_t a, b; /**< event numbers */
    const char *unit, *text;
};

/** The row of @metric. */
const struct apmu_arm11_metric_info *apmu_arm11_metric_info(enum apmu_arm11_metric metric);

/** A fraction, since the model has no floating point. */
struct apmu_fraction {
    int64_t numerator;
    uint64_t denominator; /**< 0: the counts say nothing */
};

/** The metric's value for the counts @a and @b, below 2^63, of its two events.  Below 0 where they contradict it. */
struct apmu_fraction apmu_arm11_metric_value(enum apmu_arm11_metric metric, uint64_t a, uint64_t b);

#ifdef __cplusplus
}
#endif
#endif
