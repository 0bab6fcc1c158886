/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Column plans: which classes of instructions the translated code of a vCPU counts.
 *
 * A plan names the sources (tables/sources.def) that the enabled counters of a vCPU count, and gives each of them a
 * column, a 64-bit word in env.  The number of the plan is part of what QEMU finds translated blocks by (five free bits
 * of cflags).  So the same code is translated once for each plan under which it runs, a vCPU changes its plan without
 * throwing code away, and a vCPU with plan 0 executes code that counts nothing.
 *
 * A block adds to the columns when it begins.  If it is left half way, a side table of the classes of its instructions
 * says what to take back (armpmu_give_back()).  If the plan has limits, a block that could bring a column above 0 calls
 * armpmu_near_deadline() and does not begin (batch.c).
 */
#ifndef ARMPMU_QEMU_COLUMN_PLAN_H
#define ARMPMU_QEMU_COLUMN_PLAN_H

#include "vcpu.h"

#include "armpmu-qemu/classify/sources.h" /* qemu/classify/, as edit.py copies it */

/* The bits of cflags that hold the number of the plan; edit.py checks that QEMU does not use them. */
#define PLAN_SHIFT 19
#define PLAN_MASK (31u << PLAN_SHIFT)
#define MAX_PLANS 32

/* A plan.  Plans are compared as memory, so the whole struct is zeroed before it is filled in. */
struct column_plan {
    uint8_t column_of[APMU_SOURCE_COUNT]; /* the source's column plus 1; 0: the source is not counted */
    uint8_t columns;                      /* how many columns are in use */
    bool has_limits; /* blocks check that no column, and without -icount no count of instructions, passes 0 */
    uint8_t core;    /* what is told to a core: a set of enum core_told (core_feed.h) */
    uint8_t used;    /* 0: the vCPU counts nothing, and needs no plan */
};

/*
 * Returns the number of *@plan, 1 to MAX_PLANS - 1, which becomes a known plan if it is not one.  Returns 0 if there is
 * no room for another: column_plan_forget_all() makes some.
 */
unsigned column_plan_number(const struct column_plan *plan);
/* Forgets all plans.  Call it while no vCPU executes, and throw all blocks away before. */
void column_plan_forget_all(void);

/* Returns the most that the first @n instructions of @tb can add to column @column of the block's plan. */
uint64_t column_plan_most(const TranslationBlock *tb, unsigned column, unsigned n);
/* Returns what the instruction @read adds to @source. */
uint64_t column_plan_of_read(enum in_progress read, enum apmu_source source);
/* Returns true if translated code can count @source. */
bool column_plan_can_count(enum apmu_source source);

/* Column @n, to which translated code adds: env's storage of a PMU that this one replaces. */
#define COLUMN(env, n) ((env)->cp15.c14_pmevcntr[n])

#endif
