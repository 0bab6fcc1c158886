/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One PMU as the driver sees it.  The calls find out what it is (discover), put it into a known state (reset), and keep
 * its registers across a loss of power (save, restore).  The register seam is how the driver reaches it.
 *
 * For firmware that needs no sessions, and for authors of back ends.  The example finds out how many event counters the
 * model has; <armpmu/native.h> has the device for the PMU of the PE itself.
 *
 * @code
 * #include <stdio.h>
 * #include <armpmu/driver.h>
 * #include <armpmu/model.h>
 * int main(void)
 * {
 *     static struct apmu model;
 *     const struct apmu_config config = {
 *         .size = sizeof config, .features = apmu_features_closure(APMU_FEAT(PMUv3) | APMU_FEAT(AA64EL1)),
 *         .counters = 6,
 *     };
 *     const struct apmu_pe pe = {.el = 1};
 *     struct apmu_model_backend backend = {.pmu = &model, .pe = &pe};
 *     const struct apmu_dev dev = {.ops = &apmu_model_ops, .ctx = &backend};
 *     struct apmu_pmu pmu;
 *     apmu_init(&model, &config);
 *     if (apmu_pmu_discover(&dev, NULL, &pmu) != APMU_OK || apmu_pmu_reset(&dev, &pmu) != APMU_OK) {
 *         return 1;
 *     }
 *     printf("%u event counters\n", (unsigned)pmu.counters);
 *     return 0;
 * }
 * @endcode
 *
 * All memory is the caller's.  No function keeps state of its own.
 *
 * Re-entrancy.  Each function may be called in any context in which the PMU can be accessed, by one context at a time
 * for each PMU.  Nothing that uses the PMU may interrupt apmu_pmu_reset(), or run between the beginning of
 * apmu_pmu_save() and the end of apmu_pmu_restore().
 */
#ifndef ARMPMU_PMU_H
#define ARMPMU_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <armpmu/error.h>
#include <armpmu/inline.h>
#include <armpmu/regs.h>
#include <armpmu/sized.h>

