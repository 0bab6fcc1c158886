/* SPDX-License-Identifier: BSD-2-Clause */
/* May the PE do this?  MRS and MSR of the PMU's registers, in the order of the access pseudocode (D24.5). */

#include "registers.h"

enum user { USER_ALL, USER_NONE, USER_EN, USER_ER, USER_CR, USER_SW, USER_UEN, USER_EN_ONLY, USER_EN_TID };
enum counter { CTR_NONE, CTR_CYCLE, CTR_INSTR, CTR_COPY, CTR_SAVED, CTR_SELECTED, CTR_SELECTED_OR_CYCLE };
enum el2_control { EL2_NONE, EL2_TPM, EL2_TPMCR };
enum el3_control { EL3_TPM, EL3_EnPM2, EL3_EnPMSS };
enum trap_register { NO_TRAP, TRAP_HDFGRTR_EL2, TRAP_HDFGWTR_EL2, TRAP_HDFGRTR2_EL2, TRAP_HDFGWTR2_EL2 };

/* A fine-grained trap. */
struct fine {
    enum trap_register reg;
    uint8_t bit;
    bool traps_on;       /* the value of the bit that traps */
    const char *control; /* "HDFGRTR_EL2.PMOVS" */
};

struct rule {
    enum user user[2]; /* [1] of a write */
    enum counter counter;
    struct fine fine[2];
    enum el2_control el2;
    enum el3_control el3;
};

#define NO_FGT {NO_TRAP, 0, true, ""}
#define FGT(reg, field) {TRAP_##reg, APMU_##reg##_##field##_LSB, true, #reg "." #field}
#define FGT2(reg, field) {TRAP_##reg, APMU_##reg##_##field##_LSB, false, #reg "." #field}

