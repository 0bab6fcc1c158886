/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classes of instructions, counted by translated code.
 *
 * What a vCPU needs counted is a *plan*: sources, of which each has a column of a few words in env.  The plan is part of
 * what QEMU finds translated blocks by (five free bits of cflags), so the same code is translated once for each plan
 * that a vCPU has needed, and a vCPU of which no counter counts executes code that does not count.  A block adds to the
 * columns when it begins; the side table of what its instructions are gives back what it then did not execute.
 *
 * A column runs up to zero where somebody watches it: a block that would bring it above does not begin but asks
 * first (armpmu_near), because a counter overflows in it.
 */
#ifndef ARMPMU_QEMU_CLASSES_H
#define ARMPMU_QEMU_CLASSES_H

#include "vcpu.h"

#include "armpmu-classify/sources.h" /* qemu/classify/, as edit.py copies it */

/* Bits of cflags that QEMU does not use (edit.py checks it). */
#define PLAN_SHIFT 19
#define PLAN_MASK (31u << PLAN_SHIFT)
#define MAX_PLANS 32 /* plan 0 counts nothing */

/* What makes a plan, compared as a whole; its padding is zero. */
struct column_plan {
    uint8_t column_of[APMU_SOURCE_COUNT]; /* its column plus 1; 0: the source is not counted */
    uint8_t columns;
    bool watched; /* all columns, and without -icount the count of instructions */
    uint8_t used;
};

/* The number of the plan, a new one where there was none like it.  0: there are too many, sets_renew() is due. */
unsigned column_plan_number(const struct column_plan *plan);
void column_plan_forget_all(void);

/* What the block @tb adds to column @column of its plan with its first @n instructions, if each does the most it can. */
uint64_t column_plan_most(const TranslationBlock *tb, unsigned column, unsigned n);
/* What an instruction that reads a PMU register (MRS) adds to the source. */
unsigned column_plan_of_mrs(enum apmu_source source);

/* Can translated code count the source? */
bool column_plan_can_count(enum apmu_source source);

/* Where translated code adds. */
#define COLUMN(env, n) ((env)->cp15.c14_pmevcntr[n])

#endif
