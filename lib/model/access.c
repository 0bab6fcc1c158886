/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The outcome of an MRS or MSR, and of an MRC, MCR, MRRC or MCRR, of a PMU register.  The checks are in the order of
 * the access pseudocode (D24.5, G8.4).  They are the same for both Execution states, except for the names of controls
 * and the targets of traps.
 */

#include "registers.h"

/*
 * The bits of PMUSERENR_EL0 that allow an access from EL0: columns of access.def.  EN = 1 with UEN = 0 and TID = 0 is
 * enough for all up to USER_EN_TID.
 */
enum user_control { USER_ALL, USER_EN, USER_ER, USER_CR, USER_SW, USER_EN_ONLY, USER_EN_TID, USER_UEN, USER_NONE };
/* The counter that an access is about: a column of access.def. */
enum counter_of_access { CTR_NONE, CTR_CYCLE, CTR_INSTR, CTR_COPY, CTR_SAVED, CTR_SELECTED, CTR_SELECTED_OR_CYCLE };
enum el2_control { EL2_NONE, EL2_TPM, EL2_TPMCR };

/* A fine-grained trap.  .bit is 0 if there is none. */
struct fine_trap {
    uint64_t bit;
    uint16_t offset; /* of the register in struct apmu_pe */
    bool second;     /* of FEAT_FGT2: it traps as 0 */
};

/* A row of access.def. */
struct access_rule {
    uint64_t el3_bits, el3_enables;
    struct fine_trap fine[2]; /* [1] of a write */
    uint8_t user[2];     /* enum user_control */
    uint8_t counter;     /* enum counter_of_access */
    uint8_t el2;         /* enum el2_control */
    uint64_t unused;     /* pads a rule to a cache line */
};
_Static_assert(sizeof(struct access_rule) == 64, "a rule fills a cache line");

#define OFFSET_HDFGRTR_EL2 offsetof(struct apmu_pe, hdfgrtr_el2)
#define OFFSET_HDFGWTR_EL2 offsetof(struct apmu_pe, hdfgwtr_el2)
#define OFFSET_HDFGRTR2_EL2 offsetof(struct apmu_pe, hdfgrtr2_el2)
#define OFFSET_HDFGWTR2_EL2 offsetof(struct apmu_pe, hdfgwtr2_el2)
#define NO_FGT {0, 0, false}
#define FGT(reg, field) {APMU_MASK(reg, field), OFFSET_##reg, false}
#define FGT2(reg, field) {APMU_MASK(reg, field), OFFSET_##reg, true}

/* Column `el3` of access.def: the bits of MDCR_EL3 that trap, and those of them that trap when they are 0. */
#define CLOSES_TPM APMU_MASK(MDCR_EL3, TPM), 0
#define CLOSES_EnPM2 APMU_MASK(MDCR_EL3, TPM) | APMU_MASK(MDCR_EL3, EnPM2), APMU_MASK(MDCR_EL3, EnPM2)
#define CLOSES_EnPMSS APMU_MASK(MDCR_EL3, EnPMSS), APMU_MASK(MDCR_EL3, EnPMSS)

