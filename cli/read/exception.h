/* SPDX-License-Identifier: BSD-2-Clause */
/* What CLUE_exception_instruction has in .values[0]. */
#ifndef ARMPMU_CLI_READ_EXCEPTION_H
#define ARMPMU_CLI_READ_EXCEPTION_H

#include "../state/instruction.h"
#include "reading.h"

#define EXCEPTION_FAULTED (UINT64_C(1) << 40) /* the instruction is the one that faulted, or the one at the PC */

/** Packs @i. */
uint64_t exception_pack(const struct names_instruction *i);
/** Returns the instruction of a clue. */
struct names_instruction exception_unpack(uint64_t value);

/**
 * Adds the first instruction of line @number that @text says to end in SIGILL or to trap to EL2 or EL3, and the signal
 * or the syndrome: exception_results.c.  Returns true if there is one.
 */
bool exception_read_result(struct reading *r, const char *text, uint32_t number);

#endif
