/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the rules on code share: what the accesses do to the PMU, step by step. */
#ifndef ARMPMU_CLI_WHY_CODE_H
#define ARMPMU_CLI_WHY_CODE_H

#include "../../read/code/code.h"
#include "../rules.h"

#define CODE_CYCLE 31 /* the cycle counter, as its bit in PMCNTENSET */
#define CODE_LOCK_KEY UINT64_C(0xC5ACCE55) /* what opens the software lock: PMLAR, DWT_LAR */

/* A register, as far as the code has told it. */
struct code_cell {
    struct code_value value;
    uint64_t maybe;        /* bits that were written with a value that is not known */
    uint32_t line, column; /* of the last write; 0: never written */
    size_t step;
};

/* The registers at some step. */
struct code_state {
    struct code_cell pmcr, cnten, inten, selr, userenr, mdcr2, mdcr3, hcr, scr, sder, demcr, dwt;
    struct code_cell types[32]; /* PMEVTYPER<n>, and [31] PMCCFILTR */
    bool ever_e;
};

struct code_case {
    const struct rules_input *in;
    const struct reading *r;
    const struct code *c;
    struct suspects *all;
    enum reading_place place;
    unsigned el; /* where the code runs; 1 if nothing says it */
    bool el_known;
    bool secure, aarch32, arm11, m_profile;
    bool differs; /**< a difference of values is computed somewhere */
    bool user;    /* a program of an operating system */
    bool granted; /* something says that EL0 has access */
    const struct apmu_core_info *core;
    const struct cure_form *form; /* the language of cures */
    struct code_state *states; /* after each step */
    struct code_state last;    /* after all */
    bool handlers_alone;       /* nothing but handlers writes PMCR and PMCNTENSET */
    bool set_up;               /* PMCR or PMCNTENSET is written */
    bool reads;                /* a counter is read */
    uint32_t used;             /* counters that are read, typed or enabled: bit 31 the cycle counter */
    uint32_t read_counters, typed, enabled;
    bool sees[READING_SYMPTOMS]; /* what the writer sees; all false unless he complains of something */
    bool complains;
    bool ranges; /* the comments give ranges of counts */
    uint32_t read_lines[32]; /* the line of the first read of each counter */
};

/* Returns the counter that step @s accesses (31: cycles), or -1. */
int code_counter_of(const struct code_case *k, size_t step);
/* Returns true if @s accesses register @reg in the way of @act. */
static inline bool code_does(const struct code_step *s, enum code_act act, enum code_register reg)
{
    return s->act == act && s->reg == reg;
}
/* Writes how this code writes @value to @reg: an instruction, write_sysreg() or a store.  Returns @buf. */
const char *code_write_text(const struct code_case *k, enum code_register reg, unsigned n, const char *value,
                            char buf[160]);
/* Writes an instruction that reads @reg.  Returns @buf. */
const char *code_read_text(const struct code_case *k, enum code_register reg, unsigned n, char buf[160]);
/* Returns "isb" in the manner of this code. */
const char *code_isb_text(const struct code_case *k);
const char *code_name_text(const struct code_case *k, enum code_register reg, unsigned n, char buf[32]);
/* Adds a suspect at step @step: the line is quoted, and @text and @cure are formats' results. */
struct suspect *code_suspect(const struct code_case *k, enum why_cause_id cause, enum suspect_confidence confidence,
                             size_t step, const char *text, const char *cure);
/* Returns true if @reg holds a count. */
bool code_is_count(enum code_register reg);
/* Returns true if the writer speaks of EL0, or of what runs there, and of a counter that is read. */
bool code_says_el0(const struct code_case *k);
/* Returns true if the writer complains of something. */
bool code_complains(const struct code_case *k);
/** Returns the symptoms that comments show as values, "begin == end, always": a set of 1 << READING_... */
unsigned code_shown(const struct code *code);
/**
 * Returns true if a comment may complain, in words or numbers that no symptom has.  That keeps "nothing wrong"
 * away, and is evidence of nothing else.
 */
bool code_hints(const struct code *code);
/* Returns true if the text (code and comments) of the lines @from to @to has @word, in any case of letters. */
bool code_says(const struct code_case *k, const char *word);
bool code_comment_says(const struct code_comment *comment, const char *word);
/* Returns true if what the writer said beside the text has @word. */
bool code_says_beside(const struct code_case *k, const char *word);
/* Returns true if it has one of the @count words. */
bool code_says_any(const struct code_case *k, const char *const words[], size_t count);
/* Returns true if line @line has @part anywhere, in this case of letters. */
bool code_line_part(const struct code_case *k, uint32_t line, const char *part);
bool code_line_says(const struct code_case *k, uint32_t line, const char *word);
/* Returns true if function @function of the code has @word in its name. */
bool code_function_says(const struct code_case *k, unsigned function, const char *word);
/* Returns the last step at or before @step that is within line @line; for findings of what is missing. */
size_t code_last_write(const struct code_case *k, enum code_register reg);

