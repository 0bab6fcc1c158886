/* SPDX-License-Identifier: BSD-2-Clause */
#include "feed.h"

void apmu_feed(struct apmu *pmus, size_t count, const struct apmu_pe *pe, const uint64_t delta[APMU_SOURCE_COUNT])
{
    for (size_t p = 0; p < count; p++) {
        for (int s = 0; s < (int)APMU_SOURCE_COUNT; s++) {
            if (delta[s] == 0)
                continue;
            if (s == APMU_SOURCE_CPU_CYCLES)
                apmu_cycles(&pmus[p], pe, delta[s], NULL);
            else
                apmu_event(&pmus[p], pe, apmu_source_info[s].event, delta[s], 1, NULL);
        }
    }
}

#define SCR_EL3_NS (UINT64_C(1) << 0)
#define SCR_EL3_RW (UINT64_C(1) << 10)
#define HCR_EL2_RW (UINT64_C(1) << 31)

struct apmu_pe apmu_program_pe(const struct apmu *p)
{
    return (struct apmu_pe){
        .el = 0,
        .scr_el3 = SCR_EL3_NS | SCR_EL3_RW,
        .hcr_el2 = HCR_EL2_RW,
        .mdcr_el2 = p->cfg.counters, /* HPMN */
    };
}
