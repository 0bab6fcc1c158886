/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Secure policy: the register values that keep the counters out of Secure, Root, Realm and EL2 software, and a check of
 * registers against them.
 *
 * For authors of firmware, hypervisors and secure monitors, and for those who audit them.  The example computes the
 * MDCR_EL3 that protects Secure state and EL3.
 *
 * @code
 * #include <stdio.h>
 * #include <armpmu/policy.h>
 * int main(void)
 * {
 *     const struct apmu_policy_request request = {
 *         .features = APMU_FEAT(AA64) | APMU_FEAT(AA64EL1) | APMU_FEAT(AA64EL3) | APMU_FEAT(PMUv3),
 *         .level = 3, .counters = 6, .protect = APMU_STATE(S_EL0) | APMU_STATE(S_EL1) | APMU_STATE(EL3),
 *     };
 *     struct apmu_policy_row rows[APMU_POLICY_ROWS];
 *     size_t count;
 *     if (apmu_policy(&request, rows, APMU_POLICY_ROWS, &count) != APMU_OK) {
 *         return 1;
 *     }
 *     printf("MDCR_EL3 0x%llx\n",
 *            (unsigned long long)apmu_policy_value(rows, count, APMU_HOLD_BOOT, APMU_REG_MDCR_EL3, ~UINT64_C(0)));
 *     return 0;
 * }
 * @endcode
 *
 * A leak is a counter that less trusted software can read and that counts in a protected state.  The counters
 * considered are those of the first range, the cycle and the instruction counter, and those of the second range, unless
 * the protected state is the EL2 that owns them (Non-secure EL2, and at level 2 each EL2).  The Non-secure world with
 * its EL2 is less trusted than Secure state, Realm state and EL3.  EL1 and EL0 are less trusted than the EL2 above
 * them.  Software in a protected state is trusted not to undo what its entry wrote.
 *
 * Nothing allocates; memory is the caller's.  Rows and leaks are those of tables/policy.def.
 *
 * Re-entrancy: all functions but apmu_policy_apply(), apmu_policy_enter() and apmu_policy_leave() are pure and safe in
 * any context.  These three access the PMU, so nothing that uses it may interrupt them.
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

/** The states in which a PE can execute.  EL3 is in Root state with FEAT_RME, in Secure state without it. */
enum apmu_state {
#define APMU_POLICY_STATE(id, condition, text) APMU_STATE_##id,
#include <armpmu/tables/policy.def>
    APMU_STATE_COUNT
};

/** The set of one state, @id: APMU_STATE(S_EL1). */
#define APMU_STATE(id) (1u << APMU_STATE_##id)
#define APMU_STATES_SECURE (APMU_STATE(S_EL0) | APMU_STATE(S_EL1) | APMU_STATE(S_EL2))
#define APMU_STATES_REALM (APMU_STATE(RL_EL0) | APMU_STATE(RL_EL1) | APMU_STATE(RL_EL2))
#define APMU_STATES_EL2 (APMU_STATE(S_EL2) | APMU_STATE(NS_EL2) | APMU_STATE(RL_EL2))

/** Returns the state in words: "Secure EL1". */
const char *apmu_state_text(enum apmu_state state);

/** Returns the set of states that exist with @features. */
unsigned apmu_states(uint64_t features);

/** Kinds of counters, as bits of a set. */
enum apmu_counter_kind {
    APMU_KIND_FIRST = 1,  /**< event counters below MDCR_EL2.HPMN */
    APMU_KIND_SECOND = 2, /**< event counters from HPMN up, which belong to EL2 */
    APMU_KIND_THIRD = 4,  /**< event counters from PMCCR.EPMN up, which belong to an external agent */
    APMU_KIND_CYCLE = 8,
    APMU_KIND_INSTR = 16,
};

/** What a policy is asked to protect. */
struct apmu_policy_request {
    uint64_t features; /**< set of APMU_FEAT(x), closed as apmu_features_closure() does */
    uint8_t level;     /**< the level that sets the policy: 3, firmware at EL3; 2, EL2, to protect itself from EL1 and
                            EL0 */
    uint8_t counters;  /**< PMCR_EL0.N as EL2 or EL3 reads it, 0..31 */
    uint16_t protect;  /**< set of APMU_STATE(x).  At level 2 only states of EL2; never NS_EL0 nor NS_EL1 */
};

