/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that the tool and the plugin inside the emulator share.  They are in a private directory, which the tool
 * makes and removes (host/shared.c).
 *
 *   setup    struct apmu_setup, written by the tool before the start: what to count, and how to start the emulator
 *            again after exec.  Each plugin reads a copy.
 *   shapes   struct apmu_shapes, made by the tool, mapped by all plugins.  A shape is a vector: what one execution of a
 *            block counts in each source; or one occurrence of an event of the modelled core, if these are recorded.
 *            Blocks that count alike share a shape.  A block is an address with a shape.  Both tables only grow.
 *   c.PID.N  struct apmu_chip of <armpmu/core.h>, if a core is modelled: one for each image of each process, made and
 *            mapped by the plugin: what caches, TLBs and branch predictors of its cores hold, and what they counted.
 *            Each thread has a core.  A thread that begins where another one ended takes over its core.
 *   code     struct apmu_code of code.h, if the run is recorded: where the instructions of each counter are.
 *   g.PID.N  struct apmu_graph, if a call graph is recorded (graph.h).
 *   t.PID.N  if the run is recorded: what threads counted whose row another thread took later, for each of them a
 *            struct apmu_ended_thread and its counts.  Made by the plugin when a row is taken again.
 *   p.PID.N  struct apmu_image, one for each image of each process, made and mapped by the plugin in that process: how
 *            often each block was executed, and what happened to the process.  exec begins a new image, fork a new
 *            process.  plugin/image.c draws the states of an image.
 *
 * The total of a source is the sum of executions x vector over all images and counters.  The files hold it at any
 * moment, so a process that is killed keeps its counts.  The tool reads them with pread(), because a mapping would give
 * memory to holes, and raise SIGBUS if somebody truncated the file.  One thread writes each counter, with plain 64-bit
 * stores.  Several threads write those of the last row, with atomic additions.
 */
#ifndef ARMPMU_QEMU_USER_PROTOCOL_H
#define ARMPMU_QEMU_USER_PROTOCOL_H

#include <armpmu/core.h>
#include <armpmu/model.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../classify/sources.h"
#include "call.h"
#include "graph.h"
#include "program.h"

#define APMU_PROTOCOL_MAGIC UINT32_C(0x554d5041) /* "APMU" */
#define APMU_PROTOCOL_VERSION 7u

#define APMU_SETUP_FILE "setup"
#define APMU_SHAPES_FILE "shapes"
#define APMU_PROCESS_PREFIX "p."
#define APMU_CHIP_PREFIX "c."
#define APMU_THREADS_PREFIX "t."

/* The most threads of a process that have a core at the same time. */
#define APMU_CHIP_THREADS 64u

/** The emulator of one kind of program. */
struct apmu_emulator {
    char path[APMU_PATH];    /**< "" if there is none: such programs are not counted */
    char sysroot[APMU_PATH]; /**< for qemu -L, or "" */
};

/** What the modelled core is told, as bits of a set. */
enum apmu_tell {
    APMU_TELL_BLOCKS = 1,   /**< fetches and instructions */
    APMU_TELL_BRANCHES = 2, /**< with APMU_TELL_BLOCKS */
    APMU_TELL_ACCESSES = 4,
};

/* The most events of a modelled core that are recorded by instruction. */
#define APMU_CORE_RECORDED 32u

/** The modelled core. */
struct apmu_modelled {
    uint32_t tells;            /**< a set of enum apmu_tell; 0: no core is modelled */
    uint32_t parts;            /**< a set of enum apmu_core_part */
    struct apmu_core_row row;  /**< all zeros: no core is chosen */
    uint32_t events;           /**< that are recorded by instruction; 0: none */
    uint16_t event[APMU_CORE_RECORDED]; /**< their numbers */
    uint64_t period;           /**< a sample is taken after so many of an event; 0: see frequency */
    uint64_t frequency;        /**< samples are taken so many times in a second; 0, and no period: all is counted */
    uint64_t clock;            /**< with it: cycles in a second */
    uint16_t cycles;           /**< with it: the number of the event that counts cycles */
};

/*
 * Options of the emulator in a deterministic run.  -seed is that of AT_RANDOM and of the instruction RNDR.  -R is the
 * size of the program's address space, in which addresses depend on nothing of the host; 32-bit programs have 4 GB.
 */
#define APMU_STILL_SEED "1"
#define APMU_STILL_SPACE "0x8000000000"

/** The file setup. */
struct apmu_setup {
    uint32_t magic, version;
    uint64_t outcomes;      /**< set of 1 << enum apmu_source: the outcome sources to count */
    uint32_t record;        /**< 1 if the file code is there */
    uint32_t deterministic; /**< 1 if what differs between two runs is held still */
    uint32_t el0;           /**< 1 if the program sees a PMU at EL0: el0_pmu */
    struct apmu el0_pmu;    /**< the PMU that each thread begins with a copy of */
    struct apmu_modelled core;
    struct apmu_graphed graph;
    char plugin[APMU_PATH]; /**< the plugin's path */
    char shim[APMU_PATH];   /**< the shim's path, or "" */
    struct apmu_emulator emulator[APMU_PROGRAM_KINDS];
};

