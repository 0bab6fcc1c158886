/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Explains a PMU of which only a part of the state is known: whether a counter counts, why it does not, what that
 * depends on, which writes make it count, who may read it, and what less trusted software learns from it.
 *
 * For tools, debuggers and authors of emulators.  Every answer comes from the model (model.h), which decides for the
 * values that the unknown bits can have.  Where these matter, the answer says so and names the fields.  Nothing here
 * allocates, does input or output, or keeps state between calls.  Memory is the caller's.  Every function may be called
 * in any context.
 *
 * @code
 * #include <stdio.h>
 *
 * #include <armpmu/explain.h>
 *
 * int main(void)
 * {
 *     struct apmu_config cfg = {.size = sizeof cfg, .counters = 6};
 *     struct apmu_facts facts;
 *     struct apmu_verdict verdict;
 *
 *     cfg.features = apmu_features_closure(APMU_FEAT(PMUv3p5) | APMU_FEAT(AA64EL1));
 *     apmu_facts_init(&facts, &cfg);
 *     facts.is.p.pmcr = 0x41033040; // a dump says PMCR_EL0 = 0x41033040, and nothing else
 *     facts.known.p.pmcr = UINT64_MAX;
 *     apmu_facts_at(&facts, APMU_STATE_NS_EL1);
 *     apmu_verdict(&facts, APMU_CYCLE, &verdict);
 *     if (verdict.is == APMU_ANSWER_STANDS && (verdict.always & APMU_WHY(PMCR_E)) != 0) {
 *         printf("%s\n", apmu_reason_info(APMU_REASON_PMCR_E)->text);
 *     }
 *     return 0;
 * }
 * @endcode
 *
 * The first three sections are enough for most users: what is known, verdicts, cures.
 */
#ifndef ARMPMU_EXPLAIN_H
#define ARMPMU_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <armpmu/model.h>
#include <armpmu/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------------
 * What is known.
 */

/** The state of a PMU and of the PE that it belongs to. */
struct apmu_full_state {
    struct apmu p;
    struct apmu_pe pe;
};

/**
 * A state of which a part is known.  A bit of .is is known if the bit in the same place of .known is 1.  A bool of .is
 * is known if the same bool of .known is true.  Unknown bits of .is are 0.
 *
 * The implementation (.is.p.cfg) and the Exception level (.is.pe.el) are always known.  .known counts for registers,
 * for the conditions of tables/subjects.def and for .p.cfg.pmceid only.  .is.p.derived is as apmu_settle() leaves it.
 */
struct apmu_facts {
    struct apmu_full_state is, known;
};

/** Makes @f a PMU with implementation @cfg.  Nothing else is known, except that the PE is not in Debug state. */
void apmu_facts_init(struct apmu_facts *f, const struct apmu_config *cfg);

/**
 * Makes @f the state of a PMU and its PE of which everything is known, as a caller has it that owns both.  *@p is as
 * apmu_init(), apmu_poke() and the like leave it.
 */
void apmu_facts_of(struct apmu_facts *f, const struct apmu *p, const struct apmu_pe *pe);

/**
 * Puts the PE of @f into @state, whatever was known before: sets .el, SCR_EL3.{NS, NSE}, and for Secure EL2
 * SCR_EL3.EEL2 = 1.
 */
void apmu_facts_at(struct apmu_facts *f, enum apmu_state state);

/**
 * Returns the states that a PE with @cfg can execute in, a set of APMU_STATE(x).  With .secure_only and without EL3
 * they are Secure states.
 */
unsigned apmu_explain_states(const struct apmu_config *cfg);

/** Returns the name of a state in tables/policy.def: "NS_EL1". */
const char *apmu_state_name(enum apmu_state state);

/* ---------------------------------------------------------------------------------------------------------------
 * Verdicts: whether a counter counts, and why not.
 */

