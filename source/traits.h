/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an instruction of any instruction set is, and which sources it counts in.
 *
 * The classifiers (a64.h, a32.h) give traits from encodings; traits give sources.  For engines: pure functions without
 * state, which know no emulator and allocate nothing.
 */
#ifndef ARMPMU_SOURCE_TRAITS_H
#define ARMPMU_SOURCE_TRAITS_H

#include <stdint.h>

#include "source.h"

/* The traits of an instruction: the bits of a set. */
#define APMU_TRAIT_INSN  (UINT64_C(1) << 0) /**< it is retired: no exception that returns to itself */
#define APMU_TRAIT_LOAD  (UINT64_C(1) << 1) /**< memory-reading instruction */
#define APMU_TRAIT_STORE (UINT64_C(1) << 2) /**< memory-writing instruction, except store-exclusive */
#define APMU_TRAIT_LDX   (UINT64_C(1) << 3) /**< load-exclusive; it has LOAD too */
#define APMU_TRAIT_STX   (UINT64_C(1) << 4) /**< store-exclusive: whether it writes is known afterwards */
#define APMU_TRAIT_ACQUIRE (UINT64_C(1) << 5)
#define APMU_TRAIT_RELEASE (UINT64_C(1) << 6)
#define APMU_TRAIT_BRANCH_IMM (UINT64_C(1) << 7) /**< to an address relative to the PC */
#define APMU_TRAIT_BRANCH_REG (UINT64_C(1) << 8) /**< to an address in a register */
#define APMU_TRAIT_LINK  (UINT64_C(1) << 9)
#define APMU_TRAIT_RETURN (UINT64_C(1) << 10)
#define APMU_TRAIT_COND  (UINT64_C(1) << 11) /**< it acts only if its condition passes; in A64 a branch */
#define APMU_TRAIT_HINTED (UINT64_C(1) << 12) /**< BC.cond; it has COND too */
#define APMU_TRAIT_DP    (UINT64_C(1) << 13) /**< integer data processing */
#define APMU_TRAIT_ASE   (UINT64_C(1) << 14) /**< Advanced SIMD data processing */
#define APMU_TRAIT_ASE_SCALAR (UINT64_C(1) << 15) /**< its scalar form; it has ASE too */
#define APMU_TRAIT_ASE_MEM (UINT64_C(1) << 16) /**< Advanced SIMD structure or Q register; with LOAD or STORE */
#define APMU_TRAIT_VFP   (UINT64_C(1) << 17) /**< scalar floating-point data processing */
#define APMU_TRAIT_CRYPTO (UINT64_C(1) << 18)
#define APMU_TRAIT_SVE   (UINT64_C(1) << 19) /**< SVE, also its loads and stores */
#define APMU_TRAIT_SME   (UINT64_C(1) << 20) /**< SME, also its loads and stores */
#define APMU_TRAIT_PREFETCH (UINT64_C(1) << 21) /**< PRFM; PLD, PLDW, PLI */
#define APMU_TRAIT_SVC   (UINT64_C(1) << 22)
#define APMU_TRAIT_TRAP  (UINT64_C(1) << 23) /**< generates an exception that returns to itself */
#define APMU_TRAIT_ISB   (UINT64_C(1) << 24) /**< also the CP15 form, as with DSB and DMB */
#define APMU_TRAIT_DSB   (UINT64_C(1) << 25)
#define APMU_TRAIT_DMB   (UINT64_C(1) << 26)
#define APMU_TRAIT_CSDB  (UINT64_C(1) << 27)
#define APMU_TRAIT_SYS   (UINT64_C(1) << 28) /**< system instruction: IC, DC, TLBI; MCR of c7 and c8 */
#define APMU_TRAIT_PMU   (UINT64_C(1) << 29) /**< MRS, MSR of a PMU register that EL0 has to be given */

/*
 * What is known after execution only: no classifier gives these, an engine adds them.  PASSED and FAILED are added to
 * the other traits of an instruction that has COND; the others stand alone.
 */
#define APMU_TRAIT_STX_PASS (UINT64_C(1) << 30) /**< a store-exclusive wrote */
#define APMU_TRAIT_PASSED (UINT64_C(1) << 31) /**< the condition passed: a branch is taken */
#define APMU_TRAIT_FAILED (UINT64_C(1) << 32) /**< the condition failed: nothing is done */
#define APMU_TRAIT_UNALIGNED (UINT64_C(1) << 33) /**< a load or store was unaligned */
#define APMU_TRAIT_SW_INCR (UINT64_C(1) << 34) /**< the PMU accepted a write to PMSWINC_EL0 */

/** What may raise a synchronous exception because of an address. */
#define APMU_TRAIT_MAY_FAULT (APMU_TRAIT_LOAD | APMU_TRAIT_STORE | APMU_TRAIT_STX | APMU_TRAIT_SYS)

/**
 * Adds to @vector what one execution of an instruction with @traits counts in each source.
 *
 * An instruction with COND counts in parts, a call each: with the traits as the classifier gave them, what it counts
 * whether its condition passes or not; with PASSED or FAILED added, what it counts besides in that case.  A
 * store-exclusive that wrote counts STX_PASS besides, alone.
 */
void apmu_traits_add(uint64_t traits, uint16_t vector[APMU_SOURCE_COUNT]);

#endif
