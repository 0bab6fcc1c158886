/* SPDX-License-Identifier: BSD-2-Clause */
/* Two profiles compared by the names of functions, lines or files. */
#ifndef ARMPMU_CLI_PROFILE_DIFF_H
#define ARMPMU_CLI_PROFILE_DIFF_H

#include "view.h"

/** What is compared: the rows of both profiles that have the same names. */
struct diff_row {
    char *function, *file, *source; /**< "" where it does not apply */
    uint32_t line;
    uint64_t counts[2];  /**< of the event, before and after */
    bool there[2];       /**< it has a count, before and after */
};

struct diff_rows {
    struct diff_row *data;
    size_t count, room;
};

/**
 * Returns the name by which the function @function of @file is found in another recording: without what differs from
 * build to build.  @program is the name of the recording's program, which may have another one there.  The caller frees
 * it; NULL: there is no memory.
 */
char *diff_name(const char *function, const char *file, const char *program);

/**
 * Fills @rows with event @events[0] of @profiles[0] and @events[1] of @profiles[1] by @key: rows that @v chooses and
 * that differ, those that changed most first.  Adds up what it chooses in @sums.  Returns false without memory.
 */
bool diff_compare(struct profile *const profiles[2], const uint32_t events[2], enum profile_key key,
                  const struct view_options *v, struct diff_rows *rows, uint64_t sums[2]);
void diff_free(struct diff_rows *rows);

#endif
