/* SPDX-License-Identifier: BSD-2-Clause */
/* FEAT_PMUv3_SS: a Capture event copies every counter to its saved value register (D13.9). */

#include "registers.h"

enum { SSE_DISABLED = 0, SSE_DELEGATE = 1, SSE_ALLOWED = 3 };

/*
 * Returns the value of the field that decides: EL3 decides or delegates to EL2, and EL2 to EL1.  FEAT_PMUv3_SS and
 * AArch32 at EL1 exclude each other; the tests for AArch32 follow the pseudocode.
 */
static unsigned deciding_sse(const struct apmu *p, const struct apmu_pe *pe)
{
    if (!apmu_has(p, APMU_FEAT(PMUv3_SS)) || apmu_a32_only(p)) {
        return SSE_DISABLED;
    }
    if (apmu_have_el(&p->cfg, 3) && APMU_GET(MDCR_EL3, PMSSE, pe->mdcr_el3) != SSE_DELEGATE) {
        return (unsigned)APMU_GET(MDCR_EL3, PMSSE, pe->mdcr_el3);
    }
    if (apmu_have_el(&p->cfg, 2)) {
        if (apmu_el_is_a32(p, pe, 2)) {
            return SSE_DISABLED;
        }
        if (APMU_GET(MDCR_EL2, PMSSE, pe->mdcr_el2) != SSE_DELEGATE) {
            return (unsigned)APMU_GET(MDCR_EL2, PMSSE, pe->mdcr_el2);
        }
    }
    if (apmu_el_is_a32(p, pe, 1)) {
        return SSE_DISABLED;
    }
    const unsigned sse = (unsigned)APMU_GET(PMECR_EL1, SSE, p->ecr);
    return sse == SSE_DELEGATE ? p->cfg.reserved_sse : sse; /* EL1 has no level to delegate to, so 1 is reserved */
}

bool apmu_capture_enabled(const struct apmu *p, const struct apmu_pe *pe)
{
    return (deciding_sse(p, pe) & 2) != 0;
}

bool apmu_capture_allowed(const struct apmu *p, const struct apmu_pe *pe)
{
    return deciding_sse(p, pe) == SSE_ALLOWED && !pe->os_lock;
}

void apmu_capture(struct apmu *p, const struct apmu_pe *pe, struct apmu_out *out)
{
    const bool allowed = apmu_capture_allowed(p, pe);

    for (unsigned n = 0; allowed && n < APMU_COUNTERS; n++) {
        if (n >= APMU_CYCLE || n < p->cfg.counters) {
            p->svr[n] = p->cntr[n];
        }
    }
    if (allowed) {
        apmu_sample_on_capture(p, pe);
    }
    /* The capture completes at once, so SS reads as 0. */
    p->sscr = APMU_PUT(PMSSCR_EL1, NC, allowed ? 0 : 1);
    if (allowed) {
        apmu_event(p, pe, APMU_EV_PMU_SNAPSHOT, 1, 1, out);
    }
}

void apmu_snapshot(struct apmu *p, const struct apmu_pe *pe, struct apmu_out *out)
{
    if (out != NULL) {
        *out = (struct apmu_out){0};
    }
    if (apmu_capture_enabled(p, pe)) {
        apmu_capture(p, pe, out);
    }
    if (out != NULL) {
        apmu_signal(p, pe, out);
    }
}
