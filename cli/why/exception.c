/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on what a debugger or an exception handler prints: which level refuses which instruction. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "../read/exception.h"
#include "../read/code/code.h"
#include "fine_trap.h"
#include "rules.h"

#define NOT_KNOWN 9u

/* The exception, as far as the input has it. */
struct view {
    const struct reading *r;
    const struct rules_input *in;
    struct suspects *all;
    bool found;       /* the instruction is known */
    bool faulted;     /* something faulted */
    bool trapped;     /* the syndrome says that a level traps the instruction */
    bool undefined;   /* the instruction was UNDEFINED, or a signal says no more */
    struct names_instruction i;
    struct names_place place;
    enum instruction_kind kind;
    char name[40], spelled[96];
    uint32_t line;    /* that shows it */
    uint64_t level;   /* Exception level of the code; NOT_KNOWN */
    uint64_t target;  /* Exception level of the handler; NOT_KNOWN */
    uint64_t signal;  /* 0: none */
    enum reading_pmu pmu;
};

/* ---------------------------------------------------------------------------------------------------------------
 * The view.
 */

static void take_instruction(struct view *v, const struct names_instruction *i, uint32_t line)
{
    v->found = true;
    v->i = *i;
    v->line = line;
    v->kind = instruction_place(i, &v->place);
    instruction_register(i, v->name);
    instruction_spell(i, v->spelled);
}

/* Returns the level that took the exception, as messages say it. */
static uint64_t panic_level(const struct reading *r)
{
    const struct clue *c = reading_find(r, CLUE_exception_panic);

    return c == NULL ? NOT_KNOWN : c->values[0];
}

/* Returns the syndrome of the exception: that of the level which reports it, or the first that is one. */
static const struct clue *find_syndrome(const struct reading *r, uint64_t panic)
{
    const struct clue *first = NULL;

    for (const struct clue *c = NULL; (c = reading_next(r, CLUE_exception_syndrome, c)) != NULL;) {
        if (c->values[1] == panic && c->values[0] != 0) {
            return c;
        }
        if (first == NULL && c->values[0] != 0) {
            first = c;
        }
    }
    return first;
}

/* Returns the saved state that belongs to @target: SPSR_EL<target>, or the first one. */
static const struct clue *find_status(const struct reading *r, uint64_t target)
{
    const struct clue *first = NULL;

    for (const struct clue *c = NULL; (c = reading_next(r, CLUE_exception_status, c)) != NULL;) {
        const size_t length = strlen(c->words);

        if (length == 8 && c->words[7] == (char)('0' + target)) {
            return c;
        }
        first = first == NULL ? c : first;
    }
    return first;
}

/* Finds the instruction where no syndrome has it: the one at the PC, or the one that is shown. */
static void find_instruction(struct view *v)
{
    const struct clue *first = NULL;
    size_t count = 0;

    for (const struct clue *c = NULL; (c = reading_next(v->r, CLUE_exception_instruction, c)) != NULL && count < 500;) {
        struct names_instruction i = exception_unpack(c->values[0]);

        if ((c->values[0] & EXCEPTION_FAULTED) != 0) {
            take_instruction(v, &i, c->line);
            return;
        }
        first = first == NULL ? c : first;
        count++;
    }
    if (first != NULL && v->faulted && (count == 1 || v->signal == 4)) {
        struct names_instruction i = exception_unpack(first->values[0]); /* a program gets no further than this */

        take_instruction(v, &i, first->line);
    }
}

