/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A second core model, plain and slow, to compare lib/core with.  It was written from the comments of <armpmu/core.h>
 * alone and shares no code with lib/core: lists of records are searched from end to end, time goes by operation by
 * operation, history is a list of outcomes, and each event is counted under its number when it happens.
 */
#ifndef ARMPMU_TEST_CORE_PLAIN_H
#define ARMPMU_TEST_CORE_PLAIN_H

#include <armpmu/core_space.h>

/* Some cores of a row, with all parts. */
struct plain;

/* Returns a new chip.  The caller frees it by plain_free().  Ends the program if there is no memory. */
struct plain *plain_new(const struct apmu_core_row *row, unsigned cores);
void plain_free(struct plain *p);

/* The calls of <armpmu/core.h> and <armpmu/core_space.h>, on core @n. */
void plain_load(struct plain *p, unsigned n, uint64_t address, uint32_t size, bool after);
void plain_store(struct plain *p, unsigned n, uint64_t address, uint32_t size);
void plain_fetch(struct plain *p, unsigned n, uint64_t address, uint32_t size);
void plain_instructions(struct plain *p, unsigned n, uint64_t count);
bool plain_branch(struct plain *p, unsigned n, unsigned kind, uint64_t pc, uint64_t target, bool taken);
void plain_settle(struct plain *p, unsigned n);
void plain_forget_pages(struct plain *p, unsigned n);
void plain_map(struct plain *p, unsigned n, bool code, uint64_t distance, uint64_t further);
bool plain_would_walk(struct plain *p, unsigned n, bool code, uint64_t address);
void plain_give_walk(struct plain *p, unsigned n, uint64_t address, const uint64_t *descriptors, unsigned count,
                     unsigned tail);
void plain_forget_where(struct plain *p, unsigned n, uint64_t address, uint64_t mask);
/*
 * What core @n counted since the last call of the watcher belongs to the call with @ticket.  The watcher is called
 * before and after slots are lost; the caller of the model does the same after each of its own calls.
 */
typedef void plain_watcher(void *context, unsigned n, uint64_t ticket);
void plain_watch(struct plain *p, plain_watcher *watcher, void *context);
/* Gives the calls on core @n that follow a ticket: what is lost because of them has it, also later. */
void plain_give_ticket(struct plain *p, unsigned n, uint64_t ticket);
uint64_t plain_read(const struct plain *p, unsigned n, uint16_t event);

#endif
