/* SPDX-License-Identifier: BSD-2-Clause */
/* apmu_init(), apmu_peek() and apmu_poke(): each register's fields and effects. */

#include <string.h>

#include <armpmu/model.h>

#include "../../lib/tap.h"

#define EL1_ONLY (APMU_FEAT(AA64) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(PMUv3))
#define ALL_ELS (EL1_ONLY | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3))
#define A32_AT_EL0 (APMU_FEAT(AA32) | APMU_FEAT(AA32EL0))
#define C31 (UINT64_C(1) << 31)
#define F0 (UINT64_C(1) << 32)
#define ALL_ONES (~UINT64_C(0))

static struct apmu p;
static struct apmu_pe pe;
static struct apmu_out out;

/* Makes a unit with six counters after a Cold reset, seen from Non-secure EL1, with EL2 enabled if implemented. */
static void unit(uint64_t features)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = apmu_features_closure(features),
        .counters = 6,
        .thwidth = (features & APMU_FEAT(PMUv3_TH)) != 0 ? 5 : 0,
    };
    apmu_init(&p, &cfg);
    pe = (struct apmu_pe){
        .el = 1,
        .scr_el3 = APMU_MASK(SCR_EL3, NS) | APMU_MASK(SCR_EL3, RW) | APMU_MASK(SCR_EL3, FGTEn2),
        .hcr_el2 = APMU_MASK(HCR_EL2, RW),
        .mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 6),
        .mdcr_el3 = APMU_MASK(MDCR_EL3, EnPM2),
        .hdfgrtr2_el2 = ALL_ONES,
        .hdfgwtr2_el2 = ALL_ONES,
    };
}

#define PEEK(reg) apmu_peek(&p, &pe, APMU_REG_##reg, 0)
#define PEEK_N(reg, n) apmu_peek(&p, &pe, APMU_REG_##reg, n)
#define POKE(reg, value) apmu_poke(&p, &pe, APMU_REG_##reg, 0, value, &out)
#define POKE_N(reg, n, value) apmu_poke(&p, &pe, APMU_REG_##reg, n, value, &out)

