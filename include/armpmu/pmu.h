/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver, below: the register seam, what a PMU is and what may be done to it from here, its known state, and its
 * state across a loss of power.
 *
 * For authors of back ends, and for firmware that needs no more than this.  All memory is the caller's.  Nothing here
 * keeps state, so a function is safe in any context in which the accesses to the PMU are: one context at a time for
 * each PMU.
 */
#ifndef ARMPMU_PMU_H
#define ARMPMU_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <armpmu/error.h>
#include <armpmu/regs.h>
#include <armpmu/sized.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------------
 * The register seam.
 */

/** The view of the PMU that a back end reaches: which registers there are. */
enum apmu_view {
    APMU_VIEW_A64,     /**< MRS and MSR */
    APMU_VIEW_A32,     /**< MRC, MCR, MRRC and MCRR: event counters of 32 bits; no instruction counter */
    APMU_VIEW_EXTERNAL /**< memory-mapped or a debugger's: no PMUSERENR_EL0, PMUACR_EL1 nor PMSELR_EL0 */
};

/** From where a back end accesses the PMU. */
struct apmu_place {
    enum apmu_view view;
    uint8_t el; /**< Exception level 0..3, not of the external view; Secure PL1 with AArch32 EL3 is 3 */
};

/** How a back end reads and writes the registers of one PMU. */
struct apmu_reg_ops {
    uint32_t size; /**< sizeof(struct apmu_reg_ops): see <armpmu/sized.h>; APMU_E_SIZE */
    /** Reads copy @n of @reg into *@value. */
    enum apmu_error (*read)(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value);
    /** Writes @value to copy @n of @reg. */
    enum apmu_error (*write)(void *ctx, enum apmu_reg reg, unsigned n, uint64_t value);
    /** Makes the writes before it visible to what comes after: ISB, DSB, or nothing. */
    void (*sync)(void *ctx);
    /** From where the accesses are made.  NULL: AArch64 EL1. */
    struct apmu_place (*place)(void *ctx);
};

/** The access that failed.  Set by every function of the driver that returns what a back end refused with. */
struct apmu_refused_access {
    enum apmu_error error; /**< APMU_OK: no access has failed yet */
    enum apmu_reg reg;
    uint8_t n; /**< which copy of a bank */
    bool write;
};

/** One PMU: the back end's functions and its context.  All are the caller's and outlive the session. */
struct apmu_dev {
    const struct apmu_reg_ops *ops;
    void *ctx;
    struct apmu_refused_access *refused; /**< which register refused, of the last call that failed on one; may be NULL */
};

/** From where @dev accesses the PMU. */
static inline struct apmu_place apmu_dev_place(const struct apmu_dev *dev)
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

/** The ID registers that say which PMU it is, for a caller who cannot have the driver read them, as at EL0. */
struct apmu_ids {
    uint64_t id_aa64dfr0_el1, id_aa64dfr1_el1;
    uint64_t id_dfr0;   /**< ID_DFR0, of AArch32 state and ARMv7: in place of the two above */
    uint64_t pmmir_el1; /**< from FEAT_PMUv3p4 on */
};

/** A PMU, as software sees it from where it is.  Filled by apmu_pmu_discover(). */
struct apmu_pmu {
    uint8_t version;     /**< as ID_DFR0.PerfMon counts: 1 PMUv1 and 2 PMUv2 of ARMv7, 3 FEAT_PMUv3, 4 p1, 5 p4, 6 p5, 7 p7,
                              8 p8, 9 p9 */
    uint8_t counters;    /**< event counters, PMCR_EL0.N: at EL1 and EL0 those that MDCR_EL2.HPMN leaves */
    uint8_t first_range; /**< of these, those that PMCR_EL0.E enables: at EL2 and AArch64 EL3 below MDCR_EL2.HPMN, elsewhere
                              all, for the rest is out of sight.  Sessions use these */
    bool instr;          /**< there is an instruction counter, PMICNTR_EL0 (FEAT_PMUv3_ICNTR), and it can be used from here */
    struct apmu_place place; /**< from where the PMU is driven */
    uint64_t features;   /**< set of APMU_FEAT(x): of tables/features.def those whose ID fields are in struct apmu_ids */
    uint64_t pmceid[2];  /**< PMCEID0_EL0 and PMCEID1_EL0 */
    uint64_t pmmir;      /**< PMMIR_EL1: THWIDTH, SLOTS ...; 0 before FEAT_PMUv3p4 */
};

