/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests that print "ok NAME" or "not ok NAME: why".  A test is a function that checks conditions with MUST().  The
 * first condition that does not hold is the reason for the failure.  A test that checks no condition fails too.
 */
#ifndef ARMPMU_TEST_TAP_H
#define ARMPMU_TEST_TAP_H

#include <stdbool.h>
#include <stdio.h>

static unsigned long tap_checks; /* the conditions that the running test has checked */
static bool tap_bad;             /* one of them does not hold */
static char tap_why[256];        /* describes the first of these */
static int tap_status;           /* the exit status: 1 after a test has failed */

/* MUST(condition, "format", ...): the message describes what was seen. */
#define MUST(condition, ...) \
    do { \
        tap_checks++; \
        if (!(condition) && !tap_bad) { \
            tap_bad = true; \
            snprintf(tap_why, sizeof tap_why, __VA_ARGS__); \
        } \
    } while (0)

/* MUST_EQ(got, want, "format", ...): compares two unsigned numbers. */
#define MUST_EQ(got, want, ...) \
    do { \
        const unsigned long long got_ = (got), want_ = (want); \
        tap_checks++; \
        if (got_ != want_ && !tap_bad) { \
            const int used_ = snprintf(tap_why, sizeof tap_why, __VA_ARGS__); \
            tap_bad = true; \
            snprintf(tap_why + used_, sizeof tap_why - (size_t)used_, ": got 0x%llx, want 0x%llx", got_, want_); \
        } \
    } while (0)

static inline void tap_begin(void)
{
    tap_checks = 0;
    tap_bad = false;
}

/* Prints the result of the test that tap_begin() began. */
static inline void tap_end(const char *name)
{
    if (!tap_bad && tap_checks != 0) {
        printf("ok %s\n", name);
        return;
    }
    printf("not ok %s: %s\n", name, tap_bad ? tap_why : "it checked nothing");
    tap_status = 1;
}

static inline void tap_run(const char *name, void (*test)(void))
{
    tap_begin();
    test();
    tap_end(name);
}

/* RUN(a_copy_counts) runs the test a_copy_counts() under its own name. */
#define RUN(test) tap_run(#test, test)

#endif
