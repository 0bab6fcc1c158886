/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of CheckPMUOverflowCondition() for each of its causes, PMUInterruptEnabled() and PMUExceptionEnabled(). */

#include "conform.h"

#define STATE "feat,st,n,epm,pmcr,cnten,ovs,inten,mdcr2,mdcr3,scr,hcr,sder,spe,sync,userenr,uacr,fgt,pmecr,mi,"

static bool condition(const struct apmu *p, const struct apmu_pe *pe, enum apmu_cause cause, unsigned ranges)
{
    return apmu_overflow_flags(p, pe, cause, ranges) != 0;
}

/* Returns the External Debug Request, with the features that it needs and with EDECR.PME = 1. */
static bool debug_request(const struct apmu *p, const struct apmu_pe *pe)
{
    struct apmu all = *p;
    struct apmu_pe asks = *pe;
    struct apmu_out out;

    all.cfg.features |= APMU_FEAT(Debugv8p9) | APMU_FEAT(PMUv3p9);
    apmu_settle(&all);
    asks.edecr_pme = true;
    apmu_levels(&all, &asks, &out);
    return out.edbgrq;
}

static enum verdict overflow_condition(struct vector_row *row)
{
    struct apmu p;
    struct apmu_pe pe;
    unsigned target_el = 0;

    load_state(row, &p, &pe, APMU_COUNTERS);
    load_more(row, &p, &pe);
    const bool exception = apmu_exception_enabled(&p, &pe, &target_el);
    struct apmu_out out;
    apmu_levels(&p, &pe, &out);
    expect_dec(row, "ov_irq", out.cti);
    expect_dec(row, "ov_exc", condition(&p, &pe, APMU_CAUSE_EXCEPTION, APMU_RANGES));
    expect_dec(row, "ov_edbgrq", debug_request(&p, &pe));
    expect_dec(row, "brbe_r1", out.brbe_freeze[0]);
    expect_dec(row, "brbe_r2", out.brbe_freeze[1]);
    expect_dec(row, "freeze_r1", condition(&p, &pe, APMU_CAUSE_FREEZE, APMU_RANGE_1));
    expect_dec(row, "freeze_r2", condition(&p, &pe, APMU_CAUSE_FREEZE, APMU_RANGE_2));
    expect_dec(row, "irq_enabled", apmu_interrupt_enabled(&p, &pe));
    expect_dec(row, "exc_enabled", exception);
    if (exception) {
        expect_dec(row, "exc_target", target_el);
    }
    return CHECKED;
}

const struct check signal_checks[] = {
    {STATE "ov_irq,ov_exc,ov_edbgrq,brbe_r1,brbe_r2,freeze_r1,freeze_r2,irq_enabled,exc_enabled,exc_target,cu",
     overflow_condition},
    {NULL, NULL},
};
