/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Classifies A32 and T32 instructions by their encoding alone: Armv7-A and Armv8, with Advanced SIMD, VFP and crypto.
 *
 * The functions are pure, allocate nothing and depend on no emulator, so any emulator can link them.
 */
#ifndef ARMPMU_CLASSIFY_A32_H
#define ARMPMU_CLASSIFY_A32_H

#include <stdbool.h>
#include <stdint.h>

#include "traits.h"

/** Returns the traits of the A32 instruction @word.  COND is set if it has a condition other than AL. */
uint64_t apmu_a32_traits(uint32_t word);

/**
 * Returns the traits of the T32 instruction @word.  @in_it says whether it is in an IT block.  COND is set for a
 * conditional branch, and for any instruction in an IT block except BKPT and HLT.  A @word below 0xe800 is a 16-bit
 * instruction; a 32-bit instruction has its first halfword in bits [31:16].
 */
uint64_t apmu_t32_traits(uint32_t word, bool in_it);

/**
 * Returns the alignment in bytes, a power of two, that keeps the accesses of the A32 load or store @word aligned.
 * Returns 1 if @word cannot be retired with an unaligned address: byte accesses, and instructions whose unaligned
 * accesses always fault (LDRD, LDM, exclusives, VLDR).
 */
unsigned apmu_a32_alignment(uint32_t word);
/** Returns the alignment of the T32 load or store @word, as apmu_a32_alignment() does. */
unsigned apmu_t32_alignment(uint32_t word);

/** Returns true if the T32 instruction that begins with the halfword @first is 32 bits long. */
bool apmu_t32_is_long(uint16_t first);

#endif
