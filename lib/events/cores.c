/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds tables/cores.def and tables/core_events.def as data, and looks up cores and their events. */
#include <armpmu/cores.h>

#include "internal.h"

enum core {
#define APMU_CORE(id, name, implementer, part, counters, pmu, version, note) CORE_##id,
#include <armpmu/tables/cores.def>
    CORES
};

static const struct apmu_core_info cores[CORES] = {
#define APMU_CORE(id, name, implementer, part, counters, pmu, version, note) \
    {name, implementer, part, counters, APMU_CORE_PMU_##pmu, version, note},
#include <armpmu/tables/cores.def>
};

#define APMU_CORE_LISTS(id, ...) static const uint16_t list_##id[] = {__VA_ARGS__};
#include <armpmu/tables/core_events.def>

/* The events that each core's manual lists. */
static const struct core_list {
    const uint16_t *numbers;
    size_t count;
} lists[CORES] = {
#define APMU_CORE_LISTS(id, ...) [CORE_##id] = {list_##id, sizeof list_##id / sizeof list_##id[0]},
#include <armpmu/tables/core_events.def>
};

/* The events that cores name themselves. */
static const struct own_event {
    uint8_t core; /* ascending, as in enum core */
    struct apmu_core_event event;
} own_events[] = {
#define APMU_CORE_EVENT(id, number, name) {CORE_##id, {number, #name}},
#include <armpmu/tables/core_events.def>
};

#define OWN_EVENTS (sizeof own_events / sizeof own_events[0])

_Static_assert(CORES <= UINT8_MAX, "a core fits into struct own_event");

static enum core index_of(const struct apmu_core_info *core)
{
    return (enum core)(core - cores);
}

/* Returns the index in own_events[] of the first event of @core, or of where it would be. */
static size_t first_own(enum core core)
{
    size_t from = 0, to = OWN_EVENTS;

    while (from < to) {
        const size_t middle = from + (to - from) / 2;

        if (own_events[middle].core < core) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

size_t apmu_core_count(void)
{
    return CORES;
}

const struct apmu_core_info *apmu_core_at(size_t i)
{
    return i < CORES ? &cores[i] : NULL;
}

const struct apmu_core_info *apmu_core_by_midr(uint32_t midr)
{
    for (size_t i = 0; i < CORES; i++) {
        if (cores[i].implementer == midr >> 24 && cores[i].part == (midr >> 4 & 0xFFF)) {
            return &cores[i];
        }
    }
    return NULL;
}

const struct apmu_core_info *apmu_core_by_name(const char *name)
{
    for (size_t i = 0; i < CORES; i++) {
        if (apmu_same_name(cores[i].name, name)) {
            return &cores[i];
        }
    }
    return NULL;
}

const struct apmu_core_event *apmu_core_event_at(const struct apmu_core_info *core, size_t i)
{
    const size_t first = first_own(index_of(core));

    return i < OWN_EVENTS - first && own_events[first + i].core == index_of(core) ? &own_events[first + i].event : NULL;
}

bool apmu_core_lists_event(const struct apmu_core_info *core, uint32_t number)
{
    const struct core_list *list = &lists[index_of(core)];
    const struct apmu_core_event *event;

    for (size_t i = 0; i < list->count; i++) {
        if (list->numbers[i] == number) {
            return true;
        }
    }
    for (size_t i = 0; (event = apmu_core_event_at(core, i)) != NULL; i++) {
        if (event->number == number) {
            return true;
        }
    }
    return false;
}

/*
 * Returns true if event @number of @core is not the one that PMUv3 gives this number.  ARMv7 leaves numbers from 0x40
 * on to the core; Cortex-A5, A7, A12, A15 and A17 use them as Arm recommends.
 */
static bool differs_from_common(const struct apmu_core_info *core, uint32_t number)
{
    static const uint16_t alike[] = {0xC05, 0xC07, 0xC0D, 0xC0F, 0xC0E};

    if (core == NULL || number < 0x40 || (core->pmu != APMU_CORE_PMU_V1 && core->pmu != APMU_CORE_PMU_V2)) {
        return false;
    }
    for (size_t i = 0; i < sizeof alike / sizeof alike[0]; i++) {
        if (core->part == alike[i]) {
            return false;
        }
    }
    return true;
}

const char *apmu_core_event_name(const struct apmu_core_info *core, uint32_t number)
{
    const struct apmu_event_info *common = apmu_event_by_number(number);
    const struct apmu_core_event *event;

    for (size_t i = 0; (event = apmu_core_event_at(core, i)) != NULL; i++) {
        if (event->number == number) {
            return event->name;
        }
    }
    return common != NULL && !differs_from_common(core, number) ? common->name : NULL;
}

int apmu_core_event_parse(const struct apmu_core_info *core, const char *text)
{
    const struct apmu_core_event *event;

    for (size_t i = 0; core != NULL && (event = apmu_core_event_at(core, i)) != NULL; i++) {
        if (apmu_same_name(event->name, text)) {
            return event->number;
        }
    }
    return apmu_event_parse(text);
}

static int parse(const void *core, const char *text)
{
    return apmu_core_event_parse(core, text);
}

enum apmu_error apmu_core_wish_parse(const struct apmu_core_info *core, const char *text, struct apmu_wish *wish)
{
    return apmu_parse_wish(text, parse, core, wish);
}