/* Checks what a register reads after a write of all ones and after a write of zero. */
#define KEEPS(reg, n, mask, ones) \
    do { \
        POKE_N(reg, n, ALL_ONES); \
        MUST_EQ(PEEK_N(reg, n), (mask) | (ones), #reg " after all ones"); \
        POKE_N(reg, n, 0); \
        MUST_EQ(PEEK_N(reg, n), ones, #reg " after zero"); \
    } while (0)

static void cold_reset_gives_the_known_bits(void)
{
    unit(ALL_ELS | APMU_FEAT(PMUv3_ICNTR) | APMU_FEAT(PMUv3_SS));
    MUST_EQ(PEEK(PMCR_EL0) & 1, 0, "PMCR_EL0.E");
    MUST_EQ(PEEK(PMSSCR_EL1), F0, "PMSSCR_EL1.{NC, SS}");
    MUST_EQ(PEEK(PMICFILTR_EL0), 8, "PMICFILTR_EL0.evtCount");
    MUST_EQ(p.ccr, 6, "PMCCR.EPMN");
    MUST_EQ(p.pmcr, APMU_MASK(PMCR_EL0, LC), "PMCR_EL0.LC is RES1 without AArch32");
}

/* Whatever UNKNOWN reads as, it appears only in implemented fields, and known bits have their values. */
static void unknown_fields_stay_in_their_fields(void)
{
    unit(ALL_ELS | APMU_FEAT(PMUv3_ICNTR) | APMU_FEAT(PMUv3_SS));
    struct apmu_config cfg = p.cfg;
    cfg.unknown_fill = ALL_ONES;
    apmu_init(&p, &cfg);
    pe.el = 3;
    MUST_EQ(PEEK(PMCNTENSET_EL0), C31 | 0x3F, "PMCNTENSET_EL0: six counters, C; F0 is 0");
    MUST_EQ(PEEK(PMINTENCLR_EL1), C31 | 0x3F, "PMINTENCLR_EL1");
    MUST_EQ(PEEK(PMOVSSET_EL0), C31 | 0x3F, "PMOVSSET_EL0");
    MUST_EQ(PEEK(PMSELR_EL0), 0x1F, "PMSELR_EL0");
    MUST_EQ(PEEK(PMUSERENR_EL0), 0x7F, "PMUSERENR_EL0");
    MUST_EQ(PEEK_N(PMEVCNTR_EL0, 5), ALL_ONES, "PMEVCNTR5_EL0");
    MUST_EQ(p.cntr[6], 0, "PMEVCNTR6_EL0 does not exist");
    MUST_EQ(PEEK(PMCR_EL0) & 1, 0, "PMCR_EL0.E");
    MUST_EQ(PEEK(PMSSCR_EL1), F0, "PMSSCR_EL1");
    MUST_EQ(PEEK(PMICFILTR_EL0) & 0xFFFF, 8, "PMICFILTR_EL0.evtCount");
    MUST_EQ(p.pmcr & 0xFFFFF800, 0, "the read-only fields of PMCR_EL0 are not stored");
}

/* Sets every bit that software can set, performs a Warm reset, and checks the bits that every implementation resets. */
static void warm_reset_is_of(uint64_t features)
{
    unit(ALL_ELS | APMU_FEAT(PMUv3_ICNTR) | APMU_FEAT(SEBEP) | APMU_FEAT(PMUv3_TH) | features);
    pe.el = 3;
    for (unsigned r = 0; r < APMU_REG_COUNT; r++) {
        if (r != APMU_REG_PMZR_EL0 && r != APMU_REG_PMCNTENCLR_EL0 && r != APMU_REG_PMINTENCLR_EL1 &&
            r != APMU_REG_PMOVSCLR_EL0 && r != APMU_REG_PMSSCR_EL1) {
            apmu_poke(&p, &pe, (enum apmu_reg)r, 0, ALL_ONES, NULL);
        }
    }
    POKE(PMCCNTR_EL0, 77); /* PMCR_EL0.C zeroed it */
    apmu_on_reset(&p, APMU_RESET_WARM);
    MUST_EQ(PEEK(PMCR_EL0) & 1, 0, "PMCR_EL0.E");
    MUST_EQ(PEEK(PMUSERENR_EL0), 0, "PMUSERENR_EL0");
    MUST_EQ(PEEK(PMSELR_EL0), 0, "PMSELR_EL0");
    MUST_EQ(PEEK(PMUACR_EL1), 0, "PMUACR_EL1");
    MUST_EQ(PEEK(PMICFILTR_EL0) & 0xFFFF, 8, "PMICFILTR_EL0.evtCount");
}

static void warm_reset_leaves_counters_to_external_agents(void)
{
    const uint64_t threshold = APMU_MASK(PMEVTYPER_EL0, TC) | APMU_PUT(PMEVTYPER_EL0, TH, 0x1F);

    warm_reset_is_of(APMU_FEAT(PMUv3_SS));
    MUST_EQ(PEEK(PMCNTENSET_EL0), 0, "PMCNTENSET_EL0");
    MUST_EQ(PEEK(PMCCNTR_EL0), 0, "PMCCNTR_EL0");
    MUST_EQ(PEEK_N(PMEVTYPER_EL0, 0), 0, "PMEVTYPER0_EL0");
    MUST_EQ(PEEK(PMSSCR_EL1), F0, "PMSSCR_EL1");
    MUST_EQ(PEEK(PMECR_EL1), 0x18, "PMECR_EL1.SSE waits for a Cold reset");
    warm_reset_is_of(APMU_FEAT(PMUv3_EXTPMN) | APMU_FEAT(HPMN0));
    MUST_EQ(PEEK(PMCNTENSET_EL0), C31 | 0x3F, "PMCNTENSET_EL0: only F0 is reset");
    MUST_EQ(PEEK(PMOVSSET_EL0), C31 | 0x3F, "PMOVSSET_EL0: only F0 is reset");
    MUST_EQ(PEEK(PMCCNTR_EL0), 77, "PMCCNTR_EL0 stays");
    MUST_EQ(PEEK_N(PMEVTYPER_EL0, 0) & threshold, threshold, "PMEVTYPER0_EL0 stays");
    warm_reset_is_of(APMU_FEAT(PMUv3_EXTPMN) | APMU_FEAT(HPMN0) | APMU_FEAT(AA32EL1));
    MUST_EQ(PEEK_N(PMEVTYPER_EL0, 0) & threshold, 0, "PMEVTYPER0_EL0.{TC, TH}, which AArch32 does not see");
    MUST_EQ(PEEK_N(PMEVTYPER_EL0, 0) & 0xC000FFFF, 0xC000FFFF, "PMEVTYPER0_EL0.{P, U, evtCount} stay");
    MUST_EQ(PEEK_N(PMCCFILTR_EL0, 0) & 0xC0000000, 0xC0000000, "PMCCFILTR_EL0 stays");
}

static void pmcr_fields_follow_features(void)
{
    unit(EL1_ONLY);
    p.cfg.imp = 0x41;
    p.cfg.idcode = 3;
    KEEPS(PMCR_EL0, 0, 0x01, 0x41033040); /* IMP, IDCODE, N = 6, LC */
    p.cfg.export_bus = true;
    apmu_settle(&p);
    KEEPS(PMCR_EL0, 0, 0x11, 0x41033040);
    unit(EL1_ONLY | A32_AT_EL0);
    KEEPS(PMCR_EL0, 0, 0x49, 0x3000); /* LC, D */
    unit(ALL_ELS);
    KEEPS(PMCR_EL0, 0, 0x21, 0x3040); /* DP */
    unit(EL1_ONLY | APMU_FEAT(AA64EL2));
    KEEPS(PMCR_EL0, 0, 0x01, 0x3040);
    unit(EL1_ONLY | APMU_FEAT(AA64EL2) | APMU_FEAT(PMUv3p1));
    KEEPS(PMCR_EL0, 0, 0x21, 0x3040);
    unit(EL1_ONLY | APMU_FEAT(PMUv3p5));
    KEEPS(PMCR_EL0, 0, 0x81, 0x3040); /* LP */
    unit(EL1_ONLY | APMU_FEAT(PMUv3p7));
    p.cfg.imp = 0x41;
    p.cfg.idcode = 3;
    KEEPS(PMCR_EL0, 0, 0x2A1, 0x3040); /* FZO; IMP and IDCODE are gone */
    unit(EL1_ONLY | APMU_FEAT(SPEv1p2) | APMU_FEAT(PMUv3p7));
    KEEPS(PMCR_EL0, 0, 0x1000002A1, 0x3040); /* FZS */
    unit(EL1_ONLY);
    p.cfg.idcode = 3;
    MUST_EQ(PEEK(PMCR_EL0), 0x3040, "IDCODE is RES0 where IMP is 0");
}

static void pmcr_n_is_what_the_exception_level_reaches(void)
{
    unit(ALL_ELS);
    pe.mdcr_el2 = 4;
    MUST_EQ(APMU_GET(PMCR_EL0, N, PEEK(PMCR_EL0)), 4, "at EL1");
    pe.el = 0;
    MUST_EQ(APMU_GET(PMCR_EL0, N, PEEK(PMCR_EL0)), 4, "at EL0");
    pe.el = 2;
    MUST_EQ(APMU_GET(PMCR_EL0, N, PEEK(PMCR_EL0)), 6, "at EL2");
    pe.el = 3;
    MUST_EQ(APMU_GET(PMCR_EL0, N, PEEK(PMCR_EL0)), 6, "at EL3");
    pe.el = 1;
    pe.scr_el3 &= ~APMU_MASK(SCR_EL3, NS);
    MUST_EQ(APMU_GET(PMCR_EL0, N, PEEK(PMCR_EL0)), 6, "at Secure EL1, where EL2 is disabled");
    unit(ALL_ELS | APMU_FEAT(PMUv3_EXTPMN) | APMU_FEAT(HPMN0));
    p.ccr = APMU_PUT(PMCCR, EPMN, 5);
    pe.el = 3;
    MUST_EQ(APMU_GET(PMCR_EL0, N, PEEK(PMCR_EL0)), 5, "with a third range (ZCCDD)");
}

static void fill_counters(void)
{
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        p.cntr[n] = 100 + n;
    }
    p.ovs = F0 | C31 | 0x3F;
}

/* The counters that are zero now. */
static uint64_t zeroed(void)
{
    uint64_t set = 0;

    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        set |= (uint64_t)(p.cntr[n] == 0) << n;
    }
    return set;
}

