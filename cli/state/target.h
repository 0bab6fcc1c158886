/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a GDB target's description of its registers, which is XML. */
#ifndef ARMPMU_CLI_STATE_TARGET_H
#define ARMPMU_CLI_STATE_TARGET_H

#include "names.h"
#include "rsp.h"

#define TARGET_REGISTERS 1024 /* registers with known names; a PE has fewer */

struct target_register {
    unsigned number;           /**< for rsp_register() */
    char name[NAMES_LENGTH];
    struct names_place place;
};

struct target_description {
    unsigned count;            /**< registers with known names, in .registers */
    struct target_register registers[TARGET_REGISTERS];
};

/**
 * Reads target.xml and the documents it includes.  If it fails, *@why is a constant string that says what was wrong, or
 * "" if the result says it all.
 */
enum rsp_result target_read(struct rsp *r, struct target_description *t, const char **why);

#endif
