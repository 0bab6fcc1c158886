/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code: the DWT and the PMU of M-profile cores, and the PMU of the ARM11. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"

#define TRCENA (UINT64_C(1) << 24)

static size_t first_of(const struct code_case *k, enum code_act act, enum code_register reg)
{
    for (size_t i = 0; i < k->c->step_count; i++) {
        if (code_does(&k->c->steps[i], act, reg)) {
            return i;
        }
    }
    return SIZE_MAX;
}

static bool says_any(const struct code_case *k, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (code_says(k, words[i]) || (strlen(words[i]) > 4 && strcasestr(k->r->text.joined, words[i]) != NULL)) {
            return true;
        }
    }
    return false;
}

/* Returns true for cores without a cycle counter: ARMv6-M and Armv8-M Baseline. */
static bool is_baseline(const struct code_case *k)
{
    static const char *const words[] = {"Cortex-M0",  "Cortex-M0+", "M0+",     "M0plus",   "CM0",          "Cortex-M1",
                                        "Cortex-M23", "RP2040",     "STM32F0", "STM32G0",  "STM32L0",      "nRF51",
                                        "LPC11",      "SAMD21",     "SAMD20",  "core_cm0", "core_cm0plus", "core_cm23",
                                        "thumbv6m",   "Pico SDK",   "LPC8",    "KL25",     "M23"};
    const struct clue *core = reading_find(k->r, CLUE_words_m_core);

    if (core != NULL && core->line == 0) {
        return core->values[0] == 0; /* --core names it */
    }
    return says_any(k, words, sizeof words / sizeof words[0]) && !code_says(k, "RP2350") && !code_says(k, "M4") &&
           !code_says(k, "M7") && !code_says(k, "Cortex-M3");
}

/* Returns true for cores whose DWT has a software lock: the Cortex-M7. */
static bool has_lock(const struct code_case *k)
{
    static const char *const words[] = {"Cortex-M7", "STM32F7",   "STM32H7",  "CM7",    "M7",     "core_cm7", "i.MX RT",
                                        "iMXRT",     "RT1060",    "RT1050",   "RT1020", "RT1170", "SAME70",   "SAMV71",
                                        "STM32F746", "STM32H743", "Teensy 4", "MIMXRT", "imxrt",  "SAMS70"};
    const struct clue *core = reading_find(k->r, CLUE_words_m_core);

    if (core != NULL && core->values[0] != 7) {
        return false; /* the Cortex-M7 is named behind it, for comparison */
    }
    return says_any(k, words, sizeof words / sizeof words[0]);
}

static void add(struct code_case *k, enum why_cause_id cause, enum suspect_confidence sure, size_t at,
                const char *because, const char *cure, unsigned weight)
{
    code_suspect(k, cause, sure, at, because, cure)->weight = weight;
}

static void check_lock(struct code_case *k, size_t enable)
{
    const size_t dwt = first_of(k, CODE_WRITE, CODE_DWT_LAR);
    const size_t itm = first_of(k, CODE_WRITE, CODE_ITM_LAR), other = first_of(k, CODE_WRITE, CODE_OTHER_LAR);
    const size_t wrong = itm != SIZE_MAX ? itm : other;
    const char *cure = "unlock the DWT first: DWT->LAR = 0xC5ACCE55 (0xE0001FB0), after TRCENA and before DWT->CTRL";

    if (dwt == SIZE_MAX && wrong != SIZE_MAX && (k->c->steps[wrong].value.bits & UINT32_MAX) == CODE_LOCK_KEY) {
        add(k, WHY_m_profile_trcena_or_lock, SUSPECT_CERTAIN, wrong,
            "this opens the lock of the ITM or of another unit; the DWT's "
            "LAR is at 0xE0001FB0",
            cure, 75);
        add(k, WHY_wrong_encoding, SUSPECT_LIKELY, wrong, "the address of the DWT's LAR is 0xE0001FB0", cure, 60);
    } else if (dwt != SIZE_MAX && (k->c->steps[dwt].value.known & UINT32_MAX) == UINT32_MAX &&
               (k->c->steps[dwt].value.bits & UINT32_MAX) != CODE_LOCK_KEY) {
        add(k, WHY_m_profile_trcena_or_lock, SUSPECT_CERTAIN, dwt,
            "the key of the lock is 0xC5ACCE55; any other value closes it", cure, 75);
    } else if (dwt == SIZE_MAX && enable != SIZE_MAX && has_lock(k)) {
        add(k, WHY_m_profile_trcena_or_lock, SUSPECT_LIKELY, enable,
            "on the Cortex-M7 the DWT's software lock is closed after reset, "
            "and writes of DWT registers are ignored",
            cure, 70);
    } else if (dwt != SIZE_MAX && enable != SIZE_MAX && dwt > enable && has_lock(k)) {
        add(k, WHY_m_profile_trcena_or_lock, SUSPECT_CERTAIN, enable,
            "the DWT is unlocked only after this write, which is ignored", cure, 70);
    }
}

