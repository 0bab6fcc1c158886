/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes totals of sources to model PMUs. */
#include "feed.h"

#include <armpmu/event_numbers.h>

/* Has each PMU count @times occurrences of @event. */
static void feed_event(struct apmu *pmus, size_t count, const struct apmu_pe *pe, uint16_t event, uint64_t times)
{
    for (size_t p = 0; p < count && times != 0; p++) {
        if (event == APMU_EV_CPU_CYCLES) {
            apmu_cycles(&pmus[p], pe, times, NULL);
        } else {
            apmu_event(&pmus[p], pe, event, times, 1, NULL);
        }
    }
}

void apmu_feed(struct apmu *pmus, size_t count, const struct apmu_pe *pe, const uint64_t delta[APMU_SOURCE_COUNT])
{
    for (int s = 0; s < (int)APMU_SOURCE_COUNT; s++) {
        feed_event(pmus, count, pe, apmu_source_info[s].event, delta[s]);
    }
}

void apmu_feed_events(struct apmu *pmus, size_t count, const struct apmu_pe *pe, const struct apmu_occurred *events,
                      size_t event_count)
{
    for (size_t i = 0; i < event_count; i++) {
        feed_event(pmus, count, pe, events[i].event, events[i].times);
    }
}

struct apmu_pe apmu_program_pe(const struct apmu *p)
{
    return (struct apmu_pe){
        .el = 0,
        .hcr_el2 = APMU_PUT(HCR_EL2, RW, 1),
        .mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, p->cfg.counters),
        .mdcr_el3 = APMU_PUT(MDCR_EL3, EnPM2, 1) | APMU_PUT(MDCR_EL3, EnPMSS, 1),
        .scr_el3 = APMU_PUT(SCR_EL3, NS, 1) | APMU_PUT(SCR_EL3, RW, 1) | APMU_PUT(SCR_EL3, FGTEn, 1) |
                   APMU_PUT(SCR_EL3, FGTEn2, 1),
        .hdfgrtr2_el2 = ~UINT64_C(0), /* in this register 1 means "do not trap" */
        .hdfgwtr2_el2 = ~UINT64_C(0),
    };
}
