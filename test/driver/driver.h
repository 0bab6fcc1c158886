/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of the driver share: a PMU of the model that is driven at EL1 and counts at EL0. */
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
#define P5_FEATURES (P1_FEATURES | APMU_FEAT(PMUv3p4) | APMU_FEAT(PMUv3p5))
#define P9_FEATURES \
    (P1_FEATURES | APMU_FEAT(PMUv3p4) | APMU_FEAT(PMUv3p5) | APMU_FEAT(PMUv3p7) | APMU_FEAT(PMUv3p8) | \
     APMU_FEAT(PMUv3p9))

#define A32_FEATURES (APMU_FEAT(AA32EL0) | APMU_FEAT(AA32EL1) | APMU_FEAT(AA32))
#define EL2_FEATURES (APMU_FEAT(AA64EL2) | APMU_FEAT(FGT) | APMU_FEAT(FGT2))

/* Returns a PMU of FEAT_PMUv3 or later in AArch64 state at EL1, as apmu_pmu_discover() would fill it. */
static inline struct apmu_pmu pmu_of(unsigned version, unsigned counters, uint64_t pmceid0, uint64_t pmceid1)
{
    static const uint64_t since[] = {
        [3] = APMU_FEAT(PMUv3),   [4] = APMU_FEAT(PMUv3p1), [5] = APMU_FEAT(PMUv3p4), [6] = APMU_FEAT(PMUv3p5),
        [7] = APMU_FEAT(PMUv3p7), [8] = APMU_FEAT(PMUv3p8), [9] = APMU_FEAT(PMUv3p9),
    };
    struct apmu_pmu pmu = {
        .version = (uint8_t)version, .counters = (uint8_t)counters, .first_range = (uint8_t)counters,
        .place = {APMU_VIEW_A64, 1}, .pmceid = {pmceid0, pmceid1},
    };

    for (unsigned v = 3; v <= version; v++) {
        pmu.features |= since[v];
    }
    return pmu;
}

/* A PMU, the PE states of its driver and of the program, and a device for the driver. */
struct driver_bench {
    struct apmu model;
    struct apmu_pe driver_pe, program_pe;
    struct apmu_model_backend backend;
    struct apmu_dev dev;
    struct apmu_refused_access refused;
    struct apmu_ids ids; /* needed at EL0 */
    struct apmu_pmu pmu;
};

/*
 * Makes a bench that is driven from Exception level @el, in AArch32 state if @a32.  Returns false if there is no such
 * PMU.
 */
static inline bool bench_init_at(struct driver_bench *b, uint64_t features, unsigned counters, unsigned el, bool a32)
{
    struct apmu_config cfg = {
        .size = sizeof cfg, .features = features, .counters = (uint8_t)counters,
        .pmceid = {UINT64_C(1) << APMU_EV_INST_RETIRED | UINT64_C(1) << APMU_EV_CPU_CYCLES |
                       UINT64_C(1) << APMU_EV_LD_RETIRED | UINT64_C(1) << APMU_EV_CHAIN,
                   UINT64_C(1) << (APMU_EV_BR_RETIRED - 0x20)},
        .thwidth = (features & APMU_FEAT(PMUv3_TH)) != 0 ? 5 : 0,
        .unknown_fill = UINT64_C(0xA5A5A5A5A5A5A5A5),
    };

    apmu_events_closure(features, cfg.pmceid);
    memset(b, 0, sizeof *b);
    if (apmu_config_check(&cfg) != NULL) {
        printf("# %s\n", apmu_config_check(&cfg));
        return false;
    }
    apmu_init(&b->model, &cfg);
    b->driver_pe = (struct apmu_pe){
        .el = (uint8_t)el, .a32 = a32, .mdcr_el2 = counters,
        /* no higher Exception level traps */
        .hdfgrtr2_el2 = ~UINT64_C(0), .hdfgwtr2_el2 = ~UINT64_C(0), .scr_el3 = 1, /* Non-secure */
        .mdcr_el3 = APMU_MASK(MDCR_EL3, EnPM2) | APMU_MASK(MDCR_EL3, EnPMSS) | APMU_MASK(MDCR_EL3, PMSSE),
    };
    b->driver_pe.mdcr_el2 |= APMU_MASK(MDCR_EL2, PMSSE);
    b->program_pe = b->driver_pe;
    b->program_pe.el = 0;
    b->ids = (struct apmu_ids){0};
    if (el == 0) { /* EL1 lets EL0 use the PMU, and tells it the ID registers */
        b->model.userenr = APMU_MASK(PMUSERENR_EL0, EN);
    }
    b->backend = (struct apmu_model_backend){.pmu = &b->model, .pe = &b->driver_pe};
    b->dev = (struct apmu_dev){.ops = &apmu_model_ops, .ctx = &b->backend, .refused = &b->refused};
    if (el != 0) {
        return apmu_pmu_discover(&b->dev, NULL, &b->pmu) == APMU_OK;
    }
    b->driver_pe.el = 1;
    (void)b->dev.ops->read(b->dev.ctx, APMU_REG_ID_AA64DFR0_EL1, 0, &b->ids.id_aa64dfr0_el1);
    (void)b->dev.ops->read(b->dev.ctx, APMU_REG_ID_AA64DFR1_EL1, 0, &b->ids.id_aa64dfr1_el1);
    (void)b->dev.ops->read(b->dev.ctx, APMU_REG_ID_AA64PFR0_EL1, 0, &b->ids.id_aa64pfr0_el1);
    (void)b->dev.ops->read(b->dev.ctx, APMU_REG_ID_DFR0_EL1, 0, &b->ids.id_dfr0);
    (void)b->dev.ops->read(b->dev.ctx, APMU_REG_ID_PFR1_EL1, 0, &b->ids.id_pfr1);
    (void)b->dev.ops->read(b->dev.ctx, APMU_REG_PMMIR_EL1, 0, &b->ids.pmmir_el1);
    b->driver_pe.el = 0;
    return apmu_pmu_discover(&b->dev, &b->ids, &b->pmu) == APMU_OK;
}

static inline bool bench_init(struct driver_bench *b, uint64_t features, unsigned counters)
{
    return bench_init_at(b, features, counters, 1, false);
}

#endif