/* Returns true if values beside the code show that TRCENA is 1: something that is not shown sets it. */
static bool is_traced(const struct code_case *k)
{
    const struct reading_number *demcr = &k->r->extras[READING_DEMCR];

    return demcr->known && (demcr->value & TRCENA) != 0;
}

/* Checks TRCENA, the lock and CYCCNTENA. */
static void check_dwt(struct code_case *k)
{
    const struct code_cell *demcr = &k->last.demcr, *dwt = &k->last.dwt;
    const size_t enable = first_of(k, CODE_WRITE, CODE_DWT_CTRL), trace = first_of(k, CODE_WRITE, CODE_DEMCR);
    const size_t count = first_of(k, CODE_READ, CODE_DWT_CYCCNT), zero = first_of(k, CODE_WRITE, CODE_DWT_CYCCNT);
    const size_t at = enable != SIZE_MAX ? enable : zero != SIZE_MAX ? zero : count;
    const char *trcena =
        "set TRCENA, bit 24 of DEMCR (0xE000EDFC), first: CoreDebug->DEMCR |= CoreDebug_DEMCR_TRCENA_Msk";
    const char *enabling = "set CYCCNTENA, bit 0 of DWT_CTRL (0xE0001000): DWT->CTRL |= 1";

    if (at == SIZE_MAX && trace == SIZE_MAX) {
        return;
    }
    if (is_traced(k)) {
        /* nothing is wrong with DEMCR, whatever this part of the code does with it */
    } else if (trace == SIZE_MAX && enable != SIZE_MAX) {
        add(k, WHY_m_profile_trcena_or_lock, code_complains(k) ? SUSPECT_CERTAIN : SUSPECT_LIKELY, enable,
            "nothing sets TRCENA (bit 24 "
            "of DEMCR), and without it the DWT is off",
            trcena, 70);
    } else if (trace != SIZE_MAX && (demcr->value.known & TRCENA) != 0 && (demcr->value.bits & TRCENA) == 0) {
        add(k, WHY_m_profile_trcena_or_lock, SUSPECT_CERTAIN, demcr->step, "TRCENA, bit 24 of DEMCR, is 0", trcena, 72);
    } else if (trace != SIZE_MAX && demcr->value.read != 0 && !demcr->value.vague &&
               (demcr->value.bits & TRCENA) == 0) {
        add(k, WHY_m_profile_trcena_or_lock, SUSPECT_CERTAIN, demcr->step, "this does not set bit 24 of DEMCR, TRCENA",
            trcena, 72);
        add(k, WHY_wrong_bit_or_mask, SUSPECT_LIKELY, demcr->step, "TRCENA is bit 24", trcena, 60);
    } else if (trace != SIZE_MAX && enable != SIZE_MAX && trace > enable) {
        add(k, WHY_m_profile_trcena_or_lock, SUSPECT_CERTAIN, enable,
            "the DWT is set up before TRCENA: these writes are ignored", trcena, 70);
    }
    if (enable == SIZE_MAX && trace != SIZE_MAX && (count != SIZE_MAX || zero != SIZE_MAX)) {
        add(k, WHY_cyccnt_not_enabled, SUSPECT_CERTAIN, zero != SIZE_MAX ? zero : count,
            "nothing sets CYCCNTENA, bit 0 of DWT_CTRL", enabling, 68);
    } else if (enable != SIZE_MAX && (dwt->value.bits & 1) == 0 &&
               ((dwt->value.known & 1) != 0 || (dwt->value.read != 0 && !dwt->value.vague)) &&
               !code_function_says(k, k->c->steps[dwt->step].function, "stop")) {
        bool ever = false;

        for (size_t i = 0; i < k->c->step_count; i++) {
            ever |= code_does(&k->c->steps[i], CODE_WRITE, CODE_DWT_CTRL) && (k->c->steps[i].value.bits & 1) != 0;
        }
        if (!ever) {
            add(k, WHY_cyccnt_not_enabled, SUSPECT_CERTAIN, dwt->step, "CYCCNTENA, bit 0 of DWT_CTRL, is not set",
                enabling, 68);
        }
    }
    check_lock(k, enable);
}

