/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks which counters registers with a bit for each counter show and change: GetPMUReadMask() and GetPMUWriteMask()
 * where accesses to the instruction counter's own registers would trap, and the limits at EL0.
 */
#include <armpmu/model.h>

#include "../../lib/tap.h"

#define EL1_ONLY (APMU_FEAT(AA64) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(PMUv3))
#define EL2_TOO (EL1_ONLY | APMU_FEAT(AA64EL2) | APMU_FEAT(PMUv3_ICNTR) | APMU_FEAT(FGT2))
#define ALL_ELS (EL2_TOO | APMU_FEAT(AA64EL3))
#define F0 (UINT64_C(1) << APMU_INSTR)
#define ALL_ONES (~UINT64_C(0))

static struct apmu p;
static struct apmu_pe pe;

/* Makes six counters.  EL0 and EL1 may access all of them, and nothing traps. */
static void unit(uint64_t features, unsigned el)
{
    const struct apmu_config cfg = {.size = sizeof cfg, .features = apmu_features_closure(features), .counters = 6};

    apmu_init(&p, &cfg);
    p.userenr = APMU_MASK(PMUSERENR_EL0, EN) | APMU_MASK(PMUSERENR_EL0, UEN);
    p.uacr = APMU_MASK(PMUACR_EL1, F0) | APMU_MASK(PMUACR_EL1, C) | 0x3F;
    pe = (struct apmu_pe){
        .el = (uint8_t)el,
        .scr_el3 = APMU_MASK(SCR_EL3, NS) | APMU_MASK(SCR_EL3, RW) | APMU_MASK(SCR_EL3, FGTEn2),
        .hcr_el2 = APMU_MASK(HCR_EL2, RW),
        .mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 6),
        .mdcr_el3 = APMU_MASK(MDCR_EL3, EnPM2),
        .hdfgrtr2_el2 = ALL_ONES,
        .hdfgwtr2_el2 = ALL_ONES,
    };
}

static bool shows_f0(void)
{
    p.cnten = F0;
    return apmu_peek(&p, &pe, APMU_REG_PMCNTENSET_EL0, 0) == F0;
}

static bool sets_f0(void)
{
    p.cnten = 0;
    apmu_poke(&p, &pe, APMU_REG_PMCNTENSET_EL0, 0, F0, NULL);
    return p.cnten == F0;
}

static bool clears_f0(void)
{
    p.cnten = F0;
    apmu_poke(&p, &pe, APMU_REG_PMCNTENCLR_EL0, 0, F0, NULL);
    return p.cnten == 0;
}

static bool zeroes_f0(void)
{
    p.cntr[APMU_INSTR] = 5;
    apmu_poke(&p, &pe, APMU_REG_PMZR_EL0, 0, F0, NULL);
    return p.cntr[APMU_INSTR] == 0;
}

/* Checks that all four accesses reach the instruction counter, or that none does. */
static void f0(bool reached, const char *where)
{
    MUST(shows_f0() == reached, "%s: PMCNTENSET_EL0.F0 reads as %u", where, !reached);
    MUST(sets_f0() == reached, "%s: a write of PMCNTENSET_EL0.F0", where);
    MUST(clears_f0() == reached, "%s: a write of PMCNTENCLR_EL0.F0", where);
    MUST(zeroes_f0() == reached, "%s: a write of PMZR_EL0.F0", where);
}

static void f0_is_raz_wi_below_el3_without_enpm2(void)
{
    static const char *const names[] = {"EL0", "EL1", "EL2", "EL3"};

    for (unsigned el = 0; el <= 3; el++) {
        unit(ALL_ELS, el);
        f0(true, names[el]);
        pe.mdcr_el3 = 0;
        f0(el == 3, names[el]);
    }
    unit(EL2_TOO, 1);
    pe.mdcr_el3 = 0;
    f0(true, "without EL3");
}

static void f0_is_raz_wi_where_fine_grained_traps_are(void)
{
    unit(ALL_ELS, 1);
    pe.scr_el3 &= ~APMU_MASK(SCR_EL3, FGTEn2);
    f0(false, "SCR_EL3.FGTEn2 = 0 at EL1");
    pe.el = 2;
    f0(true, "SCR_EL3.FGTEn2 = 0 at EL2");
    unit(EL2_TOO, 1);
    pe.scr_el3 = 0;
    f0(true, "without EL3, so without FGTEn2");
    for (unsigned el = 0; el <= 3; el++) {
        unit(ALL_ELS, el);
        pe.hdfgrtr2_el2 = pe.hdfgwtr2_el2 = 0;
        f0(el >= 2, "all traps of EL2");
    }
}

