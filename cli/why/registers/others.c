/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on registers: the PMU of ARM11, M-profile's DWT, and PMUs that are not Arm's. */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "registers.h"

/* ---------------------------------------------------------------------------------------------------------------
 * ARM11.
 */

/* The reasons of ARM11 that are causes, and their cures. */
static const struct {
    uint64_t reasons;
    enum why_cause_id cause;
    unsigned weight;
    const char *cure;
} arm11_rows[] = {
    {APMU_ARM11_WHY(PMNC_E), WHY_pmcr_e_clear, 70,
     "PMNC.E = 1 (bit 0): mrc p15, 0, r0, c15, c12, 0; orr r0, r0, #1; mcr p15, 0, r0, c15, c12, 0"},
    {APMU_ARM11_WHY(HALTED), WHY_halted_in_debug_state, 60, "let the core run, and read the counter twice"},
    {APMU_ARM11_WHY(SPNIDEN), WHY_debug_authentication_forbids, 60,
     "SPNIDEN HIGH; for Secure User mode SDER.SUNIDEN = 1 too"},
    {APMU_ARM11_WHY(NO_EVENT), WHY_event_number_unknown, 60,
     "choose an event of this part for EvtCount0 (bits 27:20) or EvtCount1 (bits 19:12) of PMNC"},
};

/* Adds the causes of a counter that stands still. */
static bool arm11_counter(const struct rules_input *in, const struct state *s, const struct state_arm11 *m, unsigned n,
                          struct suspects *all)
{
    static const char *const names[] = {"PMN0", "PMN1", "CCNT"};
    const uint32_t line = s->arm11[APMU_ARM11_REG_PMNC].line;
    uint64_t always, maybe;
    char because[400], quote[120];
    bool counts = true;

    why_arm11_ask(s, m, (enum apmu_arm11_counter)n, &always, &maybe);
    for (size_t i = 0; i < sizeof arm11_rows / sizeof arm11_rows[0]; i++) {
        if ((always & arm11_rows[i].reasons) == 0) {
            continue;
        }
        suspect_text(because, "%s does not count: PMNC = 0x%" PRIx64 " (\"%s\")", names[n],
                     s->arm11[APMU_ARM11_REG_PMNC].value, reading_quote(in->r, line, quote, sizeof quote));
        suspect_add(all, arm11_rows[i].cause, SUSPECT_CERTAIN, line, because, arm11_rows[i].cure)->weight =
            arm11_rows[i].weight;
        counts = false;
    }
    return counts;
}

/* Returns true if the input shows or says that PMN0 stands still. */
static bool misses_pmn0(const struct reading *r, const struct state *s)
{
    const struct state_cell *pmn0 = &s->arm11[APMU_ARM11_REG_PMN0];
    const bool expects = registers_say(r, "expect") || registers_say(r, "want") || registers_say(r, "should");

    if (pmn0->known != 0 && pmn0->value == 0 && expects && registers_say(r, "pmn0") &&
        s->arm11[APMU_ARM11_REG_PMN1].value != 0) {
        return true;
    }
    return !pmn0->moved && ((pmn0->times > 1 && pmn0->value == 0) ||
                            ((r->sees[READING_zero] || r->sees[READING_stuck]) && registers_say(r, "pmn0")));
}

/* Finds PMN1's event where PMN0's is meant.  Returns true if it is so. */
static bool arm11_misplaced(const struct reading *r, const struct state *s, struct suspects *all)
{
    const struct state_cell *pmnc = &s->arm11[APMU_ARM11_REG_PMNC];
    char because[400], cure[400], quote[120];

    if (!misses_pmn0(r, s) || !why_arm11_misplaced((uint32_t)pmnc->value, because, cure)) {
        return false;
    }
    why_append(because, sizeof because, " (\"%s\")", reading_quote(r, pmnc->line, quote, sizeof quote));
    suspect_add(all, WHY_event_counts_other_than_thought, SUSPECT_LIKELY, pmnc->line, because, cure)->weight = 72;
    return true;
}

