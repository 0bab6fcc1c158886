/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errors: the world's refusals.  Rows of tables/errors.def.
 *
 * For users of the driver.  An error is negative and its number never changes, so that a function may give positive
 * results beside it.  Both functions are safe in any context.
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

/** What is wrong, in words: "no counter is left for the event".  Never NULL. */
const char *apmu_error_text(enum apmu_error error);

/** What to do about it.  "" where there is nothing to do; never NULL. */
const char *apmu_error_cure(enum apmu_error error);

#ifdef __cplusplus
}
#endif
#endif
