/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares a design with the unit: its state, its answers to accesses, its signals. */
#include <stdio.h>
#include <string.h>

#include "internal.h"

typedef unsigned long long number; /* as %llX prints it */

enum tb_slot_form { FORM_FIELDS, FORM_SET, FORM_NUMBER };
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
    const struct tb_held *held = &tb->held[n];
    const uint64_t mask = ~UINT64_C(0) >> (64 - apmu_counter_size(&tb->p, n));
    const uint64_t ahead = (got - want) & mask, behind = (want - got) & mask;
    char buf[24], cause[TB_SENTENCE];
    const char *name = tb_counter_name(n, buf);

    if (ahead >> 32 != 0 && (uint32_t)got == (uint32_t)want) {
        tb_mismatch(tb, "%s: bits 63:32 are 0x%llX and must be 0x%llX; it overflows from bit %u", name,
                    (number)(got >> 32), (number)(want >> 32), apmu_overflow_width(&tb->p, &tb->pe, n) - 1);
    } else if (held->why != 0 && held->amount != 0 && ahead <= held->amount) {
        tb_words_of_reason(tb, held->why, n, held->el, cause, sizeof cause);
        tb_mismatch(tb, "%s is %llu ahead: %s", name, (number)ahead, cause);
    } else if (behind <= ahead && behind < 0x10000) {
        tb_mismatch(tb, "%s is %llu behind: %s (0x%llX and not 0x%llX)", name, (number)behind,
                    held->why == 0 && held->amount != 0 ? "nothing stops it" : "an earlier access or reset differs",
                    (number)got, (number)want);
    } else if (ahead < 0x10000) {
        tb_mismatch(tb, "%s is %llu ahead: %s (0x%llX and not 0x%llX)", name, (number)ahead,
                    held->why == 0 && held->amount != 0 ? "its event occurred less often" : "its event did not occur",
                    (number)got, (number)want);
    } else {
        tb_mismatch(tb, "%s is 0x%llX and must be 0x%llX", name, (number)got, (number)want);
    }
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
        tb_mismatch(tb, "%s.%s is 0x%llX and must be 0x%llX%s%s: %s", name, field->name,
                    (number)((got & mask) >> field->lsb), (number)((want & mask) >> field->lsb),
                    exists ? "" : ", without ", exists ? "" : apmu_gate_text(field->gate), field->text);
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
        tb_mismatch(tb, "%s is 0x%llX and must be 0x%llX", name, (number)got, (number)want);
    }
}

int apmu_tb_compare(struct apmu_tb *tb, const uint32_t *state, const uint32_t *present)
{
    int differ = 0;

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

/* ---------------------------------------------------------------------------------------------------------------
 * Answers to accesses, and signals.
 */

static const char *outcome_text(int outcome)
{
    static const char *const texts[] = {"is performed", "reads as zero", "is ignored", "is UNDEFINED",
                                        "is CONSTRAINED UNPREDICTABLE", "traps", "is an error"};

    return outcome >= 0 && outcome < 7 ? texts[outcome] : "has no known outcome";
}

int apmu_tb_check(struct apmu_tb *tb, int outcome, uint64_t syndrome, uint64_t value)
{
    const struct apmu_access *want = &tb->last.result;
    const bool read = !tb->last.write && want->outcome == APMU_ACCESS_OK;
    char access[160];

    tb_access_text(&tb->p, &tb->last, access, sizeof access);
    if (outcome != (int)want->outcome) {
        tb_mismatch(tb, "%s at EL%u %s and must be so that it %s%s%s", access, tb->pe.el, outcome_text(outcome),
                    outcome_text((int)want->outcome), want->control[0] != '\0' ? ": " : "", want->control);
        return 1;
    }
    if (want->outcome == APMU_ACCESS_TRAP && syndrome != apmu_tb_syndrome(tb)) {
        tb_mismatch(tb, "%s at EL%u traps to EL%u with EC 0x%02X, ISS 0x%07X and must to EL%u with EC 0x%02X, ISS "
                    "0x%07X: %s", access, tb->pe.el, (unsigned)(syndrome >> 32), (unsigned)(syndrome >> 26 & 63),
                    (unsigned)(syndrome & 0x1FFFFFF), want->el, want->ec, (unsigned)want->iss, want->control);
        return 1;
    }
    if (read && value != tb->last.value) {
        tb_mismatch(tb, "%s at EL%u reads 0x%llX and must read 0x%llX", access, tb->pe.el, (number)value,
                    (number)tb->last.value);
        return 1;
    }
    return 0;
}

/* Says why PMUIRQ has its level. */
static const char *cause_of_irq(const struct apmu_tb *tb)
{
    const uint64_t asks = tb->p.ovs & tb->p.inten;

    if (apmu_pmuirq(&tb->p, &tb->pe)) {
        return "an overflow flag is set whose interrupt and global enable are 1";
    }
    return tb->p.ovs == 0 ? "no overflow flag is set"
           : asks == 0    ? "PMINTENSET_EL1 enables none of the overflow flags"
                          : "the global enable of the counter's range is 0, or PMEE asks for no interrupt";
}

int apmu_tb_check_signals(struct apmu_tb *tb, uint32_t signals, uint32_t mask)
{
    static const char *const names[] = {"PMUIRQ", "the CTI trigger", "EDBGRQ", "the PMU Profiling exception",
                                        "its being synchronous", "its target (0)", "its target (1)",
                                        "the BRBE freeze of R1", "the BRBE freeze of R2"};
    const uint32_t want = apmu_tb_signals(tb), differ = (signals ^ want) & mask & 0x1FF;

    for (unsigned i = 0; i < 9; i++) {
        if ((differ >> i & 1) != 0) {
            tb_mismatch(tb, "%s is %u and must be %u%s%s", names[i], signals >> i & 1, want >> i & 1,
                        i == 0 ? ": " : "", i == 0 ? cause_of_irq(tb) : "");
        }
    }
    return differ != 0;
}
