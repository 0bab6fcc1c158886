/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rules of D13.5, one case each, in the order of the document.  Each case starts from the same unit, in which
 * everything counts, and shows what the rule changes.
 */
#include <string.h>

#include <armpmu/model.h>

#include "../../lib/tap.h"

enum { R1 = 0, R2 = 2, R3 = 4, COUNTERS = 6 }; /* HPMN = 2, EPMN = 4: two counters in each range */

static struct apmu p;
static struct apmu_pe pe;
static const char *rule_id;

#define EVENT 0x0024u
#define SET(word, reg, field, value) ((word) = ((word) & ~APMU_MASK(reg, field)) | APMU_PUT(reg, field, value))

/* Makes a PMUv3p9 with all its extensions, at Non-secure EL1, with every counter enabled and counting. */
static void begin(void)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = apmu_features_closure(
            APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3) | APMU_FEAT(PMUv3_ICNTR) | APMU_FEAT(SEL2) |
            APMU_FEAT(PMUv3_EXTPMN) | APMU_FEAT(HPMN0) | APMU_FEAT(PMUv3_TH2) | APMU_FEAT(SEBEP) | APMU_FEAT(RME) |
            APMU_FEAT(SPE_DPFZS) | APMU_FEAT(Debugv8p4) | APMU_FEAT(FGT2) | APMU_FEAT(VHE) | APMU_FEAT(E2H0)),
        .counters = COUNTERS,
        .thwidth = 12,
        .sync_events = {APMU_EV_INST_RETIRED},
        .sync_event_count = 1,
    };

    apmu_init(&p, &cfg);
    pe = (struct apmu_pe){
        .el = 1,
        .scr_el3 = APMU_PUT(SCR_EL3, NS, 1) | APMU_PUT(SCR_EL3, RW, 1) | APMU_PUT(SCR_EL3, FGTEn2, 1),
        .hcr_el2 = APMU_PUT(HCR_EL2, RW, 1),
        .mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, R2) | APMU_PUT(MDCR_EL2, HPME, 1) | APMU_PUT(MDCR_EL2, HLP, 1),
        .mdcr_el3 = APMU_PUT(MDCR_EL3, EnPM2, 1),
    };
    p.pmcr = APMU_PUT(PMCR_EL0, E, 1) | APMU_PUT(PMCR_EL0, LC, 1) | APMU_PUT(PMCR_EL0, LP, 1);
    p.ccr = APMU_PUT(PMCCR, EPMN, R3) | APMU_PUT(PMCCR, EPME, 1);
    p.cnten = UINT64_C(0x180000000) | ((1u << COUNTERS) - 1);
    p.inten = 0;
    p.ovs = 0;
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        p.typer[n] = n < APMU_CYCLE ? EVENT : 0;
        p.cntr[n] = 0;
    }
    apmu_settle(&p);
}

/* Begins the case of a rule, or of several, up to done(). */
static void rule(const char *id)
{
    rule_id = id;
    tap_begin();
    begin();
}

#define HOLDS(condition) MUST(condition, "line %d: %s", __LINE__, #condition)

static void done(void)
{
    tap_end(rule_id);
}

static bool counts(unsigned n)
{
    return apmu_counts(&p, &pe, n);
}

static bool why(unsigned n, uint64_t reasons)
{
    return apmu_why(&p, &pe, n) == reasons;
}

static void at(unsigned el, bool ns, bool nse)
{
    pe.el = (uint8_t)el;
    SET(pe.scr_el3, SCR_EL3, NS, ns);
    SET(pe.scr_el3, SCR_EL3, NSE, nse);
    SET(pe.scr_el3, SCR_EL3, EEL2, 1);
}

/* Sets the filters with which every counter counts at EL2 too. */
static void count_everywhere(void)
{
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        p.typer[n] |= APMU_MASK(PMEVTYPER_EL0, NSH);
    }
    apmu_settle(&p);
}

