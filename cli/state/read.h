/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that the verbs share which read states. */
#ifndef ARMPMU_CLI_STATE_READ_H
#define ARMPMU_CLI_STATE_READ_H

#include "state.h"

/**
 * Takes option @i of @args if it is --core, --features or --base, and returns false if it is another.  Sets *@bad after
 * it complained of the option's value.
 */
bool state_option(const struct cli_args *args, size_t i, struct state *s, struct state_frame *frame, bool *bad);

/**
 * Parses a --features list: adds the features it gives to *@has and those it excludes to *@has_not, and removes them
 * from the other set.  Returns false after it complained.
 */
bool state_features_option(const struct cli_verb *verb, const char *list, uint64_t *has, uint64_t *has_not);

#endif
