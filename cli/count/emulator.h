/* SPDX-License-Identifier: BSD-2-Clause */
/* How far a count of engine qemu-user can be trusted, which `armpmu list` prints too. */
#ifndef ARMPMU_CLI_EMULATOR_H
#define ARMPMU_CLI_EMULATOR_H

#include <stdbool.h>

#include <armpmu/core.h>

#include "../../qemu/user/host/run.h" /* enum apmu_source, APMU_RUN_CORE_EVENTS */
#include "select.h"

/** Returns the word for @trust: "exact", "retired" or "modelled". */
const char *emulator_trust_word(enum apmu_trust trust);

/**
 * Returns whether the model of @row counts event @number where there is one.  An exact source is preferred, and any
 * source where the model would only sum up what it is told.
 */
bool emulator_is_modelled(const struct apmu_core_row *row, uint16_t number);

/** Fills @events with the events of @s that the modelled core counts, each once.  Returns how many there are. */
size_t emulator_core_events(const struct selection *s, uint16_t events[APMU_RUN_CORE_EVENTS]);

/** Returns the index of @choice in emulator_core_events(), or APMU_RUN_CORE_EVENTS if the core does not count it. */
size_t emulator_core_event(const struct event_choice *choice, const uint16_t *events, size_t count);

/** Returns the set of the outcome sources, 1 << enum apmu_source, that count events of @s. */
uint64_t emulator_outcomes(const struct selection *s);

#endif
