/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code: fields that change what is counted, and what right code cannot show. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "code.h"

/* Finds a freeze on overflow whose flags nobody clears. */
static void check_freeze(struct code_case *k)
{
    const struct code_cell *pmcr = &k->last.pmcr, *mdcr = &k->last.mdcr2;
    const bool fzo = (pmcr->value.bits & pmcr->value.known & 0x200) != 0;
    const bool hpmfzo = (mdcr->value.bits & mdcr->value.known & (UINT64_C(1) << 29)) != 0;
    char cure[400], text[160];

    if ((!fzo && !hpmfzo) || code_last_write(k, CODE_PMOVSCLR) != SIZE_MAX) {
        return;
    }
    suspect_text(cure, "write %s as 0, or clear the overflow flags: %s",
                 fzo ? "FZO, bit 9 of PMCR," : "HPMFZO, bit 29 of MDCR_EL2,",
                 code_write_text(k, CODE_PMOVSCLR, 0, "0xFFFFFFFF", text));
    code_suspect(k, WHY_frozen_on_overflow, code_complains(k) ? SUSPECT_CERTAIN : SUSPECT_LIKELY,
                 fzo ? pmcr->step : mdcr->step,
                 "the counters freeze when one overflows (FZO), and nothing clears the flags", cure)
        ->weight = 55;
}

bool code_wants_user_alone(const struct code_case *k)
{
    static const char *const words[] = {
        "not of the kernel", "not the kernel",  "without the kernel",   "user space only",    "userspace only",
        "only user",         "only the user",   "user mode only",       "user code only",     "application only",
        "EL0 only",          "only EL0",        "leave the kernel out", "exclude the kernel", "exclude EL1",
        "user space alone",  "userspace alone", "user mode alone",      "user code alone",    "EL0 alone",
        "just user",         "no kernel",       "programs only",        "programs alone",     "user-space only",
        "only of user",      "only in user",    "process alone",        "process only",       "task alone",
        "task only",         "program alone",   "program only",         "application alone"};

    return code_says_any(k, words, sizeof words / sizeof words[0]);
}

/* Finds U where P was meant: the programs are left out, and the kernel is counted. */
static void check_sides(struct code_case *k, unsigned n, enum code_register reg)
{
    const struct code_cell *type = &k->last.types[n];
    char because[400], cure[400], name[32], text[160], value[32];

    if ((type->value.bits & type->value.known & UINT64_C(3) << 30) != UINT64_C(1) << 30 || !code_wants_user_alone(k)) {
        return;
    }
    code_name_text(k, reg, n, name);
    snprintf(value, sizeof value, "0x%llx",
             (unsigned long long)((type->value.bits & ~(UINT64_C(1) << 30)) | UINT64_C(1) << 31));
    suspect_text(because, "bit 30 of %s is U, which excludes EL0: the kernel alone is counted", name);
    suspect_text(cure, "to exclude EL1, write P, bit 31, and leave U 0: %s", code_write_text(k, reg, n, value, text));
    code_suspect(k, WHY_filter_p_or_u_set, SUSPECT_CERTAIN, type->step, because, cure)->weight = 70;
}

/* Returns true if the code is of a kernel at EL2: words say so, or it sets HCR_EL2.E2H. */
static bool has_vhe(const struct code_case *k)
{
    const struct code_value *hcr = &k->last.hcr.value;

    return reading_value(&k->r->machine.vhe, 0) == 1 || ((hcr->known & hcr->bits) >> 34 & 1) != 0;
}

/* Finds P where NSH was meant: P excludes EL1, and with VHE the kernel runs at EL2. */
static void check_vhe(struct code_case *k)
{
    for (unsigned n = 0; n < 32 && has_vhe(k) && code_wants_user_alone(k); n++) {
        const struct code_cell *type = &k->last.types[n];
        const uint64_t bits = type->value.bits & type->value.known;
        const enum code_register reg = n == CODE_CYCLE ? CODE_PMCCFILTR : CODE_PMEVTYPER;
        char because[400], cure[400], name[32], text[160], value[32];

        if (type->line == 0 || (bits >> 27 & 0x1B) != 0x11) { /* P and NSH, and neither U nor NSU */
            continue;
        }
        code_name_text(k, reg, n, name);
        snprintf(value, sizeof value, "0x%llx", (unsigned long long)(bits & ~(UINT64_C(1) << 27)));
        suspect_text(because,
                     "%s has P = 1 and NSH = 1: P excludes EL1, and with VHE the kernel runs at EL2, which NSH counts",
                     name);
        suspect_text(cure, "to leave the kernel out, write NSH, bit 27, as 0: %s",
                     code_write_text(k, reg, n, value, text));
        code_suspect(k, WHY_vhe_kernel_counted, SUSPECT_CERTAIN, type->step, because, cure)->weight = 70;
        return;
    }
}

