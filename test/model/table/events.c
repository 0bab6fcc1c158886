/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of events is complete and searchable. */
#include <armpmu/error.h>
#include <armpmu/events.h>

#include <stdio.h>
#include <string.h>

static int failures;

static void check(const char *name, bool ok)
{
    printf("%s %s\n", ok ? "ok" : "not ok", name);
    failures += !ok;
}

static bool table_is_sorted_and_complete(void)
{
    for (size_t i = 0; i < apmu_event_count(); i++) {
        const struct apmu_event_info *e = apmu_event_at(i);

        if (i > 0 && apmu_event_at(i - 1)->number >= e->number) {
            return false;
        }
        if (e->text[0] == '\0' || apmu_event_by_number(e->number) != e || apmu_event_by_name(e->name) != e) {
            return false;
        }
        if (strspn(e->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(e->name)) {
            return false;
        }
        if (apmu_event_parse(e->name) != e->number) {
            return false;
        }
    }
    return apmu_event_count() > 1000 && apmu_event_at(apmu_event_count()) == NULL;
}

static bool every_bit_of_pmceid_is_one_event(void)
{
    uint64_t seen[2] = {0, 0};

    for (uint32_t number = 0; number <= 0xFFFF; number++) {
        const int bit = apmu_event_pmceid(number);

        if ((bit >= 0) != (number < 0x40 || (number >= 0x4000 && number < 0x4040))) {
            return false;
        }
        if (bit >= 0) {
            seen[bit / 64] ^= UINT64_C(1) << (bit % 64);
        }
    }
    return seen[0] == UINT64_MAX && seen[1] == UINT64_MAX && apmu_event_pmceid(0x001F) == 31 &&
           apmu_event_pmceid(0x0020) == 64 && apmu_event_pmceid(0x4000) == 32 && apmu_event_pmceid(0x403F) == 127;
}

static bool announced(void)
{
    const uint64_t pmceid[2] = {UINT64_C(1) << 0x11 | UINT64_C(1) << 37, UINT64_C(1) << 3};

    return apmu_event_announced(pmceid, APMU_EV_CPU_CYCLES) && apmu_event_announced(pmceid, 0x4005) &&
           apmu_event_announced(pmceid, 0x23) && !apmu_event_announced(pmceid, APMU_EV_INST_RETIRED) &&
           !apmu_event_announced(pmceid, 0x4023) && apmu_event_announced(pmceid, APMU_EV_LD_SPEC);
}

static bool parses(void)
{
    static const struct { const char *text; int number; } cases[] = {
        {"inst_retired", 0x08}, {"Cpu_Cycles", 0x11}, {"instructions", 0x08}, {"cycles", 0x11}, {"r8", 0x08},
        {"r4000", 0x4000}, {"0x1b", 0x1B}, {"0XfFfF", 0xFFFF}, {"r10000", -1}, {"0x", -1}, {"r", -1}, {"", -1},
        {"0xfg", -1}, {"INST_RETIRED ", -1}, {"INST_RETIRE", -1}, {"11", -1}, {"rffffffffffffffffffff", -1},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (apmu_event_parse(cases[i].text) != cases[i].number) {
            printf("# %s\n", cases[i].text);
            return false;
        }
    }
    return true;
}

static bool nearest_to(const char *name, const char *expected)
{
    const struct apmu_event_info *near[3];
    const size_t n = apmu_event_nearest(name, near, 3);

    return n == 3 && (expected == NULL || strcmp(near[0]->name, expected) == 0);
}

static bool errors_have_words(void)
{
    static const enum apmu_error all[] = {
#define APMU_ERROR(id, number, text, cure) APMU_E_##id,
#include <armpmu/tables/errors.def>
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (all[i] >= 0 || apmu_error_text(all[i])[0] == '\0' || apmu_error_cure(all[i])[0] == '\0') {
            return false;
        }
    }
    return apmu_error_cure(APMU_OK)[0] == '\0' && apmu_error_text((enum apmu_error)1)[0] != '\0';
}

int main(void)
{
    char longest[200];

    memset(longest, 'A', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    check("events: sorted, complete, found by number and name", table_is_sorted_and_complete());
    check("events: each bit of PMCEID<n>_EL0 announces one event", every_bit_of_pmceid_is_one_event());
    check("events: announced or not", announced());
    check("events: names, aliases, rNNN and 0xNNN parse", parses());
    check("events: a missing letter", nearest_to("INST_RETIRE", "INST_RETIRED"));
    check("events: swapped letters", nearest_to("isnt_retired", "INST_RETIRED"));
    check("events: a part of a name", nearest_to("unaligned_ldst", "UNALIGNED_LDST_SPEC"));
    check("events: a name of perf's", nearest_to("instrctions", "INST_RETIRED") && nearest_to("cycle", "CPU_CYCLES"));
    check("events: names far from all", nearest_to("zzzzzzzzzzzz", NULL));
    check("events: a text longer than any name", nearest_to(longest, NULL));
    check("errors: each has a text and a cure", errors_have_words());
    return failures != 0;
}
