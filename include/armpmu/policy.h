/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Secure policy: the register values that keep Secure, Root, Realm and EL2 worlds out of the counters, and a check of
 * registers against it.
 *
 * For authors of firmware, hypervisors and secure monitors, and for those who audit them.  A leak is a counter that
 * less trusted software can read and that moves in a protected state: counters of the first range, the cycle and the
 * instruction counter, and those of the second range except for EL2, which owns them.  Less trusted than Secure, Realm
 * and EL3 is the Non-secure world with its EL2; less trusted than EL2 is EL1 below it.  Software in a protected state
 * is trusted not to undo what was written at its entry.
 *
 * Everything here is pure but for apmu_policy_enter() and apmu_policy_leave().  Nothing allocates; memory is the
 * caller's; safe in any context.  Rows are those of tables/policy.def.
 *
 *     const struct apmu_policy_request request = {.features = ..., .level = 3, .counters = 6,
 *                                                 .protect = APMU_STATES_SECURE | APMU_STATE(EL3)};
 *     apmu_policy(&request, rows, APMU_POLICY_ROWS, &count);
 *     mdcr_el3 = apmu_policy_value(rows, count, APMU_HOLD_BOOT, APMU_REG_MDCR_EL3, mdcr_el3);
 */
#ifndef ARMPMU_POLICY_H
#define ARMPMU_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <armpmu/driver.h>
#include <armpmu/error.h>
#include <armpmu/regs.h>