/* Finds thresholds and MT in the filters. */
static void check_types(struct code_case *k)
{
    for (unsigned n = 0; n < 31; n++) {
        const struct code_cell *type = &k->last.types[n];
        const uint64_t bits = type->value.bits & type->value.known;
        char because[400], cure[400], name[32], text[160];

        if (type->line == 0) {
            continue;
        }
        check_sides(k, n, CODE_PMEVTYPER);
        code_name_text(k, CODE_PMEVTYPER, n, name);
        if (((bits >> 32 & 0xFFF) != 0 || bits >> 60 != 0) && bits >> 36 != 0xFFFFFFF &&
            (!code_says(k, "threshold") || code_complains(k))) {
            suspect_text(because, "bits 63:32 of %s are 0x%llx: a threshold (TC, TH) counts only some cycles", name,
                         (unsigned long long)(bits >> 32));
            suspect_text(cure, "write TC (bits 63:61) and TH (bits 43:32) as 0: %s",
                         code_write_text(k, CODE_PMEVTYPER, n, "the event alone", text));
            code_suspect(k, WHY_threshold_set, SUSPECT_LIKELY, type->step, because, cure)->weight = 52;
        }
        if ((bits & (UINT64_C(1) << 25)) != 0 && code_complains(k)) {
            suspect_text(because,
                         "MT (bit 25) of %s is 1, which counts other threads only on a core with multithreading", name);
            code_suspect(k, WHY_mt_without_effect, SUSPECT_LIKELY, type->step, because, "write MT, bit 25, as 0")
                ->weight = 45;
        }
        if ((bits & (UINT64_C(1) << 30)) != 0 && k->el != 0 && (bits & (UINT64_C(1) << 31)) == 0 &&
            k->sees[READING_zero] && (code_says(k, "user") || code_says(k, "EL0") || code_says(k, "application"))) {
            suspect_text(because, "U (bit 30) of %s is 1, which excludes EL0", name);
            code_suspect(k, WHY_filter_p_or_u_set, SUSPECT_LIKELY, type->step, because, "write U, bit 30, as 0")
                ->weight = 58;
        }
    }
}

/* Finds two counts of cycles that the writer compares. */
static void check_two_cycles(struct code_case *k)
{
    for (unsigned n = 0; n < 31; n++) {
        const struct code_cell *type = &k->last.types[n];

        if (type->line != 0 && (type->value.bits & 0xFFFF) == 0x11 && (k->read_counters >> n & 1) != 0 &&
            (k->read_counters >> CODE_CYCLE & 1) != 0 && (k->sees[READING_differs] || k->sees[READING_noisy])) {
            code_suspect(k, WHY_two_cycle_counts_differ, SUSPECT_LIKELY, type->step,
                         "PMCCNTR and the event CPU_CYCLES are not the same "
                         "count: they start at different moments, and PMCR.D, filters and WFI treat them differently",
                         NULL)
                ->weight = 50;
            return;
        }
    }
}

/* Finds code of the Secure world or of EL3 that is right, while firmware's defaults prohibit counting there. */
static void check_secure_default(struct code_case *k)
{
    const size_t at = k->last.cnten.line != 0 ? k->last.cnten.step : k->last.pmcr.step;
    const bool cycles = (k->used >> CODE_CYCLE & 1) != 0, events = (k->used & 0x7FFFFFFF) != 0;

    if (!(k->secure || (k->el == 3 && k->el_known)) || k->aarch32 || !k->set_up || k->last.mdcr3.line != 0 ||
        !k->sees[READING_zero] || k->all->count != 0) {
        return;
    }
    if (events) {
        code_suspect(k, WHY_secure_events_prohibited, SUSPECT_LIKELY, at,
                     "the set-up is right, and MDCR_EL3.SPME is 0 by default: events "
                     "are not counted in Secure state and at EL3",
                     "firmware sets SPME, bit 17 of MDCR_EL3")
            ->weight = 50;
    }
    if (cycles) {
        code_suspect(k, WHY_cycle_counter_stops_secure, SUSPECT_LIKELY, at,
                     "the set-up is right, and TF-A sets MDCR_EL3.SCCD (and MCCD): "
                     "the cycle counter stops in Secure state",
                     "firmware clears SCCD (bit 23) and MCCD (bit 34) of MDCR_EL3")
            ->weight = 50;
    }
}

/* Finds writes of the external view without its lock being opened. */
static void check_external(struct code_case *k)
{
    size_t first = SIZE_MAX;
    bool unlocked = false;

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if ((s->flags & CODE_MEMORY) == 0 || s->act != CODE_WRITE) {
            continue;
        }
        unlocked |= s->reg == CODE_PMLAR || s->reg == CODE_OSLAR;
        first = first == SIZE_MAX && code_is_pmu(s->reg) && s->reg < CODE_DEMCR ? i : first;
    }
    if (first == SIZE_MAX || unlocked ||
        !(k->sees[READING_zero] || k->sees[READING_stuck] || k->sees[READING_fault] || k->sees[READING_absent])) {
        return;
    }
    code_suspect(k, WHY_external_view_locked, SUSPECT_LIKELY, first,
                 "nothing opens the locks of the external view before this write",
                 "write 0xC5ACCE55 to PMLAR (offset 0xFB0) and 0 to OSLAR of the debug frame (0x300) first, with the "
                 "core powered "
                 "(EDPRSR.PU = 1)")
        ->weight = 52;
}