/* ---------------------------------------------------------------------------------------------------------------
 * D13.5.1 Enabling.
 */

static void enabling_of_ranges(void)
{
    rule("ICFQVP RKYBQW IHQHYY Table D13-4");
    for (unsigned controls = 0; controls < 8; controls++) {
        SET(p.ccr, PMCCR, EPME, controls >> 2);
        SET(pe.mdcr_el2, MDCR_EL2, HPME, controls >> 1);
        SET(p.pmcr, PMCR_EL0, E, controls);
        p.cnten = UINT64_C(0x1FFFFFFFF);
        HOLDS(counts(R1) == ((controls & 1) != 0));
        HOLDS(counts(R2) == ((controls & 2) != 0));
        HOLDS(counts(R3) == ((controls & 4) != 0));
        p.cnten = 0;
        HOLDS(!counts(R1) && !counts(R2) && !counts(R3));
    }
    done();

    rule("ISTZYQ");
    p.cnten &= ~UINT64_C(2);
    HOLDS(why(1, APMU_WHY(CNTEN)) && counts(0));
    done();

    rule("IVQXCB"); /* only the global enable of its own range gates the interrupt; CNTEN does not */
    for (unsigned range = 0; range < 3; range++) {
        begin();
        p.cnten = 0;
        p.inten = p.ovs = UINT64_C(1) << (2 * range);
        HOLDS(apmu_pmuirq(&p, &pe));
        SET(p.pmcr, PMCR_EL0, E, range == 0);
        SET(pe.mdcr_el2, MDCR_EL2, HPME, range == 1);
        SET(p.ccr, PMCCR, EPME, range == 2);
        HOLDS(apmu_pmuirq(&p, &pe));
        SET(p.pmcr, PMCR_EL0, E, range != 0);
        SET(pe.mdcr_el2, MDCR_EL2, HPME, range != 1);
        SET(p.ccr, PMCCR, EPME, range != 2);
        HOLDS(!apmu_pmuirq(&p, &pe));
    }
    done();

    rule("IQKDTZ");
    count_everywhere();
    SET(pe.mdcr_el3, MDCR_EL3, SPME, 1);
    SET(pe.mdcr_el2, MDCR_EL2, HPME, 0);
    for (unsigned el = 0; el < 4; el++) {
        for (unsigned world = 0; world < 4; world++) {
            at(el, (world & 1) != 0, world == 3);
            HOLDS(apmu_range(&p, &pe, 1) == 1 && apmu_range(&p, &pe, 2) == 2 && apmu_range(&p, &pe, 4) == 3);
            HOLDS((apmu_why(&p, &pe, R2) & APMU_WHY(HPME)) != 0 && (apmu_why(&p, &pe, R1) & APMU_WHY(HPME)) == 0);
        }
    }
    done();
}

static void enabling_of_single_counters(void)
{
    rule("ICTDHP");
    p.typer[R1] |= APMU_MASK(PMEVTYPER_EL0, SYNC);
    apmu_settle(&p);
    HOLDS(why(R1, APMU_WHY(SYNC)));
    p.typer[R1] = APMU_EV_INST_RETIRED | APMU_MASK(PMEVTYPER_EL0, SYNC);
    apmu_settle(&p);
    HOLDS(counts(R1));
    done();

    rule("IBTGDJ");
    HOLDS(counts(APMU_CYCLE));
    p.cnten &= ~(UINT64_C(1) << APMU_CYCLE);
    HOLDS(why(APMU_CYCLE, APMU_WHY(CNTEN)));
    SET(p.pmcr, PMCR_EL0, E, 0);
    HOLDS(why(APMU_CYCLE, APMU_WHY(CNTEN) | APMU_WHY(PMCR_E)));
    done();

    rule("IWMNXT");
    HOLDS(counts(APMU_INSTR));
    p.cnten &= ~(UINT64_C(1) << APMU_INSTR);
    SET(p.pmcr, PMCR_EL0, E, 0);
    HOLDS(why(APMU_INSTR, APMU_WHY(CNTEN) | APMU_WHY(PMCR_E)));
    done();
}

