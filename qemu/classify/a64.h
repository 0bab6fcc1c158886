/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Classifies A64 instructions by their encoding alone.
 *
 * The functions are pure, allocate nothing and depend on no emulator, so any emulator can link them.
 */
#ifndef ARMPMU_CLASSIFY_A64_H
#define ARMPMU_CLASSIFY_A64_H

#include <stdint.h>

#include "traits.h"

/** Returns the traits of the instruction @word. */
uint64_t apmu_a64_traits(uint32_t word);

/**
 * Returns the alignment in bytes, a power of two, that keeps the accesses of the load or store @word aligned.  Returns
 * 1 if its accesses cannot be unaligned.
 */
unsigned apmu_a64_alignment(uint32_t word);

#endif
