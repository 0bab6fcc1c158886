/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile as most formats want it: a table of frames, a table of call stacks that share their outer parts, and
 * samples that refer to a stack.  In an exact recording a "sample" stands for all occurrences at a place (to_pairs.h),
 * and the sum over the samples is the sum over `code`.
 *
 *      frames:  0 main   1 f   2 g                stacks:  0 (main)   1 (0, f)   2 (1, g)   3 (0, g)
 *      samples: stack 2: INST_RETIRED 70, L1D_CACHE 12 ...
 *
 * A call's frame is the function that called, with the address of the call.  Where code of another symbol runs in a
 * function's frame, the function is a frame of its own, outside the code's, so that its inclusive costs are right.
 */
#ifndef ARMPMU_CLI_TO_TREE_H
#define ARMPMU_CLI_TO_TREE_H

#include "profile.h"

#define TO_NONE UINT32_MAX

/** The most frames of a stack that formats with whole stacks get: half of them innermost ones, half outermost ones. */
enum { TO_DEPTH = 512 };

enum to_detail {
    TO_BY_FUNCTION, /**< a frame is a function */
    TO_BY_ADDRESS,  /**< a frame is an instruction */
};

struct to_frame {
    uint32_t function;  /**< PROFILE_NONE: not known */
    uint32_t file;      /**< of the recording; RECORDING_NONE: not known */
    uint32_t map;       /**< by address; RECORDING_NONE: not known; so for the members below */
    uint32_t code;      /**< a row of `code` with this address; RECORDING_NONE: there is none */
    uint64_t address;   /**< in the program */
    uint64_t offset;    /**< in the file, as its symbol table counts */
    const char *source; /**< "": not known */
    uint32_t line, column; /**< 0: not known */
};

struct to_stack {
    uint32_t caller; /**< the stack without the innermost frame; TO_NONE: there is no other frame */
    uint32_t frame;  /**< the innermost frame */
    uint32_t depth;  /**< how many frames it has */
    uint32_t outer;  /**< the stack of the outermost TO_DEPTH / 2 frames, or of all if it has fewer */
};

struct to_sample {
    uint32_t thread;
    uint32_t stack;
    uint32_t cpu;     /**< RECORDING_NONE: not known */
    uint64_t time_ns; /**< 0 in exact recordings */
};

struct to_tree {
    struct to_frame *frames;
    size_t frame_count;
    struct to_stack *stacks; /**< a caller comes before what it calls */
    size_t stack_count;
    struct to_sample *samples;
    uint64_t *counts; /**< of sample i at counts[i * event_count] */
    size_t sample_count;
};

/**
 * Makes the tree of @p.  With @merge, samples of one thread with the same stack are one.  Returns NULL if there is no
 * memory.  The caller frees it with to_tree_free().
 */
struct to_tree *to_tree_new(const struct profile *p, enum to_detail detail, bool merge);
void to_tree_free(struct to_tree *t);

/**
 * Returns the numbers of the samples ordered by thread, then by time, then as they are; NULL if there is no memory.
 * The caller frees them.
 */
uint32_t *to_tree_by_thread(const struct to_tree *t);

/** Returns the name of function @function, or "[unknown]" for PROFILE_NONE. */
const char *to_function_name(const struct profile *p, uint32_t function);

/** A text of to_label(). */
struct to_label {
    char text[256];
};

/**
 * Returns what function @function is called where its file is not shown beside it: its name or, for the code of a file
 * that no symbol covers, the file, "[libc.so.6]".  The text may be in @label.
 */
const char *to_label(const struct profile *p, uint32_t function, struct to_label *label);

/** Returns the path of file @file, or "[unknown]" for RECORDING_NONE. */
const char *to_file_path(const struct recording *r, uint32_t file);

/** Returns the name of thread @thread: its own, or its image's. */
const char *to_thread_name(const struct recording *r, uint32_t thread);

/**
 * Fills @frames, TO_DEPTH of them, with the frames of @stack, the innermost first, and returns how many there are.  A
 * deeper stack lacks those in its middle.
 */
size_t to_stack_frames(const struct to_tree *t, uint32_t stack, uint32_t *frames);

#endif
