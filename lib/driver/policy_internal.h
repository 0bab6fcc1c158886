/* SPDX-License-Identifier: BSD-2-Clause */
/* What the two halves of the policy share: its values, and the check.  Not for users. */
#ifndef ARMPMU_DRIVER_POLICY_INTERNAL_H
#define ARMPMU_DRIVER_POLICY_INTERNAL_H

#include <armpmu/policy.h>

/* The words of tables/policy.def.  `features` and `level` are in scope where they are used. */
#define HAS(x) ((features & APMU_FEAT(x)) != 0)
#define HAS_EL2 (HAS(AA64EL2) || HAS(AA32EL2))
#define HAS_EL3 (HAS(AA64EL3) || HAS(AA32EL3))

/* A field of APMU_POLICY_FIELD. */
struct policy_field {
    enum apmu_reg reg;
    uint8_t msb, lsb;
    bool a32;                       /* AArch32 has it too */
    enum apmu_gate gate;
    enum apmu_field_access access;
    const char *field, *rule, *text;
};

enum policy_field_row {
#define APMU_POLICY_FIELD(reg, field, value, a32, rule, text) POLICY_FIELD_##reg##_##field,
#include <armpmu/tables/policy.def>
    POLICY_FIELD_COUNT
};

/* What the value of a field depends on, beside the features. */
struct policy_moment {
    unsigned counters; /* PMCR_EL0.N */
    bool entry;        /* for the entry to a protected state */
    bool relies;       /* the policy relies on such entries */
};

const struct policy_field *apmu_policy_field(enum policy_field_row row);
uint64_t apmu_policy_wanted(enum policy_field_row row, uint64_t features, const struct policy_moment *moment);
const char *apmu_policy_reg_name(uint64_t features, enum apmu_reg reg);

/* The registers of the policy as they are between entries to protected states. */
enum { POLICY_HELD = 4 };
size_t apmu_policy_held(const struct apmu_policy_request *request, struct apmu_policy_reg *regs);

#endif