void registers_arm11(const struct rules_input *in, const struct state *s, struct suspects *all)
{
    const struct reading *r = in->r;
    const struct state_cell *v = &s->arm11[STATE_ARM11_SUNAVCR], *pmnc = &s->arm11[APMU_ARM11_REG_PMNC];
    struct state_arm11 m;
    bool counts = true;

    state_to_arm11(s, &m);
    if (v->known != 0 && (v->value & 1) == 0 &&
        (r->sees[READING_fault] || m.pe.user || reading_value(&r->machine.place, 0) == READING_PLACE_USER || !counts ||
         pmnc->known == 0 || (pmnc->value & 1) != 0)) {
        suspect_add(all, WHY_arm11_v_bit_clear, SUSPECT_CERTAIN, v->line,
                    "bit 0 (V) of the Secure User and Non-secure Access Validation Control Register (c15, c9, 0) is 0",
                    "a privileged mode sets V (bit 0): mov r0, #1; mcr p15, 0, r0, c15, c9, 0")
            ->weight = 75;
        counts = false;
    }
    for (unsigned n = 0; pmnc->known != 0 && n < APMU_ARM11_COUNTERS; n++) {
        if (n == APMU_ARM11_CCNT || (pmnc->value & 1) == 0) {
            counts &= arm11_counter(in, s, &m, n, all);
        }
    }
    if (pmnc->known != 0 && APMU_GET(PMNC, D, pmnc->value) != 0 && (pmnc->value & 1) != 0 && !r->sees[READING_fault] &&
        !r->sees[READING_zero]) {
        suspect_add(all, WHY_divide_by_64, SUSPECT_CERTAIN, pmnc->line,
                    "PMNC.D (bit 3) is 1: CCNT counts every 64th cycle",
                    "PMNC.D = 0 (bit 3): mrc p15, 0, r0, c15, c12, 0; bic r0, r0, #8; mcr p15, 0, r0, c15, c12, 0")
            ->weight = 60;
        counts = false;
    }
    if (pmnc->known != 0) {
        counts &= !arm11_misplaced(r, s, all);
    }
    if (pmnc->known == 0) {
        suspect_ask(all, 70,
                    "PMNC: mrc p15, 0, r0, c15, c12, 0 in a privileged mode; its bit 0 (E) enables all counters");
    } else if (counts && !r->sees[READING_fault] && !r->sees[READING_zero] && !r->sees[READING_small]) {
        all->fine = true;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * M-profile.
 */

/* Returns true if CPUID is that of a core without a cycle counter: ARMv6-M and Armv8-M Baseline. */
static bool lacks_cyccnt(const struct reading_number *cpuid)
{
    const uint64_t part = cpuid->value >> 4 & 0xFFF;

    return cpuid->known && (part == 0xC20 || part == 0xC60 || part == 0xC21 || part == 0xD20);
}

/* Adds the cause of a core without a cycle counter: CPUID, DWT_CTRL or the core's name says so.  Returns true then. */
static bool has_no_cyccnt(const struct reading *r, struct suspects *all)
{
    const struct reading_number *ctrl = &r->extras[READING_DWT_CTRL], *count = &r->extras[READING_DWT_CYCCNT];
    const struct clue *core = reading_find(r, CLUE_words_m_core);
    const bool id = lacks_cyccnt(&r->extras[READING_CPUID]);
    const bool named = core != NULL && core->values[0] == 0 && !r->moved[READING_DWT_CYCCNT] &&
                       (!count->known || count->value == 0);

    if (!id && !named && !(ctrl->known && (ctrl->value >> 25 & 1) != 0)) {
        return false;
    }
    suspect_add(all, WHY_m_profile_no_cyccnt, SUSPECT_CERTAIN,
                id ? r->extras[READING_CPUID].line : named ? core->line : ctrl->line,
                id      ? "CPUID is that of a core of ARMv6-M or the Baseline, which has no cycle counter"
                : named ? "cores of ARMv6-M and the Baseline have no cycle counter"
                        : "DWT_CTRL.NOCYCCNT (bit 25) is 1",
                "use SysTick or a timer: this core has no cycle counter")
        ->weight = 90;
    return true;
}

/* Returns true if the input shows an emulator without a DWT: with TRCENA, all bits of DWT_CTRL read as 0. */
static bool is_unemulated(const struct reading *r, bool traced)
{
    const struct reading_number *ctrl = &r->extras[READING_DWT_CTRL], *count = &r->extras[READING_DWT_CYCCNT];
    const bool emulated = r->machine.emulator.value > READING_EMULATOR_NONE || reading_find(r, CLUE_words_qemu) != NULL;

    return traced && emulated && ctrl->known && ctrl->value == 0 && !r->moved[READING_DWT_CTRL] &&
           (!count->known || count->value == 0);
}

static void m_profile(const struct reading *r, struct suspects *all)
{
    const struct reading_number *demcr = &r->extras[READING_DEMCR], *ctrl = &r->extras[READING_DWT_CTRL];
    const struct reading_number *lsr = &r->extras[READING_DWT_LSR], *count = &r->extras[READING_DWT_CYCCNT];
    const bool traced = demcr->known && (demcr->value >> 24 & 1) != 0;
    const bool on = ctrl->known && (ctrl->value & 1) != 0;
    const bool moved = r->moved[READING_DWT_CYCCNT];

    if (has_no_cyccnt(r, all)) {
        return;
    }
    if (moved) {
        all->fine = all->proven = true;
        return;
    }
    if (demcr->known && !traced) {
        suspect_add(all, WHY_m_profile_trcena_or_lock, SUSPECT_CERTAIN, demcr->line,
                    "DEMCR.TRCENA (bit 24) is 0: the DWT is off",
                    "CoreDebug->DEMCR |= 1 << 24 (TRCENA, 0xE000EDFC); then DWT->CYCCNT = 0 and DWT->CTRL |= 1")
            ->weight = 80;
    }
    const bool locked = lsr->known && (lsr->value & 2) != 0;

    if (locked) {
        suspect_add(all, WHY_m_profile_trcena_or_lock, SUSPECT_CERTAIN, lsr->line,
                    "DWT_LSR.SLK (bit 1) is 1: writes are ignored",
                    "unlock the DWT: write 0xC5ACCE55 to DWT_LAR (0xE0001FB0), then set CYCCNTENA")
            ->weight = 82;
    }
    if (is_unemulated(r, traced)) {
        suspect_add(all, WHY_emulator_counts_little, SUSPECT_LIKELY, ctrl->line,
                    "DWT_CTRL is 0 as a whole, even NUMCOMP (bits 31:28): this emulator has no DWT, as QEMU has none",
                    "measure on hardware, the board itself; in the emulator use SysTick or a timer")
            ->weight = 80;
    } else if (ctrl->known && !on && !locked) { /* while it is locked CYCCNTENA stays as it is */
        suspect_add(all, WHY_cyccnt_not_enabled, SUSPECT_CERTAIN, ctrl->line, "DWT_CTRL.CYCCNTENA (bit 0) is 0",
                    "DWT->CTRL |= 1 (CYCCNTENA, 0xE0001000), after DEMCR.TRCENA = 1")
            ->weight = 70;
    }
    if (on && traced && (!count->known || count->value != 0)) {
        all->fine = true;
        all->proven = count->known;
    } else if (on && traced && r->machine.emulator.value > READING_EMULATOR_NONE) {
        suspect_add(all, WHY_emulator_counts_little, SUSPECT_LIKELY, r->machine.emulator.line,
                    "the set-up is right, and DWT_CYCCNT stays 0: QEMU and most emulators have no DWT that counts",
                    "measure on hardware; in the emulator use SysTick or a timer")
            ->weight = 80;
    } else if (!demcr->known) {
        suspect_ask(all, 75, "DEMCR (0xE000EDFC): TRCENA, bit 24, turns the DWT on; then DWT_CTRL (0xE0001000), bit 0");
    } else if (!ctrl->known) {
        suspect_ask(all, 75,
                    "DWT_CTRL (0xE0001000): CYCCNTENA is bit 0, NOCYCCNT bit 25; and DWT_LSR (0xE0001FB4), bit 1");
    } else {
        suspect_ask(all, 60, "DWT_LSR (0xE0001FB4): bit 1 says that the DWT is locked; and DWT_CYCCNT read twice");
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * All PEs.
 */

/* Reads "NAME WRITTEN READ", "wr NAME WRITTEN rd READ" and the like from @text.  Returns true if it is such a line. */
static bool scan_read_back(const char *text, char name[32], unsigned long long *written, unsigned long long *read)
{
    return sscanf(text, " %31s 0x%llx 0x%llx", name, written, read) == 3 ||
           sscanf(text, " wr %31s %llx rd %llx", name, written, read) == 3 ||
           sscanf(text, " write %31s %llx read %llx", name, written, read) == 3 ||
           sscanf(text, " %31s wrote %llx read %llx", name, written, read) == 3 ||
           sscanf(text, " %31s wr %llx rd %llx", name, written, read) == 3;
}

/* Returns true if the words name the columns of a table by what was written and what was read back. */
static bool heads_read_back(const char *text)
{
    static const char *const written[] = {"wrote", "written", "write"}, *const back[] = {"came back", "read back",
                                                                                         "got back", "readback",
                                                                                         "comes back", "reads back"};
    bool heads[2] = {false, false};

    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        heads[0] |= strcasestr(text, written[i]) != NULL;
    }
    for (size_t i = 0; i < sizeof back / sizeof back[0]; i++) {
        heads[1] |= strcasestr(text, back[i]) != NULL;
    }
    return heads[0] && heads[1];
}

/* Returns true if @text is a row of such a table, "NAME 00000041 00000000", and stores what it has. */
static bool scan_row(const char *text, char name[32], unsigned long long *written, unsigned long long *read)
{
    int end = 0;

    return sscanf(text, " %31[A-Za-z0-9_]%*[|:= \t]%llx%*[| \t]%llx%n", name, written, read, &end) == 3 &&
           strspn(text + end, " |") == strlen(text + end);
}

/* Returns the number of the line that has byte @at of the joined text. */
static uint32_t line_at(const struct reading *r, const char *at)
{
    const size_t offset = (size_t)(at - r->text.joined);

    for (size_t i = 1; i < r->text.count; i++) {
        if ((size_t)(r->text.lines[i].text - r->text.lines[0].text) > offset) {
            return r->text.lines[i - 1].number;
        }
    }
    return r->text.count != 0 ? r->text.lines[r->text.count - 1].number : 0;
}

/* Returns true if one of @words is in the @length bytes at @text. */
static bool has_one(const char *text, size_t length, const char *const words[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t n = strlen(words[i]);

        for (size_t at = 0; at + n <= length; at++) {
            if (strncasecmp(text + at, words[i], n) == 0) {
                return true;
            }
        }
    }
    return false;
}

/*
 * Reads what @text, of @length bytes, says to be read back: "read it back: 0", "reads as zero", "returns 0x41".
 * Returns 0, another number, or -1 if it says nothing.
 */
static long long read_back_in(const char *text, size_t length)
{
    static const char *const verbs[] = {"read", "back", "return", "gives", "still"};
    size_t at = length;

    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        for (size_t k = 0; k + strlen(verbs[i]) <= length && k < at; k++) {
            at = strncasecmp(text + k, verbs[i], strlen(verbs[i])) == 0 ? k : at;
        }
    }
    for (unsigned words = 0; at < length && words < 7; words++) {
        const size_t from = at;

        while (at < length && isalnum((unsigned char)text[at])) {
            at++;
        }
        if (isdigit((unsigned char)text[from])) {
            return (long long)(strtoull(text + from, NULL, 0) & INT64_MAX);
        }
        if (at - from == 4 && strncasecmp(text + from, "zero", 4) == 0) {
            return 0;
        }
        while (at < length && !isalnum((unsigned char)text[at])) {
            at++;
        }
    }
    return -1;
}

/*
 * Returns true if the registers are those of the external view: its locks and its power make it read as zero and ignore
 * writes, and no hypervisor does.
 */
static bool is_external(const struct reading *r)
{
    static const enum apmu_reg regs[] = {APMU_REG_PMLSR, APMU_REG_PMDEVARCH, APMU_REG_PMCFGR, APMU_REG_EDPRSR};
    bool external = reading_find(r, CLUE_words_external) != NULL && reading_value(&r->machine.guest, 0) == 0;

    for (size_t i = 0; i < r->state_count; i++) {
        for (size_t n = 0; n < sizeof regs / sizeof regs[0]; n++) {
            external |= state_cell(&r->states[i], regs[n], 0)->known != 0;
        }
    }
    return external;
}

/*
 * Adds the cause of a PMCR, in line @line, that reads back as 0 whatever is written: a hypervisor emulates the PMU so,
 * and the external view, which has no N and no implementer in PMCR, is closed.  Returns true if nothing else is to be
 * looked at.
 */
static bool add_zero_back(const struct rules_input *in, struct suspects *all, uint32_t line,
                          enum suspect_confidence confidence)
{
    const bool external = is_external(in->r);
    char quote[160], because[400];

    reading_quote(in->r, line, quote, sizeof quote);
    if (external) {
        suspect_add(all, WHY_external_view_locked, SUSPECT_LIKELY, line,
                    suspect_text(because, "%s -- writes to the external view are ignored: it is locked, without power, "
                                          "or at another address", quote),
                    "write 0xC5ACCE55 to PMLAR (offset 0xFB0), clear the OS Lock (OSLAR_EL1 = 0), and power the core "
                    "up; PMLSR.SLK, EDPRSR.OSLK and EDPRSR.PU tell which it is")
            ->weight = 88;
        suspect_clear(all, WHY_register_emulated_as_zero);
    } else {
        suspect_add(all, WHY_register_emulated_as_zero, confidence, line,
                    suspect_text(because, "%s -- what is written to PMCR reads back as 0, also N and the implementer: "
                                          "they are not all 0 in a PMU", quote),
                    "the hypervisor reads the PMU's registers as zero and ignores writes: give the guest a PMU (Xen: "
                    "vpmu=on; QEMU: -cpu host,pmu=on), or count on the host")
            ->weight = 92;
    }
    suspect_clear(all, WHY_pmcr_e_clear);
    suspect_clear(all, WHY_counter_not_enabled);
    return !external;
}

/*
 * Finds sentences such as "I write 0x41 to PMCR_EL0, read it back: 0": what is written to registers of the PMU, PMCR
 * with its ID fields among them, reads back as 0: in a guest, or of two registers.  Returns as add_zero_back() does.
 */
static bool says_zero_back(const struct rules_input *in, struct suspects *all)
{
    static const char *const writes[] = {"writ", "wrote", "set ", "msr", "store", "put "};
    const char *text = in->r->text.joined, *before = text;
    unsigned zeros = 0, others = 0;
    const char *pmcr = NULL;
    const bool guest = reading_value(&in->r->machine.guest, 0) == 1 ||
                       reading_value(&in->r->machine.hypervisor, READING_HYPERVISOR_NONE) != READING_HYPERVISOR_NONE;

    if (in->r->code != NULL) {
        return false;
    }
    for (const char *p = strcasestr(text, "PM"); p != NULL && p - text < 20000;) {
        const char *next = p;
        size_t length;
        long long back;

        do {
            next = strcasestr(next + 2, "PM");
        } while (next != NULL && text_is_word(next[-1]));
        length = next != NULL ? (size_t)(next - p) : strlen(p);
        length = length > 120 ? 120 : length;
        back = text_is_word(p > text ? p[-1] : ' ') ? -1 : read_back_in(p, length);
        before = p - before > 50 ? p - 50 : before;
        if (back >= 0 && (has_one(before, (size_t)(p - before), writes, sizeof writes / sizeof writes[0]) ||
                          has_one(p, length, writes, 2))) {
            zeros += back == 0;
            others += back != 0;
            pmcr = back == 0 && strncasecmp(p, "PMCR", 4) == 0 ? p : pmcr;
        }
        before = p;
        p = next;
    }
    if (pmcr == NULL || others != 0 || (zeros < 2 && !guest)) {
        return false;
    }
    return add_zero_back(in, all, line_at(in->r, pmcr), SUSPECT_LIKELY);
}

/*
 * Finds a table of what was written and what was read back, in which each register reads as zero, PMCR with its ID
 * fields too: a hypervisor emulates them so.
 */
static bool reads_back_zero(const struct rules_input *in, struct suspects *all)
{
    const bool heads = heads_read_back(in->r->text.joined);
    unsigned zeros = 0, others = 0;
    uint32_t pmcr = 0;

    for (size_t i = 0; i < in->r->text.count && i < 200; i++) {
        const struct text_line *line = &in->r->text.lines[i];
        char name[32];
        unsigned long long written, read;

        if ((!scan_read_back(line->text, name, &written, &read) &&
             !(heads && scan_row(line->text, name, &written, &read))) ||
            strncasecmp(name, "PM", 2) != 0 || written == 0) {
            continue;
        }
        zeros += read == 0;
        others += read != 0;
        pmcr = strncasecmp(name, "PMCR", 4) == 0 && read == 0 ? line->number : pmcr;
    }
    if (zeros < 2 || others != 0 || pmcr == 0 ||
        (!heads && strcasestr(in->r->text.joined, "read") == NULL && strcasestr(in->r->text.joined, " rd ") == NULL)) {
        return false;
    }
    return add_zero_back(in, all, pmcr, SUSPECT_CERTAIN);
}

bool registers_others(const struct rules_input *in, struct suspects *all)
{
    const struct reading *r = in->r;

    if (reads_back_zero(in, all) || says_zero_back(in, all)) {
        return true;
    }
    for (size_t i = 0; i < r->state_count; i++) {
        const struct state_cell *midr = state_cell(&r->states[i], APMU_REG_MIDR_EL1, 0);

        if ((midr->known >> 24 & 0xFF) != 0 && (midr->value >> 24 & 0xFF) == 0x61) {
            char quote[120], because[400];

            suspect_text(because, "the implementer of MIDR is 0x61, Apple (\"%s\")",
                         reading_quote(r, midr->line, quote, sizeof quote));
            suspect_add(
                all, WHY_apple_not_pmuv3, SUSPECT_CERTAIN, midr->line, because,
                "an Apple core has a PMU of its own (IMPLEMENTATION DEFINED), not PMUv3: use perf with the apple_*_pmu "
                "driver, or kperf on macOS; PMCCNTR_EL0 and PMCR_EL0 are not there")
                ->weight = 90;
            return true;
        }
    }
    if (registers_m_pmu(r, all)) {
        return true;
    }
    for (unsigned i = READING_DEMCR; i < READING_M_PMU_CTRL; i++) {
        if (r->extras[i].known && i != READING_CPUID) {
            m_profile(r, all);
            return true;
        }
    }
    return false;
}
