/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds tables/core_keys.def and tables/core_models.def as data. */
#include "internal.h"

static const struct apmu_core_key_info keys[APMU_CORE_KEY_COUNT] = {
#define APMU_CORE_KEY(id, name, lowest, highest, words, text) {name, lowest, highest, words, text},
#include <armpmu/tables/core_keys.def>
};

enum core_row_number {
#define APMU_CORE_MODEL(id, name) ROW_##id,
#include <armpmu/tables/core_models.def>
    ROWS
};

static const char *const names[ROWS] = {
#define APMU_CORE_MODEL(id, name) name,
#include <armpmu/tables/core_models.def>
};

static const uint32_t values[ROWS][APMU_CORE_KEY_COUNT] = {
#define APMU_CORE_VALUE(id, key, value, source) [ROW_##id][APMU_CORE_KEY_##key] = value,
#include <armpmu/tables/core_models.def>
};

static const char *const sources[ROWS][APMU_CORE_KEY_COUNT] = {
#define APMU_CORE_VALUE(id, key, value, source) [ROW_##id][APMU_CORE_KEY_##key] = source,
#include <armpmu/tables/core_models.def>
};

const struct apmu_core_key_info *apmu_core_key_info(unsigned key)
{
    return key < APMU_CORE_KEY_COUNT ? &keys[key] : NULL;
}

bool apmu_core_row_at(size_t i, struct apmu_core_row *row)
{
    if (i >= ROWS) {
        return false;
    }
    memset(row, 0, sizeof *row);
    row->size = sizeof *row;
    for (size_t n = 0; n + 1 < sizeof row->name && names[i][n] != 0; n++) {
        row->name[n] = names[i][n];
    }
    memcpy(row->value, values[i], sizeof row->value);
    return true;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool apmu_core_row_by_name(const char *name, struct apmu_core_row *row)
{
    for (size_t i = 0; i < ROWS; i++) {
        size_t n = 0;

        while (names[i][n] != 0 && lower(name[n]) == names[i][n]) {
            n++;
        }
        if (names[i][n] == 0 && name[n] == 0) {
            return apmu_core_row_at(i, row);
        }
    }
    return false;
}

const char *apmu_core_row_source(size_t i, unsigned key)
{
    return i < ROWS && key < APMU_CORE_KEY_COUNT ? sources[i][key] : NULL;
}
