/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a verb prints a profile: a terminal has a width, colours and a pager; a file or a pipe has none of them.  Cells
 * are texts of a given width.
 */
#ifndef ARMPMU_CLI_TERMINAL_H
#define ARMPMU_CLI_TERMINAL_H

#include <sys/types.h>

#include "../cli.h"

/** What the user chose. */
struct terminal_choice {
    const char *colour; /**< "auto", "always" or "never"; NULL: auto */
    bool no_pager;
};

struct terminal {
    FILE *out;
    unsigned width; /**< of a line; 0: lines are as long as they are */
    bool colour;
    pid_t pager;    /**< 0: there is none */
};

enum terminal_colour {
    TERMINAL_PLAIN,
    TERMINAL_HOT,   /**< most of the cost */
    TERMINAL_WARM,
    TERMINAL_FAINT, /**< what can be skipped */
    TERMINAL_GOOD,  /**< less than before */
};

/** Begins to print.  Returns false after a complaint if @choice is wrong. */
bool terminal_open(struct terminal *t, const struct cli_verb *verb, const struct terminal_choice *choice);

/** Ends printing and waits for the pager.  Returns @status, or CLI_CANNOT after a complaint if a write failed. */
int terminal_close(struct terminal *t, const struct cli_verb *verb, int status);

void terminal_colour(const struct terminal *t, enum terminal_colour colour);

/** Returns the characters of @text as cli_print() prints it. */
size_t terminal_length(const char *text);

/**
 * Prints @text and fills up to @width characters with blanks.  On a terminal a longer text is cut, and ".." stands for
 * the rest, its end, or with @keep_end its beginning.  A width of 0 is that of the text.
 */
void terminal_cell(const struct terminal *t, const char *text, size_t width, bool keep_end);

/** Prints @text at the right of @width characters. */
void terminal_right(const struct terminal *t, const char *text, size_t width);

/** Returns @text as cli_print() prints it, without memory NULL.  The caller frees it. */
char *terminal_printable(const char *text);

#endif
