/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Explanations over a state of which only a part is known: does a counter count, why not, what does it depend on; who
 * may read it; which writes make it count.
 *
 * For tools, debuggers and authors of emulators.  All answers come from the model (model.h), asked for the values that
 * unknown bits can have; where they matter the answer says so, and on which bits it depends.  Nothing allocates, does
 * input or output, or keeps state; memory is the caller's; safe in any context.
 *
 *     struct apmu_facts f;
 *     apmu_facts_init(&f, &cfg);
 *     f.is.p.pmcr = 1, f.known.p.pmcr = ~UINT64_C(0);      ... and what else is known
 *     apmu_facts_at(&f, APMU_STATE_NS_EL1);
 *     apmu_verdict(&f, 31, &verdict);
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

/** A unit and its PE. */
struct apmu_full_state {
    struct apmu p;
    struct apmu_pe pe;
};

/**
 * What is known: a bit of .is is so where the bit in the same place of .known is 1 (of a bool: true).  Unknown bits of
 * .is are 0.  Of .known only registers and the conditions of tables/subjects.def are looked at: the implementation,
 * .is.p.cfg, and pe.el are always known; .is.p.derived is that of apmu_settle().
 */
struct apmu_facts {
    struct apmu_full_state is, known;
};

/** Nothing is known of a unit with the implementation @cfg, but that the PE is not in Debug state. */
void apmu_facts_init(struct apmu_facts *f, const struct apmu_config *cfg);

/** The states that a PE with @cfg can execute in: a set of APMU_STATE(x).  One of secure_only has Secure ones. */
unsigned apmu_explain_states(const struct apmu_config *cfg);

/** The name of a state in tables/policy.def: "NS_EL1". */
const char *apmu_state_name(enum apmu_state state);

/** Puts the PE into @state, whatever was known: .el, SCR_EL3.{NS, NSE}, and of Secure EL2 SCR_EL3.EEL2 = 1. */
void apmu_facts_at(struct apmu_facts *f, enum apmu_state state);

/** Fields that decide: rows of tables/subjects.def. */
enum apmu_subject {
#define APMU_SUBJECT_FIELD(id, reg, field, place) APMU_SUBJECT_##id,
#define APMU_SUBJECT_FLAG(id, reg, name, place) APMU_SUBJECT_##id,
#include <armpmu/tables/subjects.def>
    APMU_SUBJECT_COUNT
};

/** The set that holds the one subject @id. */
#define APMU_SUBJECT(id) (UINT64_C(1) << APMU_SUBJECT_##id)

/** Names of a subject of counter @n: the register, by its AArch32 name where @cfg has no AArch64, and the field. */
struct apmu_subject_name {
    char reg[40];   /**< "PMEVTYPER2_EL0" */
    char field[24]; /**< "NSK"; "[2]" of a register with a bit for each counter */
};
void apmu_subject_name(const struct apmu_config *cfg, enum apmu_subject subject, unsigned n,
                       struct apmu_subject_name *name);

/** The register of a subject of counter @n as one writes it, and the copy; APMU_REG_ALL of a condition of the PE. */
enum apmu_reg apmu_subject_reg(enum apmu_subject subject, unsigned n, unsigned *copy);

/** Are all bits of @subject known?  *value: the field, 0 where it is not known; it may be NULL. */
bool apmu_subject_known(const struct apmu_facts *f, enum apmu_subject subject, unsigned n, uint64_t *value);

/** Makes @subject known to be @value.  Values are those of apmu_subject_known(). */
void apmu_subject_suppose(struct apmu_facts *f, enum apmu_subject subject, unsigned n, uint64_t value);

/** The subjects that are to be quoted with @reason of counter @n in the state of @f: MDCR_EL2.HPMD = 1. */
uint64_t apmu_reason_subjects(const struct apmu_facts *f, unsigned n, enum apmu_reason reason);

/** The row of tables/reasons.def of @reason. */
struct apmu_reason_info {
    const char *name, *rule, *cure, *text;
};
const struct apmu_reason_info *apmu_reason_info(enum apmu_reason reason);

/* ---------------------------------------------------------------------------------------------------------------
 * Does it count?
 */

