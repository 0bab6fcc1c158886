/* SPDX-License-Identifier: BSD-2-Clause */
/* What the emulator's engine counts, for `armpmu list` too. */
#ifndef ARMPMU_CLI_EMULATOR_H
#define ARMPMU_CLI_EMULATOR_H

#include "../../qemu/classify/sources.h" /* enum apmu_source, apmu_source_info */

/** Returns "exact", "retired" or "modelled". */
const char *emulator_trust_word(enum apmu_trust trust);

#endif
