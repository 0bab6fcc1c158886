/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AArch32, beyond what the vectors cover: controls and syndromes; the bits that 32-bit accesses preserve; PEs without
 * AArch64; and the PMUs of ARMv7.
 */
#include <string.h>

#include "../../../lib/model/internal.h"
#include "../../lib/tap.h"

#define A32 (APMU_FEAT(AA32) | APMU_FEAT(AA32EL0) | APMU_FEAT(AA32EL1))
#define A32_ALL (A32 | APMU_FEAT(AA32EL2) | APMU_FEAT(AA32EL3))
#define A64_ALL (APMU_FEAT(AA64) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3))
#define FILL 0xA5A5A5A5A5A5A5A5u

static struct apmu p;
static struct apmu_pe pe;

static void unit_with(const struct apmu_config *cfg, unsigned el)
{
    const char *wrong = apmu_config_check(cfg);

    MUST(wrong == NULL, "%s", wrong);
    apmu_init(&p, cfg);
    pe = (struct apmu_pe){
        .el = (uint8_t)el,
        .a32 = true,
        .scr_el3 = APMU_MASK(SCR_EL3, NS) | APMU_MASK(SCR_EL3, FGTEn),
        .mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, cfg->counters),
    };
}

/* Makes a unit with six counters, in which UNKNOWN fields reset to 0. */
static void unit(uint64_t features, unsigned el)
{
    const struct apmu_config cfg = {.size = sizeof cfg, .features = apmu_features_closure(features), .counters = 6};

    unit_with(&cfg, el);
}

/* Makes a PE whose EL2 and EL3 use AArch64, and whose EL1 does if @el1_a64. */
static void below_aarch64(bool el1_a64, unsigned el)
{
    unit(A32 | A64_ALL | APMU_FEAT(PMUv3) | APMU_FEAT(FGT), el);
    pe.scr_el3 |= APMU_MASK(SCR_EL3, RW);
    pe.hcr_el2 = el1_a64 ? APMU_MASK(HCR_EL2, RW) : 0;
}

/*
 * Returns the result of an access as text: "ok", "undefined PMCR_EL0.N", "trap 2 3 MDCR_EL2.TPM" with EL and EC, or
 * "hyp 3 HDCR.TPM" with EC.
 */
static const char *said(enum apmu_reg32 reg, unsigned n, bool write)
{
    static const char *const words[] = {"ok", "raz", "wi", "undefined", "unpredictable", "trap"};
    static char text[96];
    const struct apmu_access a = apmu_access_a32(&p, &pe, reg, n, write);

    if (a.gate != APMU_GATE_ALWAYS) {
        snprintf(text, sizeof text, "%s %s", words[a.outcome], apmu_gate_text((enum apmu_gate)a.gate));
    } else if (a.outcome != APMU_ACCESS_TRAP) {
        snprintf(text, sizeof text, "%s%s%s", words[a.outcome], a.control[0] != '\0' ? " " : "", a.control);
    } else if (a.hyp) {
        snprintf(text, sizeof text, "hyp %u %s", a.ec, a.control);
    } else {
        snprintf(text, sizeof text, "trap %u %u %s", a.el, a.ec, a.control);
    }
    return text;
}