static void pmcr_p_and_c_zero_counters_and_keep_flags(void)
{
    static const struct {
        uint8_t el;
        bool secure;
        uint64_t want;
    } rows[] = {{0, false, 0x0F}, {1, false, 0x0F}, {2, false, 0x3F}, {3, false, 0x3F}, {1, true, 0x3F}};

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unit(ALL_ELS | APMU_FEAT(PMUv3_ICNTR));
        fill_counters();
        pe.mdcr_el2 = 4;
        pe.el = rows[i].el;
        pe.scr_el3 ^= rows[i].secure ? APMU_MASK(SCR_EL3, NS) : 0;
        POKE(PMCR_EL0, APMU_MASK(PMCR_EL0, P));
        MUST_EQ(zeroed(), rows[i].want, "PMCR_EL0.P, row %u", i);
        POKE(PMCR_EL0, APMU_MASK(PMCR_EL0, C));
        MUST_EQ(zeroed(), rows[i].want | C31, "PMCR_EL0.C, row %u", i);
        MUST_EQ(p.ovs, F0 | C31 | 0x3F, "flags");
        MUST_EQ(PEEK(PMCR_EL0) & 6, 0, "P and C read as zero");
    }
    unit(ALL_ELS | APMU_FEAT(PMUv3_EXTPMN) | APMU_FEAT(HPMN0));
    fill_counters();
    p.ccr = APMU_PUT(PMCCR, EPMN, 5);
    pe.el = 3;
    POKE(PMCR_EL0, APMU_MASK(PMCR_EL0, P));
    MUST_EQ(zeroed(), 0x1F, "the third range is out of reach");
}

