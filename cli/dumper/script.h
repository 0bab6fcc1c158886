/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the scripts for debuggers share: guards around commands that read and print. */
#ifndef ARMPMU_CLI_DUMPER_SCRIPT_H
#define ARMPMU_CLI_DUMPER_SCRIPT_H

#include "dumper.h"

/** How a script says things. */
struct dumper_script {
    struct dumper_language language;
    const char *begin_if, *end_if, *close; /* around a condition, and after the statements that depend on it */
    bool dense;                            /* conditions have no blanks */
    /* Writes a statement that reads copy @n and prints it; an ID register is assigned to v_NAME too. */
    void (*show)(FILE *out, const struct dumper_plan *plan, const struct dumper_read *read, unsigned n);
    /* Writes a statement that does so if the number of event counters is above @n. */
    void (*show_copy)(FILE *out, const struct dumper_plan *plan, const struct dumper_read *read, unsigned n);
};

/** Writes the definitions of the features. */
void script_write_features(FILE *out, const struct dumper_plan *plan, const struct dumper_script *script);

/** Writes the beginning of commands that depend on the guard of @read.  Returns false if it needs none. */
bool script_begin_guard(FILE *out, const struct dumper_plan *plan, const struct dumper_script *script,
                        const struct dumper_read *read);

/** Writes the condition that MIDR is that of an ARM11. */
void script_write_arm11(FILE *out, const struct dumper_script *script);

/** Writes the reads of a moment.  Neighbours with the same guard share it. */
void script_write_shows(FILE *out, const struct dumper_plan *plan, const struct dumper_script *script,
                        enum dumper_moment moment);

/** Writes the comment at the head of a script.  NULL ends @lines. */
void script_write_head(FILE *out, const struct dumper_request *request, const char *comment, const char *const *lines);

/** Removes the read of @reg from the plan. */
void script_leave_out(struct dumper_plan *plan, enum apmu_reg reg);

#endif