/* ---------------------------------------------------------------------------------------------------------------
 * D13.5.2 Freezing.
 */

static void freezing_on_overflow(void)
{
    rule("RFGSDP");
    SET(p.pmcr, PMCR_EL0, FZO, 1);
    HOLDS(counts(R1));
    p.ovs = 1u << 1;
    HOLDS(why(0, APMU_WHY(FZO)) && why(1, APMU_WHY(FZO)) && why(APMU_INSTR, APMU_WHY(FZO)));
    HOLDS(counts(R2) && counts(R3) && counts(APMU_CYCLE));
    SET(p.pmcr, PMCR_EL0, DP, 1);
    HOLDS(why(APMU_CYCLE, APMU_WHY(FZO)));
    p.ovs = UINT64_C(1) << APMU_INSTR;
    HOLDS(why(0, APMU_WHY(FZO)));
    p.ovs = UINT64_C(1) << APMU_CYCLE | 1u << R2 | 1u << R3;
    HOLDS(counts(0) && counts(APMU_INSTR) && counts(APMU_CYCLE));
    done();

    rule("RBHFSF");
    SET(pe.mdcr_el2, MDCR_EL2, HPMFZO, 1);
    p.ovs = 1u << 3;
    HOLDS(why(2, APMU_WHY(HPMFZO)) && why(3, APMU_WHY(HPMFZO)));
    HOLDS(counts(R1) && counts(R3) && counts(APMU_CYCLE) && counts(APMU_INSTR));
    p.ovs = ~UINT64_C(0xC);
    HOLDS(counts(2) && counts(3));
    SET(pe.scr_el3, SCR_EL3, NS, 0); /* this also holds where EL2 is disabled in the current Security state */
    SET(pe.mdcr_el3, MDCR_EL3, SPME, 1);
    p.ovs = 1u << 3;
    HOLDS(why(2, APMU_WHY(HPMFZO)));
    done();

    rule("ILKVKF");
    SET(p.pmcr, PMCR_EL0, FZO, 1), SET(p.pmcr, PMCR_EL0, FZS, 1);
    SET(pe.mdcr_el2, MDCR_EL2, HPMFZO, 1), SET(pe.mdcr_el2, MDCR_EL2, HPMFZS, 1);
    pe.pmblimitr_el1 = APMU_MASK(PMBLIMITR_EL1, E) | APMU_MASK(PMBLIMITR_EL1, PMFZ);
    pe.pmbsr_el1 = APMU_MASK(PMBSR_EL1, S);
    p.ovs = ~UINT64_C(0);
    HOLDS(counts(R3) && counts(R3 + 1));
    begin();
    p.typer[R3 + 1] = APMU_EV_CHAIN; /* overflow of a third-range counter is not a CHAIN event */
    apmu_settle(&p);
    p.cntr[R3] = UINT32_MAX;
    apmu_event(&p, &pe, EVENT, 1, 1, NULL);
    HOLDS(p.cntr[R3] == UINT64_C(1) << 32 && p.cntr[R3 + 1] == 0);
    done();

    rule("RMZPBW IPPVQW"); /* our choice: in the cycle of the overflow, higher-numbered counters are frozen already */
    SET(p.pmcr, PMCR_EL0, FZO, 1);
    p.cntr[0] = UINT64_MAX;
    p.cntr[1] = 5;
    apmu_event(&p, &pe, EVENT, 10, 3, NULL);
    HOLDS(p.cntr[0] == 2 && p.cntr[1] == 5);
    done();
}

