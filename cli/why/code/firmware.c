/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code: MDCR_EL2 and MDCR_EL3 as hypervisors and firmware write them. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "code.h"

/* Returns true if the bits @mask are known to be @value in @cell. */
static bool is(const struct code_cell *cell, uint64_t mask, uint64_t value)
{
    return cell->line != 0 && (cell->value.known & mask) == mask && (cell->value.bits & mask) == value;
}

/* Returns the registers at the last read of a counter, or behind all where none is read: MDCR_EL<x> may be restored. */
static const struct code_state *counting(const struct code_case *k)
{
    for (size_t i = k->c->step_count; i-- > 0;) {
        const struct code_state *st = &k->states[i];

        if (k->c->steps[i].act == CODE_READ && code_is_count(k->c->steps[i].reg) &&
            (st->mdcr2.line != 0 || st->mdcr3.line != 0)) {
            return st;
        }
    }
    return &k->last;
}

static bool concerns_guest(const struct code_case *k)
{
    static const char *const words[] = {"guest", "EL1", "Linux", "kernel", "VM", "OS"};

    return code_says_any(k, words, sizeof words / sizeof words[0]) || k->sees[READING_fault];
}

/*
 * Returns true if a function that writes MDCR_EL2 sets counter @n up to count at EL2, NSH = 1: it runs at EL2 or above,
 * and means a counter of its own.
 */
static bool is_own_counter(const struct code_case *k, unsigned n)
{
    const struct code_cell *type = &k->last.types[n];

    return is(type, UINT64_C(1) << 27, UINT64_C(1) << 27) && k->last.mdcr2.line != 0 &&
           k->c->steps[type->step].function == k->c->steps[k->last.mdcr2.step].function;
}

static void check_hpmn(struct code_case *k)
{
    const struct code_cell *mdcr = &k->last.mdcr2;
    char because[400], cure[400];
    const char *all = "set HPMN (bits 4:0 of MDCR_EL2) to the number of counters: MDCR_EL2.HPMN = PMCR_EL0.N";

    if (is(mdcr, 0x40, 0x40) && k->used == 0) {
        return; /* TPM traps the accesses before HPMN matters */
    }
    if (is(mdcr, 31, 0) && !code_says(k, "HPMN0") && !code_says(k, "FEAT_HPMN0")) {
        suspect_text(because,
                     "HPMN (bits 4:0 of MDCR_EL2) is 0, which is reserved without FEAT_HPMN0: event counters may be "
                     "left to EL2");
        code_suspect(k, WHY_hpmn_zero_reserved, code_complains(k) ? SUSPECT_CERTAIN : SUSPECT_LIKELY, mdcr->step,
                     because, all)
            ->weight = 60;
        return;
    }
    if ((mdcr->value.known & 31) != 31 || mdcr->line == 0) {
        return;
    }
    if ((code_mentioned(k) & 0x7FFFFFFF) >> (mdcr->value.bits & 31) != 0 && k->read_counters == 0 &&
        k->sees[READING_fault]) {
        suspect_text(because, "HPMN is %u: counters from %u on belong to EL2, and EL1 cannot reach them",
                     (unsigned)(mdcr->value.bits & 31), (unsigned)(mdcr->value.bits & 31));
        suspect_text(cure, "use a counter below %u in the guest, or %s", (unsigned)(mdcr->value.bits & 31), all);
        code_suspect(k, WHY_counter_owned_by_el2, SUSPECT_CERTAIN, mdcr->step, because, cure)->weight = 62;
        return;
    }
    if (k->used == 0 && concerns_guest(k) && (code_says(k, "counters") || code_says(k, "counter"))) {
        suspect_text(because, "HPMN is %u: EL1 and EL0 have counters 0 to %u only", (unsigned)(mdcr->value.bits & 31),
                     (unsigned)(mdcr->value.bits & 31) - 1);
        if (mdcr->value.bits < 6 && (k->complains || code_says(k, "cannot") || code_says(k, "only"))) {
            code_suspect(k, WHY_counters_kept_back, SUSPECT_LIKELY, mdcr->step, because, all)->weight = 55;
            code_suspect(k, WHY_counter_owned_by_el2, SUSPECT_LIKELY, mdcr->step, because, all)->weight = 54;
        }
        return;
    }
    for (unsigned n = (unsigned)(mdcr->value.bits & 31); n < 31; n++) {
        if (((k->read_counters | k->typed) >> n & 1) != 0 && k->el < 2 && !is_own_counter(k, n)) {
            suspect_text(because, "HPMN is %u, so counter %u belongs to EL2, and EL1 cannot reach it",
                         (unsigned)(mdcr->value.bits & 31), n);
            suspect_text(cure, "use a counter below %u, or %s", (unsigned)(mdcr->value.bits & 31), all);
            code_suspect(k, WHY_counter_owned_by_el2, SUSPECT_CERTAIN, mdcr->step, because, cure)->weight = 62;
            return;
        }
    }
}

