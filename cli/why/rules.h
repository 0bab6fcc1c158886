/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules turn a reading into suspects: causes that the input shows, each with the line that shows it and the cure of
 * this case.  verdict.c orders them.
 */
#ifndef ARMPMU_CLI_WHY_RULES_H
#define ARMPMU_CLI_WHY_RULES_H

#include "../read/reading.h"
#include "form.h"
#include "why.h"

/** How sure a suspect is.  The order of the verdict follows it first. */
enum suspect_confidence {
    SUSPECT_POSSIBLE, /**< nothing in the input contradicts it, and it is usual where such an input comes from */
    SUSPECT_LIKELY,   /**< the input shows it, unless something that is not shown makes up for it */
    SUSPECT_CERTAIN,  /**< the model proves it, or a line of the input says it */
};

/** A cause that an input shows. */
struct suspect {
    enum why_cause_id cause;
    enum suspect_confidence confidence;
    unsigned weight; /**< within a confidence: 0 to 100, usually 50 */
    uint32_t line;   /**< the line that shows it, from 1; 0: none */
    uint32_t column; /**< from 1; 0: the whole line */
    char because[400];
    char cure[400];
    char look[200];  /**< what to look at to be sure; "": the check of the causes' table */
    uint64_t counters; /**< the counters that it concerns, if the rule says so: bit n is counter n */
    bool spoken;       /**< words alone tell of it */
    bool call;         /**< the cure is a call of a function, and no write of a register */
    bool follows;      /**< it follows from a surer one: see suspect_follow() */
};

#define LESS_SURE 3 /* suspects that are kept for -v; the least sure ones are left out */
#define QUESTIONS 16 /* questions that are kept; less weighty ones are left out */

/** Something that would tell open causes apart: a register or a command. */
struct question {
    unsigned weight; /**< 0 to 100: how many of the open causes it decides, and how easily the reader can do it */
    char text[300];
};

/** What the rules say. */
struct suspects {
    size_t count;
    struct suspect list[WHY_CAUSE_IDS]; /**< one for each cause at most */
    size_t less_count;
    struct suspect less[LESS_SURE]; /**< the first of those that are left out, because they are less sure */
    struct suspect unused; /**< what suspect_add() returns for a suspect that is not kept */
    uint64_t cleared[(WHY_CAUSE_IDS + 63) / 64]; /**< causes that the input shows not to hold: a bit for each id */
    uint64_t followed[(WHY_CAUSE_IDS + 63) / 64]; /**< causes that follow from others: a bit for each id */
    bool doubtful;           /**< something is wrong, and the input does not tell what: it is not "nothing wrong" */
    bool fine;               /**< everything that a cause could come from was seen, and it is right */
    bool foreign;            /**< the input is code that does nothing with the PMU */
    bool aarch32;            /**< the registers or the code are those of AArch32 state */
    bool proven;             /**< and the values of registers prove it, also where they stand in sentences */
    size_t question_count;
    struct question questions[QUESTIONS];
    struct remedy *remedies; /**< by cause: what rules fill if it is not NULL */
};

/** Makes the check of @s one for code at EL3, where the table has one for Secure EL1. */
void suspect_look_at_el3(struct suspect *s);
/**
 * Adds a suspect, or strengthens the one that is there: the surer one's texts are kept.  @because says which line or
 * value shows it, and @cure what to write or to type here; NULL: the texts of the causes' table.  Returns it, so that
 * .weight, .column and .look can be set; the result is valid until the next suspect.
 */
struct suspect *suspect_add(struct suspects *all, enum why_cause_id cause, enum suspect_confidence confidence,
                            uint32_t line, const char *because, const char *cure);
