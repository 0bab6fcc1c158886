/* SPDX-License-Identifier: BSD-2-Clause */
/* Two worlds share a PMU, which a secure monitor at EL3 swaps at each call of the Secure world (doc/driver.md). */
#include <armpmu/policy.h>

#include "driver.h"

/* The monitor, and the PE as each world sees it. */
struct monitor {
    struct driver_bench b;
    struct apmu_pe nonsecure, secure;
    struct apmu_policy_row rows[APMU_POLICY_ROWS];
    size_t count;
    uint64_t private_mdcr_el3; /* what the policy has, and what lets the Secure world count */
    struct apmu_policy_saved entry;
    struct apmu_pmu_saved nonsecure_pmu, secure_pmu;
};

static void set_mdcr_el3(struct monitor *m, uint64_t value)
{
    m->b.driver_pe.mdcr_el3 = m->nonsecure.mdcr_el3 = m->secure.mdcr_el3 = value;
}

/* Boots: computes and writes the policy, and saves a Secure PMU that counts nothing yet. */
static bool boot(struct monitor *m, uint64_t features)
{
    struct apmu_policy_request request = {.level = 3, .counters = 6};

    memset(m, 0, sizeof *m);
    if (!bench_init_at(&m->b, features, 6, 3, false)) {
        return false;
    }
    request.features = apmu_features_closure(m->b.pmu.features);
    request.protect = (uint16_t)((APMU_STATES_SECURE | APMU_STATE(EL3)) & apmu_states(request.features));
    m->nonsecure = m->secure = m->b.driver_pe;
    m->nonsecure.el = m->secure.el = 1;
    m->secure.scr_el3 = 0;
    if (apmu_policy(&request, m->rows, APMU_POLICY_ROWS, &m->count) != APMU_OK) {
        return false;
    }
    m->private_mdcr_el3 = apmu_policy_value(m->rows, m->count, APMU_HOLD_BOOT, APMU_REG_MDCR_EL3,
                                            m->b.driver_pe.mdcr_el3);
    set_mdcr_el3(m, m->private_mdcr_el3);
    return apmu_pmu_reset(&m->b.dev, &m->b.pmu) == APMU_OK &&
           apmu_pmu_save(&m->b.dev, &m->b.pmu, &m->secure_pmu) == APMU_OK;
}

/* Enters the Secure world.  @swap: with a PMU of its own. */
static bool enter(struct monitor *m, bool swap)
{
    bool ok = apmu_policy_enter(&m->b.dev, m->rows, m->count, &m->entry) == APMU_OK;

    if (swap) {
        ok &= apmu_pmu_save(&m->b.dev, &m->b.pmu, &m->nonsecure_pmu) == APMU_OK;
        set_mdcr_el3(m, (m->private_mdcr_el3 & ~APMU_MASK(MDCR_EL3, SCCD)) | APMU_MASK(MDCR_EL3, SPME));
        ok &= apmu_pmu_restore(&m->b.dev, &m->b.pmu, &m->secure_pmu) == APMU_OK;
    }
    return ok;
}

static bool leave(struct monitor *m, bool swap)
{
    bool ok = true;

    if (swap) {
        ok &= apmu_pmu_save(&m->b.dev, &m->b.pmu, &m->secure_pmu) == APMU_OK;
        set_mdcr_el3(m, m->private_mdcr_el3);
        ok &= apmu_pmu_restore(&m->b.dev, &m->b.pmu, &m->nonsecure_pmu) == APMU_OK;
    }
    return ok && apmu_policy_leave(&m->b.dev, m->rows, m->count, &m->entry) == APMU_OK;
}

/* Has a world count instructions in event counter 0. */
static void program(struct monitor *m, const struct apmu_pe *world)
{
    apmu_poke(&m->b.model, world, APMU_REG_PMEVTYPER_EL0, 0, APMU_EV_INST_RETIRED, NULL);
    apmu_poke(&m->b.model, world, APMU_REG_PMCNTENSET_EL0, 0, 1, NULL);
    apmu_poke(&m->b.model, world, APMU_REG_PMCR_EL0, 0, APMU_MASK(PMCR_EL0, E), NULL);
}

/* Executes instructions in a world.  Returns event counter 0 as the world reads it. */
static uint64_t execute(struct monitor *m, const struct apmu_pe *world, uint64_t instructions)
{
    apmu_event(&m->b.model, world, APMU_EV_INST_RETIRED, instructions, 1, NULL);
    return apmu_peek(&m->b.model, world, APMU_REG_PMEVCNTR_EL0, 0);
}

static void worlds(const char *name, uint64_t features)
{
    struct monitor m;
    char text[96];
    bool ok = boot(&m, features);

    program(&m, &m.nonsecure);
    ok &= execute(&m, &m.nonsecure, 100) == 100;
    ok &= enter(&m, false);
    (void)execute(&m, &m.secure, 1000);
    ok &= leave(&m, false) && execute(&m, &m.nonsecure, 10) == 110;
    snprintf(text, sizeof text, "worlds: %s: the policy hides the Secure world", name);
    check(text, ok);

    ok = enter(&m, true);
    ok &= execute(&m, &m.secure, 1) == 0; /* nothing is enabled, and nothing of the other world is seen */
    program(&m, &m.secure);
    ok &= execute(&m, &m.secure, 1000) == 1000;
    ok &= leave(&m, true) && execute(&m, &m.nonsecure, 10) == 120;
    ok &= enter(&m, true) && execute(&m, &m.secure, 500) == 1500;
    ok &= leave(&m, true) && execute(&m, &m.nonsecure, 10) == 130;
    snprintf(text, sizeof text, "worlds: %s: each world counts its own instructions", name);
    check(text, ok);
}

int main(void)
{
    worlds("PMUv3", (P1_FEATURES & ~APMU_FEAT(PMUv3p1)) | APMU_FEAT(AA64EL3));
    worlds("PMUv3p1", P1_FEATURES | APMU_FEAT(AA64EL3));
    worlds("PMUv3p9", P9_FEATURES | APMU_FEAT(AA64EL3) | APMU_FEAT(FGT) | APMU_FEAT(FGT2));
    return failures != 0;
}