/* Returns true if the number of the counter that step @i accesses was made from PMCR, as N - 1 is. */
static bool is_counted_from_n(const struct code_case *k, size_t i)
{
    const struct code_value *number = &k->states[i].selr.value;

    return k->c->steps[i].reg == CODE_PMXEVTYPER && (number->known & 31) != 31 && number->read != 0 &&
           k->c->steps[number->read - 1].reg == CODE_PMCR;
}

/*
 * Finds a hypervisor that keeps counters for itself: HPMN is written, an event of a counter behind it has NSH, and
 * MDCR_EL2 keeps the HPME that it had, which is 0 or UNKNOWN after reset.
 */
static void check_hpme(struct code_case *k)
{
    const struct code_cell *mdcr = &k->last.mdcr2;
    const uint64_t hpme = UINT64_C(1) << 7, nsh = UINT64_C(1) << 27;
    const bool constant = (mdcr->value.known & 31) == 31;

    if (k->el != 2 || !k->el_known || mdcr->line == 0 || (mdcr->value.kept & 31) != 0 ||
        !((mdcr->value.kept & hpme) != 0 || is(mdcr, hpme, 0)) || (constant && (mdcr->value.bits & 31) == 0)) {
        return;
    }
    for (size_t i = 0; i < k->c->step_count; i++) { /* a write that may set HPME */
        const struct code_value *v = &k->c->steps[i].value;

        if (code_does(&k->c->steps[i], CODE_WRITE, CODE_MDCR_EL2) && (v->kept & hpme) == 0 &&
            ((v->known & hpme) == 0 || (v->bits & hpme) != 0)) {
            return;
        }
    }
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];
        const int n = code_counter_of(k, i);

        if (s->act == CODE_WRITE && (s->reg == CODE_PMEVTYPER || s->reg == CODE_PMXEVTYPER) &&
            (s->value.known & s->value.bits & nsh) != 0 &&
            (constant ? n >= (int)(mdcr->value.bits & 31) && n < 31 : is_counted_from_n(k, i))) {
            code_suspect(k, WHY_hpme_clear, SUSPECT_LIKELY, mdcr->step,
                         "HPMN leaves counters to EL2, which count with HPME = 1 only, and nothing sets HPME (bit 7)",
                         "set HPME, bit 7 of MDCR_EL2, in this write: value | (1 << 7)")
                ->weight = 61;
            return;
        }
    }
}

/* HCCD stops the cycle counter at EL2, from FEAT_PMUv3p5 on; HPMD the event counters, from FEAT_PMUv3p1 on. */
static void check_el2_cycles(struct code_case *k)
{
    const struct code_cell *mdcr = &counting(k)->mdcr2;

    /* The counters may be set up in a part that is not shown. */
    const bool events = (k->used & 0x7FFFFFFF) != 0 ||
                        (k->used == 0 && (k->sees[READING_zero] || k->sees[READING_stuck]));

    const bool own = is(mdcr, 0x80, 0x80) && (mdcr->value.known & 31) != 31; /* HPME, and HPMN is N - 1 */

    if (k->el == 2 && events && !own && is(mdcr, UINT64_C(1) << 17, UINT64_C(1) << 17)) {
        code_suspect(k, WHY_el2_forbids_counting, SUSPECT_LIKELY, mdcr->step,
                     "HPMD (bit 17 of MDCR_EL2) keeps the event counters of EL1 from counting at EL2",
                     "write HPMD, bit 17 of MDCR_EL2, as 0")
            ->weight = 61;
    }

    if (k->el == 2 && (k->used >> CODE_CYCLE & 1) != 0 && is(mdcr, UINT64_C(1) << 23, UINT64_C(1) << 23)) {
        code_suspect(k, WHY_el2_forbids_counting, SUSPECT_LIKELY, mdcr->step,
                     "HCCD (bit 23 of MDCR_EL2) stops the cycle counter at EL2", "write HCCD, bit 23 of MDCR_EL2, as 0")
            ->weight = 61;
    }
}

/* Returns true if the writer sees a trap: a fault, or a syndrome. */
static bool traps_seen(const struct code_case *k)
{
    return k->sees[READING_fault] || reading_find(k->r, CLUE_exception_syndrome) != NULL || code_says(k, "traps to") ||
           code_says(k, "EL2 vector") || code_says(k, "trapped");
}

