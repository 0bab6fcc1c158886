/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an A64 instruction is, from its encoding alone, and which sources it counts in.
 *
 * For engines.  Pure functions without state; they know no emulator and allocate nothing.
 */
#ifndef ARMPMU_SOURCE_A64_H
#define ARMPMU_SOURCE_A64_H

#include <stdint.h>

#include "source.h"

/* The traits of an instruction: the bits of a set. */
#define APMU_A64_INSN        (UINT64_C(1) << 0) /**< it is retired (not one whose exception returns to itself) */
#define APMU_A64_LOAD        (UINT64_C(1) << 1) /**< memory-reading instruction */
#define APMU_A64_STORE       (UINT64_C(1) << 2) /**< memory-writing instruction, except store-exclusive */
#define APMU_A64_LDX         (UINT64_C(1) << 3) /**< load-exclusive; it has LOAD too */
#define APMU_A64_STX         (UINT64_C(1) << 4) /**< store-exclusive: whether it writes is known when it has executed */
#define APMU_A64_ACQUIRE     (UINT64_C(1) << 5)
#define APMU_A64_RELEASE     (UINT64_C(1) << 6)
#define APMU_A64_BRANCH_IMM  (UINT64_C(1) << 7) /**< to an address relative to the PC */
#define APMU_A64_BRANCH_REG  (UINT64_C(1) << 8) /**< to an address in a register */
#define APMU_A64_LINK        (UINT64_C(1) << 9)
#define APMU_A64_RETURN      (UINT64_C(1) << 10)
#define APMU_A64_COND        (UINT64_C(1) << 11)
#define APMU_A64_HINTED      (UINT64_C(1) << 12) /**< BC.cond; it has COND too */
#define APMU_A64_DP          (UINT64_C(1) << 13) /**< integer data processing */
#define APMU_A64_ASE         (UINT64_C(1) << 14) /**< Advanced SIMD data processing */
#define APMU_A64_ASE_SCALAR  (UINT64_C(1) << 15) /**< its scalar form; it has ASE too */
#define APMU_A64_ASE_MEM     (UINT64_C(1) << 16) /**< Advanced SIMD structure or Q register; it has LOAD or STORE too */
#define APMU_A64_VFP         (UINT64_C(1) << 17) /**< scalar floating-point data processing */
#define APMU_A64_CRYPTO      (UINT64_C(1) << 18)
#define APMU_A64_SVE         (UINT64_C(1) << 19) /**< SVE, also its loads and stores */
#define APMU_A64_SME         (UINT64_C(1) << 20) /**< SME, also its loads and stores */
#define APMU_A64_PREFETCH    (UINT64_C(1) << 21)
#define APMU_A64_SVC         (UINT64_C(1) << 22)
#define APMU_A64_TRAP        (UINT64_C(1) << 23) /**< generates an exception that returns to the instruction itself */
#define APMU_A64_ISB         (UINT64_C(1) << 24)
#define APMU_A64_DSB         (UINT64_C(1) << 25)
#define APMU_A64_DMB         (UINT64_C(1) << 26)
#define APMU_A64_CSDB        (UINT64_C(1) << 27)
#define APMU_A64_SYS         (UINT64_C(1) << 28) /**< system instruction: IC, DC, TLBI ... */
#define APMU_A64_PMU         (UINT64_C(1) << 29) /**< MRS or MSR of a PMU register that traps at EL0 unless it is given access */

/* What is known after execution only: no instruction has these, an engine adds them. */
#define APMU_A64_STX_PASS    (UINT64_C(1) << 30) /**< a store-exclusive wrote */
#define APMU_A64_TAKEN       (UINT64_C(1) << 31) /**< a conditional branch was taken */
#define APMU_A64_SKIPPED     (UINT64_C(1) << 32) /**< a conditional branch was not taken */
#define APMU_A64_UNALIGNED   (UINT64_C(1) << 33) /**< a load or store was unaligned */
#define APMU_A64_SW_INCR     (UINT64_C(1) << 34) /**< the PMU accepted a write to PMSWINC_EL0 */

/** What may raise a synchronous exception because of an address. */
#define APMU_A64_MAY_FAULT (APMU_A64_LOAD | APMU_A64_STORE | APMU_A64_STX | APMU_A64_SYS)

/** The traits of the instruction @word. */
uint64_t apmu_a64_traits(uint32_t word);

/** Adds to @vector what one execution of an instruction with @traits counts in each source. */
void apmu_a64_add(uint64_t traits, uint16_t vector[APMU_SOURCE_COUNT]);

/**
 * The alignment in bytes, a power of two, that the accesses of the load or store @word need so as not to be unaligned;
 * 1 if they cannot be unaligned.
 */
unsigned apmu_a64_alignment(uint32_t word);

#endif
