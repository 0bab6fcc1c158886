/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on registers: events that are not there, and events that are not what the words say. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include <armpmu/events.h>

#include "registers.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Events that are not there.
 */

bool registers_emulator(const struct registers_case *c)
{
    const uint64_t midr = registers_value(c, APMU_REG_MIDR_EL1, 0);
    const bool known = registers_known(c, APMU_REG_MIDR_EL1, 0) != 0;
    const uint64_t emulator = reading_value(&c->r->machine.emulator, READING_EMULATOR_UNKNOWN);

    return (known && (midr >> 24 & 0xFF) == 0 && (midr >> 4 & 0xFFF) == 0x051) || emulator > READING_EMULATOR_NONE ||
           (registers_known(c, APMU_REG_PMCEID0_EL0, 0) != 0 &&
            why_events_of_qemu(registers_value(c, APMU_REG_PMCEID0_EL0, 0)));
}

/* Returns true if PMCEID announces the events of all counters in question. */
static bool events_are_announced(const struct registers_case *c)
{
    bool all = c->focus != 0;

    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        all &= !registers_in_focus(c, n) ||
               (n < APMU_CYCLE && c->w->setups[n].event_known && c->w->setups[n].implemented == APMU_YES);
    }
    return all;
}

/* Returns true if a register is known to stop a counter in question: an emulator need not explain it. */
static bool is_explained(const struct registers_case *c)
{
    for (size_t i = 0; i < c->all->count; i++) {
        const struct suspect *s = &c->all->list[i];

        if (s->confidence > SUSPECT_POSSIBLE && s->line != 0 && why_causes[s->cause].symptom == WHY_SYMPTOM_zero) {
            return true;
        }
    }
    return false;
}

/* Adds the suspect of an emulator, with the line that shows it. */
static void emulator_suspect(const struct registers_case *c, enum suspect_confidence confidence, unsigned weight)
{
    const bool part = (registers_value(c, APMU_REG_MIDR_EL1, 0) >> 24 & 0xFF) == 0;
    const uint32_t line = c->r->machine.emulator.line;
    char quote[120];
    struct suspect *s;

    const bool instructions = reading_find(c->r, CLUE_words_event_8) != NULL && registers_sees(c, READING_zero) &&
                              reading_find(c->r, CLUE_words_qemu) != NULL &&
                              reading_find(c->r, CLUE_words_icount) == NULL;

    s = registers_suspect(c, instructions ? WHY_qemu_no_icount : WHY_emulator_counts_little, confidence, weight,
                          part && registers_line(c, APMU_REG_MIDR_EL1, 0) != 0 ? APMU_REG_MIDR_EL1
                                                                               : APMU_REG_PMCEID0_EL0,
                          0,
                          "start QEMU with -icount shift=0, which counts instructions; for events use "
                          "armpmu stat or hardware",
                          "the CPU is an emulator's, which counts few events");
    if (s->line == 0 && line != 0) {
        s->line = line;
        why_append(s->because, sizeof s->because, " (\"%s\")", reading_quote(c->r, line, quote, sizeof quote));
    }
}

/* The command line of QEMU has no -icount, and a counter that is set up to count instructions shows no count. */
static void no_icount(const struct registers_case *c)
{
    const struct clue *command = reading_find(c->r, CLUE_linux_vm_command);

    if (command == NULL || command->values[0] != 1 || strcasestr(c->r->text.joined, "icount") != NULL) {
        return;
    }
    for (unsigned n = 0; n < APMU_CYCLE; n++) {
        const bool instructions = registers_known(c, APMU_REG_PMEVTYPER_EL0, n) != 0 &&
                                  (registers_value(c, APMU_REG_PMEVTYPER_EL0, n) & 0xFFFF) == APMU_EV_INST_RETIRED;

        if (instructions && (c->set_up >> n & 1) != 0 && (c->counted >> n & 1) == 0) {
            registers_suspect(c, WHY_qemu_no_icount, SUSPECT_LIKELY, 70, APMU_REG_PMEVTYPER_EL0, n,
                              "start QEMU with -icount shift=0; or use armpmu stat, or hardware",
                              "counter %u is to count INST_RETIRED, which QEMU counts with -icount only", n);
            return;
        }
    }
}

