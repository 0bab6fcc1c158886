/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of tables/policy.def as policy.c and policy_check.c share them.  Not for users. */
#ifndef ARMPMU_DRIVER_POLICY_INTERNAL_H
#define ARMPMU_DRIVER_POLICY_INTERNAL_H

#include <armpmu/policy.h>

/* A text of a row, which firmware without names does not hold. */
#ifdef APMU_WITHOUT_NAMES
#define POLICY_TEXT(text) ""
#else
#define POLICY_TEXT(text) text
#endif

/* The names that the expressions of tables/policy.def use.  They read `features` of the function around them. */
#define HAS(x) ((features & APMU_FEAT(x)) != 0)
#define HAS_EL2 (HAS(AA64EL2) || HAS(AA32EL2))
#define HAS_EL3 (HAS(AA64EL3) || HAS(AA32EL3))

/* A row APMU_POLICY_FIELD of tables/policy.def. */
struct policy_field {
    uint8_t reg; /* enum apmu_reg */
    uint8_t msb, lsb;
    bool a32;       /* the AArch32 register has it too */
    uint8_t gate;   /* enum apmu_gate */
    uint8_t access; /* enum apmu_field_access */
    const char *field, *rule, *text;
};

enum policy_field_row {
#define APMU_POLICY_FIELD(reg, field, value, a32, rule, text) POLICY_FIELD_##reg##_##field,
#include <armpmu/tables/policy.def>
    POLICY_FIELD_COUNT
};

/* What the value of a field depends on, besides the features. */
struct policy_moment {
    unsigned counters; /* PMCR_EL0.N */
    bool entry;        /* the value is written at entries to a protected state */
    bool relies;       /* the policy relies on such entries */
};

/* policy.c: returns the row. */
const struct policy_field *apmu_policy_field(enum policy_field_row row);

/* policy.c: returns the value that the policy gives the field, in place. */
uint64_t apmu_policy_wanted(enum policy_field_row row, uint64_t features, const struct policy_moment *moment);

/* policy.c: returns the name of the register, or of the AArch32 register in its place. */
const char *apmu_policy_reg_name(uint64_t features, enum apmu_reg reg);

/* policy_leaks.c: returns whether software that is less trusted than @state cannot write @reg. */
bool apmu_policy_trusts(const struct apmu_policy_request *r, enum apmu_reg reg, bool entered, enum apmu_state state);

enum { POLICY_HELD = 4 };

/*
 * policy.c: fills @regs, which has room for POLICY_HELD, with the values that last between entries; returns their
 * number.
 */
size_t apmu_policy_held(const struct apmu_policy_request *request, struct apmu_policy_reg *regs);

#endif
