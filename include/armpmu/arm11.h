/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The model of the performance monitor unit of ARM1136, ARM1156 and ARM1176: PMNC, CCNT, PMN0 and PMN1 in CP15 c15.
 *
 * This header is for authors of emulators and for verification engineers.  It has the shape of model.h: the unit is
 * plain data, and what it borrows from the core comes with each call.  No function allocates, keeps a global or calls
 * back.  The caller reports all pending events before each register access and before each change of `struct
 * apmu_arm11_pe`.
 *
 * @code
 * #include <armpmu/arm11.h>
 *
 * int main(void)
 * {
 *     const struct apmu_arm11_config cfg = {.size = sizeof cfg, .part = APMU_ARM1176};
 *     const struct apmu_arm11_pe privileged = {.user = false};
 *     const uint32_t pmnc = APMU_MASK(PMNC, E) | (uint32_t)APMU_PUT(PMNC, EvtCount0, APMU_ARM11_EV_BR_EXEC);
 *     struct apmu_arm11 unit;
 *
 *     if (apmu_arm11_config_check(&cfg) != NULL) {
 *         return 1;
 *     }
 *     apmu_arm11_init(&unit, &cfg);
 *     apmu_arm11_poke(&unit, APMU_ARM11_REG_PMNC, pmnc, NULL);
 *     apmu_arm11_poke(&unit, APMU_ARM11_REG_PMN0, 0, NULL);
 *     apmu_arm11_event(&unit, &privileged, APMU_ARM11_EV_BR_EXEC, 100, 1, NULL);
 *     return apmu_arm11_peek(&unit, APMU_ARM11_REG_PMN0) == 100 ? 0 : 1;
 * }
 * @endcode
 *
 * @out may be NULL in every function that takes one.
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
 * Structures.
 */

/**
 * Selects the writes of 1 to an overflow flag that clear it and its interrupt.  The Application Note says "when bit 0
 * is set", but not whether that is E as written or E before the write.
 */
enum apmu_arm11_clear {
    APMU_ARM11_CLEAR_E_WRITTEN, /**< a write that also writes E = 1 */
    APMU_ARM11_CLEAR_E_BEFORE,  /**< a write while E is 1 */
    APMU_ARM11_CLEAR_ALWAYS,    /**< every write */
};

/** Describes the implementation.  Each choice that the Application Note leaves open is a member; zero is legal. */
struct apmu_arm11_config {
    uint32_t size;              /**< sizeof(struct apmu_arm11_config) at the caller: see <armpmu/sized.h> */
    enum apmu_arm11_parts part; /**< one of APMU_ARM1136, APMU_ARM1156, APMU_ARM1176 */
    enum apmu_arm11_clear clear;
    bool irq_needs_enable;      /**< PMNC.E = 0 keeps nPMUIRQ and nPMUFIQ from being asserted */
    bool fiq_replaces_irq;      /**< ARM1156: a counter with both enables asserts only nPMUFIQ */
    uint32_t unpredictable;     /**< SBZ bits, PMNC.C and PMNC.P read as these bits of PMNC */
    uint32_t unknown_fill;      /**< bits that a reset leaves unknown have the value that they have here */
};

/** The size of struct apmu_arm11_config in 0.1.  A smaller structure is refused. */
#define APMU_ARM11_CONFIG_SIZE_FIRST sizeof(struct apmu_arm11_config)

/** Holds the registers.  The caller allocates it; apmu_arm11_init() and the functions below set it. */
struct apmu_arm11 {
    struct apmu_arm11_config cfg;
    uint32_t pmnc;                       /**< PMNC: the writable fields and the flags */
    uint32_t count[APMU_ARM11_COUNTERS]; /**< PMN0, PMN1, CCNT */

    /* Internal: cycles since CCNT last counted with PMNC.D = 1, 0..63. */
    uint8_t divider;
};