/* Finds counters of Armv8.1-M that are read, or that have an event, and that no write to PMU_CNTENSET enables. */
static void check_counters(struct code_case *k, size_t cnten)
{
    const uint32_t used = k->read_counters | k->typed;
    char because[400], cure[400], name[16];

    if (cnten == SIZE_MAX || k->last.cnten.maybe != 0 || suspect_find(k->all, WHY_wrong_bit_or_mask) != NULL) {
        return;
    }
    for (unsigned n = 0; n < 32; n++) {
        if ((used >> n & 1) == 0 || (k->enabled >> n & 1) != 0) {
            continue;
        }
        snprintf(name, sizeof name, n == CODE_CYCLE ? "CCNTR" : "CNT%u", n);
        suspect_text(because, "bit %u of PMU_CNTENSET is never written as 1, so counter %s of the PMU is not enabled",
                     n, name);
        suspect_text(cure, "enable it, too: ARM_PMU_CNTR_Enable(PMU_CNTENSET_%s_ENABLE_Msk), bit %u of PMU_CNTENSET "
                           "(0xE0003C00)", name, n);
        add(k, WHY_counter_not_enabled, SUSPECT_CERTAIN, code_last_write(k, CODE_PMCNTENSET), because, cure, 66);
        return;
    }
}

/* Finds two counters of 16 bits that are joined, where the odd one does not count CHAIN. */
static void check_joined(struct code_case *k)
{
    for (unsigned n = 1; n < 31; n += 2) {
        const struct code_value *type = &k->last.types[n].value;

        if ((k->read_counters >> (n - 1) & 3) != 3 || strstr(k->r->text.joined, "<< 16") == NULL ||
            k->last.types[n - 1].line == 0 || (type->known & 0xFFFF) != (k->last.types[n].line != 0 ? 0xFFFF : 0) ||
            (type->bits & 0xFFFF) == 0x1E) {
            continue;
        }
        add(k, WHY_chain_not_programmed, SUSPECT_CERTAIN, k->last.types[n - 1].step,
            "event counters of Armv8.1-M have 16 bits; two are joined, and the odd one does not count CHAIN (0x1E)",
            "CHAIN in the odd counter, and both enabled: ARM_PMU_Set_EVTYPER(odd, ARM_PMU_CHAIN), "
            "ARM_PMU_CNTR_Enable() with both bits", 75);
        suspect_clear(k->all, WHY_counter_not_enabled);
        return;
    }
}

bool rules_has_m_pmu(uint64_t number)
{
    return number == 52 || number == 55 || number == 85;
}

/*
 * Returns true if the core of the code has no PMU at 0xE0003000: each one that is named lacks it, or one of several
 * does, and the access faults.
 */
static bool lacks_m_pmu(const struct code_case *k)
{
    const struct clue *core = reading_find(k->r, CLUE_words_m_core);
    bool lacks = (core != NULL && !rules_has_m_pmu(core->values[0])) || has_lock(k), has = false;

    for (const char *at = k->r->text.joined; (at = strcasestr(at, "cortex-m")) != NULL; at++) {
        const unsigned long number = strtoul(at + strlen("cortex-m"), NULL, 10);

        has |= rules_has_m_pmu(number);
        lacks |= isdigit((unsigned char)at[strlen("cortex-m")]) && !rules_has_m_pmu(number);
    }
    has |= core != NULL && rules_has_m_pmu(core->values[0]);
    return lacks && (!has || k->sees[READING_fault]);
}

