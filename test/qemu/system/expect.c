/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * expect PMU >FILE: writes what the model answers to every access of every PMU register under every control, at every
 * place; conform.h describes the file.
 * expect: lists the PMUs.
 * expect --required PMU: prints the bits of PMCEID0_EL0 and PMCEID1_EL0 that the version of the PMU requires.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

/* ---------------------------------------------------------------------------------------------------------------
 * The PMUs of the emulated CPUs: by their ID registers, and by the options of -cpu.
 */

#define A64 (F(AA64EL0) | F(AA64EL1) | F(AA64EL2) | F(AA64EL3))
#define A32 (F(AA32EL0) | F(AA32EL1) | F(AA32EL2) | F(AA32EL3)) /* alone: a PE without AArch64 state */
#define V84 (F(Debugv8p2) | F(Debugv8p4) | F(VHE) | F(E2H0) | F(SEL2))
#define BIT(event) (1u << APMU_EV_##event % 32)
/*
 * The events that the emulator counts among 0x0000 to 0x001F and 0x0020 to 0x003F: those that armpmu list names exact
 * or retired, CPU_CYCLES, EXC_RETURN and CHAIN.  BIT(LD_RETIRED) becomes 1u << 6.  main() adds those that the version
 * requires.
 */
#define EVENTS \
    (BIT(SW_INCR) | BIT(LD_RETIRED) | BIT(ST_RETIRED) | BIT(INST_RETIRED) | BIT(EXC_TAKEN) | BIT(EXC_RETURN) | \
     BIT(PC_WRITE_RETIRED) | BIT(BR_IMMED_RETIRED) | BIT(BR_RETURN_RETIRED) | BIT(UNALIGNED_LDST_RETIRED) | \
     BIT(CPU_CYCLES) | BIT(MEM_ACCESS) | BIT(INST_SPEC) | BIT(CHAIN))
#define EVENTS_0020 BIT(BR_RETIRED)

static const struct {
    const char *name;
    uint64_t features;
    uint8_t counters, imp, idcode, thwidth;
} pmus[] = { /* cpu_of() of machine.sh has the same */
    /* -cpu cortex-a57 */
    {"a57", F(PMUv3) | A64 | A32, 6, 0x41, 0x01, 0},
    /* -cpu max */
    {"max", F(PMUv3p5) | F(FGT) | F(HPMN0) | V84 | A64 | A32, 6, 0x41, 0x01, 0},
    /* -cpu max,pmu-features=PMUv3p9+PMUv3_ICNTR+PMUv3_TH2+HPMN0,pmu-counters=31 */
    {"p9", F(PMUv3p9) | F(PMUv3_ICNTR) | F(PMUv3_TH2) | F(FGT) | F(HPMN0) | V84 | A64 | A32, 31, 0, 0, 12},
    /* -cpu neoverse-n2,pmu-features=PMUv3p9+PMUv3_SS+PMUv3_ICNTR,pmu-counters=5 */
    {"ss", F(PMUv3p9) | F(PMUv3_SS) | F(PMUv3_ICNTR) | F(FGT) | V84 | A64 | F(AA32EL0), 5, 0, 0, 0},
    /* -cpu cortex-a57,pmu-frame=FRAME_BASE */
    {"ext32", F(PMUv3) | F(PMUv3_EXT32) | A64 | A32, 6, 0x41, 0x01, 0},
    /* -cpu max,pmu-features=PMUv3p9+PMUv3_ICNTR+HPMN0,pmu-counters=8,pmu-frame=FRAME_BASE */
    {"ext64", F(PMUv3p9) | F(PMUv3_EXT64) | F(PMUv3_ICNTR) | F(FGT) | F(HPMN0) | V84 | A64 | A32, 8, 0, 0, 0},
    /* -cpu cortex-a15 */
    {"a15", F(PMUv2) | A32, 6, 0x41, 0x0F, 0},
    /* -cpu cortex-a7 */
    {"a7", F(PMUv2) | A32, 4, 0x41, 0x07, 0},
};

struct apmu expect_pmu;
struct apmu_pe expect_pe;

