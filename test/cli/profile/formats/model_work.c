/* SPDX-License-Identifier: BSD-2-Clause */
/* For test_callgrind.sh: reads, writes and asks a model PMU, in an order that depends on nothing but this file. */
#include <armpmu/model.h>

#define ROUNDS 20000u

static uint64_t state = 88172645463325253u;

static uint32_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

int main(void)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = apmu_features_closure(APMU_FEAT(PMUv3p9) | APMU_FEAT(AA64) | APMU_FEAT(AA64EL0) |
                                          APMU_FEAT(AA64EL1) | APMU_FEAT(AA64EL2)),
        .counters = 6,
    };
    struct apmu pmu;
    struct apmu_pe pe = {.el = 1};
    uint64_t sum = 0;

    apmu_init(&pmu, &cfg);
    for (unsigned i = 0; i < ROUNDS; i++) {
        const enum apmu_reg reg = (enum apmu_reg)(next() % APMU_REG_COUNT);
        const unsigned n = next() % 6;

        pe.el = (uint8_t)(next() % 3);
        if ((next() & 1) != 0) {
            apmu_poke(&pmu, &pe, reg, n, (uint64_t)next() << 16 ^ next(), NULL);
        } else {
            sum += apmu_peek(&pmu, &pe, reg, n);
        }
        sum += apmu_why(&pmu, &pe, n) + apmu_access(&pmu, &pe, reg, n, false).gate;
    }
    return sum == 1;
}
