/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the timeline of `armpmu run --to perfetto` from the wave of the run. */
#ifndef ARMPMU_CLI_RUN_TIMELINE_H
#define ARMPMU_CLI_RUN_TIMELINE_H

#include "cli.h"

/**
 * Writes a timeline to the file @path, from the wave that the emulator wrote to the file @wave.  Returns CLI_YES, or
 * CLI_CANNOT after a complaint.
 */
int run_timeline_write(const struct cli_verb *verb, const char *wave, const char *path);

#endif
