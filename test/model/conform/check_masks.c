/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of GetPMUAccessMask(), GetPMUReadMask(), GetPMUWriteMask(), GetNumEventCounters*() and PMUCaptureEvent*(). */

#include "../../../lib/model/masks.h"
#include "conform.h"

#define STATE "feat,st,n,epm,pmcr,cnten,ovs,inten,mdcr2,mdcr3,scr,hcr,sder,spe,sync,userenr,uacr,fgt,pmecr,mi,"

static enum verdict masks(struct vector_row *row)
{
    struct apmu p;
    struct apmu_pe pe;

    load_state(row, &p, &pe, APMU_COUNTERS);
    load_more(row, &p, &pe);
    expect(row, "access", apmu_access_mask(&p, &pe));
    expect(row, "read", apmu_read_mask(&p, &pe));
    expect(row, "write", apmu_write_mask(&p, &pe, false));
    expect(row, "write_ctr", apmu_write_mask(&p, &pe, true));
    expect_dec(row, "num_acc", apmu_accessible(&p, &pe));
    expect_dec(row, "num_self", apmu_epmn(&p, &pe));
    expect_dec(row, "cap_enabled", apmu_capture_enabled(&p, &pe));
    expect_dec(row, "cap_allowed", apmu_capture_allowed(&p, &pe));
    return CHECKED;
}

const struct check mask_checks[] = {
    {STATE "access,read,write,write_ctr,num_acc,num_self,cap_enabled,cap_allowed,cu", masks},
    {NULL, NULL},
};
