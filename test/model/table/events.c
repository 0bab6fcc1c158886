/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that the tables of events and of errors are complete, and that events are found by number and by name. */
#include <string.h>

#include <armpmu/error.h>
#include <armpmu/events.h>

#include "../../lib/tap.h"

static void the_table_is_sorted_and_complete(void)
{
    for (size_t i = 0; i < apmu_event_count(); i++) {
        const struct apmu_event_info *e = apmu_event_at(i);

        MUST(i == 0 || apmu_event_at(i - 1)->number < e->number, "%s is out of order", e->name);
        MUST(e->text[0] != '\0', "%s has no text", e->name);
        MUST(apmu_event_by_number(e->number) == e, "%s: 0x%x leads elsewhere", e->name, e->number);
        MUST(apmu_event_by_name(e->name) == e && apmu_event_parse(e->name) == e->number, "%s leads elsewhere", e->name);
        MUST(strspn(e->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(e->name), "the name \"%s\"", e->name);
    }
    MUST(apmu_event_count() > 1000 && apmu_event_at(apmu_event_count()) == NULL, "%zu events", apmu_event_count());
}

static void each_bit_of_pmceid_announces_one_event(void)
{
    uint64_t seen[2] = {0, 0};

    for (uint32_t number = 0; number <= 0xFFFF; number++) {
        const int bit = apmu_event_pmceid(number);

        MUST((bit >= 0) == (number < 0x40 || (number >= 0x4000 && number < 0x4040)), "event 0x%x: bit %d", number, bit);
        if (bit >= 0) {
            seen[bit / 64] ^= UINT64_C(1) << (bit % 64);
        }
    }
    MUST_EQ(seen[0], UINT64_MAX, "PMCEID0_EL0");
    MUST_EQ(seen[1], UINT64_MAX, "PMCEID1_EL0");
    MUST(apmu_event_pmceid(0x001F) == 31 && apmu_event_pmceid(0x0020) == 64 && apmu_event_pmceid(0x4000) == 32 &&
             apmu_event_pmceid(0x403F) == 127,
         "the first and last bits");
}

static void events_are_announced_or_not(void)
{
    const uint64_t pmceid[2] = {UINT64_C(1) << 0x11 | UINT64_C(1) << 37, UINT64_C(1) << 3};

    MUST(apmu_event_announced(pmceid, APMU_EV_CPU_CYCLES), "bit 17 of PMCEID0_EL0");
    MUST(apmu_event_announced(pmceid, 0x4005), "bit 37 of PMCEID0_EL0");
    MUST(apmu_event_announced(pmceid, 0x23), "bit 3 of PMCEID1_EL0");
    MUST(!apmu_event_announced(pmceid, APMU_EV_INST_RETIRED), "bit 8 of PMCEID0_EL0 is 0");
    MUST(!apmu_event_announced(pmceid, 0x4023), "bit 35 of PMCEID1_EL0 is 0");
    MUST(apmu_event_announced(pmceid, APMU_EV_LD_SPEC), "an event without a bit");
}

static void names_aliases_and_numbers_parse(void)
{
    static const struct { const char *text; int number; } cases[] = {
        {"inst_retired", 0x08}, {"Cpu_Cycles", 0x11}, {"instructions", 0x08}, {"cycles", 0x11}, {"r8", 0x08},
        {"r4000", 0x4000}, {"0x1b", 0x1B}, {"0XfFfF", 0xFFFF}, {"r10000", -1}, {"0x", -1}, {"r", -1}, {"", -1},
        {"0xfg", -1}, {"INST_RETIRED ", -1}, {"INST_RETIRE", -1}, {"11", -1}, {"rffffffffffffffffffff", -1},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const int number = apmu_event_parse(cases[i].text);

        MUST(number == cases[i].number, "\"%s\" is %d", cases[i].text, number);
    }
}

/* Checks that the event nearest to @name is @want, if that is not NULL, and that there are three. */
static void nearest_is(const char *name, const char *want)
{
    const struct apmu_event_info *near[3];
    const size_t n = apmu_event_nearest(name, near, 3);

    MUST(n == 3, "%zu events near \"%.40s\"", n, name);
    MUST(n == 0 || want == NULL || strcmp(near[0]->name, want) == 0, "near \"%.40s\": %s", name, near[0]->name);
}

static void misspelt_names_have_nearest_events(void)
{
    char longest[200];

    memset(longest, 'A', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    nearest_is("INST_RETIRE", "INST_RETIRED");
    nearest_is("isnt_retired", "INST_RETIRED");
    nearest_is("unaligned_ldst", "UNALIGNED_LDST_SPEC");
    nearest_is("instrctions", "INST_RETIRED"); /* perf's name is "instructions" */
    nearest_is("cycle", "CPU_CYCLES");
    nearest_is("zzzzzzzzzzzz", NULL);
    nearest_is(longest, NULL);
}

static void each_error_has_a_text_and_a_cure(void)
{
    static const enum apmu_error all[] = {
#define APMU_ERROR(id, number, text, cure) APMU_E_##id,
#include <armpmu/tables/errors.def>
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        MUST(all[i] < 0 && apmu_error_text(all[i])[0] != '\0' && apmu_error_cure(all[i])[0] != '\0', "error %d",
             (int)all[i]);
    }
    MUST(apmu_error_cure(APMU_OK)[0] == '\0' && apmu_error_text((enum apmu_error)1)[0] != '\0', "what is no error");
}

int main(void)
{
    RUN(the_table_is_sorted_and_complete);
    RUN(each_bit_of_pmceid_announces_one_event);
    RUN(events_are_announced_or_not);
    RUN(names_aliases_and_numbers_parse);
    RUN(misspelt_names_have_nearest_events);
    RUN(each_error_has_a_text_and_a_cure);
    return tap_status;
}
