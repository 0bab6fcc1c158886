/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables and trees that `armpmu report` prints. */
#ifndef ARMPMU_CLI_PROFILE_REPORT_H
#define ARMPMU_CLI_PROFILE_REPORT_H

#include "view.h"

enum report_sort {
    REPORT_SORT_SELF,
    REPORT_SORT_TOTAL,
    REPORT_SORT_NAME,
};

struct report_view {
    struct view_options view;
    const struct cli_verb *verb;
    struct terminal terminal;
    const char *path;       /**< of the recording */
    struct profile *profile;
    enum profile_key key;
    enum report_sort sort;
    bool children; /**< with what each function called */
    bool tree;
    double least;  /**< in per cent: what costs less is left out of the tree */
    uint32_t *events; /**< the events that are printed, in their order; the first one sorts */
    size_t event_count;
    uint64_t *sums;   /**< the sum of each of them */
};

/** Prints the report, and what it leaves out.  Returns false without memory. */
bool report_table(const struct report_view *report);
/** Prints the call tree. */
bool report_tree(const struct report_view *report);

/** The rows of a table that are printed, in their order. */
struct report_rows {
    struct profile_table table;
    size_t *order;
    size_t count;
};

/** Prints rows as fields or as JSON, a line for each row and event, or for each row. */
void report_fields(const struct report_view *report, const struct report_rows *rows);
void report_json(const struct report_view *report, const struct report_rows *rows);
/** Prints the line that says what is shown. */
void report_heading(const struct report_view *report);

#endif
