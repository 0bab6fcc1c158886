/* SPDX-License-Identifier: BSD-2-Clause */
/* The access pseudocode of MRS and MSR. */

#include <string.h>

#include "conform.h"

/* outcome columns of the file */
enum { UNDEFINED = 1, UNPREDICTABLE, PERFORMED, READ_AS_ZERO, WRITE_IGNORED, ON_PMCCFILTR, TRAP_TO_EL0 = 16 };

/* "PMCR_EL0_R", "PMEVCNTRn_EL0_W": the name of a bank has an n, and its number is in another column. */
static bool accessor(const char *name, enum apmu_reg *reg, bool *write)
{
    for (unsigned r = 0; r < APMU_REG_COUNT; r++) {
        const struct apmu_reg_info *info = apmu_reg_info((enum apmu_reg)r);
        const size_t stem = strcspn(info->name, "_");
        const char *rest = name + stem + (info->copies > 1);
        const size_t suffix = strlen(info->name + stem);
        if (strncmp(name, info->name, stem) == 0 && (info->copies == 1 || name[stem] == 'n') &&
            strncmp(rest, info->name + stem, suffix) == 0 && rest[suffix] == '_') {
            *reg = (enum apmu_reg)r;
            *write = rest[suffix + 1] == 'W';
            return true;
        }
    }
    return false;
}

static unsigned outcome_of(const struct apmu_access *a, const struct apmu *p, enum apmu_reg reg)
{
    const bool cycle = reg == APMU_REG_PMXEVTYPER_EL0 && APMU_GET(PMSELR_EL0, SEL, p->selr) == APMU_CYCLE;

    switch (a->outcome) {
    case APMU_ACCESS_OK:
        return cycle ? ON_PMCCFILTR : PERFORMED;
    case APMU_ACCESS_RAZ:
        return READ_AS_ZERO;
    case APMU_ACCESS_WI:
        return WRITE_IGNORED;
    case APMU_ACCESS_UNDEFINED:
        return UNDEFINED;
    case APMU_ACCESS_UNPREDICTABLE:
        return UNPREDICTABLE;
    default:
        return a->ec == 0x18 ? TRAP_TO_EL0 + a->el : 0;
    }
}

static enum verdict access_a64(struct row *row)
{
    struct apmu p;
    struct apmu_pe pe;
    enum apmu_reg reg = APMU_REG_COUNT;
    bool write = false;
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
    if (!accessor(text(row, "accessor"), &reg, &write)) {
        expect_dec(row, "outcome", 0); /* a register that the table lacks: no outcome is 0 */
        return CHECKED;
    }
    const unsigned m = dec(row, "m");
    const struct apmu_access a = apmu_access(&p, &pe, reg, apmu_reg_info(reg)->copies > 1 ? m : 0, write);
    expect_dec(row, "outcome", outcome_of(&a, &p, reg));
    return CHECKED;
}

const struct check access_checks[] = {
    {"accessor,feat,st,n,epm,mdcr2,mdcr3,scr,hcr,m,sel,userenr,uacr,x,outcome,cu", access_a64},
    {NULL, NULL},
};
