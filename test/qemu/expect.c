/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * expect PMU >FILE: what the model answers to every access of every PMU register under every control, at every place:
 * conform.h describes the file.  `expect` alone lists the PMUs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

/* ---------------------------------------------------------------------------------------------------------------
 * The PMUs: what the emulated CPUs are, by their ID registers, and what -cpu asks for.
 */

#define F(x) APMU_FEAT(x)
#define A64 (F(AA64EL0) | F(AA64EL1) | F(AA64EL2) | F(AA64EL3))
#define A32 (F(AA32EL0) | F(AA32EL1) | F(AA32EL2) | F(AA32EL3)) /* without A64, all there is */
#define V84 (F(Debugv8p2) | F(Debugv8p4) | F(VHE) | F(E2H0) | F(SEL2))
/* Of 0x0000 to 0x001F and 0x0020 to 0x003F: what armpmu list names exact or retired there, and CPU_CYCLES and EXC_RETURN. */
#define EVENTS (1u << APMU_EVENT_SW_INCR | 3u << 6 /* LD_, ST_RETIRED */ | 1u << APMU_EVENT_INST_RETIRED | \
                3u << 9 /* EXC_TAKEN, EXC_RETURN */ | \
                15u << 0xC /* PC_WRITE_, BR_IMMED_, BR_RETURN_, UNALIGNED_LDST_RETIRED */ | \
                1u << APMU_EVENT_CPU_CYCLES | 1u << 0x13 /* MEM_ACCESS */ | 1u << 0x1B /* INST_SPEC */)
#define EVENTS_0020 (1u << 1 /* BR_RETIRED */)

static const struct {
    const char *name;
    uint64_t features;
    uint8_t counters, imp, idcode, thwidth;
    uint64_t pmceid0;
} pmus[] = { /* and test/qemu/machine.sh */
    /* -cpu cortex-a57 */
    {"a57", F(PMUv3) | A64 | A32, 6, 0x41, 0x01, 0, EVENTS | 1u << APMU_EVENT_CHAIN},
    /* -cpu max */
    {"max", F(PMUv3p5) | F(FGT) | F(HPMN0) | V84 | A64 | A32, 6, 0x41, 0x01, 0, EVENTS | 1u << APMU_EVENT_CHAIN},
    /* -cpu max,pmu-features=PMUv3p9+PMUv3_ICNTR+PMUv3_TH2+HPMN0,pmu-counters=31 */
    {"p9", F(PMUv3p9) | F(PMUv3_ICNTR) | F(PMUv3_TH2) | F(FGT) | F(HPMN0) | V84 | A64 | A32, 31, 0, 0, 12,
     EVENTS | 1u << APMU_EVENT_CHAIN},
    /* -cpu neoverse-n2,pmu-features=PMUv3p9+PMUv3_SS+PMUv3_ICNTR,pmu-counters=5 */
    {"ss", F(PMUv3p9) | F(PMUv3_SS) | F(PMUv3_ICNTR) | F(FGT) | V84 | A64 | F(AA32EL0), 5, 0, 0, 0,
     EVENTS | 1u << APMU_EVENT_CHAIN},
    /* -cpu cortex-a57,pmu-frame=FRAME_BASE */
    {"ext32", F(PMUv3) | F(PMUv3_EXT32) | A64 | A32, 6, 0x41, 0x01, 0, EVENTS | 1u << APMU_EVENT_CHAIN},
    /* -cpu max,pmu-features=PMUv3p9+PMUv3_ICNTR+HPMN0,pmu-counters=8,pmu-frame=FRAME_BASE */
    {"ext64", F(PMUv3p9) | F(PMUv3_EXT64) | F(PMUv3_ICNTR) | F(FGT) | F(HPMN0) | V84 | A64 | A32, 8, 0, 0, 0,
     EVENTS | 1u << APMU_EVENT_CHAIN},
    /* -cpu cortex-a15 */
    {"a15", F(PMUv2) | A32, 6, 0x41, 0x0F, 0, EVENTS | 1u << APMU_EVENT_CHAIN},
    /* -cpu cortex-a7 */
    {"a7", F(PMUv2) | A32, 4, 0x41, 0x07, 0, EVENTS | 1u << APMU_EVENT_CHAIN},
};

