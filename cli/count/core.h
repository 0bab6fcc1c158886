/* SPDX-License-Identifier: BSD-2-Clause */
/* The core that `armpmu stat --core` models, and what can be said of its counts. */
#ifndef ARMPMU_CLI_COUNT_CORE_H
#define ARMPMU_CLI_COUNT_CORE_H

#include <armpmu/core.h>

#include "../cli.h"
#include "select.h"

/**
 * Fills *@row with the core called @name, in any case and with or without "cortex-" or "neoverse-" before it.  Returns
 * CLI_YES, or CLI_USAGE after a complaint that names the nearest ones.
 */
int core_by_name(const struct cli_verb *verb, const char *name, struct apmu_core_row *row);

/** Does what core_by_name() does, but returns false without a complaint if there is no such row. */
bool core_find(const char *name, struct apmu_core_row *row);

/**
 * Has @s count with a model of the core @name, or of that in the file @name if @is_file; the row goes to @row, which
 * lasts as long as @s.  Returns CLI_YES, or CLI_USAGE or CLI_CANNOT after a complaint.
 */
int core_choose(const struct cli_verb *verb, const char *name, bool is_file, struct selection *s,
                struct apmu_core_row *row);

/** Fills *@row from the core file @path.  Returns CLI_YES, or CLI_USAGE or CLI_CANNOT after a complaint. */
int core_by_file(const struct cli_verb *verb, const char *path, struct apmu_core_row *row);

/** Returns whether @row, which may be NULL, has the events of ARM11's own unit in place of common ones. */
bool core_is_arm11(const struct apmu_core_row *row);

/**
 * Returns the number of the event that @text names, or is in hexadecimal, as <armpmu/events.h> parses it: of the unit
 * of @row, or a common one if that is NULL.  Returns a negative number if there is none.
 */
int core_event_number(const struct apmu_core_row *row, const char *text);

/** Returns the name of event @number, which is one of core_event_number()'s. */
const char *core_event_name(const struct apmu_core_row *row, uint16_t number);

/** Returns what the counts of event @number, which @row models, leave out or rest on, a constant. */
const char *core_leaves_out(const struct apmu_core_row *row, uint16_t number);

#endif