/* An emulator: few of its events count. */
static void emulators(const struct registers_case *c)
{
    const uint64_t events = registers_value(c, APMU_REG_PMCEID0_EL0, 0);
    const bool known = (registers_known(c, APMU_REG_PMCEID0_EL0, 0) & UINT32_MAX) != 0;
    const bool lacks = known && (events >> APMU_EV_INST_RETIRED & 1) == 0;
    const uint64_t cycle_only = c->focus & ~REGISTERS_CYCLE;

    no_icount(c);
    if (!registers_emulator(c) || (!c->symptom && (c->focus & c->zero) == 0) || events_are_announced(c)) {
        return;
    }
    emulator_suspect(c, cycle_only != 0 && !is_explained(c) ? SUSPECT_CERTAIN : SUSPECT_LIKELY, lacks ? 55 : 58);
    if (lacks) {
        registers_suspect(c, WHY_qemu_no_icount, SUSPECT_CERTAIN, 56, APMU_REG_PMCEID0_EL0, 0,
                          "start QEMU with -icount shift=0; or use armpmu stat, or hardware",
                          "bit 8 of PMCEID0, INST_RETIRED, is 0: QEMU counts instructions with -icount only");
        suspect_clear(c->all, WHY_hypervisor_filters_events);
        suspect_clear(c->all, WHY_event_not_implemented);
    }
}

/* Adds the suspect for the event of counter @n, which does not count. */
static void absent_event(const struct registers_case *c, unsigned n, const struct apmu_counter_setup *setup)
{
    const char *event = apmu_core_event_name(c->s->core, setup->event);
    const bool required =
        setup->event == APMU_EV_SW_INCR || setup->event == APMU_EV_CPU_CYCLES || setup->event == APMU_EV_INST_RETIRED;
    char cure[400], instead[WHY_INSTEAD];

    if (why_instead(c->s->core, setup->event, instead) != NULL) {
        suspect_text(cure, "count another event in place of 0x%x: %s; PMCEID and armpmu list --core %s have all",
                     setup->event, instead, c->s->core->name);
    } else {
        suspect_text(cure, "choose another event in place of 0x%x, one that PMCEID lists (armpmu list)", setup->event);
    }
    if (setup->implemented == APMU_NO) {
        registers_suspect(
            c, required && !registers_emulator(c) ? WHY_hypervisor_filters_events : WHY_event_not_implemented,
            SUSPECT_CERTAIN, 57, APMU_REG_PMEVTYPER_EL0, n, required ? NULL : cure,
            "event 0x%x%s%s is not implemented: its bit of PMCEID%u is 0", setup->event, event != NULL ? " " : "",
            event != NULL ? event : "", setup->event >> 5 & 1);
    } else if (apmu_event_by_number(setup->event) == NULL && setup->implemented != APMU_YES &&
               ((setup->event & 0xBFC0) == 0 || !why_any_core_lists(setup->event) ||
                (setup->event >= 0x200 && c->s->core != NULL && !apmu_core_lists_event(c->s->core, setup->event)))) {
        registers_suspect(c, WHY_event_number_unknown, SUSPECT_LIKELY, 56, APMU_REG_PMEVTYPER_EL0, n, cure,
                          "no event has the number 0x%x", setup->event);
    } else if (c->s->core != NULL && apmu_core_lists_event(c->s->core, APMU_EV_SW_INCR) &&
               setup->event != APMU_EV_CHAIN && setup->implemented != APMU_YES &&
               !apmu_core_lists_event(c->s->core, setup->event)) {
        registers_suspect(c, WHY_event_not_of_this_core, SUSPECT_LIKELY, 58, APMU_REG_PMEVTYPER_EL0, n, cure,
                          "event 0x%x%s%s is not in the list of %s", setup->event, event != NULL ? " " : "",
                          event != NULL ? event : "", c->s->core->name);
    }
}

