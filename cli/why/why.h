/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the files of `armpmu why` and `armpmu audit` share: a state, verdicts about it, and findings. */
#ifndef ARMPMU_CLI_WHY_H
#define ARMPMU_CLI_WHY_H

#include <armpmu/cores.h>
#include <armpmu/explain.h>
#include <jansson.h>

#include "../read/reading.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Verdicts (find.c).
 */

/**
 * The most questions that one command puts to the model for all of its verdicts, or for all of its cures.  They take a
 * fraction of a second.  The bound is a number and not a time, so a command gives the same answer on every machine.
 */
#define WHY_WORK (UINT64_C(1) << 21)

/** A state, the question about it, and the verdicts. */
struct why {
    const struct state *state; /**< what the input says */
    struct state_model model;  /**< the model of it */
    struct apmu_facts facts;   /**< the same for <armpmu/explain.h> */
    unsigned states;   /**< the states asked for, a set of APMU_STATE(x) */
    uint64_t counters; /**< the counters asked for: bit n is counter n */
    bool aarch32;      /**< the input has names of AArch32 state, and so has the output */
    uint64_t in_use;   /**< the counters of .counters that software has set up; all of them if it has set up none */
    struct apmu_verdict verdicts[APMU_COUNTERS][APMU_STATE_COUNT];
    struct apmu_counter_setup setups[APMU_COUNTERS];
    struct apmu_reach reach[2][APMU_COUNTERS][APMU_STATE_COUNT]; /**< reads of counters in use; [1]: in AArch32 state */
};

/** The order in which the states are printed. */
extern const enum apmu_state why_order[APMU_STATE_COUNT];

/** Fills .state, .model and .facts of @w from @s, and asks for all states and counters. */
void why_begin(struct why *w, const struct state *s);
/** Returns the facts of @w with the PE in @state. */
struct apmu_facts why_at(const struct why *w, enum apmu_state state);
/** Fills .in_use, .verdicts and .setups for the states and counters asked for, with at most @work questions. */
void why_decide(struct why *w, uint64_t work);
/** Fills .reach.  Call why_decide() first. */
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
    bool maybe;                       /**< unknown fields decide whether it holds */
    char quote[200];                  /**< "PMCR_EL0.E = 0", or "no, if MDCR_EL2.HPMD is 1" */
    char origin[128];                 /**< where the first register comes from: "dump.txt:3"; "" if unknown */
    uint32_t line;                    /**< its line; 0: unknown */
    uint64_t where[APMU_STATE_COUNT]; /**< by state: the counters for which it holds */
};

/** Returns all findings, and how many in *@count.  Those that hold for sure come first.  The caller frees them. */
struct why_finding *why_findings(const struct why *w, size_t *count);
/**
 * Returns true if the input does not decide feature @bit, and some verdicts differ with the other decision than the
 * model's.  .where of *@differ says which.
 */
bool why_feature_matters(const struct why *w, unsigned bit, struct why_finding *differ);