enum apmu_answer {
    APMU_ANSWER_COUNTS,  /**< it counts, whatever the unknown bits are */
    APMU_ANSWER_STANDS,  /**< it stands still, whatever they are */
    APMU_ANSWER_DEPENDS, /**< it counts for some values of the unknown bits and stands still for others */
};

struct apmu_verdict {
    enum apmu_answer is;
    uint64_t always; /**< reasons that hold whatever the unknown bits are: a set of APMU_WHY(x) */
    uint64_t maybe;  /**< reasons that hold for some values of the unknown bits and not for others */
    bool complete;   /**< false: there were too many values to try, and APMU_ANSWER_DEPENDS is unproven */
};

/** Finds whether counter @n (0..32) counts in the state of @f, and the reasons why it may not. */
void apmu_verdict(const struct apmu_facts *f, unsigned n, struct apmu_verdict *v);

/* ---------------------------------------------------------------------------------------------------------------
 * Cures: the writes that make a counter count.
 */

/** One write of a register. */
struct apmu_cure_write {
    enum apmu_reg reg;
    unsigned n;        /**< the copy */
    uint64_t mask;     /**< the bits that change; of PMCNTENSET_EL0 and PMOVSCLR_EL0, the bits to write as 1 */
    uint64_t value;    /**< their new values, in place; of those two registers the same as .mask */
    uint64_t subjects; /**< the fields in .mask, a set of APMU_SUBJECT(x) */
    uint8_t el;        /**< the lowest Exception level that may do the write, or APMU_CURE_EXTERNAL */
    bool unsure;       /**< unknown bits decide whether that level may do it */
};

enum apmu_cure_limit {
    APMU_CURE_EXTERNAL = 4, /**< above EL3: an external agent */
    APMU_CURE_WRITES = 12,  /**< the most writes that a cure has */
};

enum apmu_cure_result {
    APMU_CURE_FOUND,
    APMU_CURE_NEEDLESS,   /**< nothing that is known stops the counter; .open has what unknown bits may add */
    APMU_CURE_IMPOSSIBLE, /**< no writes at the levels allowed make it count; .blocked has reasons that none lifts */
    APMU_CURE_GAVE_UP,    /**< the search was given up before it found a cure; there may be one */
};

struct apmu_cure {
    enum apmu_cure_result result;
    size_t count;
    struct apmu_cure_write writes[APMU_CURE_WRITES]; /**< in the order in which to do them */
    uint64_t open;    /**< reasons that may still hold: unknown bits decide, which the levels allowed cannot write */
    uint64_t blocked; /**< reasons that no write at the levels allowed lifts */
    uint64_t tried;   /**< how many states of the PMU the search looked at */
    bool cut;         /**< the search was given up; a cure that it found need not be the smallest, nor .open */
    uint64_t unknown; /**< with .cut: the unknown subjects that made the search long */
    bool effects_cut; /**< .starts and .stops lack counters for which they were not worked out */
    uint64_t starts[APMU_STATE_COUNT]; /**< by state: other counters that the writes start, bit n for counter n */
    uint64_t stops[APMU_STATE_COUNT];  /**< by state: counters that the writes stop */
};

/**
 * Finds the smallest set of register writes after which counter @n counts in @state.  Software at Exception levels up
 * to @level (1..3) does them in the Security state of @state, or at Non-secure EL2 if that Security state has no EL2.
 * With APMU_CURE_EXTERNAL an external agent may do them too.
 *
 * Smallest means the fewest registers, then the fewest fields, then the fewest effects on other counters and states; no
 * proper subset of the writes is a cure.  If the unknown bits can be written, the counter counts whatever they were;
 * otherwise .open says which reasons they must not cause.  Events, the partition of the counters (HPMN, EPMN),
 * Execution states, the authentication interface and Debug state are left as they are.
 */
void apmu_cure(const struct apmu_facts *f, unsigned n, enum apmu_state state, unsigned level, struct apmu_cure *cure);

