/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares a table with one that was saved before.  What is lost are tests, events of which no test counts anything any
 * more, intents that were met, and counts that fell.
 */
#ifndef ARMPMU_CLI_COVERAGE_CHANGE_H
#define ARMPMU_CLI_COVERAGE_CHANGE_H

#include "intents.h"

/** What differs. */
enum coverage_change_kind {
    CHANGE_TEST_LOST,
    CHANGE_TEST_FAILS,
    CHANGE_EVENT_LOST,     /**< tests reached it, and none does */
    CHANGE_INTENT_MISSED,  /**< it was met */
    CHANGE_NOT_REACHED,    /**< a test reached the event, and does not; other tests do */
    CHANGE_COUNT_FELL,     /**< by more than the tolerance */
    CHANGE_LOSSES,         /**< kinds before this one are losses */
    CHANGE_EVENT_APART = CHANGE_LOSSES, /**< it is not counted any more, or its count means something else */
    CHANGE_TEST_NEW,
    CHANGE_EVENT_NEW,      /**< no test reached it, and one does */
    CHANGE_INTENT_MET,     /**< it was not met */
    CHANGE_KINDS
};

/** A difference.  Its texts belong to the two tables and the intents. */
struct coverage_change {
    enum coverage_change_kind kind;
    const char *test, *event, *intent; /**< "": it is not about one; of an event's kinds the test that counts most */
    const char *cause;                 /**< why a test fails, or what is to know of it; may be "" */
    double before, now;                /**< counts, or negative; of an event's kinds, how many tests reach it */
};

/** What --save wrote. */
struct coverage_saved {
    const char *path;
    struct coverage_table table;
    struct coverage_outcome {
        char *test, *intent;
        bool met;
    } *outcomes; /* by test and intent, in the order of strcmp() */
    size_t outcome_count;
};

struct coverage_changes {
    struct coverage_change *list; /**< by kind; of counts that fell, those that fell most come first */
    size_t count, room;
    size_t tally[CHANGE_KINDS];
    bool apart;  /**< no event and test is in both, so that nothing was compared */
};

/** Reads the file @path.  Returns CLI_YES, or CLI_CANNOT after a complaint. */
int coverage_read_saved(struct coverage_saved *s, const struct cli_verb *verb, const char *path);

/** Takes @size bytes of @text; @path is for complaints.  Returns as coverage_read_saved() does. */
int coverage_parse_saved(struct coverage_saved *s, const struct cli_verb *verb, const char *path, const char *text,
                         size_t size);

void coverage_saved_free(struct coverage_saved *s);

/**
 * Compares @now and its judged intents @in with @before, which all stay valid until changes_free().  A count fell if
 * more than @tolerance of it is gone, a part from 0 to 1.
 */
void changes_find(struct coverage_changes *c, struct coverage_saved *before, const struct coverage_table *now,
                  const struct intents *in, double tolerance);

/** Returns how many of the changes are losses. */
size_t changes_losses(const struct coverage_changes *c);

/** Returns what a change of @kind is: "test lost". */
const char *changes_word(enum coverage_change_kind kind);

void changes_free(struct coverage_changes *c);

#endif