static void look(struct view *v)
{
    const struct reading_machine *m = &v->r->machine;
    const uint64_t panic = panic_level(v->r);
    const struct clue *esr = find_syndrome(v->r, panic), *signal = reading_find(v->r, CLUE_exception_signal);
    const struct clue *status;
    struct names_instruction i;
    const uint64_t ec = esr == NULL ? 0x3F : esr->values[0] >> 26 & 0x3F;

    v->pmu = (enum reading_pmu)reading_value(&m->pmu, READING_PMU_UNKNOWN);
    v->signal = signal == NULL ? 0 : signal->values[0];
    v->target = esr != NULL && esr->values[1] != 0 ? esr->values[1] : panic;
    status = find_status(v->r, v->target);
    v->level = status != NULL                                             ? status->values[1]
               : v->signal != 0                                           ? 0
               : m->el.known                                              ? m->el.value
               : reading_find(v->r, CLUE_linux_oops) != NULL              ? 1
               : reading_value(&m->place, 0) == READING_PLACE_USER        ? 0
                                                                          : NOT_KNOWN;
    v->trapped = esr != NULL && instruction_of_syndrome((unsigned)ec, (uint32_t)esr->values[0] & 0x1FFFFFF, &i);
    v->undefined = (esr != NULL && ec == 0) || reading_find(v->r, CLUE_exception_undefined) != NULL || v->signal == 4;
    v->faulted = v->trapped || v->undefined || panic != NOT_KNOWN || v->signal != 0;
    if (v->trapped) {
        take_instruction(v, &i, esr->line);
    } else if (esr == NULL || ec == 0) {
        find_instruction(v);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Helpers of rules.
 */

static void say(struct view *v, enum why_cause_id cause, enum suspect_confidence confidence, unsigned weight,
                const char *because, const char *cure)
{
    char text[400];
    struct suspect *s;

    suspect_text(text, "%s: %s", v->spelled, because);
    if (confidence != SUSPECT_POSSIBLE) { /* an exception shows more than the rules that cleared it looked at */
        v->all->cleared[cause / 64] &= ~(UINT64_C(1) << cause % 64);
    }
    s = suspect_add(v->all, cause, confidence, v->line, text, cure);
    s->weight = weight;
}

/* Returns the number of event counters that the code can reach, 255 if it is not known. */
static unsigned counters_of(const struct view *v, bool *by_pmcr)
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

static bool is_bank(const struct view *v)
{
    return v->kind == INSTRUCTION_PMU &&
           (v->place.reg == APMU_REG_PMEVCNTR_EL0 || v->place.reg == APMU_REG_PMEVTYPER_EL0);
}

/* Returns true if the register came with FEAT_PMUv3_ICNTR, _SS, FEAT_PMUv3p9 or a later feature. */
static bool is_newer(const struct view *v)
{
    static const char *const names[] = {"PMICNTR", "PMICFILTR", "PMUACR", "PMECR", "PMIAR", "PMZR", "PMCCNTSVR",
                                        "PMEVCNTSVR", "PMICNTSVR", "PMSSCR", "SPM"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(v->name, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_pmu(const struct view *v)
{
    return (v->kind == INSTRUCTION_PMU && (strncmp(v->name, "PM", 2) == 0 || is_newer(v))) ||
           v->kind == INSTRUCTION_ARM11;
}

/* Returns true if field TGE of HCR_EL2 is known to be 1. */
static bool is_host(const struct view *v)
{
    uint64_t tge;

    return STATE_FIELD(&v->r->states[0], HCR_EL2, 0, TGE, &tge) && tge == 1;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Traps.
 */

static void explain_trap_to_el3(struct view *v)
{
    if (is_newer(v)) {
        say(v, WHY_el3_traps_newer_registers, SUSPECT_CERTAIN, 80, "the access trapped to EL3: MDCR_EL3.EnPM2 is 0",
            "newer firmware (TF-A), which sets MDCR_EL3.EnPM2 (bit 7)");
    } else {
        say(v, WHY_el3_traps_pmu, SUSPECT_CERTAIN, 80, "the access trapped to EL3: MDCR_EL3.TPM is 1",
            "firmware (TF-A) clears MDCR_EL3.TPM (bit 6)");
    }
}

/* Explains a trap by the fine-grained trap of the register, if it is set.  Returns false if it is not. */
static bool explain_fine_trap(struct view *v, const struct state *s)
{
    struct fine_trap_bit t;
    uint64_t tpm;
    char cure[400];

    if (v->kind != INSTRUCTION_PMU || !STATE_FIELD(s, MDCR_EL2, 0, TPM, &tpm) || tpm != 0 ||
        !fine_trap_find(s, v->place.reg, !v->i.read, &t)) {
        return false;
    }
    say(v, WHY_el2_traps_pmu, SUSPECT_CERTAIN, 90,
        "the access trapped to EL2: TPM is 0, and the fine-grained trap of this register is set",
        suspect_text(cure, "the hypervisor clears %s (bit %u), or emulates the access (a vPMU)", t.name, t.bit));
    return true;
}

/* Explains an access that trapped to EL2. */
static void explain_trap_to_el2(struct view *v)
{
    uint64_t hpmn, tpm = 0;
    const struct state *s = &v->r->states[0];
    const bool set = STATE_FIELD(s, MDCR_EL2, 0, TPM, &tpm) && tpm == 1;

    if (v->level == 0 && is_host(v)) {
        say(v, v->i.a32 ? WHY_el0_access_off_aarch32 : WHY_el0_access_off, SUSPECT_CERTAIN, 70,
            "a program of the host trapped to EL2 (HCR_EL2.TGE is 1): PMUSERENR_EL0 does not let EL0",
            "the kernel sets PMUSERENR_EL0.EN; or count with perf_event_open()");
        return;
    }
    if (is_bank(v) && !set && STATE_FIELD(s, MDCR_EL2, 0, HPMN, &hpmn) && v->place.n >= hpmn && hpmn != 0) {
        char cure[400];

        say(v, WHY_counter_owned_by_el2, SUSPECT_CERTAIN, 85, "the counter is not below MDCR_EL2.HPMN",
            suspect_text(cure, "use a counter below %u (PMCR_EL0.N as EL1 reads it), or raise MDCR_EL2.HPMN",
                         (unsigned)hpmn));
        return;
    }
    if (explain_fine_trap(v, s)) {
        return;
    }
    say(v, WHY_el2_traps_pmu, SUSPECT_CERTAIN, 70,
        set ? "the access trapped to EL2: MDCR_EL2.TPM is 1"
            : "the access trapped to EL2: MDCR_EL2.TPM (PMCR: TPMCR) or a fine-grained trap",
        "the hypervisor emulates the access (a vPMU), or clears MDCR_EL2.TPM and TPMCR (bits 6 and 5)");
    say(v, WHY_hypervisor_gives_no_pmu, SUSPECT_LIKELY, 60, "the hypervisor does not handle the access: it has no vPMU",
        "give the guest a vPMU: QEMU -cpu host,pmu=on, Xen vpmu=1 in the guest's configuration");
}

/* Returns true if PMUSERENR_EL0 is known to let EL0 read some registers, and write none but PMSWINC_EL0. */
static bool grants_reads_only(const struct view *v)
{
    const struct state *s = &v->r->states[0];
    uint64_t en, er = 0, cr = 0, sw = 0;

    if (!STATE_FIELD(s, PMUSERENR_EL0, 0, EN, &en) || en != 0) {
        return false;
    }
    (void)STATE_FIELD(s, PMUSERENR_EL0, 0, ER, &er);
    (void)STATE_FIELD(s, PMUSERENR_EL0, 0, CR, &cr);
    (void)STATE_FIELD(s, PMUSERENR_EL0, 0, SW, &sw);
    return (er | cr | sw) != 0;
}

/* Explains an access at EL0 that EL1 refuses. */
static void explain_el0(struct view *v, enum suspect_confidence confidence)
{
    const bool reads_work = reading_find(v->r, CLUE_words_reads_work) != NULL;

    if (v->pmu == READING_PMU_APPLE) {
        say(v, WHY_apple_not_pmuv3, SUSPECT_LIKELY, 90, "Apple's cores lack PMUv3's registers",
            "use perf with the apple_*_pmu driver");
        return;
    }
    if (!v->i.read && grants_reads_only(v)) {
        say(v, WHY_el0_write_not_allowed, SUSPECT_CERTAIN, 90,
            "ER, CR and SW of PMUSERENR_EL0 let EL0 read, and EN is 0: this write is refused",
            "set PMUSERENR_EL0.EN (bit 0) too, or let the kernel write");
        return;
    }
    if (!v->i.read && reads_work) {
        say(v, WHY_el0_write_not_allowed, SUSPECT_LIKELY, 90, "reads work and this write faults: EN is 0",
            "set PMUSERENR_EL0.EN (bit 0) too, or let the kernel write");
        return;
    }
    if (v->i.a32) {
        say(v, WHY_el0_access_off_aarch32, confidence, 78, "PMUSERENR.EN is 0, so an access in User mode is UNDEFINED",
            "a kernel module writes PMUSERENR = 1 on each CPU (MCR p15, 0, <1>, c9, c14, 0); or count with "
            "perf_event_open()");
        return;
    }
    say(v, WHY_el0_access_off, confidence, 76, "an access at EL0, which PMUSERENR_EL0 does not let",
        "count with perf_event_open(); or a kernel module writes PMUSERENR_EL0 = 0xD on each CPU");
    say(v, WHY_perf_user_access_0, SUSPECT_LIKELY, 55, "Linux lets programs read only if kernel.perf_user_access is 1",
        "sysctl kernel.perf_user_access=1, and open the event with config1 bit 1");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Undefined instructions.
 */

/* Returns true if the instruction reads a register that can only be written, or the other way round. */
static bool is_wrong_way(const struct view *v)
{
    const bool write_only = strncmp(v->name, "PMSWINC", 7) == 0 || strncmp(v->name, "PMZR", 4) == 0;
    const bool read_only = strncmp(v->name, "PMCEID", 6) == 0 || strncmp(v->name, "PMMIR", 5) == 0;

    return v->i.read ? write_only : read_only;
}

/* Explains an encoding that is not one of this PMU.  Returns false if it is one. */
static bool explain_encoding(struct view *v)
{
    const bool known = v->pmu != READING_PMU_UNKNOWN;

    if (v->kind == INSTRUCTION_ARM11 && v->pmu != READING_PMU_ARM11) {
        say(v, WHY_wrong_encoding, known ? SUSPECT_CERTAIN : SUSPECT_LIKELY, 90,
            "c15, c12 is the PMU of ARM11; ARMv7 and later have theirs at c9",
            "PMCR is MRC p15, 0, <Rt>, c9, c12, 0; PMCNTENSET c9, c12, 1; PMCCNTR MRC p15, 0, <Rt>, c9, c13, 0");
    } else if (v->pmu == READING_PMU_ARM11 && v->kind == INSTRUCTION_PMU && v->i.a32 && is_pmu(v)) {
        say(v, WHY_wrong_encoding, SUSPECT_CERTAIN, 90, "ARM11 has its PMU at c15, c12, not at c9",
            "PMNC is MRC p15, 0, <Rt>, c15, c12, 0; CCNT MRC p15, 0, <Rt>, c15, c12, 1");
    } else if (v->pmu == READING_PMU_M) {
        say(v, WHY_wrong_encoding, SUSPECT_CERTAIN, 90,
            "an M-profile core has no System register instructions for a PMU",
            "use DWT->CYCCNT (0xE0001004) after DEMCR.TRCENA = 1 and DWT->CTRL |= 1");
    } else if (is_wrong_way(v)) {
        say(v, WHY_wrong_encoding, SUSPECT_CERTAIN, 90,
            v->i.read ? "the register can only be written" : "the register can only be read",
            v->i.a32 ? "PMCR is p15, 0, <Rt>, c9, c12, 0; PMCCNTR p15, 0, <Rt>, c9, c13, 0"
                     : "PMCR_EL0 is S3_3_C9_C12_0, PMCCNTR_EL0 S3_3_C9_C13_0");
    } else if (v->kind == INSTRUCTION_OTHER && v->i.a32 && v->i.coproc == 15 && (v->i.key >> 7 & 15) == 9) {
        say(v, WHY_wrong_encoding, SUSPECT_LIKELY, 88, "no PMU register has these operands",
            "PMCCNTR is p15, 0, <Rt>, c9, c13, 0; PMCR p15, 0, <Rt>, c9, c12, 0; PMUSERENR p15, 0, <Rt>, c9, c14, 0");
    } else if (v->kind == INSTRUCTION_OTHER && !v->i.a32 && v->i.key >> 14 == 3) {
        say(v, WHY_wrong_encoding, SUSPECT_LIKELY, 85, "no PMU register has this encoding",
            "PMCCNTR_EL0 is S3_3_C9_C13_0, PMCR_EL0 S3_3_C9_C12_0; armpmu decode NAME prints others");
    } else {
        return false;
    }
    return true;
}

/* Explains a counter that is beyond N.  Returns false if it is not. */
static bool explain_counter(struct view *v)
{
    bool by_pmcr;
    const unsigned n = counters_of(v, &by_pmcr);
    const struct apmu_core_info *core = v->r->machine.core;
    char cure[400], because[400];

    if (!is_bank(v) || n == 255 || v->place.n < n) {
        return false;
    }
    suspect_text(cure, n != 0 ? "use counters 0 to %d: PMCR.N is %u" : "none is there: PMCR.N is 0", (int)n - 1, n);
    suspect_text(because, "counter %u is not below N, which is %u", v->place.n, n);
    if (by_pmcr && core != NULL && core->counters != 255 && v->place.n < core->counters) {
        say(v, WHY_counter_owned_by_el2, SUSPECT_LIKELY, 88, because, cure);
    } else {
        say(v, WHY_counter_does_not_exist, by_pmcr ? SUSPECT_CERTAIN : SUSPECT_LIKELY, 88, because, cure);
    }
    return true;
}

/* Explains an undefined PMU instruction above EL0. */
static void explain_privileged(struct view *v)
{
    const bool guest = reading_value(&v->r->machine.guest, 0) == 1 || v->r->machine.hypervisor.value > 1;

    if (explain_counter(v)) {
        return;
    }
    if (v->pmu == READING_PMU_APPLE) {
        say(v, WHY_apple_not_pmuv3, SUSPECT_LIKELY, 90, "Apple's cores lack PMUv3's registers",
            "use perf with the apple_*_pmu driver");
    } else if (is_newer(v)) {
        const bool firmware = reading_find(v->r, CLUE_words_el3) != NULL ||
                              reading_find(v->r, CLUE_words_newer) != NULL ||
                              strcasestr(v->r->text.joined, "tf-a") != NULL ||
                              strcasestr(v->r->text.joined, "firmware") != NULL;

        say(v, WHY_el3_traps_newer_registers, SUSPECT_LIKELY, firmware ? 75 : 60,
            "firmware that knows no MDCR_EL3.EnPM2 traps the newer registers",
            "newer firmware (TF-A), which sets MDCR_EL3.EnPM2 (bit 7)");
        say(v, WHY_wrong_encoding, SUSPECT_LIKELY, 70, "this PMU lacks the register, which is of a later version",
            "read ID_AA64DFR0_EL1.PMUVer and ID_AA64DFR1_EL1; use the counters of the older PMU");
    } else {
        say(v, WHY_hypervisor_gives_no_pmu, guest ? SUSPECT_LIKELY : SUSPECT_POSSIBLE, 70,
            "a hypervisor without a vPMU makes it UNDEFINED", "give the guest a vPMU: QEMU -cpu host,pmu=on");
        say(v, WHY_el2_traps_pmu, SUSPECT_POSSIBLE, 40, "EL2 may trap it and inject an undefined instruction", NULL);
    }
}

static void explain_undefined(struct view *v)
{
    if (v->level == 0 && v->pmu == READING_PMU_ARM11 && v->kind == INSTRUCTION_ARM11) {
        say(v, WHY_arm11_v_bit_clear, SUSPECT_LIKELY, 85, "User mode may not read it while the V bit is 0",
            "in a privileged mode: MCR p15, 0, <1>, c15, c9, 0 sets the V bit");
    } else if (!explain_encoding(v) && is_pmu(v)) {
        if (v->level == 0 || (v->level == NOT_KNOWN && v->signal == 4)) {
            explain_el0(v, SUSPECT_LIKELY);
        } else if (v->level != NOT_KNOWN) {
            explain_privileged(v);
        } else if (!explain_counter(v)) {
            suspect_ask(v->all, 70,
                "the Exception level of the code (SPSR, CPSR or PSTATE of the exception, or CurrentEL), and "
                                    "whether a hypervisor runs: %s was refused", v->spelled);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Other reports.
 */

static void explain_m_fault(struct view *v)
{
    const struct clue *c = reading_find(v->r, CLUE_exception_m_fault), *core = reading_find(v->r, CLUE_words_m_core);
    char because[400];
    struct suspect *s;

    if (c == NULL) {
        return;
    }
    if ((c->values[0] & UINT64_C(0x90000)) != 0) {
        suspect_text(because, "CFSR 0x%08X: %s; an M-profile core has no coprocessor 15", (unsigned)c->values[0],
                     (c->values[0] & 0x80000) != 0 ? "NOCP" : "UNDEFINSTR");
        s = suspect_add(v->all, WHY_wrong_encoding, SUSPECT_LIKELY, c->line, because,
                        "use DWT->CYCCNT (0xE0001004) after DEMCR.TRCENA = 1 and DWT->CTRL |= 1");
        s->weight = 85;
    }
    if ((c->values[1] & ~UINT64_C(0xFFF)) == 0xE0001000 || (c->values[1] & ~UINT64_C(0xFFF)) == 0xE0003000) {
        suspect_text(because, "BFAR 0x%08X: a bus fault at the address of the DWT or the PMU", (unsigned)c->values[1]);
        s = suspect_add(v->all, core != NULL &&
            core->values[0] == 0 ? WHY_m_profile_no_cyccnt : WHY_m_profile_trcena_or_lock,
                        SUSPECT_LIKELY, c->line, because, NULL);
        s->weight = 80;
    }
}

/* Explains disassembly that reads the generic timer and no counter. */
static void explain_timer(struct view *v)
{
    const struct clue *timer = NULL;

    if (reading_kind(v->r) == READING_CODE) {
        return; /* the rules on code know what else the code reads */
    }
    for (const struct clue *c = NULL; (c = reading_next(v->r, CLUE_exception_instruction, c)) != NULL;) {
        const struct names_instruction i = exception_unpack(c->values[0]);
        struct names_place place;
        const enum instruction_kind kind = instruction_place(&i, &place);

        if (kind == INSTRUCTION_PMU || kind == INSTRUCTION_ARM11 || !i.read) {
            return;
        }
        timer = kind == INSTRUCTION_TIMER ? c : timer;
    }
    if (v->r->code != NULL && v->r->code->facts[CODE_HAS_LICENCE] != 0) {
        return; /* a file of a project complains of nothing */
    }
    if (timer != NULL && (v->r->sees[READING_stuck] || v->r->sees[READING_small] || v->r->sees[READING_zero] ||
                          v->r->sees[READING_differs] || v->r->sees[READING_wraps] ||
                          reading_find(v->r, CLUE_words_cycle_counter) != NULL ||
                          reading_find(v->r, CLUE_words_reads_cycle) != NULL)) {
        const struct names_instruction i = exception_unpack(timer->values[0]);

        take_instruction(v, &i, timer->line);
        say(v, WHY_cntvct_not_pmccntr, SUSPECT_LIKELY, 90, "it reads the generic timer, which counts at CNTFRQ_EL0",
            "MRS <Xt>, PMCCNTR_EL0 (S3_3_C9_C13_0) reads the cycle counter; or let perf count cycles");
    }
}

/* Returns true if one of the three lines after @number uses the lower half of X<rt> only. */
static bool is_cut(const struct text *t, uint32_t number, unsigned rt)
{
    const size_t first = text_find(t, number) + 1;
    char reg[8];

    snprintf(reg, sizeof reg, "w%u", rt);
    for (size_t i = first; i < first + 3 && i < t->count; i++) {
        for (const char *at = t->lines[i].text; (at = strstr(at, reg)) != NULL; at++) {
            const char behind = at[strlen(reg)];

            if (at != t->lines[i].text && strchr(" ,\t", at[-1]) != NULL && (behind < '0' || behind > '9')) {
                return true;
            }
        }
    }
    return false;
}

/* Explains disassembly that keeps a W register of a 64-bit count. */
static void explain_halves(struct view *v)
{
    if (!v->r->sees[READING_small] && !v->r->sees[READING_wraps] && !v->r->sees[READING_large]) {
        return;
    }
    for (const struct clue *c = NULL; (c = reading_next(v->r, CLUE_exception_instruction, c)) != NULL;) {
        const struct names_instruction i = exception_unpack(c->values[0]);

        if (!i.a32 && i.read && is_cut(&v->r->text, c->line, i.rt)) {
            take_instruction(v, &i, c->line);
            if (strncmp(v->name, "PMCCNTR", 7) == 0 || strncmp(v->name, "PMEVCNTR", 8) == 0) {
                say(v, WHY_count_truncated_to_32_bits, SUSPECT_LIKELY, 95,
                    "the code keeps the W register, 32 bits of it",
                    "keep the X register: uint64_t (unsigned long) for the count and for the difference");
                suspect_clear(v->all, WHY_wraps_at_32_bits);
                return;
            }
        }
    }
}

/* Explains a counter that has one value at several halts, between which the core did not run. */
static void explain_halts(struct view *v)
{
    if (reading_find(v->r, CLUE_exception_debugger) == NULL || reading_find(v->r, CLUE_exception_resumes) != NULL ||
        v->faulted || reading_find(v->r, CLUE_words_halted) == NULL) {
        return;
    }
    for (size_t k = 0; k < v->r->state_count; k++) {
        const struct state_cell *cell = state_cell(&v->r->states[k], APMU_REG_PMCCNTR_EL0, 0);

        if (cell->times > 1 && !cell->moved) {
            v->line = cell->line;
            strcpy(v->spelled, "PMCCNTR");
            say(v, WHY_halted_in_debug_state, SUSPECT_LIKELY, 80, "the core did not run between the two reads",
                "let it run (continue) between the two reads");
            return;
        }
    }
}

void rules_exception(const struct rules_input *in, struct suspects *all)
{
    const struct code *code = in->r->code;
    struct view *v;

    if (code != NULL && code->facts[CODE_HAS_LICENCE] != 0 && in->r->said == NULL) {
        return; /* a file of a project: its instructions are no exceptions */
    }
    v = cli_allocate(NULL, 1, sizeof *v);
    memset(v, 0, sizeof *v);
    v->r = in->r;
    v->in = in;
    v->all = all;
    look(v);
    v->faulted = v->faulted && reading_find(v->r, CLUE_linux_translator) == NULL; /* Valgrind's fault, not the CPU's */
    explain_m_fault(v);
    if (v->found && v->trapped) {
        if (v->target == 3) { /* from below, also where the text is of the handler at EL3 */
            explain_trap_to_el3(v);
        } else if (v->target == 2) {
            explain_trap_to_el2(v);
        } else if (v->level == 0 && is_pmu(v)) {
            explain_el0(v, SUSPECT_CERTAIN);
        }
    } else if (v->found && v->faulted && v->undefined) {
        explain_undefined(v);
    } else if (v->faulted && !v->found && (v->undefined || v->target != NOT_KNOWN) && v->signal != 7) {
        suspect_ask(all, 80,
            "the instruction that faulted: the word at ELR or PC (x/i $pc in GDB, objdump -d around the "
                             "address), and ESR with SPSR of the level that took the exception");
    }
    if (v->signal == 7) {
        struct suspect *s = suspect_add(all, WHY_external_view_locked, SUSPECT_LIKELY, 0,
                                        "a bus error at the registers of the external view", NULL);

        s->weight = 70;
    }
    explain_timer(v);
    explain_halves(v);
    explain_halts(v);
    free(v);
}
