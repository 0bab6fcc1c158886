/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains other reports: faults of M-profile cores, disassembly, halts. */
#include <stdio.h>
#include <string.h>

#include "../../read/code/code.h"
#include "exception.h"

void exception_explain_m_fault(struct exception_view *v)
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
    if ((c->values[1] & ~UINT64_C(0xFFF)) == 0xE0003000 && core != NULL && !rules_has_m_pmu(core->values[0])) {
        suspect_text(because,
                     "BFAR 0x%08X: this is the PMU of Armv8.1-M (Cortex-M52, M55, M85), and a %s has none there",
                     (unsigned)c->values[1], core->words);
        s = suspect_add(v->all, WHY_wrong_encoding, SUSPECT_CERTAIN, c->line, because,
                        "use the DWT: DEMCR.TRCENA = 1, DWT_CTRL (0xE0001000) bit 0 = 1, and read DWT_CYCCNT "
                        "(0xE0001004)");
        s->weight = 84;
    } else if ((c->values[1] & ~UINT64_C(0xFFF)) == 0xE0001000 || (c->values[1] & ~UINT64_C(0xFFF)) == 0xE0003000) {
        suspect_text(because, "BFAR 0x%08X: a bus fault at the address of the DWT or the PMU", (unsigned)c->values[1]);
        s = suspect_add(v->all, core != NULL &&
            core->values[0] == 0 ? WHY_m_profile_no_cyccnt : WHY_m_profile_trcena_or_lock,
                        SUSPECT_LIKELY, c->line, because, NULL);
        s->weight = 80;
    }
}

void exception_explain_timer(struct exception_view *v)
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

        exception_take(v, &i, timer->line);
        exception_say(v, WHY_cntvct_not_pmccntr, SUSPECT_LIKELY, 90,
            "it reads the generic timer, which counts at CNTFRQ_EL0",
            i.a32 ? "MRC p15, 0, <Rt>, c9, c13, 0 reads PMCCNTR, the cycle counter; or let perf count cycles"
                  : "MRS <Xt>, PMCCNTR_EL0 (S3_3_C9_C13_0) reads the cycle counter; or let perf count cycles");
        suspect_clear(v->all, WHY_divide_by_64);
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

void exception_explain_halves(struct exception_view *v)
{
    if (!v->r->sees[READING_small] && !v->r->sees[READING_wraps] && !v->r->sees[READING_large]) {
        return;
    }
    for (const struct clue *c = NULL; (c = reading_next(v->r, CLUE_exception_instruction, c)) != NULL;) {
        const struct names_instruction i = exception_unpack(c->values[0]);

        if (!i.a32 && i.read && is_cut(&v->r->text, c->line, i.rt)) {
            exception_take(v, &i, c->line);
            if (strncmp(v->name, "PMCCNTR", 7) == 0 || strncmp(v->name, "PMEVCNTR", 8) == 0) {
                exception_say(v, WHY_count_truncated_to_32_bits, SUSPECT_LIKELY, 95,
                    "the code keeps the W register, 32 bits of it",
                    "keep the X register: uint64_t (unsigned long) for the count and for the difference");
                suspect_clear(v->all, WHY_wraps_at_32_bits);
                return;
            }
        }
    }
}

void exception_explain_halts(struct exception_view *v)
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
            exception_say(v, WHY_halted_in_debug_state, SUSPECT_LIKELY, 80,
                "the core did not run between the two reads",
                "let it run (continue) between the two reads");
            return;
        }
    }
}
