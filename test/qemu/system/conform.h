/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The conformance image's expectations: what expect.c, on the host, asks the model, and conform.c, on the machine, asks
 * the PMU.  One file for each PMU, which the emulator loads at EXPECT_BASE:
 *
 *     struct expect_head; cells; groups; rows
 *
 * A cell is one instruction that accesses a register.  A group sets the controls and says where its rows execute; a row
 * executes a cell there once.
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

/* In A64, x3 is read or written; in A32, r3, with r4 in a pair. */
struct expect_cell {
    uint32_t word;
    uint32_t a32;
    char name[24];
};

/* Where an access executes: Exception level, Security state, Execution state. */
#define PLACES(PLACE) \
    PLACE(EL3, "EL3") PLACE(EL2, "EL2") PLACE(EL1, "EL1") PLACE(EL0, "EL0") \
    PLACE(S_EL2, "Secure EL2") PLACE(S_EL1, "Secure EL1") PLACE(S_EL0, "Secure EL0") \
    PLACE(HYP, "Hyp mode") PLACE(SVC, "AArch32 EL1") PLACE(USR, "AArch32 EL0") \
    PLACE(USR_SVC, "AArch32 EL0 below AArch32 EL1") PLACE(SVC_HYP, "AArch32 EL1 below Hyp mode") \
    PLACE(USR_HYP, "AArch32 EL0 below Hyp mode") PLACE(S_SVC, "Secure AArch32 EL1") PLACE(S_USR, "Secure AArch32 EL0") \
    PLACE(MON, "Monitor mode") PLACE(SVC_MON, "Secure Supervisor mode, which is EL3")

enum place {
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
    uint32_t first, count; /* rows */
    uint32_t os_lock;
};

/* Where an exception was taken; AArch32's modes have no syndrome, but Hyp has. */
enum taken {
    TAKEN_NONE,
    TAKEN_EL1,
    TAKEN_EL2,
    TAKEN_EL3,
    TAKEN_UND,       /* AArch32 EL1, Undefined Instruction */
    TAKEN_HYP_TRAP,  /* Hyp mode from below */
    TAKEN_HYP_UND,   /* Hyp mode from itself */
    TAKEN_OTHER,     /* none of these: the image's own failure */
};

struct expect_row {
    uint16_t cell;
    uint16_t back;   /* of a write: the cell that reads, at EL3, what is then there */
    uint8_t taken;
    uint8_t writes;
    uint8_t setup;   /* of the group's own setting: executed at EL3 */
    uint8_t open;    /* CONSTRAINED UNPREDICTABLE: another answer may be the architecture's too */
    uint32_t esr;    /* where an exception is taken with a syndrome */
    uint8_t frame;   /* an access of the external view */
    uint8_t pad;
    uint16_t offset; /* in it */
    uint64_t value;  /* written */
    uint64_t result; /* read, or read back */
};

#endif