#define SAYS(reg, n, write, want) \
    MUST(strcmp(said(APMU_REG32_##reg, n, write), want) == 0, "%s %s: \"%s\", not \"%s\"", write ? "MCR" : "MRC", \
         #reg, said(APMU_REG32_##reg, n, write), want)
#define READS(reg, n, want) MUST_EQ(apmu_peek_a32(&p, &pe, APMU_REG32_##reg, n), want, "%s%u", #reg, n)
#define POKE(reg, n, value) apmu_poke_a32(&p, &pe, APMU_REG32_##reg, n, value, NULL)

enum { READ = false, WRITE = true };

static void el0_is_undefined_or_traps_by_what_el1_uses(void)
{
    below_aarch64(true, 0);
    SAYS(PMCCNTR, 0, READ, "trap 1 3 PMUSERENR_EL0.{CR, EN}");
    SAYS(PMCCNTR64, 0, READ, "trap 1 4 PMUSERENR_EL0.{CR, EN}");
    SAYS(PMINTENSET, 0, READ, "undefined EL0");
    pe.hcr_el2 |= APMU_MASK(HCR_EL2, TGE);
    SAYS(PMCCNTR, 0, WRITE, "trap 2 3 PMUSERENR_EL0.EN");
    below_aarch64(false, 0);
    SAYS(PMCCNTR, 0, READ, "undefined PMUSERENR.{CR, EN}");
    pe.hcr_el2 |= APMU_MASK(HCR_EL2, TGE);
    SAYS(PMCCNTR, 0, READ, "trap 2 3 PMUSERENR.{CR, EN}");
    unit(A32_ALL | APMU_FEAT(PMUv3), 0);
    pe.hcr_el2 = APMU_MASK(HCR_EL2, TGE);
    SAYS(PMCCNTR, 0, READ, "hyp 0 PMUSERENR.{CR, EN}");
    p.userenr = APMU_MASK(PMUSERENR_EL0, CR);
    SAYS(PMCCNTR, 0, READ, "ok");
    SAYS(PMCCNTR, 0, WRITE, "hyp 0 PMUSERENR.EN");
}

static void el2_traps_by_hstr_and_hdcr(void)
{
    unit(A32_ALL | APMU_FEAT(PMUv3), 1);
    SAYS(PMCR, 0, READ, "ok");
    pe.mdcr_el2 |= APMU_MASK(MDCR_EL2, TPMCR);
    SAYS(PMCR, 0, READ, "hyp 3 HDCR.TPMCR");
    SAYS(PMSELR, 0, READ, "ok");
    pe.mdcr_el2 |= APMU_MASK(MDCR_EL2, TPM);
    SAYS(PMCCNTR64, 0, WRITE, "hyp 4 HDCR.TPM");
    pe.hstr_el2 = APMU_MASK(HSTR_EL2, T9);
    SAYS(PMCCNTR64, 0, WRITE, "hyp 4 HSTR.T9");
    SAYS(PMEVCNTR, 2, READ, "hyp 3 HDCR.TPM"); /* it is in c14, which T9 does not trap */
    below_aarch64(false, 1);
    pe.hstr_el2 = APMU_MASK(HSTR_EL2, T9);
    SAYS(PMSELR, 0, READ, "trap 2 3 HSTR_EL2.T9");
    SAYS(PMCCFILTR, 0, READ, "ok");
    pe.mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 2);
    SAYS(PMEVCNTR, 2, READ, "trap 2 3 MDCR_EL2.HPMN");
    pe.mdcr_el2 |= APMU_MASK(MDCR_EL2, TPM);
    SAYS(PMCCFILTR, 0, READ, "trap 2 3 MDCR_EL2.TPM");
    MUST(!apmu_access_a32(&p, &pe, APMU_REG32_PMCR, 0, false).hyp, "an EL2 in AArch64 is not Hyp mode");
}

static void fine_grained_traps_are_for_el0_below_aarch64(void)
{
    below_aarch64(true, 0);
    p.userenr = APMU_MASK(PMUSERENR_EL0, EN);
    pe.hdfgrtr_el2 = ~UINT64_C(0);
    SAYS(PMOVSR, 0, READ, "trap 2 3 HDFGRTR_EL2.PMOVS");
    SAYS(PMOVSR, 0, WRITE, "ok");
    below_aarch64(false, 0);
    p.userenr = APMU_MASK(PMUSERENR_EL0, EN);
    pe.hdfgrtr_el2 = ~UINT64_C(0);
    SAYS(PMOVSR, 0, READ, "ok");
    pe.el = 1;
    SAYS(PMOVSR, 0, READ, "ok");
}

static void el3_traps_only_in_aarch64(void)
{
    below_aarch64(false, 1);
    pe.mdcr_el3 = APMU_MASK(MDCR_EL3, TPM);
    SAYS(PMMIR, 0, READ, "undefined FEAT_PMUv3p4");
    SAYS(PMCR, 0, READ, "trap 3 3 MDCR_EL3.TPM");
    pe.halted = pe.sdd = true;
    SAYS(PMCR, 0, READ, "undefined MDCR_EL3.TPM");
    unit(A32_ALL | APMU_FEAT(PMUv3), 1);
    pe.mdcr_el3 = APMU_MASK(MDCR_EL3, TPM);
    SAYS(PMCR, 0, READ, "ok");
}

/* Checks the ISS of EC 0x03 and 0x04: CV is 1, COND is 0b1110, and the other fields name the access. */
static void syndromes_name_the_access(void)
{
    below_aarch64(true, 0);
    struct apmu_access a = apmu_access_a32(&p, &pe, APMU_REG32_PMCNTENCLR, 0, false); /* p15, 0, Rt, c9, c12, 2 */
    MUST_EQ(a.iss, 1u << 24 | 14u << 20 | 2u << 17 | 9u << 10 | 12u << 1 | 1u, "MRC PMCNTENCLR");
    a = apmu_access_a32(&p, &pe, APMU_REG32_PMEVTYPER, 5, true); /* p15, 0, Rt, c14, c12, 5 */
    MUST_EQ(a.iss, 1u << 24 | 14u << 20 | 5u << 17 | 14u << 10 | 12u << 1, "MCR PMEVTYPER5");
    a = apmu_access_a32(&p, &pe, APMU_REG32_PMCCNTR64, 0, true); /* p15, 0, Rt, Rt2, c9 */
    MUST_EQ(a.iss, 1u << 24 | 14u << 20 | 9u << 1, "MCRR PMCCNTR");
    a = apmu_access_a32(&p, &pe, APMU_REG32_PMCCNTR64, 0, false);
    MUST_EQ(a.iss, 1u << 24 | 14u << 20 | 9u << 1 | 1u, "MRRC PMCCNTR");
}

static void there_is_no_such_access(void)
{
    unit(A32_ALL | APMU_FEAT(PMUv3), 1);
    SAYS(PMCEID0, 0, WRITE, "undefined no such register");
    SAYS(PMSWINC, 0, READ, "undefined no such register");
    SAYS(PMCR, 1, READ, "undefined no such register");
    SAYS(PMEVCNTR, 31, READ, "undefined no such register");
    MUST(strcmp(said(APMU_REG32_COUNT, 0, READ), "undefined no such register") == 0, "APMU_REG32_COUNT");
}

static void a_pe_without_aarch32_has_none(void)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg, .features = apmu_features_closure(A64_ALL | APMU_FEAT(PMUv3)), .counters = 6};

    unit_with(&cfg, 1);
    POKE(PMCR, 0, APMU_MASK(PMCR_EL0, E));
    MUST_EQ(p.pmcr & APMU_MASK(PMCR_EL0, E), 0, "MCR PMCR");
    p.pmcr |= APMU_MASK(PMCR_EL0, E);
    READS(PMCR, 0, 0);
    SAYS(PMCR, 0, READ, "undefined FEAT_AA32");
    MUST_EQ(apmu_peek_a32(&p, &pe, APMU_REG32_COUNT, 0), 0, "no register");
}

