/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver, above: wishes, the plan that gives them counters, and sessions that count them.
 *
 * Which call may interrupt which, on the PE of the PMU, where a session is used from handlers too:
 *   - apmu_session_interrupt() may interrupt every function of the session, but not itself, apmu_session_rotate(),
 *     apmu_session_reset() nor apmu_session_close(): mask PMUIRQ around these three, or call them where it is masked;
 *   - apmu_session_read() and apmu_session_snapshot() may interrupt each other and themselves, and be called from the
 *     handler that apmu_session_interrupt() calls;
 *   - apmu_session_rotate() may interrupt start, stop and readings, and then leaves the turn as it is;
 *   - no other call may interrupt one of the same session, and none may be made on another PE.
 */
#ifndef ARMPMU_SESSION_H
#define ARMPMU_SESSION_H

#include <armpmu/pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------------
 * Wishes and the plan.
 */

#define APMU_COUNTER_ANY 0xFFu /* any event counter; with dedicated, also the cycle or the instruction counter */

/** The filter bits of PMEVTYPER<n>_EL0, PMCCFILTR_EL0 and PMICFILTR_EL0. */
#define APMU_FILTER(field) APMU_MASK(PMEVTYPER_EL0, field)
#define APMU_FILTER_ALL \
    (APMU_FILTER(P) | APMU_FILTER(U) | APMU_FILTER(NSK) | APMU_FILTER(NSU) | APMU_FILTER(NSH) | APMU_FILTER(M) | \
     APMU_FILTER(SH) | APMU_FILTER(RLK) | APMU_FILTER(RLU) | APMU_FILTER(RLH) | APMU_FILTER(VS))

/** One wish: what to count, where, with what; apmu_wish_parse() makes one from a text.  Zero in a member is the usual choice, but for counter. */
struct apmu_wish {
    uint16_t event;    /**< a number, see <armpmu/events.h>; not CHAIN */
    uint8_t counter;   /**< 0..30, APMU_CYCLE, APMU_INSTR or APMU_COUNTER_ANY */
    bool dedicated;    /**< with APMU_COUNTER_ANY: CPU_CYCLES may take the cycle counter, INST_RETIRED the instruction
                            counter, if it is free */
    bool wide;         /**< needs 64 bits: where event counters have 32, a pair chained by CHAIN */
    bool unlisted;     /**< count it although PMCEID<n>_EL0 do not announce it */
    bool interrupt;    /**< overflow raises PMUIRQ, and apmu_session_interrupt() alone deals with it */
    uint64_t filter;   /**< set of APMU_FILTER(field): the bits to set, with Arm's meaning */
    uint64_t period;   /**< the first overflow comes after this many events, and with interrupt each next one after as many
                            again; 0: after all that the counter can count */
    uint64_t threshold; /**< the fields TC, TE and TH of PMEVTYPER<n>_EL0 (FEAT_PMUv3_TH, FEAT_PMUv3_EDGE) */
    uint8_t group;     /**< where wishes share counters: those with one number count at the same times; 0: by itself */
};

/** What a wish got. */
struct apmu_slot {
    uint8_t counter;  /**< of a pair the even one */
    bool pair;        /**< counter + 1 counts CHAIN: the upper half */
    uint8_t bits;     /**< 32 or 64: where the counter, or the pair, overflows */
    bool interrupt;   /**< as wished */
    uint8_t round;    /**< the turn in which it counts; 0 where nothing is shared */
    uint32_t doubts;  /**< that all its readings have */
    uint64_t type;    /**< event, filter and threshold, as in PMEVTYPER<n>_EL0 */
    uint64_t wished;  /**< the period that was wished */
    uint64_t period;  /**< the next one, 0: all that the counter can count */
    uint64_t initial; /**< the value that it started from */
    uint64_t base;    /**< events counted when it did */
    uint64_t wraps;   /**< overflows that were found since then */
    uint64_t claimed; /**< wraps with those that a reading is about to take into account */
    uint64_t held;    /**< the counter's value while another has the counter */
    uint64_t running; /**< by the clock, without the present turn */
    uint32_t overflows; /**< that were taken into account */
    uint32_t seen;      /**< of them, those that the present reading tells of */
    uint32_t reported;  /**< and those that a reading has told of */
};

