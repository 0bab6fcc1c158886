/* SPDX-License-Identifier: BSD-2-Clause */
/* The external view: every field that only this view has, and registers that are accessed in halves. */

#include "../../lib/external.h"

/* ---------------------------------------------------------------------------------------------------------------
 * PMCFGR, each field of its page, in several implementations.
 */

static void pmcfgr_is_the_configuration(void)
{
    static const struct {
        uint64_t features;
        uint8_t counters;
        bool export_bus;
        unsigned ncg, ss, fzo, ex, ccd, n;
    } of[] = {
        {EL1_ONLY, 6, false, 0, 0, 0, 0, 0, 6},
        {EL1_ONLY, 0, true, 0, 0, 0, 1, 0, 0},
        {EL1_ONLY | APMU_FEAT(AA32) | APMU_FEAT(AA32EL0), 31, false, 0, 0, 0, 0, 1, 31},
        {ALL_ELS | APMU_FEAT(PMUv3p5), 6, false, 0, 0, 0, 0, 0, 6},
        {ALL_ELS | APMU_FEAT(PMUv3p7), 7, true, 0, 0, 1, 1, 0, 7},
        {ALL_ELS | APMU_FEAT(PMUv3_ICNTR), 6, false, 1, 0, 1, 0, 0, 7},
        {ALL_ELS | APMU_FEAT(PMUv3_ICNTR), 31, false, 1, 0, 1, 0, 0, 32},
        {ALL_ELS | APMU_FEAT(PMUv3_SS), 6, false, 0, 1, 1, 0, 0, 6},
        {ALL_ELS | APMU_FEAT(PMUv3_SS) | APMU_FEAT(PMUv3_ICNTR), 4, true, 1, 1, 1, 1, 0, 5},
    };

    for (unsigned i = 0; i < 2 * sizeof of / sizeof of[0]; i++) {
        const uint64_t layout = i % 2 == 0 ? EXT32 : EXT64;
        configure(of[i / 2].features | layout);
        cfg.counters = of[i / 2].counters;
        cfg.export_bus = of[i / 2].export_bus;
        start();
        const uint64_t v = rd(0xE00, layout == EXT64 ? 8 : 4, S);
        MUST_EQ(v >> 32, 0, "%u: bits 63:32", i);
        MUST_EQ(v >> 28 & 15, of[i / 2].ncg, "%u: NCG", i);
        MUST_EQ(v >> 23 & 31, 0, "%u: bits 27:23", i);
        MUST_EQ(v >> 22 & 1, of[i / 2].ss, "%u: SS", i);
        MUST_EQ(v >> 21 & 1, of[i / 2].fzo, "%u: FZO", i);
        MUST_EQ(v >> 20 & 1, 0, "%u: bit 20", i);
        MUST_EQ(v >> 19 & 1, 0, "%u: UEN", i);
        MUST_EQ(v >> 18 & 1, 0, "%u: WT", i);
        MUST_EQ(v >> 17 & 1, 0, "%u: NA", i);
        MUST_EQ(v >> 16 & 1, of[i / 2].ex, "%u: EX", i);
        MUST_EQ(v >> 15 & 1, of[i / 2].ccd, "%u: CCD", i);
        MUST_EQ(v >> 14 & 1, 1, "%u: CC", i);
        MUST_EQ(v >> 8 & 63, 63, "%u: SIZE", i);
        MUST_EQ(v & 0xFF, of[i / 2].n, "%u: N", i);
        wr(0xE00, 4, S, ~UINT64_C(0));
        MUST_EQ(rd(0xE00, 4, S), v, "%u: after a write", i);
    }
}

/* PMCFGR agrees with the writable bits of PMCR_EL0. */
static void pmcfgr_tells_the_truth_about_pmcr(void)
{
    for (unsigned i = 0; i < 8; i++) {
        configure(ALL_ELS | EXT32 | (i & 1 ? APMU_FEAT(PMUv3p7) : 0) |
                  (i & 2 ? APMU_FEAT(AA32) | APMU_FEAT(AA32EL0) : 0));
        cfg.export_bus = (i & 4) != 0;
        start();
        const uint64_t v = rd(0xE00, 4, S);
        wr(0xE04, 4, S, 0x218);
        MUST_EQ(rd(0xE04, 4, S) >> 9 & 1, v >> 21 & 1, "FZO");
        MUST_EQ(rd(0xE04, 4, S) >> 4 & 1, v >> 16 & 1, "EX and PMCR_EL0.X");
        MUST_EQ(rd(0xE04, 4, S) >> 3 & 1, v >> 15 & 1, "CCD and PMCR_EL0.D");
    }
}

