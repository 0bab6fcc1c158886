/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains instructions that were UNDEFINED. */
#define _GNU_SOURCE
#include <string.h>

#include "exception.h"

/* Returns the number of event counters that the code can reach, 255 if it is not known. */
static unsigned counters_of(const struct exception_view *v, bool *by_pmcr)
{
    const struct apmu_core_info *core = v->r->machine.core;
    uint64_t n, imp;

    *by_pmcr = false;
    for (size_t k = 0; k < v->r->state_count; k++) {
        const struct state *s = &v->r->states[k];

        if (STATE_FIELD(s, PMCR_EL0, 0, N, &n) && (n != 0 || (STATE_FIELD(s, PMCR_EL0, 0, IMP, &imp) && imp != 0))) {
            *by_pmcr = true;
            return (unsigned)n;
        }
    }
    return core == NULL ? 255 : core->counters;
}

/* Returns true if the instruction reads a register that can only be written, or the other way round. */
static bool is_wrong_way(const struct exception_view *v)
{
    const bool write_only = strncmp(v->name, "PMSWINC", 7) == 0 || strncmp(v->name, "PMZR", 4) == 0;
    const bool read_only = strncmp(v->name, "PMCEID", 6) == 0 || strncmp(v->name, "PMMIR", 5) == 0;

    return v->i.read ? write_only : read_only;
}

/* Explains an encoding that is not one of this PMU.  Returns false if it is one. */
static bool explain_encoding(struct exception_view *v)
{
    const bool known = v->pmu != READING_PMU_UNKNOWN;

    const bool c15 = v->kind == INSTRUCTION_OTHER && v->i.a32 && v->i.coproc == 15 &&
                     (v->i.key & ~7u) == APMU_A32_KEY(0, 15, 12, 0);

    if ((v->kind == INSTRUCTION_ARM11 || c15) && v->pmu != READING_PMU_ARM11 && v->pmu != READING_PMU_M) {
        exception_say(v, WHY_wrong_encoding, known ? SUSPECT_CERTAIN : SUSPECT_LIKELY, 90,
            "c15, c12 is the PMU of ARM11; ARMv7 and later have theirs at c9",
            "PMCR is MRC p15, 0, <Rt>, c9, c12, 0; PMCNTENSET c9, c12, 1; PMCCNTR MRC p15, 0, <Rt>, c9, c13, 0");
    } else if (v->pmu == READING_PMU_ARM11 && v->kind == INSTRUCTION_PMU && v->i.a32 && exception_is_pmu(v)) {
        exception_say(v, WHY_wrong_encoding, SUSPECT_CERTAIN, 90, "ARM11 has its PMU at c15, c12, not at c9",
            "PMNC is MRC p15, 0, <Rt>, c15, c12, 0; CCNT MRC p15, 0, <Rt>, c15, c12, 1");
    } else if (v->pmu == READING_PMU_M) {
        exception_say(v, WHY_wrong_encoding, SUSPECT_CERTAIN, 90,
            "an M-profile core has no System register instructions for a PMU",
            "use DWT->CYCCNT (0xE0001004) after DEMCR.TRCENA = 1 and DWT->CTRL |= 1");
    } else if (v->pmu == READING_PMU_V7 && v->kind == INSTRUCTION_PMU && v->i.a32 && v->i.pair) {
        exception_say(v, WHY_wrong_encoding, v->r->machine.core != NULL ? SUSPECT_CERTAIN : SUSPECT_LIKELY, 90,
            "PMCCNTR of 64 bits came with PMUv3 (Armv8); an ARMv7 core has the one of 32 bits only",
            "read 32 bits: MRC p15, 0, <Rt>, c9, c13, 0, and add 2^32 for each overflow");
    } else if (is_wrong_way(v)) {
        exception_say(v, WHY_wrong_encoding, SUSPECT_CERTAIN, 90,
            v->i.read ? "the register can only be written" : "the register can only be read",
            v->i.a32 ? "PMCR is p15, 0, <Rt>, c9, c12, 0; PMCCNTR p15, 0, <Rt>, c9, c13, 0"
                     : "PMCR_EL0 is S3_3_C9_C12_0, PMCCNTR_EL0 S3_3_C9_C13_0");
    } else if (v->kind == INSTRUCTION_OTHER && v->i.a32 && v->i.coproc == 15 && (v->i.key >> 7 & 15) == 9) {
        exception_say(v, WHY_wrong_encoding, SUSPECT_LIKELY, 88, "no PMU register has these operands",
            "PMCCNTR is p15, 0, <Rt>, c9, c13, 0; PMCR p15, 0, <Rt>, c9, c12, 0; PMUSERENR p15, 0, <Rt>, c9, c14, 0");
    } else if (v->kind == INSTRUCTION_OTHER && !v->i.a32 && v->i.key >> 14 == 3) {
        exception_say(v, WHY_wrong_encoding, SUSPECT_LIKELY, 85, "no PMU register has this encoding",
            "PMCCNTR_EL0 is S3_3_C9_C13_0, PMCR_EL0 S3_3_C9_C12_0; armpmu decode NAME prints others");
    } else {
        return false;
    }
    return true;
}

