/* SPDX-License-Identifier: BSD-2-Clause */
/* Defects of firmware and of tables.  defects.h has the list.  The peers here are functions and tables. */
#include <armpmu/policy.h>

#include "driver.h"

#define FIRMWARE_FEATURES (P9_FEATURES | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3) | APMU_FEAT(FGT) | APMU_FEAT(FGT2) | \
                           APMU_FEAT(Debugv8p2) | APMU_FEAT(AA32) | APMU_FEAT(AA32EL0))

static struct driver_bench b;

static void begin(void)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg, .features = FIRMWARE_FEATURES, .counters = 6, .export_bus = true,
    };

    if (apmu_config_check(&cfg) != NULL) {
        printf("# %s\n", apmu_config_check(&cfg));
        check("defects: a PMU", false);
    }
    memset(&b, 0, sizeof b);
    apmu_init(&b.model, &cfg);
    b.driver_pe.el = 3;
    b.program_pe.el = 1;
    b.program_pe.scr_el3 = APMU_MASK(SCR_EL3, RW) | APMU_MASK(SCR_EL3, NS);
    b.program_pe.mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 6);
    b.backend = (struct apmu_model_backend){.pmu = &b.model, .pe = &b.driver_pe};
    b.dev = (struct apmu_dev){.ops = &apmu_model_ops, .ctx = &b.backend};
}

static void report(const char *name, bool we, bool caught)
{
    if (!we || !caught) {
        printf("# %s%s\n", we ? "" : "ours fails; ", caught ? "" : "the defect is not found");
    }
    check(name, we && caught);
}

