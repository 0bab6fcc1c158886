/* SPDX-License-Identifier: BSD-2-Clause */
/* CheckPMUOverflowCondition(), PMUInterruptEnabled() and PMUExceptionEnabled(). */

#include "conform.h"

#define STATE "feat,st,n,epm,pmcr,cnten,ovs,inten,mdcr2,mdcr3,scr,hcr,sder,spe,sync,userenr,uacr,fgt,pmecr,mi,"

static enum verdict overflow_condition(struct row *row)
{
    struct apmu p;
    struct apmu_pe pe;
    unsigned target_el = 0;

    load_state(row, &p, &pe, APMU_COUNTERS);
    load_more(row, &p, &pe);
    const bool exception = apmu_exception_enabled(&p, &pe, &target_el);
    expect_dec(row, "ov_irq", apmu_overflow_condition(&p, &pe));
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