static void set_and_clear_have_one_state(void)
{
    static const enum apmu_reg pairs[3][2] = {{APMU_REG_PMCNTENSET_EL0, APMU_REG_PMCNTENCLR_EL0},
                                              {APMU_REG_PMINTENSET_EL1, APMU_REG_PMINTENCLR_EL1},
                                              {APMU_REG_PMOVSSET_EL0, APMU_REG_PMOVSCLR_EL0}};

    for (unsigned i = 0; i < 3; i++) {
        unit(ALL_ELS | APMU_FEAT(PMUv3_ICNTR));
        pe.mdcr_el2 = 4;
        apmu_poke(&p, &pe, pairs[i][0], 0, ALL_ONES, NULL);
        MUST_EQ(apmu_peek(&p, &pe, pairs[i][0], 0), F0 | C31 | 0x0F, "pair %u: set from EL1", i);
        pe.el = 2;
        MUST_EQ(apmu_peek(&p, &pe, pairs[i][1], 0), F0 | C31 | 0x0F, "pair %u: seen from EL2", i);
        apmu_poke(&p, &pe, pairs[i][0], 0, 0x30, NULL);
        apmu_poke(&p, &pe, pairs[i][0], 0, 0, NULL);
        MUST_EQ(apmu_peek(&p, &pe, pairs[i][1], 0), F0 | C31 | 0x3F, "pair %u: set from EL2", i);
        pe.el = 1;
        MUST_EQ(apmu_peek(&p, &pe, pairs[i][1], 0), F0 | C31 | 0x0F, "pair %u: hidden from EL1", i);
        apmu_poke(&p, &pe, pairs[i][1], 0, F0 | C31 | 0x31, NULL);
        pe.el = 2;
        MUST_EQ(apmu_peek(&p, &pe, pairs[i][0], 0), 0x3E, "pair %u: cleared from EL1", i);
        pe.el = 1;
        pe.mdcr_el3 = 0;
        apmu_poke(&p, &pe, pairs[i][0], 0, F0, NULL);
        pe.el = 3;
        MUST_EQ(apmu_peek(&p, &pe, pairs[i][0], 0), 0x3E, "pair %u: MDCR_EL3.EnPM2 hides F0", i);
    }
    unit(ALL_ELS);
    POKE(PMCNTENSET_EL0, ALL_ONES);
    MUST_EQ(PEEK(PMCNTENSET_EL0), C31 | 0x3F, "F0 without FEAT_PMUv3_ICNTR");
}

static void el0_with_uen_reaches_what_pmuacr_allows(void)
{
    unit(ALL_ELS | APMU_FEAT(PMUv3_ICNTR));
    POKE(PMUACR_EL1, ALL_ONES);
    MUST_EQ(PEEK(PMUACR_EL1), F0 | C31 | 0x3F, "PMUACR_EL1");
    POKE(PMUACR_EL1, F0 | C31 | 0x05);
    POKE(PMCNTENSET_EL0, ALL_ONES);
    POKE(PMUSERENR_EL0, APMU_MASK(PMUSERENR_EL0, UEN));
    pe.el = 0;
    MUST_EQ(PEEK(PMCNTENCLR_EL0), F0 | C31 | 0x05, "reads");
    POKE(PMCNTENCLR_EL0, ALL_ONES);
    pe.el = 1;
    MUST_EQ(PEEK(PMCNTENSET_EL0), 0x3A, "writes");
    POKE(PMUSERENR_EL0, APMU_MASK(PMUSERENR_EL0, UEN) | APMU_MASK(PMUSERENR_EL0, ER) | APMU_MASK(PMUSERENR_EL0, CR));
    pe.el = 0;
    POKE(PMCNTENSET_EL0, ALL_ONES);
    pe.el = 1;
    MUST_EQ(PEEK(PMCNTENSET_EL0), F0 | 0x3A, "ER and CR make counters read-only");
    POKE(PMUSERENR_EL0, APMU_MASK(PMUSERENR_EL0, EN));
    pe.el = 0;
    MUST_EQ(PEEK(PMCNTENSET_EL0), 0x3A, "EN without UEN: all but the instruction counter");
}

