/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a GDB target's description of its registers, which is XML. */
#ifndef ARMPMU_CLI_STATE_TARGET_H
#define ARMPMU_CLI_STATE_TARGET_H

#include "names.h"
#include "rsp.h"

#define TARGET_REGISTERS 1024 /* room for registers with known names, more than a PE has */

/* A register that the target describes. */
struct target_register {
    unsigned number;           /**< for rsp_register() */
    char name[NAMES_LENGTH];   /**< as the target spells it */
    struct names_place place;
};

/* The registers that the target describes, as far as their names are known. */
struct target_description {
    unsigned count;            /**< how many are in .registers */
    struct target_register registers[TARGET_REGISTERS];
};

/**
 * Reads target.xml and the documents that it includes into @t.  If it fails, stores in *@why what was wrong, a constant
 * string, or "" if the result says it all.
 */
enum rsp_result target_read(struct rsp *r, struct target_description *t, const char **why);

#endif