/** Holds what the unit borrows from the core for one call.  All zero: a privileged mode, not halted, not Secure. */
struct apmu_arm11_pe {
    bool user;      /**< in User mode */
    bool user_v;    /**< the V bit of the Secure User and Non-secure Access Validation Control Register (c15, c9, 0) */
    bool halted;    /**< in Debug state */
    bool secure;    /**< ARM1176: in the Secure world */
    bool spniden;   /**< ARM1176: the signal SPNIDEN */
    bool suniden;   /**< ARM1176: SDER.SUNIDEN */
};

/** Reports the outputs of the unit after a call.  The caller owns it; the call fills all of it. */
struct apmu_arm11_out {
    uint8_t overflowed; /**< the counters that overflowed during the call: bit n is counter n */
    bool irq;           /**< nPMUIRQ is asserted (LOW) after the call */
    bool fiq;           /**< nPMUFIQ is asserted (LOW) after the call; ARM1156 */
    bool exports;       /**< EVNTBUS carries events: PMNC.X */
};

/* ---------------------------------------------------------------------------------------------------------------
 * The simple calls.
 */

/**
 * Checks that @cfg describes a unit that exists.
 * Returns NULL if it is, else one sentence, a constant, that names the member, the cause and the cure.
 */
const char *apmu_arm11_config_check(const struct apmu_arm11_config *cfg);

/** Makes *@p a unit with the implementation @cfg, after a reset.  @cfg is copied; the caller has checked it. */
void apmu_arm11_init(struct apmu_arm11 *p, const struct apmu_arm11_config *cfg);

/** Resets *@p: the overflow flags become 0, the rest unknown (apmu_arm11_config.unknown_fill). */
void apmu_arm11_on_reset(struct apmu_arm11 *p);

/**
 * Counts @event, which occurs @each times in each of @times cycles.  The result equals that of @times calls with times
 * = 1.  ETMEXTOUT_0 and ETMEXTOUT_1 also advance the counters of ETMEXTOUT_BOTH, which is their sum.  That event and
 * CPU_CYCLES do not occur by themselves: a call with one of them does nothing.
 */
void apmu_arm11_event(struct apmu_arm11 *p, const struct apmu_arm11_pe *pe, uint16_t event, uint64_t times,
                      uint64_t each, struct apmu_arm11_out *out);

/** Lets @n cycles pass, for CCNT and for the counters of CPU_CYCLES.  The result equals that of @n calls with n = 1. */
void apmu_arm11_cycles(struct apmu_arm11 *p, const struct apmu_arm11_pe *pe, uint64_t n, struct apmu_arm11_out *out);

/** Returns the outcome of an MRC, or MCR if @write: OK or UNDEFINED.  It is the same for reads and writes. */
struct apmu_access apmu_arm11_access(const struct apmu_arm11 *p, const struct apmu_arm11_pe *pe,
                                     enum apmu_arm11_reg reg, bool write);

/** Returns the value that a read gives, without permission check; 0 for a register that does not exist. */
uint32_t apmu_arm11_peek(const struct apmu_arm11 *p, enum apmu_arm11_reg reg);

/** Writes @value, without permission check. */
void apmu_arm11_poke(struct apmu_arm11 *p, enum apmu_arm11_reg reg, uint32_t value, struct apmu_arm11_out *out);

/* ---------------------------------------------------------------------------------------------------------------
 * Decisions.  They read *p and *pe and change nothing.
 */

/**
 * Reasons why a counter does not count, as bits of a set.  Their texts and cures are rows of tables/reasons_arm11.def.
 */
enum apmu_arm11_reason {
#define APMU_ARM11_REASON(id, rule, cure, text) APMU_ARM11_REASON_##id,
#include <armpmu/tables/reasons_arm11.def>
    APMU_ARM11_REASON_COUNT
};
/** The set with the one reason @id, a name of tables/reasons_arm11.def. */
#define APMU_ARM11_WHY(id) (UINT64_C(1) << APMU_ARM11_REASON_##id)