/*
 * Shapes have ids below APMU_SHAPES.  Those below APMU_BLOCK_SHAPES are for any vector.  The others are for single
 * instructions, of which there are few kinds: a block for which no id is left is counted instruction by instruction.
 */
#define APMU_SHAPES (UINT32_C(1) << 17)
#define APMU_BLOCK_SHAPES (APMU_SHAPES - 2048)
#define APMU_SHAPE_SLOTS (APMU_SHAPES * 2)

/* The elements of a shape: sources, and behind them the events of the modelled core that are recorded. */
#define APMU_SHAPE_ELEMENTS ((uint32_t)APMU_SOURCE_COUNT + APMU_CORE_RECORDED)

/*
 * Counters.  Each block that is translated has one of its own, so blocks that follow each other add to different
 * memory: additions to one place would wait for each other.  The table finds a block by its address and its shape, so
 * the same code has the same counter whenever it is translated, and in each process.  Counters of blocks have the
 * numbers from APMU_SHAPES on.  The numbers below are those of the shapes: for single instructions, and for blocks
 * beyond APMU_BLOCKS.
 */
#define APMU_BLOCKS (UINT32_C(1) << 18)
#define APMU_COUNTER_NUMBERS (APMU_SHAPES + APMU_BLOCKS)
#define APMU_BLOCK_SLOTS (APMU_BLOCKS * 2)

/** A block of the program's code. */
struct apmu_block {
    uint64_t address; /**< of its first instruction, in the program */
    uint64_t shape;   /**< the id of its shape + 1; 0 until the block is complete */
};

struct apmu_shapes_head {
    uint32_t magic, version;
    uint32_t sources;       /**< APMU_SOURCE_COUNT of the tool that made the file */
    uint32_t blocks, insns; /**< ids handed out below APMU_BLOCK_SHAPES, and from there on; atomic */
    uint32_t counters;      /**< counters of blocks handed out; atomic */
    uint32_t images;        /**< images published so far, by which the tool notices that a file is gone; atomic */
    uint32_t lost;          /**< 0, or the errno that says why counts were lost; atomic */
};

/** The file shapes. */
struct apmu_shapes {
    struct apmu_shapes_head head;
    uint32_t slot[APMU_SHAPE_SLOTS];      /**< hash table: id + 1, or 0; set once the vector is complete */
    uint32_t block_slot[APMU_BLOCK_SLOTS]; /**< hash table of blocks (blocks.c); set once the block is complete */
    uint16_t vector[APMU_SHAPES][APMU_SHAPE_ELEMENTS];
    _Alignas(4096) struct apmu_block block[APMU_BLOCKS];
};

/*
 * Counters come in rows, one for each vCPU.  All further vCPUs share the last row, with atomic additions.  A tile
 * is a page of counters; the rows of one tile follow each other.  So threads with rows of their own write to different
 * pages, and the counter of the same number in the next row is always one page further on.
 */
#define APMU_ROWS 65u
#define APMU_TILE 512u

/** The states of an image; plugin/image.c draws them. */
enum apmu_image_state {
    APMU_IMAGE_RUNS = 1, /**< it runs, or was killed */
    APMU_IMAGE_EXITED,
    APMU_IMAGE_REPLACED, /**< by exec of a program that is counted */
    APMU_IMAGE_NATIVE,   /**< by exec of a program that is not counted */
};

/** How an image began: the tool started it, fork copied it, exec replaced another one by it. */
enum apmu_image_origin { APMU_ORIGIN_START = 1, APMU_ORIGIN_FORK, APMU_ORIGIN_EXEC };

/** Bits of apmu_image_head.notes: what the totals do not cover, or why a program failed. */
enum apmu_note {
    APMU_NOTE_OWN_SIGILL = 1u << 0,   /**< the program installed its own handler for SIGILL over the shim's */
    APMU_NOTE_NO_SHIM = 1u << 1,      /**< a PMU was given, but the shim did not announce itself */
    APMU_NOTE_LOST_CHILD = 1u << 2,   /**< a child could not make its file */
    APMU_NOTE_USERENR = 1u << 3,      /**< MRS of PMUSERENR_EL0, which the emulator answers with 0 */
    APMU_NOTE_GAINS = 1u << 4,        /**< exec of a program that the kernel would give privileges */
    APMU_NOTE_FAULT = 1u << 5,        /**< a block that faulted was counted whole */
    APMU_NOTE_NO_CORE = 1u << 6,      /**< threads ran without a core: more than APMU_CHIP_THREADS at once */
    /* What a run that is to be deterministic cannot hold still. */
    APMU_NOTE_LOOSE_COUNTER = 1u << 16, /**< a read of the generic timer's counter */
    APMU_NOTE_LOOSE_TIMES = 1u << 17,   /**< the value that times() returns */
    APMU_NOTE_LOOSE_TIMER = 1u << 18,   /**< a timer that sends a signal */
    APMU_NOTE_LOOSE_FOLDER = 1u << 19,  /**< the order of a folder's files */
    APMU_NOTE_LOOSE_PIPE = 1u << 20,    /**< how much a read of a pipe or socket gives */
};