/** Appends to the string in @buf, of @size bytes.  Text that does not fit is cut off. */
void why_append(char *buf, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/** Returns the separator before the next item of a list in @buf: ", ", or "" before the first item. */
const char *why_comma(const char *buf);
/** Returns the name of counter @n: "cycle", "instr" or its number, written to @buf. */
const char *why_counter_name(unsigned n, char buf[8]);
/** Writes a set of counters as "cycle, 0-5".  Returns @buf. */
const char *why_counter_list(uint64_t set, char buf[96]);
/** Returns a set of states as "NS EL0, NS EL1", or "everywhere" if it is @all and has more than one. */
const char *why_state_list(unsigned set, unsigned all, char buf[128]);
/** Writes a state as "NS EL1".  Returns @buf. */
const char *why_state_word(enum apmu_state state, char buf[16]);

/* ---------------------------------------------------------------------------------------------------------------
 * Causes (causes.def, causes.c, symptoms.c).
 */

/** The symptoms that users see: the CAUSE_SYMPTOM rows. */
enum why_symptom {
#define CAUSE_SYMPTOM(id, text) WHY_SYMPTOM_##id,
#include "causes.def"
    WHY_SYMPTOM_COUNT
};

/** The rows of causes.def, by number.  Two rows with one number do not compile. */
enum why_cause_row {
#define CAUSE(number, slug, symptom, odds, reason, text, sign, check, cure, test) WHY_CAUSE_##number,
#define CAUSE_OUTSIDE(number, slug, symptom, odds, reason, text, sign, check, cure) WHY_CAUSE_##number,
#include "causes.def"
    WHY_CAUSE_COUNT
};

/** The same rows by slug: indexes of why_causes. */
enum why_cause_id {
#define CAUSE(number, slug, symptom, odds, reason, text, sign, check, cure, test) WHY_##slug,
#define CAUSE_OUTSIDE(number, slug, symptom, odds, reason, text, sign, check, cure) WHY_##slug,
#include "causes.def"
    WHY_CAUSE_IDS
};

struct cause_context;

/** A row of causes.def. */
struct why_cause {
    unsigned number;
    const char *slug; /**< as in causes.def; why_slug() writes it as -j prints it */
    enum why_symptom symptom;
    uint8_t odds[READING_KINDS]; /**< by enum reading_kind */
    const char *reason;          /**< why it has these odds */
    const char *text, *sign, *check, *cure;
    bool (*test)(const struct cause_context *c); /**< returns true if the state shows it; NULL: no register does */
};

extern const struct why_cause why_causes[WHY_CAUSE_COUNT];

/**
 * Returns what to do about an erratum of @core that concerns event @event, NULL if there is none.  @core may be NULL;
 * @midr is 0 if it is not known.
 */
const char *why_erratum_cure(const struct apmu_core_info *core, uint64_t midr, uint16_t event);
/** Returns true if a core of the tables lists event @number. */
bool why_any_core_lists(unsigned number);
/** Writes the slug of @cause, "el0-access-off".  Returns @buf. */
const char *why_slug(const struct why_cause *cause, char buf[48]);

/** Causes that a state shows, in the order of the table. */
struct why_cause_list {
    size_t count;
    const struct why_cause *causes[WHY_CAUSE_COUNT];
};

/**
 * Finds the causes that the state of @w shows.  Call why_decide() and why_readers() first.  @arm11 is NULL, or the
 * ARM11 unit; with that, only .state of @w is read.
 */
void why_find_causes(const struct why *w, const struct state_arm11 *arm11, struct why_cause_list *found);
/** Returns true if PMCEID0 has the events of QEMU's TCG: SW_INCR, CPU_CYCLES, and INST_RETIRED with -icount. */
bool why_events_of_qemu(uint64_t pmceid0);
/** Returns the id of a symptom: "zero". */
const char *why_symptom_id(enum why_symptom symptom);
/** Returns true if @which is "all", a symptom's id or a number, and not a sentence. */
bool why_lists_symptom(const char *which);
/** Prints the causes of symptom @which, the cause with number @which, or all for "all".  Returns an exit status. */
int why_symptoms(const struct cli_args *args, const char *which, bool json);

/* ---------------------------------------------------------------------------------------------------------------
 * Output (text.c, json.c, cure.c, arm11.c).
 */

/** Prints everything as text. */
void why_print(const struct why *w, bool colour);
/** Prints a list of causes under its heading, if there are any. */
void why_print_causes(const struct why_cause_list *list, bool a32, bool colour);
/**
 * Writes @text, of the causes' table, to @buf; with @a32 registers have their names of AArch32 state.  Returns @buf.
 */
const char *why_spell(const char *text, bool a32, char buf[400]);
/** Adds everything to @object for JSON. */
void why_json(const struct why *w, json_t *object);
/** Prints @object as JSON and releases it.  Returns an exit status. */
int why_dump(const struct cli_args *args, json_t *object);
/** Returns a cause as JSON. */
json_t *why_json_cause(const struct why_cause *cause);
/** Returns a list of causes as JSON. */
json_t *why_json_causes(const struct why_cause_list *list);

/**
 * Writes the name of copy @n of @reg as AArch64 state has it, or with @a32 AArch32 state; @armv7: it has no
 * PMEVTYPER<n>, and the name says what PMSELR has to be.  Returns @buf.
 */
const char *why_register_name(bool a32, bool armv7, enum apmu_reg reg, unsigned n, char buf[48]);
/**
 * Writes the operands of MRC and MCR for copy @n of @reg, with @operand for the general register, to @where: "p15, 0,
 * r0, c9, c12, 0".  Returns false if there are none.
 */
bool why_operands_a32(enum apmu_reg reg, unsigned n, const char *operand, char where[80]);
/** Returns true for registers that change only the bits that are written as 1. */
bool why_sets_or_clears(enum apmu_reg reg);
/**
 * Writes the instructions of AArch32 state that set and clear bits of a register, with "; " between them: "mrc p15, 0,
 * r0, c9, c12, 0; orr r0, r0, #0x1; mcr p15, 0, r0, c9, c12, 0; isb".  "" if no instruction accesses it.  Returns @buf.
 */
const char *why_write_a32(bool armv7, enum apmu_reg reg, unsigned n, uint64_t set, uint64_t clear, char *buf,
                          size_t size);

/**
 * Returns true if @pmnc of an ARM11 enables the counters and gives PMN1 an event, and PMN0 event 0: for one who misses
 * PMN0's count, the event stands in the field of the other counter.  Writes what it means, and the cure.
 */
bool why_arm11_misplaced(uint32_t pmnc, char because[400], char cure[400]);

struct cure_form; /* form.h */

/**
 * Prints a cure for each counter in use in each state asked for: as code in @form, or as text if that is NULL.  @level
 * is apmu_cure()'s.  Returns an exit status.
 */
int why_cure(const struct why *w, const struct cli_args *args, unsigned level, const struct cure_form *form);

/** Prints everything about the ARM11 unit of @s as text, or adds it to @object for JSON unless that is NULL. */
void why_arm11(const struct state *s, json_t *object, bool colour);
/**
 * Finds the reasons why counter @n of an ARM11 unit stands still, sets of APMU_ARM11_WHY(x).  *@always holds whatever
 * the input leaves open; *@maybe holds for some values of that.
 */
void why_arm11_ask(const struct state *s, const struct state_arm11 *m, enum apmu_arm11_counter n, uint64_t *always,
                   uint64_t *maybe);

#endif