static void freezing_at_its_edges(void)
{
    rule("IDKYFT");
    SET(p.pmcr, PMCR_EL0, FZO, 1);
    p.typer[1] = APMU_EV_INST_RETIRED | APMU_MASK(PMEVTYPER_EL0, SYNC);
    apmu_settle(&p);
    p.ovs = 1u << 1;
    HOLDS(counts(0) && counts(1));
    p.ovs = 1u << 0;
    HOLDS(why(1, APMU_WHY(FZO)));
    done();

    rule("ITBJNR"); /* a filter where the exception is taken to stops the counter at once */
    p.typer[R1] |= APMU_MASK(PMEVTYPER_EL0, P) | APMU_MASK(PMEVTYPER_EL0, NSK);
    apmu_settle(&p);
    SET(p.typer[R1], PMEVTYPER_EL0, NSK, 0);
    at(0, true, false);
    HOLDS(counts(R1));
    at(1, true, false);
    HOLDS(why(R1, APMU_WHY(FILTER_NSK)));
    done();

    rule("ITLHSZ"); /* our choice: the CHAIN event of the overflow that freezes is not observed */
    SET(p.pmcr, PMCR_EL0, LP, 0);
    p.typer[1] = APMU_EV_CHAIN;
    apmu_settle(&p);
    p.cntr[0] = UINT32_MAX;
    apmu_event(&p, &pe, EVENT, 1, 1, NULL);
    HOLDS(p.cntr[1] == 1);
    begin();
    SET(p.pmcr, PMCR_EL0, LP, 0), SET(p.pmcr, PMCR_EL0, FZO, 1);
    p.typer[1] = APMU_EV_CHAIN;
    apmu_settle(&p);
    p.cntr[0] = UINT32_MAX;
    apmu_event(&p, &pe, EVENT, 1, 1, NULL);
    HOLDS(p.cntr[1] == 0 && p.ovs == 1);
    done();

    rule("ILMSFT");
    SET(p.pmcr, PMCR_EL0, FZO, 1);
    p.ovs = 1;
    p.cntr[1] = 7;
    for (int i = 0; i < 3; i++) {
        apmu_event(&p, &pe, EVENT, 100, 1, NULL);
        apmu_event(&p, &pe, APMU_EV_INST_RETIRED, 100, 1, NULL);
        HOLDS(apmu_peek(&p, &pe, APMU_REG_PMEVCNTR_EL0, 1) == 7 && apmu_peek(&p, &pe, APMU_REG_PMICNTR_EL0, 0) == 0);
    }
    done();
}

static void freezing_on_spe(void)
{
    rule("RHSGZX");
    SET(p.pmcr, PMCR_EL0, FZS, 1);
    pe.pmblimitr_el1 = APMU_MASK(PMBLIMITR_EL1, E) | APMU_MASK(PMBLIMITR_EL1, PMFZ);
    HOLDS(counts(R1));
    pe.pmbsr_el1 = APMU_MASK(PMBSR_EL1, S);
    HOLDS(why(R1, APMU_WHY(FZS)) && why(APMU_INSTR, APMU_WHY(FZS)) && counts(R2) && counts(APMU_CYCLE));
    SET(p.pmcr, PMCR_EL0, DP, 1);
    HOLDS(why(APMU_CYCLE, APMU_WHY(FZS)));
    p.cfg.features &= ~APMU_FEAT(SPE_DPFZS);
    apmu_settle(&p);
    HOLDS(counts(APMU_CYCLE));
    SET(pe.mdcr_el2, MDCR_EL2, HPMFZS, 1);
    HOLDS(why(R2, APMU_WHY(HPMFZS)));
    SET(pe.pmblimitr_el1, PMBLIMITR_EL1, PMFZ, 0);
    HOLDS(counts(R1) && counts(R2));
    done();

    rule("IHMLGP");
    SET(p.pmcr, PMCR_EL0, FZS, 1);
    pe.pmblimitr_el1 = APMU_MASK(PMBLIMITR_EL1, E) | APMU_MASK(PMBLIMITR_EL1, PMFZ);
    pe.pmbsr_el1 = APMU_MASK(PMBSR_EL1, S);
    HOLDS(!counts(R1));
    p.cfg.features &= ~UINT64_C(0x0F); /* AArch32 only */
    p.cfg.features |= UINT64_C(0xF0);
    apmu_settle(&p);
    pe.a32 = true;
    HOLDS(counts(R1));
    done();
}