static void pmuacr_of_counters_out_of_reach_is_raz_wi(void)
{
    unit(ALL_ELS | APMU_FEAT(PMUv3_ICNTR));
    pe.el = 2;
    POKE(PMUACR_EL1, 0x30);
    pe.el = 1;
    pe.mdcr_el2 = 4;
    MUST_EQ(PEEK(PMUACR_EL1), 0, "reads at EL1");
    POKE(PMUACR_EL1, F0 | C31 | 0x01);
    pe.el = 2;
    MUST_EQ(PEEK(PMUACR_EL1), F0 | C31 | 0x31, "after a write at EL1");
}

static void pmzr_zeroes_the_counters_in_reach(void)
{
    unit(ALL_ELS | APMU_FEAT(PMUv3_ICNTR));
    pe.mdcr_el2 = 4;
    fill_counters();
    POKE(PMZR_EL0, F0 | C31 | 0x32);
    MUST_EQ(zeroed(), F0 | C31 | 0x02, "from EL1");
    MUST_EQ(p.ovs, F0 | C31 | 0x3F, "flags");
    MUST_EQ(PEEK(PMZR_EL0), 0, "reads as zero");
    pe.el = 2;
    fill_counters();
    POKE(PMZR_EL0, ALL_ONES);
    MUST_EQ(zeroed(), F0 | C31 | 0x3F, "from EL2");
    pe.el = 1;
    pe.hdfgwtr2_el2 = ~APMU_MASK(HDFGWTR2_EL2, nPMICNTR_EL0);
    fill_counters();
    POKE(PMZR_EL0, F0);
    MUST_EQ(zeroed(), 0, "HDFGWTR2_EL2.nPMICNTR_EL0 = 0");
}

static void pmswinc_counts_where_the_event_is_0(void)
{
    unit(ALL_ELS);
    pe.mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 4) | APMU_MASK(MDCR_EL2, HPME);
    POKE(PMCR_EL0, APMU_MASK(PMCR_EL0, E));
    pe.el = 2;
    POKE(PMCNTENSET_EL0, 0x3B);
    pe.el = 1;
    POKE_N(PMEVTYPER_EL0, 1, 0x11);
    POKE(PMSWINC_EL0, 0x3F);
    MUST_EQ(p.cntr[0], 1, "counter 0 counts SW_INCR");
    MUST_EQ(p.cntr[1], 0, "counter 1 counts CPU_CYCLES");
    MUST_EQ(p.cntr[2], 0, "counter 2 is disabled");
    MUST_EQ(p.cntr[3], 1, "counter 3 counts SW_INCR");
    MUST_EQ(p.cntr[4], 0, "counter 4 is out of the reach of EL1");
    p.cntr[0] = UINT32_MAX;
    POKE(PMINTENSET_EL1, 1);
    POKE(PMSWINC_EL0, 1);
    MUST_EQ(out.overflowed, 1, "overflowed");
    MUST(out.pmuirq, "PMUIRQ is low after an overflow");
    MUST_EQ(p.cntr[0], 0, "32 bits without FEAT_PMUv3p5");
    MUST_EQ(PEEK(PMOVSCLR_EL0), 1, "PMOVSCLR_EL0");
    POKE(PMOVSCLR_EL0, 1);
    MUST(!out.pmuirq, "PMUIRQ is high after the flag was cleared");
}

static void pmswinc_at_el0_asks_sw_and_pmuacr(void)
{
    unit(ALL_ELS | APMU_FEAT(PMUv3p9));
    POKE(PMCR_EL0, APMU_MASK(PMCR_EL0, E));
    POKE(PMCNTENSET_EL0, 0x3);
    POKE(PMUACR_EL1, 0x2);
    POKE(PMUSERENR_EL0, APMU_MASK(PMUSERENR_EL0, UEN));
    pe.el = 0;
    POKE(PMSWINC_EL0, 0x3);
    MUST_EQ(p.cntr[0], 0, "SW = 0: PMUACR_EL1.P0 is 0");
    MUST_EQ(p.cntr[1], 1, "SW = 0: PMUACR_EL1.P1 is 1");
    pe.el = 1;
    POKE(PMUSERENR_EL0, APMU_MASK(PMUSERENR_EL0, UEN) | APMU_MASK(PMUSERENR_EL0, SW));
    pe.el = 0;
    POKE(PMSWINC_EL0, 0x3);
    MUST_EQ(p.cntr[0], 1, "SW = 1");
}

