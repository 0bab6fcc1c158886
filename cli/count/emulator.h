/* SPDX-License-Identifier: BSD-2-Clause */
/* How far a count of engine qemu-user can be trusted, which `armpmu list` prints too. */
#ifndef ARMPMU_CLI_EMULATOR_H
#define ARMPMU_CLI_EMULATOR_H

#include <stdbool.h>

#include <armpmu/core.h>

#include "../../qemu/classify/sources.h" /* enum apmu_source, apmu_source_info */
#include "select.h"

/** Returns the word for @trust: "exact", "retired" or "modelled". */
const char *emulator_trust_word(enum apmu_trust trust);

/**
 * Returns whether the model of @row counts event @number where there is one.  An exact source is preferred, and any
 * source where the model would only sum up what it is told.
 */
bool emulator_is_modelled(const struct apmu_core_row *row, uint16_t number);

/** Returns the set of the outcome sources, 1 << enum apmu_source, that count events of @s. */
uint64_t emulator_outcomes(const struct selection *s);

#endif