/* ---------------------------------------------------------------------------------------------------------------
 * D13.5.3 Resetting.
 */

static void resetting(void)
{
    rule("D13.5.3 PMCR.C and PMCR.P");
    count_everywhere();
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        p.cntr[n] = 100 + n;
    }
    p.ovs = 1;
    apmu_poke(&p, &pe, APMU_REG_PMCR_EL0, 0, p.pmcr | APMU_MASK(PMCR_EL0, C), NULL);
    HOLDS(p.cntr[APMU_CYCLE] == 0 && p.cntr[0] == 100 && p.cntr[APMU_INSTR] == 132);
    apmu_poke(&p, &pe, APMU_REG_PMCR_EL0, 0, p.pmcr | APMU_MASK(PMCR_EL0, P), NULL);
    HOLDS(p.cntr[0] == 0 && p.cntr[1] == 0 && p.cntr[R2] == 102 && p.cntr[R3] == 104 && p.ovs == 1);
    pe.el = 2;
    apmu_poke(&p, &pe, APMU_REG_PMCR_EL0, 0, p.pmcr | APMU_MASK(PMCR_EL0, P), NULL);
    HOLDS(p.cntr[R2] == 0 && p.cntr[R3] == 104);
    HOLDS((apmu_peek(&p, &pe, APMU_REG_PMCR_EL0, 0) & (APMU_MASK(PMCR_EL0, P) | APMU_MASK(PMCR_EL0, C))) == 0);
    done();

    rule("D13.5.3 PMZR_EL0");
    SET(pe.hdfgwtr2_el2, HDFGWTR2_EL2, nPMICNTR_EL0, 1);
    SET(pe.hdfgwtr2_el2, HDFGWTR2_EL2, nPMICFILTR_EL0, 1);
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        p.cntr[n] = 100 + n;
    }
    apmu_poke(&p, &pe, APMU_REG_PMZR_EL0, 0, UINT64_C(0x180000001), NULL);
    HOLDS(p.cntr[0] == 0 && p.cntr[1] == 101 && p.cntr[APMU_CYCLE] == 0 && p.cntr[APMU_INSTR] == 0);
    apmu_poke(&p, &pe, APMU_REG_PMZR_EL0, 0, UINT64_C(0x3E), NULL);
    HOLDS(p.cntr[1] == 0 && p.cntr[R2] == 102 && p.cntr[R3] == 104);
    done();
}

/* ---------------------------------------------------------------------------------------------------------------
 * D13.5.4 Prohibiting.
 */

static void prohibiting_in_secure_state(void)
{
    rule("RWVDWZ");
    p.cfg.features &= ~(APMU_FEAT(AA64EL3) | APMU_FEAT(AA32EL3) | APMU_FEAT(RME));
    apmu_settle(&p);
    p.cfg.secure_only = true;
    HOLDS(counts(R1) && apmu_security_state(&p, &pe) == APMU_SS_SECURE);
    p.cfg.secure_only = false;
    HOLDS(counts(R1));
    done();

    rule("RJRYNM"); /* without FEAT_Debugv8p2 the authentication interface can permit it */
    p.cfg.features &= ~(APMU_FEAT(Debugv8p2) | APMU_FEAT(Debugv8p4) | APMU_FEAT(SEL2) | APMU_FEAT(RME) |
                        APMU_FEAT(PMUv3p7));
    apmu_settle(&p);
    at(1, false, false);
    HOLDS(why(R1, APMU_WHY(SPME)));
    pe.niden = pe.spniden = true;
    HOLDS(counts(R1));
    pe.niden = false;
    SET(pe.mdcr_el3, MDCR_EL3, SPME, 1);
    HOLDS(counts(R1));
    done();

    rule("RJDWFF");
    p.cfg.features &= ~(APMU_FEAT(PMUv3p7) | APMU_FEAT(RME));
    p.cfg.features |= APMU_FEAT(AA32EL1) | APMU_FEAT(AA32EL0);
    apmu_settle(&p);
    pe.niden = pe.spniden = true;
    at(1, false, false);
    SET(pe.scr_el3, SCR_EL3, EEL2, 0);
    HOLDS(why(R1, APMU_WHY(SPME)));
    SET(pe.scr_el3, SCR_EL3, RW, 0); /* Secure EL1 uses AArch32: SUNIDEN allows counting at EL0 */
    pe.el = 0;
    pe.a32 = true;
    HOLDS(why(R1, APMU_WHY(SPME)));
    pe.sder32_el3 = APMU_MASK(SDER32_EL3, SUNIDEN);
    HOLDS(counts(R1));
    pe.el = 1;
    HOLDS(why(R1, APMU_WHY(SPME)));
    done();
}

