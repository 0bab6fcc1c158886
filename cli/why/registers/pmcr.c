/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on registers: the bits of PMCR, and where its value comes from. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include "registers.h"

/* Returns true if the input shows the external view, in which PMCR has no N and no ID fields: PMCFGR has N. */
static bool is_external(const struct registers_case *c)
{
    return c->external || registers_known(c, APMU_REG_EDPRSR, 0) != 0 ||
           reading_find(c->r, CLUE_words_external) != NULL || registers_say(c->r, "0xe04");
}

/* Returns true if @line is one of code: what it has is written there. */
static bool is_code(const struct reading *r, uint32_t line)
{
    const size_t i = text_find(&r->text, line);

    return r->code != NULL && line != 0 && i < r->text.count && text_is_claimed(&r->text, i, TEXT_CODE);
}

void registers_pmcr_source(const struct registers_case *c)
{
    const struct state_cell *pmcr = state_cell(&c->r->states[0], APMU_REG_PMCR_EL0, 0);
    const bool whole = (pmcr->known & UINT32_MAX) == UINT32_MAX;
    const uint64_t value = pmcr->last & UINT32_MAX;
    const struct apmu_core_info *core = c->s->core;
    char name[48];

    registers_name(c, APMU_REG_PMCR_EL0, 0, name);
    if (!whole || (value & APMU_BITS(31, 11)) != 0) {
        return;
    }
    if (value != 0 && is_code(c->r, pmcr->line)) {
        return; /* the rules on code look at what is written */
    }
    if (reading_find(c->r, CLUE_words_pmcr_as_written) != NULL) {
        return; /* both values are there */
    }
    if (value != 0 && c->r->sentence && c->r->written != NULL &&
        state_cell(c->r->written, APMU_REG_PMCR_EL0, 0)->known != 0 && !c->r->sees[READING_few_counters]) {
        return; /* the writer says what was written, and does not take it for what is read */
    }
    if (value == 0 && pmcr->moved && !registers_say(c->r, "read back") && !registers_say(c->r, "readback")) {
        return; /* it had another value before */
    }
    if (value == 0 && pmcr->moved) {
        suspect_clear(c->all, WHY_power_lost_reset_values);
    }
    if (value == 0 && is_external(c)) {
        registers_suspect(c, WHY_external_view_locked, SUSPECT_LIKELY, 85, APMU_REG_PMCR_EL0, 0,
                          "write 0xC5ACCE55 to PMLAR (offset 0xFB0) and clear the OS lock (OSLAR) first, with the core "
                          "powered; then see that PMCFGR (0xE00) or PMDEVARCH (0xFBC) read as those of a PMU",
                          "%s = 0 in the external view: it is locked, without power, or at another address", name);
        return;
    }
    if (value == 0 && core != NULL) {
        registers_suspect(c, WHY_register_emulated_as_zero, SUSPECT_CERTAIN, 90, APMU_REG_PMCR_EL0, 0,
                          "give the virtual machine a PMU (QEMU: -cpu host,pmu=on), or count on the host; bare metal: "
                          "the hypervisor or firmware below reads the PMU's registers as zero",
                          "%s = 0, but a %s has counters (N) and an implementer there", name, core->name);
        suspect_clear(c->all, WHY_pmcr_e_clear);
        suspect_clear(c->all, WHY_counter_not_enabled);
        suspect_clear(c->all, WHY_counters_kept_back);
    } else if (value == 0) {
        registers_suspect(c, WHY_register_emulated_as_zero, SUSPECT_LIKELY, 80, APMU_REG_PMCR_EL0, 0,
                          "give the virtual machine a PMU (QEMU: -cpu host,pmu=on), or count on the host",
                          "%s = 0: the N and ID fields of a PMU are not all zero", name);
    } else if (!is_external(c) && c->r->code == NULL) {
        registers_suspect(c, WHY_pmcr_value_copied_from_write, SUSPECT_LIKELY, 40, APMU_REG_PMCR_EL0, 0,
                          "read PMCR back, and look at that value: N is in bits 15:11",
                          "%s = 0x%" PRIx64 ": N, IMP and IDCODE are 0, as in a value that software writes", name,
                          value);
    }
}

