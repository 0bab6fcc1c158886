/* SPDX-License-Identifier: BSD-2-Clause */
/* What emulators build on: syndromes, registers of the PE by number, reasons in words, the version. */

#include <string.h>

#include <armpmu/model.h>
#include <armpmu/version.h>

#include "../../lib/tap.h"

#define A32_ONLY (APMU_FEAT(AA32EL0) | APMU_FEAT(AA32EL1) | APMU_FEAT(AA32EL2) | APMU_FEAT(AA32EL3) | APMU_FEAT(PMUv3))
#define BOTH (APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(AA32EL0) | APMU_FEAT(PMUv3))

static struct apmu p;
static struct apmu_pe pe;

static void unit(uint64_t features, unsigned el)
{
    const struct apmu_config cfg = {.size = sizeof cfg, .features = apmu_features_closure(features), .counters = 6};

    apmu_init(&p, &cfg);
    pe = (struct apmu_pe){.el = (uint8_t)el, .scr_el3 = APMU_MASK(SCR_EL3, NS), .mdcr_el2 = 6};
}

/* DDI 0487 M.a.a D24.2.45: EC 31:26, IL 25, ISS 24:0; of an MSR or MRS Rt is ISS 9:5. */
static void a_trap_of_mrs_has_rt(void)
{
    const struct apmu_transfer by = {.rt = 31, .rt2 = 7, .cond = 3, .write = true, .lower = true};

    unit(BOTH, 0);
    const struct apmu_access a = apmu_access(&p, &pe, APMU_REG_PMCCNTR_EL0, 0, false);
    MUST_EQ(apmu_access_esr(&a, &by), 0x62000000u | 3u << 20 | 3u << 14 | 9u << 10 | 31u << 5 | 13u << 1 | 1u,
            "MRS XZR, PMCCNTR_EL0");
}

/* ISS of MRC and MCR: CV 24, COND 23:20, Rt 9:5; of MRRC and MCRR also Rt2 14:10. */
static void a_trap_of_mrc_has_registers_and_condition(void)
{
    const struct apmu_transfer by = {.rt = 5, .rt2 = 18, .cond = 0};

    unit(BOTH, 0);
    pe.a32 = true;
    struct apmu_access a = apmu_access_a32(&p, &pe, APMU_REG32_PMCR, 0, true);
    MUST_EQ(apmu_access_esr(&a, &by), 0x0Eu << 24 | 1u << 24 | 9u << 10 | 5u << 5 | 12u << 1, "MCREQ PMCR");
    a = apmu_access_a32(&p, &pe, APMU_REG32_PMCCNTR64, 0, false);
    MUST_EQ(apmu_access_esr(&a, &by), 0x12u << 24 | 1u << 24 | 18u << 10 | 5u << 5 | 9u << 1 | 1u, "MRRCEQ PMCCNTR");
}

/* The HSR has four bits of Rt and Rt2; an UNDEFINED exception that HCR.TGE routes to Hyp mode has no syndrome. */
static void a_trap_to_hyp_mode_has_its_own_registers(void)
{
    const struct apmu_transfer by = {.rt = 30, .cond = 14};

    unit(A32_ONLY, 1);
    pe.a32 = true;
    pe.mdcr_el2 |= APMU_MASK(MDCR_EL2, TPM);
    struct apmu_access a = apmu_access_a32(&p, &pe, APMU_REG32_PMCR, 0, false);
    MUST(a.hyp && a.ec == 3, "a Hyp Trap exception: hyp %d, EC 0x%x", a.hyp, a.ec);
    MUST_EQ(apmu_access_esr(&a, &by), 0x0Eu << 24 | 0x1Eu << 20 | 9u << 10 | 14u << 5 | 12u << 1 | 1u, "MRC PMCR");
    pe.el = 0;
    pe.hcr_el2 = APMU_MASK(HCR_EL2, TGE);
    a = apmu_access_a32(&p, &pe, APMU_REG32_PMINTENSET, 0, false);
    MUST_EQ(apmu_access_esr(&a, &by), 0x02000000u, "MRC PMINTENSET at EL0, with TGE");
}

