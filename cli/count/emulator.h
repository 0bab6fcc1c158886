/* SPDX-License-Identifier: BSD-2-Clause */
/* The words for how far a count of engine qemu-user can be trusted, which `armpmu list` prints too. */
#ifndef ARMPMU_CLI_EMULATOR_H
#define ARMPMU_CLI_EMULATOR_H

#include "../../qemu/classify/sources.h" /* enum apmu_source, apmu_source_info */

/** Returns the word for @trust: "exact", "retired" or "modelled". */
const char *emulator_trust_word(enum apmu_trust trust);

#endif
