/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intents: what tests are meant to reach.  A file of them has lines such as
 *
 *      # tests: conditions
 *      evict_*: L1D_CACHE_REFILL >= 10K, BR_MIS_PRED_RETIRED / BR_RETIRED < 5%
 *      alu_? simd_*: INST_RETIRED > 1M
 *
 * The names of tests, in which * stands for any characters and ? for one, end with a colon and a blank.  A condition
 * compares two formulas (<armpmu/metrics.h>).
 */
#ifndef ARMPMU_CLI_COVERAGE_INTENTS_H
#define ARMPMU_CLI_COVERAGE_INTENTS_H

#include <armpmu/metrics.h>

#include "table.h"

enum intent_sign { INTENT_LESS, INTENT_AT_MOST, INTENT_MORE, INTENT_AT_LEAST, INTENT_EQUAL, INTENT_UNEQUAL };

/** A condition of a line. */
struct intent {
    unsigned line;
    char *tests; /**< the names, with blanks between */
    char *text;  /**< the condition as it is written */
    struct apmu_formula left, right;
    enum intent_sign sign;
};

enum intent_outcome {
    INTENT_MET,
    INTENT_MISSED,
    INTENT_UNDECIDED, /**< no test has such a name, or a count is lacking; then it is not met either */
};

/** What came of an intent in a test. */
struct intent_verdict {
    size_t intent, test; /**< indices; t->test_count: no test has the name */
    const char *name;    /**< of the test; or the one of intent.tests that no test has */
    enum intent_outcome outcome;
    double left, right;  /**< the values of both sides, unless it is undecided */
    const char *cause;   /**< why it is undecided; "": it is decided.  A constant, or a text of the table */
};

struct intents {
    const char *path;
    struct intent *list;
    size_t count;
    struct intent_verdict *verdicts; /**< after intents_judge() */
    size_t verdict_count, verdict_room;
    char **unmatched;    /**< the names that no test has */
    size_t unmatched_count;
    size_t tally[INTENT_UNDECIDED + 1];
};

/** Reads the file @path.  Returns CLI_YES; CLI_USAGE after a complaint that names line and column; or CLI_CANNOT. */
int intents_read(struct intents *in, const struct cli_verb *verb, const char *path);

/** Takes @size bytes of @text; @path is for complaints, and stays valid as long as @in.  Returns as intents_read(). */
int intents_parse(struct intents *in, const struct cli_verb *verb, const char *path, const char *text, size_t size);

/** Judges each intent in each of its tests.  Returns CLI_YES, or CLI_CANNOT after a complaint if these are too many. */
int intents_judge(struct intents *in, const struct cli_verb *verb, const struct coverage_table *t);

/** Returns the word for @outcome: "met", "missed" or "undecided". */
const char *intents_word(enum intent_outcome outcome);

void intents_free(struct intents *in);

#endif