#ifdef __cplusplus
extern "C" {
#endif

/** States that a PE can execute in.  EL3 is Root state with FEAT_RME, Secure state without it. */
enum apmu_state {
#define APMU_POLICY_STATE(id, condition, text) APMU_STATE_##id,
#include <armpmu/tables/policy.def>
    APMU_STATE_COUNT
};

/** The set that holds the one state @id: APMU_STATE(S_EL1). */
#define APMU_STATE(id) (1u << APMU_STATE_##id)
#define APMU_STATES_SECURE (APMU_STATE(S_EL0) | APMU_STATE(S_EL1) | APMU_STATE(S_EL2))
#define APMU_STATES_REALM (APMU_STATE(RL_EL0) | APMU_STATE(RL_EL1) | APMU_STATE(RL_EL2))
#define APMU_STATES_EL2 (APMU_STATE(S_EL2) | APMU_STATE(NS_EL2) | APMU_STATE(RL_EL2))

/** The state in words: "Secure EL1". */
const char *apmu_state_text(enum apmu_state state);

/** The states that exist with @features. */
unsigned apmu_states(uint64_t features);

/** Kinds of counters: the bits of a set. */
enum apmu_counter_kind {
    APMU_KIND_FIRST = 1,  /**< event counters below MDCR_EL2.HPMN */
    APMU_KIND_SECOND = 2, /**< event counters from there up, EL2's own */
    APMU_KIND_THIRD = 4,  /**< event counters from PMCCR.EPMN up, of an external agent */
    APMU_KIND_CYCLE = 8,
    APMU_KIND_INSTR = 16,
};

/** What is asked for. */
struct apmu_policy_request {
    uint64_t features; /**< set of APMU_FEAT(x), closed as apmu_features_closure() does */
    uint8_t level;     /**< who sets the policy: 3, firmware at EL3; 2, EL2, for its own protection from EL1 and EL0 */
    uint8_t counters;  /**< PMCR_EL0.N as EL2 or EL3 reads it, 0..31 */
    uint16_t protect;  /**< set of APMU_STATE(x).  At level 2 those of EL2 only; never NS_EL0 and NS_EL1 */
};

/** How long a value holds, and who provides it. */
enum apmu_policy_hold {
    APMU_HOLD_BOOT,     /**< written once after each reset; of PMCR_EL0 only until less trusted software writes it */
    APMU_HOLD_ENTRY,    /**< written at each entry to a protected state, and the former value restored on return */
    APMU_HOLD_SIGNAL,   /**< not written: what the authentication interface must show */
    APMU_HOLD_EXTERNAL, /**< for the external agent that owns the third range, to PMEVTYPER<n>_EL0 of each */
};

/** A field and its value. */
struct apmu_policy_row {
    enum apmu_reg reg;
    const char *name;  /**< of the register: "MDCR_EL3", or "SDCR" where EL3 uses AArch32 */
    const char *field; /**< "SPME"; "filters" of a row of several fields */
    uint64_t mask;     /**< the bits of the field */
    uint64_t value;    /**< its value, in place */
    enum apmu_policy_hold hold;
    const char *rule;  /**< of the Arm ARM */
    const char *why;
};

/** Room for all rows that a policy can have. */
#define APMU_POLICY_ROWS 80u

/**
 * The policy: for each register every field of the PMU, so that nothing of an UNKNOWN value stays.  Entry rows are
 * there only where values that last cannot do it alone: apmu_policy_gaps().
 * APMU_E_POLICY_LEVEL: the level is not 2 or 3, or not implemented; APMU_E_POLICY_STATE: a state of .protect does not
 * exist with the features, or is not for this level; APMU_E_POLICY_ROOM: more rows than @room.
 */
enum apmu_error apmu_policy(const struct apmu_policy_request *request, struct apmu_policy_row *rows, size_t room,
                            size_t *count);

/**
 * What to write to @reg where it holds @old: the fields of the rows of @hold have their values, and bits that are not
 * the PMU's stay.  Nothing that a field had before is left in it.
 */
uint64_t apmu_policy_value(const struct apmu_policy_row *rows, size_t count, enum apmu_policy_hold hold,
                           enum apmu_reg reg, uint64_t old);

/**
 * The filter bits of PMEVTYPER<n>_EL0, PMCCFILTR_EL0 and PMICFILTR_EL0 with which a counter counts in every state but
 * those of the set @out.  Of AArch32 EL3 and Secure EL1, which share a bit, both are out if one is.
 */
uint64_t apmu_policy_filter(uint64_t features, unsigned out);

/* ---------------------------------------------------------------------------------------------------------------
 * The check.
 */

/** A register and what it was found to hold.  MDCR_EL3, SDER32_EL3, MDCR_EL2, PMCR_EL0 and PMAUTHSTATUS matter. */
struct apmu_policy_reg {
    enum apmu_reg reg;
    uint64_t value;
};

/** A way in which counters leak: rows of tables/policy.def, whose names are stable. */
enum apmu_policy_leak {
#define APMU_POLICY_LEAK(id, reg, field, states, counters, condition, rule, text) APMU_LEAK_##id,
#include <armpmu/tables/policy.def>
    APMU_LEAK_COUNT
};

/** A field that does not do what the policy relies on it for. */
struct apmu_policy_violation {
    enum apmu_policy_leak leak;
    const char *id;    /**< "SECURE_SPME" */
    enum apmu_reg reg;
    const char *name;  /**< of the register: "MDCR_EL3", or "SDCR" where EL3 uses AArch32 */
    const char *field;
    uint64_t mask;     /**< the bits of the field */
    uint64_t found;    /**< the field, in place */
    uint64_t wanted;   /**< what it should be, in place */
    bool known;        /**< false: the register is not given, or is for less trusted software to write, so it may hold
                            anything, and .found is 0 */
    unsigned states;   /**< protected states in which counters move: set of APMU_STATE(x) */
    unsigned counters; /**< and which do: set of enum apmu_counter_kind */
    const char *rule;
    const char *text;
};

/**
 * Which counters leak in @state with these registers: a set of enum apmu_counter_kind, 0 if none.  Registers that are not
 * given, and those that software less trusted than the state can write, may hold anything.
 * @entered: the values are those in the protected state, and what its entry wrote is trusted: PMCR_EL0 and MDCR_EL2.
 */
unsigned apmu_policy_leaks(const struct apmu_policy_request *request, const struct apmu_policy_reg *regs, size_t count,
                           bool entered, enum apmu_state state);

/**
 * The fields because of which counters leak in the states of the request: @out has APMU_LEAK_COUNT of them.  Returns
 * how many; 0 exactly where nothing leaks.
 */
size_t apmu_policy_check(const struct apmu_policy_request *request, const struct apmu_policy_reg *regs, size_t count,
                         bool entered, struct apmu_policy_violation *out);

/**
 * What no value that lasts can achieve with these features: apmu_policy_check() of the policy itself between entries.
 * Empty where the policy has no entry rows.
 */
size_t apmu_policy_gaps(const struct apmu_policy_request *request, struct apmu_policy_violation *out);

/** What no value of any register ends. */
enum apmu_policy_note_id {
#define APMU_POLICY_NOTE(id, states, counters, rule, text) APMU_NOTE_##id,
#include <armpmu/tables/policy.def>
    APMU_NOTE_COUNT
};

struct apmu_policy_note {
    enum apmu_policy_note_id note;
    const char *id; /**< "WINDOW" */
    unsigned states, counters;
    const char *rule;
    const char *text;
};

/** The notes that concern the request: @out has APMU_NOTE_COUNT of them.  Returns how many. */
size_t apmu_policy_notes(const struct apmu_policy_request *request, struct apmu_policy_note *out);

/* ---------------------------------------------------------------------------------------------------------------
 * Entries, on a PE.
 */

/** What less trusted software had.  The caller's, one for each PE. */
struct apmu_policy_saved {
    uint64_t pmcr_el0, mdcr_el2;
};

/**
 * On entry to a protected state: saves PMCR_EL0 (and, at level 3 for Realm, MDCR_EL2) and writes the values of the
 * entry rows, all of each register at once.  Without entry rows: nothing.  The errors are the back end's; then the
 * registers are as they were.
 */
enum apmu_error apmu_policy_enter(const struct apmu_dev *dev, const struct apmu_policy_row *rows, size_t count,
                                  struct apmu_policy_saved *saved);

/** On return to less trusted software: it finds the values that it had. */
enum apmu_error apmu_policy_leave(const struct apmu_dev *dev, const struct apmu_policy_row *rows, size_t count,
                                  const struct apmu_policy_saved *saved);

#ifdef __cplusplus
}
#endif
#endif
