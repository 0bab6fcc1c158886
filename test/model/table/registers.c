/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks what the compiler cannot: that the tables of registers, fields and features are complete and consistent. */

#include <string.h>

#include "../../../lib/model/registers.h"
#include "../../lib/tap.h"

static const struct apmu_reg_info *info(unsigned reg)
{
    return apmu_reg_info((enum apmu_reg)reg);
}

/* The fields of each register descend from bit 63 without overlap.  The PMU's own registers have no gaps either. */
static void fields_descend(void)
{
    for (unsigned r = 0; r < APMU_REG_ALL; r++) {
        int next = 64;
        MUST(info(r)->field_count > 0, "%s has no fields", info(r)->name);
        for (unsigned i = 0; i < info(r)->field_count; i++) {
            const struct apmu_field *f = &info(r)->fields[i];
            MUST(f->msb < next && f->lsb <= f->msb, "%s.%s: out of order or overlapping", info(r)->name, f->name);
            MUST(r >= APMU_REG_BORROWED || f->msb == next - 1, "%s.%s: a gap above it", info(r)->name, f->name);
            MUST(f->text[0] != '\0', "%s.%s: no text", info(r)->name, f->name);
            next = f->lsb;
        }
        MUST(r >= APMU_REG_BORROWED || next == 0, "%s: a gap at bit 0", info(r)->name);
    }
}

static void field_names_are_unique_in_a_register(void)
{
    for (unsigned r = 0; r < APMU_REG_ALL; r++) {
        for (unsigned i = 0; i < info(r)->field_count; i++) {
            for (unsigned k = 0; k < i; k++) {
                MUST(strcmp(info(r)->fields[i].name, info(r)->fields[k].name) != 0, "%s.%s: twice", info(r)->name,
                     info(r)->fields[i].name);
            }
        }
    }
}

/* A reserved field has a reserved name, kind and gate; any other field has none of these. */
static void reserved_fields_are_reserved_throughout(void)
{
    for (unsigned r = 0; r < APMU_REG_ALL; r++) {
        for (unsigned i = 0; i < info(r)->field_count; i++) {
            const struct apmu_field *f = &info(r)->fields[i];
            const bool name = strncmp(f->name, "RES0_", 5) == 0;
            MUST(name == (f->access == APMU_RES0) && name == (f->gate == APMU_GATE_NEVER), "%s.%s", info(r)->name,
                 f->name);
        }
    }
}

/* Each of the 65,536 encodings decodes to the copy of the register that has it, or to nothing. */
static void every_encoding_decodes_to_its_owner(void)
{
    unsigned found = 0, want = 0;

    for (unsigned r = 0; r < APMU_REG_ALL; r++) {
        want += info(r)->key != 0 ? info(r)->copies : 0;
    }
    for (uint32_t key = 0; key <= UINT16_MAX; key++) {
        enum apmu_reg reg = APMU_REG_ALL;
        unsigned n = 99;
        if (apmu_reg_by_a64((uint16_t)key, &reg, &n)) {
            found++;
            MUST(reg < APMU_REG_ALL && n < info(reg)->copies && info(reg)->key + n == key, "encoding 0x%x", key);
        }
    }
    MUST_EQ(found, want, "encodings that decode");
}

static void a_bank_is_addressed_by_CRm_and_op2(void)
{
    enum apmu_reg reg;
    unsigned n;

    for (unsigned m = 0; m < 31; m++) {
        MUST(apmu_reg_by_a64(apmu_a64_key(3, 3, 14, 8 + m / 8, m % 8), &reg, &n) && reg == APMU_REG_PMEVCNTR_EL0 &&
             n == m, "PMEVCNTR%u_EL0", m);
        MUST(apmu_reg_by_a64(apmu_a64_key(3, 3, 14, 12 + m / 8, m % 8), &reg, &n) && reg == APMU_REG_PMEVTYPER_EL0 &&
             n == m, "PMEVTYPER%u_EL0", m);
        MUST(apmu_reg_by_a64(apmu_a64_key(2, 0, 14, 8 + m / 8, m % 8), &reg, &n) && reg == APMU_REG_PMEVCNTSVR_EL1 &&
             n == m, "PMEVCNTSVR%u_EL1", m);
    }
    /* The place of a 32nd copy belongs to the cycle counter, or to no register. */
    MUST(apmu_reg_by_a64(apmu_a64_key(3, 3, 14, 15, 7), &reg, &n) && reg == APMU_REG_PMCCFILTR_EL0, "PMCCFILTR_EL0");
    MUST(apmu_reg_by_a64(apmu_a64_key(2, 0, 14, 11, 7), &reg, &n) && reg == APMU_REG_PMCCNTSVR_EL1, "PMCCNTSVR_EL1");
    MUST(!apmu_reg_by_a64(apmu_a64_key(3, 3, 14, 11, 7), &reg, &n), "3,3,14,11,7");
}