/** Formats texts for suspect_add().  Returns @buf. */
const char *suspect_text(char buf[400], const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Returns the suspect of @cause, or NULL. */
struct suspect *suspect_find(struct suspects *all, enum why_cause_id cause);
/** Says that @cause does not hold.  It stays out of the verdict, whichever rule adds it. */
void suspect_clear(struct suspects *all, enum why_cause_id cause);
/** Takes suspect_clear() back, for a rule that knows better. */
void suspect_allow(struct suspects *all, enum why_cause_id cause);
/** Returns true if suspect_clear() was called for @cause. */
bool suspect_is_cleared(const struct suspects *all, enum why_cause_id cause);
/** Says that @cause, if it is found, follows from another suspect.  It comes after that one, as possible. */
void suspect_follow(struct suspects *all, enum why_cause_id cause);
/** Adds a question for the answer "unknown".  The one with the highest weight is asked. */
void suspect_ask(struct suspects *all, unsigned weight, const char *format, ...) __attribute__((format(printf, 3, 4)));

/**
 * What rules read.  The members but .r and .args may be read by rules_registers() alone, which fills .w.
 */
struct rules_input {
    const struct reading *r;
    const struct cli_args *args;
    unsigned states;   /**< --at: a set of APMU_STATE(x); 0: not given */
    uint64_t counters; /**< --counter: bit n is counter n; 0: not given */
    const struct cure_form *form; /**< the language of cures; verdict_decide() fills it */
};

/* The rules, by what they read.  Each adds suspects, clears causes and asks.  All are called, in this order. */
void rules_code(const struct rules_input *in, struct suspects *all);
void rules_registers(const struct rules_input *in, struct suspects *all);
void rules_linux(const struct rules_input *in, struct suspects *all);
void rules_exception(const struct rules_input *in, struct suspects *all);
/* Finds events' numbers in sentences beside words that mean other events (code/tables.c). */
void rules_event_words(const struct rules_input *in, struct suspects *all);
/* Finds what is missing in code that counts with sessions of this library (sessions.c). */
void rules_sessions(const struct rules_input *in, struct suspects *all);
void rules_words(const struct rules_input *in, struct suspects *all);
/** Returns true if each line of @text that a reader understood is a sentence too. */
bool rules_are_words_only(const struct text *text);
/** Returns true if @text speaks of several threads and does not deny them. */
bool rules_name_threads(const char *text);
/** Returns true if @text names an A- or R-profile core and nothing of the DWT: a Cortex-M may read its frame. */
bool rules_read_other_core(const char *text);
/** Returns true for the numbers of the cores that have the PMU of Armv8.1-M: Cortex-M52, M55 and M85 (code/m.c). */
bool rules_has_m_pmu(uint64_t number);
/** Returns true if @text, which may be NULL, loads a library by Python's ctypes and gives its functions no type. */
bool rules_have_int_results(const char *text);
/**
 * Returns true if a question of @text denies something, "are these not countable?", or asks for a reason: who asks so
 * does not see what he wants, even if something else works.
 */
bool rules_ask_for_reason(const struct text *text);
/**
 * Returns true if values that the sentences give are as they should be, and the writer wonders about them:
 * words_fine.c.
 */
bool rules_values_are_right(const struct reading *r);
/* Adds, or clears, the halted core where a debugger's session or script shows what runs between two reads. */
void rules_debugger(const struct rules_input *in, struct suspects *all);

/* ---------------------------------------------------------------------------------------------------------------
 * How causes hang together (related.def, related.c).
 */

/** Returns true if @effect follows from @cause: a CONSEQUENCE row. */
bool related_is_effect(enum why_cause_id effect, enum why_cause_id cause);
/**
 * Calls suspect_follow() for the suspects that follow from @cause, and suspect_clear() for those that it explains, if
 * they are @at_most so sure.  What is as sure and has more weight is not explained, unless @at_most is surer than
 * @cause.
 */
void related_follow(struct suspects *all, const struct suspect *cause, enum suspect_confidence at_most);
/** Clears the causes that the input rules out (denied.def), if they are merely possible or words alone tell of them. */
void related_deny(struct suspects *all, const struct reading *r);
/** Adds what is possible beside the first suspect of @all, which is ordered, until there are @most. */
void related_alternates(struct suspects *all, const struct reading *r, size_t most);

/* ---------------------------------------------------------------------------------------------------------------
 * Known inputs that are similar (similar.def, similar.c).
 */

/**
 * Adds causes that known inputs with the same words had, as possible, until there are @most, and none that a rule
 * cleared.  It is for an input of which no rule knows the cause; they stand behind the question.
 */
void similar_causes(struct suspects *all, const struct reading *r, size_t most);

/* ---------------------------------------------------------------------------------------------------------------
 * The verdict (verdict.c).
 */

enum verdict_answer { VERDICT_NONE, VERDICT_CAUSES, VERDICT_UNKNOWN };

/** Applies all rules and orders the suspects, the most likely first.  Returns the kind of answer. */
enum verdict_answer verdict_decide(const struct rules_input *in, struct suspects *all);
/**
 * Prints it, with the input's name: five lines at most, then a line for each other suspect.  With @verbose the less
 * sure ones follow.
 */
void verdict_print(const struct reading *r, const struct suspects *all, enum verdict_answer answer, bool verbose,
                   bool colour);
/** Returns it as the array `verdict` of -j. */
json_t *verdict_json(const struct suspects *all, enum verdict_answer answer);

/* instead.c */
#define WHY_INSTEAD 160
/**
 * Writes the events that @core, which may be NULL, has in place of event number @event to @buf: "0x08 INST_RETIRED".
 * Returns it, or NULL if none is known.
 */
const char *why_instead(const struct apmu_core_info *core, unsigned event, char buf[WHY_INSTEAD]);

#endif
