/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EL3 with the Secure policy (<armpmu/policy.h>): software at EL1 makes every counter count everywhere that it can, and
 * the Secure world and EL3 work for longer or shorter.  What EL1 then reads does not depend on it.  Without the policy
 * it does, so that the test can see.
 */
#include <armpmu/model.h>
#include <armpmu/native.h>
#include <armpmu/policy.h>

#include "../target/rt.h"

#define COUNTERS 6u
#define SHORT 10u
#define LONG 5000u
#define CYCLE COUNTERS
#define READ(reg, n) \
    __extension__({ \
        uint64_t value_ = 0; \
        (void)apmu_native_ops.read(NULL, APMU_REG_##reg, n, &value_); \
        value_; \
    })
#define WRITE(reg, n, value) (void)apmu_native_ops.write(NULL, APMU_REG_##reg, n, value)

int main(void);

static const struct apmu_dev dev = {.ops = &apmu_native_ops};
static struct apmu_policy_row rows[APMU_POLICY_ROWS];
static size_t row_count; /* 0: no policy */
static uint64_t before[COUNTERS + 1], after[COUNTERS + 1];

/* PMEVTYPER<n>_EL0 with every combination of P and NSK, U and NSU that lets a Secure level through, and M. */
static const uint64_t filters[COUNTERS] = {
    0, APMU_FILTER(M), APMU_FILTER(P) | APMU_FILTER(NSK) | APMU_FILTER(M), APMU_FILTER(U) | APMU_FILTER(NSU),
    APMU_FILTER(NSK) | APMU_FILTER(NSU), APMU_FILTER(NSH),
};

/* At EL1: all counters on, and what they hold at the end. */
static uintptr_t prepare(void *unused)
{
    (void)unused;
    for (unsigned n = 0; n < COUNTERS; n++) {
        WRITE(PMEVTYPER_EL0, n, 8u | filters[n]);
    }
    WRITE(PMCCFILTR_EL0, 0, 0);
    WRITE(PMCNTENSET_EL0, 0, UINT64_C(1) << 31 | ((1u << COUNTERS) - 1u));
    WRITE(PMCR_EL0, 0, 1u | 1u << 6); /* E, and LC; DP is 0 */
    apmu_native_sync();
    for (unsigned n = 0; n < COUNTERS; n++) {
        before[n] = READ(PMEVCNTR_EL0, n);
    }
    before[CYCLE] = READ(PMCCNTR_EL0, 0);
    return 0;
}

static uintptr_t look(void *unused)
{
    (void)unused;
    after[CYCLE] = READ(PMCCNTR_EL0, 0);
    for (unsigned n = 0; n < COUNTERS; n++) {
        after[n] = READ(PMEVCNTR_EL0, n);
    }
    return 0;
}

/* Counter @n's difference while the protected states work for @turns. */
static void work(uint64_t turns, uint64_t moved[COUNTERS + 1])
{
    struct apmu_policy_saved saved = {0};

    rt_call(RT_EL1, prepare, NULL);
    rt_true("entry", apmu_policy_enter(rows, row_count, &dev, &saved) == APMU_OK);
    rt_call(RT_SECURE_EL1, rt_loop, (void *)(uintptr_t)turns);
    rt_call(RT_SECURE_EL0, rt_loop, (void *)(uintptr_t)turns);
    rt_loop((void *)(uintptr_t)turns);
    rt_true("return", apmu_policy_leave(rows, row_count, &dev, &saved) == APMU_OK);
    rt_call(RT_EL1, look, NULL);
    for (unsigned n = 0; n <= COUNTERS; n++) {
        moved[n] = after[n] - before[n];
    }
}

static unsigned leaks(void)
{
    uint64_t few[COUNTERS + 1], many[COUNTERS + 1];
    unsigned leaking = 0;

    work(SHORT, few);
    work(LONG, many);
    for (unsigned n = 0; n <= COUNTERS; n++) {
        leaking |= few[n] != many[n] ? 1u << n : 0;
    }
    return leaking;
}

static void apply(uint64_t features)
{
    const struct apmu_policy_request request = {
        .features = features, .level = 3, .counters = (uint8_t)APMU_GET(PMCR_EL0, N, READ(PMCR_EL0, 0)),
        .protect = (uint16_t)((APMU_STATES_SECURE | APMU_STATE(EL3)) & apmu_states(features)),
    };

    rt_error("the policy", apmu_policy(&request, rows, APMU_POLICY_ROWS, &row_count), APMU_OK);
    WRITE(MDCR_EL3, 0, apmu_policy_value(rows, row_count, APMU_HOLD_BOOT, APMU_REG_MDCR_EL3, READ(MDCR_EL3, 0)));
    WRITE(MDCR_EL2, 0, apmu_policy_value(rows, row_count, APMU_HOLD_BOOT, APMU_REG_MDCR_EL2, READ(MDCR_EL2, 0)));
    apmu_native_sync();
}

int main(void)
{
    uint64_t features = APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3);
    const uint64_t version = APMU_GET(ID_AA64DFR0_EL1, PMUVer, READ(ID_AA64DFR0_EL1, 0));

    features |= version >= 9 ? APMU_FEAT(PMUv3p9) : version >= 6 ? APMU_FEAT(PMUv3p5) : APMU_FEAT(PMUv3);
    features |= rt_has_secure_el2() ? APMU_FEAT(SEL2) : 0;
    features = apmu_features_closure(features);

    WRITE(MDCR_EL2, 0, COUNTERS);
    WRITE(MDCR_EL3, 0, APMU_MASK(MDCR_EL3, SPME));
    apmu_native_sync();
    rt_true("without the policy, counters leak", leaks() != 0);
    apply(features);
    rt_equal("with the policy, no counter leaks", leaks(), 0);
    return rt_status();
}
