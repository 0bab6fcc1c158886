/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Classifies A32 and T32 instructions by their encoding alone: Armv7-A and Armv8, with Advanced SIMD, VFP and crypto.
 *
 * For engines.  The functions are pure, allocate nothing and depend on no emulator.
 */
#ifndef ARMPMU_SOURCE_A32_H
#define ARMPMU_SOURCE_A32_H

#include <stdbool.h>
#include <stdint.h>

#include "traits.h"

/** Returns the traits of the A32 instruction @word.  COND is set unless the condition is AL or there is none. */
uint64_t apmu_a32_traits(uint32_t word);

/**
 * Returns the traits of the T32 instruction @word.  COND is set for a conditional branch, and if @in_it is true: the
 * instruction is in an IT block.  A value below 0xe800 is a 16-bit instruction; a 32-bit instruction has its first
 * halfword in bits [31:16].
 */
uint64_t apmu_t32_traits(uint32_t word, bool in_it);

/**
 * Return the alignment in bytes, a power of two, that keeps the accesses of the load or store @word aligned.  Return 1
 * if @word cannot be retired with an unaligned address: byte accesses, and instructions whose unaligned accesses always
 * fault (LDRD, LDM, exclusives, VLDR).
 */
unsigned apmu_a32_alignment(uint32_t word);
unsigned apmu_t32_alignment(uint32_t word);

/** Returns whether the T32 instruction that begins with the halfword @first is 32 bits long. */
bool apmu_t32_is_long(uint16_t first);

#endif
