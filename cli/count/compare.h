/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares two results of `armpmu stat`, event by event.  Counts are compared only if they mean the same: an event has
 * the same name, trust and mark, so also the same modelled core, and the programs ended alike.
 */
#ifndef ARMPMU_CLI_COMPARE_H
#define ARMPMU_CLI_COMPARE_H

#include "result.h"

#define COMPARE_NOTES 12u

/** The limits of --fail-above, in per cent of the count of the baseline. */
struct limits {
    bool given, has_all;
    double all; /**< for events without a limit of their own, if has_all */
    struct result_limit {
        char name[160];
        double percent;
    } *rows;
    size_t count;
};

enum compare_verdict {
    COMPARE_EQUAL,
    COMPARE_LESS,
    COMPARE_MORE,
    COMPARE_ABOVE, /**< more, and past the limit */
    COMPARE_APART, /**< not compared */
};

/** An event of either result. */
struct compared {
    const char *name;
    enum compare_verdict verdict;
    char why[200];  /**< for COMPARE_APART: the cause */
    double before, now; /**< means; 0 if there is none */
    double limit;   /**< in per cent; negative: none */
};

struct result_comparison {
    const char *path; /**< the file of the baseline */
    const struct result *before, *now;
    char refusal[300]; /**< why nothing is compared; "": something is */
    struct compared *rows;
    size_t count;
    size_t tally[COMPARE_APART + 1]; /**< how many rows have each verdict */
    bool limit_apart; /**< an event with a limit of its own is not compared */
    char notes[COMPARE_NOTES][400]; /**< what else differs */
    size_t note_count;
};

/** Adds the limits of @text, "PERCENT,EVENT=PERCENT,...".  Returns CLI_YES, or CLI_USAGE after a complaint. */
int compare_limits_parse(struct limits *l, const struct cli_verb *verb, const char *text);

/** Returns CLI_YES if each limit is of an event of @s, else CLI_USAGE after a complaint. */
int compare_limits_check(const struct limits *l, const struct cli_verb *verb, const struct selection *s);

void compare_limits_free(struct limits *l);

/** Compares @now with @before, which is that of the file @path.  Both stay valid until compare_free(). */
void compare(struct result_comparison *c, const char *path, const struct result *before, const struct result *now,
             const struct limits *limits);

/**
 * Returns CLI_YES; CLI_NO if an event is past its limit; or CLI_CANNOT if nothing was compared, or not an event with a
 * limit of its own.
 */
int compare_status(const struct result_comparison *c);

/** Returns the difference in per cent; false: there is none, because the count was 0 and is not 0 now. */
bool compare_percent(const struct compared *row, double *percent);

void compare_free(struct result_comparison *c);

/* compare_print.c */
/** Prints @c as text for people. */
void compare_print_text(FILE *out, const struct result_comparison *c);
/** Prints an object of JSON for each event, and one for the whole. */
void compare_print_json(FILE *out, const struct result_comparison *c);
/** Prints @c in Markdown, for a comment on a change. */
void compare_print_markdown(FILE *out, const struct result_comparison *c);

#endif