/* SCR_EL3.RW is RES1 where EL1 cannot use AArch32. */
static void el1_uses_what_it_can(void)
{
    unit(APMU_FEAT(AA32) | APMU_FEAT(AA32EL0) | APMU_FEAT(AA64) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) |
         APMU_FEAT(AA64EL3) | APMU_FEAT(PMUv3), 0);
    SAYS(PMCCNTR, 0, READ, "trap 1 3 PMUSERENR_EL0.{CR, EN}");
    unit(A32 | APMU_FEAT(AA64) | APMU_FEAT(AA64EL2) | APMU_FEAT(PMUv3p9) | APMU_FEAT(FGT2), 0);
    p.userenr = APMU_MASK(PMUSERENR_EL0, EN) | APMU_MASK(PMUSERENR_EL0, UEN);
    SAYS(PMCCNTR, 0, READ, "ok"); /* UEN applies to EL0 below an EL1 that uses AArch64 */
}

/* An EL3 that is implemented in both Execution states uses AArch64. */
static void el3_that_can_do_both(void)
{
    unit(A32_ALL | A64_ALL | APMU_FEAT(PMUv3), 1);
    SAYS(PMCR, 0, READ, "ok");
    pe.mdcr_el3 = APMU_MASK(MDCR_EL3, TPM);
    SAYS(PMCR, 0, READ, "trap 3 3 MDCR_EL3.TPM");
}