void code_simulate(struct code_case *k);
/* Finds out what the writer sees, and whether he complains of it: k->sees, k->ranges and k->complains. */
void code_find_complaint(struct code_case *k);
/* Returns true if the code reaches the PMU through the memory-mapped view alone, so that of a core of its choice. */
bool code_is_outside(const struct code_case *k);
/* Returns true if the comments name several cores: Cortex-R5 and Cortex-A53. */
bool code_names_cores(const struct code_case *k);
/* Returns true if the comments say that one CPU alone runs. */
bool code_runs_alone(const struct code_case *k);
/* Returns true if the entry of the other cores, or what it calls, sets the PMU up. */
bool code_sets_up_each_core(const struct code_case *k);
/* Returns true if step @step is in a function that each CPU runs. */
bool code_is_per_cpu(const struct code_case *k, size_t step);
/* Returns true if all that each CPU runs is shown, and enables and grants nothing: it is the end of a module. */
bool code_each_cpu_undoes(const struct code_case *k);
/* Returns the counters that the comments speak of. */
uint32_t code_mentioned(const struct code_case *k);
/* Takes the counter that the writer complains of for one that the code reads, where it reads none. */
void code_take_mentioned(struct code_case *k);
/* Returns true if the code multiplies by 64, and nobody sees too little or comments want that. */
bool code_multiplies_by_64(const struct code_case *k);
/* Returns true if that is so and D of PMCR, or of ARM11's PMNC, is 1. */
bool code_wants_divider(const struct code_case *k);
/* Returns true if the writer wants the programs at EL0 alone counted. */
bool code_wants_user_alone(const struct code_case *k);
/* Returns true if the code subtracts modulo 2^32, comments say that this is enough, and nobody sees that it is not. */
bool code_deals_with_wraps(const struct code_case *k);
/* Fills the remedies of the suspects, if somebody asks for them. */
void code_make_remedies(const struct code_case *k);
/* Finds the value of PMUSERENR that a comment states, "PMUSERENR_EL0 = 0xC", "CR | ER". */
bool code_stated_grant(const struct code_case *k, uint64_t *value);
/* Returns what PMUSERENR is while EL0 runs: what a function grants, and not the 0 by which another revokes it. */
const struct code_value *code_granted(const struct code_case *k);
/* Returns true if the name of @function speaks of EL0 as its module does: "el0cycles_show", "el0cycles_grant". */
bool code_is_of_granter(const struct code_case *k, unsigned function, unsigned granter);
/* The rules. */
void rules_code_model(struct code_case *k);
void rules_code_counters(struct code_case *k);
/* Finds code that asks an ID register or a variable about the PMU: identity.c. */
void code_check_identity(struct code_case *k);
void rules_code_masks(struct code_case *k);
void rules_code_encodings(struct code_case *k);
void rules_code_sync(struct code_case *k);
void rules_code_regions(struct code_case *k);
void rules_code_widths(struct code_case *k);
void rules_code_printed(struct code_case *k);
void rules_code_events(struct code_case *k);
void rules_code_modes(struct code_case *k);
void rules_code_late(struct code_case *k);
void rules_code_periods(struct code_case *k);
/* Checks event @event, which line @line programs, against the words beside it.  Returns true if they differ. */
bool code_check_event_words(struct code_case *k, uint32_t line, uint32_t column, unsigned event, bool single,
                            bool assembly);
/* What the number of an event is for its name. */
enum code_event_judgement {
    CODE_EVENT_OTHER,   /* the name says no event */
    CODE_EVENT_RIGHT,
    CODE_EVENT_WRONG,
    CODE_EVENT_DECIMAL, /* it would be right with these digits as hexadecimal ones */
};
enum code_event_judgement code_judge_event(const struct apmu_core_info *core, const char *name, unsigned event,
                                           bool decimal);
/* Writes what is wrong with @event for the words @text, and the event to write instead. */
void code_explain_event(const struct apmu_core_info *core, const char *text, unsigned event, bool decimal,
                        char because[400], char cure[400]);
void rules_code_tables(struct code_case *k);
void rules_code_interrupts(struct code_case *k);
void rules_code_place(struct code_case *k);
void rules_code_m(struct code_case *k);
void rules_code_arm11(struct code_case *k);
void rules_code_firmware(struct code_case *k);
void rules_code_perf(struct code_case *k);
/* Returns true if the comments say that perf_event_open() fails, for another reason than permission. */
bool code_perf_fails(const struct code_case *k);

#endif