/* The trap of PMICFILTR_EL0 hides the bit, except in PMZR_EL0, where the trap of PMICNTR_EL0 does. */
static void each_access_asks_for_its_own_trap(void)
{
    unit(ALL_ELS, 1);
    pe.hdfgrtr2_el2 = APMU_MASK(HDFGRTR2_EL2, nPMICFILTR_EL0);
    pe.hdfgwtr2_el2 = APMU_MASK(HDFGWTR2_EL2, nPMICNTR_EL0);
    MUST(shows_f0(), "HDFGRTR2_EL2.nPMICFILTR_EL0 lets PMCNTENSET_EL0.F0 be read");
    MUST(!sets_f0(), "HDFGWTR2_EL2.nPMICFILTR_EL0 = 0 and PMCNTENSET_EL0");
    MUST(!clears_f0(), "HDFGWTR2_EL2.nPMICFILTR_EL0 = 0 and PMCNTENCLR_EL0");
    MUST(zeroes_f0(), "HDFGWTR2_EL2.nPMICNTR_EL0 lets PMZR_EL0.F0 be written");
    pe.hdfgrtr2_el2 = ALL_ONES & ~APMU_MASK(HDFGRTR2_EL2, nPMICFILTR_EL0);
    pe.hdfgwtr2_el2 = ALL_ONES & ~APMU_MASK(HDFGWTR2_EL2, nPMICNTR_EL0);
    MUST(!shows_f0(), "HDFGRTR2_EL2.nPMICFILTR_EL0 = 0");
    MUST(sets_f0(), "HDFGWTR2_EL2.nPMICFILTR_EL0 lets PMCNTENSET_EL0.F0 be written");
    MUST(clears_f0(), "HDFGWTR2_EL2.nPMICFILTR_EL0 lets PMCNTENCLR_EL0.F0 be written");
    MUST(!zeroes_f0(), "HDFGWTR2_EL2.nPMICNTR_EL0 = 0");
}

static void a_host_has_no_fine_grained_traps(void)
{
    const uint64_t e2h = APMU_MASK(HCR_EL2, E2H), tge = APMU_MASK(HCR_EL2, TGE), rw = APMU_MASK(HCR_EL2, RW);

    unit(ALL_ELS | APMU_FEAT(VHE), 0);
    pe.hdfgrtr2_el2 = pe.hdfgwtr2_el2 = 0;
    pe.hcr_el2 = e2h | tge | rw;
    f0(true, "an application of the host");
    pe.hcr_el2 = e2h | rw;
    f0(false, "an application of a guest: TGE = 0");
    pe.hcr_el2 = tge | rw;
    f0(false, "E2H = 0");
}

static void el0_writes_what_pmuserenr_leaves(void)
{
    unit(ALL_ELS, 0);
    p.userenr |= APMU_MASK(PMUSERENR_EL0, IR);
    MUST(shows_f0(), "IR = 1: PMCNTENSET_EL0.F0 can be read");
    MUST(!sets_f0() && !clears_f0() && !zeroes_f0(), "IR = 1: the instruction counter is read-only");
    p.userenr = APMU_MASK(PMUSERENR_EL0, EN);
    f0(false, "UEN = 0: EL0 has no instruction counter");
}

/* PMUACR_EL1 applies to EL0 below an EL1 that uses AArch64. */
static void pmuacr_asks_how_el1_executes(void)
{
    unit(ALL_ELS | APMU_FEAT(PMUv3p9) | APMU_FEAT(AA32EL1), 0);
    p.uacr = 5;
    p.cnten = 0x3F;
    MUST_EQ(apmu_peek(&p, &pe, APMU_REG_PMCNTENSET_EL0, 0), 5, "EL1 uses AArch64");
    pe.hcr_el2 = 0;
    pe.a32 = true;
    MUST_EQ(apmu_peek(&p, &pe, APMU_REG_PMCNTENSET_EL0, 0), 0x3F, "EL1 uses AArch32, and EL2 AArch64");
    unit(ALL_ELS | APMU_FEAT(PMUv3p9) | APMU_FEAT(AA32EL0), 0);
    p.uacr = 5;
    p.cnten = 0x3F;
    pe.hcr_el2 = 0;
    MUST_EQ(apmu_peek(&p, &pe, APMU_REG_PMCNTENSET_EL0, 0), 5, "EL1 cannot use AArch32, whatever HCR_EL2.RW is");
}

static void pmswinc_reaches_the_first_range_only(void)
{
    unit(ALL_ELS | APMU_FEAT(PMUv3p9), 0);
    p.pmcr = APMU_MASK(PMCR_EL0, E);
    p.cnten = 0x3F;
    pe.mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 2) | APMU_MASK(MDCR_EL2, HPME);
    apmu_poke(&p, &pe, APMU_REG_PMSWINC_EL0, 0, 0x3F, NULL);
    MUST(p.cntr[0] == 1 && p.cntr[1] == 1, "PMEVCNTR0 and PMEVCNTR1 belong to EL0");
    MUST(p.cntr[2] == 0 && p.cntr[5] == 0, "PMEVCNTR2 and up belong to EL2, whatever PMUACR_EL1 says");
}

int main(void)
{
    RUN(f0_is_raz_wi_below_el3_without_enpm2);
    RUN(f0_is_raz_wi_where_fine_grained_traps_are);
    RUN(each_access_asks_for_its_own_trap);
    RUN(a_host_has_no_fine_grained_traps);
    RUN(el0_writes_what_pmuserenr_leaves);
    RUN(pmuacr_asks_how_el1_executes);
    RUN(pmswinc_reaches_the_first_range_only);
    return tap_status;
}
