/* SPDX-License-Identifier: BSD-2-Clause */
/* apmu_access(), beyond what the vectors cover: the control that decides, the syndrome, and all cases at EL0. */

#include <string.h>

#include <armpmu/model.h>

#include "../../lib/tap.h"

#define EL1_ONLY (APMU_FEAT(AA64) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(PMUv3))
#define ALL_ELS (EL1_ONLY | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3))

static struct apmu p;
static struct apmu_pe pe;

static void unit(uint64_t features, unsigned el)
{
    const struct apmu_config cfg = {.size = sizeof cfg, .features = apmu_features_closure(features), .counters = 6};

    apmu_init(&p, &cfg);
    pe = (struct apmu_pe){
        .el = (uint8_t)el,
        .scr_el3 = APMU_MASK(SCR_EL3, NS) | APMU_MASK(SCR_EL3, RW) | APMU_MASK(SCR_EL3, FGTEn) |
                   APMU_MASK(SCR_EL3, FGTEn2),
        .hcr_el2 = APMU_MASK(HCR_EL2, RW),
        .mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 6),
        .mdcr_el3 = APMU_MASK(MDCR_EL3, EnPM2) | APMU_MASK(MDCR_EL3, EnPMSS),
        .hdfgrtr2_el2 = ~UINT64_C(0),
        .hdfgwtr2_el2 = ~UINT64_C(0),
    };
}

/* Returns the result of an access as text: "ok", "undefined PMCR_EL0.N", "trap 2 MDCR_EL2.TPM" ... */
static const char *said(enum apmu_reg reg, unsigned n, bool write)
{
    static const char *const words[] = {"ok", "raz", "wi", "undefined", "unpredictable", "trap"};
    static char text[96];
    const struct apmu_access a = apmu_access(&p, &pe, reg, n, write);
    int used = snprintf(text, sizeof text, "%s", words[a.outcome]);

    if (a.outcome == APMU_ACCESS_TRAP) {
        used += snprintf(text + used, sizeof text - (size_t)used, " %u", a.el);
    }
    if (a.gate != APMU_GATE_ALWAYS) {
        snprintf(text + used, sizeof text - (size_t)used, " %s", apmu_gate_text((enum apmu_gate)a.gate));
    } else if (a.control[0] != '\0') {
        snprintf(text + used, sizeof text - (size_t)used, " %s", a.control);
    }
    return text;
}