enum apmu_answer {
    APMU_ANSWER_COUNTS,  /**< whatever the unknown bits are */
    APMU_ANSWER_STANDS,  /**< whatever they are */
    APMU_ANSWER_DEPENDS, /**< on them: for some values it counts, for some not */
};

/**
 * How often the model is asked for one answer at most, where the caller gives no other bound.  What needs more is given
 * up, and the answer says so; the same question always ends in the same answer.
 */
#define APMU_EXPLAIN_WORK (UINT64_C(1) << 19)

struct apmu_verdict {
    enum apmu_answer is;
    uint64_t always; /**< reasons that hold whatever the unknown bits are: a set of APMU_WHY(x) */
    uint64_t maybe;  /**< reasons that hold for some of their values and not for others */
    bool complete;   /**< false: the values were too many to try all, and DEPENDS is said without proof */
};

/** Why counter @n (0..32) stands still in the state of @f. */
void apmu_verdict(const struct apmu_facts *f, unsigned n, struct apmu_verdict *v);

/** The same within *@work in place of APMU_EXPLAIN_WORK; what it took is subtracted from *@work. */
void apmu_verdict_within(const struct apmu_facts *f, unsigned n, uint64_t *work, struct apmu_verdict *v);

/** What a reason of .maybe depends on. */
struct apmu_dependence {
    uint64_t subjects; /**< unknown subjects that change it */
    bool product;      /**< it holds exactly where each of .subjects has one of its .values */
    uint32_t values[APMU_SUBJECT_COUNT]; /**< set of values below 32; of others bit 0 is: none, bit 1: some bit is 1 */
};

/** Fills @d for @reason of counter @n, which is in .maybe of its verdict. */
void apmu_dependence(const struct apmu_facts *f, unsigned n, enum apmu_reason reason, struct apmu_dependence *d);

/* ---------------------------------------------------------------------------------------------------------------
 * Who may read it?
 */

#define APMU_REACH_ANSWERS 8

/** What becomes of an access, for all values of unknown bits. */
struct apmu_reach {
    size_t count;                                  /**< different answers; 1 where nothing unknown matters */
    struct apmu_access answers[APMU_REACH_ANSWERS];
    uint64_t subjects;                             /**< unknown subjects that it depends on */
};

/**
 * An access of copy @n of @reg at the state of @f, by MRS or MSR, or with @a32 by the AArch32 register that has its low
 * half.  @reg is PMEVCNTR_EL0, PMCCNTR_EL0, PMICNTR_EL0, PMCR_EL0 or another of the AArch64 view.
 */
void apmu_reach(const struct apmu_facts *f, enum apmu_reg reg, unsigned n, bool write, bool a32,
                struct apmu_reach *reach);

/* ---------------------------------------------------------------------------------------------------------------
 * What it counts, and how far?
 */

enum apmu_truth { APMU_NO, APMU_YES, APMU_UNKNOWN };

/** What a counter does beside standing still or not. */
struct apmu_counter_setup {
    bool event_known;
    uint16_t event;              /**< that it counts: of the cycle counter CPU_CYCLES, of the other one INST_RETIRED */
    enum apmu_truth implemented; /**< is the event, by PMCEID<n>_EL0: known where .known.p.cfg.pmceid has its bit */
    unsigned width;              /**< bits that it has: 32 or 64 */
    unsigned overflow_width;     /**< bits after which it overflows: 32 or 64; 0: unknown */
    enum apmu_truth chained;     /**< counter n+1 counts its overflows */
    enum apmu_truth divided;     /**< it counts every 64th cycle */
    enum apmu_truth threshold;   /**< a threshold decides what it adds */
    enum apmu_truth overflowed;  /**< its overflow flag is set */
    enum apmu_truth interrupts;  /**< its overflow asks for an interrupt: PMINTENSET_EL1 */
};

void apmu_counter_setup(const struct apmu_facts *f, unsigned n, struct apmu_counter_setup *t);

/* ---------------------------------------------------------------------------------------------------------------
 * Which writes make it count?
 */

