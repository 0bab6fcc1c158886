/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a profile in the formats of other tools: `armpmu report --to FORMAT`.  A format is a row of the table in to.c
 * and a file to_NAME.c with the function that writes it.
 *
 *      recording, profile  -->  to_tree.h: frames, stacks, samples  -->  to_NAME.c  -->  to_out.h  -->  a file
 */
#ifndef ARMPMU_CLI_TO_H
#define ARMPMU_CLI_TO_H

#include <stdio.h>

#include "profile.h"

struct to_out;

struct to_options {
    const uint32_t *events; /**< write these events of the recording only */
    size_t event_count;     /**< 0: all of them */
};

struct to_format {
    const char *name;   /**< the argument of --to */
    const char *opens;  /**< the tools that open it, and how */
    bool binary;        /**< it is nothing for a terminal */
    bool one_event;     /**< a file holds one event */
    /** Writes @p to @out.  What fails is noted in @out. */
    void (*write)(struct to_out *out, struct profile *p, const struct to_options *options);
};

/** Returns the format called @name, or NULL. */
const struct to_format *to_format(const char *name);

/** Prints the formats with the tools that open them. */
void to_print_formats(FILE *out);

/**
 * Writes @p in a format to the file @path, or to stdout if @path is "-".  Returns false and fills @no if that fails;
 * then no part of the file is left.
 */
bool to_write(const struct to_format *format, struct profile *p, const struct to_options *options, const char *path,
              struct recording_refusal *no);

#endif
