/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run on the system emulator came to: its report, printed for people. */
#ifndef ARMPMU_CLI_REPORT_H
#define ARMPMU_CLI_REPORT_H

#include "cli.h"

/**
 * Prints the report that the emulator wrote to the file @name: counters, what they counted, and for how long and why
 * they stood still.  CLI_YES, or CLI_CANNOT without a word if nothing was run.
 */
int report_print(FILE *out, const char *name);

#endif
