/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an A64 instruction is, from its encoding alone.
 *
 * For engines.  Pure functions without state; they know no emulator and allocate nothing.
 */
#ifndef ARMPMU_SOURCE_A64_H
#define ARMPMU_SOURCE_A64_H

#include <stdint.h>

#include "traits.h"

/** The traits of the instruction @word. */
uint64_t apmu_a64_traits(uint32_t word);

/**
 * The alignment in bytes, a power of two, that the accesses of the load or store @word need so as not to be unaligned;
 * 1 if they cannot be unaligned.
 */
unsigned apmu_a64_alignment(uint32_t word);

#endif
