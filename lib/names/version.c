/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells the version of the library to programs that load it. */
#include <armpmu/version.h>

const char *apmu_version(void)
{
    return APMU_VERSION;
}