/** A row of tables/reasons_arm11.def. */
struct apmu_arm11_reason_info {
    const char *name, *rule, *cure, *text;
};

/** Returns the row of @reason, a constant. */
const struct apmu_arm11_reason_info *apmu_arm11_reason_info(enum apmu_arm11_reason reason);

/** Returns everything that now keeps counter @n from counting: a set of APMU_ARM11_WHY(x), 0 if it counts. */
uint64_t apmu_arm11_why(const struct apmu_arm11 *p, const struct apmu_arm11_pe *pe, enum apmu_arm11_counter n);

/** Returns true if counter @n counts.  It follows from the reasons. */
APMU_INLINE bool apmu_arm11_counts(const struct apmu_arm11 *p, const struct apmu_arm11_pe *pe,
                                   enum apmu_arm11_counter n)
{
    return apmu_arm11_why(p, pe, n) == 0;
}

/** Returns true if nPMUIRQ is asserted.  It is a level: an overflow flag and its enable (ECC, EC1, EC0). */
bool apmu_arm11_irq(const struct apmu_arm11 *p);
/** Returns true if nPMUFIQ is asserted.  ARM1156: an overflow flag and its enable (FCC, FC1, FC0). */
bool apmu_arm11_fiq(const struct apmu_arm11 *p);

/* ---------------------------------------------------------------------------------------------------------------
 * More about events and cycles.
 */

/**
 * Lets @n whole cycles pass, in each of which the @count events @ev occur.  The result equals that of @n calls with
 * n = 1.
 */
void apmu_arm11_step(struct apmu_arm11 *p, const struct apmu_arm11_pe *pe, uint64_t n,
                     const struct apmu_occurrence *ev, size_t count, struct apmu_arm11_out *out);

/**
 * Returns how far a caller may run ahead: the largest `times` for which apmu_arm11_event(p, pe, event, times, each,
 * out) overflows no counter.  For CPU_CYCLES it is the largest n of apmu_arm11_cycles().  Returns UINT64_MAX if no
 * number does.
 */
uint64_t apmu_arm11_until(const struct apmu_arm11 *p, const struct apmu_arm11_pe *pe, uint16_t event, uint64_t each);

/* ---------------------------------------------------------------------------------------------------------------
 * Metrics: rows of tables/metrics_arm11.def.
 */

/** The metrics: rows of tables/metrics_arm11.def. */
enum apmu_arm11_metric {
#define APMU_ARM11_METRIC(id, kind, a, b, unit, groups, text) APMU_ARM11_METRIC_##id,
#include <armpmu/tables/metrics_arm11.def>
    APMU_ARM11_METRIC_COUNT
};

/** How a metric follows from the counts of its events a and b. */
enum apmu_arm11_metric_kind {
    APMU_ARM11_RATIO,      /**< a / b */
    APMU_ARM11_COMPLEMENT, /**< 1 - a / b */
    APMU_ARM11_DIFFERENCE, /**< a - b */
};

/** A row of tables/metrics_arm11.def. */
struct apmu_arm11_metric_info {
    const char *name;
    enum apmu_arm11_metric_kind kind;
    uint8_t a, b; /**< event numbers */
    const char *unit, *text;
};

/** Returns the row of @metric, a constant. */
const struct apmu_arm11_metric_info *apmu_arm11_metric_info(enum apmu_arm11_metric metric);

/** A fraction, because the model has no floating point. */
struct apmu_fraction {
    int64_t numerator;
    uint64_t denominator; /**< 0: the metric has no value for these counts */
};

/**
 * Returns the value of @metric for the counts @a and @b, both below 2^63, of its two events.  It is negative if the
 * counts contradict each other.
 */
struct apmu_fraction apmu_arm11_metric_value(enum apmu_arm11_metric metric, uint64_t a, uint64_t b);

#ifdef __cplusplus
}
#endif
#endif
