/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers as AArch32 state names and accesses them, for cures. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include "why.h"

/* Finds the AArch32 register that shows the low half of @reg.  Returns NULL if there is none. */
static const struct apmu_reg32_info *find_reg32(enum apmu_reg reg, enum apmu_reg32 *found)
{
    for (unsigned r = 0; r < APMU_REG32_COUNT; r++) {
        const struct apmu_reg32_info *info = apmu_reg32_info((enum apmu_reg32)r);

        if (info->of == reg && info->part != APMU_PART_HIGH && (info->key & 0x8000u) == 0) {
            *found = (enum apmu_reg32)r;
            return info;
        }
    }
    return NULL;
}

/* The controls of the PE, whose names in AArch32 state are others. */
static const struct {
    enum apmu_reg reg;
    const char *name, *where;
} controls[] = {
    {APMU_REG_MDCR_EL2, "HDCR", "p15, 4, r0, c1, c1, 1"},   {APMU_REG_MDCR_EL3, "SDCR", "p15, 0, r0, c1, c3, 1"},
    {APMU_REG_HCR_EL2, "HCR", "p15, 4, r0, c1, c1, 0"},     {APMU_REG_SCR_EL3, "SCR", "p15, 0, r0, c1, c1, 0"},
    {APMU_REG_SDER32_EL3, "SDER", "p15, 0, r0, c1, c1, 1"}, {APMU_REG_HSTR_EL2, "HSTR", "p15, 4, r0, c1, c1, 3"},
};

enum { CONTROLS = sizeof controls / sizeof controls[0] };

/* Returns true for the registers that ARMv7 accesses by PMSELR. */
static bool is_selected(bool armv7, enum apmu_reg reg)
{
    return armv7 && (reg == APMU_REG_PMEVTYPER_EL0 || reg == APMU_REG_PMEVCNTR_EL0 || reg == APMU_REG_PMCCFILTR_EL0);
}

const char *why_register_name(bool a32, bool armv7, enum apmu_reg reg, unsigned n, char buf[48])
{
    enum apmu_reg32 low;
    char name[24];

    if (a32 && is_selected(armv7, reg)) {
        snprintf(buf, 48, "%s (PMSELR = %u)", reg == APMU_REG_PMEVCNTR_EL0 ? "PMXEVCNTR" : "PMXEVTYPER",
                 reg == APMU_REG_PMCCFILTR_EL0 ? APMU_CYCLE : n);
        return buf;
    }
    for (size_t i = 0; a32 && i < CONTROLS; i++) {
        if (controls[i].reg == reg) {
            snprintf(buf, 48, "%s", controls[i].name);
            return buf;
        }
    }
    snprintf(buf, 48, "%s",
             a32 && find_reg32(reg, &low) != NULL ? apmu_reg32_name(low, n, name) : apmu_reg_name(reg, n, name));
    return buf;
}

bool why_sets_or_clears(enum apmu_reg reg)
{
    return reg == APMU_REG_PMCNTENSET_EL0 || reg == APMU_REG_PMCNTENCLR_EL0 || reg == APMU_REG_PMINTENSET_EL1 ||
           reg == APMU_REG_PMINTENCLR_EL1 || reg == APMU_REG_PMOVSCLR_EL0 || reg == APMU_REG_PMOVSSET_EL0;
}

bool why_operands_a32(enum apmu_reg reg, unsigned n, const char *operand, char where[80])
{
    enum apmu_reg32 low;
    const struct apmu_reg32_info *info = find_reg32(reg, &low);

    for (size_t i = 0; i < CONTROLS; i++) {
        if (controls[i].reg == reg) {
            const char *mark = strstr(controls[i].where, "r0");

            snprintf(where, 80, "%.*s%s%s", (int)(mark - controls[i].where), controls[i].where, operand, mark + 2);
            return true;
        }
    }
    if (info != NULL) {
        const unsigned key = info->key + n;

        snprintf(where, 80, "p15, %u, %s, c%u, c%u, %u", key >> 11 & 7u, operand, key >> 7 & 15u, key >> 3 & 15u,
                 key & 7u);
    }
    return info != NULL;
}

const char *why_write_a32(bool armv7, enum apmu_reg reg, unsigned n, uint64_t set, uint64_t clear, char *buf,
                          size_t size)
{
    char where[80] = "";

    buf[0] = '\0';
    if (is_selected(armv7, reg)) {
        why_append(buf, size, "mov r0, #%u; mcr p15, 0, r0, c9, c12, 5; isb; ",
                   reg == APMU_REG_PMCCFILTR_EL0 ? APMU_CYCLE : n);
        snprintf(where, sizeof where, "p15, 0, r0, c9, c13, %u", reg == APMU_REG_PMEVCNTR_EL0 ? 2u : 1u);
    } else if (!why_operands_a32(reg, n, "r0", where)) {
        return buf;
    }
    if (why_sets_or_clears(reg)) {
        why_append(buf, size, "ldr r0, =0x%" PRIx64 "; mcr %s; isb", set, where);
        return buf;
    }
    why_append(buf, size, "mrc %s", where);
    if (clear != 0) {
        why_append(buf, size, "; bic r0, r0, #0x%" PRIx64, clear);
    }
    if (set != 0) {
        why_append(buf, size, "; orr r0, r0, #0x%" PRIx64, set);
    }
    why_append(buf, size, "; mcr %s; isb", where);
    return buf;
}