/**
 * Does @write to @f, at the write's Exception level in the Security state of @state.  Unknown bits that it writes
 * become known.
 */
void apmu_cure_apply(struct apmu_facts *f, const struct apmu_cure_write *write, enum apmu_state state);

/* ---------------------------------------------------------------------------------------------------------------
 * Accesses: who may read or write a register.
 */

enum apmu_reach_limit {
    APMU_REACH_ANSWERS = 8 /**< the most outcomes that are kept */
};

/**
 * The outcomes of an access for the values that the unknown bits can have.  Up to 4096 combinations of these values are
 * all tried.  Of more, a fixed sample is, and a rare outcome or subject may be missing.
 */
struct apmu_reach {
    size_t count;                                   /**< different outcomes; 1 if nothing unknown matters */
    struct apmu_access answers[APMU_REACH_ANSWERS];
    uint64_t subjects;                              /**< the unknown fields that decide, a set of APMU_SUBJECT(x) */
};

/**
 * Finds the outcomes of an access to copy @n of @reg in the state of @f.  The access is an MRS or MSR, or with @a32 one
 * to the AArch32 register that holds the low half.  @reg is PMEVCNTR_EL0, PMCCNTR_EL0, PMICNTR_EL0, PMCR_EL0 or another
 * register of the AArch64 view.
 */
void apmu_reach(const struct apmu_facts *f, enum apmu_reg reg, unsigned n, bool write, bool a32,
                struct apmu_reach *reach);

/* ---------------------------------------------------------------------------------------------------------------
 * Set-up: what a counter counts, and how many bits of it count.
 */

enum apmu_truth { APMU_NO, APMU_YES, APMU_UNKNOWN };

/** How a counter is set up, as far as that is known. */
struct apmu_counter_setup {
    bool event_known;
    uint16_t event;              /**< CPU_CYCLES of the cycle counter, INST_RETIRED of the instruction counter */
    enum apmu_truth implemented; /**< the event is implemented; known if .known.p.cfg.pmceid has the event's bit */
    unsigned width;              /**< the counter's size in bits, 32 or 64 */
    unsigned overflow_width;     /**< it overflows after this many bits, 32 or 64; 0: unknown */
    enum apmu_truth chained;     /**< counter n+1 counts its overflows */
    enum apmu_truth divided;     /**< it counts every 64th cycle */
    enum apmu_truth threshold;   /**< a threshold decides what it adds */
    enum apmu_truth overflowed;  /**< its overflow flag is set */
    enum apmu_truth interrupts;  /**< its bit of PMINTENSET_EL1 is 1: an overflow raises an interrupt */
};

/** Finds how counter @n (0..32) is set up in the state of @f. */
void apmu_counter_setup(const struct apmu_facts *f, unsigned n, struct apmu_counter_setup *setup);

/* ---------------------------------------------------------------------------------------------------------------
 * Audits: what less trusted software learns.
 */

enum apmu_audit_limit {
    APMU_AUDIT_ROWS = APMU_LEAK_COUNT /**< the most fields that an audit finds */
};

/**
 * Finds the fields that let less trusted software learn what a state of the set @protect executed.  @level and @protect
 * are those of struct apmu_policy_request, @entered is that of apmu_policy_leaks().  @out has room for APMU_AUDIT_ROWS.
 * Returns how many were found: 0 exactly if such software learns nothing.
 *
 * The fields are those of apmu_policy_check() over the known registers.  Leaks that such software cannot read are left
 * out: a trap or the partition of the counters hides both the counts and the overflow flags from it.  A register may
 * hold any value if a bit of it that matters is unknown, or if such software can write it.
 */
size_t apmu_audit(const struct apmu_facts *f, unsigned level, unsigned protect, bool entered,
                  struct apmu_policy_violation *out);

/**
 * Returns the counters that tell less trusted software what @state executes, a set of enum apmu_counter_kind.  @level
 * and @entered are those of apmu_audit().
 */