static void names_lead_back(void)
{
    for (unsigned r = 0; r < APMU_REG_ALL; r++) {
        for (unsigned n = 0; n < info(r)->copies; n++) {
            char name[24], lower[24];
            enum apmu_reg reg = APMU_REG_ALL;
            unsigned m = 99;
            apmu_reg_name((enum apmu_reg)r, n, name);
            MUST(apmu_reg_by_name(name, &reg, &m) && reg == r && m == n, "%s", name);
            for (unsigned i = 0; i < sizeof name; i++) {
                lower[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] - 'A' + 'a') : name[i];
            }
            MUST(apmu_reg_by_name(lower, &reg, &m) && reg == r && m == n, "%s", lower);
        }
    }
}

static void wrong_names_lead_nowhere(void)
{
    static const char *const wrong[] = {"", "PMCR", "PMCR_EL", "PMCR_EL00", "PMCR_EL1", "PMEVCNTR_EL0",
                                        "PMEVCNTR<n>_EL0", "PMEVCNTR31_EL0", "PMEVCNTR05_EL0", "PMEVCNTR5",
                                        "PMEVCNTR100_EL0",
                                        "PMEVCNTR-1_EL0", "PMCR0_EL0", " PMCR_EL0", "PMCR_EL0 ", "PMCCNTR31_EL0"};

    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        enum apmu_reg reg;
        unsigned n;
        MUST(!apmu_reg_by_name(wrong[i], &reg, &n), "\"%s\" was found", wrong[i]);
    }
}

/* Two registers with the same storage are a SET and CLR pair with the same fields. */
static void set_and_clear_share_word_and_fields(void)
{
    unsigned pairs = 0;

    for (unsigned r = 0; r < APMU_REG_COUNT; r++) {
        for (unsigned s = 0; s < APMU_REG_COUNT; s++) {
            if (apmu_reg_op((enum apmu_reg)r) != APMU_OP_SET || apmu_reg_op((enum apmu_reg)s) != APMU_OP_CLR ||
                strncmp(info(r)->name, info(s)->name, strlen(info(r)->name) - strlen("SET_EL0")) != 0) {
                continue;
            }
            struct apmu p;
            pairs++;
            MUST(apmu_reg_storage(&p, (enum apmu_reg)r, 0) == apmu_reg_storage(&p, (enum apmu_reg)s, 0),
                 "%s and %s: two words", info(r)->name, info(s)->name);
            MUST(info(r)->field_count == info(s)->field_count, "%s and %s: fields", info(r)->name, info(s)->name);
            for (unsigned i = 0; i < info(r)->field_count; i++) {
                const struct apmu_field *a = &info(r)->fields[i], *b = &info(s)->fields[i];
                MUST(strcmp(a->name, b->name) == 0 && a->msb == b->msb && a->lsb == b->lsb && a->gate == b->gate,
                     "%s and %s: %s", info(r)->name, info(s)->name, a->name);
            }
        }
    }
    MUST_EQ(pairs, 3, "pairs");
}

/* Each of the 65,536 encodings decodes to the copy of the AArch32 register that has it, or to nothing. */
static void every_encoding_of_aarch32_decodes_to_its_owner(void)
{
    unsigned found = 0, want = 0;

    for (unsigned r = 0; r < APMU_REG32_COUNT; r++) {
        want += info(apmu_reg32_info((enum apmu_reg32)r)->of)->copies;
    }
    for (uint32_t key = 0; key <= UINT16_MAX; key++) {
        enum apmu_reg32 reg = APMU_REG32_COUNT;
        unsigned n = 99;
        if (apmu_reg_by_a32((uint16_t)key, &reg, &n)) {
            found++;
            MUST(reg < APMU_REG32_COUNT && n < info(apmu_reg32_info(reg)->of)->copies &&
                 apmu_reg32_info(reg)->key + n == key, "encoding 0x%x", key);
        }
    }
    MUST_EQ(found, want, "encodings that decode");
}

