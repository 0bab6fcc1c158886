/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Back ends of the register seam that need no hardware: the model as a PMU, and decorators of another back end that
 * record its accesses, make one of them fail, or reach the banks through PMSELR_EL0.
 *
 * For tests and tools.  The back ends of real PMUs have headers of their own.  The example prints each access of a
 * reset.
 *
 * @code
 * #include <stdio.h>
 * #include <armpmu/driver.h>
 * #include <armpmu/model.h>
 * static void print(void *ctx, const char *line)
 * {
 *     (void)ctx;
 *     puts(line);
 * }
 * int main(void)
 * {
 *     static struct apmu model;
 *     const struct apmu_config config = {
 *         .size = sizeof config, .features = apmu_features_closure(APMU_FEAT(PMUv3) | APMU_FEAT(AA64EL1)),
 *     };
 *     const struct apmu_pe pe = {.el = 1};
 *     struct apmu_model_backend backend = {.pmu = &model, .pe = &pe};
 *     struct apmu_trace trace = {.inner = {.ops = &apmu_model_ops, .ctx = &backend}, .sink = print};
 *     const struct apmu_dev dev = {.ops = &apmu_trace_ops, .ctx = &trace};
 *     struct apmu_pmu pmu;
 *     apmu_init(&model, &config);
 *     return apmu_pmu_discover(&dev, NULL, &pmu) != APMU_OK || apmu_pmu_reset(&dev, &pmu) != APMU_OK;
 * }
 * @endcode
 *
 * Re-entrancy: the accesses of one PMU may interrupt each other only if its sink, or the code that drives its model,
 * allows it; those through apmu_select_ops may interrupt each other.
 */
#ifndef ARMPMU_BACKEND_H
#define ARMPMU_BACKEND_H

#include <armpmu/pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

struct apmu;    /* <armpmu/model.h> */
struct apmu_pe;

/**
 * The model as a PMU, in the Execution state of its PE.  ARMv7 has no direct forms of the banks (see apmu_select_ops).
 * The context is a struct apmu_model_backend.
 */
extern const struct apmu_reg_ops apmu_model_ops;

struct apmu_model_backend {
    struct apmu *pmu;
    const struct apmu_pe *pe; /**< the PE state in which the driver accesses it */
};

/**
 * A decorator that reaches the event counters, their types and the filter of the cycle counter through PMSELR_EL0, for
 * a PMU that has no direct forms of them.  Each access leaves PMSELR_EL0 as it was, so another such access may
 * interrupt it.  The context is the struct apmu_dev of the other back end.
 */
extern const struct apmu_reg_ops apmu_select_ops;

/** A recorder: passes every access on to .inner and reports it to .sink.  The context is a struct apmu_trace. */
extern const struct apmu_reg_ops apmu_trace_ops;

struct apmu_trace {
    struct apmu_dev inner;
    /** Receives one line without '\n' after each access: "write PMCR_EL0 0xc1", "read PMOVSCLR_EL0 0x0", "sync". */
    void (*sink)(void *sink_ctx, const char *line);
    void *sink_ctx;
};

/** A saboteur: passes accesses on to .inner, but lets one of them fail.  The context is a struct apmu_fault. */
extern const struct apmu_reg_ops apmu_fault_ops;

struct apmu_fault {
    struct apmu_dev inner;
    unsigned long calls;   /**< number of reads and writes so far, including the one that failed */
    unsigned long fail_at; /**< the call that fails, counted from 1; 0: none */
    enum apmu_error error; /**< the error that it returns */
};

#ifdef __cplusplus
}
#endif
#endif
