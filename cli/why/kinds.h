/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what names the PMUs of a machine with two kinds of core. */
#ifndef ARMPMU_CLI_WHY_KINDS_H
#define ARMPMU_CLI_WHY_KINDS_H

#include "rules.h"

#define KINDS 4 /* kinds of core that are named; more are left out */

/** The PMUs of the kinds of core, by the names that Linux gives them: "armv8_cortex_a53". */
struct kinds {
    size_t count;
    char pmus[KINDS][40];
};

/**
 * Finds the PMUs that @r names: those that Linux lists, else those of the cores in its text, else those of its board.
 */
void kinds_find(const struct reading *r, struct kinds *kinds);
/** Appends the PMUs of the machine to cures that are about kinds of core and lack one of them. */
void kinds_complete(const struct reading *r, struct suspects *all);

#endif