static void pmselr_selects(void)
{
    unit(ALL_ELS);
    KEEPS(PMSELR_EL0, 0, 0x1F, 0);
    POKE(PMSELR_EL0, 3);
    POKE(PMXEVTYPER_EL0, 0x40000011);
    POKE(PMXEVCNTR_EL0, 77);
    MUST_EQ(PEEK_N(PMEVTYPER_EL0, 3), 0x40000011, "PMEVTYPER3_EL0");
    MUST_EQ(PEEK_N(PMEVCNTR_EL0, 3), 77, "PMEVCNTR3_EL0");
    MUST_EQ(PEEK(PMXEVTYPER_EL0), 0x40000011, "PMXEVTYPER_EL0");
    MUST_EQ(PEEK(PMXEVCNTR_EL0), 77, "PMXEVCNTR_EL0");
    POKE(PMSELR_EL0, 31);
    POKE(PMXEVTYPER_EL0, 0x80000011);
    POKE(PMXEVCNTR_EL0, 78);
    MUST_EQ(PEEK(PMCCFILTR_EL0), 0x80000000, "PMCCFILTR_EL0");
    MUST_EQ(PEEK(PMXEVTYPER_EL0), 0x80000000, "PMXEVTYPER_EL0");
    MUST_EQ(PEEK(PMXEVCNTR_EL0), 0, "PMXEVCNTR_EL0 reaches no cycle counter");
    MUST_EQ(p.cntr[31], 0, "PMCCNTR_EL0");
    POKE(PMSELR_EL0, 6);
    POKE(PMXEVTYPER_EL0, 0x11);
    POKE(PMXEVCNTR_EL0, 78);
    MUST_EQ(PEEK(PMXEVTYPER_EL0) | PEEK(PMXEVCNTR_EL0) | p.typer[6] | p.cntr[6], 0, "a counter that does not exist");
}

static void counters_have_32_or_64_bits(void)
{
    unit(ALL_ELS);
    KEEPS(PMEVCNTR_EL0, 2, UINT32_MAX, 0);
    KEEPS(PMCCNTR_EL0, 0, ALL_ONES, 0);
    KEEPS(PMEVCNTR_EL0, 6, 0, 0);
    KEEPS(PMICNTR_EL0, 0, 0, 0);
    unit(ALL_ELS | APMU_FEAT(PMUv3p5));
    KEEPS(PMEVCNTR_EL0, 2, ALL_ONES, 0);
    unit(ALL_ELS | APMU_FEAT(PMUv3_ICNTR));
    KEEPS(PMICNTR_EL0, 0, ALL_ONES, 0);
}

static void filters_follow_features(void)
{
    unit(EL1_ONLY);
    KEEPS(PMEVTYPER_EL0, 1, 0xC00003FF, 0);
    KEEPS(PMCCFILTR_EL0, 0, 0xC0000000, 0);
    p.cfg.multithreaded = true;
    apmu_settle(&p);
    KEEPS(PMEVTYPER_EL0, 1, 0xC20003FF, 0); /* MT */
    KEEPS(PMCCFILTR_EL0, 0, 0xC0000000, 0);
    unit(ALL_ELS | APMU_FEAT(PMUv3p1));
    KEEPS(PMEVTYPER_EL0, 1, 0xFC00FFFF, 0); /* NSK, NSU, NSH, M */
    KEEPS(PMCCFILTR_EL0, 0, 0xFC000000, 0);
    unit(ALL_ELS | APMU_FEAT(SEL2) | APMU_FEAT(RME) | APMU_FEAT(PMUv3_SME) | APMU_FEAT(PMUv3p7));
    KEEPS(PMEVTYPER_EL0, 1, 0x03000000FD70FFFF, 0); /* SH, RLK, RLU, RLH, VS */
    KEEPS(PMCCFILTR_EL0, 0, 0x03000000FD700000, 0);
    unit(EL1_ONLY | APMU_FEAT(PMUv3_TH));
    KEEPS(PMEVTYPER_EL0, 1, 0xE000001FC00003FF, 0); /* TC, TH with THWIDTH = 5 */
    unit(EL1_ONLY | APMU_FEAT(PMUv3_TH) | APMU_FEAT(PMUv3_TH2));
    KEEPS(PMEVTYPER_EL0, 1, 0xF0C0001FC00003FF, 0); /* TE, TLC on odd counters */
    KEEPS(PMEVTYPER_EL0, 2, 0xF000001FC00003FF, 0);
    unit(ALL_ELS | APMU_FEAT(PMUv3_ICNTR) | APMU_FEAT(SEBEP));
    KEEPS(PMICFILTR_EL0, 0, 0x04000000FC000000, 8); /* SYNC; evtCount is fixed */
    unit(APMU_FEAT(PMUv3) | APMU_FEAT(AA32) | APMU_FEAT(AA32EL0) | APMU_FEAT(AA32EL1) | APMU_FEAT(AA32EL3));
    KEEPS(PMEVTYPER_EL0, 1, 0xF00003FF, 0); /* M needs an AArch64 EL3 */
}

