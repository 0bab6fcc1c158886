/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests that print "ok NAME" or "not ok NAME: why".  A test is a function that checks conditions with MUST().  The
 * first condition that does not hold is the reason for the failure.
 */
#ifndef ARMPMU_TEST_TAP_H
#define ARMPMU_TEST_TAP_H

#include <stdbool.h>
#include <stdio.h>

static bool tap_bad;
static char tap_why[256];
static int tap_status;

/* MUST(condition, "format", ...): the message describes what was seen. */
#define MUST(condition, ...) \
    do { \
        if (!(condition) && !tap_bad) { \
            tap_bad = true; \
            snprintf(tap_why, sizeof tap_why, __VA_ARGS__); \
        } \
    } while (0)

/* MUST_EQ(got, want, "format", ...): compares two unsigned numbers. */
#define MUST_EQ(got, want, ...) \
    do { \
        const unsigned long long got_ = (got), want_ = (want); \
        if (got_ != want_ && !tap_bad) { \
            const int used_ = snprintf(tap_why, sizeof tap_why, __VA_ARGS__); \
            tap_bad = true; \
            snprintf(tap_why + used_, sizeof tap_why - (size_t)used_, ": got 0x%llx, want 0x%llx", got_, want_); \
        } \
    } while (0)

static inline void tap_run(const char *name, void (*test)(void))
{
    tap_bad = false;
    test();
    if (tap_bad) {
        printf("not ok %s: %s\n", name, tap_why);
        tap_status = 1;
    } else {
        printf("ok %s\n", name);
    }
}

#define RUN(test) tap_run(#test, test)

#endif
