/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of CountPMUEvents() and PMUCountValue(). */

#include "conform.h"

static enum verdict count_pmu_events(struct vector_row *row)
{
    const unsigned n = dec(row, "idx");
    struct apmu p;
    struct apmu_pe pe;

    load_state(row, &p, &pe, n);
    expect_dec(row, "result", apmu_counts(&p, &pe, n));
    expect_dec(row, "range", apmu_range(&p, &pe, n));
    expect_dec(row, "ss", apmu_security_state(&p, &pe));
    expect_dec(row, "hpmn", apmu_hpmn(&p, &pe));
    expect_dec(row, "epmn", apmu_epmn(&p, &pe));
    return CHECKED;
}

static enum verdict pmu_count_value(struct vector_row *row)
{
    const unsigned n = dec(row, "n");
    const uint64_t mi = hex(row, "mi");

    if (n >= APMU_EVENT_COUNTERS) {
        return SKIPPED;
    }
    struct apmu p = {
        .cfg = {
            .size = sizeof p.cfg,
            .features = hex(row, "feat"),
            .counters = APMU_EVENT_COUNTERS,
            .thwidth = 12,
            .reserved_threshold = (uint8_t)(mi & 63),
            .reserved_threshold_off = apmu_bit(mi, 6),
        },
        .last_threshold = dec(row, "last") << n,
    };
    p.typer[n] = hex(row, "typer");
    apmu_settle(&p);
    expect_dec(row, "Vn", apmu_count_value(&p, n, dec(row, "Vb"), dec(row, "Vm")));
    expect_dec(row, "last_out", apmu_bit(p.last_threshold, n));
    return CHECKED;
}

const struct check count_checks[] = {
    {"feat,st,n,idx,epm,pmcr,cnten,ovs,mdcr2,mdcr3,scr,hcr,sder,spe,sync,typer,result,range,ss,hpmn,epmn,cu",
     count_pmu_events},
    {"n,feat,typer,last,Vb,Vm,mi,Vn,last_out,cu", pmu_count_value},
    {NULL, NULL},
};
