/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares options that several verbs share: those that read states, and those that decode or encode registers. */
#ifndef ARMPMU_CLI_STATE_READ_H
#define ARMPMU_CLI_STATE_READ_H

#include "state.h"

/**
 * Takes option @i of @args if it is --core, --features or --base, and stores it in @s or @frame.  Returns false for any
 * other option.  If the option's value is wrong, complains and sets *@bad.
 */
bool state_option(const struct cli_args *args, size_t i, struct state *s, struct state_frame *frame, bool *bad);

/**
 * Returns the M-profile core that @value, of --core, means: "Cortex-M4" for itself, "M4" or a board with it.  NULL if
 * it is another core or none.  The list of cores has no M-profile cores, so state_option() complains of them.
 */
const char *state_m_core(const char *value);

/**
 * Reads the file at @path, "-" for stdin, to its end.  Returns its bytes, which the caller frees, and their number in
 * *@length; NULL after it complained.
 */
char *state_read_text(const struct cli_verb *verb, const char *path, size_t *length);

#endif
