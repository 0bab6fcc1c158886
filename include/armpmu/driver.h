/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver: discover a PMU, plan which counter counts what, start, stop and read, in the order that the architecture
 * asks for.
 *
 * For firmware, kernel and application engineers.  The driver reaches a PMU through the register seam, a struct of
 * three functions; a back end fills it.  All memory is the caller's and stays until apmu_session_close(); nothing
 * allocates.  One PMU has one session at a time, and no function may be called for one session from two contexts at
 * once.  In a handler of the overflow interrupt, on the PE of the PMU, only apmu_session_stop() and apmu_session_read()
 * make sense.
 *
 *     apmu_discover(&dev, NULL, &unit);
 *     apmu_session_open(&session, &dev, &unit, wishes, count, &refused);
 *     apmu_session_start(&session);
 *     ...
 *     apmu_session_stop(&session);
 *     apmu_session_read(&session, readings);
 *     apmu_session_close(&session);
 *
 * Every function that returns enum apmu_error can return what the back end refused with, besides the errors it lists.
 */
#ifndef ARMPMU_DRIVER_H
#define ARMPMU_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <armpmu/error.h>
#include <armpmu/regs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------------
 * The register seam.
 */

/** How a back end reads and writes the registers of one PMU. */
struct apmu_reg_ops {
    uint32_t size; /**< sizeof(struct apmu_reg_ops): members are only ever appended */
    uint32_t caps; /**< set of APMU_CAP_x; none is defined yet, so 0 */
    /** Reads copy @n of @reg into *@value. */
    enum apmu_error (*read)(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value);
    /** Writes @value to copy @n of @reg. */
    enum apmu_error (*write)(void *ctx, enum apmu_reg reg, unsigned n, uint64_t value);
    /** Makes the writes before it visible to what comes after: ISB, DSB, or nothing. */
    void (*sync)(void *ctx);
};

/** One PMU: the back end's functions and its context.  Both are the caller's and outlive the session. */
struct apmu_dev {
    const struct apmu_reg_ops *ops;
    void *ctx;
};

/* ---------------------------------------------------------------------------------------------------------------
 * What the PMU is.
 */

/** The ID registers that say which PMU it is, for a caller who cannot have the driver read them. */
struct apmu_ids {
    uint64_t id_aa64dfr0_el1, id_aa64dfr1_el1;
};

/** A PMU, as software sees it from its Exception level.  Filled by apmu_discover(). */
struct apmu_unit {
    uint8_t version;    /**< ID_AA64DFR0_EL1.PMUVer: 1 is FEAT_PMUv3, 4 p1, 5 p4, 6 p5, 7 p7, 8 p8, 9 p9 */
    uint8_t counters;   /**< event counters: PMCR_EL0.N, at EL1 and EL0 those that MDCR_EL2.HPMN leaves */
    bool instr;         /**< there is an instruction counter, PMICNTR_EL0 (FEAT_PMUv3_ICNTR) */
    uint64_t pmceid[2]; /**< PMCEID0_EL0 and PMCEID1_EL0 */
};

#define APMU_PMUVER_PMUV3P1 4u
#define APMU_PMUVER_PMUV3P5 6u
#define APMU_PMUVER_PMUV3P9 9u

/**
 * Finds out what the PMU @dev is.  @ids may be NULL: then ID_AA64DFR0_EL1 and ID_AA64DFR1_EL1 are read through @dev.
 * Changes nothing in the PMU.
 * APMU_E_NO_PMU: PMUVer is 0 or 15.
 */
enum apmu_error apmu_discover(const struct apmu_dev *dev, const struct apmu_ids *ids, struct apmu_unit *unit);

/** The set of counters of @unit: bit n is counter n. */
uint64_t apmu_unit_counters(const struct apmu_unit *unit);

/**
 * Puts the whole PMU into a known state: every writable bit of PMCR_EL0 written, nothing enabled, no interrupt, no
 * overflow flag, no access from EL0, all counters zero.  apmu_session_open() begins with it.
 */
enum apmu_error apmu_reset(const struct apmu_dev *dev, const struct apmu_unit *unit);

/* ---------------------------------------------------------------------------------------------------------------
 * Wishes and the plan.
 */

#define APMU_COUNTER_ANY 0xFFu /* any event counter; with dedicated, also the cycle or the instruction counter */

