/* SPDX-License-Identifier: BSD-2-Clause */
/* Set-associative arrays of lines: what is seldom done.  lines.h says how they work. */
#include "lines.h"

bool apmu_core_has(const struct apmu_core_lines *l, uint64_t line)
{
    const uint64_t *words = APMU_CORE_SEEN(uint64_t, l, l->words) + apmu_core_set(l, line) * l->ways;

    for (uint32_t way = 0; way < l->ways; way++) {
        if (lines_match(words[way], line)) {
            return true;
        }
    }
    return false;
}

void apmu_core_drop(struct apmu_core_lines *l, uint64_t line, uint64_t mask)
{
    uint64_t *words = APMU_CORE_AT(uint64_t, l, l->words);

    if (l->words == 0) {
        return;
    }
    for (uint64_t i = 0; i < (l->mask + 1) * l->ways; i++) {
        if (((words[i] >> 4 ^ line) & mask) == 0) {
            words[i] = 0;
        }
    }
    for (uint64_t i = 0; mask == 0 && l->replacement == APMU_CORE_PLRU && i <= l->mask; i++) {
        APMU_CORE_AT(uint32_t, l, l->trees)[i] = 0;
    }
}
