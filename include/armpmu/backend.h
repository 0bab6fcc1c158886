/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Back ends of the register seam that need no hardware: the model, and the decorators that record and fail accesses and
 * that reach the banks through PMSELR_EL0.
 *
 * For tests and for tools.  The back ends of real PMUs have headers of their own.
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
 * The model as a PMU, in AArch64 state, or where its PE executes in AArch32 state in that; there ARMv7 has no direct
 * forms of the banks (apmu_select_ops).  The context is a struct apmu_model_backend.
 */
extern const struct apmu_reg_ops apmu_model_ops;

struct apmu_model_backend {
    struct apmu *pmu;
    const struct apmu_pe *pe; /**< from where the driver accesses it */
};

/**
 * Reaches the event counters, their types and the filter of the cycle counter through PMSELR_EL0, where a PMU has no direct
 * forms of them.  Each access leaves PMSELR_EL0 as it was, so it may be interrupted by another.  The context is the
 * struct apmu_dev inside.
 */
extern const struct apmu_reg_ops apmu_select_ops;

/** A recorder: passes every access on to @inner and tells @sink of it.  The context is a struct apmu_trace. */
extern const struct apmu_reg_ops apmu_trace_ops;

struct apmu_trace {
    struct apmu_dev inner;
    /** Gets one line without '\n' after each access: "write PMCR_EL0 0xc1", "read PMOVSCLR_EL0 0x0", "sync". */
    void (*sink)(void *sink_ctx, const char *line);
    void *sink_ctx;
};

/** A saboteur: passes accesses on to @inner, but one of them fails.  The context is a struct apmu_fault. */
extern const struct apmu_reg_ops apmu_fault_ops;

struct apmu_fault {
    struct apmu_dev inner;
    unsigned long calls;   /**< reads and writes so far, the failed one included */
    unsigned long fail_at; /**< this call fails, counted from 1; 0: none */
    enum apmu_error error; /**< with this */
};

#ifdef __cplusplus
}
#endif
#endif