/**
 * Finds out what the PMU @dev is and what may be done to it from here.  @ids may be NULL: then the ID registers are
 * read through @dev.  At EL0 they must be given, and PMUSERENR_EL0.EN be 1.  Changes nothing in the PMU.
 * APMU_E_NO_PMU: PMUVer is 0 or 15; APMU_E_LEVEL: at EL0 without @ids.
 */
enum apmu_error apmu_pmu_discover(const struct apmu_dev *dev, const struct apmu_ids *ids, struct apmu_pmu *pmu);

/** Has @pmu the feature: apmu_pmu_has(pmu, APMU_FEAT(PMUv3p5))? */
static inline bool apmu_pmu_has(const struct apmu_pmu *pmu, uint64_t feature)
{
    return (pmu->features & feature) == feature;
}

/** Event counters have 64 bits here and overflow from bit 63. */
static inline bool apmu_pmu_long(const struct apmu_pmu *pmu)
{
    return apmu_pmu_has(pmu, APMU_FEAT(PMUv3p5)) && pmu->place.view != APMU_VIEW_A32;
}

/** Registers of EL1 can be accessed from here: PMUSERENR_EL0 to write, PMUACR_EL1. */
static inline bool apmu_pmu_el1(const struct apmu_pmu *pmu)
{
    return pmu->place.view != APMU_VIEW_EXTERNAL && pmu->place.el > 0;
}

/** Overflow interrupts can be enabled from here: PMINTENSET_EL1. */
static inline bool apmu_pmu_interrupts(const struct apmu_pmu *pmu)
{
    return pmu->place.view == APMU_VIEW_EXTERNAL || pmu->place.el > 0;
}

/** The set of counters of @pmu that can be accessed from here: bit n is counter n. */
uint64_t apmu_pmu_counters(const struct apmu_pmu *pmu);

/** Those of them that sessions use: event counters of the first range, the cycle and the instruction counter. */
uint64_t apmu_pmu_session_counters(const struct apmu_pmu *pmu);

/**
 * Puts all of the PMU that is in reach into a known state: every writable bit of PMCR_EL0 written, nothing enabled, no
 * interrupt, no overflow flag, no access from EL0, overflow signalled by PMUIRQ, all counters zero.
 * apmu_session_open() begins with it.  At EL0 interrupts and the access of EL0 stay as they are.
 */
enum apmu_error apmu_pmu_reset(const struct apmu_dev *dev, const struct apmu_pmu *pmu);

/* ---------------------------------------------------------------------------------------------------------------
 * Across a loss of power.
 */

/** The registers of a PMU that a loss of power takes.  The caller's memory. */
struct apmu_pmu_saved {
    uint64_t pmcr, cnten, inten, ovs, selr, userenr, uacr, ecr;
    uint64_t cntr[APMU_COUNTERS], typer[APMU_COUNTERS]; /**< [31] the cycle counter, [32] the instruction counter */
};

/**
 * Stops the PMU and saves what can be accessed from here, sessions or none.  For the PE's last steps before it loses
 * power; no interrupt that uses the PMU may come between save and restore.  If it fails, the PMU is as it was, or
 * stopped where even PMCR_EL0 cannot be written any more.
 * APMU_E_UNSUPPORTED: an overflow flag is set and could not be restored (ARMv7, which need not have PMOVSSET): read the
 * session first, which clears it.
 */
enum apmu_error apmu_pmu_save(const struct apmu_dev *dev, const struct apmu_pmu *pmu, struct apmu_pmu_saved *saved);

/**
 * Restores it, from any state of the registers: what counted goes on counting from where it was, what was disabled is
 * disabled again, flags that were set are set.  A session that was open is so still.  If it fails, the PMU is stopped.
 */
enum apmu_error apmu_pmu_restore(const struct apmu_dev *dev, const struct apmu_pmu *pmu, const struct apmu_pmu_saved *saved);

#ifdef __cplusplus
}
#endif
#endif