static void absent_events(const struct registers_case *c)
{
    for (unsigned n = 0; n < APMU_CYCLE; n++) {
        const struct apmu_counter_setup *setup = &c->w->setups[n];
        const bool counted = (c->counted >> n & 1) != 0 && (c->stuck >> n & 1) == 0;

        if ((c->focus >> n & 1) != 0 && setup->event_known && (c->set_up >> n & 1) != 0 &&
            (!counted || registers_sees(c, READING_zero) || registers_sees(c, READING_stuck) ||
             (c->in->counters >> n & 1) != 0)) {
            absent_event(c, n, setup);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * An event that is not the one that the words ask for.
 */

/* What people want to count, and the event. */
static const struct {
    const char *word;
    uint16_t event;
} wishes[] = {
    {"cycles", APMU_EV_CPU_CYCLES},
    {"mispredict", APMU_EV_BR_MIS_PRED},
    {"branches", APMU_EV_BR_PRED},
    {"memory access", 0x13},
};

/* Returns the number whose decimal digits are the hexadecimal ones of @event: 11 for 0x11. */
static unsigned digits_as_decimal(uint16_t event)
{
    return (unsigned)(event >> 4) * 10 + (event & 15u);
}

static void typed_in_decimal(const struct registers_case *c)
{
    char cure[400], name[48];

    for (unsigned n = 0; n < APMU_CYCLE && (c->symptom || (c->asked & (REGISTERS_CYCLE - 1)) != 0); n++) {
        const uint64_t type = registers_value(c, APMU_REG_PMEVTYPER_EL0, n);

        for (size_t i = 0; type != 0 && i < sizeof wishes / sizeof wishes[0]; i++) {
            const uint16_t event = wishes[i].event;

            if ((type & 0xFFFF) != digits_as_decimal(event) || event < 0x10 || !registers_say(c->r, wishes[i].word)) {
                continue;
            }
            suspect_text(cure, "write 0x%x to %s: %u is 0x%x", event,
                         registers_name(c, APMU_REG_PMEVTYPER_EL0, n, name), digits_as_decimal(event),
                         digits_as_decimal(event));
            registers_suspect(c, WHY_event_counts_other_than_thought, SUSPECT_LIKELY, 60, APMU_REG_PMEVTYPER_EL0, n,
                              cure, "the event is %u in decimal, 0x%x, and %s are event 0x%x", digits_as_decimal(event),
                              (unsigned)(type & 0xFFFF), wishes[i].word, event);
            return;
        }
    }
}

void registers_events(const struct registers_case *c)
{
    emulators(c);
    absent_events(c);
    typed_in_decimal(c);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Two counts of cycles that are not the same.
 */

/* Returns true if threads share the core's clock, and each has a PMU. */
static bool has_threads(const struct apmu_core_info *core)
{
    static const char *const names[] = {"Neoverse E1", "Cortex-A65", "Cortex-A65AE", "ThunderX2"};

    for (size_t i = 0; core != NULL && i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(core->name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns true if one of two counts is larger than the other by a fifth. */
static bool is_far(uint64_t a, uint64_t b)
{
    return a / 6 > b / 5 || b / 6 > a / 5;
}

void registers_two_cycles(const struct registers_case *c)
{
    const uint64_t cycles = registers_value(c, APMU_REG_PMCCNTR_EL0, 0);
    const bool threads = has_threads(c->s->core) && (c->symptom || reading_find(c->r, CLUE_words_wonders) != NULL);

    for (unsigned n = 0; n < APMU_CYCLE; n++) {
        const uint64_t count = registers_value(c, APMU_REG_PMEVCNTR_EL0, n);
        const struct apmu_counter_setup *setup = &c->w->setups[n];

        if ((registers_value(c, APMU_REG_PMEVTYPER_EL0, n) & 0xFFFF) != APMU_EV_CPU_CYCLES || count == 0 ||
            cycles == 0) {
            continue;
        }
        if (threads && is_far(cycles, count)) {
            registers_suspect(c, WHY_two_cycle_counts_differ, SUSPECT_LIKELY, 66, APMU_REG_PMCCNTR_EL0, 0,
                              "neither is wrong: use one of the two throughout; CPU_CYCLES (0x11) for this thread, "
                              "PMCCNTR_EL0 for the core, which its threads share",
                              "a core with threads: PMCCNTR_EL0, 0x%" PRIx64 ", counts the core's clock, and counter "
                              "%u with CPU_CYCLES, 0x%" PRIx64 ", the cycles of this thread", cycles, n, count);
        } else if (registers_sees(c, READING_differs) ||
                   (setup->event_known && !c->symptom && (cycles > 2 * count || count > 2 * cycles))) {
            registers_suspect(c, WHY_two_cycle_counts_differ,
                              registers_sees(c, READING_differs) ? SUSPECT_LIKELY : SUSPECT_POSSIBLE, 40,
                              APMU_REG_PMCCNTR_EL0, 0,
                              "use one of the two throughout: PMCCNTR_EL0, or an event counter with CPU_CYCLES (0x11)",
                              "PMCCNTR_EL0 is 0x%" PRIx64 ", and counter %u, which counts CPU_CYCLES, is 0x%" PRIx64,
                              cycles, n, count);
        }
    }
}
