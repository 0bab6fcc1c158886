/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threshold function of one counter (FEAT_PMUv3_TH, _EDGE, _TH2): PMUCountValue() and ReservedPMUThreshold().
 *
 * Vb is the number of occurrences of the event in this cycle, Vm the increment of the counter below (n-1, n odd), Ct
 * the condition, Cp the condition in the cycle before, Vn the increment of counter n.
 */

#include "internal.h"

/* PMEVTYPER<n>_EL0.{TC, TE, TLC, TH}.  Fields of absent features are zero, and reserved values are resolved. */
struct threshold_setting {
    unsigned tc, te, tlc;
    uint64_t th;
    bool off; /* no threshold: the increment is Vb */
};

static bool reserved(const struct threshold_setting *s)
{
    if (s->te) {
        return (s->tc & 3) == 0 || (s->tlc & 1) != 0;
    }
    return s->tlc == 3 || (s->tlc == 2 && (s->tc & 1) != 0);
}

static struct threshold_setting setting(const struct apmu *p, unsigned n)
{
    const uint64_t t = p->typer[n];
    struct threshold_setting s = {.off = true};

    if (!apmu_has(p, APMU_FEAT(PMUv3_TH))) {
        return s;
    }
    s.th = APMU_GET(PMEVTYPER_EL0, TH, t);
    s.tc = (unsigned)APMU_GET(PMEVTYPER_EL0, TC, t);
    if (apmu_has(p, APMU_FEAT(PMUv3_EDGE))) {
        s.te = (unsigned)APMU_GET(PMEVTYPER_EL0, TE, t);
    }
    if (apmu_has(p, APMU_FEAT(PMUv3_TH2)) && (n & 1) != 0) {
        s.tlc = (unsigned)APMU_GET(PMEVTYPER_EL0, TLC, t);
    }
    if (reserved(&s)) {
        if (p->cfg.reserved_threshold_off) {
            return s;
        }
        s.tc = p->cfg.reserved_threshold >> 3;
        s.te = p->cfg.reserved_threshold >> 2 & 1;
        s.tlc = p->cfg.reserved_threshold & 3;
    }
    s.off = s.th == 0 && s.tc == 0 && s.te == 0 && s.tlc == 0;
    return s;
}

static bool condition(const struct threshold_setting *s, uint64_t vb)
{
    switch (s->tc >> 1) {
    case 0:
        return vb != s->th;
    case 1:
        return vb == s->th;
    case 2:
        return vb >= s->th;
    default:
        return vb < s->th;
    }
}

static uint64_t edge_value(const struct threshold_setting *s, bool cp, bool ct, uint64_t vm)
{
    const bool edge = (s->tc & 1) != 0 ? !cp && ct : cp != ct; /* TC[0] = 1: the rising edge; 0: both edges */

    return !edge ? 0 : s->tlc == 2 ? vm : 1;
}

static uint64_t level_value(const struct threshold_setting *s, bool ct, uint64_t vb, uint64_t vm)
{
    const uint64_t own = (s->tc & 1) != 0 ? 1 : vb; /* TC[0] = 1: add 1; 0: add Vb */

    switch (s->tlc) {
    case 1:
        return ct ? own : vm;
    case 2:
        return ct ? vm : 0;
    default:
        return ct ? own : 0;
    }
}

bool apmu_threshold_active(const struct apmu *p, unsigned n)
{
    return !setting(p, n).off;
}

struct apmu_threshold apmu_threshold(const struct apmu *p, unsigned n, uint64_t vb, uint64_t vm)
{
    const struct threshold_setting s = setting(p, n);
    const bool cp = apmu_bit(p->last_threshold, n);

    if (s.off) {
        return (struct apmu_threshold){.value = vb, .condition = cp};
    }
    const bool ct = condition(&s, vb);
    return (struct apmu_threshold){
        .value = s.te ? edge_value(&s, cp, ct, vm) : level_value(&s, ct, vb, vm),
        .condition = ct,
    };
}

uint64_t apmu_count_value(struct apmu *p, unsigned n, uint64_t vb, uint64_t vm)
{
    const struct apmu_threshold t = apmu_threshold(p, n, vb, vm);
    const uint32_t bit = UINT32_C(1) << n;

    p->last_threshold = t.condition ? p->last_threshold | bit : p->last_threshold & ~bit;
    return t.value;
}