/** The filter bits of PMEVTYPER<n>_EL0, PMCCFILTR_EL0 and PMICFILTR_EL0. */
#define APMU_FILTER(field) APMU_MASK(PMEVTYPER_EL0, field)
#define APMU_FILTER_ALL \
    (APMU_FILTER(P) | APMU_FILTER(U) | APMU_FILTER(NSK) | APMU_FILTER(NSU) | APMU_FILTER(NSH) | APMU_FILTER(M) | \
     APMU_FILTER(SH) | APMU_FILTER(RLK) | APMU_FILTER(RLU) | APMU_FILTER(RLH) | APMU_FILTER(VS))

/** One wish: what to count, where, with what.  Zero in a member is the usual choice, but for counter. */
struct apmu_wish {
    uint16_t event;    /**< a number, see <armpmu/events.h>; not CHAIN */
    uint8_t counter;   /**< 0..30, APMU_CYCLE, APMU_INSTR or APMU_COUNTER_ANY */
    bool dedicated;    /**< with APMU_COUNTER_ANY: CPU_CYCLES may take the cycle counter, INST_RETIRED the instruction
                            counter, if it is free */
    bool wide;         /**< needs 64 bits: where event counters have 32, a pair chained by CHAIN */
    bool unlisted;     /**< count it although PMCEID<n>_EL0 do not announce it */
    bool interrupt;    /**< overflow raises PMUIRQ */
    uint64_t filter;   /**< set of APMU_FILTER(field): the bits to set, with Arm's meaning */
    uint64_t period;   /**< the first overflow comes after this many events; 0: after all that the counter can count */
};

/** What a wish got. */
struct apmu_slot {
    uint8_t counter;  /**< of a pair the even one */
    bool pair;        /**< counter + 1 counts CHAIN: the upper half */
    uint8_t bits;     /**< 32 or 64: where the counter, or the pair, overflows */
    uint64_t initial; /**< the value that it starts from */
    uint64_t wraps;   /**< overflows that were found since then */
};

/**
 * Gives each of the @count wishes a counter of @unit: @slots has room for @count.  Wishes for a certain counter come
 * first, then dedicated ones, then pairs, then the others in their order, so no wish is refused that any order of them
 * could grant.  Pure.  On an error, *@refused is the index of the wish that cannot be met; it may be NULL.
 * APMU_E_NO_COUNTER, NO_SUCH_COUNTER, COUNTER_TAKEN, COUNTER_EVENT, NO_EVENT, EVENT_NUMBER, CHAIN, FILTER, PERIOD and
 * PAIR.
 */
enum apmu_error apmu_plan(const struct apmu_unit *unit, const struct apmu_wish *wishes, size_t count,
                          struct apmu_slot *slots, size_t *refused);

/* ---------------------------------------------------------------------------------------------------------------
 * Sessions.
 */

enum apmu_session_state { APMU_SESSION_CLOSED, APMU_SESSION_STOPPED, APMU_SESSION_RUNNING };

/** What EL0 may do. */
enum apmu_user {
    APMU_USER_NONE, /**< nothing */
    APMU_USER_READ, /**< read the session's counters; from FEAT_PMUv3p9 on no others, before it others are zero */
    APMU_USER_FULL, /**< use the whole PMU, as PMUSERENR_EL0.EN allows */
};

struct apmu_session_ops; /* the session seam, below */

/** A session.  The caller's memory; no member is the caller's to change. */
struct apmu_session {
    const struct apmu_session_ops *ops;
    void *ctx; /**< the back end's, where it is not a struct apmu_dev */
    enum apmu_session_state state;
    size_t count; /**< wishes */
    struct apmu_dev dev;
    struct apmu_unit unit;
    uint64_t own; /**< the counters of the slots */
    struct apmu_slot slots[APMU_COUNTERS];
};

/** One answer. */
struct apmu_reading {
    uint64_t count;  /**< events since the session was opened or reset, overflows included (modulo 2^64) */
    uint64_t raw;    /**< what the counter, or the pair, holds */
    bool valid;      /**< false: a register could not be read, and count and raw are 0 */
    bool overflowed; /**< it overflowed since the last reading */
    bool scaled;     /**< the wish shared a counter: count is an estimate, raw count * enabled / running */
    uint64_t enabled; /**< time that the wish was to be counted, in ns; 0 where the back end has no clock */
    uint64_t running; /**< time of it that the wish had a counter */
};