/* HCR_EL2.{E2H, TGE} make EL2 a host only if EL2 uses AArch64. */
static void hyp_mode_is_no_host(void)
{
    unit(A32 | APMU_FEAT(AA32EL2) | A64_ALL | APMU_FEAT(PMUv3) | APMU_FEAT(VHE) | APMU_FEAT(E2H0), 0);
    p.userenr = APMU_MASK(PMUSERENR_EL0, EN);
    pe.hstr_el2 = APMU_MASK(HSTR_EL2, T9);
    pe.hcr_el2 = APMU_MASK(HCR_EL2, E2H) | APMU_MASK(HCR_EL2, TGE);
    SAYS(PMCR, 0, READ, "hyp 3 HSTR.T9");
    pe.scr_el3 |= APMU_MASK(SCR_EL3, RW);
    SAYS(PMCR, 0, READ, "ok");
}

static void uen_ends_where_aarch32_begins(void)
{
    unit(A32 | A64_ALL | APMU_FEAT(PMUv3p9), 0);
    pe.scr_el3 |= APMU_MASK(SCR_EL3, RW);
    pe.hcr_el2 = APMU_MASK(HCR_EL2, RW);
    p.userenr = APMU_MASK(PMUSERENR_EL0, UEN) | APMU_MASK(PMUSERENR_EL0, CR);
    p.uacr = UINT64_C(1) << APMU_CYCLE;
    SAYS(PMCCNTR, 0, READ, "ok");
    SAYS(PMCCNTR, 0, WRITE, "wi PMUSERENR_EL0.CR");
    p.uacr = 0;
    SAYS(PMCCNTR64, 0, READ, "raz PMUACR_EL1");
    pe.hcr_el2 = 0; /* EL1 uses AArch32: UEN grants nothing, but in the pseudocode PMUACR_EL1 still refuses */
    SAYS(PMCCNTR, 0, WRITE, "undefined PMUSERENR.EN");
    SAYS(PMCCNTR, 0, READ, "raz PMUACR_EL1");
    const struct apmu_config no_el2 = {
        .size = sizeof no_el2,
        .features = apmu_features_closure(A32 | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL3) | APMU_FEAT(PMUv3p9) |
                                          APMU_FEAT(FGT2)),
        .counters = 6,
    };
    unit_with(&no_el2, 0);
    p.userenr = APMU_MASK(PMUSERENR_EL0, UEN) | APMU_MASK(PMUSERENR_EL0, CR);
    SAYS(PMCCNTR, 0, READ, "ok");
}

static void writes_keep_the_other_half(void)
{
    unit(A32 | A64_ALL | APMU_FEAT(PMUv3p5), 1);
    p.cntr[3] = p.cntr[APMU_CYCLE] = 0x0FFFFFFFFFFFFFFFu;
    p.typer[3] = 0x0FFFFFFF00000000u | APMU_MASK(PMEVTYPER_EL0, M);
    apmu_settle(&p);
    POKE(PMEVCNTR, 3, 0x123456789u);
    MUST_EQ(p.cntr[3], 0x0FFFFFFF23456789u, "PMEVCNTR3");
    POKE(PMCCNTR, 0, 5);
    MUST_EQ(p.cntr[APMU_CYCLE], 0x0FFFFFFF00000005u, "PMCCNTR");
    POKE(PMCCNTR64, 0, 0x900000007u);
    MUST_EQ(p.cntr[APMU_CYCLE], 0x900000007u, "PMCCNTR by MCRR");
    READS(PMCCNTR, 0, 7);
    READS(PMCCNTR64, 0, 0x900000007u);
    POKE(PMEVTYPER, 3, 0x11);
    MUST_EQ(p.typer[3] >> 32, 0x0FFFFFFFu, "PMEVTYPER3");
    READS(PMEVTYPER, 3, 0x11);
    MUST(APMU_GET(PMEVTYPER_EL0, M, p.typer[3]) == 1, "AArch32 cannot clear M");
}