/* Explains a counter that is beyond N.  Returns false if it is not. */
static bool explain_counter(struct exception_view *v)
{
    bool by_pmcr;
    const unsigned n = counters_of(v, &by_pmcr);
    const struct apmu_core_info *core = v->r->machine.core;
    char cure[400], because[400];

    if (!exception_is_bank(v) || n == 255 || v->place.n < n) {
        return false;
    }
    suspect_text(cure, n != 0 ? "use counters 0 to %d: PMCR.N is %u" : "none is there: PMCR.N is 0", (int)n - 1, n);
    suspect_text(because, "counter %u is not below N, which is %u", v->place.n, n);
    if (by_pmcr && core != NULL && core->counters != 255 && v->place.n < core->counters) {
        exception_say(v, WHY_counter_owned_by_el2, SUSPECT_LIKELY, 88, because, cure);
    } else {
        exception_say(v, WHY_counter_does_not_exist, by_pmcr ? SUSPECT_CERTAIN : SUSPECT_LIKELY, 88, because, cure);
    }
    return true;
}

/* Explains an undefined PMU instruction above EL0. */
static void explain_privileged(struct exception_view *v)
{
    const bool guest = reading_value(&v->r->machine.guest, 0) == 1 || v->r->machine.hypervisor.value > 1;

    if (explain_counter(v)) {
        return;
    }
    if (v->pmu == READING_PMU_APPLE) {
        exception_say(v, WHY_apple_not_pmuv3, SUSPECT_LIKELY, 90, "Apple's cores lack PMUv3's registers",
            EXCEPTION_APPLE);
    } else if (exception_is_newer(v)) {
        const bool firmware = reading_find(v->r, CLUE_words_el3) != NULL ||
                              reading_find(v->r, CLUE_words_newer) != NULL ||
                              strcasestr(v->r->text.joined, "tf-a") != NULL ||
                              strcasestr(v->r->text.joined, "firmware") != NULL;

        exception_say(v, WHY_el3_traps_newer_registers, SUSPECT_LIKELY, firmware ? 75 : 60,
            "firmware that knows no MDCR_EL3.EnPM2 traps the newer registers",
            "newer firmware (TF-A), which sets MDCR_EL3.EnPM2 (bit 7)");
        exception_say(v, WHY_wrong_encoding, SUSPECT_LIKELY, 70,
            "this PMU lacks the register, which is of a later version",
            "read ID_AA64DFR0_EL1.PMUVer and ID_AA64DFR1_EL1; use the counters of the older PMU");
    } else {
        exception_say(v, WHY_hypervisor_gives_no_pmu, guest ? SUSPECT_LIKELY : SUSPECT_POSSIBLE, 70,
            "a hypervisor without a vPMU makes it UNDEFINED", "give the guest a vPMU: QEMU -cpu host,pmu=on");
        exception_say(v, WHY_el2_traps_pmu, SUSPECT_POSSIBLE, 40,
            "EL2 may trap it and inject an undefined instruction", NULL);
    }
}

void exception_explain_undefined(struct exception_view *v)
{
    if (v->level == 0 && v->pmu == READING_PMU_ARM11 && v->kind == INSTRUCTION_ARM11) {
        exception_say(v, WHY_arm11_v_bit_clear, SUSPECT_LIKELY, 85, "User mode may not read it while the V bit is 0",
            "in a privileged mode: MCR p15, 0, <1>, c15, c9, 0 sets the V bit");
    } else if (!explain_encoding(v) && exception_is_pmu(v)) {
        if (v->level == 0 || (v->level == EXCEPTION_NO_LEVEL && v->signal == 4)) {
            exception_explain_el0(v, SUSPECT_LIKELY);
        } else if (v->level != EXCEPTION_NO_LEVEL) {
            explain_privileged(v);
        } else if (!explain_counter(v)) {
            suspect_ask(v->all, 70,
                "the Exception level of the code (SPSR, CPSR or PSTATE of the exception, or CurrentEL), and "
                                    "whether a hypervisor runs: %s was refused", v->spelled);
        }
    }
}
