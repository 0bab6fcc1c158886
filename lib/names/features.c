/* SPDX-License-Identifier: BSD-2-Clause */
/* Closes a set of features.  This file has no texts and needs only tables/, as keys.c does. */
#include <armpmu/regs.h>

/* If all features of .condition are present, so are those of .then. */
static const struct {
    uint64_t condition, then;
} implications[] = {
#define F(x) | APMU_FEAT(x)
#define APMU_FEATURE(id, bit, requires, text) {APMU_FEAT(id), UINT64_C(0) requires},
#define APMU_IMPLIES(condition, then) {UINT64_C(0) condition, UINT64_C(0) then},
#include <armpmu/tables/features.def>
#undef F
};

uint64_t apmu_features_closure(uint64_t features)
{
    for (uint64_t before = 0; before != features;) {
        before = features;
        for (size_t i = 0; i < sizeof implications / sizeof implications[0]; i++) {
            if ((features & implications[i].condition) == implications[i].condition) {
                features |= implications[i].then;
            }
        }
    }
    return features;
}
