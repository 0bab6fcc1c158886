/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the program `expect` share. */
#ifndef ARMPMU_TEST_QEMU_EXPECT_H
#define ARMPMU_TEST_QEMU_EXPECT_H

#include <armpmu/model.h>

#include "conform.h"

#define F(x) APMU_FEAT(x)
#define SCR_NS 0x1u
#define SCR_RW 0x400u
#define HCR_TGE (UINT64_C(1) << 27)
#define HCR_RW (UINT64_C(1) << 31)

extern struct apmu pmu;   /* the PMU, as the rows so far have left it */
extern struct apmu_pe pe; /* where the present row executes */

#define ESR(ec, iss) ((uint32_t)(ec) << 26 | 1u << 25 | (iss))

bool has(uint64_t features);

/* settings.c */
extern const struct setting {
    const char *name;
    uint64_t userenr, uacr;
    uint64_t mdcr_el2, hpmn;                   /* HPMN 0: all event counters */
    uint64_t mdcr_el3_clear, mdcr_el3;
    uint64_t rtr, wtr, rtr2_clear, wtr2_clear; /* the first two trap by 1, the others by 0 */
    bool frame;                                /* the external view too */
    bool os_lock, hpmn0, no_fgten, no_fgten2, tge, e2h, t9;
} settings[]; /* ends with a NULL name */
extern const struct place_info {
    uint8_t el;
    bool secure, a32, rw_scr, rw_hcr;
    uint32_t spsr; /* all interrupts masked */
} places[AT_COUNT];

/* Has the PE no AArch64 state?  Then EL3 is Monitor mode and the Secure privileged modes, and its image start32.S. */
bool is_aarch32(void);
/* Is @at a place of this PMU's PE, under @s? */
bool exists(enum place at, const struct setting *s);
struct expect_group control(const struct setting *s, enum place at);
/* The PE at @el, under the controls of @g. */
void look(const struct expect_group *g, unsigned el, bool a32);

/* expect.c: the cell of @word, "read NAME" or "write NAME". */
uint16_t cell(uint32_t word, bool a32, const char *name, bool write);
struct expect_row *new_row(struct expect_group *g);
uint64_t random_value(void);

/* external.c: the accesses of the whole frame, at the group's place. */
void walk_frame(struct expect_group *g);

#endif
