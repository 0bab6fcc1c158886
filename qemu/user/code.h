/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shared file "code", of a run that is recorded: where the instructions of each counter are.  The tool makes it
 * beside the file shapes, and all plugins map it.  All tables only grow.
 *
 *   place   a stretch of addresses with what lies there: a part of a file, the emulator's vDSO, generated code.  All
 *           processes share the places.  What is mapped again as it was is the same place.
 *   block   the instructions of the counter APMU_SHAPES + i, whose address and shape are in the block i of the file
 *           shapes.
 *   insn    instructions with what one execution of each counts.
 *
 * In a recorded run the key of a counter is all of this: address, place, instructions and what they count.  So code
 * that is rewritten, or mapped where other code was, has other counters, also if the program makes no system call in
 * between.  What happens at an instruction only sometimes has counters of its own there, of one instruction: a branch
 * that is taken, a condition that passes, a fault's correction.
 */
#ifndef ARMPMU_QEMU_USER_CODE_H
#define ARMPMU_QEMU_USER_CODE_H

#include "protocol.h"

#define APMU_CODE_FILE "code"
#define APMU_PLACES 4096u
#define APMU_INSNS (UINT32_C(1) << 22)

enum apmu_place_kind {
    APMU_PLACE_FILE = 1,
    APMU_PLACE_VDSO, /**< a library that the emulator gives to the program, as a kernel does */
    APMU_PLACE_CODE, /**< memory of no file */
};

struct apmu_code_place {
    uint32_t kind;          /**< 0 until the place is complete; atomic */
    uint32_t removed;       /**< 1 if the file has no name any more */
    uint64_t start, end;    /**< addresses in the program */
    uint64_t offset;        /**< of the first byte in the file */
    uint64_t device, inode; /**< of the file, as stat() gives them */
    char path[APMU_PATH];   /**< of the file, as the emulator sees it; otherwise "" */
};

/** An instruction of a counter. */
struct apmu_code_insn {
    uint32_t word;  /**< its encoding; T32 with the first halfword in the upper half if it has two */
    uint32_t shape; /**< the shape of what it counts, plus 1; 0: nothing */
};

/** The instructions of a counter. */
struct apmu_code_block {
    uint32_t place; /**< plus 1; 0: it is not known */
    uint32_t first; /**< index of its first instruction */
    uint32_t count;
    uint32_t t32;   /**< 1: instructions of T32, of which those below 0xe800 have two bytes; all others have four */
};

struct apmu_code_head {
    uint32_t magic, version;
    uint32_t places; /**< handed out; atomic */
    uint32_t insns;  /**< handed out; atomic */
    uint32_t full;   /**< 1 if some code could not be told apart because a table was full; atomic */
};

/** The file. */
struct apmu_code {
    struct apmu_code_head head;
    _Alignas(4096) struct apmu_code_place place[APMU_PLACES];
    _Alignas(4096) struct apmu_code_block block[APMU_BLOCKS];
    _Alignas(4096) struct apmu_code_insn insn[APMU_INSNS];
};

#endif