/*
 * Finds writes to the frame of a PMU whose lock stays closed, where the lock of another frame is opened: each frame has
 * its own.
 */
static void check_other_lock(struct code_case *k)
{
    char because[400], cure[400];
    size_t first = SIZE_MAX, lock = SIZE_MAX;

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if ((s->flags & CODE_MEMORY) == 0 || s->act != CODE_WRITE) {
            continue;
        }
        if (s->reg == CODE_PMLAR) {
            lock = lock == SIZE_MAX ? i : lock;
        } else if (code_is_pmu(s->reg) && s->reg < CODE_DEMCR) {
            first = first == SIZE_MAX ? i : first;
        }
    }
    for (size_t i = 0; i < k->c->step_count && lock != SIZE_MAX && first != SIZE_MAX; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (s->reg == CODE_PMLAR && (s->page == 0 || s->page == k->c->steps[first].page)) {
            return; /* it may be the PMU's */
        }
    }
    if (lock == SIZE_MAX || first == SIZE_MAX || k->c->steps[first].page == 0) {
        return;
    }
    suspect_text(because,
                 "this writes the PMU's frame at 0x%llx000, whose lock nothing opens: the LAR at 0x%llxFB0 is that of "
                 "another frame",
                 (unsigned long long)k->c->steps[first].page, (unsigned long long)k->c->steps[lock].page);
    suspect_text(cure, "write 0xC5ACCE55 to PMLAR, too, which is offset 0xFB0 of the PMU's frame: 0x%llxFB0",
                 (unsigned long long)k->c->steps[first].page);
    code_suspect(k, WHY_external_view_locked, SUSPECT_LIKELY, first, because, cure)->weight = 70;
}

/* Finds a key that does not open the lock of the external view: each write of PMLAR that is known is another value. */
static void check_key(struct code_case *k)
{
    size_t wrong = SIZE_MAX;
    char because[400];

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (!code_does(s, CODE_WRITE, CODE_PMLAR)) {
            continue;
        }
        if ((s->value.known & UINT32_MAX) != UINT32_MAX || (s->value.bits & UINT32_MAX) == CODE_LOCK_KEY) {
            return;
        }
        wrong = s->value.bits != 0 && wrong == SIZE_MAX ? i : wrong; /* 0 is what closes it on purpose */
    }
    if (wrong == SIZE_MAX) {
        return;
    }
    suspect_text(because, "the key of the lock is 0xC5ACCE55, and this writes 0x%llX: the lock stays closed, and all "
                          "writes are ignored", (unsigned long long)(k->c->steps[wrong].value.bits & UINT32_MAX));
    code_suspect(k, WHY_external_view_locked, SUSPECT_CERTAIN, wrong, because,
                 "write the key 0xC5ACCE55 to PMLAR (offset 0xFB0)")
        ->weight = 72;
}

/* Finds a read of the external view that hangs, faults or gives all ones. */
static void check_external_read(struct code_case *k)
{
    const bool closed = k->sees[READING_fault] || k->sees[READING_storm] || code_says(k, "0xffffffff") ||
                        code_says(k, "bus error") || code_says(k, "all ones") || code_says(k, "hangs");

    for (size_t i = 0; i < k->c->step_count && closed && code_complains(k) && !k->m_profile; i++) {
        const struct code_step *s = &k->c->steps[i];

        if ((s->flags & CODE_MEMORY) != 0 && s->act == CODE_READ && code_is_pmu(s->reg) && s->reg < CODE_DEMCR) {
            code_suspect(k, WHY_external_view_locked, SUSPECT_LIKELY, i,
                         "this reads the PMU of another core through its external view, which answers only if the core "
                         "is powered, the locks are open and the bus lets this master in",
                         "see that the core is powered (EDPRSR.PU = 1), write 0xC5ACCE55 to PMLAR (offset 0xFB0) and 0 "
                         "to OSLAR, and that the address is that of the PMU's frame (PMDEVARCH, offset 0xFBC); or let "
                         "the core itself read its counter")
                ->weight = 66;
            suspect_clear(k->all, WHY_count_truncated_to_32_bits);
            return;
        }
    }
}

void rules_code_modes(struct code_case *k)
{
    check_external_read(k);
    if (k->m_profile || k->arm11 || (k->user && !k->granted)) {
        return;
    }
    check_freeze(k);
    check_types(k);
    if (k->last.types[CODE_CYCLE].line != 0) {
        check_sides(k, CODE_CYCLE, CODE_PMCCFILTR);
    }
    check_vhe(k);
    check_two_cycles(k);
    check_external(k);
    check_other_lock(k);
    check_key(k);
    check_secure_default(k);
}
