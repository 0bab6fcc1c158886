/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds registers by any of their names: Arm's in each view, encodings, external offsets, and instructions. */
#ifndef ARMPMU_CLI_STATE_NAMES_H
#define ARMPMU_CLI_STATE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <armpmu/arm11.h>
#include <armpmu/regs.h>

/** The views of registers: AArch64, AArch32, the external view, and the PMU of ARM11 with its core. */
enum names_view { NAMES_A64, NAMES_A32, NAMES_EXTERNAL, NAMES_ARM11 };

/** The register, or the bits of it, that a name stands for. */
struct names_place {
    enum names_view view;
    enum apmu_reg reg;            /**< the register; not used by NAMES_ARM11 */
    unsigned arm11;               /**< for NAMES_ARM11: enum apmu_arm11_reg, or a STATE_ARM11_... of the core */
    unsigned n;                   /**< the copy in a bank, from 0 */
    uint64_t mask;                /**< the bits of the register that this view shows */
    uint8_t shift;                /**< bit 0 of the view's value is this bit of the register: 0 or 32 */
    bool may_be_wide;             /**< an AArch32 name that the external view shares, where it may have 64 bits */
    uint16_t offset[2];           /**< for NAMES_EXTERNAL: bytes from the frame's start, by enum names_layout */
};

#define NAMES_NOWHERE 0xFFFFu /* the offset of a register that a layout lacks */
#define NAMES_LENGTH 32       /* room for the longest name and its '\0' */

/** Layouts of the external view, used as indexes. */
enum names_layout { NAMES_EXT32, NAMES_EXT64 };

/* Functions that find a register store it in *@place and return true, or return false if there is none. */

/** Finds a register by Arm's name in any view, in upper or lower case.  @text has @length characters. */
bool names_by_name(const char *text, size_t length, struct names_place *place);

/**
 * Stores the place of AArch32 control or ID register @i of the PE, and in *@text what the register is for.  @i counts
 * from 0.  Returns false beyond the last register.
 */
bool names_borrowed32(unsigned i, struct names_place *place, const char **text);

/**
 * Returns the name of a register of an ARM11's core, and in *@text what it is for.  @which is a STATE_ARM11_... as in
 * names_place.arm11.
 */
const char *names_arm11(unsigned which, const char **text);

/** Finds a register by its generic name, S<op0>_<op1>_C<n>_C<m>_<op2>. */
bool names_by_generic(const char *text, size_t length, struct names_place *place);

/**
 * Finds a register by the operands of MRC or MRRC at the beginning of @text: "p15, 0, c9, c12, 0", "p15 c9 c12 0",
 * "p15,0,r0,c9,c12,0", or "p15, 0, c9" for 64 bits.  Opc1 and opc2 are 0 if they are missing.  Returns the number
 * of characters used, 0 if no register was found.
 */
size_t names_by_operands(const char *text, size_t length, struct names_place *place);

/** Finds a register by the encoding of MRS and MSR (APMU_A64_KEY). */
bool names_by_a64(uint16_t key, struct names_place *place);

/** Finds a register by the encoding of MRC and MCR (APMU_A32_KEY) or MRRC and MCRR (APMU_A32_KEY_PAIR) of @coproc. */
bool names_by_a32(unsigned coproc, uint16_t key, struct names_place *place);

/** Finds a register by the offset of one of its 32-bit words in the external view. */
bool names_by_offset(unsigned offset, enum names_layout layout, struct names_place *place);

/** An instruction that accesses a System register. */
struct names_instruction {
    bool a32;       /**< A32 or T32, otherwise A64 */
    bool read;      /**< MRS, MRC, MRRC */
    bool pair;      /**< MRRC, MCRR */
    uint8_t coproc; /**< of A32 and T32 */
    uint8_t rt, rt2;
    uint16_t key;   /**< APMU_A64_KEY, APMU_A32_KEY or APMU_A32_KEY_PAIR */
};

/**
 * Decodes an MRS, MSR (register), MRC, MCR, MRRC or MCRR.  A T32 instruction has its first halfword in bits 31:16.
 * Returns false if @word is none of them.
 */
bool names_instruction(uint32_t word, struct names_instruction *instruction);

/** Writes the register's name in its view: "PMCR_EL0", "PMEVCNTR3", "HDCR", "PMNC".  Returns @buf. */
const char *names_spell(const struct names_place *place, char buf[24]);

/**
 * Writes how software reaches the register: "S3_3_C9_C12_0", "p15, 0, c9, c12, 0", "offset 0xE04 (EXT32), 0xE10
 * (EXT64)", or "" if nothing accesses it by an address, such as PSTATE.  Returns @buf.
 */
const char *names_where(const struct names_place *place, char buf[64]);

/*
 * external.c: does for the external view what the functions above do for all; names.c calls these.  names_external_at()
 * stores name @i of the view, from 0, and returns false beyond the last; each copy of a bank has a name.
 * names_external() finds a register by name.  names_spell_external() and names_where_external() are names_spell() and
 * names_where().
 */
bool names_external_at(unsigned i, char name[24]);
bool names_external(const char *name, struct names_place *place);
const char *names_spell_external(const struct names_place *place, char buf[24]);
const char *names_where_external(const struct names_place *place, char buf[64]);

#endif
