/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errors: the reasons for which the driver, or another part of the library, refuses a call.  They are the rows of
 * tables/errors.def.
 *
 * For all users of the driver.  APMU_OK is 0.  An error is negative and its number never changes.
 *
 * @code
 * #include <stdio.h>
 * #include <armpmu/error.h>
 * int main(void)
 * {
 *     enum apmu_error error = APMU_E_NO_COUNTER;
 *     printf("%s; %s\n", apmu_error_text(error), apmu_error_cure(error));
 *     return 0;
 * }
 * @endcode
 *
 * Both functions are pure and safe in any context.
 */
#ifndef ARMPMU_ERROR_H
#define ARMPMU_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

enum apmu_error {
    APMU_OK = 0,
#define APMU_ERROR(id, number, text, cure) APMU_E_##id = number,
#include <armpmu/tables/errors.def>
};

/** Returns what is wrong, in words: "no counter is left for the event".  Never NULL; the text lasts. */
const char *apmu_error_text(enum apmu_error error);

/** Returns what to do about it, in words, or "" if there is nothing to do.  Never NULL; the text lasts. */
const char *apmu_error_cure(enum apmu_error error);

#ifdef __cplusplus
}
#endif
#endif