/* Names and encodings as in the Arm ARM, G8.4. */
static void aarch32_is_where_arm_says(void)
{
    static const struct {
        const char *name;
        unsigned key;
    } is[] = {
        {"PMCR", APMU_A32_KEY(0, 9, 12, 0)},       {"PMCNTENSET", APMU_A32_KEY(0, 9, 12, 1)},
        {"PMCNTENCLR", APMU_A32_KEY(0, 9, 12, 2)}, {"PMOVSR", APMU_A32_KEY(0, 9, 12, 3)},
        {"PMSWINC", APMU_A32_KEY(0, 9, 12, 4)},    {"PMSELR", APMU_A32_KEY(0, 9, 12, 5)},
        {"PMCEID0", APMU_A32_KEY(0, 9, 12, 6)},    {"PMCEID1", APMU_A32_KEY(0, 9, 12, 7)},
        {"PMCEID2", APMU_A32_KEY(0, 9, 14, 4)},    {"PMCEID3", APMU_A32_KEY(0, 9, 14, 5)},
        {"PMCCNTR", APMU_A32_KEY(0, 9, 13, 0)},    {"PMCCNTR64", APMU_A32_KEY_PAIR(0, 9)},
        {"PMXEVTYPER", APMU_A32_KEY(0, 9, 13, 1)}, {"PMXEVCNTR", APMU_A32_KEY(0, 9, 13, 2)},
        {"PMUSERENR", APMU_A32_KEY(0, 9, 14, 0)},  {"PMINTENSET", APMU_A32_KEY(0, 9, 14, 1)},
        {"PMINTENCLR", APMU_A32_KEY(0, 9, 14, 2)}, {"PMOVSSET", APMU_A32_KEY(0, 9, 14, 3)},
        {"PMMIR", APMU_A32_KEY(0, 9, 14, 6)},      {"PMCCFILTR", APMU_A32_KEY(0, 14, 15, 7)},
        {"PMEVCNTR0", APMU_A32_KEY(0, 14, 8, 0)},  {"pmevcntr30", APMU_A32_KEY(0, 14, 11, 6)},
        {"PMEVTYPER9", APMU_A32_KEY(0, 14, 13, 1)}, {"PMEVTYPER30", APMU_A32_KEY(0, 14, 15, 6)},
    };

    for (unsigned i = 0; i < sizeof is / sizeof is[0]; i++) {
        enum apmu_reg32 by_name = APMU_REG32_COUNT, by_key = APMU_REG32_COUNT;
        unsigned n = 99, m = 99;
        char name[24];
        MUST(apmu_reg32_by_name(is[i].name, &by_name, &n), "%s is not found", is[i].name);
        MUST(apmu_reg_by_a32((uint16_t)is[i].key, &by_key, &m) && by_name == by_key && n == m, "%s: key 0x%x",
             is[i].name, is[i].key);
        apmu_reg32_name(by_key, m, name);
        MUST(strcmp(name, is[i].name) == 0 || is[i].name[0] == 'p', "%s is called %s", is[i].name, name);
    }
}

static void wrong_names_of_aarch32_lead_nowhere(void)
{
    static const char *const wrong[] = {"", "PMCR_EL0", "PMEVCNTR", "PMEVCNTR31", "PMEVCNTR05", "PMEVCNTR5_EL0",
                                        "PMOVSCLR", "PMCEID4", "PMCCNTR0", "PMUACR", "PMEVCNTR1 "};

    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        enum apmu_reg32 reg;
        unsigned n;
        MUST(!apmu_reg32_by_name(wrong[i], &reg, &n), "\"%s\" was found", wrong[i]);
    }
}