static void halves_of_pmceid(void)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = apmu_features_closure(A32 | APMU_FEAT(PMUv3p1)),
        .counters = 6,
        .pmceid = {0x1111111122222323u, 0x33333333E444445Cu},
    };
    unit_with(&cfg, 1);
    READS(PMCEID0, 0, 0x22222323u);
    READS(PMCEID1, 0, 0xE444445Cu);
    READS(PMCEID2, 0, 0x11111111u);
    READS(PMCEID3, 0, 0x33333333u);
    unit(A32 | APMU_FEAT(PMUv3), 1);
    SAYS(PMCEID2, 0, READ, "undefined FEAT_PMUv3p1");
}

/*
 * J1.2: without AArch64, event counters have 32 bits and there is no LP, even with FEAT_PMUv3p5.  a32_long_counters
 * provides both.
 */
static void counters_without_aarch64(void)
{
    for (unsigned chosen = 0; chosen < 2; chosen++) {
        const struct apmu_config cfg = {
            .size = sizeof cfg,
            .features = apmu_features_closure(A32 | APMU_FEAT(PMUv3p5)),
            .counters = 2,
            .a32_long_counters = chosen != 0,
        };
        struct apmu_out out;
        unit_with(&cfg, 1);
        POKE(PMCR, 0, APMU_MASK(PMCR_EL0, E) | APMU_MASK(PMCR_EL0, LP));
        READS(PMCR, 0, 2u << 11 | 1u | (chosen != 0 ? APMU_MASK(PMCR_EL0, LP) : 0));
        POKE(PMEVTYPER, 0, 0x24);
        POKE(PMEVCNTR, 0, 0xFFFFFFFF);
        POKE(PMCNTENSET, 0, 1);
        MUST(apmu_until(&p, &pe, 0x24, 1) == (chosen != 0 ? UINT64_MAX - 0xFFFFFFFF : 0), "events without overflow");
        apmu_event(&p, &pe, 0x24, 2, 1, &out);
        MUST_EQ(out.overflowed, chosen == 0, "overflow, choice %u", chosen);
        READS(PMEVCNTR, 0, 1);
        MUST_EQ(p.cntr[0] >> 32, chosen, "the upper half, choice %u", chosen);
    }
}

static void armv7(uint64_t features, const uint64_t *pmceid, unsigned el)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = apmu_features_closure(A32 | features),
        .counters = 4,
        .imp = 0x41,
        .idcode = 0x0F,
        .pmceid = {pmceid[0], pmceid[1]},
        .unknown_fill = FILL,
    };
    unit_with(&cfg, el);
}

static const uint64_t no_events[2], some_events[2] = {0x3FFF0F3F, 0};

static void armv7_has_no_direct_registers(void)
{
    armv7(APMU_FEAT(PMUv2) | APMU_FEAT(AA32EL2), no_events, 1);
    SAYS(PMEVCNTR, 0, READ, "undefined FEAT_PMUv3");
    SAYS(PMEVTYPER, 0, WRITE, "undefined FEAT_PMUv3");
    SAYS(PMCCFILTR, 0, READ, "undefined FEAT_PMUv3");
    SAYS(PMCCNTR64, 0, READ, "undefined FEAT_PMUv3");
    SAYS(PMMIR, 0, READ, "undefined FEAT_PMUv3p4");
    SAYS(PMCEID2, 0, READ, "undefined FEAT_PMUv3p1");
    SAYS(PMCEID0, 0, READ, "ok");
    SAYS(PMOVSSET, 0, WRITE, "ok");
    SAYS(PMOVSR, 0, WRITE, "ok");
    armv7(APMU_FEAT(PMUv2), no_events, 1);
    SAYS(PMOVSSET, 0, WRITE, "undefined FEAT_PMUv3, or PMUv2 with EL2");
    POKE(PMOVSSET, 0, 1);
    MUST_EQ(p.ovs & 1, FILL & 1, "a register that is not there");
    armv7(APMU_FEAT(PMUv1), no_events, 1);
    SAYS(PMCEID0, 0, READ, "undefined FEAT_PMUv3, PMUv2, or PMUv1 with PMCEID");
    armv7(APMU_FEAT(PMUv1), some_events, 1);
    SAYS(PMCEID0, 0, READ, "ok");
    READS(PMCEID0, 0, 0x3FFF0F3F);
    const struct apmu_access a = apmu_access(&p, &pe, APMU_REG_PMCR_EL0, 0, false);
    MUST(a.outcome == APMU_ACCESS_UNDEFINED, "MRS PMCR_EL0");
}

