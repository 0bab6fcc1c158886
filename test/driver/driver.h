/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of the driver share: a PMU of the model, driven at EL1 and counting at EL0. */
#ifndef ARMPMU_TEST_DRIVER_H
#define ARMPMU_TEST_DRIVER_H

#include <stdio.h>
#include <string.h>

#include <armpmu/driver.h>
#include <armpmu/events.h>
#include <armpmu/model.h>

static int failures;

static inline void check(const char *name, bool ok)
{
    printf("%s %s\n", ok ? "ok" : "not ok", name);
    failures += !ok;
}

#define P1_FEATURES \
    (APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(AA64) | APMU_FEAT(PMUv3) | APMU_FEAT(PMUv3p1))
#define P9_FEATURES \
    (P1_FEATURES | APMU_FEAT(PMUv3p4) | APMU_FEAT(PMUv3p5) | APMU_FEAT(PMUv3p7) | APMU_FEAT(PMUv3p8) | \
     APMU_FEAT(PMUv3p9))

/* A PMU, the PE states of its driver and of the program, and a device for the driver. */
struct bench {
    struct apmu pmu;
    struct apmu_pe driver_pe, program_pe;
    struct apmu_model_backend model;
    struct apmu_dev dev;
    struct apmu_unit unit;
};

static inline bool bench_init(struct bench *b, uint64_t features, unsigned counters)
{
    struct apmu_config cfg = {
        .size = sizeof cfg, .features = features, .counters = (uint8_t)counters,
        .pmceid = {UINT64_C(1) << APMU_EV_INST_RETIRED | UINT64_C(1) << APMU_EV_CPU_CYCLES |
                       UINT64_C(1) << APMU_EV_LD_RETIRED | UINT64_C(1) << APMU_EV_CHAIN,
                   UINT64_C(1) << (APMU_EV_BR_RETIRED - 0x20)},
        .unknown_fill = UINT64_C(0xA5A5A5A5A5A5A5A5),
    };

    memset(b, 0, sizeof *b);
    if (apmu_config_check(&cfg) != NULL) {
        printf("# %s\n", apmu_config_check(&cfg));
        return false;
    }
    apmu_init(&b->pmu, &cfg);
    b->driver_pe.el = 1;
    b->model = (struct apmu_model_backend){.pmu = &b->pmu, .pe = &b->driver_pe};
    b->dev = (struct apmu_dev){.ops = &apmu_model_ops, .ctx = &b->model};
    return apmu_discover(&b->dev, NULL, &b->unit) == APMU_OK;
}

#endif
