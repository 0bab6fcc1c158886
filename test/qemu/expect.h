/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the program `expect` share. */
#ifndef ARMPMU_TEST_QEMU_EXPECT_H
#define ARMPMU_TEST_QEMU_EXPECT_H

#include <armpmu/model.h>

#include "conform.h"

extern struct apmu pmu;   /* the PMU, as the rows so far have left it */
extern struct apmu_pe pe; /* where the present row executes */

#define ESR(ec, iss) ((uint32_t)(ec) << 26 | 1u << 25 | (iss))

/* The PE at @el, under the controls of @g. */
void look(const struct expect_group *g, unsigned el, bool a32);
/* The stub of @word, "read NAME" or "write NAME". */
uint16_t stub(uint32_t word, bool a32, const char *name, bool write);
struct expect_row *new_row(struct expect_group *g);
uint64_t random_value(void);

/* external.c: the accesses of the whole frame, at the group's place. */
void walk_frame(struct expect_group *g);

#endif
