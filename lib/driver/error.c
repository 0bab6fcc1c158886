/* SPDX-License-Identifier: BSD-2-Clause */
/* Returns the texts and cures of errors, from tables/errors.def. */
#include <armpmu/error.h>

const char *apmu_error_text(enum apmu_error error)
{
    switch (error) {
    case APMU_OK:
        return "no error";
#define APMU_ERROR(id, number, text, cure) case APMU_E_##id: return text;
#include <armpmu/tables/errors.def>
    }
    return "an unknown error number";
}

const char *apmu_error_cure(enum apmu_error error)
{
    switch (error) {
    case APMU_OK:
        return "";
#define APMU_ERROR(id, number, text, cure) case APMU_E_##id: return cure;
#include <armpmu/tables/errors.def>
    }
    return "";
}