struct apmu pmu;
struct apmu_pe pe;

static bool has(uint64_t features)
{
    return (pmu.cfg.features & features) == features;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The settings: each opens everything, but for what it is named after.
 */

#define USERENR(field) APMU_MASK(PMUSERENR_EL0, field)
#define ALL (~UINT64_C(0))

static const struct setting {
    const char *name;
    uint64_t userenr, uacr;
    uint64_t mdcr_el2, hpmn;                  /* HPMN 0: all event counters */
    uint64_t mdcr_el3_clear, mdcr_el3;
    uint64_t rtr, wtr, rtr2_clear, wtr2_clear; /* the first two trap by 1, the others by 0 */
    bool frame; /* the external view too */
    bool os_lock, hpmn0, no_fgten, no_fgten2, tge, e2h, t9;
} settings[] = {
    {"open", .userenr = USERENR(EN), .uacr = ALL, .frame = true},
    {"PMUSERENR_EL0 = 0", .userenr = 0, .uacr = ALL},
    {"PMUSERENR_EL0.ER", .userenr = USERENR(ER), .uacr = ALL},
    {"PMUSERENR_EL0.CR", .userenr = USERENR(CR), .uacr = ALL},
    {"PMUSERENR_EL0.SW", .userenr = USERENR(SW), .uacr = ALL},
    {"PMUSERENR_EL0.UEN", .userenr = USERENR(UEN), .uacr = ALL},
    {"UEN, PMUACR_EL1 = 0", .userenr = USERENR(UEN), .uacr = 0},
    {"UEN and ER CR SW IR TID", .userenr = APMU_BITS(6, 1), .uacr = 5},
    {"PMUSERENR_EL0.TID", .userenr = USERENR(EN) | USERENR(TID), .uacr = ALL},
    {"MDCR_EL2.TPM", .userenr = USERENR(EN), .uacr = ALL, .mdcr_el2 = APMU_MASK(MDCR_EL2, TPM)},
    {"MDCR_EL2.TPMCR", .userenr = USERENR(EN), .uacr = ALL, .mdcr_el2 = APMU_MASK(MDCR_EL2, TPMCR)},
    {"MDCR_EL2.HPMN = 1", .userenr = USERENR(EN), .uacr = ALL, .hpmn = 1},
    {"HPMN = 2, UEN", .userenr = USERENR(UEN), .uacr = ALL, .hpmn = 2},
    {"MDCR_EL2.HPMN = 0", .userenr = USERENR(EN), .uacr = ALL, .hpmn0 = true},
    {"MDCR_EL3.TPM", .userenr = USERENR(EN), .uacr = ALL, .mdcr_el3 = APMU_MASK(MDCR_EL3, TPM)},
    {"MDCR_EL2.TPM and MDCR_EL3.TPM", .userenr = USERENR(EN), .uacr = ALL, .mdcr_el2 = APMU_MASK(MDCR_EL2, TPM),
     .mdcr_el3 = APMU_MASK(MDCR_EL3, TPM)},
    {"MDCR_EL3.EnPM2 = 0", .userenr = USERENR(EN), .uacr = ALL, .mdcr_el3_clear = APMU_MASK(MDCR_EL3, EnPM2)},
    {"MDCR_EL3.EnPMSS = 0", .userenr = USERENR(EN), .uacr = ALL, .mdcr_el3_clear = APMU_MASK(MDCR_EL3, EnPMSS)},
    {"HDFGRTR_EL2 all", .userenr = USERENR(EN), .uacr = ALL, .rtr = ALL},
    {"HDFGWTR_EL2 all", .userenr = USERENR(EN), .uacr = ALL, .wtr = ALL},
    {"HDFGRTR2_EL2 all", .userenr = USERENR(EN), .uacr = ALL, .rtr2_clear = ALL},
    {"HDFGWTR2_EL2 all", .userenr = USERENR(EN), .uacr = ALL, .wtr2_clear = ALL},
    {"SCR_EL3.FGTEn = 0", .userenr = USERENR(EN), .uacr = ALL, .rtr = ALL, .wtr = ALL, .rtr2_clear = ALL,
     .wtr2_clear = ALL, .no_fgten = true},
    {"SCR_EL3.FGTEn2 = 0", .userenr = USERENR(EN), .uacr = ALL, .no_fgten2 = true},
    {"MDCR_EL3.EPMAD", .userenr = USERENR(EN), .uacr = ALL, .mdcr_el3 = APMU_MASK(MDCR_EL3, EPMAD), .frame = true},
    {"the OS Lock", .userenr = USERENR(EN), .uacr = ALL, .os_lock = true, .frame = true},
    {"HCR_EL2.TGE", .userenr = USERENR(EN), .uacr = ALL, .tge = true},
    {"TGE, MDCR_EL2.TPM, PMUSERENR_EL0 = 0", .userenr = 0, .uacr = ALL, .mdcr_el2 = APMU_MASK(MDCR_EL2, TPM),
     .tge = true},
    {"HCR_EL2.{E2H,TGE}", .userenr = USERENR(EN), .uacr = ALL, .hpmn = 1, .rtr = ALL, .wtr = ALL, .tge = true,
     .e2h = true},
    {"HCR_EL2.{E2H,TGE}, PMUSERENR_EL0 = 0", .userenr = 0, .uacr = ALL, .tge = true, .e2h = true},
    {"HSTR_EL2.T9", .userenr = USERENR(EN), .uacr = ALL, .t9 = true},
    {"HSTR_EL2.T9, PMUSERENR_EL0 = 0", .userenr = 0, .uacr = ALL, .mdcr_el3 = APMU_MASK(MDCR_EL3, TPM), .t9 = true},
};

#define SCR_NS 0x1u
#define SCR_RES1 0x30u
#define SCR_HCE 0x100u
#define SCR_RW 0x400u
#define SCR_EEL2 0x40000u
#define SCR_FGTEN (UINT64_C(1) << 27)
#define HCR_TGE (UINT64_C(1) << 27)
#define HCR_RW (UINT64_C(1) << 31)
#define HCR_E2H (UINT64_C(1) << 34)

static const struct {
    uint8_t el;
    bool secure, a32, rw_scr, rw_hcr;
    uint32_t spsr; /* all interrupts masked */
} places[AT_COUNT] = {
    [AT_EL3] = {3, false, false, true, true, 0x3CD},     [AT_EL2] = {2, false, false, true, true, 0x3C9},
    [AT_EL1] = {1, false, false, true, true, 0x3C5},     [AT_EL0] = {0, false, false, true, true, 0x3C0},
    [AT_S_EL2] = {2, true, false, true, true, 0x3C9},    [AT_S_EL1] = {1, true, false, true, true, 0x3C5},
    [AT_S_EL0] = {0, true, false, true, true, 0x3C0},    [AT_HYP] = {2, false, true, false, false, 0x1DA},
    [AT_SVC] = {1, false, true, true, false, 0x1D3},     [AT_USR] = {0, false, true, true, true, 0x1D0},
    [AT_USR_SVC] = {0, false, true, true, false, 0x1D0}, [AT_SVC_HYP] = {1, false, true, false, false, 0x1D3},
    [AT_USR_HYP] = {0, false, true, false, false, 0x1D0}, [AT_S_SVC] = {1, true, true, false, false, 0x1D3},
    [AT_S_USR] = {0, true, true, true, true, 0x1D0},     [AT_MON] = {3, true, true, false, false, 0x1D6},
    [AT_SVC_MON] = {3, true, true, false, false, 0x1D3},
};

/* Has the PE no AArch64 state?  Then EL3 is Monitor mode and the Secure privileged modes, and its image start32.S. */
static bool is_aarch32(void)
{
    return !has(F(AA64EL3));
}

/* The same where EL3 uses AArch32, which has none of the controls of MDCR_EL3 and of later versions. */
static bool exists_aarch32(enum place at, const struct setting *s)
{
    const bool there = at == AT_MON || at == AT_SVC_MON || at == AT_S_USR || at == AT_HYP || at == AT_SVC_HYP ||
                       at == AT_USR_HYP;
    const bool later = s->mdcr_el3 != 0 || s->mdcr_el3_clear != 0 || s->rtr != 0 || s->wtr != 0 || s->rtr2_clear != 0 ||
                       s->wtr2_clear != 0 || s->no_fgten2 || s->os_lock || s->hpmn0 || s->e2h || s->uacr != ALL ||
                       (s->userenr & ~USERENR(EN)) != 0;

    return there && !later && !(s->tge && at == AT_SVC_HYP);
}

/* Is @at a place of this PMU's PE, under @s? */
static bool exists(enum place at, const struct setting *s)
{
    if (is_aarch32()) {
        return exists_aarch32(at, s);
    }
    const bool levels32[] = {has(F(AA32EL0)), has(F(AA32EL1)), has(F(AA32EL2))};

    if (places[at].a32 && (places[at].el == 3 || !levels32[places[at].el])) {
        return false;
    }
    if (!places[at].rw_scr && places[at].a32 && !levels32[places[at].secure ? 1 : 2]) {
        return false;
    }
    if (places[at].a32 && places[at].el == 0 && !places[at].rw_hcr && !levels32[1]) {
        return false;
    }
    if (s->tge && places[at].el == 1) {
        return false; /* an illegal return */
    }
    if (s->e2h && (!has(F(VHE)) || (places[at].a32 && !places[at].rw_hcr) || !places[at].rw_scr)) {
        return false;
    }
    if (s->hpmn0 && !has(F(HPMN0))) {
        return false;
    }
    return at != AT_S_EL2 || has(F(SEL2));
}

static struct expect_group control(const struct setting *s, enum place at)
{
    struct expect_group g = {.place = at, .spsr = places[at].spsr};
    const bool el2 = !places[at].secure || has(F(SEL2)); /* Secure EL2 where there is one, so that its controls act */
    const uint64_t hpmn = s->hpmn0 ? 0 : s->hpmn != 0 ? s->hpmn : pmu.cfg.counters;

    snprintf(g.setting, sizeof g.setting, "%s", s->name);
    g.scr = SCR_RES1 | SCR_HCE | (places[at].secure ? 0 : SCR_NS) |
            (places[at].rw_scr && !is_aarch32() ? SCR_RW : 0) |
            (has(F(SEL2)) && places[at].secure && places[at].rw_scr ? SCR_EEL2 : 0) |
            (has(F(FGT)) && !s->no_fgten ? SCR_FGTEN : 0) |
            (has(F(FGT2)) && !s->no_fgten2 ? APMU_MASK(SCR_EL3, FGTEn2) : 0);
    g.hcr = (places[at].rw_hcr && !is_aarch32() ? HCR_RW : 0) | (el2 && s->tge ? HCR_TGE : 0) |
            (el2 && s->e2h ? HCR_E2H : 0);
    g.hstr = s->t9 ? 1u << 9 : 0;
    g.mdcr_el2 = s->mdcr_el2 | APMU_PUT(MDCR_EL2, HPMN, hpmn < pmu.cfg.counters ? hpmn : pmu.cfg.counters);
    g.mdcr_el3 = is_aarch32() ? 0 : ((APMU_MASK(MDCR_EL3, EnPM2) | APMU_MASK(MDCR_EL3, EnPMSS)) & ~s->mdcr_el3_clear) | s->mdcr_el3;
    g.os_lock = s->os_lock;
    g.hdfgrtr = has(F(FGT)) ? s->rtr : 0;
    g.hdfgwtr = has(F(FGT)) ? s->wtr : 0;
    g.hdfgrtr2 = has(F(FGT2)) ? ~s->rtr2_clear : 0;
    g.hdfgwtr2 = has(F(FGT2)) ? ~s->wtr2_clear : 0;
    return g;
}

void look(const struct expect_group *g, unsigned el, bool a32)
{
    pe = (struct apmu_pe){
        .el = (uint8_t)el, .a32 = a32, .dbgen = true, .niden = true, .os_lock = g->os_lock != 0,
        .mdcr_el2 = g->mdcr_el2, .mdcr_el3 = g->mdcr_el3, .hcr_el2 = g->hcr, .scr_el3 = g->scr, .hstr_el2 = g->hstr,
        .hdfgrtr_el2 = g->hdfgrtr, .hdfgwtr_el2 = g->hdfgwtr, .hdfgrtr2_el2 = g->hdfgrtr2, .hdfgwtr2_el2 = g->hdfgwtr2,
    };
}

/* ---------------------------------------------------------------------------------------------------------------
 * The instructions.
 */

#define MAX_STUBS 1024
#define MAX_ROWS 400000
#define MAX_GROUPS 1024

static struct expect_stub stubs[MAX_STUBS];
static struct expect_row rows[MAX_ROWS];
static struct expect_group groups[MAX_GROUPS];
static struct expect_head head = {.magic = EXPECT_MAGIC};

uint16_t stub(uint32_t word, bool a32, const char *name, bool write)
{
    for (uint16_t i = 0; i < head.stubs; i++) {
        if (stubs[i].word == word && stubs[i].a32 == a32) {
            return i;
        }
    }
    if (head.stubs == MAX_STUBS) {
        fprintf(stderr, "expect: more than %d instructions\n", MAX_STUBS);
        exit(2);
    }
    stubs[head.stubs] = (struct expect_stub){.word = word, .a32 = a32};
    snprintf(stubs[head.stubs].name, sizeof stubs[0].name, "%s %s", write ? "write" : "read", name);
    return (uint16_t)head.stubs++;
}

static uint16_t stub64(enum apmu_reg reg, unsigned n, bool write)
{
    char name[24];

    return stub(0xD5000003u | (write ? 0 : 1u << 21) | (apmu_reg_info(reg)->key + n) << 5, false,
                apmu_reg_name(reg, n, name), write);
}

static uint16_t stub32(enum apmu_reg32 reg, unsigned n, bool write)
{
    const unsigned key = apmu_reg32_info(reg)->key + n, opc1 = key >> 11 & 7, crm = key >> 3 & 15;
    char name[24];

    apmu_reg32_name(reg, n, name);
    if ((key & 0x8000u) != 0) {
        return stub(0xEC443F00u | (write ? 0 : 1u << 20) | opc1 << 4 | crm, true, name, write);
    }
    return stub(0xEE003F10u | (write ? 0 : 1u << 20) | opc1 << 21 | (key >> 7 & 15) << 16 | (key & 7) << 5 | crm, true,
                name, write);
}

/* ---------------------------------------------------------------------------------------------------------------
 * What the PE does with the model's answer.
 */

#define RT64 (3u << 5)
#define RT32 (3u << 5)
#define RT2 (4u << 10)

static bool below_hyp(const struct expect_group *g)
{
    return (g->scr & SCR_RW) == 0 && (g->scr & SCR_NS) != 0;
}

/* The syndrome of an UNDEFINED instruction: ARMv7's HSR.IL is UNKNOWN there, which QEMU has as 0. */
static uint32_t uncategorized(void)
{
    return is_aarch32() ? 0 : ESR(0, 0);
}

static void undefined(struct expect_row *r, const struct expect_group *g)
{
    const bool a32_el1 = (g->hcr & HCR_RW) == 0 || (g->scr & SCR_RW) == 0;

    r->esr = uncategorized();
    switch (pe.el) {
    case 3:
        if (!pe.a32) {
            r->taken = TAKEN_EL3;
            return;
        }
        break; /* Secure Undefined mode */
    case 2:
        r->taken = pe.a32 ? TAKEN_HYP_UND : TAKEN_EL2;
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

static void answer(struct expect_row *r, const struct expect_group *g, const struct apmu_access *a, uint32_t registers)
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
 * HSTR_EL2.T9 traps what executes at EL1 even where the access is UNDEFINED otherwise (HSTR_EL2's description).  The PE
 * sees that from the encoding alone; the PMU, and so the model, is not asked.
 */
static bool trapped_by_encoding(struct expect_row *r, const struct expect_group *g, unsigned key, bool write)
{
    const bool pair = (key & 0x8000u) != 0, c9 = (key >> (pair ? 3 : 7) & 15) == 9;

    if (!c9 || (g->hstr >> 9 & 1) == 0 || pe.el != 1 || (g->scr & SCR_NS) == 0) {
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

struct expect_row *new_row(struct expect_group *g)
{
    if (head.rows == MAX_ROWS) {
        fprintf(stderr, "expect: more than %d rows\n", MAX_ROWS);
        exit(2);
    }
    g->count++;
    return &rows[head.rows++];
}

uint64_t random_value(void)
{
    static uint64_t state = 0x9E3779B97F4A7C15u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Reaches every bit, but starts nothing: counts would depend on the image's own instructions. */
static uint64_t value_for(enum apmu_reg reg)
{
    return reg == APMU_REG_PMCR_EL0 ? random_value() & ~APMU_MASK(PMCR_EL0, E) : random_value();
}

/* What EL3 reads of a register after a write of it.  PMSWINC_EL0 and PMZR_EL0 show in counters. */
static uint16_t read_back(struct expect_row *r, const struct expect_group *g, enum apmu_reg reg, unsigned n)
{
    const bool readable = apmu_reg_info(reg)->readable;

    if (!readable || (reg == APMU_REG_PMXEVCNTR_EL0 || reg == APMU_REG_PMXEVTYPER_EL0)) {
        reg = reg == APMU_REG_PMXEVTYPER_EL0 ? APMU_REG_PMEVTYPER_EL0 : APMU_REG_PMEVCNTR_EL0;
        n = 0;
    }
    look(g, 3, false);
    if (apmu_access(&pmu, &pe, reg, n, false).outcome == APMU_ACCESS_UNDEFINED) {
        reg = APMU_REG_PMCNTENSET_EL0;
        n = 0;
    }
    r->result = apmu_peek(&pmu, &pe, reg, n);
    return stub64(reg, n, false);
}

static void access64(struct expect_group *g, enum apmu_reg reg, unsigned n, bool write, uint64_t value, bool setup)
{
    struct expect_row *r = new_row(g);

    r->stub = stub64(reg, n, write);
    r->writes = write;
    r->setup = setup;
    r->value = value;
    look(g, setup ? 3 : places[g->place].el, false);
    const struct apmu_access a = apmu_access(&pmu, &pe, reg, n, write);

    answer(r, g, &a, RT64);
    if (!write) {
        r->result = a.outcome == APMU_ACCESS_OK ? apmu_peek(&pmu, &pe, reg, n) : 0;
        return;
    }
    if (a.outcome == APMU_ACCESS_OK) {
        apmu_poke(&pmu, &pe, reg, n, value, NULL);
    }
    r->back = read_back(r, g, reg, n);
}

/* The same where EL3 reads by MRC. */
static uint16_t read_back32(struct expect_row *r, const struct expect_group *g, enum apmu_reg32 reg, unsigned n)
{
    look(g, 3, true);
    if (!apmu_reg_info(apmu_reg32_info(reg)->of)->readable) {
        reg = APMU_REG32_PMXEVCNTR;
    }
    if (apmu_access_a32(&pmu, &pe, reg, n, false).outcome != APMU_ACCESS_OK) {
        reg = APMU_REG32_PMCNTENSET;
        n = 0;
    }
    r->result = apmu_peek_a32(&pmu, &pe, reg, n);
    return stub32(reg, n, false);
}

static void access32(struct expect_group *g, enum apmu_reg32 reg, unsigned n, bool write, uint64_t value, bool setup)
{
    const struct apmu_reg32_info *info = apmu_reg32_info(reg);
    const bool pair = info->part == APMU_PART_BOTH;
    struct expect_row *r = new_row(g);

    r->stub = stub32(reg, n, write);
    r->writes = write;
    r->setup = setup;
    r->value = value;
    look(g, setup ? 3 : places[g->place].el, true);
    const struct apmu_access a = apmu_access_a32(&pmu, &pe, reg, n, write);

    if (a.outcome != APMU_ACCESS_UNDEFINED || !trapped_by_encoding(r, g, info->key + n, write)) {
        answer(r, g, &a, pair ? RT32 | RT2 : RT32);
    }
    if (!write) {
        r->result = a.outcome == APMU_ACCESS_OK ? apmu_peek_a32(&pmu, &pe, reg, n) : 0;
        return;
    }
    if (a.outcome == APMU_ACCESS_OK) {
        apmu_poke_a32(&pmu, &pe, reg, n, pair ? value : (uint32_t)value, NULL);
    }
    r->back = is_aarch32() ? read_back32(r, g, reg, n) : read_back(r, g, info->of, n);
}

/* Copies at the ends of the ranges; all of them in the first setting. */
static bool worth(unsigned n, unsigned copies, bool all)
{
    const unsigned counters = pmu.cfg.counters;

    return copies == 1 || all || n < 3 || n == counters - 1 || n == counters || n == 30;
}

static void walk(struct expect_group *g, bool all)
{
    if (places[g->place].a32) {
        for (enum apmu_reg32 reg = 0; reg < APMU_REG32_COUNT; reg++) {
            const enum apmu_reg of = apmu_reg32_info(reg)->of;

            for (unsigned n = 0; n < apmu_reg_info(of)->copies; n++) {
                if (worth(n, apmu_reg_info(of)->copies, all)) {
                    access32(g, reg, n, true, value_for(of), false);
                    access32(g, reg, n, false, 0, false);
                }
            }
        }
        return;
    }
    for (enum apmu_reg reg = 0; reg < APMU_REG_COUNT; reg++) {
        for (unsigned n = 0; n < apmu_reg_info(reg)->copies; n++) {
            if (worth(n, apmu_reg_info(reg)->copies, all)) {
                access64(g, reg, n, true, value_for(reg), false);
                access64(g, reg, n, false, 0, false);
            }
        }
    }
}

/* Brings every register to a known value, by MCR: of the counters, the one that PMSELR selects. */
static void initialize32(struct expect_group *g)
{
    for (enum apmu_reg32 reg = 0; reg < APMU_REG32_COUNT; reg++) {
        const bool clears = reg == APMU_REG32_PMCNTENCLR || reg == APMU_REG32_PMINTENCLR || reg == APMU_REG32_PMOVSR;

        if (apmu_reg_info(apmu_reg32_info(reg)->of)->writable) {
            access32(g, reg, 0, true, clears ? ~UINT64_C(0) : 0, true);
        }
    }
    for (unsigned n = 0; n < pmu.cfg.counters; n++) {
        access32(g, APMU_REG32_PMSELR, 0, true, n, true);
        access32(g, APMU_REG32_PMXEVTYPER, 0, true, 0, true);
        access32(g, APMU_REG32_PMXEVCNTR, 0, true, 0, true);
    }
}

/* The same by MSR. */
static void initialize(struct expect_group *g)
{
    for (enum apmu_reg reg = 0; reg < APMU_REG_COUNT; reg++) {
        for (unsigned n = 0; n < apmu_reg_info(reg)->copies; n++) {
            look(g, 3, false);
            if (apmu_reg_info(reg)->writable && apmu_access(&pmu, &pe, reg, n, true).outcome == APMU_ACCESS_OK) {
                const bool clears = reg == APMU_REG_PMCNTENCLR_EL0 || reg == APMU_REG_PMINTENCLR_EL1 ||
                                    reg == APMU_REG_PMOVSCLR_EL0;

                access64(g, reg, n, true, clears ? ~UINT64_C(0) : 0, true);
            }
        }
    }
}

static void setting(const struct setting *s, enum place at)
{
    struct expect_group *g = &groups[head.groups++];

    *g = control(s, at);
    g->first = head.rows;
    if (is_aarch32()) {
        if (head.groups == 1) {
            initialize32(g);
        }
        access32(g, APMU_REG32_PMUSERENR, 0, true, s->userenr, true);
        access32(g, APMU_REG32_PMSELR, 0, true, 0, true);
        walk(g, s == settings);
        return;
    }
    if (head.groups == 1) {
        initialize(g);
    }
    access64(g, APMU_REG_PMUSERENR_EL0, 0, true, s->userenr, true);
    access64(g, APMU_REG_PMSELR_EL0, 0, true, 0, true);
    if (has(F(PMUv3p9))) {
        access64(g, APMU_REG_PMUACR_EL1, 0, true, s->uacr, true);
    }
    walk(g, s == settings);
    if (has(F(PMUv3_EXT)) && s->frame) {
        walk_frame(g);
    }
}

int main(int argc, char **argv)
{
    size_t i = 0;

    while (argc == 2 && i < sizeof pmus / sizeof pmus[0] && strcmp(pmus[i].name, argv[1]) != 0) {
        i++;
    }
    if (argc != 2 || i == sizeof pmus / sizeof pmus[0]) {
        for (i = 0; i < sizeof pmus / sizeof pmus[0]; i++) {
            puts(pmus[i].name);
        }
        return argc != 1;
    }
    const struct apmu_config cfg = {
        .size = sizeof cfg, .features = apmu_features_closure(pmus[i].features), .counters = pmus[i].counters,
        .imp = pmus[i].imp, .idcode = pmus[i].idcode, .thwidth = pmus[i].thwidth, .pmceid = {pmus[i].pmceid0, EVENTS_0020},
        .mpidr = UINT64_C(1) << 31,
    };

    if (apmu_config_check(&cfg) != NULL) {
        fprintf(stderr, "expect: %s: %s\n", argv[1], apmu_config_check(&cfg));
        return 2;
    }
    apmu_init(&pmu, &cfg);
    head.has_fgt = has(F(FGT));
    head.has_fgt2 = has(F(FGT2));
    for (size_t s = 0; s < sizeof settings / sizeof settings[0]; s++) {
        for (enum place at = 0; at < AT_COUNT; at++) {
            if (exists(at, &settings[s])) {
                setting(&settings[s], at);
            }
        }
    }
    return fwrite(&head, sizeof head, 1, stdout) != 1 ||
           fwrite(stubs, sizeof stubs[0], head.stubs, stdout) != head.stubs ||
           fwrite(groups, sizeof groups[0], head.groups, stdout) != head.groups ||
           fwrite(rows, sizeof rows[0], head.rows, stdout) != head.rows;
}
