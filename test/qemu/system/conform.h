/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The expectations of the conformance image.  expect.c, on the host, writes what the model answers; conform.c, on the
 * machine, compares what the PMU does.  There is one file for each PMU, which the emulator loads at EXPECT_BASE:
 *
 *     struct expect_head; cells; groups; rows
 *
 * A cell is one instruction that accesses a register.  A group sets the controls and the place at which its rows
 * execute; a row executes a cell there once.
 */
#ifndef ARMPMU_TEST_QEMU_CONFORM_H
#define ARMPMU_TEST_QEMU_CONFORM_H

#include <stdint.h>

#define EXPECT_BASE 0x44000000u
#define FRAME_BASE 0x0B000000u
#define EXPECT_MAGIC 0x31434D50u

struct expect_head {
    uint32_t magic;
    uint32_t cells, groups, rows;
    uint32_t has_fgt, has_fgt2;
    uint32_t pad[2];
};

/* One instruction.  It reads or writes x3 in A64 and r3 in A32, where a pair of registers is r3 and r4. */
struct expect_cell {
    uint32_t word;
    uint32_t a32;
    char name[24];
};

/*
 * The places at which accesses execute: Exception level, Security state, Execution state.  The first row makes AT_EL3
 * and the text "EL3".
 */
#define PLACES(PLACE) \
    PLACE(EL3, "EL3") PLACE(EL2, "EL2") PLACE(EL1, "EL1") PLACE(EL0, "EL0") \
    PLACE(S_EL2, "Secure EL2") PLACE(S_EL1, "Secure EL1") PLACE(S_EL0, "Secure EL0") \
    PLACE(HYP, "Hyp mode") PLACE(SVC, "AArch32 EL1") PLACE(USR, "AArch32 EL0") \
    PLACE(USR_SVC, "AArch32 EL0 below AArch32 EL1") PLACE(SVC_HYP, "AArch32 EL1 below Hyp mode") \
    PLACE(USR_HYP, "AArch32 EL0 below Hyp mode") PLACE(S_SVC, "Secure AArch32 EL1") PLACE(S_USR, "Secure AArch32 EL0") \
    PLACE(MON, "Monitor mode") PLACE(SVC_MON, "Secure Supervisor mode, which is EL3")

enum expect_place {
#define PLACE(id, text) AT_##id,
    PLACES(PLACE)
#undef PLACE
    AT_COUNT
};

struct expect_group {
    char setting[40];
    uint64_t scr, hcr, hstr, mdcr_el2, mdcr_el3;
    uint64_t hdfgrtr, hdfgwtr, hdfgrtr2, hdfgwtr2;
    uint64_t spsr;
    uint32_t place;
    uint32_t first, count; /* its rows */
    uint32_t os_lock;
};

/* The level or mode to which an exception was taken.  Among AArch32's modes only Hyp has a syndrome. */
enum taken {
    TAKEN_NONE,
    TAKEN_EL1,
    TAKEN_EL2,
    TAKEN_EL3,
    TAKEN_UND,       /* AArch32 EL1, Undefined Instruction */
    TAKEN_HYP_TRAP,  /* Hyp mode from below */
    TAKEN_HYP_UND,   /* Hyp mode from itself */
    TAKEN_OTHER,     /* elsewhere, which is a failure of the image */
};

struct expect_row {
    uint16_t cell;
    uint16_t back;   /* of a write: the cell that reads the register at EL3 afterwards */
    uint8_t taken;
    uint8_t writes;
    uint8_t setup;   /* a part of the group's setting: executed at EL3 */
    uint8_t open;    /* CONSTRAINED UNPREDICTABLE: the architecture permits other answers than this one */
    uint32_t esr;    /* the syndrome of the exception; 0: it has none, or there is no exception */
    uint8_t frame;   /* an access to the external view */
    uint8_t pad;
    uint16_t offset; /* in the frame */
    uint64_t value;  /* written */
    uint64_t result; /* read, or read back */
};

#endif