/* Returns the value that the policy of EL3 gives the register, from @old. */
static uint64_t ours(enum apmu_reg reg, uint64_t old)
{
    const struct apmu_policy_request request = {
        .features = FIRMWARE_FEATURES, .level = 3, .counters = 6,
        .protect = APMU_STATE(S_EL0) | APMU_STATE(S_EL1) | APMU_STATE(EL3) | APMU_STATE(NS_EL2),
    };
    struct apmu_policy_row rows[APMU_POLICY_ROWS];
    size_t count;

    (void)apmu_policy(&request, rows, APMU_POLICY_ROWS, &count);
    return apmu_policy_value(rows, count, APMU_HOLD_BOOT, reg, old);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Defect 4: the bits of PMCR that firmware leaves set.
 */

/*
 * Checks that a driver at EL1 that sets only E, by read-modify-write, finds a PMU that counts every cycle and does not
 * freeze.
 */
static bool modes_are_off(uint64_t (*init)(enum apmu_reg, uint64_t))
{
    bool right = true;

    for (unsigned i = 0; i < 2; i++) {
        begin();
        b.model.pmcr = i == 0 ? 0 : apmu_peek(&b.model, &b.driver_pe, APMU_REG_PMCR_EL0, 0) | APMU_BITS(32, 0);
        apmu_poke(&b.model, &b.driver_pe, APMU_REG_PMCR_EL0, 0, init(APMU_REG_PMCR_EL0, b.model.pmcr), NULL);
        right &= (b.model.pmcr & APMU_MASK(PMCR_EL0, E)) == 0;
        b.model.pmcr |= APMU_MASK(PMCR_EL0, E);
        b.model.cnten = UINT64_C(1) << APMU_CYCLE | 1;
        b.model.typer[0] = APMU_EV_INST_RETIRED;
        b.model.typer[APMU_CYCLE] = 0;
        apmu_settle(&b.model);
        b.model.cntr[0] = b.model.cntr[APMU_CYCLE] = 0;
        b.model.ovs = 2;
        apmu_cycles(&b.model, &b.program_pe, 640, NULL);
        apmu_event(&b.model, &b.program_pe, APMU_EV_INST_RETIRED, 10, 1, NULL);
        right &= b.model.cntr[APMU_CYCLE] == 640 && b.model.cntr[0] == 10;
    }
    return right;
}

static uint64_t or_for_and(enum apmu_reg reg, uint64_t old)
{
    (void)reg;
    return old | APMU_MASK(PMCR_EL0, DP) | APMU_MASK(PMCR_EL0, C) | APMU_MASK(PMCR_EL0, P) |
           ~(APMU_MASK(PMCR_EL0, X) | APMU_MASK(PMCR_EL0, E));
}

/* Returns the value that apmu_pmu_reset() leaves in @reg, as at the start of a session. */
static uint64_t by_reset(enum apmu_reg reg, uint64_t old)
{
    struct apmu_pmu pmu;

    (void)old;
    (void)apmu_pmu_discover(&b.dev, NULL, &pmu);
    (void)apmu_pmu_reset(&b.dev, &pmu);
    return apmu_peek(&b.model, &b.driver_pe, reg, 0);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Defect 13: masks that are one bit off, and a field that is ORed.
 */

/* Checks the bits of PMCR by their effect: DP stops the cycle counter in Secure state, X exports events. */
static bool bits_do_what_they_say(const uint64_t masks[2])
{
    struct apmu_out out;
    bool right;

    begin();
    b.program_pe.scr_el3 = APMU_MASK(SCR_EL3, RW);
    apmu_poke(&b.model, &b.driver_pe, APMU_REG_PMCR_EL0, 0, APMU_MASK(PMCR_EL0, E) | masks[0], NULL);
    b.model.cnten = UINT64_C(1) << APMU_CYCLE;
    b.model.typer[APMU_CYCLE] = 0;
    apmu_settle(&b.model);
    right = !apmu_counts(&b.model, &b.program_pe, APMU_CYCLE);
    b.program_pe.scr_el3 |= APMU_MASK(SCR_EL3, NS);
    right &= apmu_counts(&b.model, &b.program_pe, APMU_CYCLE);
    apmu_poke(&b.model, &b.driver_pe, APMU_REG_PMCR_EL0, 0, APMU_MASK(PMCR_EL0, E) | masks[1], NULL);
    apmu_event(&b.model, &b.program_pe, APMU_EV_INST_RETIRED, 1, 1, &out);
    return right && out.exported;
}

/* Checks that HPMN becomes the number of counters whatever it was, so that all counters are in the first range. */
static bool hpmn_is_what_is_written(uint64_t (*init)(enum apmu_reg, uint64_t))
{
    bool right = true;

    for (uint64_t old = 0; old < 32; old++) {
        begin();
        b.program_pe.mdcr_el2 = init(APMU_REG_MDCR_EL2, old);
        right &= APMU_GET(MDCR_EL2, HPMN, b.program_pe.mdcr_el2) == 6 && apmu_hpmn(&b.model, &b.program_pe) == 6;
    }
    return right;
}

static uint64_t hpmn_ored(enum apmu_reg reg, uint64_t old)
{
    (void)reg;
    return old | APMU_PUT(MDCR_EL2, HPMN, 6);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Defect 12: one number twice, and a set operation that clears.
 */

struct named {
    uint16_t number;
    const char *name;
};

static bool numbers_are_unique(const struct named *events, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (events[i].number <= events[i - 1].number) {
            return false;
        }
    }
    return count > 1;
}

static bool our_numbers_are_unique(void)
{
    static struct named events[4096];
    const size_t count = apmu_event_count();

    for (size_t i = 0; i < count && i < sizeof events / sizeof events[0]; i++) {
        events[i] = (struct named){apmu_event_at(i)->number, apmu_event_at(i)->name};
    }
    return count <= sizeof events / sizeof events[0] && numbers_are_unique(events, count);
}

/* Checks that a write sets the given flags and leaves the others unchanged. */
static bool set_sets(enum apmu_reg set)
{
    begin();
    b.model.ovs = 5;
    return b.dev.ops->write(b.dev.ctx, set, 0, 6) == APMU_OK && b.model.ovs == 7;
}

int main(void)
{
    static const uint64_t our_masks[2] = {APMU_MASK(PMCR_EL0, DP), APMU_MASK(PMCR_EL0, X)}, off_by_one[2] = {0x10, 0x8};
    static const struct named twice[2] = {{0x0261, "MVE_LD_MULTI_SPEC"}, {0x0261, "MVE_ST_MULTI_RETIRED"}};

    report("defect 4: TF-A: | for & in the value of PMCR", modes_are_off(ours) && modes_are_off(by_reset),
           !modes_are_off(or_for_and));
    report("defect 12: CMSIS: two events with one number", our_numbers_are_unique(), !numbers_are_unique(twice, 2));
    report("defect 12: CMSIS: to set overflow flags clears them", set_sets(APMU_REG_PMOVSSET_EL0),
           !set_sets(APMU_REG_PMOVSCLR_EL0));
    report("defect 13: Hafnium: DP and X of PMCR are one bit off", bits_do_what_they_say(our_masks),
           !bits_do_what_they_say(off_by_one));
    report("defect 13: Hafnium: HPMN is ORed", hpmn_is_what_is_written(ours), !hpmn_is_what_is_written(hpmn_ored));
    return failures != 0;
}
