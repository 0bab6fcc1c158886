/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the loops of `armpmu doctor`: what they contain (loops.def), and how to run them (loops.c). */
#ifndef ARMPMU_CLI_DOCTOR_LOOPS_H
#define ARMPMU_CLI_DOCTOR_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

enum doctor_content {
#define DOCTOR_CONTENT(id, text) DOCTOR_HAS_##id,
#include "loops.def"
    DOCTOR_CONTENTS
};

enum doctor_loop {
#define DOCTOR_LOOP(id, iterations, text, ...) DOCTOR_RUN_##id,
#include "loops.def"
    DOCTOR_LOOPS
};

/** A row of loops.def. */
struct doctor_loop_info {
    const char *name;
    const char *text;
    unsigned iterations;                 /**< of the shorter run; the longer one has twice as many */
    unsigned contents[DOCTOR_CONTENTS];  /**< how often an iteration has each enum doctor_content */
};

extern const struct doctor_loop_info doctor_loops[DOCTOR_LOOPS];
extern const char *const doctor_content_texts[DOCTOR_CONTENTS];

/** The memory in which the loops work, and what they carry from run to run. */
struct doctor_arena {
    unsigned char *line;  /**< memory that every cache holds */
    void *ring, *at;      /**< a small ring of pointers, and where the last run ended */
    void *far_ring, *far_at; /**< a ring larger than most caches */
    unsigned char *fresh; /**< pages that a run gives back to the kernel and touches again */
    size_t fresh_size, page;
    unsigned long random; /**< the state of a sequence that looks random */
};

/** Maps the memory.  Returns false, with nothing mapped, if there is none. */
bool doctor_arena_open(struct doctor_arena *arena);
void doctor_arena_close(struct doctor_arena *arena);
/** Returns whether this build has the instructions of @loop. */
bool doctor_loop_exists(enum doctor_loop loop);
/** Runs @n iterations, at least 1 and at most twice those of its row, of a loop that exists. */
void doctor_loop_run(enum doctor_loop loop, struct doctor_arena *arena, unsigned long n);

#endif