/* IWYJGF */
static void less_secure_accesses_count_fewer_counters(void)
{
    unit(EXTPMN | EXT64 | APMU_FEAT(PMUv3_ICNTR));
    wr(0xE58, 8, S, 4);
    MUST_EQ(rd(0xE00, 8, S) & 0xFF, 7, "PMCFGR.N, most secure");
    MUST_EQ(rd(0xE00, 8, NS) & 0xFF, 5, "PMCFGR.N, less secure");
    MUST_EQ(rd(0xCE0, 8, S), 0x107, "PMCGCR0, most secure");
    MUST_EQ(rd(0xCE0, 8, NS), 0x105, "PMCGCR0, less secure");
    unit(EXTPMN | EXT32);
    wr(0xE58, 4, S, 4);
    MUST_EQ(rd(0xE00, 4, NS) & 0xFF, 4, "PMCFGR.N without the instruction counter");
    SAYS(0xCE0, 4, S, READ, "raz reserved");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Identification.
 */

static void identification_registers(void)
{
    configure(ALL_ELS | EXT32 | APMU_FEAT(Debugv8p2));
    cfg.coresight_id = cfg.peripheral_id = true;
    cfg.part = 0xD0C;
    cfg.designer = 0x23B;
    cfg.revision[0] = 4, cfg.revision[1] = 2, cfg.revision[2] = 5;
    cfg.iidr = 0xD0C4143B;
    cfg.mpidr = UINT64_C(0xFFFFFF1281020304);
    start();
    MUST_EQ(rd(0xFE0, 4, S), 0x0C, "PMPIDR0");
    MUST_EQ(rd(0xFE4, 4, S), 0xBD, "PMPIDR1");
    MUST_EQ(rd(0xFE8, 4, S), 0x4B, "PMPIDR2");
    MUST_EQ(rd(0xFEC, 4, S), 0x25, "PMPIDR3");
    MUST_EQ(rd(0xFD0, 4, S), 0x04, "PMPIDR4");
    MUST_EQ(rd(0xFF0, 4, S), 0x0D, "PMCIDR0");
    MUST_EQ(rd(0xFF4, 4, S), 0x90, "PMCIDR1");
    MUST_EQ(rd(0xFF8, 4, S), 0x05, "PMCIDR2");
    MUST_EQ(rd(0xFFC, 4, S), 0xB1, "PMCIDR3");
    MUST_EQ(rd(0xFCC, 4, S), 0x16, "PMDEVTYPE");
    MUST_EQ(rd(0xFBC, 4, S), 0x47702A16, "PMDEVARCH, 32-bit layout");
    MUST_EQ(rd(0xFA8, 4, S), 0x81020304, "PMDEVAFF0");
    MUST_EQ(rd(0xFAC, 4, S), 0x12, "PMDEVAFF1");
    MUST_EQ(rd(0xE08, 4, S), 0xD0C4143B, "PMIIDR");
    MUST_EQ(rd(0xFC8, 4, S), 0, "PMDEVID");
    unit(EXTPMN | EXT64 | APMU_FEAT(PMUv3_SS) | APMU_FEAT(PCSRv8p2));
    MUST_EQ(rd(0xFBC, 4, S), 0x47702A26, "PMDEVARCH, 64-bit layout");
    MUST_EQ(rd(0xFC8, 4, S), 0x111, "PMDEVID");
    MUST_EQ(rd(0xFA8, 8, S), 0x80000000, "PMDEVAFF");
    p.cfg.features |= APMU_FEAT(PCSRv8p9);
    apmu_settle(&p);
    MUST_EQ(rd(0xFC8, 4, S), 0x112, "PMDEVID with FEAT_PCSRv8p9");
    SAYS(0xFF0, 4, S, READ, "raz reserved");
    SAYS(0xFE0, 4, S, READ, "raz reserved");
    SAYS(0xE08, 8, S, READ, "ok");
    SAYS(0xF00, 4, S, READ, "raz reserved");
    unit(ALL_ELS | EXT32);
    SAYS(0xE08, 4, S, READ, "raz reserved");
    SAYS(0xFC8, 4, S, READ, "raz reserved");
}

static void authentication_status(void)
{
    unit(ALL_ELS | EXT32);
    MUST_EQ(rd(0xFB8, 4, S), 0xFF, "all enabled");
    pe.dbgen = false;
    MUST_EQ(rd(0xFB8, 4, S), 0xEE, "DBGEN low: non-invasive debug only");
    pe.niden = false;
    MUST_EQ(rd(0xFB8, 4, S), 0xAA, "NIDEN low as well");
    pe.dbgen = true;
    pe.spiden = pe.spniden = false;
    MUST_EQ(rd(0xFB8, 4, S), 0xAF, "SPIDEN and SPNIDEN low");
    pe.spniden = true;
    MUST_EQ(rd(0xFB8, 4, S), 0xEF, "SPNIDEN high");
    unit(ALL_ELS | EXT32 | P4);
    pe.dbgen = pe.niden = false;
    MUST_EQ(rd(0xFB8, 4, S), 0xAE, "p4: non-invasive debug follows, in Non-secure state it is always enabled");
    unit(EL1_ONLY | EXT32);
    MUST_EQ(rd(0xFB8, 4, NS), 0x0F, "Non-secure only");
    unit(EL1_ONLY | APMU_FEAT(AA64EL2) | EXT32);
    MUST_EQ(rd(0xFB8, 4, NS), 0x0F, "Non-secure only, with EL2");
    unit(EL1_ONLY | APMU_FEAT(AA64EL3) | EXT32);
    MUST_EQ(rd(0xFB8, 4, S), 0xFF, "both, without EL2");
    p.cfg.secure_only = true;
    MUST_EQ(rd(0xFB8, 4, S), 0xFF, "with EL3 there are both states");
    unit(EL1_ONLY | EXT32);
    p.cfg.secure_only = true;
    MUST_EQ(rd(0xFB8, 4, S), 0xF0, "Secure only");
    unit(ALL_ELS | EXT32 | P4 | APMU_FEAT(RME) | APMU_FEAT(PMUv3p7) | APMU_FEAT(SEL2));
    MUST_EQ(rd(0xFB8, 4, ROOT), 0x0A00A0FF, "Realm and Root disabled");
    pe.rlpiden = true;
    MUST_EQ(rd(0xFB8, 4, ROOT), 0x0A00F0FF, "Realm enabled");
    pe.rtpiden = true;
    MUST_EQ(rd(0xFB8, 4, ROOT), 0x0F00F0FF, "Root enabled");
    pe.spiden = false;
    MUST_EQ(rd(0xFB8, 4, ROOT), 0x0A00F0AF, "Root needs Secure debug");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Values.
 */

static void halves_make_the_register(void)
{
    unit(ALL_ELS | EXT32 | APMU_FEAT(PMUv3p9) | APMU_FEAT(PMUv3_TH) | APMU_FEAT(PMUv3_SME));
    wr(0x010, 4, S, 0x89ABCDEF);
    wr(0x014, 4, S, 0x01234567);
    MUST_EQ(p.cntr[2], 0x0123456789ABCDEF, "PMEVCNTR2_EL0 in halves");
    MUST_EQ(rd(0x010, 8, S), 0x0123456789ABCDEF, "as a whole");
    wr(0x010, 8, S, 0xFEDCBA9876543210);
    MUST_EQ(rd(0x010, 4, S), 0x76543210, "its lower half");
    MUST_EQ(rd(0x014, 4, S), 0xFEDCBA98, "its upper half");
    wr(0x408, 4, S, 0x11);
    wr(0xA08, 4, S, 0x1F);
    MUST_EQ(rd(0x408, 4, S), 0x11, "PMEVTYPER2_EL0[31:0]");
    MUST_EQ(rd(0xA08, 4, S), 0x1F, "PMEVTYPER2_EL0[63:32]: TH has five bits");
    MUST_EQ(apmu_peek(&p, &pe, APMU_REG_PMEVTYPER_EL0, 2), 0x1F00000011, "PMEVTYPER2_EL0");
    unit(ALL_ELS | EXT32 | APMU_FEAT(PMUv3_SS));
    wr(0xE30, 4, S, 0);
    MUST_EQ(rd(0xE34, 4, S), 1, "PMSSCR.NC is in the other half");
    unit(ALL_ELS | EXT64 | APMU_FEAT(PMUv3p9) | APMU_FEAT(PMUv3_ICNTR));
    wr(0x4F8, 8, S, 0xC0000000);
    MUST_EQ(rd(0x4F8, 4, S), 0xC0000000, "PMCCFILTR_EL0[31:0] in the 64-bit layout");
    wr(0xC10, 8, S, UINT64_C(0x180000015));
    wr(0xC10, 4, S, 0x2);
    MUST_EQ(rd(0xC10, 8, S), 0x100000002, "PMCNTEN, half written: the other half stays");
    wr(0xC04, 4, S, 1);
    wr(0xC00, 4, S, 0x70);
    MUST_EQ(rd(0xC20, 8, S), 0x100000032, "PMCNTENCLR_EL0 reads the same");
    wr(0xC20, 4, S, UINT64_C(0x100000000));
    MUST_EQ(rd(0xC10, 8, S), 0x100000032, "an access of 32 bits has no others");
    wr(0xC24, 4, S, 1);
    MUST_EQ(rd(0xC10, 8, S), 0x32, "PMCNTENCLR_EL0[63:32]");
    wr(0xC50, 8, S, ~UINT64_C(0));
    MUST_EQ(rd(0xC40, 8, S), 0x18000003F, "PMINTEN holds the counters that exist");
    wr(0xC90, 8, S, 0x21);
    MUST_EQ(rd(0xCC0, 8, S), 0x21, "PMOVS");
    p.cfg.slots = 8;
    MUST_EQ(rd(0xE40, 8, S), 8, "PMMIR at 0xE40");
    MUST_EQ(rd(0xE44, 4, S), 8, "PMMIR at 0xE44");
}

static void event_identification_is_four_words(void)
{
    configure(ALL_ELS | EXT32 | APMU_FEAT(PMUv3p1));
    cfg.pmceid[0] = UINT64_C(0x1122334455667788);
    cfg.pmceid[1] = UINT64_C(0x99AABBCCDDEEFF00);
    start();
    MUST_EQ(rd(0xE20, 4, S), 0x55667788, "PMCEID0");
    MUST_EQ(rd(0xE24, 4, S), 0xDDEEFF00, "PMCEID1");
    MUST_EQ(rd(0xE28, 4, S), 0x11223344, "PMCEID2");
    MUST_EQ(rd(0xE2C, 4, S), 0x99AABBCC, "PMCEID3");
    p.cfg.features &= ~APMU_FEAT(PMUv3p1);
    apmu_settle(&p);
    SAYS(0xE28, 4, S, READ, "raz reserved");
}

static void the_third_range_is_for_the_most_secure(void)
{
    unit(EXTPMN | EXT64 | APMU_FEAT(PMUv3_SS) | APMU_FEAT(PMUv3_ICNTR));
    p.cfg.filter2 = 0xFF;
    apmu_settle(&p);
    pe.mdcr_el3 = APMU_MASK(MDCR_EL3, EPMSSAD);
    wr(0xE58, 8, S, APMU_PUT(PMCCR, EPMN, 4) | APMU_MASK(PMCCR, EPME) | 0x60);
    MUST_EQ(rd(0xE58, 8, S), 0x84, "PMCCR");
    SAYS(4 * 8, 8, NS, READ, "raz PMCCR.EPMN");
    SAYS(4 * 8, 8, NS, WRITE, "wi PMCCR.EPMN");
    SAYS(0x400 + 5 * 8, 8, NS, READ, "raz PMCCR.EPMN");
    SAYS(0x600 + 4 * 8, 8, NS, READ, "raz PMCCR.EPMN");
    SAYS(0x800 + 4 * 8, 8, NS, READ, "raz PMCCR.EPMN");
    SAYS(0x800 + 31 * 8, 8, NS, READ, "ok");
    SAYS(3 * 8, 8, NS, READ, "ok");
    SAYS(4 * 8, 8, S, READ, "ok");
    wr(0xC00, 8, S, ~UINT64_C(0));
    MUST_EQ(rd(0xC00, 8, S), 0x18000003F, "PMCNTENSET_EL0, most secure");
    MUST_EQ(rd(0xC00, 8, NS), 0x18000000F, "PMCNTENSET_EL0, less secure");
    wr(0xC20, 8, NS, ~UINT64_C(0));
    MUST_EQ(p.cnten, 0x30, "PMCNTENCLR_EL0, less secure");
    wr(0xC10, 8, NS, 0);
    MUST_EQ(p.cnten, 0x30, "PMCNTEN, less secure");
    for (unsigned n = 0; n < 6; n++) {
        p.cntr[n] = 0x55;
    }
    wr(0xE10, 8, NS, APMU_MASK(PMCR_EL0, P));
    MUST(p.cntr[3] == 0 && p.cntr[4] == 0x55, "PMCR_EL0.P, less secure");
    wr(0xCA0, 8, NS, 0x30);
    MUST_EQ(p.cntr[5], 0x55, "PMZR_EL0, less secure");
    wr(0xCA0, 8, S, 0x20);
    MUST(p.cntr[5] == 0 && p.cntr[4] == 0x55, "PMZR_EL0, most secure");
    wr(0xE10, 8, S, APMU_MASK(PMCR_EL0, P));
    MUST_EQ(p.cntr[4], 0, "PMCR_EL0.P, most secure");
}

static void pmcr_has_no_identity_here(void)
{
    configure(ALL_ELS | EXT32 | APMU_FEAT(SPEv1p2) | APMU_FEAT(PMUv3p1));
    cfg.imp = 0x41;
    cfg.idcode = 9;
    start();
    p.pmcr |= APMU_MASK(PMCR_EL0, FZS);
    wr(0xE04, 4, S, 1);
    MUST_EQ(rd(0xE04, 4, S), 0x41, "PMCR_EL0: E, and LC without AArch32");
    MUST_EQ(p.pmcr >> 32, 1, "FZS is not in the 32-bit register");
    p.cntr[APMU_CYCLE] = 7;
    wr(0xE04, 4, S, APMU_MASK(PMCR_EL0, C));
    MUST_EQ(p.cntr[APMU_CYCLE], 0, "PMCR_EL0.C");
}

static void software_increment_is_optional_and_goes_with_p9(void)
{
    unit(ALL_ELS | EXT32);
    SAYS(0xCA0, 4, S, WRITE, "wi reserved");
    configure(ALL_ELS | EXT32);
    cfg.external_swinc = true;
    start();
    pe.el = 1;
    pe.scr_el3 = APMU_MASK(SCR_EL3, NS) | APMU_MASK(SCR_EL3, RW);
    pe.mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 6);
    SAYS(0xCA0, 4, S, WRITE, "ok");
    SAYS(0xCA0, 4, S, READ, "raz reserved");
    SAYS(0xCA4, 4, S, WRITE, "wi reserved");
    wr(0xE04, 4, S, 1);
    wr(0xC00, 4, S, 3);
    wr(0xCA0, 4, S, 2);
    MUST(p.cntr[0] == 0 && p.cntr[1] == 1, "PMSWINC_EL0");
}

static void further_filters_are_the_implementations(void)
{
    configure(ALL_ELS | EXT32 | APMU_FEAT(PMUv3_ICNTR));
    cfg.filter2 = 0xFF0F;
    start();
    wr(0x804, 4, S, ~UINT64_C(0));
    MUST_EQ(rd(0x804, 4, S), 0xFF0F, "PMEVFILT2R1");
    wr(0x804, 4, S, 0xA5);
    MUST_EQ(rd(0x804, 4, S), 0x05, "PMEVFILT2R1");
    SAYS(0x800 + 4 * 5, 4, S, READ, "ok");
    SAYS(0x800 + 4 * 6, 4, S, READ, "raz reserved");
    SAYS(0x800 + 4 * 31, 4, S, READ, "ok");
    SAYS(0x800 + 4 * 32, 4, S, READ, "ok");
    configure(ALL_ELS | EXT64);
    cfg.filter2 = 1;
    start();
    wr(0x808, 4, S, 1);
    wr(0x80C, 4, S, 0);
    MUST_EQ(rd(0x808, 8, S), 1, "PMEVFILT2R1 in the 64-bit layout");
    SAYS(0x800 + 8 * 32, 8, S, READ, "raz reserved");
    p.cfg.filter2 = 0;
    apmu_settle(&p);
    SAYS(0x808, 8, S, READ, "raz reserved");
}

static void integration_mode(void)
{
    configure(ALL_ELS | EXT32);
    cfg.integration = true;
    start();
    wr(0xF00, 4, S, ~UINT64_C(0));
    MUST_EQ(rd(0xF00, 4, S), 1, "PMITCTRL");
    apmu_on_reset(&p, APMU_RESET_WARM);
    MUST_EQ(rd(0xF00, 4, S), 1, "after a Warm reset");
    pe.os_lock = true;
    SAYS(0xF00, 4, S, READ, "error OSLSR_EL1.OSLK");
    apmu_on_reset(&p, APMU_RESET_COLD);
    MUST_EQ(rd(0xF00, 4, S), 0, "after a Cold reset");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Program counter samples.
 */

static const struct apmu_pc_sample sample = {
    .valid = true,
    .el = 1,
    .ss = APMU_SS_NONSECURE,
    .pc = UINT64_C(0xFF0000123456789C),
    .contextidr_el1 = 0x11111111,
    .contextidr_el2 = 0x22222222,
    .vmid = 0xABCD,
};

static void a_read_of_the_lower_half_takes_a_sample(void)
{
    unit(ALL_ELS | EXT32 | APMU_FEAT(PCSRv8p2));
    pe.sample = sample;
    MUST_EQ(rd(0x204, 4, S), 0, "the upper half takes none");
    MUST_EQ(rd(0x20C, 4, S), 0, "PMVIDSR before");
    MUST_EQ(rd(0x200, 4, S), 0x3456789C, "PMPCSR[31:0]");
    pe.sample.pc = 0;
    MUST_EQ(rd(0x204, 4, S), 0xA0000012, "PMPCSR[63:32]: NS, EL1, PC[55:32]");
    MUST_EQ(rd(0x224, 4, S), 0xA0000012, "at its second place");
    MUST_EQ(rd(0x208, 4, S), 0x11111111, "PMCID1SR");
    MUST_EQ(rd(0x228, 4, S), 0x11111111, "PMCID1SR at its second place");
    MUST_EQ(rd(0x22C, 4, S), 0x22222222, "PMCID2SR");
    MUST_EQ(rd(0x20C, 4, S), 0xABCD, "PMVIDSR");
    SAYS(0x208, 8, S, READ, "error size");
    pe.sample = (struct apmu_pc_sample){.valid = false};
    MUST_EQ(rd(0x200, 4, S), 0xFFFFFFFF, "no sample");
    MUST_EQ(rd(0x204, 4, S), 0, "the rest is UNKNOWN");
    SAYS(0xE50, 4, S, READ, "raz reserved");
    unit(ALL_ELS | EXT64 | APMU_FEAT(PCSRv8p2) | APMU_FEAT(RME) | APMU_FEAT(PMUv3p7) | P4);
    pe.sample = sample;
    pe.sample.ss = APMU_SS_REALM;
    pe.sample.a32 = true;
    MUST_EQ(rd(0x220, 8, ROOT), 0xA80000003456789C, "PMPCSR: Realm, AArch32");
    MUST_EQ(rd(0x208, 8, ROOT), 0xABCD11111111, "PMVCIDSR");
    MUST_EQ(rd(0x228, 8, ROOT), 0x2222222211111111, "PMCCIDSR");
    pe.sample.pc = ~UINT64_C(0);
    MUST_EQ(rd(0x220, 8, ROOT), 0xA8000000FFFFFFFF, "PMPCSR: AArch32 has 32 bits");
    pe.sample.ss = APMU_SS_ROOT;
    MUST_EQ(rd(0x220, 8, ROOT) >> 59, 0x5, "NSE alone is Root, EL1 of the sample");
}

static void a_sample_says_its_security_state(void)
{
    static const unsigned ns[4] = {0, 1, 0, 1}, nse[4] = {0, 0, 1, 1}; /* Secure, Non-secure, Root, Realm */

    for (unsigned rme = 0; rme < 2; rme++) {
        unit(ALL_ELS | EXT64 | APMU_FEAT(PCSRv8p2) | P4 | (rme ? APMU_FEAT(RME) | APMU_FEAT(PMUv3p7) : 0));
        pe.sample = sample;
        for (unsigned ss = 0; ss < (rme ? 4u : 2u); ss++) {
            pe.sample.ss = (enum apmu_ss)ss;
            MUST_EQ(rd(0x200, 8, ROOT) >> 63, ns[ss], "NS of Security state %u, RME %u", ss, rme);
            MUST_EQ(rd(0x200, 8, ROOT) >> 59 & 1, nse[ss], "NSE of Security state %u, RME %u", ss, rme);
        }
    }
}

static void what_is_no_sample_is_unknown(void)
{
    configure(ALL_ELS | EXT64 | APMU_FEAT(PCSRv8p2));
    cfg.unknown_fill = 0xAAAAAAAAAAAAAAAA;
    start();
    MUST_EQ(rd(0x208, 8, S), 0xAAAAAAAAAAAA, "PMVCIDSR after a Cold reset");
    MUST_EQ(rd(0x204, 4, S), 0xA0AAAAAA, "PMPCSR[63:32] after a Cold reset");
    pe.sample = sample;
    rd(0x200, 8, S);
    apmu_on_reset(&p, APMU_RESET_WARM);
    MUST_EQ(rd(0x228, 8, S), 0x2222222211111111, "PMCCIDSR after a Warm reset");
    pe.sample.valid = false;
    rd(0x200, 8, S);
    MUST_EQ(rd(0x228, 8, S), 0xAAAAAAAAAAAAAAAA, "PMCCIDSR after a read without a sample");
    MUST_EQ(rd(0x208, 8, S), 0xAAAAAAAAAAAA, "PMVCIDSR after a read without a sample");
    MUST_EQ(rd(0x200, 8, S), 0xA0AAAAAAFFFFFFFF, "PMPCSR: the rest of it is UNKNOWN");
    MUST_EQ(p.pcsr, 0xA0AAAAAAFFFFFFFF, "PMPCSR after a read without a sample");
    p.cfg.unknown_fill = 0;
    MUST_EQ(rd(0x200, 8, S), 0xFFFFFFFF, "PMPCSR: UNKNOWN may be 0");
    MUST_EQ(p.pcsr, 0xFFFFFFFF, "PMPCSR after that read");
}

static void the_software_lock_keeps_samples(void)
{
    configure(ALL_ELS | EXT32 | APMU_FEAT(PCSRv8p2));
    cfg.software_lock = true;
    start();
    pe.sample = sample;
    rd(0x200, 4, S);
    MUST_EQ(rd(0x208, 4, S), 0, "PMCID1SR after a read while locked");
    wr(0xFB0, 4, S, LOCK_KEY);
    rd(0x200, 4, S);
    MUST_EQ(rd(0x208, 4, S), 0x11111111, "PMCID1SR after a read");
}

static void sampling_can_be_suspended(void)
{
    configure(ALL_ELS | EXT64 | APMU_FEAT(PCSRv8p9));
    cfg.sample_enable = true;
    start();
    pe.sample = sample;
    MUST_EQ(rd(0xE50, 8, S), 2, "PMPCSCTL after reset: IMP");
    MUST_EQ(rd(0x200, 4, S), 0xFFFFFFFF, "the first read makes it active");
    MUST_EQ(rd(0xE50, 8, S), 3, "EN");
    MUST_EQ(rd(0x200, 4, S), 0x3456789C, "the second gives a sample");
    wr(0xE50, 8, S, 0);
    MUST_EQ(rd(0x200, 4, S), 0xFFFFFFFF, "suspended again");
    apmu_on_reset(&p, APMU_RESET_WARM);
    MUST_EQ(rd(0xE50, 8, S), 2, "a Warm reset suspends");
    cfg.sample_enable = false;
    cfg.sample_suspended = true;
    start();
    pe.sample = sample;
    wr(0xE50, 8, S, ~UINT64_C(0));
    MUST_EQ(rd(0xE50, 8, S), 0, "PMPCSCTL without EN and snapshots");
    MUST_EQ(rd(0x200, 4, S), 0xFFFFFFFF, "suspended by the implementation");
    MUST_EQ(rd(0x200, 4, S), 0x3456789C, "and active for good");
}

static void sampling_can_follow_snapshots(void)
{
    configure(ALL_ELS | EXT64 | APMU_FEAT(PCSRv8p9) | APMU_FEAT(PMUv3_SS));
    cfg.sample_enable = true;
    start();
    pe.mdcr_el3 = APMU_MASK(MDCR_EL3, PMSSE) | APMU_MASK(MDCR_EL3, EPMSSAD);
    pe.sample = sample;
    wr(0xE50, 8, S, APMU_MASK(PMPCSCTL, EN));
    pe.sample.pc = 4;
    MUST_EQ(rd(0x200, 4, S), 4, "SS = 0: a read takes a sample, and a snapshot none");
    pe.sample = sample;
    apmu_snapshot(&p, &pe, NULL);
    MUST_EQ(rd(0x204, 4, S), 0xA0000000, "after a snapshot with SS = 0");
    wr(0xE50, 8, S, APMU_MASK(PMPCSCTL, SS));
    rd(0x200, 8, S);
    MUST_EQ(rd(0x204, 4, S), 0xA0000000, "before a snapshot with SS = 1: reads take none");
    p.cntr[APMU_CYCLE] = 99;
    wr(0xE30, 4, NS, 1);
    pe.sample.pc = 0;
    MUST_EQ(rd(0x6F8, 8, S), 99, "PMCCNTSVR_EL1");
    MUST_EQ(rd(0xE34, 4, S), 0, "PMSSCR_EL1.NC");
    MUST_EQ(rd(0x200, 8, S), 0xA00000123456789C, "the sample of the snapshot; a read takes none");
    MUST_EQ(rd(0xE50, 8, S), 0x13, "PMPCSCTL.EN: sampling is active");
    pe.halted = true;
    apmu_snapshot(&p, &pe, NULL);
    MUST_EQ(rd(0x200, 8, S), 0xA0000012FFFFFFFF, "no sample in Debug state");
    pe.mdcr_el3 = APMU_PUT(MDCR_EL3, PMSSE, 2);
    p.cntr[APMU_CYCLE] = 100;
    apmu_snapshot(&p, &pe, NULL);
    MUST_EQ(rd(0x6F8, 8, S), 99, "a prohibited snapshot captures nothing");
    MUST_EQ(rd(0xE30, 8, S), UINT64_C(1) << 32, "and says so in PMSSCR_EL1.NC");
}

/* Where PMPCSCTL.SS is not implemented, reads of PMPCSR take samples whatever the bit holds. */
static void without_snapshots_reads_take_samples(void)
{
    static const uint64_t features[] = {APMU_FEAT(PCSRv8p9), APMU_FEAT(PCSRv8p2) | APMU_FEAT(PMUv3_SS)};

    for (unsigned i = 0; i < 2; i++) {
        unit(ALL_ELS | EXT64 | features[i]);
        p.pcsctl = APMU_MASK(PMPCSCTL, SS) | APMU_MASK(PMPCSCTL, EN);
        pe.sample = sample;
        MUST_EQ(rd(0x200, 8, S), 0xA00000123456789C, "unit %u", i);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * The state.
 */

static void the_state_is_small(void)
{
    printf("# sizeof(struct apmu) = %zu, of which %zu are struct apmu_config\n", sizeof p, sizeof cfg);
    MUST(sizeof p <= 1280, "sizeof(struct apmu) = %zu", sizeof p);
}

int main(void)
{
    RUN(pmcfgr_is_the_configuration);
    RUN(pmcfgr_tells_the_truth_about_pmcr);
    RUN(less_secure_accesses_count_fewer_counters);
    RUN(identification_registers);
    RUN(authentication_status);
    RUN(halves_make_the_register);
    RUN(event_identification_is_four_words);
    RUN(the_third_range_is_for_the_most_secure);
    RUN(pmcr_has_no_identity_here);
    RUN(software_increment_is_optional_and_goes_with_p9);
    RUN(further_filters_are_the_implementations);
    RUN(integration_mode);
    RUN(a_read_of_the_lower_half_takes_a_sample);
    RUN(a_sample_says_its_security_state);
    RUN(what_is_no_sample_is_unknown);
    RUN(the_software_lock_keeps_samples);
    RUN(sampling_can_be_suspended);
    RUN(sampling_can_follow_snapshots);
    RUN(without_snapshots_reads_take_samples);
    RUN(the_state_is_small);
    return tap_status;
}
