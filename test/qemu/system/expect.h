/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the program `expect` (expect.c). */
#ifndef ARMPMU_TEST_QEMU_EXPECT_H
#define ARMPMU_TEST_QEMU_EXPECT_H

#include <armpmu/model.h>

#include "conform.h"

#define F(x) APMU_FEAT(x)
#define SCR_NS 0x1u
#define SCR_RW 0x400u
#define HCR_TGE (UINT64_C(1) << 27)
#define HCR_RW (UINT64_C(1) << 31)

extern struct apmu expect_pmu;   /* the PMU, as the rows so far leave it */
extern struct apmu_pe expect_pe; /* the PE while it executes the present row */

/* A syndrome with IL = 1. */
#define ESR(ec, iss) ((uint32_t)(ec) << 26 | 1u << 25 | (iss))

/* Returns true if the PMU has all of @features. */
bool expect_has(uint64_t features);

/* ---------------------------------------------------------------------------------------------------------------
 * settings.c
 */

/* The controls under which registers are accessed.  A member that is 0 refuses nothing, except for the first two. */
extern const struct expect_setting {
    const char *name;
    uint64_t userenr, uacr;                    /* PMUSERENR_EL0 and PMUACR_EL1, which permit accesses of EL0 */
    uint64_t mdcr_el2, hpmn;                   /* .hpmn 0: all event counters are in the first range */
    uint64_t mdcr_el3_clear, mdcr_el3;         /* bits of MDCR_EL3 that are 0 where they would permit; that are 1 */
    uint64_t rtr, wtr, rtr2_clear, wtr2_clear; /* bits of HDFGRTR_EL2 etc.; the first two trap by 1, the others by 0 */
    bool frame;                                /* access the external view, too */
    bool os_lock, hpmn0, no_fgten, no_fgten2;  /* the OS Lock; HPMN = 0; SCR_EL3.FGTEn = 0; SCR_EL3.FGTEn2 = 0 */
    bool tge, e2h, t9;                         /* HCR_EL2.{TGE, E2H}, HSTR_EL2.T9 */
} expect_settings[]; /* ends with a NULL name */
/* The places, by enum expect_place. */
extern const struct expect_place_info {
    uint8_t el;
    bool secure, a32;
    bool rw_scr, rw_hcr; /* SCR_EL3.RW and HCR_EL2.RW: the level below uses AArch64 */
    uint32_t spsr; /* all interrupts masked */
} expect_places[AT_COUNT];

/*
 * Returns true if the PE has no AArch64 state.  Then EL3 is Monitor mode and the Secure privileged modes, and the image
 * begins in start32.S.
 */
bool expect_is_aarch32(void);
/* Returns true if the PE can execute at @at under the setting @s. */
bool expect_place_exists(enum expect_place at, const struct expect_setting *s);
/* Returns the group of the setting @s at @at, without rows. */
struct expect_group expect_group_for(const struct expect_setting *s, enum expect_place at);
/* Sets expect_pe to the PE at @el, under the controls of @g. */
void expect_look(const struct expect_group *g, unsigned el, bool a32);

/* ---------------------------------------------------------------------------------------------------------------
 * expect.c
 */

/*
 * Returns the number of the cell with the instruction @word, which it adds if it is new, as "read NAME" or "write
 * NAME".
 */
uint16_t expect_cell(uint32_t word, bool a32, const char *name, bool write);
/* Adds a row to @g, the last group. */
struct expect_row *expect_new_row(struct expect_group *g);
/* Returns the next number of a fixed pseudo-random sequence. */
uint64_t expect_random(void);

/* external.c: adds rows that access the whole frame, if @g is at a place where that is tested. */
void expect_walk_frame(struct expect_group *g);

#endif
