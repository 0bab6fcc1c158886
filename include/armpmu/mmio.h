/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The external view as a PMU to drive: memory-mapped, or through a debugger's access port.
 *
 * For authors of debuggers and of firmware that profiles another PE.  A back end of the register seam (driver.h): open
 * finds out which component is there and in which layout, then apmu_pmu_discover() and sessions work on it as on any other.
 *
 *     struct apmu_mmio mmio = {.read32 = probe_read, .write32 = probe_write, .access = &probe};
 *     const struct apmu_dev dev = {.ops = &apmu_mmio_ops, .ctx = &mmio};
 *
 *     apmu_mmio_open(&mmio);
 *     apmu_pmu_discover(&dev, NULL, &pmu);
 *     ... sessions ...
 *     apmu_mmio_close(&mmio);
 *
 * What this view does not have (PMUSERENR_EL0, PMUACR_EL1, PMSELR_EL0 ...) is refused with APMU_E_VIEW, and
 * apmu_session_allow_user() with APMU_E_UNSUPPORTED.  PMCR_EL0.E enables counters below MDCR_EL2.HPMN only, which this view
 * cannot see: where software on the PE set it, set apmu_pmu.first_range to it.
 *
 * Source: the Arm ARM, DDI 0487 M.a.a I3 and I5.3; EDDFR: H9.2.
 */
#ifndef ARMPMU_MMIO_H
#define ARMPMU_MMIO_H

#include <armpmu/driver.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One component.  Zero in a member of the first group means: not given. */
struct apmu_mmio {
    /* How to reach it: base, or both functions.  The caller's, and constant from open to close. */

    /**
     * The component's 4 KiB, mapped as Device-nGnRE or stricter, by a little-endian PE.  A component without power
     * answers with an external abort, which is the caller's to take; the functions can return an error instead.
     */
    volatile uint32_t *base;
    /** Reads the 32 bits at @offset, 0..0xFFC.  Any error is passed on to the caller of the driver. */
    enum apmu_error (*read32)(void *access, uint32_t offset, uint32_t *value);
    /** Writes the 32 bits at @offset, and returns when the component has them. */
    enum apmu_error (*write32)(void *access, uint32_t offset, uint32_t value);
    void *access; /**< the first argument of both */

    /* What the component does not tell. */

    /**
     * EDDFR, at 0xD28 of the PE's external debug component, if that can be read.  If not, the version of the PMU is
     * taken as the least that has what is seen, and event counters as 32 bits wide before FEAT_PMUv3p7.
     */
    uint64_t eddfr;
    /**
     * PMCEID0_EL0 and PMCEID1_EL0 for the layout of FEAT_PMUv3_EXT64, which lacks them.  Without them no event is
     * announced there, and each wish needs apmu_wish.unlisted.
     */
    uint64_t pmceid[2];

    /* What apmu_mmio_open() found. */

    uint8_t version;  /**< as ID_AA64DFR0_EL1.PMUVer: 1 is FEAT_PMUv3, 4 p1 ... 9 p9 */
    uint8_t counters; /**< event counters, from PMCFGR: those that an access of this kind sees */
    bool instr;       /**< there is PMICNTR_EL0 */
    bool snapshots;   /**< there is PMSSCR_EL1 */
    bool layout64;    /**< the layout of FEAT_PMUv3_EXT64 */
    bool relock;      /**< the Software Lock was closed and is to be closed again */
};

/** The context is a struct apmu_mmio that apmu_mmio_open() has filled. */
extern const struct apmu_reg_ops apmu_mmio_ops;

/**
 * Finds out what @m reaches, and opens the Software Lock if it is closed.  On an error the lock is as it was found, as
 * far as it can be written.
 * APMU_E_COMPONENT: PMDEVARCH, PMDEVTYPE or PMCFGR are not those of a PMUv3.  APMU_E_LOCK: the lock stays closed.
 */
enum apmu_error apmu_mmio_open(struct apmu_mmio *m);

/** Closes the Software Lock if open found it closed. */
enum apmu_error apmu_mmio_close(struct apmu_mmio *m);

#ifdef __cplusplus
}
#endif
#endif