/* Finds HSTR_EL2.T9, which traps each CP15 access of CRn 9 of a guest in AArch32 state: those of the PMU. */
static void check_coprocessor_trap(struct code_case *k)
{
    for (size_t i = 0; i < k->r->text.count && i < 2000 && traps_seen(k); i++) {
        const char *text = k->r->text.lines[i].text, *at = strcasestr(text, "hstr_el2");
        unsigned long value = 0;

        for (const char *p = text; at != NULL && (p = strpbrk(p, "0123456789")) != NULL; p += strcspn(p, " ,;)")) {
            value |= p > text && (p[-1] == 'x' || p[-1] == 'L' || p[-1] == '_') ? 0 : strtoul(p, NULL, 0);
        }
        if (at != NULL && ((value & 0x200) != 0 || strstr(text, "<< 9") != NULL || strstr(text, "BIT(9)") != NULL)) {
            suspect_add(k->all, WHY_el2_traps_pmu, SUSPECT_CERTAIN, k->r->text.lines[i].number,
                        "T9 (bit 9 of HSTR_EL2) traps MRC and MCR of c9 by EL1 and EL0 to EL2, which the PMU has",
                        "write T9, bit 9 of HSTR_EL2, as 0, or emulate the accesses of c9")
                ->weight = 66;
            return;
        }
    }
}

/* Returns true if the traps of guests are what the writer of a hypervisor wants, and he counts for EL2 itself. */
static bool wants_trap(const struct code_case *k)
{
    static const char *const words[] = {"guests get no", "guest gets no", "trap guests", "trap the guest", "trap guest",
                                        "traps guests", "no PMU for guests", "hide the PMU", "hidden from guests",
                                        "keep guests out", "guests have no", "keeps guests out", "guests must not"};
    static const char *const faults[] = {"undefined", "undef", "dies", "die", "crash", "crashes", "illegal", "oops",
                                         "SIGILL", "panics", "panic", "exception", "0x18", "unhandled", "injects",
                                         "why"};

    return code_says_any(k, words, sizeof words / sizeof words[0]) &&
           !code_says_any(k, faults, sizeof faults / sizeof faults[0]);
}

/* Takes the trap that is wanted, and the PMU that the guests do not have, for no complaint. */
static void accept_trap(struct code_case *k)
{
    bool others = k->r->said != NULL;

    for (unsigned i = 0; i < READING_good; i++) {
        others |= k->sees[i] && i != READING_fault && i != READING_absent;
    }
    k->complains = k->complains && others;
    suspect_clear(k->all, WHY_el3_traps_pmu);
    suspect_clear(k->all, WHY_hypervisor_gives_no_pmu);
    suspect_clear(k->all, WHY_el2_traps_pmu);
    suspect_clear(k->all, WHY_guest_cleared_pmuserenr);
}

static void check_traps(struct code_case *k)
{
    const struct code_cell *el2 = &k->last.mdcr2, *el3 = &k->last.mdcr3;
    const bool tpm = is(el2, 0x40, 0x40), tpmcr = is(el2, 0x20, 0x20);

    if ((tpm || tpmcr) && k->el == 2 && k->used != 0 && wants_trap(k)) {
        accept_trap(k);
    } else if ((tpm || tpmcr) && (concerns_guest(k) || k->el < 2) && (code_complains(k) || traps_seen(k))) {
        code_suspect(k, WHY_el2_traps_pmu, SUSPECT_LIKELY, el2->step,
                     tpm ? "TPM (bit 6 of MDCR_EL2) traps each PMU access of EL1 and "
                           "EL0 to EL2"
                         : "TPMCR (bit 5 of MDCR_EL2) traps PMCR accesses of EL1 and EL0 to EL2",
                     "write TPM (bit 6) and TPMCR (bit 5) of MDCR_EL2 as 0, or emulate the accesses")
            ->weight = traps_seen(k) ? 64 : 60;
    }
    if (is(el3, 0x40, 0x40)) {
        code_suspect(k, WHY_el3_traps_pmu,
                     code_complains(k) || k->last.pmcr.line != 0 ? SUSPECT_CERTAIN : SUSPECT_LIKELY, el3->step,
                     "TPM (bit 6 of MDCR_EL3) traps each PMU access below EL3 to EL3",
                     "write TPM, bit 6 of MDCR_EL3, as 0")
            ->weight = 60;
    }
}

