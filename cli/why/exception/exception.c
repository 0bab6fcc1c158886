/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds what an exception is of, and chooses the rules that explain it. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "../../read/code/code.h"
#include "exception.h"

void exception_take(struct exception_view *v, const struct names_instruction *i, uint32_t line)
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

    return c == NULL ? EXCEPTION_NO_LEVEL : c->values[0];
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
static void find_instruction(struct exception_view *v)
{
    const struct clue *first = NULL;
    size_t count = 0;

    for (const struct clue *c = NULL; (c = reading_next(v->r, CLUE_exception_instruction, c)) != NULL && count < 500;) {
        struct names_instruction i = exception_unpack(c->values[0]);

        if ((c->values[0] & EXCEPTION_FAULTED) != 0) {
            exception_take(v, &i, c->line);
            return;
        }
        first = first == NULL ? c : first;
        count++;
    }
    if (first != NULL && v->faulted && (count == 1 || v->signal == 4)) {
        struct names_instruction i = exception_unpack(first->values[0]); /* a program gets no further than this */

        exception_take(v, &i, first->line);
    }
}

/* Finds the instruction, the levels and the kind of the exception. */
static void look(struct exception_view *v)
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
               : reading_find(v->r, CLUE_words_unprivileged) != NULL      ? 0
                                                                          : EXCEPTION_NO_LEVEL;
    v->trapped = esr != NULL && instruction_of_syndrome((unsigned)ec, (uint32_t)esr->values[0] & 0x1FFFFFF, &i);
    v->undefined = (esr != NULL && ec == 0) || reading_find(v->r, CLUE_exception_undefined) != NULL || v->signal == 4;
    v->faulted = v->trapped || v->undefined || panic != EXCEPTION_NO_LEVEL || v->signal != 0;
    if (v->trapped) {
        exception_take(v, &i, esr->line);
    } else if (esr == NULL || ec == 0) {
        find_instruction(v);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Helpers of rules.
 */

void exception_say(struct exception_view *v, enum why_cause_id cause, enum suspect_confidence confidence,
                   unsigned weight, const char *because, const char *cure)
{
    char text[400];
    struct suspect *s;

    suspect_text(text, "%s: %s", v->spelled, because);
    if (confidence != SUSPECT_POSSIBLE) { /* an exception shows more than the rules that cleared it looked at */
        suspect_allow(v->all, cause);
    }
    s = suspect_add(v->all, cause, confidence, v->line, text, cure);
    s->weight = weight;
}

bool exception_is_bank(const struct exception_view *v)
{
    return v->kind == INSTRUCTION_PMU &&
           (v->place.reg == APMU_REG_PMEVCNTR_EL0 || v->place.reg == APMU_REG_PMEVTYPER_EL0);
}

bool exception_is_newer(const struct exception_view *v)
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

bool exception_is_pmu(const struct exception_view *v)
{
    return (v->kind == INSTRUCTION_PMU && (strncmp(v->name, "PM", 2) == 0 || exception_is_newer(v))) ||
           v->kind == INSTRUCTION_ARM11;
}

/* Returns true if one of @words, which NULL ends, stands in the text as a word, and the text does not deny it. */
static bool names_one(const struct reading *r, const char *const *words)
{
    const char *text = r->text.joined;

    for (; *words != NULL; words++) {
        const size_t length = strlen(*words);

        for (const char *at = strcasestr(text, *words); at != NULL; at = strcasestr(at + 1, *words)) {
            if ((at == text || !text_is_word(at[-1])) && !text_is_word(at[length]) &&
                !text_denies(text, (size_t)(at - text))) {
                return true;
            }
        }
    }
    return false;
}

/*
 * Returns true if the input speaks of instructions that not every core has, and of no register of the PMU: the
 * instruction that faulted, which is not shown, may be one of these.
 */
static bool may_lack_instructions(const struct reading *r)
{
    static const char *const extensions[] = {"sve", "sve2", "sme", "sme2", "bf16", "i8mm", "dotprod", "fp16", "lse",
                                             "crypto", "sha3", "armv9-a", "neon", "pauth", "mops", NULL};
    static const char *const registers[] = {"pmccntr", "pmccntr_el0", "pmcr", "pmcr_el0", "pmuserenr", "rdpmc",
                                            "pmuserenr_el0", "pmevcntr0_el0", "pmxevcntr_el0", "pmselr_el0",
                                            "pmcntenset_el0", "perf_user_access", "c9, c13", "c9,c13", "c9", "mrc",
                                            "mrs", "pmicntr_el0", NULL};

    return r->text.joined != NULL && names_one(r, extensions) && !names_one(r, registers);
}

/*
 * Clears the causes of an access that EL0 is refused, where the instruction that faulted is shown and accesses no PMU,
 * where it may as well be one of an extension that the core lacks, or where the exception came from above EL0.
 */
static void clear_refusals(const struct exception_view *v, struct suspects *all)
{
    static const enum why_cause_id refusals[] = {WHY_el0_access_off, WHY_el0_access_off_aarch32, WHY_perf_user_access_0,
                                                 WHY_enabled_on_one_cpu_only, WHY_perf_takes_el0_access_away,
                                                 WHY_el0_write_not_allowed, WHY_perf_user_access_not_requested};
    const struct reading *r = v->r;
    const bool above = v->level != EXCEPTION_NO_LEVEL && v->level >= 1;

    if (reading_find(r, CLUE_exception_opcode) == NULL && reading_find(r, CLUE_linux_opcode) == NULL &&
        !may_lack_instructions(r) && !above) {
        return;
    }
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        suspect_clear(all, refusals[i]);
    }
    all->doubtful = true; /* it faults here, even if it works elsewhere */
}