static const struct access_rule access_rules[APMU_REG_COUNT] = {
#define APMU_ACCESS(id, user_read, user_write, counter, read_trap, write_trap, el2, el3) \
    [APMU_REG_##id] = {CLOSES_##el3, {read_trap, write_trap}, {USER_##user_read, USER_##user_write}, CTR_##counter, \
                       EL2_##el2, 0},
#include <armpmu/tables/access.def>
};

/* Tables for accesses that do not succeed: names of fine-grained traps, "HDFGRTR_EL2.PMOVS", and encodings. */
#undef NO_FGT
#undef FGT
#undef FGT2
#define NO_FGT ""
#define FGT(reg, field) #reg "." #field
#define FGT2(reg, field) #reg "." #field

static const char *const fine_names[APMU_REG_COUNT][2] = {
#define APMU_ACCESS(id, user_read, user_write, counter, read_trap, write_trap, el2, el3) \
    [APMU_REG_##id] = {read_trap, write_trap},
#include <armpmu/tables/access.def>
};

static const uint16_t keys[APMU_REG_COUNT] = {
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    [APMU_REG_##id] = APMU_A64_KEY(op0, op1, crn, crm, op2),
#include <armpmu/tables/registers.def>
};

/* Each register has one row: there are as many rows as registers, and two for one register do not compile. */
enum {
#define APMU_ACCESS(id, user_read, user_write, counter, read_trap, write_trap, el2, el3) ROW_##id,
#include <armpmu/tables/access.def>
    ROWS
};
_Static_assert((int)ROWS == (int)APMU_REG_COUNT, "a register without an access row");

static inline struct apmu_access answer(enum apmu_outcome outcome, const char *control)
{
    return (struct apmu_access){.outcome = outcome, .gate = APMU_GATE_ALWAYS, .control = control};
}

/* One access to one register, from either Execution state. */
struct access_attempt {
    const struct access_rule *rule;
    enum apmu_reg reg;
    unsigned m;       /* the counter that it is about, or APMU_COUNTERS */
    bool write;
    bool a32;        /* by MRC, MCR, MRRC or MCRR */
    bool el1_a32;    /* .a32, and EL1 uses AArch32 */
    bool el2_a32;    /* .a32, and EL2 uses AArch32: traps to EL2 are taken to Hyp mode */
    bool hstr_t9;    /* .a32, and the primary coprocessor register is c9 */
    bool pair;       /* by MRRC or MCRR */
    unsigned key;    /* the encoding: APMU_A64_KEY, APMU_A32_KEY or APMU_A32_KEY_PAIR */
};

/* Returns the ISS of an MRS or MSR: op0 21:20, op2 19:17, op1 16:14, CRn 13:10, CRm 4:1, direction 0. */
static uint32_t iss_a64(unsigned key, bool write)
{
    return (key >> 14 & 3u) << 20 | (key & 7u) << 17 | (key >> 11 & 7u) << 14 | (key >> 7 & 15u) << 10 |
           (key >> 3 & 15u) << 1 | (write ? 0u : 1u);
}

/*
 * Returns the ISS of an MRC or MCR: CV 24, COND 23:20, opc2 19:17, opc1 16:14, and the rest as above; of an MRRC or
 * MCRR: opc1 19:16.
 */
static uint32_t iss_a32(unsigned key, bool pair, bool write)
{
    const uint32_t always = 1u << 24 | 14u << 20;

    if (pair) {
        return always | (key >> 3 & 15u) << 1 | (write ? 0u : 1u); /* only PMCCNTR, whose opc1 is 0 */
    }
    return always | iss_a64(key & 0x3FFFu, write);
}

enum { EC_MCR = 0x03, EC_MCRR = 0x04, EC_MSR = 0x18, EC_ABORT_LOWER = 0x24, EC_ABORT_SAME = 0x25 };

static struct apmu_access trap(const struct access_attempt *a, unsigned el, const char *control)
{
    return (struct apmu_access){
        .outcome = APMU_ACCESS_TRAP,
        .gate = APMU_GATE_ALWAYS,
        .control = control,
        .el = (uint8_t)el,
        .hyp = el == 2 && a->el2_a32,
        .ec = !a->a32 ? EC_MSR : a->pair ? EC_MCRR : EC_MCR,
        .iss = a->a32 ? iss_a32(a->key, a->pair, a->write) : iss_a64(a->key, a->write),
    };
}

#define USERENR(a, field) ((a)->el1_a32 ? "PMUSERENR." field : "PMUSERENR_EL0." field)
#define HDCR(a, field) ((a)->el2_a32 ? "HDCR." field : "MDCR_EL2." field)

/* Returns the field of PMUSERENR_EL0 that refuses EL0 the access, or NULL.  If EL1 uses AArch32, UEN has no effect. */
static const char *user_refuses(const struct apmu *p, const struct access_attempt *a)
{
    const bool p9 = apmu_has(p, APMU_FEAT(PMUv3p9));
    const bool en = APMU_GET(PMUSERENR_EL0, EN, p->userenr) != 0;
    const bool uen = p9 && !a->el1_a32 && APMU_GET(PMUSERENR_EL0, UEN, p->userenr) != 0;

    switch ((enum user_control)a->rule->user[a->write]) {
    case USER_EN:
        return en || uen ? NULL : USERENR(a, "EN");
    case USER_ER:
        return en || uen || APMU_GET(PMUSERENR_EL0, ER, p->userenr) != 0 ? NULL : USERENR(a, "{ER, EN}");
    case USER_CR:
        return en || uen || APMU_GET(PMUSERENR_EL0, CR, p->userenr) != 0 ? NULL : USERENR(a, "{CR, EN}");
    case USER_SW:
        return en || uen || APMU_GET(PMUSERENR_EL0, SW, p->userenr) != 0 ? NULL : USERENR(a, "{SW, EN}");
    case USER_UEN:
        return uen ? NULL : USERENR(a, "UEN");
    case USER_EN_ONLY:
        return en && !uen ? NULL : uen ? USERENR(a, "UEN") : USERENR(a, "EN");
    case USER_EN_TID:
        if (!en && !uen) {
            return USERENR(a, "EN");
        }
        return p9 && APMU_GET(PMUSERENR_EL0, TID, p->userenr) != 0 ? USERENR(a, "TID") : NULL;
    default:
        return NULL;
    }
}

/*
 * Returns the outcome of an access from EL0 that PMUSERENR_EL0 refuses: a trap to EL1, or where HCR_EL2.TGE routes it.
 */
static struct apmu_access user_refused(const struct apmu *p, const struct apmu_pe *pe, const struct access_attempt *a,
                                       const char *control)
{
    const bool tge = apmu_el2_enabled(p, pe) && APMU_GET(HCR_EL2, TGE, pe->hcr_el2) != 0;

    if (tge && a->el2_a32) { /* an UNDEFINED exception that is routed to Hyp mode, which has no syndrome */
        struct apmu_access hyp = trap(a, 2, control);
        hyp.ec = 0;
        hyp.iss = 0;
        return hyp;
    }
    if (tge) {
        return trap(a, 2, control);
    }
    return a->el1_a32 ? answer(APMU_ACCESS_UNDEFINED, control) : trap(a, 1, control);
}

/* Returns the bit of @fine if it has the value that traps, else 0. */
static APMU_FOLDED uint64_t fine_closed(const struct apmu_pe *pe, const struct fine_trap *fine)
{
    const uint64_t value = *(const uint64_t *)(const void *)((const unsigned char *)pe + fine->offset);

    return (fine->second ? ~value : value) & fine->bit;
}

static bool fine_traps(const struct apmu *p, const struct apmu_pe *pe, const struct access_attempt *a)
{
    const bool el3 = apmu_have_el(&p->cfg, 3);
    const struct fine_trap *fine = &a->rule->fine[a->write];
    const bool closed = fine_closed(pe, fine) != 0;
    bool traps;

    if (!fine->second) {
        traps = closed && apmu_has(p, APMU_FEAT(FGT)) && (!el3 || APMU_GET(SCR_EL3, FGTEn, pe->scr_el3) != 0);
    } else {
        traps = apmu_has(p, APMU_FEAT(FGT2)) && (closed || (el3 && APMU_GET(SCR_EL3, FGTEn2, pe->scr_el3) == 0));
    }
    return traps && !a->el1_a32 && !(pe->el == 0 && apmu_el0_in_host(p, pe));
}

/* Returns the EL2 control that traps this access from EL1 or EL0, or NULL. */
static const char *el2_traps(const struct apmu *p, const struct apmu_pe *pe, const struct access_attempt *a)
{
    const enum el2_control control = (enum el2_control)a->rule->el2;

    if (a->hstr_t9 && APMU_GET(HSTR_EL2, T9, pe->hstr_el2) != 0 && !(pe->el == 0 && apmu_el0_in_host(p, pe))) {
        return a->el2_a32 ? "HSTR.T9" : "HSTR_EL2.T9";
    }
    if (fine_traps(p, pe, a)) {
        return fine_names[a->reg][a->write];
    }
    if (control != EL2_NONE && APMU_GET(MDCR_EL2, TPM, pe->mdcr_el2) != 0) {
        return HDCR(a, "TPM");
    }
    return control == EL2_TPMCR && APMU_GET(MDCR_EL2, TPMCR, pe->mdcr_el2) != 0 ? HDCR(a, "TPMCR") : NULL;
}

/* Returns the field of MDCR_EL3 that traps this access from a lower Exception level, or NULL. */
static const char *el3_traps(const struct apmu *p, const struct apmu_pe *pe, const struct access_attempt *a)
{
    const uint64_t closed = (pe->mdcr_el3 ^ a->rule->el3_enables) & a->rule->el3_bits;

    if (closed == 0 || !apmu_have_el(&p->cfg, 3) || pe->el == 3 || (a->a32 && apmu_el_is_a32(p, pe, 3))) {
        return NULL; /* SDCR traps nothing of the PMU */
    }
    if ((closed & APMU_MASK(MDCR_EL3, EnPMSS)) != 0) {
        return "MDCR_EL3.EnPMSS";
    }
    return (closed & APMU_MASK(MDCR_EL3, EnPM2)) != 0 ? "MDCR_EL3.EnPM2" : "MDCR_EL3.TPM";
}

/* Returns the counter that the access is about, or APMU_COUNTERS. */
static APMU_FOLDED unsigned counter_of(const struct apmu *p, const struct access_rule *rule, unsigned n)
{
    switch ((enum counter_of_access)rule->counter) {
    case CTR_CYCLE:
        return APMU_CYCLE;
    case CTR_INSTR:
        return APMU_INSTR;
    case CTR_COPY:
    case CTR_SAVED:
        return n;
    case CTR_SELECTED:
    case CTR_SELECTED_OR_CYCLE:
        return (unsigned)APMU_GET(PMSELR_EL0, SEL, p->selr);
    default:
        return APMU_COUNTERS;
    }
}

/*
 * Returns true if the access is about an event counter from number @reach on.  SEL = 31 is such a counter too, except
 * for PMXEVTYPER_EL0 (in PMUv1 for that as well).
 */
static bool beyond(const struct apmu *p, const struct access_attempt *a, unsigned reach)
{
    switch ((enum counter_of_access)a->rule->counter) {
    case CTR_COPY:
    case CTR_SAVED:
    case CTR_SELECTED:
        return a->m >= reach;
    case CTR_SELECTED_OR_CYCLE:
        return a->m >= reach && (a->m != APMU_CYCLE || apmu_holds(&p->cfg, APMU_GATE_ARMV7_v1, 0));
    default:
        return false;
    }
}

/* Returns false if such an access is CONSTRAINED UNPREDICTABLE: without FEAT_FGT, except to a saved counter. */
static bool beyond_is_defined(const struct apmu *p, const struct access_attempt *a)
{
    return apmu_has(p, APMU_FEAT(FGT)) || a->rule->counter == CTR_SAVED;
}

/*
 * PMUSERENR_EL0.UEN and PMUACR_EL1 apply at EL0 below an EL1 that uses AArch64, according to their descriptions and to
 * the masks.  The pseudocode of AArch32 accesses tests EL2 instead.  They then apply below an AArch32 EL1 too.  Without
 * EL2, the pseudocode tests an Exception level that does not exist; this function follows the prose there.
 */
static bool prose_differs_a32_uen_asks_el2(const struct apmu *p, const struct access_attempt *a)
{
    if ((p->cfg.features & APMU_FEAT(AA64EL1)) == 0) {
        return false;
    }
    return apmu_have_el(&p->cfg, 2) ? !a->el2_a32 : !a->el1_a32;
}

/* Returns what makes an access from EL0 with PMUSERENR_EL0.UEN read as zero or be ignored, or NULL. */
static const char *user_ignores(const struct apmu *p, const struct access_attempt *a)
{
    const unsigned m = a->m;

    if (a->a32 && !prose_differs_a32_uen_asks_el2(p, a)) {
        return NULL;
    }
    if (m >= APMU_COUNTERS || !apmu_has(p, APMU_FEAT(PMUv3p9)) || APMU_GET(PMUSERENR_EL0, UEN, p->userenr) == 0) {
        return NULL;
    }
    if (!apmu_bit(p->uacr, m)) {
        return "PMUACR_EL1";
    }
    if (!a->write) {
        return NULL;
    }
    if (m == APMU_INSTR) {
        return APMU_GET(PMUSERENR_EL0, IR, p->userenr) != 0 ? "PMUSERENR_EL0.IR" : NULL;
    }
    if (m == APMU_CYCLE) {
        return APMU_GET(PMUSERENR_EL0, CR, p->userenr) != 0 ? "PMUSERENR_EL0.CR" : NULL;
    }
    return APMU_GET(PMUSERENR_EL0, ER, p->userenr) != 0 ? "PMUSERENR_EL0.ER" : NULL;
}

/* Returns the outcome that the access pseudocode gives for a register that is implemented. */
static struct apmu_access decide(const struct apmu *p, const struct apmu_pe *pe, const struct access_attempt *a)
{
    if (beyond(p, a, apmu_third_range(p))) { /* GetNumEventCountersSelfHosted() */
        return answer(beyond_is_defined(p, a) ? APMU_ACCESS_UNDEFINED : APMU_ACCESS_UNPREDICTABLE, "PMCR_EL0.N");
    }
    if (pe->el == 0 && a->rule->user[a->write] == USER_NONE) {
        return answer(APMU_ACCESS_UNDEFINED, "EL0");
    }
    const char *control = el3_traps(p, pe, a);
    const char *el3 = control;
    const bool sdd = pe->halted && pe->sdd; /* EL3SDDUndef() */

    if (el3 != NULL && sdd && p->cfg.sdd_undef_priority) {
        return answer(APMU_ACCESS_UNDEFINED, el3);
    }
    if (pe->el == 0 && (control = user_refuses(p, a)) != NULL) {
        return user_refused(p, pe, a, control);
    }
    if (pe->el < 2 && apmu_el2_enabled(p, pe)) {
        if ((control = el2_traps(p, pe, a)) != NULL) {
            return trap(a, 2, control);
        }
        if (beyond(p, a, apmu_second_range(p, pe))) { /* GetNumEventCountersAccessible() */
            return beyond_is_defined(p, a) ? trap(a, 2, HDCR(a, "HPMN"))
                                           : answer(APMU_ACCESS_UNPREDICTABLE, HDCR(a, "HPMN"));
        }
    }
    if (el3 != NULL) {
        return sdd ? answer(APMU_ACCESS_UNDEFINED, el3) : trap(a, 3, el3);
    }
    if (pe->el == 0 && (control = user_ignores(p, a)) != NULL) {
        return answer(a->write ? APMU_ACCESS_WI : APMU_ACCESS_RAZ, control);
    }
    return answer(APMU_ACCESS_OK, "");
}

/* Returns true if some implementation has such a register. */
static inline bool is_register(const struct apmu_row *row, unsigned n, bool write)
{
    return n < row->copies && row->allows[write];
}

static struct apmu_access no_register(void)
{
    return answer(APMU_ACCESS_UNDEFINED, "no such register");
}

static struct apmu_access not_implemented(enum apmu_gate gate)
{
    struct apmu_access a = answer(APMU_ACCESS_UNDEFINED, "not implemented");

    a.gate = (uint8_t)gate;
    return a;
}

APMU_COLD struct apmu_access apmu_access_decided(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg,
                                                 unsigned n, bool write)
{
    if (reg >= APMU_REG_COUNT || !is_register(&apmu_rows[reg], n, write)) {
        return no_register();
    }
    if (!apmu_reg_implemented(p, reg)) {
        return not_implemented((enum apmu_gate)apmu_rows[reg].gate);
    }
    if (!apmu_has(p, APMU_FEAT(AA64))) {
        return not_implemented(APMU_GATE_AA64);
    }
    const struct access_rule *rule = &access_rules[reg];
    const struct access_attempt a = {
        .rule = rule,
        .reg = reg,
        .m = counter_of(p, rule, n),
        .write = write,
        .key = keys[reg] + n,
    };
    return decide(p, pe, &a);
}

/*
 * The plain case: no control of EL2 or EL3 requests a trap, the counter is in the first range, and an access from EL0
 * is one that PMUSERENR_EL0.EN alone allows.  In other cases the access may succeed too.
 */
bool apmu_access_is_plain(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n, bool write)
{
    const uint64_t user = APMU_MASK(PMUSERENR_EL0, EN) | APMU_MASK(PMUSERENR_EL0, UEN) | APMU_MASK(PMUSERENR_EL0, TID);
    const uint64_t tpm = APMU_MASK(MDCR_EL2, TPM) | APMU_MASK(MDCR_EL2, TPMCR);

    if (reg >= APMU_REG_COUNT || !is_register(&apmu_rows[reg], n, write) || !apmu_reg_implemented(p, reg) ||
        !apmu_has(p, APMU_FEAT(AA64))) {
        return false;
    }
    const struct access_rule *rule = &access_rules[reg];
    const struct fine_trap *fine = &rule->fine[write];
    const uint64_t el3 = (pe->mdcr_el3 ^ rule->el3_enables) & rule->el3_bits;
    const uint64_t el2 = (pe->mdcr_el2 & tpm) | fine_closed(pe, fine) |
                         (fine->second ? ~pe->scr_el3 & APMU_MASK(SCR_EL3, FGTEn2) : 0);

    if ((el3 != 0 && pe->el != 3 && apmu_have_el(&p->cfg, 3)) || (el2 != 0 && pe->el < 2 && apmu_have_el(&p->cfg, 2)) ||
        (rule->counter >= CTR_COPY && counter_of(p, rule, n) >= apmu_second_range(p, pe))) {
        return false;
    }
    return pe->el != 0 || ((p->userenr & user) == APMU_MASK(PMUSERENR_EL0, EN) && rule->user[write] <= USER_EN_TID);
}

struct apmu_access apmu_access_a32(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg32 reg, unsigned n,
                                   bool write)
{
    const struct apmu_row32 *row = &apmu_rows32[reg < APMU_REG32_COUNT ? reg : 0];
    const enum apmu_reg of = (enum apmu_reg)row->of;

    if (reg >= APMU_REG32_COUNT || !is_register(&apmu_rows[of], n, write)) {
        return no_register();
    }
    if (!apmu_reg_implemented(p, of)) {
        return not_implemented((enum apmu_gate)apmu_rows[of].gate);
    }
    if (!apmu_reg32_exists(&p->cfg, reg)) {
        return not_implemented(apmu_has(p, APMU_FEAT(AA32)) ? (enum apmu_gate)row->gate : APMU_GATE_AA32);
    }
    const bool pair = row->part == APMU_PART_BOTH;
    const unsigned key = row->key + n;
    const struct access_rule *rule = &access_rules[of];
    const struct access_attempt a = {
        .rule = rule,
        .reg = of,
        .m = counter_of(p, rule, n),
        .write = write,
        .a32 = true,
        .el1_a32 = apmu_el_is_a32(p, pe, 1),
        .el2_a32 = apmu_have_el(&p->cfg, 2) && apmu_el_is_a32(p, pe, 2),
        .hstr_t9 = (pair ? key >> 3 & 15u : key >> 7 & 15u) == 9,
        .pair = pair,
        .key = key,
    };
    return decide(p, pe, &a);
}

/* Returns the syndrome of class @ec: EC 31:26, IL 25 (no PMU access is a 16-bit instruction), ISS 24:0. */
static uint64_t syndrome(unsigned ec, uint32_t iss)
{
    return (uint64_t)ec << 26 | UINT64_C(1) << 25 | iss;
}

/* Adds to the ISS of a trap what it has of the instruction: Rt 9:5; in AArch32 COND 23:20, and of a pair Rt2 14:10. */
static uint32_t iss_of_transfer(const struct apmu_access *access, const struct apmu_transfer *by)
{
    const uint32_t rt_mask = access->hyp ? 15 : 31; /* the HSR has four bits of each register */
    const uint32_t rt = (by->rt & rt_mask) << 5;

    if (access->ec == EC_MSR) {
        return access->iss | rt;
    }
    return (access->iss & ~UINT32_C(0xF00000)) | (by->cond & UINT32_C(15)) << 20 | rt |
           (access->ec == EC_MCRR ? (by->rt2 & rt_mask) << 10 : 0);
}

uint64_t apmu_access_esr(const struct apmu_access *access, const struct apmu_transfer *by)
{
    enum { EXTERNAL_ABORT = 0x10, WNR = 1 << 6 }; /* DFSC and WnR; ISV and EA are 0, so Rt and the size are not told */

    switch (access->outcome) {
    case APMU_ACCESS_TRAP:
        return syndrome(access->ec, access->ec == 0 ? 0 : iss_of_transfer(access, by));
    case APMU_ACCESS_UNDEFINED:
        return syndrome(0, 0);
    case APMU_ACCESS_ERROR:
        return syndrome(by->lower ? EC_ABORT_LOWER : EC_ABORT_SAME, EXTERNAL_ABORT | (by->write ? WNR : 0));
    default:
        return 0;
    }
}