static void parameters_read_as_configured(void)
{
    unit(EL1_ONLY | APMU_FEAT(PMUv3p4));
    p.cfg.pmceid[0] = 0x123456789;
    p.cfg.pmceid[1] = 0xABCDEF012;
    p.cfg.slots = 0x12;
    p.cfg.bus_slots = 0x34;
    p.cfg.bus_width = 5;
    KEEPS(PMCEID0_EL0, 0, 0, 0x123456789);
    KEEPS(PMCEID1_EL0, 0, 0, 0xABCDEF012);
    KEEPS(PMMIR_EL1, 0, 0, 0x53412);
    unit(EL1_ONLY);
    p.cfg.pmceid[0] = 0x123456789;
    KEEPS(PMCEID0_EL0, 0, 0, 0x23456789);
    KEEPS(PMMIR_EL1, 0, 0, 0);
    unit(EL1_ONLY | APMU_FEAT(PMUv3p4) | APMU_FEAT(PMUv3_TH));
    KEEPS(PMMIR_EL1, 0, 0, 0x00500000);
    unit(EL1_ONLY | APMU_FEAT(PMUv3p4) | APMU_FEAT(PMUv3_TH) | APMU_FEAT(PMUv3_EDGE));
    KEEPS(PMMIR_EL1, 0, 0, 0x01500000);
    unit(EL1_ONLY | APMU_FEAT(PMUv3p4) | APMU_FEAT(PMUv3_TH) | APMU_FEAT(PMUv3_TH2) | APMU_FEAT(PMUv3_SME));
    KEEPS(PMMIR_EL1, 0, 0, 0x12500000);
}

static void small_registers_keep_their_fields(void)
{
    unit(EL1_ONLY);
    KEEPS(PMUSERENR_EL0, 0, 0x0F, 0);
    KEEPS(PMUACR_EL1, 0, 0, 0);
    KEEPS(PMECR_EL1, 0, 0, 0);
    KEEPS(PMIAR_EL1, 0, 0, 0);
    KEEPS(PMSSCR_EL1, 0, 0, 0);
    unit(EL1_ONLY | APMU_FEAT(PMUv3p9));
    KEEPS(PMUSERENR_EL0, 0, 0x5F, 0);
    KEEPS(PMUACR_EL1, 0, C31 | 0x3F, 0);
    unit(EL1_ONLY | APMU_FEAT(PMUv3_ICNTR) | APMU_FEAT(SEBEP));
    KEEPS(PMUSERENR_EL0, 0, 0x7F, 0);
    KEEPS(PMECR_EL1, 0, 0x07, 0);
    KEEPS(PMIAR_EL1, 0, ~UINT64_C(3), 0);
    unit(EL1_ONLY | APMU_FEAT(PMUv3_SS));
    KEEPS(PMECR_EL1, 0, 0x18, 0);
    KEEPS(PMEVCNTSVR_EL1, 0, 0, 0);
}

static void a_snapshot_copies_every_counter(void)
{
    unit(ALL_ELS | APMU_FEAT(PMUv3_ICNTR) | APMU_FEAT(PMUv3_SS));
    pe.mdcr_el3 |= APMU_PUT(MDCR_EL3, PMSSE, 3);
    fill_counters();
    POKE(PMSSCR_EL1, 1);
    MUST_EQ(PEEK(PMSSCR_EL1), 0, "captured");
    MUST_EQ(PEEK_N(PMEVCNTSVR_EL1, 5), 105, "PMEVCNTSVR5_EL1");
    MUST_EQ(PEEK_N(PMEVCNTSVR_EL1, 6), 0, "PMEVCNTSVR6_EL1 does not exist");
    MUST_EQ(PEEK(PMCCNTSVR_EL1), 131, "PMCCNTSVR_EL1");
    MUST_EQ(PEEK(PMICNTSVR_EL1), 132, "PMICNTSVR_EL1");
    POKE(PMCCNTR_EL0, 7);
    MUST_EQ(PEEK(PMCCNTSVR_EL1), 131, "PMCCNTSVR_EL1 stays");
    pe.os_lock = true;
    POKE(PMSSCR_EL1, 1);
    MUST_EQ(PEEK(PMSSCR_EL1), F0, "the OS Lock prohibits it: NC");
    MUST_EQ(PEEK(PMCCNTSVR_EL1), 131, "PMCCNTSVR_EL1 after a failed capture");
    pe.os_lock = false;
    pe.mdcr_el3 &= ~APMU_MASK(MDCR_EL3, PMSSE);
    POKE(PMSSCR_EL1, F0 | 1);
    MUST_EQ(PEEK(PMSSCR_EL1), F0, "RMFJWS: disabled, SS ignores writes");
    MUST_EQ(PEEK(PMCCNTSVR_EL1), 131, "PMCCNTSVR_EL1 while disabled");
    POKE(PMSSCR_EL1, 1);
    MUST_EQ(PEEK(PMSSCR_EL1), 0, "disabled: no capture fails either, NC is as written");
    pe.mdcr_el3 |= APMU_PUT(MDCR_EL3, PMSSE, 3);
    POKE(PMSSCR_EL1, F0);
    MUST_EQ(PEEK(PMCCNTSVR_EL1), 131, "a write of SS = 0 captures nothing");
    MUST_EQ(PEEK(PMSSCR_EL1), F0, "a write of SS = 0 changes NC only");
}

