/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that verbs of states share, and the live inputs. */
#ifndef ARMPMU_CLI_STATE_READ_H
#define ARMPMU_CLI_STATE_READ_H

#include "state.h"

/**
 * Takes option @i of @args if it is --core, --features or --base: true.  *bad: it complained of its value.
 */
bool state_option(const struct cli_args *args, size_t i, struct state *s, struct state_frame *frame, bool *bad);

/** The sets of --features.  False: it complained. */
bool state_features_option(const struct cli_verb *verb, const char *list, uint64_t *has, uint64_t *has_not);

#endif