static void every_gate_is_used_and_can_go_both_ways(void)
{
    bool used[APMU_GATE_COUNT] = {false};

    for (unsigned r = 0; r < APMU_REG_ALL; r++) {
        used[info(r)->gate] = true;
        for (unsigned i = 0; i < info(r)->field_count; i++) {
            used[info(r)->fields[i].gate] = true;
        }
    }
#define APMU_AARCH32(id, of, copies, place, part, gate, hides) used[APMU_GATE_##gate] = true;
#define APMU_LACKS(gate, reg, bits) used[APMU_GATE_##gate] = true;
#include <armpmu/tables/aarch32.def>
#define WHERE(gate, reg, field) (used[APMU_GATE_##gate] = true, APMU_MASK(reg, field))
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    MUST(((reset) & ~(known)) == 0, #id ": a reset value that is not known");
#define APMU_KEEPS(reg, gate, mask) used[APMU_GATE_##gate] = true;
#include <armpmu/tables/registers.def>
#undef WHERE
#define PAIR(offset, copies, gate) used[APMU_GATE_##gate] = true;
#define SPLIT(low, high, copies, gate) used[APMU_GATE_##gate] = true;
#define WORD(offset, copies)
#define HIGH(offset)
#define SHARED(offset)
#define NONE
#define APMU_EXT(id, reg, layout32, layout64, access, rule, gate) layout32 used[APMU_GATE_##gate] = true;
#include <armpmu/tables/external.def>
    for (unsigned g = 0; g < APMU_GATE_COUNT; g++) {
        const struct apmu_config all = {
            .features = apmu_ones(APMU_FEAT_END), .export_bus = true, .imp = 0x41, .software_lock = true,
            .coresight_id = true, .peripheral_id = true, .integration = true, .sample_enable = true, .filter2 = 1,
        };
        const struct apmu_config none = {.imp = 0x41, .external_swinc = true};
        const struct apmu_config no_el3 = {.features = APMU_FEAT(MTPMU) | APMU_FEAT(PMUv3_EXTPMN)};
        const struct apmu_config armv7 = {.features = APMU_FEAT(PMUv1)};
        const enum apmu_gate gate = (enum apmu_gate)g;
        const bool holds = apmu_holds(&all, gate, 1) || apmu_holds(&none, gate, 1) || apmu_holds(&no_el3, gate, 1) ||
                           apmu_holds(&armv7, gate, 1);
        const bool fails = !apmu_holds(&all, gate, 1) || !apmu_holds(&none, gate, 1);
        MUST(strncmp(apmu_gate_text(gate), "FEAT_", 5) == 0 || used[g], "%s: used nowhere", apmu_gate_text(gate));
        MUST(holds != (gate == APMU_GATE_NEVER), "%s: cannot hold", apmu_gate_text(gate));
        MUST(fails != (gate == APMU_GATE_ALWAYS), "%s: cannot fail", apmu_gate_text(gate));
    }
    const struct apmu_config th2 = {.features = apmu_ones(APMU_FEAT_END)};
    MUST(!apmu_holds(&th2, APMU_GATE_TH2_ODD, 2) && apmu_holds(&th2, APMU_GATE_TH2_ODD, 3), "TLC is on odd counters");
}

/* A write-only register reads as 0, and a register that is not described has no bits. */
static void write_only_fields_show_nothing(void)
{
    const struct apmu_config all = {.features = apmu_ones(APMU_FEAT_END)};
    const uint64_t zeroing = APMU_MASK(PMCR_EL0, C) | APMU_MASK(PMCR_EL0, P);

    MUST_EQ(apmu_readable(&all, APMU_REG_PMCR_EL0, 0) & zeroing, 0, "PMCR_EL0");
    MUST_EQ(apmu_readable(&all, APMU_REG_PMSWINC_EL0, 0), 0, "PMSWINC_EL0");
    MUST_EQ(apmu_readable(&all, APMU_REG_PMZR_EL0, 0), 0, "PMZR_EL0");
    MUST_EQ(apmu_readable(&all, APMU_REG_ALL, 0), 0, "no register");
    MUST_EQ(apmu_writable(&all, APMU_REG_ALL, 0), 0, "no register");
}

int main(void)
{
    RUN(fields_descend);
    RUN(field_names_are_unique_in_a_register);
    RUN(reserved_fields_are_reserved_throughout);
    RUN(every_encoding_decodes_to_its_owner);
    RUN(a_bank_is_addressed_by_CRm_and_op2);
    RUN(write_only_fields_show_nothing);
    RUN(names_lead_back);
    RUN(wrong_names_lead_nowhere);
    RUN(set_and_clear_share_word_and_fields);
    RUN(every_encoding_of_aarch32_decodes_to_its_owner);
    RUN(aarch32_is_where_arm_says);
    RUN(wrong_names_of_aarch32_lead_nowhere);
    RUN(every_gate_is_used_and_can_go_both_ways);
    return tap_status;
}
