/* SPDX-License-Identifier: BSD-2-Clause */
#include <strings.h>

#include "internal.h"

static const struct state_core cores[] = {
#define CORE(name, implementer, part, counters, pmu, version, note) \
    {name, implementer, part, counters, STATE_PMU_##pmu, version, note},
#include <armpmu/tables/cores.def>
};

const struct state_core *state_core_at(size_t i)
{
    return i < sizeof cores / sizeof cores[0] ? &cores[i] : NULL;
}

const struct state_core *state_core_by_midr(uint32_t midr)
{
    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++) {
        if (cores[i].implementer == midr >> 24 && cores[i].part == (midr >> 4 & 0xFFF)) {
            return &cores[i];
        }
    }
    return NULL;
}

const struct state_core *state_core_by_name(const char *name)
{
    uint64_t midr;
    size_t used, length = 0;

    while (name[length] != '\0') {
        length++;
    }
    if (state_number(name, length, &midr, &used) == STATE_NUMBER && used == length && midr <= UINT32_MAX) {
        return state_core_by_midr((uint32_t)midr);
    }
    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++) {
        if (strcasecmp(cores[i].name, name) == 0) {
            return &cores[i];
        }
    }
    return NULL;
}
