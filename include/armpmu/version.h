/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The version of armpmu: numbers for the preprocessor, text for people.
 *
 * @code
 * #include <stdio.h>
 * #include <armpmu/version.h>
 *
 * int main(void)
 * {
 *     printf("compiled with %s, running with %s\n", APMU_VERSION, apmu_version());
 *     return 0;
 * }
 * @endcode
 */
#ifndef ARMPMU_VERSION_H
#define ARMPMU_VERSION_H

#define APMU_VERSION_MAJOR 0
#define APMU_VERSION_MINOR 1
#define APMU_VERSION_PATCH 0
#define APMU_VERSION_DATE "November 21, 2026"

#define APMU_VERSION_TEXT_OF_(number) #number
#define APMU_VERSION_TEXT_OF(number) APMU_VERSION_TEXT_OF_(number)
#define APMU_VERSION \
    APMU_VERSION_TEXT_OF(APMU_VERSION_MAJOR) "." \
    APMU_VERSION_TEXT_OF(APMU_VERSION_MINOR) "." APMU_VERSION_TEXT_OF(APMU_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/** Returns APMU_VERSION as the library was compiled: "0.1.0".  Safe in any context. */
const char *apmu_version(void);

#ifdef __cplusplus
}
#endif
#endif
