/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of sources, expanded. */
#include "sources.h"

#include <armpmu/event_numbers.h>

const struct apmu_source_info apmu_source_info[APMU_SOURCE_COUNT] = {
#define APMU_SOURCE(event, trust, cost, convention) \
    {#event, APMU_EV_##event, APMU_##trust, APMU_COST_##cost, convention},
#include <armpmu/tables/sources.def>
};

/* A uint64_t holds a set of the sources of cost OUTCOME. */
#define APMU_SOURCE(event, trust, cost, convention) \
    _Static_assert(APMU_COST_##cost == APMU_COST_BLOCK || APMU_SOURCE_##event < 64, \
                   "outcome sources come first: " #event);
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