/* A snapshot is also an event, which is counted after the snapshot is taken. */
static void a_snapshot_is_counted(void)
{
    unit(ALL_ELS | APMU_FEAT(PMUv3_SS));
    pe.mdcr_el3 |= APMU_PUT(MDCR_EL3, PMSSE, 3);
    POKE(PMCR_EL0, APMU_MASK(PMCR_EL0, E));
    POKE(PMCNTENSET_EL0, 1);
    POKE_N(PMEVTYPER_EL0, 0, 0x8127);
    POKE(PMSSCR_EL1, 1);
    MUST_EQ(PEEK_N(PMEVCNTR_EL0, 0), 1, "PMEVCNTR0_EL0");
    MUST_EQ(PEEK_N(PMEVCNTSVR_EL1, 0), 0, "PMEVCNTSVR0_EL1");
}

static void unknown_registers_do_nothing(void)
{
    unit(ALL_ELS);
    const struct apmu before = p;
    apmu_poke(&p, &pe, APMU_REG_MDCR_EL2, 0, ALL_ONES, &out);
    apmu_poke(&p, &pe, APMU_REG_PMCR_EL0, 1, ALL_ONES, &out);
    apmu_poke(&p, &pe, APMU_REG_PMEVCNTR_EL0, 31, ALL_ONES, &out);
    apmu_poke(&p, &pe, APMU_REG_ALL, 0, ALL_ONES, &out);
    MUST(memcmp(&before, &p, sizeof p) == 0, "the unit changed");
    MUST_EQ(apmu_peek(&p, &pe, APMU_REG_MDCR_EL2, 0), 0, "MDCR_EL2");
    MUST_EQ(apmu_peek(&p, &pe, APMU_REG_ALL, 0), 0, "no register");
    unit(ALL_ELS | APMU_FEAT(PMUv3_EXT64));
    p.cnten = 0x3F;
    MUST_EQ(PEEK(PMCNTEN), 0, "PMCNTEN is the external view's");
    MUST_EQ(PEEK(PMDEVTYPE), 0, "PMDEVTYPE is the external view's");
}

/* A write overwrites *out. */
static void a_write_answers_anew(void)
{
    unit(ALL_ELS);
    out.overflowed = 5;
    out.exported = true;
    POKE(PMSELR_EL0, 1);
    MUST_EQ(out.overflowed, 0, "a write of PMSELR_EL0 makes no counter overflow");
    MUST(!out.exported, "a write of PMSELR_EL0 is no event");
}

int main(void)
{
    RUN(cold_reset_gives_the_known_bits);
    RUN(unknown_fields_stay_in_their_fields);
    RUN(warm_reset_leaves_counters_to_external_agents);
    RUN(pmcr_fields_follow_features);
    RUN(pmcr_n_is_what_the_exception_level_reaches);
    RUN(pmcr_p_and_c_zero_counters_and_keep_flags);
    RUN(set_and_clear_have_one_state);
    RUN(el0_with_uen_reaches_what_pmuacr_allows);
    RUN(pmuacr_of_counters_out_of_reach_is_raz_wi);
    RUN(pmzr_zeroes_the_counters_in_reach);
    RUN(pmswinc_counts_where_the_event_is_0);
    RUN(pmswinc_at_el0_asks_sw_and_pmuacr);
    RUN(pmselr_selects);
    RUN(counters_have_32_or_64_bits);
    RUN(filters_follow_features);
    RUN(parameters_read_as_configured);
    RUN(small_registers_keep_their_fields);
    RUN(a_snapshot_copies_every_counter);
    RUN(a_snapshot_is_counted);
    RUN(unknown_registers_do_nothing);
    RUN(a_write_answers_anew);
    return tap_status;
}
