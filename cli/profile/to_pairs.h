/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins the two halves of an exact recording: counts by instruction (`code`) and counts by call chain (`nodes`).
 * Formats that hold samples want an instruction and its callers together.
 *
 * What a function counted is the same sum in both halves, so within a function the rows of one are laid against the
 * rows of the other, in their order, until both are used up.  The sum of each instruction and of each chain is
 * therefore exact.  How much of an instruction belongs to which chain is only known where a function has one chain or
 * one instruction.
 *
 *      instructions of f:   | a 4 | b 4       | c 2 |
 *      chains that end in f: | main-f 6   | main-g-f 4 |       a: 4 with main-f;  b: 2 with each;  c: 2 with main-g-f
 *
 * Code of another symbol may run in a function's frame ("f.cold", a fall through).  Such rows are laid against what is
 * left: first of functions whose names agree up to a '.', then in the same file, then in the same thread.
 */
#ifndef ARMPMU_CLI_TO_PAIRS_H
#define ARMPMU_CLI_TO_PAIRS_H

#include "profile.h"

struct to_pair {
    uint32_t code;          /**< a row of `code` */
    uint32_t node;          /**< RECORDING_NONE: no chain is left for it */
    const uint64_t *counts; /**< of each event */
};

/** Calls @visit with each pair until it returns false.  Returns whether all were visited: not if there is no memory. */
bool to_pairs(const struct profile *p, bool (*visit)(void *context, const struct to_pair *pair), void *context);

#endif
