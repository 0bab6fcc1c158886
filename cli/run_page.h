/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the page of `armpmu run --html` from the wave of the run. */
#ifndef ARMPMU_CLI_RUN_PAGE_H
#define ARMPMU_CLI_RUN_PAGE_H

#include "cli.h"

/**
 * Writes the page about the run of @title to the file @page, from the wave that the emulator wrote to the file @wave.
 * Returns CLI_YES, or CLI_CANNOT after a complaint.
 */
int run_page_write(const struct cli_verb *verb, const char *wave, const char *title, const char *page);

#endif
