/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The traits of an instruction, in any instruction set, and the sources in which it counts.
 *
 * The classifiers (a64.h, a32.h) derive traits from encodings; apmu_traits_add() derives sources from traits.  It is
 * pure, allocates nothing and depends on no emulator.
 */
#ifndef ARMPMU_CLASSIFY_TRAITS_H
#define ARMPMU_CLASSIFY_TRAITS_H

#include <stdint.h>

#include "sources.h"

/* The traits of an instruction, one bit each. */
#define APMU_TRAIT_INSN  (UINT64_C(1) << 0) /**< retired when it completes; so is SVC */
#define APMU_TRAIT_LOAD  (UINT64_C(1) << 1) /**< memory-reading instruction */
#define APMU_TRAIT_STORE (UINT64_C(1) << 2) /**< memory-writing instruction, except store-exclusive */
#define APMU_TRAIT_LDX   (UINT64_C(1) << 3) /**< load-exclusive; has LOAD too */
#define APMU_TRAIT_STX   (UINT64_C(1) << 4) /**< store-exclusive; whether it writes is known only after execution */
#define APMU_TRAIT_ACQUIRE (UINT64_C(1) << 5)
#define APMU_TRAIT_RELEASE (UINT64_C(1) << 6)
#define APMU_TRAIT_BRANCH_IMM (UINT64_C(1) << 7) /**< to an address relative to the PC */
#define APMU_TRAIT_BRANCH_REG (UINT64_C(1) << 8) /**< to an address in a register */
#define APMU_TRAIT_LINK  (UINT64_C(1) << 9) /**< branch with link */
#define APMU_TRAIT_RETURN (UINT64_C(1) << 10) /**< procedure return, as BR_RETURN_RETIRED defines it */
#define APMU_TRAIT_COND  (UINT64_C(1) << 11) /**< has a condition; in A64 only branches have one */
#define APMU_TRAIT_HINTED (UINT64_C(1) << 12) /**< BC.cond; has COND too */
#define APMU_TRAIT_DP    (UINT64_C(1) << 13) /**< integer data processing */
#define APMU_TRAIT_ASE   (UINT64_C(1) << 14) /**< Advanced SIMD data processing */
#define APMU_TRAIT_ASE_SCALAR (UINT64_C(1) << 15) /**< the scalar form; has ASE too */
#define APMU_TRAIT_ASE_MEM (UINT64_C(1) << 16) /**< accesses structures or a Q register; has LOAD or STORE too */
#define APMU_TRAIT_VFP   (UINT64_C(1) << 17) /**< scalar floating-point data processing */
#define APMU_TRAIT_CRYPTO (UINT64_C(1) << 18)
#define APMU_TRAIT_SVE   (UINT64_C(1) << 19) /**< SVE, also its loads and stores */
#define APMU_TRAIT_SME   (UINT64_C(1) << 20) /**< SME, also its loads and stores */
#define APMU_TRAIT_PREFETCH (UINT64_C(1) << 21) /**< PRFM; PLD, PLDW, PLI */
#define APMU_TRAIT_SVC   (UINT64_C(1) << 22)
#define APMU_TRAIT_TRAP  (UINT64_C(1) << 23) /**< not retired: generates an exception that returns to it */
#define APMU_TRAIT_ISB   (UINT64_C(1) << 24) /**< ISB, DSB and DMB include their CP15 forms */
#define APMU_TRAIT_DSB   (UINT64_C(1) << 25)
#define APMU_TRAIT_DMB   (UINT64_C(1) << 26)
#define APMU_TRAIT_CSDB  (UINT64_C(1) << 27)
#define APMU_TRAIT_SYS   (UINT64_C(1) << 28) /**< system instruction: IC, DC, TLBI; MCR to c7 and c8 */
#define APMU_TRAIT_PMU   (UINT64_C(1) << 29) /**< accesses a PMU register that PMUSERENR guards at EL0 */

/*
 * Traits that are known only after execution.  No classifier sets these; the emulator that executes the instruction
 * adds them.  PASSED and FAILED are added to the other traits of an instruction that has COND.  The others stand alone.
 */
#define APMU_TRAIT_STX_PASS (UINT64_C(1) << 30) /**< a store-exclusive wrote to memory */
#define APMU_TRAIT_PASSED (UINT64_C(1) << 31) /**< the condition passed; a branch is taken */
#define APMU_TRAIT_FAILED (UINT64_C(1) << 32) /**< the condition failed; the instruction does nothing */
#define APMU_TRAIT_UNALIGNED (UINT64_C(1) << 33) /**< a load or store was unaligned */
#define APMU_TRAIT_SW_INCR (UINT64_C(1) << 34) /**< the PMU accepted a write to PMSWINC_EL0 */

/** The traits of instructions that may raise a synchronous exception because of an address: any of these. */
#define APMU_TRAIT_MAY_FAULT (APMU_TRAIT_LOAD | APMU_TRAIT_STORE | APMU_TRAIT_STX | APMU_TRAIT_SYS)

/**
 * Adds to @vector what one execution of an instruction with @traits counts in each source.
 *
 * An instruction with COND is counted in two calls.  The call with the traits from the classifier adds what counts
 * whether the condition passes or not.  The call with PASSED or FAILED added adds what counts only in that case.  A
 * store-exclusive that wrote to memory takes one more call, with STX_PASS alone.
 */
void apmu_traits_add(uint64_t traits, uint16_t vector[APMU_SOURCE_COUNT]);

#endif