/** When a value is written, and by whom. */
enum apmu_policy_hold {
    APMU_HOLD_BOOT,     /**< written once after each reset; PMCR_EL0 holds it only until less trusted software writes
                             it */
    APMU_HOLD_ENTRY,    /**< written at each entry to a protected state; the former value is restored on return */
    APMU_HOLD_SIGNAL,   /**< not written: the value that the authentication interface must show */
    APMU_HOLD_EXTERNAL, /**< written by the external agent that owns the third range, to PMEVTYPER<n>_EL0 of each
                             counter of it */
};

/** A field and its value. */
struct apmu_policy_row {
    enum apmu_reg reg;
    const char *name;  /**< name of the register: "MDCR_EL3", or "SDCR" where EL3 uses AArch32 */
    const char *field; /**< name of the field: "SPME"; "filters" for a row of several fields */
    uint64_t mask;     /**< the bits of the field */
    uint64_t value;    /**< its value, in place */
    enum apmu_policy_hold hold;
    const char *rule;  /**< rule of the Arm ARM */
    const char *why;   /**< what the value achieves */
};

enum apmu_policy_limit {
    APMU_POLICY_ROWS = 80 /**< the number of rows that is enough for every policy */
};

/**
 * Computes the policy: for each register a row for every field of the PMU, because a field that nobody writes would
 * keep an UNKNOWN value.  There are entry rows only where values that last are not sufficient: see apmu_policy_gaps().
 * *@count is the number of rows, 0 on an error.
 * APMU_E_POLICY_LEVEL: the level is not 2 or 3, or not implemented; APMU_E_POLICY_STATE: a state of .protect does not
 * exist with the features, or is not for this level; APMU_E_POLICY_ROOM: more rows than @room.
 */
enum apmu_error apmu_policy(const struct apmu_policy_request *request, struct apmu_policy_row *rows, size_t room,
                            size_t *count);

/**
 * Returns the value to write to @reg if it holds @old: the fields of all rows with @hold get their values, and bits
 * that are not the PMU's stay.
 */
uint64_t apmu_policy_value(const struct apmu_policy_row *rows, size_t count, enum apmu_policy_hold hold,
                           enum apmu_reg reg, uint64_t old);

/**
 * Returns the filter bits of PMEVTYPER<n>_EL0, PMCCFILTR_EL0 and PMICFILTR_EL0 with which a counter counts in every
 * state except those of the set @excluded.  AArch32 EL3 and Secure EL1 share a bit, so if one of them is excluded both
 * are.
 */
uint64_t apmu_policy_filter(uint64_t features, unsigned excluded);

/* ---------------------------------------------------------------------------------------------------------------
 * The check.
 */

/** A register and its value.  Only MDCR_EL3, SDER32_EL3, MDCR_EL2, PMCR_EL0 and PMAUTHSTATUS matter. */
struct apmu_policy_reg {
    enum apmu_reg reg;
    uint64_t value;
};

/** The ways in which counters leak: rows of tables/policy.def.  Their names are stable. */
enum apmu_policy_leak {
#define APMU_POLICY_LEAK(id, reg, field, states, counters, condition, rule, text) APMU_LEAK_##id,
#include <armpmu/tables/policy.def>
    APMU_LEAK_COUNT
};

/** A field that does not have the value, or the protection, that the policy relies on. */
struct apmu_policy_violation {
    enum apmu_policy_leak leak;
    const char *id;    /**< "SECURE_SPME" */
    enum apmu_reg reg;
    const char *name;  /**< name of the register: "MDCR_EL3", or "SDCR" where EL3 uses AArch32 */
    const char *field; /**< name of the field */
    uint64_t mask;     /**< the bits of the field */
    uint64_t found;    /**< its value, in place */
    uint64_t wanted;   /**< the value that it should have, in place */
    bool known;        /**< false: the register is not given, or less trusted software can write it, so it may hold
                            anything; .found is 0 */
    unsigned states;   /**< protected states in which counters count: set of APMU_STATE(x) */
    unsigned counters; /**< the counters that count there: set of enum apmu_counter_kind */
    const char *rule;
    const char *text;
};

