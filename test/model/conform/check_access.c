/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of the access pseudocode of MRS and MSR, and of MRC, MCR, MRRC and MCRR. */

#include <string.h>

#include "conform.h"

/* Values of the outcome column. */
enum {
    UNDEFINED = 1, UNPREDICTABLE, PERFORMED, READ_AS_ZERO, WRITE_IGNORED, ON_PMCCFILTR, TRAP_TO_EL0 = 16,
    HYP_TRAP = 20, HYP_TRAP_OF_UNDEFINED
};

/* The accessor that a row names: a register in one of the views, and the direction. */
struct accessor {
    enum apmu_reg reg;
    enum apmu_reg32 reg32; /* or APMU_REG32_COUNT */
    bool write;
};

/*
 * Parses "PMCR_EL0_R", "PMEVCNTRn_EL0_W", and in AArch32 "PMCR_R", "PMEVCNTRn_W".  The name of a bank has an n; the
 * number of the copy is in another column.  Returns false if there is no such register.
 */
static bool accessor(const char *text, struct accessor *a)
{
    char name[32];
    unsigned n;
    const size_t length = strlen(text);

    if (length < 3 || length >= sizeof name || text[length - 2] != '_') {
        return false;
    }
    memcpy(name, text, length - 2);
    name[length - 2] = '\0';
    a->write = text[length - 1] == 'W';
    for (char *c = name; *c != '\0'; c++) {
        *c = *c == 'n' ? '0' : *c; /* copy 0 stands for its bank */
    }
    a->reg32 = APMU_REG32_COUNT;
    return apmu_reg_by_name(name, &a->reg, &n) || apmu_reg32_by_name(name, &a->reg32, &n);
}

static unsigned outcome_of(const struct apmu_access *a, unsigned ec, bool on_pmccfiltr)
{
    switch (a->outcome) {
    case APMU_ACCESS_OK:
        return on_pmccfiltr ? ON_PMCCFILTR : PERFORMED;
    case APMU_ACCESS_RAZ:
        return READ_AS_ZERO;
    case APMU_ACCESS_WI:
        return WRITE_IGNORED;
    case APMU_ACCESS_UNDEFINED:
        return UNDEFINED;
    case APMU_ACCESS_UNPREDICTABLE:
        return UNPREDICTABLE;
    default:
        break;
    }
    if (a->hyp && a->ec == 0) {
        return a->iss == 0 ? HYP_TRAP_OF_UNDEFINED : 0;
    }
    return a->ec != ec ? 0 : a->hyp ? HYP_TRAP : TRAP_TO_EL0 + a->el;
}

static enum verdict check_access(struct vector_row *row)
{
    struct apmu p;
    struct apmu_pe pe;
    struct accessor which;
    const uint64_t x = hex(row, "x");
    const uint64_t fine = apmu_bit(x, 2) ? ~UINT64_C(0) : 0, fine2 = apmu_bit(x, 3) ? ~UINT64_C(0) : 0;

    load_access(row, &p, &pe);
    p.selr = dec(row, "sel");
    p.userenr = hex(row, "userenr");
    p.uacr = hex(row, "uacr");
    p.cfg.sdd_undef_priority = apmu_bit(x, 1);
    pe.sdd = apmu_bit(x, 0);
    pe.hdfgrtr_el2 = pe.hdfgwtr_el2 = fine;
    pe.hdfgrtr2_el2 = pe.hdfgwtr2_el2 = fine2;
    pe.hstr_el2 = APMU_PUT(HSTR_EL2, T9, apmu_bit(x, 4));
    if (!accessor(text(row, "accessor"), &which)) {
        expect_dec(row, "outcome", 0); /* a register that the table lacks: no outcome is 0 */
        return CHECKED;
    }
    const unsigned m = dec(row, "m");
    const bool a32 = which.reg32 != APMU_REG32_COUNT;
    const enum apmu_reg reg = a32 ? apmu_reg32_info(which.reg32)->of : which.reg;
    const unsigned n = apmu_reg_info(reg)->copies > 1 ? m : 0;
    const bool on_pmccfiltr = reg == APMU_REG_PMXEVTYPER_EL0 && APMU_GET(PMSELR_EL0, SEL, p.selr) == APMU_CYCLE;
    const struct apmu_access a = a32 ? apmu_access_a32(&p, &pe, which.reg32, n, which.write)
                                     : apmu_access(&p, &pe, reg, n, which.write);
    const unsigned ec = !a32 ? 0x18 : apmu_reg32_info(which.reg32)->part == APMU_PART_BOTH ? 0x04 : 0x03;
    expect_dec(row, "outcome", outcome_of(&a, ec, on_pmccfiltr));
    return CHECKED;
}

const struct check access_checks[] = {
    {"accessor,feat,st,n,epm,mdcr2,mdcr3,scr,hcr,m,sel,userenr,uacr,x,outcome,cu", check_access},
    {NULL, NULL},
};
