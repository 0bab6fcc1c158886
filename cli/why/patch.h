/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the cure of the first cause of an input as lines of its language. */
#ifndef ARMPMU_CLI_WHY_PATCH_H
#define ARMPMU_CLI_WHY_PATCH_H

#include "rules.h"

/**
 * Prints the cure of what @in shows in @form: where the input is code, with the place where it belongs.  Returns an
 * exit status: CLI_NO if the cure is no write of a register.
 */
int why_patch(const struct rules_input *in, const struct cure_form *form);

/**
 * Returns true if the first cause of a dump has a cure of its own, and not one that why_cure() computes: the counters
 * count, but not what they should.
 */
bool why_patches(const struct rules_input *in);

#endif