static void armv7_fields(void)
{
    armv7(APMU_FEAT(PMUv2) | APMU_FEAT(AA32EL2) | APMU_FEAT(AA32EL3), no_events, 1);
    READS(PMCR, 0, 0x410F2000u); /* IMP, IDCODE, N; without AArch64, all writable bits reset to 0; no LC */
    POKE(PMCR, 0, 0xFFFFFFF0u);
    READS(PMCR, 0, 0x410F2020u);
    POKE(PMUSERENR, 0, 0xFF);
    READS(PMUSERENR, 0, 1);
    POKE(PMSELR, 0, 2);
    POKE(PMXEVTYPER, 0, 0xFFFFFFFFu);
    READS(PMXEVTYPER, 0, 0xF80000FFu);
    POKE(PMSELR, 0, 31);
    POKE(PMXEVTYPER, 0, 0xFFFFFFFFu);
    READS(PMXEVTYPER, 0, 0xF8000000u);
    SAYS(PMXEVTYPER, 0, WRITE, "ok");
    SAYS(PMXEVCNTR, 0, WRITE, "unpredictable PMCR_EL0.N");
    armv7(APMU_FEAT(PMUv1) | APMU_FEAT(AA32EL3), no_events, 1);
    POKE(PMSELR, 0, 2);
    POKE(PMXEVTYPER, 0, 0xFFFFFFFFu);
    READS(PMXEVTYPER, 0, 0xFF);
    POKE(PMSELR, 0, 31);
    POKE(PMXEVTYPER, 0, 0xFFFFFFFFu);
    READS(PMXEVTYPER, 0, 0);
    SAYS(PMXEVTYPER, 0, WRITE, "unpredictable PMCR_EL0.N");
    MUST_EQ(p.typer[APMU_CYCLE], 0, "PMUv1 has no PMCCFILTR");
}

static void armv7_admits_el0_by_en_alone(void)
{
    armv7(APMU_FEAT(PMUv2), no_events, 0);
    POKE(PMUSERENR, 0, ~APMU_MASK(PMUSERENR_EL0, EN));
    SAYS(PMCCNTR, 0, READ, "undefined PMUSERENR.{CR, EN}");
    SAYS(PMUSERENR, 0, READ, "ok");
    POKE(PMUSERENR, 0, APMU_MASK(PMUSERENR_EL0, EN));
    SAYS(PMCCNTR, 0, WRITE, "ok");
    SAYS(PMINTENSET, 0, READ, "undefined EL0");
}

/* ARMv7 has 32-bit counters, 8-bit event numbers, and no CHAIN. */
static void armv7_counts(void)
{
    struct apmu_out out;

    armv7(APMU_FEAT(PMUv1), no_events, 1);
    POKE(PMCNTENCLR, 0, ~UINT64_C(0));
    POKE(PMOVSR, 0, ~UINT64_C(0));
    POKE(PMCR, 0, 0x7);
    POKE(PMSELR, 0, 0);
    POKE(PMXEVTYPER, 0, 0x124);
    POKE(PMXEVCNTR, 0, 0xFFFFFFFF);
    POKE(PMSELR, 0, 1);
    POKE(PMXEVTYPER, 0, APMU_EV_CHAIN);
    POKE(PMXEVCNTR, 0, 0);
    POKE(PMCCNTR, 0, 0xFFFFFFFE);
    POKE(PMCNTENSET, 0, 0x80000003u);
    apmu_event(&p, &pe, 0x24, 3, 1, &out);
    MUST_EQ(out.overflowed, 1, "counter 0 overflows");
    POKE(PMSELR, 0, 0);
    READS(PMXEVCNTR, 0, 2);
    POKE(PMSELR, 0, 1);
    READS(PMXEVCNTR, 0, 0);
    MUST_EQ(apmu_until(&p, &pe, APMU_EV_CPU_CYCLES, 1), 1, "cycles until the overflow");
    apmu_cycles(&p, &pe, 5, &out);
    MUST_EQ(out.overflowed, UINT64_C(1) << APMU_CYCLE, "the cycle counter overflows");
    READS(PMCCNTR, 0, 3);
    MUST_EQ(p.cntr[APMU_CYCLE], 3, "PMCCNTR has 32 bits");
    READS(PMOVSR, 0, 0x80000001u);
}

