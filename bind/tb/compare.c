/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the state of a design with the unit's. */
#include <stdio.h>
#include <string.h>

#include "internal.h"

enum tb_slot_form { FORM_FIELDS, FORM_SET, FORM_NUMBER };
enum { NEAR = 0x10000 }; /* a distance that is told as one */
enum { FIRST_TYPER = APMU_COUNTERS, FIRST_ROW = 2 * APMU_COUNTERS };

static const struct tb_slot {
    const char *name;
    enum apmu_reg reg;
    enum tb_slot_form form;
} slots[] = {
#define APMU_TB_SLOT(name, member, form) {#name, APMU_REG_##name, FORM_##form},
#include "slots.def"
};
/* The rows of slots[]. */
enum tb_slot_row {
#define APMU_TB_SLOT(name, member, form) ROW_##name,
#include "slots.def"
    ROW_COUNT
};
enum { SLOT_COUNT = FIRST_ROW + (int)ROW_COUNT };
_Static_assert((int)SLOT_COUNT <= APMU_TB_SLOTS, "a slot for each row");

int apmu_tb_slot(const char *name)
{
    enum apmu_reg reg;
    unsigned n;

    if (!apmu_reg_by_name(name, &reg, &n)) {
        return -1;
    }
    for (unsigned i = 0; i < ROW_COUNT; i++) {
        if (slots[i].reg == reg) {
            return (int)(FIRST_ROW + i);
        }
    }
    switch (reg) {
    case APMU_REG_PMEVCNTR_EL0:
        return (int)n;
    case APMU_REG_PMCCNTR_EL0:
        return APMU_CYCLE;
    case APMU_REG_PMICNTR_EL0:
        return APMU_INSTR;
    case APMU_REG_PMEVTYPER_EL0:
        return (int)(FIRST_TYPER + n);
    case APMU_REG_PMCCFILTR_EL0:
        return FIRST_TYPER + APMU_CYCLE;
    case APMU_REG_PMICFILTR_EL0:
        return FIRST_TYPER + APMU_INSTR;
    default:
        return -1;
    }
}

