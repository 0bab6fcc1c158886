/* SPDX-License-Identifier: BSD-2-Clause */
/* The sources of events that the emulator's engine counts, and how far their counts can be trusted. */
#ifndef ARMPMU_CLI_EMULATOR_H
#define ARMPMU_CLI_EMULATOR_H

#include "../../qemu/classify/sources.h" /* enum apmu_source, apmu_source_info */

/** Returns "exact", "retired" or "modelled". */
const char *emulator_trust_word(enum apmu_trust trust);

#endif
