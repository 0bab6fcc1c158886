/* SPDX-License-Identifier: BSD-2-Clause */
/* MUST_GIVE(got, want, "format", ...): compares two enum apmu_error; the message shows the texts of both. */
#ifndef ARMPMU_TEST_ERRORS_H
#define ARMPMU_TEST_ERRORS_H

#include <armpmu/error.h>

#include "tap.h"

#define MUST_GIVE(got, want, ...) \
    do { \
        const enum apmu_error got_ = (got), want_ = (want); \
        tap_checks++; \
        if (got_ != want_ && !tap_bad) { \
            const int used_ = snprintf(tap_why, sizeof tap_why, __VA_ARGS__); \
            tap_bad = true; \
            snprintf(tap_why + used_, sizeof tap_why - (size_t)used_, ": \"%s\", not \"%s\"", apmu_error_text(got_), \
                     apmu_error_text(want_)); \
        } \
    } while (0)

#endif