uint64_t apmu_tb_stored(const struct apmu_tb *tb, int slot)
{
    if (slot >= 0 && slot < FIRST_TYPER) {
        return tb->p.cntr[slot];
    }
    if (slot >= FIRST_TYPER && slot < FIRST_ROW) {
        return tb->p.typer[slot - FIRST_TYPER];
    }
    switch (slot - FIRST_ROW) {
#define APMU_TB_SLOT(name, member, form) case ROW_##name: return tb->p.member;
#include "slots.def"
    default:
        return 0;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Mismatches of state in words.
 */

/* Returns the name of the register in @slot. */
static const char *slot_name(unsigned slot, char buf[24])
{
    if (slot < FIRST_TYPER) {
        return tb_counter_name(slot, buf);
    }
    if (slot >= FIRST_ROW) {
        return slots[slot - FIRST_ROW].name;
    }
    const unsigned n = slot - FIRST_TYPER;
    return n == APMU_CYCLE   ? "PMCCFILTR_EL0"
           : n == APMU_INSTR ? "PMICFILTR_EL0"
                             : apmu_reg_name(APMU_REG_PMEVTYPER_EL0, n, buf);
}

const char *apmu_tb_slot_name(struct apmu_tb *tb, int slot)
{
    char buf[24];

    tb->text[0] = '\0';
    if (slot >= 0 && slot < SLOT_COUNT) {
        snprintf(tb->text, sizeof tb->text, "%s", slot_name((unsigned)slot, buf));
    }
    return tb->text;
}

/* Says where a counter differs by a distance that the last step explains. */
static void counter_differs(struct apmu_tb *tb, unsigned n, uint64_t got, uint64_t want)
{
    const uint64_t mask = ~UINT64_C(0) >> (64 - apmu_counter_size(&tb->p, n));
    const uint64_t ahead = (got - want) & mask, behind = (want - got) & mask;
    char buf[24], cause[TB_SENTENCE - 64];
    const char *name = tb_counter_name(n, buf);

    if (ahead >> 32 != 0 && (uint32_t)got == (uint32_t)want) {
        tb_mismatch(tb, "%s: bits 63:32 are 0x%llX and must be 0x%llX; it overflows from bit %u", name,
                    (tb_number)(got >> 32), (tb_number)(want >> 32), apmu_overflow_width(&tb->p, &tb->pe, n) - 1);
    } else if (behind <= ahead && behind < NEAR) {
        tb_mismatch(tb, "%s is %llu behind: %s (0x%llX and not 0x%llX)", name, (tb_number)behind,
                    tb_cause_of_phase(tb, n, cause, sizeof cause) ? cause : tb_cause_of_behind(tb, n), (tb_number)got,
                    (tb_number)want);
    } else if (ahead < NEAR) {
        if (!tb_cause_of_phase(tb, n, cause, sizeof cause)) {
            tb_cause_of_ahead(tb, n, ahead, cause, sizeof cause);
        }
        tb_mismatch(tb, "%s is %llu ahead: %s", name, (tb_number)ahead, cause);
    } else {
        tb_mismatch(tb, "%s is 0x%llX and must be 0x%llX", name, (tb_number)got, (tb_number)want);
    }
}

/* Returns whether the text of a gate has names of features alone: "FEAT_EBEP or FEAT_PMUv3_SS". */
static bool only_features(const char *text)
{
    for (const char *word = text; *word != '\0'; word += strspn(word, " ,")) {
        const size_t length = strcspn(word, " ,");

        if (strncmp(word, "FEAT_", 5) != 0 && strncmp(word, "or ", 3) != 0 && strncmp(word, "and ", 4) != 0) {
            return false;
        }
        word += length;
    }
    return true;
}

/* Adds a sentence for each field that differs. */
static void fields_differ(struct apmu_tb *tb, const char *name, enum apmu_reg reg, unsigned n, uint64_t got,
                          uint64_t want)
{
    const struct apmu_reg_info *info = apmu_reg_info(reg);

    for (unsigned i = 0; i < info->field_count; i++) {
        const struct apmu_field *field = &info->fields[i];
        const uint64_t mask = APMU_BITS(field->msb, field->lsb);
        const bool exists = apmu_holds(&tb->p.cfg, field->gate, n);

        if (((got ^ want) & mask) == 0) {
            continue;
        }
        const tb_number is = (got & mask) >> field->lsb, must = (want & mask) >> field->lsb;
        if (exists) {
            tb_mismatch(tb, "%s.%s is 0x%llX and must be 0x%llX: %s", name, field->name, is, must, field->text);
        } else {
            tb_mismatch(tb, "%s.%s is 0x%llX and must be 0x%llX: it is reserved %s %s", name, field->name, is, must,
                        only_features(apmu_gate_text(field->gate)) ? "without" : "unless",
                        apmu_gate_text(field->gate));
        }
    }
}

/* Says which counters' bits differ. */
static void set_differs(struct apmu_tb *tb, const char *name, uint64_t got, uint64_t want)
{
    for (unsigned n = 0; n < 64; n++) {
        if (((got ^ want) >> n & 1) != 0) {
            char buf[24];
            tb_mismatch(tb, "%s[%u] (%s) is %u and must be %u", name, n,
                        n < APMU_COUNTERS ? tb_counter_name(n, buf) : "reserved", (unsigned)(got >> n & 1),
                        (unsigned)(want >> n & 1));
        }
    }
}

static void slot_differs(struct apmu_tb *tb, unsigned slot, uint64_t got, uint64_t want)
{
    char buf[24];
    const char *name = slot_name(slot, buf);

    if (slot < FIRST_TYPER) {
        counter_differs(tb, slot, got, want);
    } else if (slot < FIRST_ROW) {
        const unsigned n = slot - FIRST_TYPER;
        fields_differ(tb, name,
                      n == APMU_CYCLE   ? APMU_REG_PMCCFILTR_EL0
                      : n == APMU_INSTR ? APMU_REG_PMICFILTR_EL0
                                        : APMU_REG_PMEVTYPER_EL0,
                      n < APMU_CYCLE ? n : 0, got, want);
    } else if (slots[slot - FIRST_ROW].form == FORM_FIELDS) {
        fields_differ(tb, name, slots[slot - FIRST_ROW].reg, 0, got, want);
    } else if (slots[slot - FIRST_ROW].form == FORM_SET) {
        set_differs(tb, name, got, want);
    } else {
        tb_mismatch(tb, "%s is 0x%llX and must be 0x%llX", name, (tb_number)got, (tb_number)want);
    }
}

/*
 * A write of PMXEVCNTR_EL0 or PMXEVTYPER_EL0 with SEL beyond the counters may reach any one of them.  Lets the unit
 * follow the design if one slot shows that it did.
 */
static void take_unknown_counter(struct apmu_tb *tb, const uint32_t *state, const uint32_t *present)
{
    const bool typer = tb->open.reg == APMU_REG_PMEVTYPER_EL0;

    for (unsigned n = 0; tb->open.waits && n < tb->p.cfg.counters; n++) {
        const unsigned slot = typer ? FIRST_TYPER + n : n;
        const uint64_t got = (uint64_t)state[2 * slot + 1] << 32 | state[2 * slot];
        struct apmu trial = tb->p;

        if ((present[slot / 32] >> slot % 32 & 1) == 0 || got == apmu_tb_stored(tb, (int)slot)) {
            continue;
        }
        apmu_poke(&trial, &tb->pe, tb->open.reg, n, tb->open.value, NULL);
        if ((typer ? trial.typer[n] : trial.cntr[n]) == got) {
            tb->p = trial;
            tb->open.waits = false;
        }
    }
    tb->open.waits = false;
}

int apmu_tb_compare(struct apmu_tb *tb, const uint32_t *state, const uint32_t *present)
{
    int differ = 0;

    if (tb->phase.any && (present[APMU_CYCLE / 32] >> APMU_CYCLE % 32 & 1) != 0) {
        tb_phase_settle(tb, (uint64_t)state[2 * APMU_CYCLE + 1] << 32 | state[2 * APMU_CYCLE]);
    }
    take_unknown_counter(tb, state, present);
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++) {
        const uint64_t got = (uint64_t)state[2 * slot + 1] << 32 | state[2 * slot];
        const uint64_t want = apmu_tb_stored(tb, (int)slot);

        if ((present[slot / 32] >> slot % 32 & 1) != 0 && got != want) {
            slot_differs(tb, slot, got, want);
            differ++;
        }
    }
    return differ;
}