/* Checks what firmware leaves for counting in Secure state and at EL3. */
static void check_secure(struct code_case *k)
{
    static const char *const words[] = {
        "S-EL1",        "secure payload", "secure partition", "OP-TEE", "trusted", "BL32", "TEE", "EL3", "BL31", "TA",
        "secure world", "secure"};
    const struct code_cell *mdcr = &counting(k)->mdcr3;
    const bool wants = code_says_any(k, words, sizeof words / sizeof words[0]) &&
                       (code_complains(k) || k->reads || k->set_up || code_mentioned(k) != 0);
    static const char *const cycles[] = {"cycle", "cycles", "PMCCNTR", "PMCCNTR_EL0", "cycle counter"};
    const bool cycle = code_says_any(k, cycles, sizeof cycles / sizeof cycles[0]) || (k->used >> CODE_CYCLE & 1) != 0;

    if (mdcr->line == 0 || !wants || k->sees[READING_fault] ||
        suspect_find(k->all, WHY_secure_events_prohibited) != NULL ||
        suspect_find(k->all, WHY_cycle_counter_stops_secure) != NULL) {
        return;
    }
    if (cycle && is(mdcr, UINT64_C(1) << 23, UINT64_C(1) << 23)) {
        code_suspect(k, WHY_cycle_counter_stops_secure, SUSPECT_CERTAIN, mdcr->step,
                     "SCCD (bit 23 of MDCR_EL3) stops the cycle counter "
                     "in Secure state",
                     "write SCCD, bit 23 of MDCR_EL3, as 0 (MDCR_SCCD_BIT)")
            ->weight = 65;
    } else if (cycle && is(mdcr, UINT64_C(1) << 34, UINT64_C(1) << 34) && k->el == 3) {
        code_suspect(k, WHY_cycle_counter_stops_secure, SUSPECT_CERTAIN, mdcr->step,
                     "MCCD (bit 34 of MDCR_EL3) stops the cycle counter "
                     "at EL3",
                     "write MCCD, bit 34 of MDCR_EL3, as 0")
            ->weight = 65;
    }
    if (is(mdcr, UINT64_C(1) << 17, 0) &&
        (!cycle || (k->used & 0x7FFFFFFF) != 0 || code_says(k, "event") || code_says(k, "instructions"))) {
        code_suspect(k, WHY_secure_events_prohibited, SUSPECT_CERTAIN, mdcr->step,
                     "SPME (bit 17 of MDCR_EL3) is 0: events are not "
                     "counted in Secure state",
                     "set SPME, bit 17 of MDCR_EL3 (MDCR_SPME_BIT)")
            ->weight = 65;
    }
}

/* Returns true if a comment states that SPME of MDCR_EL3 is 0: "SPME = 0", "SPME clear", "SPME is 0". */
static bool states_spme_clear(const struct code_case *k)
{
    static const char *const words[] = {"SPME = 0", "SPME=0", "SPME is 0", "SPME clear", "SPME is clear", "SPME at 0",
                                        "SPME 0", "SPME as 0", "SPME cleared", "SPME stays 0", "SPME remains 0",
                                        "clears SPME", "SPME not set", "SPME is not set", "without SPME"};

    return code_says_any(k, words, sizeof words / sizeof words[0]);
}

/*
 * Finds a cycle counter that stops by PMCR.DP, in Secure state, where comments name DP and SPME, or the code sets DP
 * and a comment states that SPME is 0: the firmware that writes it is seldom in the same file.
 */
static void check_prohibited_cycles(struct code_case *k)
{
    const size_t at = code_last_write(k, CODE_PMCR);
    const bool secure = reading_value(&k->r->machine.secure, 0) == 1 || code_says(k, "S-EL1") ||
                        reading_value(&k->r->machine.place, READING_PLACE_UNKNOWN) == READING_PLACE_SECURE;

    const bool seen = (k->sees[READING_zero] || k->sees[READING_stuck]) && code_says(k, "SPME") && code_says(k, "DP");
    const bool stated = (k->secure || secure) && states_spme_clear(k) && is(&k->last.pmcr, 0x20, 0x20);

    if (at == SIZE_MAX || !((secure && seen) || stated) || (k->used >> CODE_CYCLE & 1) == 0) {
        return;
    }
    code_suspect(k, WHY_cycle_counter_stops_secure, SUSPECT_LIKELY, at,
                 stated ? "with PMCR.DP (bit 5) = 1 the cycle counter stops where counting is prohibited, and SPME = 0 "
                          "prohibits it in Secure state; this write sets DP"
                        : "with PMCR.DP = 1 the cycle counter stops where counting is prohibited, and SPME = 0 "
                          "prohibits it in Secure state; this write keeps DP",
                 "write DP, bit 5 of PMCR, as 0; or firmware sets SPME, bit 17 of MDCR_EL3")
        ->weight = 70;
}

void rules_code_firmware(struct code_case *k)
{
    if (k->user || k->m_profile || k->arm11) {
        return;
    }
    check_hpmn(k);
    check_hpme(k);
    check_el2_cycles(k);
    check_traps(k);
    check_coprocessor_trap(k);
    check_secure(k);
    check_prohibited_cycles(k);
}