/**
 * Gives each of the @count wishes a counter of @pmu: @slots has room for @count.  Wishes for a certain counter come
 * first, then dedicated ones, then pairs, then the others in their order, so no wish is refused that any order of them
 * could grant.  Pure.  On an error, *@refused is the index of the wish that cannot be met; it may be NULL.
 * APMU_E_NO_COUNTER, NO_SUCH_COUNTER, COUNTER_TAKEN, COUNTER_EVENT, SECOND_RANGE, NO_EVENT, EVENT_NUMBER, CHAIN,
 * NO_CHAIN, FILTER, THRESHOLD, PERIOD, PAIR; LEVEL: an interrupt, at EL0.
 */
enum apmu_error apmu_plan(const struct apmu_pmu *pmu, const struct apmu_wish *wishes, size_t count,
                          struct apmu_slot *slots, size_t *refused);

/**
 * The same where wishes may take turns on the counters: slots[i].round says when, 0..*@rounds-1.  Groups are taken in the
 * order in which they first occur, and join a turn while there is room.  @count is at most 254.
 * As apmu_plan(); of a group that cannot be counted at once, the wish that cannot be met beside the others of it.
 */
enum apmu_error apmu_plan_shared(const struct apmu_pmu *pmu, const struct apmu_wish *wishes, size_t count,
                                 struct apmu_slot *slots, size_t *rounds, size_t *refused);

/* ---------------------------------------------------------------------------------------------------------------
 * Sessions.
 */

enum apmu_session_state { APMU_SESSION_CLOSED, APMU_SESSION_STOPPED, APMU_SESSION_RUNNING };

/** What EL0 may do. */
enum apmu_user {
    APMU_USER_NONE, /**< nothing */
    APMU_USER_READ, /**< read the session's counters; from FEAT_PMUv3p9 on no others, before it others are zero, and ARMv7
                         cannot */
    APMU_USER_FULL, /**< use the whole PMU, as PMUSERENR_EL0.EN allows */
};

struct apmu_session_ops; /* the session seam, below */

/** An overflow, as a handler is told of it. */
struct apmu_overflow {
    size_t wish;     /**< which wish's counter it was */
    uint64_t pc;     /**< what apmu_session_interrupt() was given */
    uint64_t count;  /**< events of the wish, up to now */
    uint64_t late;   /**< of these, those since the overflow */
    uint64_t period; /**< the one that has ended; what the handler leaves here is the next: 0, or more than the counter can
                          count, is all that it can count */
};

/**
 * Called by apmu_session_interrupt() for each overflow; all registers have been read then, so it may call
 * apmu_session_read(), but no other function of the session.
 */
typedef void apmu_overflow_handler(void *ctx, struct apmu_overflow *overflow);

/** A clock of the caller's: nanoseconds since some moment, never backwards.  Called where the session is. */
typedef uint64_t apmu_clock(void *ctx);

/** What a session needs whose wishes share counters.  All of it is the caller's until the session is closed. */
struct apmu_sharing {
    struct apmu_slot *slots; /**< one for each wish */
    apmu_clock *clock;       /**< not NULL */
    void *clock_ctx;
};