static const struct rule access_rules[APMU_REG_COUNT] = {
#define ACCESS(id, user_read, user_write, counter, read_trap, write_trap, el2, el3) \
    [APMU_REG_##id] = {{USER_##user_read, USER_##user_write}, CTR_##counter, {read_trap, write_trap}, EL2_##el2, \
                       EL3_##el3},
#include <armpmu/tables/access.def>
};

/* One row for each register: the rows are as many, and two for one register would not compile. */
enum {
#define ACCESS(id, user_read, user_write, counter, read_trap, write_trap, el2, el3) ROW_##id,
#include <armpmu/tables/access.def>
    ROWS
};
_Static_assert((int)ROWS == (int)APMU_REG_COUNT, "a register without an access row");

static struct apmu_access answer(enum apmu_outcome outcome, const char *control)
{
    return (struct apmu_access){.outcome = outcome, .control = control};
}

/* A trap of an MRS or MSR: the syndrome's ISS has op0 21:20, op2 19:17, op1 16:14, CRn 13:10, CRm 4:1, direction 0. */
static struct apmu_access trap(unsigned el, unsigned key, bool write, const char *control)
{
    const uint32_t iss = (key >> 14 & 3u) << 20 | (key & 7u) << 17 | (key >> 11 & 7u) << 14 | (key >> 7 & 15u) << 10 |
                         (key >> 3 & 15u) << 1 | (write ? 0u : 1u);
    return (struct apmu_access){
        .outcome = APMU_ACCESS_TRAP, .control = control, .el = (uint8_t)el, .ec = 0x18, .iss = iss,
    };
}

/* What of PMUSERENR_EL0 keeps EL0 out, or NULL. */
static const char *user_refuses(const struct apmu *p, enum user user)
{
    const bool en = APMU_GET(PMUSERENR_EL0, EN, p->userenr) != 0;
    const bool uen = apmu_has(p, APMU_FEAT(PMUv3p9)) && APMU_GET(PMUSERENR_EL0, UEN, p->userenr) != 0;

    switch (user) {
    case USER_EN:
        return en || uen ? NULL : "PMUSERENR_EL0.EN";
    case USER_ER:
        return en || uen || APMU_GET(PMUSERENR_EL0, ER, p->userenr) != 0 ? NULL : "PMUSERENR_EL0.{ER, EN}";
    case USER_CR:
        return en || uen || APMU_GET(PMUSERENR_EL0, CR, p->userenr) != 0 ? NULL : "PMUSERENR_EL0.{CR, EN}";
    case USER_SW:
        return en || uen || APMU_GET(PMUSERENR_EL0, SW, p->userenr) != 0 ? NULL : "PMUSERENR_EL0.{SW, EN}";
    case USER_UEN:
        return uen ? NULL : "PMUSERENR_EL0.UEN";
    case USER_EN_ONLY:
        return en && !uen ? NULL : uen ? "PMUSERENR_EL0.UEN" : "PMUSERENR_EL0.EN";
    case USER_EN_TID:
        if (!en && !uen) {
            return "PMUSERENR_EL0.EN";
        }
        return apmu_has(p, APMU_FEAT(PMUv3p9)) && APMU_GET(PMUSERENR_EL0, TID, p->userenr) != 0 ? "PMUSERENR_EL0.TID"
                                                                                                : NULL;
    default:
        return NULL;
    }
}

static bool fine_traps(const struct apmu *p, const struct apmu_pe *pe, const struct fine *fine)
{
    const bool el3 = apmu_have_el(&p->cfg, 3);
    uint64_t value = 0;

    if (pe->el == 0 && apmu_el0_in_host(p, pe)) {
        return false;
    }
    switch (fine->reg) {
    case NO_TRAP:
        return false;
    case TRAP_HDFGRTR_EL2:
        value = pe->hdfgrtr_el2;
        break;
    case TRAP_HDFGWTR_EL2:
        value = pe->hdfgwtr_el2;
        break;
    case TRAP_HDFGRTR2_EL2:
        value = pe->hdfgrtr2_el2;
        break;
    case TRAP_HDFGWTR2_EL2:
        value = pe->hdfgwtr2_el2;
        break;
    }
    const bool matches = apmu_bit(value, fine->bit) == fine->traps_on;
    if (fine->traps_on) {
        return apmu_has(p, APMU_FEAT(FGT)) && matches && (!el3 || APMU_GET(SCR_EL3, FGTEn, pe->scr_el3) != 0);
    }
    return apmu_has(p, APMU_FEAT(FGT2)) && (matches || (el3 && APMU_GET(SCR_EL3, FGTEn2, pe->scr_el3) == 0));
}

/* What of MDCR_EL2 traps EL1 and EL0, or NULL. */
static const char *el2_traps(const struct apmu_pe *pe, enum el2_control control)
{
    if (control != EL2_NONE && APMU_GET(MDCR_EL2, TPM, pe->mdcr_el2) != 0) {
        return "MDCR_EL2.TPM";
    }
    return control == EL2_TPMCR && APMU_GET(MDCR_EL2, TPMCR, pe->mdcr_el2) != 0 ? "MDCR_EL2.TPMCR" : NULL;
}

/* What of MDCR_EL3 traps all lower Exception levels, or NULL. */
static const char *el3_traps(const struct apmu *p, const struct apmu_pe *pe, enum el3_control control)
{
    if (!apmu_have_el(&p->cfg, 3) || pe->el == 3) {
        return NULL;
    }
    switch (control) {
    case EL3_EnPMSS:
        return APMU_GET(MDCR_EL3, EnPMSS, pe->mdcr_el3) == 0 ? "MDCR_EL3.EnPMSS" : NULL;
    case EL3_EnPM2:
        if (APMU_GET(MDCR_EL3, EnPM2, pe->mdcr_el3) == 0) {
            return "MDCR_EL3.EnPM2";
        }
        break;
    default:
        break;
    }
    return APMU_GET(MDCR_EL3, TPM, pe->mdcr_el3) != 0 ? "MDCR_EL3.TPM" : NULL;
}

/* The counter that the access is about, or APMU_COUNTERS. */
static unsigned counter_of(const struct apmu *p, enum counter counter, unsigned n)
{
    switch (counter) {
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

/* An event counter beyond @reach; SEL = 31 is one too, except for PMXEVTYPER_EL0. */
static bool beyond(enum counter counter, unsigned m, unsigned reach)
{
    switch (counter) {
    case CTR_COPY:
    case CTR_SAVED:
    case CTR_SELECTED:
        return m >= reach;
    case CTR_SELECTED_OR_CYCLE:
        return m != APMU_CYCLE && m >= reach;
    default:
        return false;
    }
}

/* With PMUSERENR_EL0.UEN, what makes an access from EL0 read as zero or a write ignored, or NULL. */
static const char *user_ignores(const struct apmu *p, unsigned m, bool write)
{
    if (m >= APMU_COUNTERS || !apmu_has(p, APMU_FEAT(PMUv3p9)) || APMU_GET(PMUSERENR_EL0, UEN, p->userenr) == 0) {
        return NULL;
    }
    if (!apmu_bit(p->uacr, m)) {
        return "PMUACR_EL1";
    }
    if (!write) {
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

struct apmu_access apmu_access(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n,
                               bool write)
{
    if (reg >= APMU_REG_COUNT) {
        return answer(APMU_ACCESS_UNDEFINED, "no such register");
    }
    const struct apmu_reg_info *info = apmu_reg_info(reg);
    if (n >= info->copies || !(write ? info->writable : info->readable)) {
        return answer(APMU_ACCESS_UNDEFINED, "no such register");
    }
    if (!apmu_holds(&p->cfg, info->gate, n) || !apmu_has(p, APMU_FEAT(AA64))) {
        return answer(APMU_ACCESS_UNDEFINED, apmu_gate_text(info->gate));
    }
    const struct rule *rule = &access_rules[reg];
    const unsigned key = info->key + n;
    const unsigned m = counter_of(p, rule->counter, n);
    const bool fgt = apmu_has(p, APMU_FEAT(FGT));

    if (beyond(rule->counter, m, apmu_epmn(p, pe))) { /* GetNumEventCountersSelfHosted() */
        return answer(fgt || rule->counter == CTR_SAVED ? APMU_ACCESS_UNDEFINED : APMU_ACCESS_UNPREDICTABLE,
                      "PMCR_EL0.N");
    }
    if (pe->el == 0 && rule->user[write] == USER_NONE) {
        return answer(APMU_ACCESS_UNDEFINED, "EL0");
    }
    const char *control = el3_traps(p, pe, rule->el3);
    const char *el3 = control;
    const bool sdd = pe->halted && pe->sdd; /* EL3SDDUndef() */

    if (el3 != NULL && sdd && p->cfg.sdd_undef_priority) {
        return answer(APMU_ACCESS_UNDEFINED, el3);
    }
    const bool el2 = pe->el < 2 && apmu_el2_enabled(p, pe);
    if (pe->el == 0 && (control = user_refuses(p, rule->user[write])) != NULL) {
        return trap(el2 && APMU_GET(HCR_EL2, TGE, pe->hcr_el2) != 0 ? 2 : 1, key, write, control);
    }
    if (el2) {
        if (fine_traps(p, pe, &rule->fine[write])) {
            return trap(2, key, write, rule->fine[write].control);
        }
        if ((control = el2_traps(pe, rule->el2)) != NULL) {
            return trap(2, key, write, control);
        }
        if (beyond(rule->counter, m, apmu_accessible(p, pe))) {
            return fgt || rule->counter == CTR_SAVED ? trap(2, key, write, "MDCR_EL2.HPMN")
                                                     : answer(APMU_ACCESS_UNPREDICTABLE, "MDCR_EL2.HPMN");
        }
    }
    if (el3 != NULL) {
        return sdd ? answer(APMU_ACCESS_UNDEFINED, el3) : trap(3, key, write, el3);
    }
    if (pe->el == 0 && (control = user_ignores(p, m, write)) != NULL) {
        return answer(write ? APMU_ACCESS_WI : APMU_ACCESS_RAZ, control);
    }
    return answer(APMU_ACCESS_OK, "");
}
