/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what finds the cores of a board or SoC by its name. */
#ifndef ARMPMU_CLI_STATE_BOARDS_H
#define ARMPMU_CLI_STATE_BOARDS_H

#include <stdbool.h>

/**
 * Finds the board or SoC that people call @text: its usual name, and its core, or its kinds of core with " + " between
 * them.  A core may be none of tables/cores.def.  Returns false if there is no such board.
 */
bool state_find_board(const char *text, const char **name, const char **cores);

#endif
