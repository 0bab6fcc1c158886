/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that access System registers: as text, as syndromes, and the registers that they name. */
#ifndef ARMPMU_CLI_STATE_INSTRUCTION_H
#define ARMPMU_CLI_STATE_INSTRUCTION_H

#include "names.h"

/** What the register of an instruction is to a PMU. */
enum instruction_kind {
    INSTRUCTION_PMU,   /**< a register of PMUv1 to PMUv3 or of the PE that names_by_...() find */
    INSTRUCTION_ARM11, /**< a register of ARM11's PMU */
    INSTRUCTION_TIMER, /**< a count of the generic timer */
    INSTRUCTION_OTHER, /**< another register, or none */
};

/**
 * Parses the instruction at the beginning of @text: "mrs x0, pmccntr_el0", "MSR S3_3_C9_C12_0, x1", "mrc p15, 0, r0,
 * c9, c13, 0", "mrc 15, 0, r0, cr9, cr13, {0}", "mrrc p15, 0, r0, r1, c9".  Stores it in *@i and returns the number of
 * characters used, 0 if it is none of these or names a register that is not known.  In the second case @name, which has
 * room for NAMES_LENGTH characters, is the name as the text has it, and otherwise "".
 */
size_t instruction_parse(const char *text, size_t length, struct names_instruction *i, char *name);

/** Makes *@i of the syndrome @iss of an exception of class @ec.  Returns false if it is of no such instruction. */
bool instruction_of_syndrome(unsigned ec, uint32_t iss, struct names_instruction *i);

/** Returns the ESR of a trap of @i, an A64 instruction: class 0x18. */
uint32_t instruction_syndrome(const struct names_instruction *i);

/** Finds the register of @i.  *@place is valid for INSTRUCTION_PMU and INSTRUCTION_ARM11. */
enum instruction_kind instruction_place(const struct names_instruction *i, struct names_place *place);

/** Writes the register's name, or its encoding if it has none here.  Returns @buf. */
const char *instruction_register(const struct names_instruction *i, char buf[40]);

/** Returns the opcode of @i, with the condition AL in A32. */
uint32_t instruction_word(const struct names_instruction *i);

/** Returns what exception class @ec of an ESR or HSR means, NULL if it is none that concerns a PMU. */
const char *instruction_class(unsigned ec);

/** Writes the instruction: "MRS X0, PMCCNTR_EL0".  Returns @buf. */
const char *instruction_spell(const struct names_instruction *i, char buf[96]);

/**
 * Returns the name of a register of any view that differs from @text, @length bytes, by one letter, by two that are
 * swapped, or by a missing _EL0, and stores it in @buf; NULL if there is none.
 */
const char *instruction_did_you_mean(const char *text, size_t length, char buf[NAMES_LENGTH]);

#endif