/* Checks the PMU of Armv8.1-M, which needs TRCENA too. */
static void check_pmu(struct code_case *k)
{
    const size_t pmcr = first_of(k, CODE_WRITE, CODE_PMCR), cnten = first_of(k, CODE_WRITE, CODE_PMCNTENSET);
    const struct code_cell *c = &k->last.pmcr;
    const size_t at = pmcr != SIZE_MAX ? pmcr : cnten;

    if (at == SIZE_MAX) {
        return;
    }
    if (lacks_m_pmu(k)) {
        add(k, WHY_wrong_encoding, SUSPECT_CERTAIN, at,
            "0xE0003000 is the PMU of Armv8.1-M (Cortex-M52, M55, M85), and this core has none there",
            "use the DWT: DEMCR.TRCENA = 1, DWT_CTRL (0xE0001000) bit 0 = 1, and read DWT_CYCCNT (0xE0001004); a core "
            "of ARMv6-M has no CYCCNT either: SysTick", 80);
        return;
    }
    if (first_of(k, CODE_WRITE, CODE_DEMCR) == SIZE_MAX) {
        add(k, WHY_m_profile_trcena_or_lock, SUSPECT_LIKELY, at,
            "nothing sets TRCENA (bit 24 of DEMCR), which the PMU needs too",
            "CoreDebug->DEMCR |= CoreDebug_DEMCR_TRCENA_Msk (DCB->DEMCR on newer CMSIS) before ARM_PMU_Enable()", 65);
    }
    if (pmcr == SIZE_MAX || (!k->last.ever_e && (c->value.bits & 1) == 0)) {
        add(k, WHY_pmcr_e_clear, SUSPECT_LIKELY, at, "nothing sets E, bit 0 of PMU_CTRL",
            "ARM_PMU_Enable(), which sets PMU->CTRL bit 0", 64);
    }
    if (cnten == SIZE_MAX) {
        add(k, WHY_counter_not_enabled, SUSPECT_LIKELY, at, "nothing writes PMU_CNTENSET",
            "ARM_PMU_CNTR_Enable(mask of the counters)", 63);
    }
    check_counters(k, cnten);
    check_joined(k);
}

void rules_code_m(struct code_case *k)
{
    const size_t at = first_of(k, CODE_WRITE, CODE_DWT_CTRL), count = first_of(k, CODE_READ, CODE_DWT_CYCCNT);

    if (!k->m_profile) {
        return;
    }
    if (is_baseline(k) && (at != SIZE_MAX || count != SIZE_MAX)) {
        add(k, WHY_m_profile_no_cyccnt, SUSPECT_CERTAIN, count != SIZE_MAX ? count : at,
            "this core is ARMv6-M (or M23): its DWT has no "
            "CYCCNT",
            "no cycle counter is there: use SysTick (SysTick->VAL) or a timer", 90);
        suspect_clear(k->all, WHY_m_profile_trcena_or_lock);
        suspect_clear(k->all, WHY_cyccnt_not_enabled);
        return;
    }
    if (first_of(k, CODE_WRITE, CODE_PMCNTENSET) != SIZE_MAX || first_of(k, CODE_WRITE, CODE_PMCR) != SIZE_MAX) {
        check_pmu(k);
    } else {
        check_dwt(k);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * ARM11.
 */

void rules_code_arm11(struct code_case *k)
{
    const size_t write = code_last_write(k, CODE_A11_PMNC);
    bool counts = false, enabled = false, divided = false;

    if (!k->arm11 || suspect_find(k->all, WHY_wrong_encoding) != NULL) {
        return;
    }
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        counts |=
            s->act == CODE_READ && (s->reg == CODE_A11_CCNT || s->reg == CODE_A11_PMN0 || s->reg == CODE_A11_PMN1);
        if (code_does(s, CODE_WRITE, CODE_A11_PMNC)) {
            enabled |= (s->value.bits & 1) != 0 || (s->value.read == 0 && (s->value.known & 1) == 0);
            divided = (s->value.bits & 8) != 0;
        }
    }
    if (write != SIZE_MAX && !enabled) {
        add(k, WHY_pmcr_e_clear, SUSPECT_CERTAIN, write, "E, bit 0 of PMNC, is never set",
            "set E: MCR p15, 0, Rt, c15, c12, 0 with bit 0 "
            "of Rt = 1",
            70);
    }
    if (divided && !code_multiplies_by_64(k)) {
        add(k, WHY_divide_by_64, SUSPECT_CERTAIN, write, "D, bit 3 of PMNC, is 1: CCNT counts every 64th cycle",
            "write bit 3 of PMNC as 0: MCR p15, 0, Rt, c15, c12, 0", 65);
    }
    (void)counts;
}