/**
 * Returns the counters that leak in @state with the @count registers @regs: a set of enum apmu_counter_kind, 0 if none.
 * Registers that are not given, and those that software less trusted than the state can write, may hold anything.
 * @entered: the values are those in the protected state, so PMCR_EL0 and MDCR_EL2 are trusted as its entry wrote them.
 */
unsigned apmu_policy_leaks(const struct apmu_policy_request *request, const struct apmu_policy_reg *regs, size_t count,
                           bool entered, enum apmu_state state);

/**
 * Finds the fields because of which counters leak in the states of the request.  @out has room for APMU_LEAK_COUNT of
 * them.  Returns their number, which is 0 if and only if nothing leaks.
 */
size_t apmu_policy_check(const struct apmu_policy_request *request, const struct apmu_policy_reg *regs, size_t count,
                         bool entered, struct apmu_policy_violation *out);

/**
 * Finds the leaks that no lasting value closes with these features, by an apmu_policy_check() of the policy's own
 * values between entries.  @out and the result are those of apmu_policy_check().  The result is 0 where the policy has
 * no entry rows.
 */
size_t apmu_policy_gaps(const struct apmu_policy_request *request, struct apmu_policy_violation *out);

/** The leaks that no register value closes: rows of tables/policy.def. */
enum apmu_policy_note_id {
#define APMU_POLICY_NOTE(id, states, counters, rule, text) APMU_NOTE_##id,
#include <armpmu/tables/policy.def>
    APMU_NOTE_COUNT
};

/** A leak that no register value closes. */
struct apmu_policy_note {
    enum apmu_policy_note_id note;
    const char *id; /**< "WINDOW" */
    unsigned states, counters; /**< as in struct apmu_policy_violation */
    const char *rule;
    const char *text;
};

/** Finds the notes that concern the request.  @out has room for APMU_NOTE_COUNT.  Returns their number. */
size_t apmu_policy_notes(const struct apmu_policy_request *request, struct apmu_policy_note *out);

/* ---------------------------------------------------------------------------------------------------------------
 * On a PE.
 */

/**
 * Writes the boot rows through @dev: PMCR_EL0 first, and each register once, with the bits that are not the PMU's as
 * they were.  Call it after each reset, at the level of the request.  The errors are the back end's; then the registers
 * before the refused one are written.
 */
enum apmu_error apmu_policy_apply(const struct apmu_dev *dev, const struct apmu_policy_row *rows, size_t count);

/**
 * What an entry to a protected state writes, made once of the rows.  A mask of 0 leaves its register alone.
 */
struct apmu_policy_entry {
    uint64_t pmcr_el0_mask, pmcr_el0; /**< the bits that the entry sets, and their values */
    uint64_t mdcr_el2_mask, mdcr_el2;
};

/** Fills @entry from the entry rows, for apmu_native_policy_enter() of <armpmu/native.h>. */
void apmu_policy_entry(const struct apmu_policy_row *rows, size_t count, struct apmu_policy_entry *entry);

/** The values of less trusted software during a stay in a protected state.  The caller's, one for each PE. */
struct apmu_policy_saved {
    /* Internal: */
    uint64_t pmcr_el0, mdcr_el2;
};

/**
 * Saves PMCR_EL0 (and MDCR_EL2, at level 3 for Realm) on entry to a protected state, and writes the values of the entry
 * rows, each register in one write.  Does nothing without entry rows.  The errors are the back end's; then the
 * registers are as they were.
 */
enum apmu_error apmu_policy_enter(const struct apmu_dev *dev, const struct apmu_policy_row *rows, size_t count,
                                  struct apmu_policy_saved *saved);

/** Restores the saved values on return to less trusted software. */
enum apmu_error apmu_policy_leave(const struct apmu_dev *dev, const struct apmu_policy_row *rows, size_t count,
                                  const struct apmu_policy_saved *saved);

#ifdef __cplusplus
}
#endif
#endif
