/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of AArch64.IncrementEventCounter(), AArch64.IncrementCycleCounter() and IncrementInstructionCounter(). */

#include "conform.h"

#define STATE "feat,st,n,epm,pmcr,cnten,ovs,inten,mdcr2,mdcr3,scr,hcr,sder,spe,sync,userenr,uacr,fgt,pmecr,mi,"

static enum verdict event_counter(struct vector_row *row)
{
    const unsigned n = dec(row, "idx");
    const unsigned by = dec(row, "inc");
    struct apmu p;
    struct apmu_pe pe;
    bool chain;

    if (n >= APMU_EVENT_COUNTERS) {
        return SKIPPED;
    }
    load_state(row, &p, &pe, n);
    load_more(row, &p, &pe);
    p.cntr[n] = hex(row, "old");
    if (dec(row, "next_is_chain") != 0 && n + 1 < APMU_EVENT_COUNTERS) {
        p.typer[n + 1] |= APMU_EV_CHAIN;
    }
    apmu_settle(&p);
    apmu_increment_event(&p, &pe, n, by, &chain);
    expect_dec(row, "ret", by); /* the pseudocode returns the increment, for the counter above */
    expect(row, "new", p.cntr[n]);
    expect(row, "ovs_out", p.ovs);
    expect_dec(row, "chain_acc", chain);
    expect_dec(row, "synovf", p.sync_overflowed);
    return CHECKED;
}

/* The next two checks call the public functions, which also decide whether the counter counts. */
static enum verdict cycle_counter(struct vector_row *row)
{
    struct apmu p;
    struct apmu_pe pe;

    load_state(row, &p, &pe, APMU_CYCLE);
    load_more(row, &p, &pe);
    p.cntr[APMU_CYCLE] = hex(row, "old");
    apmu_cycles(&p, &pe, 1, NULL);
    expect(row, "new", p.cntr[APMU_CYCLE]);
    expect(row, "ovs_out", p.ovs);
    return CHECKED;
}

static enum verdict instruction_counter(struct vector_row *row)
{
    struct apmu p;
    struct apmu_pe pe;

    load_state(row, &p, &pe, APMU_INSTR);
    load_more(row, &p, &pe);
    p.cntr[APMU_INSTR] = hex(row, "old");
    apmu_event(&p, &pe, APMU_EV_INST_RETIRED, 1, dec(row, "inc"), NULL);
    expect(row, "new", p.cntr[APMU_INSTR]);
    expect(row, "ovs_out", p.ovs);
    expect_dec(row, "synovf", p.sync_overflowed);
    return CHECKED;
}

const struct check increment_checks[] = {
    {STATE "idx,typer,old,inc,next_is_chain,ret,new,ovs_out,chain_acc,synovf,cu", event_counter},
    {STATE "typer,old,new,ovs_out,cu", cycle_counter},
    {STATE "typer,old,inc,new,ovs_out,synovf,cu", instruction_counter},
    {NULL, NULL},
};
