/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests and what each of them counted: the table that `armpmu coverage` is about.
 *
 *      rows.c: results of stat and run --jobs --.
 *      saved.c: what --save wrote  --------------+--> table.c --> rank.c: what each test adds
 *                                                        |------> intents.c: what tests are meant to reach
 *                                                        |------> change.c: what differs from an earlier table
 *                                                        `------> print.c, document.c: text, JSON and page
 */
#ifndef ARMPMU_CLI_COVERAGE_TABLE_H
#define ARMPMU_CLI_COVERAGE_TABLE_H

#include <jansson.h>

#include "../cli.h"

/** An event.  Counts of one name that mean different things, by their marks, are different events. */
struct coverage_event {
    char *name, *trust, *mark;
    const char *group; /**< what it is about, a constant: "branches" */
    /* After coverage_add_up(): */
    size_t tests;       /**< that reach it */
    double sum;         /**< over all tests; negative: no test counted it */
    size_t most, least; /**< indices of the tests that counted most and least of it */
};

/** A test. */
struct coverage_test {
    char *name;
    char *cause;    /**< why it failed; "": it did not.  A test that failed has no counts */
    double *counts; /**< by the index of the event; negative: not counted */
    size_t count;   /**< of counts; later events are not counted */
};

struct coverage_table {
    struct coverage_event *events;
    struct coverage_test *tests;
    size_t event_count, test_count, event_room, test_room;
    size_t cells;    /**< counts of all tests, which are limited */
    size_t *by_name; /**< indices of tests in the order of their names, after coverage_sort() */
    double reached;  /**< a test reaches an event of which it counts at least so many */
    char *minus;     /**< the name of the test whose counts were subtracted from all others; NULL: none was */
};

#define COVERAGE_EVENTS 4096u    /* the most events of a table */
#define COVERAGE_TESTS  1000000u /* the most tests of a table */

/**
 * Returns the index of the event with this name and mark, which is added if it is new; SIZE_MAX if there are too many.
 * @hint is where it may be.
 */
size_t coverage_event(struct coverage_table *t, const char *name, const char *trust, const char *mark, size_t hint);

/** Returns whether @text has no control characters. */
bool coverage_is_plain(const char *text);

/**
 * Adds a test, which @t owns, without counts; control characters of its texts become "?".  The pointer holds until the
 * next one is added.  Returns NULL if there are too many.
 */
struct coverage_test *coverage_add_test(struct coverage_table *t, const char *name, const char *cause);

/**
 * Stores that @test, the last one, counted @count of event @event.  Returns false if there are too many counts, or the
 * event is SIZE_MAX.
 */
bool coverage_store(struct coverage_table *t, struct coverage_test *test, size_t event, double count);

/** Returns what test @test counted of event @event; negative: it did not count it. */
double coverage_count(const struct coverage_table *t, size_t test, size_t event);

/** Returns whether test @test reaches event @event. */
bool coverage_reaches(const struct coverage_table *t, size_t test, size_t event);

/** Sorts the names of the tests.  Returns a name that two tests have, or NULL. */
const char *coverage_sort(struct coverage_table *t);

/** Returns the index of the test called @name, after coverage_sort(); t->test_count: there is none. */
size_t coverage_find(const struct coverage_table *t, const char *name);

/**
 * Subtracts what the test called @name counts from each other test, at most until 0 is left, and removes it.  Its name
 * is then t->minus.  To be called after coverage_sort(), and sorts again.  Returns NULL, or why it cannot, a constant.
 */
const char *coverage_subtract(struct coverage_table *t, const char *name);

/** Computes the sums of all events. */
void coverage_add_up(struct coverage_table *t);

void coverage_free(struct coverage_table *t);

/* rows.c */

/**
 * Adds the test of @row, a line of the results of stat or run --jobs.  Returns NULL, or what is wrong with the row, a
 * constant.
 */
const char *coverage_add_row(struct coverage_table *t, json_t *row);

/** Adds the tests of the lines of the file @path.  Returns CLI_YES, or CLI_CANNOT after a complaint. */
int coverage_read_rows(struct coverage_table *t, const struct cli_verb *verb, const char *path);

/** Adds the tests of the lines in @size bytes of @text; @name is what a complaint calls them.  Returns as above. */
int coverage_parse_rows(struct coverage_table *t, const struct cli_verb *verb, const char *name, const char *text,
                        size_t size);

/** Reads the file @path, of which the caller frees the text.  Returns NULL after a complaint. */
char *coverage_read_file(const struct cli_verb *verb, const char *path, const char *what, size_t *size);

#endif