/** A session.  The caller's memory; no member is the caller's to change. */
struct apmu_session {
    const struct apmu_session_ops *ops;
    void *ctx; /**< the back end's, where it is not a struct apmu_dev */
    enum apmu_session_state state;
    size_t count; /**< wishes */
    struct apmu_dev dev;
    struct apmu_pmu pmu;
    uint64_t own; /**< the counters of the slots, of the present turn */
    struct apmu_slot slots[APMU_COUNTERS]; /**< where nothing is shared */
    struct apmu_sharing sharing; /**< .slots is NULL where nothing is shared */
    size_t rounds, round;
    uint64_t interrupts; /**< of own, those whose overflow raises PMUIRQ */
    uint64_t enabled;    /**< by the clock, without the present turn */
    uint64_t since;      /**< when the present turn began */
    apmu_overflow_handler *handler;
    void *handler_ctx;
    enum apmu_user user;
    volatile bool on;           /**< PMCR_EL0.E is to be 1 */
    volatile uint32_t sequence; /**< changes with whatever a reading is made of */
    volatile uint32_t readers;  /**< readings that are under way */
    volatile uint64_t claims;   /**< overflow flags that a reading is about to clear */
};

/** Why a count may be less than the truth.  Set of: */
#define APMU_DOUBT_WRAPPED (1u << 0)  /* an overflow was found late: a counter of 32 bits may have wrapped more than once */
#define APMU_DOUBT_UNLISTED (1u << 1) /* PMCEID<n>_EL0 do not announce the event: it may never occur */
#define APMU_DOUBT_NO_TURN (1u << 2)  /* the wish has had no counter yet */
#define APMU_DOUBT_SATURATED (1u << 3) /* the estimate is beyond 2^64 */

/** One answer. */
struct apmu_reading {
    uint64_t count;  /**< events since the session was opened or reset, overflows included (modulo 2^64) */
    uint64_t raw;    /**< what the counter, or the pair, holds */
    bool valid;      /**< false: a register could not be read, and all of it is 0 */
    bool overflowed; /**< it overflowed since the last reading */
    bool scaled;     /**< the wish shared a counter: count is an estimate, events counted * enabled / running */
    uint64_t enabled; /**< time that the wish was to be counted, in ns; 0 where there is no clock */
    uint64_t running; /**< time of it that the wish had a counter */
    uint32_t doubts; /**< set of APMU_DOUBT_x */
};

/**
 * Resets the PMU, plans @wishes (as apmu_plan() does) and programs it.  Nothing counts yet.  On an error nothing counts
 * either, the session is closed, and *@refused is the wish concerned, or @count if none is; it may be NULL.
 */
enum apmu_error apmu_session_open(struct apmu_session *s, const struct apmu_dev *dev, const struct apmu_pmu *pmu,
                                  const struct apmu_wish *wishes, size_t count, size_t *refused);

/**
 * The same, but wishes that do not fit take turns, as apmu_plan_shared() says: the first until apmu_session_rotate() is
 * called, and so on.  Readings of them are estimates.  @count is at most 254.
 */
enum apmu_error apmu_session_open_shared(struct apmu_session *s, const struct apmu_dev *dev, const struct apmu_pmu *pmu,
                                         const struct apmu_wish *wishes, size_t count, const struct apmu_sharing *sharing,
                                         size_t *refused);

/** All counters of the session count from one instruction on.  On an error none does.  APMU_E_STATE: not stopped. */
enum apmu_error apmu_session_start(struct apmu_session *s);

/** All stand still from one instruction on.  On an error they may still count.  APMU_E_STATE: not running. */
enum apmu_error apmu_session_stop(struct apmu_session *s);

/**
 * Reads the counters into @out, one for each wish, and clears the overflow flags that it found, but for those of wishes
 * with interrupt.  Overflows are added to the count, so a counter must be read at least once in 2^bits events.  Exact
 * also while the counters run.
 * On an error no reading is valid, no flag was taken into account, and the next call finds what this one lost.
 * APMU_E_STATE: closed.
 */
enum apmu_error apmu_session_read(struct apmu_session *s, struct apmu_reading *out);

/**
 * The same of one instant, by a snapshot of FEAT_PMUv3_SS: no event comes between the counters.
 * APMU_E_STATE: closed.  APMU_E_UNSUPPORTED: the PMU has none.  APMU_E_LEVEL: not from EL0.  APMU_E_SNAPSHOT: it was not
 * taken, for MDCR_EL2.PMSSE or MDCR_EL3.PMSSE prohibit it.
 */
