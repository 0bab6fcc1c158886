/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conformance images: bare-metal programs that do to a PMU what the stimulus of bind/tb/ chooses, with the answers of
 * the model.  image_write() prints the source of one, a single file.
 *
 * An image executes at the highest Exception level that it is for and enters the others from there.  Its rows come in
 * scenes, each of which begins with all registers at known values.  In a scene of software increments the counters
 * count SW_INCR, which only a row causes, so that they may stay enabled; in a scene of counts PMCR_EL0.E is 0 except
 * around a loop.  So every count follows from the rows, whatever else the program executes.
 *
 * Two units answer each row (answer.c): they differ in all that the architecture leaves open, in signals that no
 * software sees, and in what happens while counters are started and stopped.  A row is checked as far as they agree, so
 * that every correct implementation passes.
 */
#ifndef ARMPMU_BIND_IMAGE_H
#define ARMPMU_BIND_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum image_console { IMAGE_SEMIHOSTING, IMAGE_PL011, IMAGE_MEMORY };

/* The Execution states: AArch64; that, and AArch32 at EL0, too; or AArch32 at all Exception levels. */
enum image_isa { IMAGE_A64, IMAGE_A64_A32, IMAGE_A32 };

struct image_options {
    uint64_t features;  /* a closed set of APMU_FEAT(x) */
    unsigned counters;  /* event counters */
    unsigned el;        /* the Exception level at which the image starts, 1 to 3 */
    unsigned long length; /* rows that are checked, about; 0: the image only prints the ID registers */
    uint64_t seed;
    enum image_console console;
    uint64_t uart;      /* of IMAGE_PL011: the address */
    enum image_isa isa; /* the features have the levels of these states */
};

/* What an image has. */
struct image_summary {
    unsigned long rows, scenes; /* rows that are checked */
    uint64_t reached;           /* the reasons that alone stopped a counter whose event occurred, as APMU_WHY(x) */
    uint64_t reachable;         /* those that can hold */
};

/* Returns @features with the Exception levels up to @el in the states @isa, and without what other levels require. */
uint64_t image_features(uint64_t features, unsigned el, enum image_isa isa);

/*
 * Prints the source of the image that @options describe.  Fills *@summary, which may be NULL.  Returns NULL, or what is
 * wrong: with the options, which @fault then has, or that there is no memory.
 */
const char *image_write(FILE *out, const struct image_options *options, struct image_summary *summary,
                        char fault[256]);

#endif