/* Event numbers have 8 bits in ARMv7, 10 in PMUv3 and 16 from FEAT_PMUv3p1 on.  Higher bits of the type are ignored. */
static void event_numbers_have_their_width(void)
{
    static const struct {
        uint64_t features;
        uint16_t event;
    } of[] = {{APMU_FEAT(PMUv2), 0x25}, {APMU_FEAT(PMUv3), 0x125}, {APMU_FEAT(PMUv3p1), 0x8125}};

    for (unsigned i = 0; i < 3; i++) {
        unit(A32 | of[i].features, 1);
        p.pmcr = APMU_MASK(PMCR_EL0, E);
        p.cnten = 1;
        p.typer[0] = 0x8125;
        apmu_settle(&p);
        for (unsigned k = 0; k < 3; k++) {
            const struct apmu_occurrence one = {of[k].event, 1};
            p.cntr[0] = 0;
            apmu_step(&p, &pe, 1, &one, 1, NULL);
            MUST_EQ(p.cntr[0], i == k, "event 0x%x, of type 0x8125, by a step", of[k].event);
            p.cntr[0] = 0;
            apmu_event(&p, &pe, of[k].event, 1, 1, NULL);
            MUST_EQ(p.cntr[0], i == k, "event 0x%x, of type 0x8125, in a batch", of[k].event);
        }
    }
}

static void one_aarch64_level_is_enough(void)
{
    for (unsigned el = 1; el <= 3; el++) {
        unit(A32 | APMU_FEAT(PMUv3) | APMU_FEAT(AA64EL0) << el, el);
        pe.scr_el3 |= APMU_MASK(SCR_EL3, RW);
        pe.hcr_el2 = APMU_MASK(HCR_EL2, RW);
        MUST(!apmu_el_is_a32(&p, &pe, el), "EL%u uses AArch64", el);
    }
}

/* ARMv7 has no SDCR: counting in Secure state is allowed by the authentication interface or by SDER. */
static void armv7_in_secure_state(void)
{
    armv7(APMU_FEAT(PMUv2) | APMU_FEAT(AA32EL3), no_events, 3);
    POKE(PMCR, 0, 1);
    POKE(PMSELR, 0, 0);
    POKE(PMXEVTYPER, 0, 0);
    POKE(PMCNTENSET, 0, 1);
    pe.mdcr_el3 = APMU_MASK(MDCR_EL3, SPME);
    MUST_EQ(apmu_why(&p, &pe, 0), APMU_WHY(SPME), "Secure PL1");
    pe.niden = pe.spniden = true;
    MUST(apmu_counts(&p, &pe, 0), "SPNIDEN");
    pe.niden = pe.spniden = false;
    pe.el = 0;
    pe.scr_el3 = 0;
    MUST_EQ(apmu_why(&p, &pe, 0), APMU_WHY(SPME), "Secure PL0");
    pe.sder32_el3 = APMU_MASK(SDER32_EL3, SUNIDEN);
    MUST(apmu_counts(&p, &pe, 0), "SUNIDEN");
}

int main(void)
{
    RUN(el0_is_undefined_or_traps_by_what_el1_uses);
    RUN(el2_traps_by_hstr_and_hdcr);
    RUN(fine_grained_traps_are_for_el0_below_aarch64);
    RUN(el3_traps_only_in_aarch64);
    RUN(syndromes_name_the_access);
    RUN(there_is_no_such_access);
    RUN(a_pe_without_aarch32_has_none);
    RUN(el1_uses_what_it_can);
    RUN(el3_that_can_do_both);
    RUN(hyp_mode_is_no_host);
    RUN(uen_ends_where_aarch32_begins);
    RUN(writes_keep_the_other_half);
    RUN(halves_of_pmceid);
    RUN(counters_without_aarch64);
    RUN(armv7_has_no_direct_registers);
    RUN(armv7_fields);
    RUN(armv7_admits_el0_by_en_alone);
    RUN(armv7_counts);
    RUN(event_numbers_have_their_width);
    RUN(one_aarch64_level_is_enough);
    RUN(armv7_in_secure_state);
    return tap_status;
}
