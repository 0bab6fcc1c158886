/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The witness: a core model written by other hands than lib/core and test/core/plain*.c, from the comments of
 * <armpmu/core.h>, <armpmu/core_space.h> and the names of the events.  It is made to be read, not to be fast: every
 * structure is a shelf of places that is searched from end to end, time goes by operation by operation, and the sum
 * behind an event follows from the grammar of its name rather than from tables/core_counts.def.
 */
#ifndef ARMPMU_TEST_CORE_WITNESS_H
#define ARMPMU_TEST_CORE_WITNESS_H

#include <armpmu/core_space.h>

/* Some cores of a row, with all parts. */
struct witness;

/* Returns a new chip.  The caller frees it by witness_free().  Ends the program if there is no memory. */
struct witness *witness_new(const struct apmu_core_row *row, unsigned cores);
void witness_free(struct witness *w);

/* The calls of <armpmu/core.h>, on core @n. */
void witness_load(struct witness *w, unsigned n, uint64_t address, uint32_t size, bool after);
void witness_store(struct witness *w, unsigned n, uint64_t address, uint32_t size);
void witness_fetch(struct witness *w, unsigned n, uint64_t address, uint32_t size);
void witness_instructions(struct witness *w, unsigned n, uint64_t count);
bool witness_branch(struct witness *w, unsigned n, unsigned kind, uint64_t pc, uint64_t target, bool taken);
void witness_settle(struct witness *w, unsigned n);
void witness_forget_pages(struct witness *w, unsigned n);

/* The calls of <armpmu/core_space.h>, on core @n. */
void witness_map(struct witness *w, unsigned n, bool code, uint64_t distance, uint64_t further);
bool witness_would_walk(struct witness *w, unsigned n, bool code, uint64_t address);
void witness_give_walk(struct witness *w, unsigned n, uint64_t address, const uint64_t *descriptors, unsigned count,
                       unsigned tail);
void witness_forget_where(struct witness *w, unsigned n, uint64_t address, uint64_t mask);

/* Writes the count of event @number on core @n to *@count.  Returns false if the row does not count it. */
bool witness_read(const struct witness *w, unsigned n, uint16_t number, uint64_t *count);

#endif
