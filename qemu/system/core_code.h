/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that tells a core what a block executes: what column_plan.c asks of core_code.c while a block is translated. */
#ifndef ARMPMU_QEMU_CORE_CODE_H
#define ARMPMU_QEMU_CORE_CODE_H

#include "core_feed.h"

#include "tcg/tcg.h"

/* Begins a block whose code tells @told, a set of enum core_told. */
void core_code_begin(unsigned told);
/* Adds an instruction, of @bytes bytes. */
void core_code_instruction(enum stream_isa isa, uint64_t traits, uint32_t word, unsigned bytes);
/* Says that instruction @index, from 1, raises an exception instead of retiring. */
void core_code_not_retired(unsigned index);
/* Generates code before the access of a memory operation of the instruction. */
void core_code_access(TCGTemp *address, unsigned mmu_idx, unsigned size, bool store);
/* Generates code at the begin of the block, which has ended.  It goes to *@leave, a new label, if it must not begin. */
void core_code_end(TCGLabel **leave);
/* Frees what the code of all blocks refers to. */
void core_code_no_blocks(void);

#endif
