/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the report of a run on the system emulator. */
#ifndef ARMPMU_CLI_RUN_REPORT_H
#define ARMPMU_CLI_RUN_REPORT_H

#include "cli.h"

/**
 * Prints the report that the emulator wrote to the file @name: for each counter its value, the cycles in which it
 * counted, the cycles in which it stood still, and why.  Returns CLI_YES; CLI_NO, after a complaint, if the report has
 * another version; or CLI_CANNOT, without a complaint, if there is no report or no CPU executed anything.
 */
int run_report_print(const struct cli_verb *verb, FILE *out, const char *name);

/**
 * Writes the counters of the report in the file @name to the file @path as JSON: {"format": "armpmu-run", "version": 1,
 * "counters": [{"cpu", "instructions", "counter", "event", "value", "counted", "still", "mark"}, ...]}; the mark is
 * "silent", "modelled:NAME" or "".  Returns CLI_YES, or CLI_CANNOT after a complaint.
 */
int run_report_save(const struct cli_verb *verb, const char *name, const char *path);

/** Returns what reason @bit of the set of reasons of a PMUv3, or of the unit of ARM11, says; NULL: there is none. */
const char *run_report_reason(bool arm11, unsigned bit);

#endif
