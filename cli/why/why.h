/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of `armpmu why` and `armpmu audit` share: a state, its verdicts, and what was found. */
#ifndef ARMPMU_CLI_WHY_H
#define ARMPMU_CLI_WHY_H

#include <armpmu/explain.h>
#include <jansson.h>

#include "../state/state.h"

/**
 * How often the model is asked for all cures, or for all verdicts, of one command: a fraction of a second.  A count, and
 * no time, so that the same command gives the same answer on every machine.
 */
#define WHY_WORK (UINT64_C(1) << 21)

/** All that is asked of one state, and the verdicts. */
struct why {
    const struct state *state;
    struct state_model model;
    struct apmu_facts facts;
    unsigned states;   /**< asked for: a set of APMU_STATE(x) */
    uint64_t counters; /**< asked for: bit n is counter n */
    uint64_t in_use;   /**< of those, the ones that somebody has set up; all if none is */
    struct apmu_verdict verdicts[APMU_COUNTERS][APMU_STATE_COUNT];
    struct apmu_counter_setup traits[APMU_COUNTERS];
    struct apmu_reach reach[2][APMU_COUNTERS][APMU_STATE_COUNT]; /**< of those in use; [1]: in AArch32 state */
};

/** A row of tables/causes.def. */
struct why_cause {
    unsigned number;
    const char *symptom; /**< "zero" */
    const char *text, *tell, *check, *cure;
    const char *found;   /**< the expression that finds it */
};

/** One cause, and where it holds. */
struct why_finding {
    enum apmu_reason reason;
    bool maybe;                         /**< it depends on what is not known */
    char quote[200];                    /**< "PMCR_EL0.E = 0", or "no, if MDCR_EL2.HPMD is 1"; n is the counter */
    char origin[128];                   /**< of the first register: "dump.txt:3"; "" if it is not known */
    uint64_t where[APMU_STATE_COUNT];   /**< counters by state */
};

/* why_find.c, why_reasons.c */
/** The states in the order in which they are printed. */
extern const enum apmu_state why_order[APMU_STATE_COUNT];
/** Facts from a state: @w->facts, .model; all states and counters are asked for. */
void why_begin(struct why *w, const struct state *s);
/** The facts at @state. */
struct apmu_facts why_at(const struct why *w, enum apmu_state state);
/** Fills the verdicts and traits of what is asked for, within @work. */
void why_decide(struct why *w, uint64_t work);
/** All causes, those that hold for sure first; *count of them.  The caller frees them. */
struct why_finding *why_findings(const struct why *w, size_t *count);
/** Would the answers be others if the undecided feature @bit were not as it is assumed?  .where of @differ: which. */
bool why_feature_matters(const struct why *w, unsigned bit, struct why_finding *differ);
/** Appends to the string in @buf, of @size bytes; what does not fit is lost. */
void why_append(char *buf, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/** What goes before the next item of a list in @buf: ", ", or "" before the first. */
const char *why_comma(const char *buf);
/** "cycle", "instr" or the number. */
const char *why_counter_name(unsigned n, char buf[8]);
/** Counters as words: "cycle, 0-5". */
const char *why_counter_list(uint64_t set, char buf[96]);
/** States as words: "NS EL0, NS EL1"; "everywhere" if all of @all. */
const char *why_state_list(unsigned set, unsigned all, char buf[128]);
/** "NS EL1" */
const char *why_state_word(enum apmu_state state, char buf[16]);
/** Fills .reach: who may read the counters in use. */
void why_readers(struct why *w);
/** Has @state AArch32 too, or only that? */
bool why_has_a32(const struct why *w, enum apmu_state state);
bool why_has_a64(const struct why *w, enum apmu_state state);

/* why_text.c, why_cure.c, why_arm11.c, why_json.c */
void why_print(const struct why *w, bool colour);
int why_json(const struct why *w, const struct cli_args *args);
enum why_code { WHY_TEXT, WHY_C, WHY_MSR };
int why_cure(const struct why *w, const struct cli_args *args, unsigned level, enum why_code code);
int why_arm11(const struct state *s, const struct cli_args *args, bool json, bool colour);

/** The reasons of counter @n that hold whatever the input does not say, and those that may. */
void why_arm11_ask(const struct state *s, const struct state_arm11 *m, enum apmu_arm11_counter n, uint64_t *always,
                   uint64_t *maybe);
/** One JSON object to stdout.  Returns the exit status. */
int why_dump(const struct cli_args *args, json_t *object);
/** A cause as JSON. */
json_t *why_json_cause(const struct why_cause *cause);

/* causes.c */
const struct why_cause *why_cause_at(size_t i);
/** Can a dump of registers show it? */
bool why_cause_in_registers(const struct why_cause *cause);
/** The causes that the state shows: bit i is why_cause_at(i).  @arm11 is NULL, or the unit where @w has only .state. */
uint64_t why_causes(const struct why *w, const struct state_arm11 *arm11);
/* symptoms.c */
/** The table, for the symptom or number @which, or with "all" for all.  Returns an exit status. */
int why_symptoms(const struct cli_args *args, const char *which, bool json);

#endif