#define SAYS(reg, n, write, want) \
    MUST(strcmp(said(APMU_REG_##reg, n, write), want) == 0, "%s %s: \"%s\", not \"%s\"", write ? "MSR" : "MRS", #reg, \
         said(APMU_REG_##reg, n, write), want)

enum { READ = false, WRITE = true };

static void el0_is_kept_out_by_pmuserenr(void)
{
    unit(EL1_ONLY, 0);
    SAYS(PMCCNTR_EL0, 0, READ, "trap 1 PMUSERENR_EL0.{CR, EN}");
    SAYS(PMCCNTR_EL0, 0, WRITE, "trap 1 PMUSERENR_EL0.EN");
    SAYS(PMEVCNTR_EL0, 5, READ, "trap 1 PMUSERENR_EL0.{ER, EN}");
    SAYS(PMSWINC_EL0, 0, WRITE, "trap 1 PMUSERENR_EL0.{SW, EN}");
    SAYS(PMCR_EL0, 0, READ, "trap 1 PMUSERENR_EL0.EN");
    SAYS(PMUSERENR_EL0, 0, READ, "ok");
    SAYS(PMUSERENR_EL0, 0, WRITE, "undefined EL0");
    SAYS(PMINTENSET_EL1, 0, READ, "undefined EL0");
    SAYS(PMEVCNTR_EL0, 6, READ, "unpredictable PMCR_EL0.N");
}

static void el0_is_let_in_bit_by_bit(void)
{
    unit(EL1_ONLY, 0);
    p.userenr = APMU_MASK(PMUSERENR_EL0, CR);
    SAYS(PMCCNTR_EL0, 0, READ, "ok");
    SAYS(PMCCNTR_EL0, 0, WRITE, "trap 1 PMUSERENR_EL0.EN");
    SAYS(PMEVCNTR_EL0, 0, READ, "trap 1 PMUSERENR_EL0.{ER, EN}");
    p.userenr = APMU_MASK(PMUSERENR_EL0, ER);
    SAYS(PMEVCNTR_EL0, 0, READ, "ok");
    SAYS(PMXEVCNTR_EL0, 0, READ, "ok");
    SAYS(PMSELR_EL0, 0, WRITE, "ok");
    SAYS(PMEVTYPER_EL0, 0, READ, "trap 1 PMUSERENR_EL0.EN");
    p.userenr = APMU_MASK(PMUSERENR_EL0, SW);
    SAYS(PMSWINC_EL0, 0, WRITE, "ok");
    SAYS(PMSWINC_EL0, 0, READ, "undefined no such register");
    p.userenr = APMU_MASK(PMUSERENR_EL0, EN);
    SAYS(PMCR_EL0, 0, WRITE, "ok");
    SAYS(PMEVTYPER_EL0, 3, WRITE, "ok");
    SAYS(PMCEID0_EL0, 0, READ, "ok");
    SAYS(PMCEID0_EL0, 0, WRITE, "undefined no such register");
}

static void el0_with_uen_is_limited_by_pmuacr(void)
{
    unit(EL1_ONLY | APMU_FEAT(PMUv3_ICNTR), 0);
    p.userenr = APMU_MASK(PMUSERENR_EL0, UEN);
    p.uacr = 1;
    SAYS(PMEVCNTR_EL0, 0, WRITE, "ok");
    SAYS(PMEVCNTR_EL0, 1, READ, "raz PMUACR_EL1");
    SAYS(PMEVCNTR_EL0, 1, WRITE, "wi PMUACR_EL1");
    SAYS(PMCCNTR_EL0, 0, READ, "raz PMUACR_EL1");
    SAYS(PMICNTR_EL0, 0, READ, "raz PMUACR_EL1");
    SAYS(PMCR_EL0, 0, READ, "trap 1 PMUSERENR_EL0.UEN");
    p.uacr = ~UINT64_C(0);
    p.userenr |= APMU_MASK(PMUSERENR_EL0, ER) | APMU_MASK(PMUSERENR_EL0, CR) | APMU_MASK(PMUSERENR_EL0, IR);
    SAYS(PMEVCNTR_EL0, 1, READ, "ok");
    SAYS(PMEVCNTR_EL0, 1, WRITE, "wi PMUSERENR_EL0.ER");
    SAYS(PMCCNTR_EL0, 0, WRITE, "wi PMUSERENR_EL0.CR");
    SAYS(PMICNTR_EL0, 0, WRITE, "wi PMUSERENR_EL0.IR");
    p.userenr |= APMU_MASK(PMUSERENR_EL0, TID);
    SAYS(PMCEID1_EL0, 0, READ, "trap 1 PMUSERENR_EL0.TID");
    p.userenr = APMU_MASK(PMUSERENR_EL0, EN);
    SAYS(PMICNTR_EL0, 0, READ, "trap 1 PMUSERENR_EL0.UEN");
}

static void the_highest_control_that_traps_is_named(void)
{
    unit(ALL_ELS | APMU_FEAT(FGT), 1);
    SAYS(PMOVSCLR_EL0, 0, READ, "ok");
    pe.mdcr_el3 |= APMU_MASK(MDCR_EL3, TPM);
    SAYS(PMOVSCLR_EL0, 0, READ, "trap 3 MDCR_EL3.TPM");
    pe.mdcr_el2 |= APMU_MASK(MDCR_EL2, TPM);
    SAYS(PMOVSCLR_EL0, 0, READ, "trap 2 MDCR_EL2.TPM");
    pe.hdfgrtr_el2 = APMU_MASK(HDFGRTR_EL2, PMOVS);
    SAYS(PMOVSCLR_EL0, 0, READ, "trap 2 HDFGRTR_EL2.PMOVS");
    SAYS(PMOVSCLR_EL0, 0, WRITE, "trap 2 MDCR_EL2.TPM");
    pe.el = 2;
    SAYS(PMOVSCLR_EL0, 0, READ, "trap 3 MDCR_EL3.TPM");
    pe.el = 3;
    SAYS(PMOVSCLR_EL0, 0, READ, "ok");
    pe.el = 0;
    pe.hcr_el2 |= APMU_MASK(HCR_EL2, TGE);
    SAYS(PMOVSCLR_EL0, 0, READ, "trap 2 PMUSERENR_EL0.EN");
}

static void counters_of_el2_trap_or_are_unpredictable(void)
{
    unit(ALL_ELS, 1);
    pe.mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 4);
    SAYS(PMEVCNTR_EL0, 3, READ, "ok");
    SAYS(PMEVCNTR_EL0, 4, READ, "unpredictable MDCR_EL2.HPMN");
    p.selr = 31;
    SAYS(PMXEVTYPER_EL0, 0, READ, "ok");
    SAYS(PMXEVCNTR_EL0, 0, READ, "unpredictable PMCR_EL0.N");
    unit(ALL_ELS | APMU_FEAT(FGT), 1);
    pe.mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 4);
    SAYS(PMEVTYPER_EL0, 4, WRITE, "trap 2 MDCR_EL2.HPMN");
    SAYS(PMEVTYPER_EL0, 6, WRITE, "undefined PMCR_EL0.N");
}

static void what_is_not_implemented_is_undefined(void)
{
    unit(EL1_ONLY, 1);
    SAYS(PMMIR_EL1, 0, READ, "undefined FEAT_PMUv3p4");
    SAYS(PMZR_EL0, 0, WRITE, "undefined FEAT_PMUv3p9");
    SAYS(PMICNTSVR_EL1, 0, READ, "undefined FEAT_PMUv3_ICNTR and FEAT_PMUv3_SS");
    SAYS(PMCR_EL0, 1, READ, "undefined no such register");
    SAYS(MDCR_EL2, 0, READ, "undefined no such register");
    MUST(strcmp(said(APMU_REG_COUNT, 0, READ), "undefined no such register") == 0, "the first external register");
    MUST(strcmp(said(APMU_REG_ALL, 0, READ), "undefined no such register") == 0, "no register at all");
}

/* An emulator that asks apmu_reg_is_borrowed() first gives the PMU no access that it does not know. */
static void a_register_of_the_pe_is_no_register_of_the_pmu(void)
{
    unsigned borrowed = 0;

    unit(ALL_ELS, 3);
    for (uint32_t key = 0; key <= UINT16_MAX; key++) {
        enum apmu_reg reg;
        unsigned n;
        if (apmu_reg_by_a64((uint16_t)key, &reg, &n)) {
            const struct apmu_access a = apmu_access(&p, &pe, reg, n, !apmu_reg_info(reg)->readable);
            borrowed += apmu_reg_is_borrowed(reg);
            MUST((strcmp(a.control, "no such register") == 0) == apmu_reg_is_borrowed(reg), "%s is %s",
                 apmu_reg_info(reg)->name, a.control);
        }
    }
    MUST(borrowed > 20, "%u registers of the PE", borrowed);
}

static void debug_state_turns_traps_to_el3_into_undefined(void)
{
    unit(ALL_ELS, 1);
    pe.mdcr_el3 |= APMU_MASK(MDCR_EL3, TPM);
    pe.mdcr_el2 |= APMU_MASK(MDCR_EL2, TPM);
    pe.halted = true;
    SAYS(PMCR_EL0, 0, READ, "trap 2 MDCR_EL2.TPM");
    pe.sdd = true;
    SAYS(PMCR_EL0, 0, READ, "trap 2 MDCR_EL2.TPM");
    p.cfg.sdd_undef_priority = true;
    SAYS(PMCR_EL0, 0, READ, "undefined MDCR_EL3.TPM");
    p.cfg.sdd_undef_priority = false;
    pe.mdcr_el2 &= ~APMU_MASK(MDCR_EL2, TPM);
    SAYS(PMCR_EL0, 0, READ, "undefined MDCR_EL3.TPM");
}

/* ESR_ELx for MRS and MSR: EC 0x18, ISS 21:20 op0, 19:17 op2, 16:14 op1, 13:10 CRn, 4:1 CRm, 0 direction. */
static void a_trap_carries_its_syndrome(void)
{
    unit(EL1_ONLY, 0);
    struct apmu_access a = apmu_access(&p, &pe, APMU_REG_PMCCNTR_EL0, 0, READ); /* 3, 3, c9, c13, 0 */
    MUST_EQ(a.ec, 0x18, "EC");
    MUST_EQ(a.iss, 3u << 20 | 0u << 17 | 3u << 14 | 9u << 10 | 13u << 1 | 1u, "ISS of MRS PMCCNTR_EL0");
    a = apmu_access(&p, &pe, APMU_REG_PMEVTYPER_EL0, 3, WRITE); /* 3, 3, c14, c12, 3 */
    MUST_EQ(a.iss, 3u << 20 | 3u << 17 | 3u << 14 | 14u << 10 | 12u << 1, "ISS of MSR PMEVTYPER3_EL0");
}

int main(void)
{
    RUN(el0_is_kept_out_by_pmuserenr);
    RUN(el0_is_let_in_bit_by_bit);
    RUN(el0_with_uen_is_limited_by_pmuacr);
    RUN(the_highest_control_that_traps_is_named);
    RUN(counters_of_el2_trap_or_are_unpredictable);
    RUN(what_is_not_implemented_is_undefined);
    RUN(a_register_of_the_pe_is_no_register_of_the_pmu);
    RUN(debug_state_turns_traps_to_el3_into_undefined);
    RUN(a_trap_carries_its_syndrome);
    return tap_status;
}
