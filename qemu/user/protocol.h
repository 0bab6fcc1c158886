/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tool and the plugin inside the emulator share: files in a private directory, mapped by both.
 *
 *   setup    written by the tool before the start: what to count, and how to start the emulator again after exec
 *   shapes   what one execution of a block counts in each source: its shape, which blocks that count alike share; and
 *            the blocks, each with its address and its shape.  All processes share both tables.  They only grow.
 *   p.PID.N  one for each image of each process: how often each block was executed, and what went on.  exec begins
 *            a new image, fork a new process.
 *
 * The total of a source is the sum over images and counters of executions x vector.  The files hold it at any moment, so
 * a process that is killed keeps its counts.  Counters are written by one thread each, with plain 64-bit stores, except
 * those of the last row.
 */
#ifndef ARMPMU_ENGINE_PROTOCOL_H
#define ARMPMU_ENGINE_PROTOCOL_H

#include <armpmu/model.h>
#include <stddef.h>
#include <stdint.h>

#include "../classify/sources.h"
#include "program.h"

#define APMU_PROTOCOL_MAGIC UINT32_C(0x554d5041) /* "APMU" */
#define APMU_PROTOCOL_VERSION 3u

#define APMU_SETUP_FILE "setup"
#define APMU_SHAPES_FILE "shapes"
#define APMU_PROCESS_PREFIX "p."

/** The system call by which the shim in the guest talks to the plugin; no Linux has it.  x0 is enum apmu_call. */
#define APMU_SYSCALL 0x504d55
enum apmu_call {
    APMU_CALL_SHIM = 1,   /**< x1, x2: first and last byte + 1 of the shim's code, which is not counted */
    APMU_CALL_ACCESS = 2, /**< x1: instruction; x2: value to write; x3: address of a struct apmu_call_answer */
};
struct apmu_call_answer {
    uint64_t value;
    uint64_t allowed; /**< 1, or 0: the access raises SIGILL */
};

/** How programs of a kind are run.  @qemu is "" where they cannot be. */
struct apmu_target {
    char qemu[APMU_PATH];
    char sysroot[APMU_PATH]; /**< qemu -L, or "" */
};

struct apmu_setup {
    uint32_t magic, version;
    uint64_t outcomes;         /**< set of 1 << enum apmu_source */
    uint32_t el0;              /**< el0_pmu holds a PMU that EL0 may reach */
    struct apmu el0_pmu;
    char plugin[APMU_PATH];     /**< this plugin */
    char shim[APMU_PATH];       /**< the shim, or "" */
    struct apmu_target target[APMU_PROGRAM_KINDS];
};

/*
 * The ids below APMU_BLOCK_SHAPES may be any vector; the others are for single instructions, of which there are few
 * kinds: a block for which no id is left is counted instruction by instruction.
 */
#define APMU_SHAPES (UINT32_C(1) << 17)
#define APMU_BLOCK_SHAPES (APMU_SHAPES - 2048)
#define APMU_SHAPE_SLOTS (APMU_SHAPES * 2)

/*
 * Counters.  Each block that is translated has one of its own, so that blocks which follow each other add to different
 * memory: additions to one place would wait for each other.  A block is known by its address and its shape, so the same
 * code has the same counter whenever it is translated, and in each process.  Blocks have the numbers from APMU_SHAPES on;
 * the numbers below are the shapes' own, for blocks that are more than APMU_BLOCKS and for single instructions.
 */
#define APMU_BLOCKS (UINT32_C(1) << 18)
#define APMU_COUNTER_NUMBERS (APMU_SHAPES + APMU_BLOCKS)
#define APMU_BLOCK_SLOTS (APMU_BLOCKS * 2)

struct apmu_block {
    uint64_t address; /**< of its first instruction, in the program */
    uint64_t shape;   /**< + 1; 0 until the block is complete */
};

struct apmu_shapes_head {
    uint32_t magic, version;
    uint32_t sources;       /**< APMU_SOURCE_COUNT at the writer */
    uint32_t blocks, insns; /**< ids handed out below and from APMU_BLOCK_SHAPES, atomic */
    uint32_t counters;      /**< of blocks, handed out, atomic */
    uint32_t images;        /**< images whose files were published, atomic: so a file that is missing is missed */
    uint32_t lost;          /**< an errno: there was no room for some counts, or no file; atomic */
};

