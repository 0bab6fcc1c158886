/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers by any of their names: Arm's in each view, encodings, offsets of the external view, and instructions. */
#ifndef ARMPMU_CLI_STATE_NAMES_H
#define ARMPMU_CLI_STATE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <armpmu/arm11.h>
#include <armpmu/regs.h>

enum names_view { NAMES_A64, NAMES_A32, NAMES_EXTERNAL, NAMES_ARM11 };

/** What a name leads to: some bits of a register. */
struct names_place {
    enum names_view view;
    enum apmu_reg reg;            /**< not of NAMES_ARM11 */
    unsigned arm11;               /**< of NAMES_ARM11: enum apmu_arm11_reg, or from APMU_ARM11_REG_COUNT on borrowed */
    unsigned n;                   /**< the copy of a bank */
    uint64_t mask;                /**< the bits of the register that this view shows */
    uint8_t shift;                /**< bit 0 of the view's value is this bit of the register: 0, or 32 */
    bool may_be_wide;             /**< AArch32, by a name that the external view has too, where it may have 64 bits */
    uint16_t offset[2];           /**< NAMES_EXTERNAL, by name: in the layouts of EXT32 and EXT64; NAMES_NOWHERE */
};

#define NAMES_NOWHERE 0xFFFFu
#define NAMES_LENGTH 32 /* longer names lead nowhere */

/** Layouts of the external view, as indexes and bits. */
enum names_layout { NAMES_EXT32, NAMES_EXT64 };

/** The register with Arm's name @text of @length, in upper or lower case, in any view. */
bool names_by_name(const char *text, size_t length, struct names_place *place);

/** The AArch32 name @i of a control or ID register of the PE, and its text.  False beyond the last. */
bool names_borrowed32(unsigned i, struct names_place *place, const char **text);

/** Name and text of a borrowed register of ARM11: @which is names_place.arm11. */
const char *names_arm11(unsigned which, const char **text);

/** By S<op0>_<op1>_C<n>_C<m>_<op2>. */
bool names_by_generic(const char *text, size_t length, struct names_place *place);

/**
 * By the operands of MRC and MRRC at the beginning of @text: "p15, 0, c9, c12, 0", "p15 c9 c12 0", "p15,0,r0,c9,c12,0",
 * "p15, 0, c9" of 64 bits.  Without the first number it is 0.  Returns how many characters they are; 0: there are none.
 */
size_t names_by_operands(const char *text, size_t length, struct names_place *place);

/** By the encoding of MRS and MSR (APMU_A64_KEY). */
bool names_by_a64(uint16_t key, struct names_place *place);

/** By the encoding of MRC and MCR (APMU_A32_KEY) or MRRC and MCRR (APMU_A32_KEY_PAIR) of @coproc. */
bool names_by_a32(unsigned coproc, uint16_t key, struct names_place *place);

/** By the offset of a word of the external view in @layout. */
bool names_by_offset(unsigned offset, enum names_layout layout, struct names_place *place);

/** An instruction that accesses a System register. */
struct names_instruction {
    bool a32;       /**< otherwise AArch64 */
    bool read;      /**< MRS, MRC, MRRC */
    bool pair;      /**< MRRC, MCRR */
    uint8_t coproc;
    uint8_t rt, rt2;
    uint16_t key;
};

/** Is @word an MRS, MSR (register), MRC, MCR, MRRC or MCRR?  T32 as its two halfwords, the first in bits 31:16. */
bool names_instruction(uint32_t word, struct names_instruction *instruction);

/** The name in its view: "PMCR_EL0", "PMEVCNTR3", "HDCR", "PMNC".  Returns @buf. */
const char *names_spell(const struct names_place *place, char buf[24]);

/**
 * How software reaches it: "S3_3_C9_C12_0", "p15, 0, c9, c12, 0", "offset 0xE04 (EXT32), 0xE10 (EXT64)", "" if it is
 * in no register.  Returns @buf.
 */
const char *names_where(const struct names_place *place, char buf[64]);

/* external.c: the same of the external view alone; names.c asks it.  Name @i of all, of banks one for each copy. */
bool names_external_at(unsigned i, char name[24]);
bool names_external(const char *name, struct names_place *place);
const char *names_spell_external(const struct names_place *place, char buf[24]);
const char *names_where_external(const struct names_place *place, char buf[64]);

#endif
