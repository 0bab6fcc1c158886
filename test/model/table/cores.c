/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that the tables of cores are complete, that their rows are found, and that wishes may use a core's names. */
#include <string.h>

#include <armpmu/arm11_regs.h>
#include <armpmu/cores.h>
#include <armpmu/driver.h>

#include "../../lib/tap.h"

static void every_core_is_found(void)
{
    for (size_t i = 0; i < apmu_core_count(); i++) {
        const struct apmu_core_info *core = apmu_core_at(i);

        MUST(apmu_core_by_name(core->name) == core, "%s: not found by its name", core->name);
        MUST(apmu_core_by_midr((uint32_t)core->implementer << 24 | 0x3F0000 | (uint32_t)core->part << 4 | 5) == core,
             "%s: another core has its MIDR", core->name);
        MUST(core->counters <= APMU_EVENT_COUNTERS || core->counters == APMU_CORE_COUNTERS_UNKNOWN, "%s: counters",
             core->name);
        MUST(core->pmu == APMU_CORE_PMU_V3 || core->version == 0, "%s: version", core->name);
    }
    MUST(apmu_core_count() > 70 && apmu_core_at(apmu_core_count()) == NULL, "count");
    MUST(apmu_core_by_name("cortex-a53") != NULL && apmu_core_by_name("cortex-a5") != apmu_core_by_name("cortex-a53"),
         "names");
    MUST(apmu_core_by_name("") == NULL && apmu_core_by_midr(0) == NULL, "what is no core");
}

/*
 * The events of each core are sorted and unique.  All cores have some, except those of events_arm11.def and those whose
 * vendors publish no list.
 */
static void every_core_lists_events(void)
{
    size_t with_events = 0;

    for (size_t i = 0; i < apmu_core_count(); i++) {
        const struct apmu_core_info *core = apmu_core_at(i);
        const struct apmu_core_event *event, *before = NULL;
        size_t listed = 0;

        for (size_t n = 0; (event = apmu_core_event_at(core, n)) != NULL; n++) {
            MUST(before == NULL || before->number <= event->number, "%s: %s is out of order", core->name, event->name);
            MUST(before == NULL || before->number != event->number || strcmp(before->name, event->name) != 0,
                 "%s: %s is there twice", core->name, event->name);
            MUST(apmu_core_event_parse(core, event->name) >= 0 && apmu_core_event_name(core, event->number) != NULL,
                 "%s: %s: no way back", core->name, event->name);
            before = event;
        }
        for (uint32_t number = 0; number <= 0xFFFF; number++) {
            if (apmu_core_lists_event(core, number)) {
                listed++;
                MUST(apmu_core_event_name(core, number) != NULL || (number >= 0x40 && core->pmu < APMU_CORE_PMU_V3),
                     "%s: 0x%x has no name", core->name, number);
            }
        }
        MUST(listed == 0 || strncmp(core->name, "ARM11", 5) != 0 || strstr(core->name, "MPCore") != NULL,
             "%s: %zu events", core->name, listed);
        with_events += listed != 0;
    }
    MUST(with_events >= 73, "%zu cores with events", with_events);
}

static void lists_are_the_manuals(void)
{
    const struct apmu_core_info *a9 = apmu_core_by_name("Cortex-A9");
    const struct apmu_core_info *a55 = apmu_core_by_name("Cortex-A55"), *a57 = apmu_core_by_name("Cortex-A57");

    MUST(apmu_core_lists_event(a57, APMU_EV_INST_RETIRED) && !apmu_core_lists_event(a57, APMU_EV_STALL_SLOT), "common");
    MUST(apmu_core_lists_event(a55, 0xC5) && !apmu_core_lists_event(a57, 0xC5), "its own");
    MUST(strcmp(apmu_core_event_name(a55, 0xC5), "L1D_WS_MODE") == 0, "name");
    MUST(strcmp(apmu_core_event_name(a55, 0x08), "INST_RETIRED") == 0, "name of a common one");
    MUST(apmu_core_event_name(a57, 0xC5) == NULL, "a number without a name");
    MUST(apmu_core_lists_event(a9, 0x68) && strcmp(apmu_core_event_name(a9, 0x68), "INST_OUT_OF_RENAME_STAGE") == 0,
         "0x68 is no common event there");
}

