/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The external view of a PMU as a back end of the driver: memory-mapped, or through a debugger's access port.
 *
 * For authors of debuggers, and of firmware that profiles another PE.  apmu_mmio_open() finds out which component is
 * there and in which layout; then apmu_pmu_discover() and sessions work on it as on any other device.  In the example
 * an array stands for the component's 4 KiB.
 *
 * @code
 * #include <stdio.h>
 * #include <armpmu/mmio.h>
 * int main(void)
 * {
 *     static uint32_t component[1024] = {[0xFBC / 4] = 0x47702A16, [0xE00 / 4] = 0x7F06};
 *     struct apmu_mmio mmio = {.base = component};
 *     const struct apmu_dev dev = {.ops = &apmu_mmio_ops, .ctx = &mmio};
 *     struct apmu_pmu pmu;
 *     if (apmu_mmio_open(&mmio) != APMU_OK || apmu_pmu_discover(&dev, NULL, &pmu) != APMU_OK) {
 *         return 1;
 *     }
 *     printf("%u event counters\n", (unsigned)pmu.counters);
 *     return apmu_mmio_close(&mmio) != APMU_OK;
 * }
 * @endcode
 *
 * Registers that this view lacks (PMUSERENR_EL0, PMUACR_EL1, PMSELR_EL0 ...) are refused with APMU_E_VIEW, and
 * apmu_session_allow_user() with APMU_E_UNSUPPORTED.  PMCR_EL0.E enables only the counters below MDCR_EL2.HPMN, which
 * this view cannot see: where software on the PE has set HPMN, set apmu_pmu.first_range to it.
 *
 * Re-entrancy: nothing here keeps state but struct apmu_mmio, which only open and close write.  Reads and writes of one
 * component may interrupt each other if the caller's functions allow it.
 *
 * Source: the Arm ARM, DDI 0487 M.a.a I3 and I5.3; EDDFR: H9.2.
 */
#ifndef ARMPMU_MMIO_H
#define ARMPMU_MMIO_H

#include <armpmu/driver.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One component.  The caller sets the first two groups of members; 0 in one of them means that it is not given. */
struct apmu_mmio {
    /* How to reach it: base, or both functions.  The caller keeps them constant from open to close. */

    /**
     * The component's 4 KiB, mapped as Device-nGnRE or stricter, by a little-endian PE.  A component without power
     * answers with an external abort, which the caller must handle.  The functions can return an error instead.
     */
    volatile uint32_t *base;
    /** Reads the 32 bits at @offset, 0..0xFFC, into *@value.  An error is passed on to the caller of the driver. */
    enum apmu_error (*read32)(void *access, uint32_t offset, uint32_t *value);
    /** Writes the 32 bits at @offset.  Returns when the component has received them. */
    enum apmu_error (*write32)(void *access, uint32_t offset, uint32_t value);
    void *access; /**< the first argument of both functions */

    /* What the component does not tell. */

    /**
     * EDDFR, at 0xD28 of the PE's external debug component.  Without it, the version of the PMU is taken as the lowest
     * that has what is seen, and event counters as 32 bits wide before FEAT_PMUv3p7.
     */
    uint64_t eddfr;
    /**
     * PMCEID0_EL0 and PMCEID1_EL0, for the layout of FEAT_PMUv3_EXT64, which lacks them.  Without them that layout
     * announces no event, and each wish needs apmu_wish.unlisted.
     */
    uint64_t pmceid[2];

    /* What apmu_mmio_open() found. */

    uint8_t version;  /**< as ID_AA64DFR0_EL1.PMUVer: 1 is FEAT_PMUv3, 4 p1 ... 9 p9 */
    uint8_t counters; /**< number of event counters that such an access sees, from PMCFGR */
    bool instr;       /**< PMICNTR_EL0 exists */
    bool snapshots;   /**< PMSSCR_EL1 exists */
    bool layout64;    /**< the layout of FEAT_PMUv3_EXT64 */

    /* Internal: */
    bool relock; /* the Software Lock was closed, and apmu_mmio_close() closes it again */
};

/** The register seam over a component.  The context is a struct apmu_mmio that apmu_mmio_open() has filled. */
extern const struct apmu_reg_ops apmu_mmio_ops;

/**
 * Finds out what component @m reaches, and opens the Software Lock if it is closed.  On an error the lock is as it was
 * found, as far as it can be written.
 * APMU_E_COMPONENT: PMDEVARCH, PMDEVTYPE or PMCFGR are not those of a PMUv3; APMU_E_LOCK: the lock stays closed.
 */
enum apmu_error apmu_mmio_open(struct apmu_mmio *m);

/** Closes the Software Lock if open found it closed. */
enum apmu_error apmu_mmio_close(struct apmu_mmio *m);

#ifdef __cplusplus
}
#endif
#endif
