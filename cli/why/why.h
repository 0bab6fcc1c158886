/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of `armpmu why` and `armpmu audit` share: a state, the verdicts about it, and what was found. */
#ifndef ARMPMU_CLI_WHY_H
#define ARMPMU_CLI_WHY_H

#include <armpmu/explain.h>
#include <jansson.h>

#include "../state/state.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Verdicts (find.c).
 */

/**
 * How often one command may ask the model for all of its verdicts, or for all of its cures: a fraction of a second.  It
 * is a count and no time, so that a command gives the same answer on every machine.
 */
#define WHY_WORK (UINT64_C(1) << 21)

/** A state, what is asked about it, and the verdicts. */
struct why {
    const struct state *state;
    struct state_model model;
    struct apmu_facts facts;
    unsigned states;   /**< asked for: a set of APMU_STATE(x) */
    uint64_t counters; /**< asked for: bit n is counter n */
    uint64_t in_use;   /**< those of .counters that software has set up; all of them if it has set up none */
    struct apmu_verdict verdicts[APMU_COUNTERS][APMU_STATE_COUNT];
    struct apmu_counter_setup setups[APMU_COUNTERS];
    struct apmu_reach reach[2][APMU_COUNTERS][APMU_STATE_COUNT]; /**< of those in use; [1]: in AArch32 state */
};

/** The order in which the states are printed. */
extern const enum apmu_state why_order[APMU_STATE_COUNT];

/** Fills .state, .model and .facts of @w from @s, and asks for all states and counters. */
void why_begin(struct why *w, const struct state *s);
/** Returns the facts of @w with the PE in @state. */
struct apmu_facts why_at(const struct why *w, enum apmu_state state);
/** Fills .in_use, .verdicts and .setups of what is asked for, within @work questions to the model. */
void why_decide(struct why *w, uint64_t work);
/** Fills .reach, the reads of the counters in use.  why_decide() comes first. */
void why_readers(struct why *w);
/** Returns true if the PE can be in AArch32 state in @state. */
bool why_has_a32(const struct why *w, enum apmu_state state);
/** Returns true if the PE can be in AArch64 state in @state. */
bool why_has_a64(const struct why *w, enum apmu_state state);

/* ---------------------------------------------------------------------------------------------------------------
 * Reasons in words (reasons.c, find.c).
 */

/** One reason with the values that make it hold, and where it holds. */
struct why_finding {
    enum apmu_reason reason;
    bool maybe;                       /**< it depends on what is not known */
    char quote[200];                  /**< "PMCR_EL0.E = 0", or "no, if MDCR_EL2.HPMD is 1"; n is the counter */
    char origin[128];                 /**< of the first register: "dump.txt:3"; "" if it is not known */
    uint64_t where[APMU_STATE_COUNT]; /**< counters by state */
};

/** Returns all findings, *count of them; those that hold for sure come first.  The caller frees them. */
struct why_finding *why_findings(const struct why *w, size_t *count);
/**
 * Returns true if some verdicts would differ were the undecided feature @bit not as the model assumes.  .where of
 * @differ says which.
 */
bool why_feature_matters(const struct why *w, unsigned bit, struct why_finding *differ);

/** Appends to the string in @buf, of @size bytes.  What does not fit is lost. */
void why_append(char *buf, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/** Returns what separates the next item of a list in @buf from the last: ", ", or "" before the first item. */
const char *why_comma(const char *buf);
/** Returns "cycle", "instr" or the number. */
const char *why_counter_name(unsigned n, char buf[8]);
/** Writes a set of counters as "cycle, 0-5".  Returns @buf. */
const char *why_counter_list(uint64_t set, char buf[96]);
/** Returns a set of states as "NS EL0, NS EL1", or "everywhere" if it is @all and has several. */
const char *why_state_list(unsigned set, unsigned all, char buf[128]);
/** Writes a state as "NS EL1".  Returns @buf. */
const char *why_state_word(enum apmu_state state, char buf[16]);

/* ---------------------------------------------------------------------------------------------------------------
 * Causes (causes.def, causes.c, symptoms.c).
 */

/** What users see: the CAUSE_SYMPTOM rows. */
enum why_symptom {
#define CAUSE_SYMPTOM(id, text) WHY_SYMPTOM_##id,
#include "causes.def"
    WHY_SYMPTOM_COUNT
};

/** The rows of causes.def, by number: no two can have the same. */
enum why_cause_row {
#define CAUSE(number, symptom, text, sign, check, cure, test) WHY_CAUSE_##number,
#define CAUSE_OUTSIDE(number, symptom, text, sign, check, cure) WHY_CAUSE_##number,
#include "causes.def"
    WHY_CAUSE_COUNT
};

struct cause_context;

/** A row of causes.def. */
struct why_cause {
    unsigned number;
    enum why_symptom symptom;
    const char *text, *sign, *check, *cure;
    bool (*test)(const struct cause_context *c); /**< NULL: no register shows it */
};

extern const struct why_cause why_causes[WHY_CAUSE_COUNT];

/** Causes that a state shows, in the order of the table. */
struct why_cause_list {
    size_t count;
    const struct why_cause *causes[WHY_CAUSE_COUNT];
};

/**
 * Finds the causes that the state of @w shows; why_decide() and why_readers() come first.  @arm11 is NULL, or the ARM11
 * unit; then only .state of @w is looked at.
 */
void why_find_causes(const struct why *w, const struct state_arm11 *arm11, struct why_cause_list *found);
/** Returns the id of a symptom: "zero". */
const char *why_symptom_id(enum why_symptom symptom);
/** Prints the causes of the symptom or with the number @which, or all with "all".  Returns an exit status. */
int why_symptoms(const struct cli_args *args, const char *which, bool json);

/* ---------------------------------------------------------------------------------------------------------------
 * Output (text.c, json.c, cure.c, arm11.c).
 */

void why_print(const struct why *w, bool colour);
/** Prints a list of causes under its heading, if there are any. */
void why_print_causes(const struct why_cause_list *list, bool colour);
/** Prints everything as JSON.  Returns an exit status. */
int why_json(const struct why *w, const struct cli_args *args);
/** Prints @object as JSON and releases it.  Returns an exit status. */
int why_dump(const struct cli_args *args, json_t *object);
/** Returns a cause as JSON. */
json_t *why_json_cause(const struct why_cause *cause);
/** Returns a list of causes as JSON. */
json_t *why_json_causes(const struct why_cause_list *list);

enum why_code { WHY_TEXT, WHY_C, WHY_MSR };
/** Prints a cure for each counter in use and state asked for.  @level is apmu_cure()'s.  Returns an exit status. */
int why_cure(const struct why *w, const struct cli_args *args, unsigned level, enum why_code code);

/** Prints everything about the ARM11 unit of @s.  Returns an exit status. */
int why_arm11(const struct state *s, const struct cli_args *args, bool json, bool colour);
/** Finds the reasons of counter @n: *always, whatever the input does not say; *maybe, for some of its values. */
void why_arm11_ask(const struct state *s, const struct state_arm11 *m, enum apmu_arm11_counter n, uint64_t *always,
                   uint64_t *maybe);

#endif