#ifdef __cplusplus
extern "C" {
#endif

struct apmu_dev;
struct apmu_pmu;

/* ---------------------------------------------------------------------------------------------------------------
 * The simple calls.
 */

/** Where apmu_pmu_discover() gets PMCEID0_EL0 and PMCEID1_EL0 from. */
enum apmu_pmceid_source {
    APMU_PMCEID_READ,   /**< it reads them; not of PMUv1, which need not have them, so there they are unknown */
    APMU_PMCEID_GIVEN,  /**< .pmceid of struct apmu_ids */
    APMU_PMCEID_UNKNOWN /**< nowhere: sessions take every common event, of ARMv7 0 to 0x1F except CHAIN.  For a PMU in
                             which a read of them is UNDEFINED, such as that of QEMU's cortex-a7 and cortex-a15 */
};

/**
 * The ID registers that identify a PMU, for a caller from whose level the driver cannot read them, such as EL0, and for
 * a PMU that lacks one.
 */
struct apmu_ids {
    uint64_t id_aa64dfr0_el1, id_aa64dfr1_el1;
    uint64_t id_dfr0;   /**< ID_DFR0, of AArch32 state and ARMv7: in place of the two above */
    uint64_t pmmir_el1; /**< from FEAT_PMUv3p4 on */
    uint64_t id_aa64pfr0_el1; /**< 0: unknown, and so are the Exception levels, FEAT_SEL2 and FEAT_RME */
    uint64_t id_pfr1;   /**< of AArch32 state and ARMv7, in place of it */
    uint64_t pmceid[2]; /**< PMCEID0_EL0 and PMCEID1_EL0, with APMU_PMCEID_GIVEN */
    enum apmu_pmceid_source pmceid_source;
};

/**
 * Finds out what the PMU of @dev is and what may be done to it from here, and fills *@pmu.  If @ids is NULL, the ID
 * registers are read through @dev.  If @ids is given and .pmceid_source is not APMU_PMCEID_READ, nothing is read but
 * PMCR_EL0, and MDCR_EL2 at EL2 and EL3.  At EL0 @ids must be given, and PMUSERENR_EL0.EN must be 1.  Changes nothing
 * in the PMU.
 * APMU_E_NO_PMU: PMUVer is 0 or 15; APMU_E_LEVEL: at EL0 without @ids; APMU_E_SIZE: dev->ops.
 */
enum apmu_error apmu_pmu_discover(const struct apmu_dev *dev, const struct apmu_ids *ids, struct apmu_pmu *pmu);

/**
 * Puts everything of the PMU that is in reach into a known state: every writable bit of PMCR_EL0 is written, nothing is
 * enabled, no interrupt, no overflow flag, no access from EL0, overflow signalled by PMUIRQ, all counters zero.
 * apmu_session_open() begins with it.  At EL0 interrupts and the access from EL0 stay as they are.
 */
enum apmu_error apmu_pmu_reset(const struct apmu_dev *dev, const struct apmu_pmu *pmu);

/* ---------------------------------------------------------------------------------------------------------------
 * The register seam: how the driver reaches a PMU.
 */

/** The view of the PMU that a back end reaches.  It decides which registers there are. */
enum apmu_view {
    APMU_VIEW_A64,     /**< MRS and MSR */
    APMU_VIEW_A32,     /**< MRC, MCR, MRRC and MCRR: event counters of 32 bits; no instruction counter */
    APMU_VIEW_EXTERNAL /**< memory-mapped or a debugger's: no PMUSERENR_EL0, PMUACR_EL1 nor PMSELR_EL0 */
};

/** The place from which a back end accesses the PMU. */
struct apmu_place {
    enum apmu_view view;
    uint8_t el; /**< Exception level 0..3, not of the external view; Secure PL1 with AArch32 EL3 is 3 */
};

/** The functions of a back end, which read and write the registers of one PMU. */
struct apmu_reg_ops {
    uint32_t size; /**< sizeof(struct apmu_reg_ops): see <armpmu/sized.h>; APMU_E_SIZE */
    /** Reads copy @n of @reg into *@value. */
    enum apmu_error (*read)(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value);
    /** Writes @value to copy @n of @reg. */
    enum apmu_error (*write)(void *ctx, enum apmu_reg reg, unsigned n, uint64_t value);
    /** Makes earlier writes visible to what follows: ISB, DSB, or nothing. */
    void (*sync)(void *ctx);
    /** Returns the place from which the accesses are made.  NULL: AArch64 EL1. */
    struct apmu_place (*place)(void *ctx);
};

/** The access that a back end refused.  Every function that returns such a refusal fills it. */
struct apmu_refused_access {
    enum apmu_error error; /**< APMU_OK: no access has failed yet */
    enum apmu_reg reg;
    uint8_t n; /**< copy of a bank */
    bool write;
};

/** A device: one PMU behind a back end.  All that the members point to is the caller's and outlives the sessions. */
struct apmu_dev {
    const struct apmu_reg_ops *ops;
    void *ctx;                           /**< the back end's argument */
    struct apmu_refused_access *refused; /**< filled by the last call that failed on an access; may be NULL */
};

/** Returns the place from which @dev accesses the PMU. */
APMU_INLINE struct apmu_place apmu_dev_place(const struct apmu_dev *dev)
{
    struct apmu_place place = {APMU_VIEW_A64, 1};

    if (dev->ops->place != NULL) {
        place = dev->ops->place(dev->ctx);
    }
    return place;
}

/* ---------------------------------------------------------------------------------------------------------------
 * What the PMU is.
 */

/** A PMU as software sees it from its place.  apmu_pmu_discover() fills it; a caller may then lower first_range. */
struct apmu_pmu {
    uint8_t version;     /**< as in ID_DFR0.PerfMon: 1 PMUv1 and 2 PMUv2 of ARMv7, 3 FEAT_PMUv3, 4 p1, 5 p4, 6 p5, 7 p7,
                              8 p8, 9 p9 */
    uint8_t counters;    /**< number of event counters, PMCR_EL0.N: at EL1 and EL0 those that MDCR_EL2.HPMN leaves */
    uint8_t first_range; /**< number of these that sessions use, because PMCR_EL0.E enables them: at EL2 and AArch64 EL3
                              the counters below MDCR_EL2.HPMN, elsewhere all.  The external view cannot see HPMN:
                              see <armpmu/mmio.h> */
    bool instr;          /**< the instruction counter PMICNTR_EL0 (FEAT_PMUv3_ICNTR) exists and can be used from here */
    struct apmu_place place; /**< the place from which the PMU is driven */
    uint64_t features;   /**< set of APMU_FEAT(x): the features whose ID fields are in struct apmu_ids, and AA64 and
                              AA32.  The external view shows no Exception level.  For a struct apmu_policy_request,
                              apmu_features_closure() adds what they require */
    uint64_t pmceid[2];  /**< PMCEID0_EL0 and PMCEID1_EL0; where they are unknown, each event that may be there */
    uint64_t pmmir;      /**< PMMIR_EL1: THWIDTH, SLOTS ...; 0 before FEAT_PMUv3p4 */
};

/** Returns whether @pmu has all features of the set @feature: apmu_pmu_has(pmu, APMU_FEAT(PMUv3p5)). */
APMU_INLINE bool apmu_pmu_has(const struct apmu_pmu *pmu, uint64_t feature)
{
    return (pmu->features & feature) == feature;
}

/** Returns whether event counters have 64 bits here and can overflow from bit 63. */
APMU_INLINE bool apmu_pmu_long(const struct apmu_pmu *pmu)
{
    return apmu_pmu_has(pmu, APMU_FEAT(PMUv3p5)) && pmu->place.view != APMU_VIEW_A32;
}

/** Returns whether registers of EL1 can be accessed from here: PMUSERENR_EL0 for writes, PMUACR_EL1. */
APMU_INLINE bool apmu_pmu_el1(const struct apmu_pmu *pmu)
{
    return pmu->place.view != APMU_VIEW_EXTERNAL && pmu->place.el > 0;
}

/** Returns whether overflow interrupts can be enabled from here, in PMINTENSET_EL1. */
APMU_INLINE bool apmu_pmu_interrupts(const struct apmu_pmu *pmu)
{
    return pmu->place.view == APMU_VIEW_EXTERNAL || pmu->place.el > 0;
}

/** Returns the set of counters of @pmu that can be accessed from here.  Bit n is counter n. */
uint64_t apmu_pmu_counters(const struct apmu_pmu *pmu);

/** Returns those of them that sessions use: event counters of the first range, cycle and instruction counter. */
uint64_t apmu_pmu_session_counters(const struct apmu_pmu *pmu);

/* ---------------------------------------------------------------------------------------------------------------
 * Across a loss of power, or a switch between worlds.
 *
 * A secure monitor at EL3 may give each world a PMU of its own by the same calls, in place of the loss of power.  On
 * the way to the Secure world: apmu_policy_enter(), save the Non-secure PMU, restore the Secure one.  On the way back:
 * save the Secure PMU, restore the Non-secure one, apmu_policy_leave().  The Secure world then counts only if
 * MDCR_EL3 lets it, between the two restores: doc/driver.md has the whole sequence.
 */

/** The registers of a PMU that a loss of power destroys.  The caller's memory. */
struct apmu_pmu_saved {
    /* Internal: written by apmu_pmu_save(), read by apmu_pmu_restore(). */
    uint64_t pmcr, cnten, inten, ovs, selr, userenr, uacr, ecr, iar;
    uint64_t cntr[APMU_COUNTERS], typer[APMU_COUNTERS]; /* [31] the cycle counter, [32] the instruction counter */
};

/**
 * Stops the PMU and saves everything that can be accessed from here, with or without sessions.  Call it in the PE's
 * last steps before the loss of power.  If it fails, the PMU is as it was, or stopped if PMCR_EL0 can no longer be
 * written.
 * APMU_E_UNSUPPORTED: an overflow flag is set and could not be restored (ARMv7, which need not have PMOVSSET); read the
 * session first, which clears the flag.
 */
enum apmu_error apmu_pmu_save(const struct apmu_dev *dev, const struct apmu_pmu *pmu, struct apmu_pmu_saved *saved);

/**
 * Restores what was saved, whatever the registers hold: what counted continues from its value, what was disabled is
 * disabled again, flags that were set are set.  A session that was open still is.  If it fails, the PMU is stopped.
 */
enum apmu_error apmu_pmu_restore(const struct apmu_dev *dev, const struct apmu_pmu *pmu,
                                 const struct apmu_pmu_saved *saved);

#ifdef __cplusplus
}
#endif
#endif
