/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an A32 or T32 instruction is, from its encoding alone: Armv7-A and Armv8, with Advanced SIMD, VFP and crypto.
 *
 * For engines.  Pure functions without state; they know no emulator and allocate nothing.
 */
#ifndef ARMPMU_SOURCE_A32_H
#define ARMPMU_SOURCE_A32_H

#include <stdbool.h>
#include <stdint.h>

#include "traits.h"

/**
 * The traits of the A32 instruction @word, with COND unless its condition is AL or it has none.
 */
uint64_t apmu_a32_traits(uint32_t word);

/**
 * The traits of the T32 instruction @word, with COND if it is a conditional branch or @in_it: it is in an IT block.
 * A 16-bit instruction is a value below 0xe800; of a 32-bit one the first halfword is bits [31:16].
 */
uint64_t apmu_t32_traits(uint32_t word, bool in_it);

/**
 * The alignment in bytes, a power of two, that the accesses of the load or store @word need so as not to be unaligned; 1
 * if none can be retired with an unaligned address: bytes, and what always faults then (LDRD, LDM, exclusives, VLDR).
 */
unsigned apmu_a32_alignment(uint32_t word);
unsigned apmu_t32_alignment(uint32_t word);

/** Is the T32 instruction that begins with the halfword @first 32 bits long? */
bool apmu_t32_is_long(uint16_t first);

#endif