enum apmu_error apmu_session_snapshot(struct apmu_session *s, struct apmu_reading *out);

/** Counts begin again, from the periods that were wished.  APMU_E_STATE: not stopped. */
enum apmu_error apmu_session_reset(struct apmu_session *s);

/**
 * Says what EL0 may do from now on.
 * APMU_E_STATE: closed; APMU_E_UNSUPPORTED: the back end, or this PMU, cannot; APMU_E_LEVEL: not from EL0.
 */
enum apmu_error apmu_session_user(struct apmu_session *s, enum apmu_user user);

/** @handler, or none if it is NULL, is called for overflows from now on, with @ctx.  APMU_E_STATE: not stopped. */
enum apmu_error apmu_session_on_overflow(struct apmu_session *s, apmu_overflow_handler *handler, void *ctx);

/**
 * To be called when PMUIRQ is raised, on the PE of the PMU; any other time does no harm.  Takes the overflows of wishes
 * with interrupt into account, clears their flags and no others, calls the handler for each with @pc, and lets the next
 * period begin where the last one ended; if it is over already, anew.  PMUIRQ is low on return, unless a counter has
 * overflowed again, or one that is not the session's.  While the handler runs and periods are begun the session stands
 * still, so what the handler itself does is not counted.  *@handled, which may be NULL, is how many overflows there were.
 * On an error the flags that are left raise PMUIRQ again, and the session may stand still.
 * APMU_E_STATE: closed; APMU_E_UNSUPPORTED: the back end cannot.
 */
enum apmu_error apmu_session_interrupt(struct apmu_session *s, uint64_t pc, size_t *handled);

/**
 * The next turn of wishes that share counters, to be called by a timer of the caller's; where nothing is shared it does
 * nothing.  Overflows of wishes with interrupt that end the turn are handled as by apmu_session_interrupt(), with @pc.
 * On an error the session stands still and is stopped.  APMU_E_STATE: not running; APMU_E_UNSUPPORTED: the back end cannot.
 */
enum apmu_error apmu_session_rotate(struct apmu_session *s, uint64_t pc);

/**
 * Stops, disables the counters and their interrupts, clears their overflow flags and ends the access from EL0.  All of
 * it is tried even if a part fails; the first error is returned, and the session is closed.  A closed session: nothing.
 */
enum apmu_error apmu_session_close(struct apmu_session *s);

/* ---------------------------------------------------------------------------------------------------------------
 * The session seam: for what counts without the registers of PMUv3, such as an operating system.  Each back end has an
 * open function of its own, which fills ops, ctx and count, and leaves the session stopped.  The states are checked
 * before a function of the seam is called, and changed if it succeeds; a session that is closed stays so.  Where interrupt
 * or rotate fail and leave the session standing still, they set s->state to APMU_SESSION_STOPPED.
 */
struct apmu_session_ops {
    uint32_t size; /**< sizeof(struct apmu_session_ops): see <armpmu/sized.h>; APMU_E_SIZE */
    enum apmu_error (*start)(struct apmu_session *s);
    enum apmu_error (*stop)(struct apmu_session *s);
    /** @out has s->count readings, all zero; after an error what they hold is thrown away. */
    enum apmu_error (*read)(struct apmu_session *s, struct apmu_reading *out);
    enum apmu_error (*reset)(struct apmu_session *s);
    enum apmu_error (*user)(struct apmu_session *s, enum apmu_user user); /**< NULL: it cannot */
    enum apmu_error (*close)(struct apmu_session *s);
    enum apmu_error (*snapshot)(struct apmu_session *s, struct apmu_reading *out); /**< as read; NULL: it cannot */
    /** Calls s->handler; *@handled is 0 before.  NULL: it cannot. */
    enum apmu_error (*interrupt)(struct apmu_session *s, uint64_t pc, size_t *handled);
    enum apmu_error (*rotate)(struct apmu_session *s, uint64_t pc); /**< NULL: it cannot */
};

#ifdef __cplusplus
}
#endif
#endif