static void prohibiting_at_el3_and_el2(void)
{
    rule("RGNGCW");
    count_everywhere();
    for (unsigned controls = 0; controls < 4; controls++) {
        const bool spme = (controls & 2) != 0, mpmx = (controls & 1) != 0;
        SET(pe.mdcr_el3, MDCR_EL3, SPME, spme);
        SET(pe.mdcr_el3, MDCR_EL3, MPMX, mpmx);
        at(3, true, false);
        HOLDS(counts(R1) == (spme && !mpmx) && counts(R2) == spme && counts(R3));
        for (unsigned el = 0; el < 3; el++) {
            at(el, false, false);
            HOLDS(counts(R1) == (spme || mpmx) && counts(R2) == (spme || mpmx) && counts(R3));
            at(el, true, false);
            HOLDS(counts(R1) && counts(R2) && counts(R3));
        }
    }
    done();

    rule("RMMZLZ");
    count_everywhere();
    at(2, true, false);
    HOLDS(counts(R1));
    SET(pe.mdcr_el2, MDCR_EL2, HPMD, 1);
    HOLDS(why(R1, APMU_WHY(HPMD)) && counts(R2) && counts(R3));
    at(2, false, false); /* Secure EL2: SPME and HPMD must both allow it */
    HOLDS(why(R1, APMU_WHY(HPMD) | APMU_WHY(SPME)) && why(R2, APMU_WHY(SPME)));
    SET(pe.mdcr_el3, MDCR_EL3, SPME, 1);
    HOLDS(why(R1, APMU_WHY(HPMD)) && counts(R2));
    at(2, true, false);
    p.cfg.features &= ~(APMU_FEAT(PMUv3p1) | APMU_FEAT(PMUv3p4) | APMU_FEAT(PMUv3p5));
    apmu_settle(&p);
    HOLDS(counts(R1));
    done();

    rule("RMMZLZ Unattributable events"); /* IMPLEMENTATION DEFINED: apmu_config.counts_unattributable */
    SET(pe.mdcr_el2, MDCR_EL2, HPMD, 1);
    count_everywhere();
    pe.el = 2;
    pe.unattributable = true;
    HOLDS(!counts(R1));
    p.cfg.counts_unattributable = true;
    HOLDS(counts(R1));
    done();

    rule("RTDGMF"); /* accessibility does not depend on prohibition */
    at(1, false, false);
    HOLDS(!counts(R1));
    apmu_poke(&p, &pe, APMU_REG_PMEVCNTR_EL0, 0, 1234, NULL);
    HOLDS(apmu_peek(&p, &pe, APMU_REG_PMEVCNTR_EL0, 0) == 1234);
    done();
}

