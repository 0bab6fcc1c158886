/* SPDX-License-Identifier: BSD-2-Clause */
/* Tries all values of the PMSSE and SSE fields: which Exception level decides about snapshots, and what it decides. */

#include <armpmu/model.h>

#include "../../lib/tap.h"

#define A64_ALL (APMU_FEAT(AA64) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3))
#define A32_ALL (APMU_FEAT(AA32) | APMU_FEAT(AA32EL0) | APMU_FEAT(AA32EL1) | APMU_FEAT(AA32EL2) | APMU_FEAT(AA32EL3))

enum capture_outcome { NOTHING, REFUSED, CAPTURED }; /* PMSSCR_EL1 unchanged, with NC set, with NC clear */

static struct apmu p;

static enum capture_outcome captured(const struct apmu_pe *pe)
{
    struct apmu_out out;

    p.cntr[1] = 77;
    p.svr[1] = 5;
    p.sscr = APMU_MASK(PMSSCR_EL1, SS);
    apmu_snapshot(&p, pe, &out);
    if (p.svr[1] == 77) {
        return p.sscr == 0 ? CAPTURED : NOTHING;
    }
    return p.sscr == APMU_MASK(PMSSCR_EL1, NC) ? REFUSED : NOTHING;
}

static enum capture_outcome outcome_of(unsigned els, unsigned el3, unsigned el2, unsigned el1, unsigned reserved)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = apmu_features_closure(APMU_FEAT(PMUv3_SS) | APMU_FEAT(AA64EL1) |
                                          ((els & 4) != 0 ? APMU_FEAT(AA64EL2) : 0) |
                                          ((els & 8) != 0 ? APMU_FEAT(AA64EL3) : 0)),
        .counters = 2,
        .reserved_sse = (uint8_t)reserved,
    };
    const struct apmu_pe pe = {
        .el = 1,
        .mdcr_el3 = APMU_PUT(MDCR_EL3, PMSSE, el3),
        .mdcr_el2 = APMU_PUT(MDCR_EL2, PMSSE, el2) | APMU_PUT(MDCR_EL2, HPMN, 2),
        .scr_el3 = APMU_MASK(SCR_EL3, NS),
    };

    apmu_init(&p, &cfg);
    p.ecr = APMU_PUT(PMECR_EL1, SSE, el1);
    return captured(&pe);
}

/* 0 disables, 1 leaves it to the level below, 2 enables and prohibits capture, 3 allows it. */
static const enum capture_outcome what[4] = {NOTHING, NOTHING, REFUSED, CAPTURED};

static void every_combination(void)
{
    for (unsigned i = 0; i < 4 * 256; i++) {
        const unsigned els = 3 | (i >> 8 & 3) << 2;
        const unsigned el3 = i & 3, el2 = i >> 2 & 3, el1 = i >> 4 & 3, reserved = i >> 6 & 3;
        const unsigned below_el3 = (els & 4) != 0 && el2 != 1 ? el2 : el1 != 1 ? el1 : reserved;
        const unsigned decides = (els & 8) != 0 && el3 != 1 ? el3 : below_el3;
        const enum capture_outcome is = outcome_of(els, el3, el2, el1, reserved);
        MUST(is == what[decides], "Exception levels %x, PMSSE %u and %u, SSE %u, reserved %u: %d", els, el3, el2, el1,
             reserved, is);
    }
}

/*
 * No implementation has both FEAT_PMUv3_SS and AArch32 at EL1, but the pseudocode tests for AArch32: no Exception level
 * below one that uses AArch32 decides.
 */
static void aarch32_disables(void)
{
    struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = apmu_features_closure(APMU_FEAT(PMUv3_SS)) | A64_ALL | (A32_ALL & ~APMU_FEAT(AA32EL3)),
        .counters = 2,
    };
    struct apmu_pe pe = {
        .el = 1,
        .mdcr_el3 = APMU_PUT(MDCR_EL3, PMSSE, 1),
        .mdcr_el2 = APMU_PUT(MDCR_EL2, PMSSE, 3),
        .scr_el3 = APMU_MASK(SCR_EL3, NS),
    };

    apmu_init(&p, &cfg);
    MUST_EQ(captured(&pe), NOTHING, "EL2 uses AArch32");
    pe.scr_el3 |= APMU_MASK(SCR_EL3, RW);
    MUST_EQ(captured(&pe), CAPTURED, "EL2 decides");
    pe.mdcr_el2 = APMU_PUT(MDCR_EL2, PMSSE, 1);
    p.ecr = APMU_PUT(PMECR_EL1, SSE, 3);
    MUST_EQ(captured(&pe), NOTHING, "EL1 uses AArch32");
    pe.hcr_el2 = APMU_MASK(HCR_EL2, RW);
    MUST_EQ(captured(&pe), CAPTURED, "EL1 decides");
    cfg.features &= ~(APMU_FEAT(AA32EL1) | APMU_FEAT(AA32EL2));
    apmu_init(&p, &cfg);
    p.ecr = APMU_PUT(PMECR_EL1, SSE, 3);
    pe.hcr_el2 = 0;
    MUST_EQ(captured(&pe), CAPTURED, "EL1 cannot use AArch32");
    cfg.features = apmu_features_closure(APMU_FEAT(PMUv3_SS)) | A32_ALL;
    cfg.features &= ~A64_ALL;
    apmu_init(&p, &cfg);
    pe.mdcr_el3 = APMU_PUT(MDCR_EL3, PMSSE, 3);
    MUST_EQ(captured(&pe), NOTHING, "no Exception level uses AArch64");
}

int main(void)
{
    RUN(aarch32_disables);
    RUN(every_combination);
    return tap_status;
}