bool registers_wants_divider(const struct registers_case *c)
{
    return reading_find(c->r, CLUE_words_divider_wanted) != NULL && !registers_sees(c, READING_small) &&
           !registers_sees(c, READING_differs);
}

/* The divider by 64. */
static void divider(const struct registers_case *c)
{
    const uint64_t d = APMU_MASK(PMCR_EL0, D), lc = APMU_MASK(PMCR_EL0, LC);
    const uint64_t value = registers_value(c, APMU_REG_PMCR_EL0, 0);
    const struct apmu_counter_setup *setup = &c->w->setups[APMU_CYCLE];
    const bool small = registers_sees(c, READING_small) || registers_sees(c, READING_differs);
    char cure[400], write[240], name[48];

    if ((value & d) == 0 || !registers_in_focus(c, APMU_CYCLE) || (!c->pmxev && (value & lc) != 0) ||
        setup->divided == APMU_NO || registers_wants_divider(c)) {
        return;
    }
    suspect_text(cure, "%s.D = 0 (bit 3)%s", registers_name(c, APMU_REG_PMCR_EL0, 0, name),
                 registers_write(c, APMU_REG_PMCR_EL0, 0, 0, d, write));
    registers_suspect(c, WHY_divide_by_64,
                      registers_sees(c, READING_zero) && !small       ? SUSPECT_POSSIBLE
                      : setup->divided == APMU_YES || small ? SUSPECT_CERTAIN
                                                            : SUSPECT_LIKELY,
                      small ? 75 : 50, APMU_REG_PMCR_EL0, 0, cure,
                      "%s.D = 1%s: the cycle counter counts every 64th cycle", name, c->pmxev ? "" : " and LC = 0");
}

/* Returns true if the words tell of an interrupt each 2^32 cycles. */
static bool interrupts_at_2_32(const struct registers_case *c)
{
    return reading_find(c->r, CLUE_words_2_32) != NULL &&
           (registers_say(c->r, "interrupt") || registers_say(c->r, "irq") || registers_say(c->r, "handler") ||
            registers_say(c->r, "isr"));
}

/* The cycle counter overflows at 32 bits, and somebody cares. */
static void short_overflow(const struct registers_case *c)
{
    const uint64_t count = registers_value(c, APMU_REG_PMCCNTR_EL0, 0);
    const uint64_t flags =
        registers_value(c, APMU_REG_PMOVSSET_EL0, 0) | registers_value(c, APMU_REG_PMINTENSET_EL1, 0);
    const bool known = (registers_known(c, APMU_REG_PMCR_EL0, 0) & APMU_MASK(PMCR_EL0, LC)) != 0;
    const bool clear = known && (registers_value(c, APMU_REG_PMCR_EL0, 0) & APMU_MASK(PMCR_EL0, LC)) == 0;
    char cure[400], write[240], name[48];

    if (!clear || c->pmxev || !registers_in_focus(c, APMU_CYCLE)) {
        return;
    }
    if (registers_sees(c, READING_wraps) || registers_sees(c, READING_storm) || (flags & REGISTERS_CYCLE) != 0 ||
        (count >> 32) != 0 || registers_say(c->r, "overflow") || interrupts_at_2_32(c)) {
        suspect_text(cure, "%s.LC = 1 (bit 6)%s", registers_name(c, APMU_REG_PMCR_EL0, 0, name),
                     registers_write(c, APMU_REG_PMCR_EL0, 0, APMU_MASK(PMCR_EL0, LC), 0, write));
        registers_suspect(c, WHY_cycle_overflow_at_32_bits,
                          (flags & REGISTERS_CYCLE) != 0 || registers_say(c->r, "overflow") || interrupts_at_2_32(c)
                              ? SUSPECT_CERTAIN
                              : SUSPECT_LIKELY,
                          (count >> 32) != 0 || registers_say(c->r, "32") ? 60 : 35, APMU_REG_PMCR_EL0, 0, cure,
                          "%s.LC = 0: the flag of the cycle counter is set by a carry out of bit 31", name);
    }
}

void registers_pmcr_bits(const struct registers_case *c)
{
    divider(c);
    short_overflow(c);
}