/*
 * ARMv7 leaves the numbers from 0x40 on to the core.  Published lists give them PMUv3's names on Cortex-A8 and A9, and
 * list two events that the manual of the Cortex-A9 says it lacks (DDI 0388I, table 11-5): 0x08 and 0x0E.
 */
static void events_of_armv7_are_the_manuals(void)
{
    static const struct {
        const char *core, *name;
        uint16_t number;
    } rows[] = {
        {"Cortex-A5", "PREFETCH_LINEFILL", 0xC2},      {"Cortex-A5", "STALL_SB_FULL", 0xC9},
        {"Cortex-A7", "BUS_ACCESS_RD", 0x60},          {"Cortex-A8", "L2_ACCESS", 0x43},
        {"Cortex-A8", "L2_CACHE_MISS", 0x44},          {"Cortex-A8", "L1_INST", 0x50},
        {"Cortex-A8", "CYCLES_INST_STALL", 0x56},      {"Cortex-A9", "ICACHE_DEP_STALL_CYCLES", 0x60},
        {"Cortex-A9", "ISSUE_STAGE_NO_INST", 0x66},    {"Cortex-A9", "DATA_LINEFILL", 0x69},
        {"Cortex-A9", "PREDICTABLE_FUNCT_RETURNS", 0x6E}, {"Cortex-A15", "L1D_CACHE_RD", 0x40},
        {"Cortex-A17", "L1D_CACHE_RD", 0x40},
    };
    const struct apmu_core_info *a9 = apmu_core_by_name("Cortex-A9");

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct apmu_core_info *core = apmu_core_by_name(rows[i].core);
        const char *name = apmu_core_event_name(core, rows[i].number);

        MUST(apmu_core_lists_event(core, rows[i].number) && name != NULL && strcmp(name, rows[i].name) == 0,
             "%s: 0x%x is %s, not %s", rows[i].core, rows[i].number, name != NULL ? name : "nothing", rows[i].name);
    }
    MUST(!apmu_core_lists_event(a9, APMU_EV_INST_RETIRED) && !apmu_core_lists_event(a9, APMU_EV_BR_RETURN_RETIRED),
         "the Cortex-A9 lacks 0x08 and 0x0E");
    MUST(apmu_core_lists_event(a9, APMU_EV_PC_WRITE_RETIRED) && apmu_core_lists_event(a9, APMU_EV_CPU_CYCLES),
         "it has 0x0C and 0x11");
}

static void wishes_in_the_words_of_a_core(void)
{
    const struct apmu_core_info *a55 = apmu_core_by_name("Cortex-A55");
    struct apmu_wish wish;

    MUST(apmu_core_wish_parse(a55, "l1d_ws_mode:u", &wish) == APMU_OK && wish.event == 0xC5 &&
         wish.filter == APMU_FILTER(P), "its own");
    MUST(apmu_core_wish_parse(a55, "instructions", &wish) == APMU_OK && wish.event == APMU_EV_INST_RETIRED, "common");
    MUST(apmu_core_wish_parse(a55, "r1234", &wish) == APMU_OK && wish.event == 0x1234, "a number");
    MUST(apmu_core_wish_parse(NULL, "l1d_ws_mode", &wish) == APMU_E_EVENT_NAME, "no core");
    MUST(apmu_wish_parse("l1d_ws_mode", &wish) == APMU_E_EVENT_NAME, "not common");
}

int main(void)
{
    RUN(every_core_is_found);
    RUN(every_core_lists_events);
    RUN(lists_are_the_manuals);
    RUN(events_of_armv7_are_the_manuals);
    RUN(wishes_in_the_words_of_a_core);
    return tap_status;
}
