/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures what a piece of code costs: discovers the PMU, chooses events, starts the counters, runs the code, stops the
 * counters, and prints the counts.
 *
 * The PMU is the model, so this runs on any machine.  The measured code reports to the model what it executes.  The
 * program prints:
 *
 *     6 event counters and the cycle counter
 *     SW_INCR                    0
 *     INST_RETIRED            8000
 *     CPU_CYCLES              5000
 *     BR_RETIRED              1000
 *     STALL_FRONTEND             0
 *     STALL_BACKEND              0
 *     CPU_CYCLES              5000  (cycle counter)
 */
#include <inttypes.h>
#include <stdio.h>

#include <armpmu/driver.h>
#include <armpmu/events.h>
#include <armpmu/model.h>

static struct apmu model_pmu;
static struct apmu_pe el1 = {.el = 1}, el0 = {.el = 0};
static struct apmu_model_backend backend = {.pmu = &model_pmu, .pe = &el1};
static const struct apmu_dev dev = {.ops = &apmu_model_ops, .ctx = &backend};

static void make_pmu(void)
{
    struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = apmu_features_closure(APMU_FEAT(PMUv3p1) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1)),
        .counters = 6,
        .pmceid = {1u << APMU_EV_INST_RETIRED, 1u << (APMU_EV_BR_RETIRED - 32)},
    };

    apmu_events_closure(cfg.features, cfg.pmceid); /* adds the events that every PMU of the version has */
    apmu_init(&model_pmu, &cfg);
}

/* The measured code: 1000 iterations of 8 instructions, one of them a branch, in 5 cycles. */
static void code(void)
{
    for (unsigned i = 0; i < 1000; i++) {
        apmu_event(&model_pmu, &el0, APMU_EV_INST_RETIRED, 8, 1, NULL);
        apmu_event(&model_pmu, &el0, APMU_EV_BR_RETIRED, 1, 1, NULL);
        apmu_cycles(&model_pmu, &el0, 5, NULL);
    }
}

int main(void)
{
    struct apmu_pmu pmu;
    struct apmu_session session;
    struct apmu_wish wishes[APMU_COUNTERS] = {{.event = APMU_EV_CPU_CYCLES, .counter = APMU_CYCLE}};
    struct apmu_reading readings[APMU_COUNTERS];
    size_t count = 1, refused;

    make_pmu();

    /* Discover the PMU. */
    enum apmu_error error = apmu_pmu_discover(&dev, NULL, &pmu);

    if (error != APMU_OK) {
        fprintf(stderr, "no PMU: %s; %s\n", apmu_error_text(error), apmu_error_cure(error));
        return 1;
    }
    printf("%u event counters and the cycle counter\n", (unsigned)pmu.counters);

    /* Choose events: the first that this PMU announces, one for each counter. */
    for (uint16_t event = 0; event < 64 && count <= pmu.counters; event++) {
        if (apmu_event_announced(pmu.pmceid, event)) {
            wishes[count++] = (struct apmu_wish){.event = event, .counter = APMU_COUNTER_ANY};
        }
    }
    error = apmu_session_open(&session, &dev, &pmu, wishes, count, &refused);
    if (error != APMU_OK) {
        fprintf(stderr, "wish %zu: %s; %s\n", refused, apmu_error_text(error), apmu_error_cure(error));
        return 1;
    }

    /* Count. */
    apmu_session_start(&session);
    code();
    apmu_session_stop(&session);

    /* Print. */
    if (apmu_session_read(&session, readings) == APMU_OK) {
        for (size_t i = 1; i < count; i++) {
            printf("%-20s %7" PRIu64 "\n", apmu_event_by_number(wishes[i].event)->name, readings[i].count);
        }
        printf("%-20s %7" PRIu64 "  (cycle counter)\n", "CPU_CYCLES", readings[0].count);
    }
    return apmu_session_close(&session) != APMU_OK;
}
