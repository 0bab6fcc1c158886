/* SPDX-License-Identifier: BSD-2-Clause */
/* Which registers a target of the GDB protocol has: its description in XML. */
#ifndef ARMPMU_CLI_STATE_TARGET_H
#define ARMPMU_CLI_STATE_TARGET_H

#include "names.h"
#include "rsp.h"

#define TARGET_REGISTERS 1024 /* with a name that we know; a PE has fewer */

struct target_register {
    unsigned number;           /**< of the p packet */
    char name[NAMES_LENGTH];
    struct names_place place;
};

struct target_description {
    unsigned count;
    unsigned seen;             /**< registers of any name */
    struct target_register registers[TARGET_REGISTERS];
};

/** Asks for target.xml and what it includes.  Other than RSP_OK: *why says what was wrong, in constant words. */
enum rsp_result target_read(struct rsp *r, struct target_description *t, const char **why);

#endif