static void prohibiting_instructions_and_cycles(void)
{
    rule("RCSRMB");
    count_everywhere();
    at(3, true, false);
    HOLDS(why(APMU_INSTR, APMU_WHY(SPME)));
    SET(pe.mdcr_el3, MDCR_EL3, SPME, 1);
    HOLDS(counts(APMU_INSTR));
    SET(pe.mdcr_el3, MDCR_EL3, MPMX, 1); /* the prose allows counting here; the pseudocode decides (SPEC.md, A) */
    HOLDS(why(APMU_INSTR, APMU_WHY(MPMX)));
    at(2, true, false);
    SET(pe.mdcr_el2, MDCR_EL2, HPMD, 1);
    HOLDS(why(APMU_INSTR, APMU_WHY(HPMD)));
    done();

    rule("RGKPZH");
    count_everywhere();
    at(1, false, false);
    HOLDS(counts(APMU_CYCLE));
    SET(p.pmcr, PMCR_EL0, DP, 1);
    HOLDS(why(APMU_CYCLE, APMU_WHY(SPME)));
    SET(p.pmcr, PMCR_EL0, DP, 0);
    SET(pe.mdcr_el3, MDCR_EL3, SCCD, 1);
    HOLDS(why(APMU_CYCLE, APMU_WHY(SCCD)));
    at(3, true, false);
    HOLDS(why(APMU_CYCLE, APMU_WHY(SCCD)));
    SET(pe.mdcr_el3, MDCR_EL3, SCCD, 0), SET(pe.mdcr_el3, MDCR_EL3, MCCD, 1);
    HOLDS(why(APMU_CYCLE, APMU_WHY(MCCD)));
    at(2, true, false);
    HOLDS(counts(APMU_CYCLE));
    SET(pe.mdcr_el2, MDCR_EL2, HCCD, 1);
    HOLDS(why(APMU_CYCLE, APMU_WHY(HCCD)));
    at(1, true, false);
    HOLDS(counts(APMU_CYCLE));
    pe.halted = true;
    HOLDS(why(APMU_CYCLE, APMU_WHY(HALTED)));
    done();

    rule("RGKPZH with HPMN = 0"); /* with HPMN = 0, DP stops the cycle counter as if the first range were not empty */
    count_everywhere();
    SET(pe.mdcr_el2, MDCR_EL2, HPMN, 0);
    SET(p.pmcr, PMCR_EL0, DP, 1);
    HOLDS(apmu_range(&p, &pe, 0) == 2 && counts(APMU_CYCLE));
    SET(pe.mdcr_el2, MDCR_EL2, HPMD, 1);
    at(2, true, false);
    HOLDS(why(APMU_CYCLE, APMU_WHY(HPMD)));
    done();
}

static void prohibiting_in_no_third_range(void)
{
    rule("RKQDQS ILNLLM IFZPQV"); /* nothing prohibits the third range; only its filters exclude a world */
    count_everywhere();
    SET(pe.mdcr_el2, MDCR_EL2, HPMD, 1);
    for (unsigned el = 0; el < 4; el++) {
        at(el, false, false);
        HOLDS(counts(R3));
    }
    at(3, false, false);
    p.typer[R3] |= APMU_MASK(PMEVTYPER_EL0, M);
    apmu_settle(&p);
    HOLDS(why(R3, APMU_WHY(FILTER_M)));
    done();

    rule("IBTVLD"); /* our choice: the state at the call decides, so nothing prohibited is ever counted */
    at(3, true, false);
    apmu_event(&p, &pe, EVENT, 1000, 1, NULL);
    at(1, true, false);
    apmu_event(&p, &pe, EVENT, 1, 1, NULL);
    HOLDS(p.cntr[R1] == 1);
    done();
}

int main(void)
{
    enabling_of_ranges();
    enabling_of_single_counters();
    freezing_on_overflow();
    freezing_at_its_edges();
    freezing_on_spe();
    resetting();
    prohibiting_in_secure_state();
    prohibiting_at_el3_and_el2();
    prohibiting_instructions_and_cycles();
    prohibiting_in_no_third_range();
    return tap_status;
}