unsigned apmu_audit_leaks(const struct apmu_facts *f, unsigned level, bool entered, enum apmu_state state);

/* ---------------------------------------------------------------------------------------------------------------
 * Subjects: the fields on which verdicts and accesses depend.
 */

/** The rows of tables/subjects.def. */
enum apmu_subject {
#define APMU_SUBJECT_FIELD(id, reg, field, place) APMU_SUBJECT_##id,
#define APMU_SUBJECT_FLAG(id, reg, name, place) APMU_SUBJECT_##id,
#include <armpmu/tables/subjects.def>
    APMU_SUBJECT_COUNT
};

/** The set that holds the one subject @id. */
#define APMU_SUBJECT(id) (UINT64_C(1) << APMU_SUBJECT_##id)

/** The names of a subject's register and field. */
struct apmu_subject_name {
    char reg[40];   /**< "PMEVTYPER2_EL0"; the AArch32 name if the implementation has no AArch64 */
    char field[24]; /**< "NSK"; "[2]" if the register has a bit for each counter; "" if it is the whole register */
};

/** Fills @name for a subject of counter @n. */
void apmu_subject_name(const struct apmu_config *cfg, enum apmu_subject subject, unsigned n,
                       struct apmu_subject_name *name);

/**
 * Returns the register to write to change a subject of counter @n, and its *copy.  Returns APMU_REG_ALL for a condition
 * that is no single field.
 */
enum apmu_reg apmu_subject_reg(enum apmu_subject subject, unsigned n, unsigned *copy);

/**
 * Returns true if all bits of a subject of counter @n are known.  *value is the field, with unknown bits as 0; @value
 * may be NULL.
 */
bool apmu_subject_known(const struct apmu_facts *f, enum apmu_subject subject, unsigned n, uint64_t *value);

/** Makes a subject of counter @n known to be @value, as apmu_subject_known() gives it. */
void apmu_subject_suppose(struct apmu_facts *f, enum apmu_subject subject, unsigned n, uint64_t value);

/**
 * Returns the subjects to quote with @reason of counter @n in the state of @f, a set of APMU_SUBJECT(x): HPMD, where a
 * tool prints "MDCR_EL2.HPMD = 1".
 */
uint64_t apmu_reason_subjects(const struct apmu_facts *f, unsigned n, enum apmu_reason reason);

/** What a reason in .maybe of a verdict depends on. */
struct apmu_dependence {
    uint64_t subjects; /**< the unknown subjects that change it */
    bool product;      /**< the reason holds exactly if each of .subjects has one of its .values */
    uint32_t values[APMU_SUBJECT_COUNT]; /**< by subject, the values at which it holds: bit v for a value v below 32;
                                              of a wider field, bit 0 for the value 0 and bit 1 for any other */
};

/** Fills @d for @reason, which is in .maybe of the verdict on counter @n. */
void apmu_dependence(const struct apmu_facts *f, unsigned n, enum apmu_reason reason, struct apmu_dependence *d);

/* ---------------------------------------------------------------------------------------------------------------
 * Bounded work.  A search that would ask the model too often is given up, and the answer says so.  The bound is a
 * number of questions to the model and not a time, so the same call always gets the same answer.
 */

/** The most questions that one call of apmu_verdict() or apmu_cure() puts to the model. */
#define APMU_EXPLAIN_WORK (UINT64_C(1) << 19)

/** Does what apmu_verdict() does with at most *@work questions to the model, and subtracts those asked from *@work. */
void apmu_verdict_within(const struct apmu_facts *f, unsigned n, uint64_t *work, struct apmu_verdict *v);

/** Does what apmu_cure() does with at most *@work questions to the model, and subtracts those asked from *@work. */
void apmu_cure_within(const struct apmu_facts *f, unsigned n, enum apmu_state state, unsigned level, uint64_t *work,
                      struct apmu_cure *cure);

#ifdef __cplusplus
}
#endif
#endif