/** The thread of a row. */
struct apmu_image_thread {
    int32_t tid;      /**< of the first; 0: not known */
    uint32_t threads; /**< how many the row has counted, as far as they made a system call */
    char name[16];    /**< "": none but the program's */
};

struct apmu_image_head {
    uint32_t magic, version; /**< magic is written last, when the image is published */
    uint32_t state, origin;
    int32_t pid;
    uint32_t threads;       /**< threads that began */
    uint32_t rows;          /**< rows of counters in use: 1 more than the highest */
    uint32_t longest_block; /**< the length of the longest block, in instructions */
    uint32_t precise;       /**< 1 if blocks are counted in segments that end where an instruction may fault */
    uint32_t notes;         /**< set of enum apmu_note */
    uint32_t interface;     /**< the emulator's plugin interface */
    uint32_t trapped;       /**< instructions that accessed the PMU and were not emulated */
    uint32_t trap_word;     /**< the encoding of the last of them */
    uint32_t trap_a32;      /**< 1 if it is an instruction of A32 or T32 */
    uint64_t trap_pc;       /**< its address */
    uint32_t trap_refused;  /**< 1 if the PMU refused it */
    char trap_control[48];  /**< the control that decided so: "PMUSERENR_EL0.EN" */
    uint32_t chip;          /**< 1 more than the N of the file c.PID.N; 0: there is none */
    uint32_t cores;         /**< the cores of that chip that were in use */
    uint32_t graph;         /**< 1 more than the N of the file g.PID.N; 0: there is none */
    uint32_t not_counted;   /**< execs of programs that are not counted */
    char not_counted_path[256]; /**< the last of them, and why */
    char not_counted_why[64];
    uint32_t number;        /**< the N of its file's name */
    int32_t parent_pid;     /**< the image that forked this one or became it: its process, and its number; 0: none */
    uint32_t parent_number;
    uint32_t a32;           /**< 1 if it is a 32-bit program */
    uint64_t start_ns;      /**< when it began, by CLOCK_MONOTONIC */
    char name[64];          /**< the last part of the program's path */
    char command[1024];     /**< its arguments with blanks between, cut where they are longer */
    struct apmu_image_thread thread[APMU_ROWS]; /**< set if the run is recorded */
};

/** A thread in the file t.PID.N, followed by @count struct apmu_ended_count. */
struct apmu_ended_thread {
    uint32_t magic;
    int32_t tid;
    uint32_t row, count;
    char name[16];
};

/** What a thread added to the counter @number of its row. */
struct apmu_ended_count {
    uint32_t number, zero;
    uint64_t times;
};
#define APMU_THREADS_BYTES ((size_t)64 << 20) /* a file that is larger does not grow: threads share rows then */

/** A file p.PID.N. */
struct apmu_image {
    struct apmu_image_head head;
    struct apmu pmu[APMU_ROWS]; /**< what EL0 sees if setup.el0 is set: each vCPU is a PE with a PMU */
    /** The counters, by tile, row and place in the tile; see apmu_counter(). */
    _Alignas(4096) uint64_t counter[APMU_COUNTER_NUMBERS / APMU_TILE][APMU_ROWS][APMU_TILE];
};

/** Returns whether the core of @row executes programs of @kind: AArch64 or AArch32. */
static inline bool apmu_core_executes(const struct apmu_core_row *row, enum apmu_program_kind kind)
{
    const uint32_t states = row->value[APMU_CORE_KEY_STATES];

    return states == APMU_CORE_BOTH || (states == APMU_CORE_AARCH64) == (kind == APMU_PROGRAM_AARCH64);
}

/** Returns @n, or @limit if @n is larger: numbers in shared files may be wrong. */
static inline uint32_t apmu_at_most(uint32_t n, uint32_t limit)
{
    return n < limit ? n : limit;
}

/** Returns the offset in an image, in bytes, of the counter @number of @row. */
static inline size_t apmu_counter(uint32_t row, uint32_t number)
{
    return offsetof(struct apmu_image, counter) +
           (((size_t)(number / APMU_TILE) * APMU_ROWS + row) * APMU_TILE + number % APMU_TILE) * sizeof(uint64_t);
}

/**
 * Writes into @buf, of @size bytes, the argument of qemu's -plugin that loads the file @plugin with the shared files in
 * @dir.  Returns its length, which is @size or more if @buf is too small.
 */
size_t apmu_plugin_option(char *buf, size_t size, const char *plugin, const char *dir);

/**
 * Makes the file @fd @size bytes long.  Returns false and sets errno if that fails.  If a limit on the size of
 * files forbids it, errno is EFBIG and no SIGXFSZ is delivered.
 */
bool apmu_file_resize(int fd, size_t size);

#endif