struct apmu_shapes {
    struct apmu_shapes_head head;
    uint32_t slot[APMU_SHAPE_SLOTS];      /**< hash table: id + 1, or 0; set once the vector is complete */
    uint32_t block_slot[APMU_BLOCK_SLOTS]; /**< hash table of blocks (blocks.c); set once the block is complete */
    uint16_t vector[APMU_SHAPES][APMU_SOURCE_COUNT];
    _Alignas(4096) struct apmu_block block[APMU_BLOCKS];
};

/**
 * Counters come in rows: one for each vCPU; the last is for all beyond, and written with atomic adds.  The rows of a tile
 * of counters follow each other, a page apart: no thread writes to a page of another's, and the next vCPU's counter of
 * the same number is never further away than that.
 */
#define APMU_ROWS 65u
#define APMU_TILE 512u

enum apmu_image_state {
    APMU_IMAGE_RUNS = 1,  /**< or was killed */
    APMU_IMAGE_EXITED,
    APMU_IMAGE_REPLACED,  /**< by exec of a program that is counted */
    APMU_IMAGE_NATIVE,    /**< by exec of a program that is not */
};

enum apmu_image_origin { APMU_ORIGIN_START = 1, APMU_ORIGIN_FORK, APMU_ORIGIN_EXEC };

/** Bits of apmu_image_head.notes: what the totals do not cover, or why a program failed. */
enum apmu_note {
    APMU_NOTE_OWN_SIGILL = 1u << 0,   /**< the program installed its own handler for SIGILL over the shim's */
    APMU_NOTE_NO_SHIM = 1u << 1,      /**< a PMU was given, but the shim did not announce itself */
    APMU_NOTE_LOST_CHILD = 1u << 2,   /**< a child could not make its file */
    APMU_NOTE_USERENR = 1u << 3,      /**< MRS of PMUSERENR_EL0, which the emulator answers with 0 */
    APMU_NOTE_GAINS = 1u << 4,        /**< exec of a program that the kernel would give privileges */
    APMU_NOTE_FAULT = 1u << 5,        /**< a block that faulted was counted whole */
};

struct apmu_image_head {
    uint32_t magic, version;
    uint32_t state, origin;
    int32_t pid;
    uint32_t threads;       /**< begun */
    uint32_t rows;          /**< rows of counter in use */
    uint32_t longest_block; /**< instructions */
    uint32_t precise;       /**< faults are counted to the instruction */
    uint32_t notes;         /**< set of enum apmu_note */
    uint32_t interface;     /**< the emulator's plugin interface */
    uint32_t trapped;       /**< instructions that accessed the PMU and were not emulated */
    uint32_t trap_word;     /**< the last of them */
    uint32_t trap_a32;      /**< it is one of A32 or T32 */
    uint64_t trap_pc;
    uint32_t trap_refused;  /**< the PMU refused it */
    char trap_control[48];  /**< and this control decided: "PMUSERENR_EL0.EN" */
    uint32_t not_counted;   /**< execs of programs that are not counted */
    char not_counted_path[256];
    char not_counted_why[64];
};

struct apmu_image {
    struct apmu_image_head head;
    struct apmu pmu[APMU_ROWS]; /**< the PMUs that EL0 sees, if there are any: each vCPU is a PE */
    _Alignas(4096) uint64_t counter[APMU_COUNTER_NUMBERS / APMU_TILE][APMU_ROWS][APMU_TILE]; /**< see apmu_counter() */
};

/** Where in an image the counter @number of @row is. */
static inline size_t apmu_counter(uint32_t row, uint32_t number)
{
    return offsetof(struct apmu_image, counter) +
           (((size_t)(number / APMU_TILE) * APMU_ROWS + row) * APMU_TILE + number % APMU_TILE) * sizeof(uint64_t);
}

/**
 * Writes the argument of qemu's -plugin that loads the file @plugin with the shared files in @dir.  Returns its length,
 * which is @size or more where @buf is too small.
 */
size_t apmu_plugin_option(char *buf, size_t size, const char *plugin, const char *dir);

#endif