/**
 * Resets the PMU, plans @wishes (as apmu_plan() does) and programs it.  Nothing counts yet.  On an error nothing counts
 * either, the session is closed, and *@refused is the wish concerned, or @count if none is; it may be NULL.
 */
enum apmu_error apmu_session_open(struct apmu_session *s, const struct apmu_dev *dev, const struct apmu_unit *unit,
                                  const struct apmu_wish *wishes, size_t count, size_t *refused);

/** All counters of the session count from one instruction on.  On an error none does.  APMU_E_STATE: not stopped. */
enum apmu_error apmu_session_start(struct apmu_session *s);

/** All stand still from one instruction on.  On an error they may still count.  APMU_E_STATE: not running. */
enum apmu_error apmu_session_stop(struct apmu_session *s);

/**
 * Reads the counters into @out, one for each wish, and clears the overflow flags that it found.  Overflows are added
 * to the count, so a counter must be read at least once in 2^bits events.  Exact also while the counters run.
 * On an error no reading is valid, no flag was taken into account, and the next call finds what this one lost.
 * APMU_E_STATE: closed.
 */
enum apmu_error apmu_session_read(struct apmu_session *s, struct apmu_reading *out);

/** Counts begin again, from the periods.  APMU_E_STATE: not stopped. */
enum apmu_error apmu_session_reset(struct apmu_session *s);

/** Says what EL0 may do from now on.  APMU_E_STATE: closed; APMU_E_UNSUPPORTED: the back end cannot. */
enum apmu_error apmu_session_user(struct apmu_session *s, enum apmu_user user);

/**
 * Stops, disables the counters and their interrupts, clears their overflow flags and ends the access from EL0.  All of
 * it is tried even if a part fails; the first error is returned, and the session is closed.  A closed session: nothing.
 */
enum apmu_error apmu_session_close(struct apmu_session *s);

/* ---------------------------------------------------------------------------------------------------------------
 * The session seam: for what counts without the registers of PMUv3, such as an operating system.  Each back end has an
 * open function of its own, which fills ops, ctx and count, and leaves the session stopped.  The states are checked
 * before a function of the seam is called, and changed if it succeeds; a session that is closed stays so.
 */
struct apmu_session_ops {
    uint32_t size; /**< sizeof(struct apmu_session_ops): members are only ever appended */
    enum apmu_error (*start)(struct apmu_session *s);
    enum apmu_error (*stop)(struct apmu_session *s);
    /** @out has s->count readings, all zero; after an error what they hold is thrown away. */
    enum apmu_error (*read)(struct apmu_session *s, struct apmu_reading *out);
    enum apmu_error (*reset)(struct apmu_session *s);
    enum apmu_error (*user)(struct apmu_session *s, enum apmu_user user); /**< NULL: it cannot */
    enum apmu_error (*close)(struct apmu_session *s);
};

/* ---------------------------------------------------------------------------------------------------------------
 * Back ends.
 */

struct apmu;    /* <armpmu/model.h> */
struct apmu_pe;

/** The model as a PMU.  The context is a struct apmu_model_backend. */
extern const struct apmu_reg_ops apmu_model_ops;

struct apmu_model_backend {
    struct apmu *pmu;
    const struct apmu_pe *pe; /**< from where the driver accesses it */
};

/** A recorder: passes every access on to @inner and tells @sink of it.  The context is a struct apmu_trace. */
extern const struct apmu_reg_ops apmu_trace_ops;

struct apmu_trace {
    struct apmu_dev inner;
    /** Gets one line without '\n' after each access: "write PMCR_EL0 0xc1", "read PMOVSCLR_EL0 0x0", "sync". */
    void (*sink)(void *sink_ctx, const char *line);
    void *sink_ctx;
};

/** A saboteur: passes accesses on to @inner, but one of them fails.  The context is a struct apmu_fault. */
extern const struct apmu_reg_ops apmu_fault_ops;

struct apmu_fault {
    struct apmu_dev inner;
    unsigned long calls;   /**< reads and writes so far, the failed one included */
    unsigned long fail_at; /**< this call fails, counted from 1; 0: none */
    enum apmu_error error; /**< with this */
};

#ifdef __cplusplus
}
#endif
#endif
