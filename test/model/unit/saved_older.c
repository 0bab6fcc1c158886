/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * States of an older version, which lack the last members.  Version 0.1 is the first, so this test compiles saved.c as
 * if the first version had ended before .cntr.
 */
#include <string.h>

#include <armpmu/saved.h>

#include "../../lib/tap.h"

enum { BEFORE_CNTR = 214, BEFORE_PCSR = 1006 };

#undef APMU_SAVED_SIZE_FIRST
#define APMU_SAVED_SIZE_FIRST BEFORE_CNTR
#define apmu_save save_again
#define apmu_load load_older
size_t apmu_save(const struct apmu *p, uint8_t *bytes, size_t room);
const char *apmu_load(struct apmu *p, const uint8_t *bytes, size_t count);
#include "../../../lib/model/saved.c"

/* Makes the state of a unit with values in PMEVCNTR0_EL0 and PMCNTENSET_EL0, and says that it has @size bytes. */
static void make_state(uint8_t bytes[APMU_SAVED_SIZE], unsigned size)
{
    const struct apmu_pe el1 = {.el = 1};
    const struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = apmu_features_closure(APMU_FEAT(PMUv3p7) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1)),
        .counters = 4,
        .unknown_fill = UINT64_C(0x5555AAAA3333CCCC),
    };
    struct apmu p;

    apmu_init(&p, &cfg);
    apmu_poke(&p, &el1, APMU_REG_PMCNTENSET_EL0, 0, 1, NULL);
    apmu_poke(&p, &el1, APMU_REG_PMEVCNTR_EL0, 0, 77, NULL);
    MUST_EQ(save_again(&p, bytes, APMU_SAVED_SIZE), APMU_SAVED_SIZE, "size");
    bytes[AT_SIZE] = (uint8_t)size;
    bytes[AT_SIZE + 1] = (uint8_t)(size >> 8);
}

static void missing_members_have_the_values_of_a_reset(void)
{
    uint8_t bytes[APMU_SAVED_SIZE];
    struct apmu p;

    make_state(bytes, BEFORE_CNTR);
    const char *wrong = load_older(&p, bytes, BEFORE_CNTR);
    MUST(wrong == NULL, "%s", wrong);
    MUST_EQ(p.cnten & 1, 1, "PMCNTENSET_EL0, which is there");
    MUST_EQ(p.cntr[0], UINT64_C(0x5555AAAA3333CCCC), "PMEVCNTR0_EL0, which is not");
    make_state(bytes, BEFORE_PCSR);
    wrong = load_older(&p, bytes, BEFORE_PCSR);
    MUST(wrong == NULL, "%s", wrong);
    MUST_EQ(p.cntr[0], 77, "PMEVCNTR0_EL0, which is there");
    MUST_EQ(p.ccr, 4, "PMCCR.EPMN: all counters are for self-hosted software");
}

static void a_state_ends_between_members(void)
{
    uint8_t bytes[APMU_SAVED_SIZE];
    struct apmu p;

    make_state(bytes, BEFORE_CNTR - 1);
    const char *wrong = load_older(&p, bytes, sizeof bytes);
    MUST(wrong != NULL && strstr(wrong, "smaller than a state of 0.1") != NULL, "before the first size: %s", wrong);
    for (unsigned size = BEFORE_CNTR + 1; size < 478; size++) { /* within .cntr */
        make_state(bytes, size);
        wrong = load_older(&p, bytes, sizeof bytes);
        MUST(wrong != NULL && strstr(wrong, "ends within a member") != NULL, "%u bytes: %s", size, wrong);
    }
    make_state(bytes, 478);
    MUST(load_older(&p, bytes, sizeof bytes) == NULL, "the end of .cntr");
}

int main(void)
{
    RUN(missing_members_have_the_values_of_a_reset);
    RUN(a_state_ends_between_members);
    return tap_status;
}
