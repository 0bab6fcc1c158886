/* SPDX-License-Identifier: BSD-2-Clause */
/* Words: what people write about their machine, what they see and what they did before. */
#ifndef ARMPMU_CLI_READ_WORDS_H
#define ARMPMU_CLI_READ_WORDS_H

#include "reading.h"

/**
 * Finds cores, boards, SoCs, hypervisors, emulators, clouds, operating systems, Exception levels and clock rates in
 * @text, @length bytes of line @line (0: of no line), and learns them: r->machine, and CLUE_words_m_core for an M-profile
 * core, which is no core of the tables.  The rows are in boards.def.  Any reader may call it, for a comment, a prompt or
 * the model string of a board.  What is known already is kept.
 */
void read_machine_words(struct reading *r, const char *text, size_t length, uint32_t line);

#endif