/** One write of a register. */
struct apmu_cure_write {
    enum apmu_reg reg;
    unsigned n;     /**< the copy */
    uint64_t mask;  /**< the bits that change; of PMCNTENSET_EL0 and PMOVSCLR_EL0, those that are written as 1 */
    uint64_t value; /**< what they become, in place; of those registers .mask */
    uint64_t subjects; /**< the fields that are in .mask */
    uint8_t el;     /**< the lowest Exception level that may do it; APMU_CURE_EXTERNAL: an external agent */
    bool unsure;    /**< whether it may depends on bits that are unknown */
};
#define APMU_CURE_EXTERNAL 4u

#define APMU_CURE_WRITES 12

enum apmu_cure_result {
    APMU_CURE_FOUND,
    APMU_CURE_NEEDLESS,   /**< nothing that is known stops it: .open may have what is unknown */
    APMU_CURE_IMPOSSIBLE, /**< no writes at the levels allowed do it; .blocked has reasons that none of them lifts */
    APMU_CURE_GAVE_UP,    /**< none was found before the search was given up: there may be one */
};

struct apmu_cure {
    enum apmu_cure_result result;
    size_t count;
    struct apmu_cure_write writes[APMU_CURE_WRITES]; /**< in the order in which to do them */
    uint64_t open;    /**< reasons that may hold even so: unknown bits that the levels allowed cannot write decide */
    uint64_t blocked;
    uint64_t tried;   /**< states of the PMU that the search looked at */
    bool cut;         /**< the search was given up: what was found leaves more .open than it had to, or is not the smallest */
    uint64_t unknown; /**< where .cut: unknown subjects that made the search long */
    bool effects_cut; /**< .starts and .stops lack counters of which it was not worked out */
    uint64_t starts[APMU_STATE_COUNT]; /**< by state: counters that stood and count after; that one where not asked */
    uint64_t stops[APMU_STATE_COUNT];  /**< and the other way round */
};

/**
 * The smallest set of register writes after which counter @n counts in @state, done at Exception level @level (1..3) or
 * below of its world (EL2: Non-secure, where that world has none), or with APMU_CURE_EXTERNAL by external agents too.
 * The fewest registers, then the fewest fields, then the fewest effects on other counters and states; no proper subset
 * does.  Where unknown bits can be written it counts whatever they are; otherwise .open says what they must not be.
 * What is left as it is: events, the partition of the counters (HPMN, EPMN), Execution states, the authentication
 * interface and Debug state.
 */
void apmu_cure(const struct apmu_facts *f, unsigned n, enum apmu_state state, unsigned level, struct apmu_cure *cure);

/** The same within *@work in place of APMU_EXPLAIN_WORK; what it took is subtracted from *@work. */
void apmu_cure_within(const struct apmu_facts *f, unsigned n, enum apmu_state state, unsigned level, uint64_t *work,
                      struct apmu_cure *cure);

/** Does @write to @f, at its Exception level in the world of @state; unknown bits that it writes become known. */
void apmu_cure_apply(struct apmu_facts *f, const struct apmu_cure_write *write, enum apmu_state state);

/* ---------------------------------------------------------------------------------------------------------------
 * What do less trusted worlds learn?
 */

/** Room for what an audit finds. */
#define APMU_AUDIT_ROWS ((size_t)APMU_LEAK_COUNT)

/**
 * The fields because of which software that is less trusted than a state of @protect can tell what was executed there:
 * apmu_policy_check() of the registers that are known, without what that software cannot read, since a trap or the
 * partition of the counters keeps it from the values and from the overflow flags.  Registers that are not known, or not
 * all of the bits of which that matter, and those that such software can write, may hold anything.
 * @level, @protect: as in struct apmu_policy_request; @entered: as in apmu_policy_leaks().  @out has room for
 * APMU_AUDIT_ROWS.  Returns how many; 0 exactly where nothing can be told.
 */
size_t apmu_audit(const struct apmu_facts *f, unsigned level, unsigned protect, bool entered,
                  struct apmu_policy_violation *out);

/** The counters by which @state can be watched so: a set of enum apmu_counter_kind.  Parameters as of apmu_audit(). */
unsigned apmu_audit_leaks(const struct apmu_facts *f, unsigned level, bool entered, enum apmu_state state);

#ifdef __cplusplus
}
#endif
#endif
