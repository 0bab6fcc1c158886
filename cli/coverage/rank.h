/* SPDX-License-Identifier: BSD-2-Clause */
/* What each test adds, and the smallest set of tests that reaches all events that any test reaches. */
#ifndef ARMPMU_CLI_COVERAGE_RANK_H
#define ARMPMU_CLI_COVERAGE_RANK_H

#include "table.h"

struct coverage_rank {
    size_t reached; /**< events that a test reaches */
    size_t *order;  /**< the tests that add something, each the one that adds most to those before it */
    size_t *adds;   /**< how many events each of them adds */
    size_t count;   /**< of both */
    size_t *set;    /**< a set that reaches all events, in the order of the table */
    size_t set_count;
    size_t bound;   /**< no set is smaller than this: equal to set_count if the set is proven to be smallest */
};

/** Ranks the tests of @t.  The work is bounded, so that a large set may not be proven to be smallest. */
void coverage_rank(struct coverage_rank *r, const struct coverage_table *t);

void coverage_rank_free(struct coverage_rank *r);

#endif