/*
 * Returns true if all that is known of the syndrome is the class of a trapped access of a System register.  Such a
 * register is there, but which level traps which access of it nobody knows.
 */
static bool is_bare_trap(const struct exception_view *v)
{
    static const uint8_t classes[] = {0x03, 0x04, 0x05, 0x08, 0x0C, 0x18}; /* MCR or MRC, MCRR or MRRC, MSR or MRS */
    const struct clue *c = reading_find(v->r, CLUE_exception_class);

    return !v->trapped && !v->found && c != NULL && c->values[0] <= 0x3F &&
           memchr(classes, (int)c->values[0], sizeof classes) != NULL;
}

void rules_exception(const struct rules_input *in, struct suspects *all)
{
    const struct code *code = in->r->code;
    struct exception_view *v;

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
    exception_explain_m_fault(v);
    if (v->found && v->trapped) {
        if (v->target == 3) { /* from below, also where the text is of the handler at EL3 */
            exception_explain_el3(v);
        } else if (v->target == 2) {
            exception_explain_el2(v);
        } else if (v->level == 0 && exception_is_pmu(v)) {
            exception_explain_el0(v, SUSPECT_CERTAIN);
        }
    } else if (v->found && v->faulted && v->undefined) {
        exception_explain_undefined(v);
    } else if (is_bare_trap(v)) {
        suspect_clear(all, WHY_wrong_encoding);
        suspect_ask(all, 85, "the rest of ESR and the Exception level that took the exception: ISS says which register "
                             "is read or written, ELR where (x/i, objdump -d); EL1 refuses EL0 by PMUSERENR_EL0, EL2 "
                             "traps by MDCR_EL2, EL3 by MDCR_EL3");
    } else if (v->faulted && !v->found && (v->undefined || v->target != EXCEPTION_NO_LEVEL) && v->signal != 7) {
        suspect_ask(all, 80,
            "the instruction that faulted: the word at ELR or PC (x/i $pc in GDB, objdump -d around the "
                             "address), and ESR with SPSR of the level that took the exception");
        clear_refusals(v, all);
    }
    if (v->signal == 7) {
        struct suspect *s = suspect_add(all, WHY_external_view_locked, SUSPECT_LIKELY, 0,
                                        "a bus error at the registers of the external view", NULL);

        s->weight = 70;
    }
    exception_explain_abort(v);
    exception_explain_timer(v);
    exception_explain_halves(v);
    exception_explain_halts(v);
    free(v);
}
