/* SPDX-License-Identifier: BSD-2-Clause */
/* The variables that --env adds to the environment of a deterministic run. */
#ifndef ARMPMU_CLI_VARIABLES_H
#define ARMPMU_CLI_VARIABLES_H

#include "../cli.h"

struct variables {
    const char **list; /**< "NAME=VALUE", which NULL ends; NULL: there is none */
    size_t count;
};

/**
 * Adds the variable @text, NAME=VALUE, or NAME with the value that it has here.  Returns CLI_YES, or CLI_USAGE after a
 * complaint.
 */
int variables_add(struct variables *v, const struct cli_verb *verb, const char *text);

void variables_free(struct variables *v);

#endif
