/* SPDX-License-Identifier: BSD-2-Clause */
/* Rewrites lines of JSON, XML, HTML, GDB/MI and patches as the readers know them. */
#ifndef ARMPMU_CLI_READ_PLAIN_H
#define ARMPMU_CLI_READ_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

#define PLAIN_GROWTH 12 /* characters */

/** What is known of the lines before.  Zero it before the first line of a text. */
struct plain_text {
    bool hunk; /**< the line is within a hunk of a patch */
    unsigned long asked; /**< the address of which the line before reads words; 0: it reads none */
};

/**
 * Rewrites @line, of @length characters and a '\0', in place, if it is in one of these notations.  Lines come in their
 * order.  Returns the new length, which is larger by PLAIN_GROWTH at most.
 */
size_t plain_line(struct plain_text *plain, char *line, size_t length);

#endif