static void other_outcomes_have_theirs(void)
{
    const struct apmu_transfer load = {.rt = 3}, store = {.write = true, .lower = true};
    const struct apmu_access undefined = {.outcome = APMU_ACCESS_UNDEFINED}, error = {.outcome = APMU_ACCESS_ERROR};
    static const enum apmu_outcome none[] = {APMU_ACCESS_OK, APMU_ACCESS_RAZ, APMU_ACCESS_WI,
                                             APMU_ACCESS_UNPREDICTABLE};

    MUST_EQ(apmu_access_esr(&undefined, &load), 0x02000000u, "UNDEFINED: unknown reason");
    MUST_EQ(apmu_access_esr(&error, &load), 0x96000010u, "a load from the component at the same level");
    MUST_EQ(apmu_access_esr(&error, &store), 0x92000050u, "a store to it from a lower level");
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        const struct apmu_access a = {.outcome = none[i]};
        MUST_EQ(apmu_access_esr(&a, &load), 0, "no exception, outcome %d", (int)none[i]);
    }
}

/* Each word of struct apmu_pe is set by one register, and each such register sets another word. */
static void registers_of_the_pe_are_words(void)
{
    unsigned words = 0;

    for (unsigned r = 0; r < APMU_REG_ALL; r++) {
        struct apmu_pe one = {0};
        uint64_t value = 1;

        if (!apmu_pe_set(&one, (enum apmu_reg)r, UINT64_MAX)) {
            MUST(!apmu_pe_get(&one, (enum apmu_reg)r, &value) && value == 1, "register %u can be read only", r);
            continue;
        }
        words++;
        for (unsigned other = 0; other < APMU_REG_ALL; other++) {
            value = 1;
            if (apmu_pe_get(&one, (enum apmu_reg)other, &value)) {
                MUST_EQ(value, other == r ? UINT64_MAX : 0, "register %u after a write of %u", other, r);
            }
        }
    }
    MUST_EQ(words, 15, "registers that struct apmu_pe holds");
    pe = (struct apmu_pe){0};
    apmu_pe_set(&pe, APMU_REG_MDCR_EL3, 5);
    apmu_pe_set(&pe, APMU_REG_PMSCR_EL2, 7);
    MUST(pe.mdcr_el3 == 5 && pe.pmscr_el2 == 7, "MDCR_EL3 and PMSCR_EL2");
    MUST(!apmu_pe_set(&pe, APMU_REG_PMCR_EL0, 1) && !apmu_pe_set(&pe, APMU_REG_CurrentEL, 4), "no words of the PE");
}

static void reasons_become_words(void)
{
    static const char both[] = "the PE is in Debug state; MDCR_EL2.HPME is 0: R2 (n >= HPMN) is disabled";
    char text[128], cut[10];

    MUST_EQ(apmu_why_text(0, text, sizeof text), 9, "the length of the empty set");
    MUST(strcmp(text, "it counts") == 0, "the empty set: %s", text);
    MUST_EQ(apmu_why_text(APMU_WHY(HPME) | APMU_WHY(HALTED), text, sizeof text), sizeof both - 1, "length");
    MUST(strcmp(text, both) == 0, "two reasons: %s", text);
    MUST_EQ(apmu_why_text(APMU_WHY(HPME) | APMU_WHY(HALTED), cut, sizeof cut), sizeof both - 1, "length if cut");
    MUST(strcmp(cut, "the PE is") == 0, "cut: %s", cut);
    MUST_EQ(apmu_why_text(UINT64_C(1) << 63, text, sizeof text), 9, "a bit that is no reason");
    MUST_EQ(apmu_why_text(APMU_WHY(HALTED), NULL, 0), 24, "no room");
    cut[0] = 'x';
    apmu_why_text(0, cut, 1);
    MUST(cut[0] == '\0', "room for the zero only");
}

static void the_version_is_that_of_the_header(void)
{
    MUST(strcmp(apmu_version(), APMU_VERSION) == 0, "%s", apmu_version());
}

int main(void)
{
    RUN(a_trap_of_mrs_has_rt);
    RUN(a_trap_of_mrc_has_registers_and_condition);
    RUN(a_trap_to_hyp_mode_has_its_own_registers);
    RUN(other_outcomes_have_theirs);
    RUN(registers_of_the_pe_are_words);
    RUN(reasons_become_words);
    RUN(the_version_is_that_of_the_header);
    return tap_status;
}