bool expect_has(uint64_t features)
{
    return (expect_pmu.cfg.features & features) == features;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The instructions and the rows.
 */

#define MAX_CELLS 1024
#define MAX_ROWS 400000
#define MAX_GROUPS 1024

static struct expect_cell cells[MAX_CELLS];
static struct expect_row rows[MAX_ROWS];
static struct expect_group groups[MAX_GROUPS];
static struct expect_head head = {.magic = EXPECT_MAGIC};

uint16_t expect_cell(uint32_t word, bool a32, const char *name, bool write)
{
    for (uint16_t i = 0; i < head.cells; i++) {
        if (cells[i].word == word && cells[i].a32 == a32) {
            return i;
        }
    }
    if (head.cells == MAX_CELLS) {
        fprintf(stderr, "expect: more than %d instructions\n", MAX_CELLS);
        exit(2);
    }
    cells[head.cells] = (struct expect_cell){.word = word, .a32 = a32};
    snprintf(cells[head.cells].name, sizeof cells[0].name, "%s %s", write ? "write" : "read", name);
    return (uint16_t)head.cells++;
}

static uint16_t cell64(enum apmu_reg reg, unsigned n, bool write)
{
    char name[24];

    return expect_cell(0xD5000003u | (write ? 0 : 1u << 21) | (apmu_reg_info(reg)->key + n) << 5, false,
                       apmu_reg_name(reg, n, name), write);
}

static uint16_t cell32(enum apmu_reg32 reg, unsigned n, bool write)
{
    const unsigned key = apmu_reg32_info(reg)->key + n, opc1 = key >> 11 & 7, crm = key >> 3 & 15;
    char name[24];

    apmu_reg32_name(reg, n, name);
    if ((key & 0x8000u) != 0) {
        return expect_cell(0xEC443F00u | (write ? 0 : 1u << 20) | opc1 << 4 | crm, true, name, write);
    }
    return expect_cell(0xEE003F10u | (write ? 0 : 1u << 20) | opc1 << 21 | (key >> 7 & 15) << 16 | (key & 7) << 5 | crm,
                       true, name, write);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The PE's part: what it makes of the model's answer.
 */

#define RT64 (3u << 5)
#define RT32 (3u << 5)
#define RT2 (4u << 10)

/* Returns true if EL2 uses AArch32 and the PE is in Non-secure state. */
static bool below_hyp(const struct expect_group *g)
{
    return (g->scr & SCR_RW) == 0 && (g->scr & SCR_NS) != 0;
}

/* Returns the syndrome of an UNDEFINED instruction.  ARMv7's HSR.IL is UNKNOWN there; QEMU's is 0. */
static uint32_t uncategorized(void)
{
    return expect_is_aarch32() ? 0 : ESR(0, 0);
}

/* Sets where an exception of an UNDEFINED instruction is taken from the present state, and its syndrome. */
static void undefined(struct expect_row *r, const struct expect_group *g)
{
    const bool a32_el1 = (g->hcr & HCR_RW) == 0 || (g->scr & SCR_RW) == 0;

    r->esr = uncategorized();
    switch (expect_pe.el) {
    case 3:
        if (!expect_pe.a32) {
            r->taken = TAKEN_EL3;
            return;
        }
        break; /* Secure Undefined mode */
    case 2:
        r->taken = expect_pe.a32 ? TAKEN_HYP_UND : TAKEN_EL2;
        return;
    case 0:
        if ((g->hcr & HCR_TGE) != 0) {
            r->taken = below_hyp(g) ? TAKEN_HYP_TRAP : TAKEN_EL2;
            return;
        }
        break;
    default:
        break;
    }
    r->taken = a32_el1 ? TAKEN_UND : TAKEN_EL1;
    if (a32_el1) {
        r->esr = 0;
    }
}

/* Sets what the decision @a makes of the row; @registers has the transfer registers, as in the syndrome's ISS. */
static void set_answer(struct expect_row *r, const struct expect_group *g, const struct apmu_access *a,
                       uint32_t registers)
{
    r->open = a->outcome == APMU_ACCESS_UNPREDICTABLE;
    if (a->outcome == APMU_ACCESS_UNDEFINED) {
        undefined(r, g);
    } else if (a->outcome == APMU_ACCESS_TRAP) {
        r->taken = a->hyp ? TAKEN_HYP_TRAP : (uint8_t)a->el;
        r->esr = a->ec == 0 ? uncategorized() : ESR(a->ec, a->iss | registers);
    }
}

/*
 * Returns true if HSTR_EL2.T9 traps the access, and sets where to.  It traps an access at EL1 even if that would be
 * UNDEFINED (HSTR_EL2's description).  The PE decides this by the encoding alone, so the model has no part in it.
 */
static bool trapped_by_encoding(struct expect_row *r, const struct expect_group *g, unsigned key, bool write)
{
    const bool pair = (key & 0x8000u) != 0, c9 = (key >> (pair ? 3 : 7) & 15) == 9;

    if (!c9 || (g->hstr >> 9 & 1) == 0 || expect_pe.el != 1 || (g->scr & SCR_NS) == 0) {
        return false;
    }
    r->taken = below_hyp(g) ? TAKEN_HYP_TRAP : TAKEN_EL2;
    if (pair) {
        r->esr = ESR(4, 1u << 24 | 14u << 20 | (key >> 11 & 7) << 16 | RT2 | RT32 | 9u << 1 | !write);
        return true;
    }
    r->esr = ESR(3, 1u << 24 | 14u << 20 | (key & 7) << 17 | (key >> 11 & 7) << 14 | (key >> 7 & 15) << 10 | RT32 |
                        (key >> 3 & 15) << 1 | !write);
    return true;
}

struct expect_row *expect_new_row(struct expect_group *g)
{
    if (head.rows == MAX_ROWS) {
        fprintf(stderr, "expect: more than %d rows\n", MAX_ROWS);
        exit(2);
    }
    g->count++;
    return &rows[head.rows++];
}

uint64_t expect_random(void)
{
    static uint64_t state = 0x9E3779B97F4A7C15u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Returns a value to write to @reg.  It does not start the counters: counts depend on the image's own instructions. */
static uint64_t value_for(enum apmu_reg reg)
{
    return reg == APMU_REG_PMCR_EL0 ? expect_random() & ~APMU_MASK(PMCR_EL0, E) : expect_random();
}

/*
 * Sets r->result to what EL3 reads after a write of the register, and returns the cell that reads it.  The effect of
 * PMSWINC_EL0 and PMZR_EL0 is read in a counter.
 */
static uint16_t read_back(struct expect_row *r, const struct expect_group *g, enum apmu_reg reg, unsigned n)
{
    const bool readable = apmu_reg_info(reg)->readable;

    if (!readable || (reg == APMU_REG_PMXEVCNTR_EL0 || reg == APMU_REG_PMXEVTYPER_EL0)) {
        reg = reg == APMU_REG_PMXEVTYPER_EL0 ? APMU_REG_PMEVTYPER_EL0 : APMU_REG_PMEVCNTR_EL0;
        n = 0;
    }
    expect_look(g, 3, false);
    if (apmu_access(&expect_pmu, &expect_pe, reg, n, false).outcome == APMU_ACCESS_UNDEFINED) {
        reg = APMU_REG_PMCNTENSET_EL0;
        n = 0;
    }
    r->result = apmu_peek(&expect_pmu, &expect_pe, reg, n);
    return cell64(reg, n, false);
}

/* Adds a row that accesses a register by MRS or MSR. */
static void access64(struct expect_group *g, enum apmu_reg reg, unsigned n, bool write, uint64_t value, bool setup)
{
    struct expect_row *r = expect_new_row(g);

    r->cell = cell64(reg, n, write);
    r->writes = write;
    r->setup = setup;
    r->value = value;
    expect_look(g, setup ? 3 : expect_places[g->place].el, false);
    const struct apmu_access a = apmu_access(&expect_pmu, &expect_pe, reg, n, write);

    set_answer(r, g, &a, RT64);
    if (!write) {
        r->result = a.outcome == APMU_ACCESS_OK ? apmu_peek(&expect_pmu, &expect_pe, reg, n) : 0;
        return;
    }
    if (a.outcome == APMU_ACCESS_OK) {
        apmu_poke(&expect_pmu, &expect_pe, reg, n, value, NULL);
    }
    r->back = read_back(r, g, reg, n);
}

/* Does the same as read_back() for an EL3 that reads by MRC. */
static uint16_t read_back32(struct expect_row *r, const struct expect_group *g, enum apmu_reg32 reg, unsigned n)
{
    expect_look(g, 3, true);
    if (!apmu_reg_info(apmu_reg32_info(reg)->of)->readable) {
        reg = APMU_REG32_PMXEVCNTR;
    }
    if (apmu_access_a32(&expect_pmu, &expect_pe, reg, n, false).outcome != APMU_ACCESS_OK) {
        reg = APMU_REG32_PMCNTENSET;
        n = 0;
    }
    r->result = apmu_peek_a32(&expect_pmu, &expect_pe, reg, n);
    return cell32(reg, n, false);
}

/* Adds a row that accesses a register by MRC, MRRC, MCR or MCRR. */
static void access32(struct expect_group *g, enum apmu_reg32 reg, unsigned n, bool write, uint64_t value, bool setup)
{
    const struct apmu_reg32_info *info = apmu_reg32_info(reg);
    const bool pair = info->part == APMU_PART_BOTH;
    struct expect_row *r = expect_new_row(g);

    r->cell = cell32(reg, n, write);
    r->writes = write;
    r->setup = setup;
    r->value = value;
    expect_look(g, setup ? 3 : expect_places[g->place].el, true);
    const struct apmu_access a = apmu_access_a32(&expect_pmu, &expect_pe, reg, n, write);

    if (a.outcome != APMU_ACCESS_UNDEFINED || !trapped_by_encoding(r, g, info->key + n, write)) {
        set_answer(r, g, &a, pair ? RT32 | RT2 : RT32);
    }
    if (!write) {
        r->result = a.outcome == APMU_ACCESS_OK ? apmu_peek_a32(&expect_pmu, &expect_pe, reg, n) : 0;
        return;
    }
    if (a.outcome == APMU_ACCESS_OK) {
        apmu_poke_a32(&expect_pmu, &expect_pe, reg, n, pair ? value : (uint32_t)value, NULL);
    }
    r->back = expect_is_aarch32() ? read_back32(r, g, reg, n) : read_back(r, g, info->of, n);
}

/* Returns true if copy @n of a bank is accessed: with @all each is, else those at the ends of the ranges. */
static bool is_walked(unsigned n, unsigned copies, bool all)
{
    const unsigned counters = expect_pmu.cfg.counters;

    return copies == 1 || all || n < 3 || n == counters - 1 || n == counters || n == 30;
}

/* Adds rows that write and read each register, and @all of its copies or some. */
static void walk(struct expect_group *g, bool all)
{
    if (expect_places[g->place].a32) {
        for (enum apmu_reg32 reg = 0; reg < APMU_REG32_COUNT; reg++) {
            const enum apmu_reg of = apmu_reg32_info(reg)->of;

            for (unsigned n = 0; n < apmu_reg_info(of)->copies; n++) {
                if (is_walked(n, apmu_reg_info(of)->copies, all)) {
                    access32(g, reg, n, true, value_for(of), false);
                    access32(g, reg, n, false, 0, false);
                }
            }
        }
        return;
    }
    for (enum apmu_reg reg = 0; reg < APMU_REG_COUNT; reg++) {
        for (unsigned n = 0; n < apmu_reg_info(reg)->copies; n++) {
            if (is_walked(n, apmu_reg_info(reg)->copies, all)) {
                access64(g, reg, n, true, value_for(reg), false);
                access64(g, reg, n, false, 0, false);
            }
        }
    }
}

/* Adds rows that bring every register to a known value by MCR; counters are accessed by PMSELR. */
static void initialize32(struct expect_group *g)
{
    for (enum apmu_reg32 reg = 0; reg < APMU_REG32_COUNT; reg++) {
        const bool clears = reg == APMU_REG32_PMCNTENCLR || reg == APMU_REG32_PMINTENCLR || reg == APMU_REG32_PMOVSR;

        if (apmu_reg_info(apmu_reg32_info(reg)->of)->writable) {
            access32(g, reg, 0, true, clears ? ~UINT64_C(0) : 0, true);
        }
    }
    for (unsigned n = 0; n < expect_pmu.cfg.counters; n++) {
        access32(g, APMU_REG32_PMSELR, 0, true, n, true);
        access32(g, APMU_REG32_PMXEVTYPER, 0, true, 0, true);
        access32(g, APMU_REG32_PMXEVCNTR, 0, true, 0, true);
    }
}

/* Adds rows that bring every register to a known value by MSR. */
static void initialize(struct expect_group *g)
{
    for (enum apmu_reg reg = 0; reg < APMU_REG_COUNT; reg++) {
        for (unsigned n = 0; n < apmu_reg_info(reg)->copies; n++) {
            expect_look(g, 3, false);
            if (apmu_reg_info(reg)->writable &&
                apmu_access(&expect_pmu, &expect_pe, reg, n, true).outcome == APMU_ACCESS_OK) {
                const bool clears = reg == APMU_REG_PMCNTENCLR_EL0 || reg == APMU_REG_PMINTENCLR_EL1 ||
                                    reg == APMU_REG_PMOVSCLR_EL0;

                access64(g, reg, n, true, clears ? ~UINT64_C(0) : 0, true);
            }
        }
    }
}

/* Adds the group of @s at @at with its rows. */
static void add_setting(const struct expect_setting *s, enum expect_place at)
{
    struct expect_group *g = &groups[head.groups++];

    *g = expect_group_for(s, at);
    g->first = head.rows;
    if (expect_is_aarch32()) {
        if (head.groups == 1) {
            initialize32(g);
        }
        access32(g, APMU_REG32_PMUSERENR, 0, true, s->userenr, true);
        access32(g, APMU_REG32_PMSELR, 0, true, 0, true);
        walk(g, s == expect_settings);
        return;
    }
    if (head.groups == 1) {
        initialize(g);
    }
    access64(g, APMU_REG_PMUSERENR_EL0, 0, true, s->userenr, true);
    access64(g, APMU_REG_PMSELR_EL0, 0, true, 0, true);
    if (expect_has(F(PMUv3p9))) {
        access64(g, APMU_REG_PMUACR_EL1, 0, true, s->uacr, true);
    }
    walk(g, s == expect_settings);
    if (expect_has(F(PMUv3_EXT)) && s->frame) {
        expect_walk_frame(g);
    }
}

/* Prints the events that a version requires.  One of INST_RETIRED and INST_SPEC is required, so neither is printed. */
static int print_required(uint64_t features)
{
    const uint64_t inst_spec = UINT64_C(1) << 0x1B;
    uint64_t pmceid[2] = {inst_spec, 0};

    apmu_events_closure(apmu_features_closure(features), pmceid);
    printf("%016" PRIx64 " %016" PRIx64 "\n", pmceid[0] & ~inst_spec, pmceid[1]);
    return 0;
}

int main(int argc, char **argv)
{
    const bool required = argc == 3 && strcmp(argv[1], "--required") == 0;
    size_t i = 0;

    argc -= required;
    argv += required;
    while (argc == 2 && i < sizeof pmus / sizeof pmus[0] && strcmp(pmus[i].name, argv[1]) != 0) {
        i++;
    }
    if (argc != 2 || i == sizeof pmus / sizeof pmus[0]) {
        for (i = 0; i < sizeof pmus / sizeof pmus[0]; i++) {
            puts(pmus[i].name);
        }
        return argc != 1;
    }
    if (required) {
        return print_required(pmus[i].features);
    }
    struct apmu_config cfg = {
        .size = sizeof cfg, .features = apmu_features_closure(pmus[i].features), .counters = pmus[i].counters,
        .imp = pmus[i].imp, .idcode = pmus[i].idcode, .thwidth = pmus[i].thwidth, .pmceid = {EVENTS, EVENTS_0020},
        .mpidr = UINT64_C(1) << 31,
    };

    apmu_events_closure(cfg.features, cfg.pmceid);

    if (apmu_config_check(&cfg) != NULL) {
        fprintf(stderr, "expect: %s: %s\n", argv[1], apmu_config_check(&cfg));
        return 2;
    }
    apmu_init(&expect_pmu, &cfg);
    head.has_fgt = expect_has(F(FGT));
    head.has_fgt2 = expect_has(F(FGT2));
    for (const struct expect_setting *s = expect_settings; s->name != NULL; s++) {
        for (enum expect_place at = 0; at < AT_COUNT; at++) {
            if (expect_place_exists(at, s)) {
                add_setting(s, at);
            }
        }
    }
    return fwrite(&head, sizeof head, 1, stdout) != 1 ||
           fwrite(cells, sizeof cells[0], head.cells, stdout) != head.cells ||
           fwrite(groups, sizeof groups[0], head.groups, stdout) != head.groups ||
           fwrite(rows, sizeof rows[0], head.rows, stdout) != head.rows;
}
