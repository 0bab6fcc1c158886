/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of sources, expanded. */
#include "sources.h"

const struct apmu_source_info apmu_source_info[APMU_SOURCE_COUNT] = {
#define APMU_SOURCE(id, event, trust, cost, convention) {#id, event, APMU_##trust, APMU_COST_##cost, convention},
#include <armpmu/tables/sources.def>
};

/* The sources of cost OUTCOME come first, so that a uint64_t can hold a set of them. */
#define APMU_SOURCE(id, event, trust, cost, convention) \
    _Static_assert(APMU_COST_##cost == APMU_COST_BLOCK || APMU_SOURCE_##id < 64, "outcome sources come first: " #id);
#include <armpmu/tables/sources.def>

int apmu_source_of_event(uint16_t event)
{
    for (int i = 0; i < (int)APMU_SOURCE_COUNT; i++) {
        if (apmu_source_info[i].event == event) {
            return i;
        }
    }
    return -1;
}
