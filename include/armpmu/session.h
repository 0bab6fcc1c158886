/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sessions: which events to count, and the calls that start, stop and read their counters.
 *
 * For firmware, kernel and application engineers.  The example counts cycles of the model.  With another back end only
 * the device is made differently (<armpmu/native.h>, <armpmu/mmio.h>), or the session is opened by another function
 * (<armpmu/perf.h>, <armpmu/arm11_driver.h>).
 *
 * @code
 * #include <armpmu/driver.h>
 * #include <armpmu/events.h>
 * #include <armpmu/model.h>
 * int main(void)
 * {
 *     static struct apmu model;
 *     const struct apmu_config config = {
 *         .size = sizeof config, .features = apmu_features_closure(APMU_FEAT(PMUv3) | APMU_FEAT(AA64EL1)),
 *     };
 *     const struct apmu_pe pe = {.el = 1};
 *     struct apmu_model_backend backend = {.pmu = &model, .pe = &pe};
 *     const struct apmu_dev dev = {.ops = &apmu_model_ops, .ctx = &backend};
 *     struct apmu_pmu pmu;
 *     struct apmu_wish wish;
 *     struct apmu_session session;
 *     struct apmu_reading reading;
 *     apmu_init(&model, &config);
 *     if (apmu_pmu_discover(&dev, NULL, &pmu) != APMU_OK || apmu_wish_parse("CPU_CYCLES", &wish) != APMU_OK ||
 *         apmu_session_open(&session, &dev, &pmu, &wish, 1, NULL) != APMU_OK) {
 *         return 1;
 *     }
 *     apmu_session_start(&session);
 *     apmu_cycles(&model, &pe, 1000, NULL);
 *     apmu_session_stop(&session);
 *     apmu_session_read(&session, &reading);
 *     return apmu_session_close(&session) != APMU_OK || reading.count != 1000;
 * }
 * @endcode
 *
 * All memory is the caller's and must stay in place until apmu_session_close(); nothing allocates.  A call that returns
 * enum apmu_error can return any error of the back end besides those listed.
 *
 * Re-entrancy of a session over the register seam (arm11_driver.h and perf.h have their own rules).  All calls of one
 * session are made on the PE of its PMU.  A handler on that PE may make the call of a row while it interrupts the calls
 * of a column:
 *
 *                         start, stop   read, snapshot   interrupt   rotate   reset, close   all others
 *     interrupt           yes           yes              no          no       no             yes
 *     read, snapshot      no            yes              handler     no       no             no
 *     rotate              no turn       no turn          no          no       no             no
 *     all others          no            no               no          no       no             no
 *
 * handler: the function that apmu_session_interrupt() calls for an overflow may make the call.
 * no turn: the call is allowed, but the turn does not change.
 * Mask PMUIRQ around rotate, reset and close, or call them where it is masked.
 */
#ifndef ARMPMU_SESSION_H
#define ARMPMU_SESSION_H

#include <armpmu/pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------------
 * Wishes and readings.
 */

/** In place of the number of a counter. */
enum apmu_counter_choice {
    APMU_COUNTER_ANY = 0xFF /**< any event counter; with dedicated, also the cycle or the instruction counter */
};

/** The filter bits of PMEVTYPER<n>_EL0, PMCCFILTR_EL0 and PMICFILTR_EL0. */
#define APMU_FILTER(field) APMU_MASK(PMEVTYPER_EL0, field)
#define APMU_FILTER_ALL \
    (APMU_FILTER(P) | APMU_FILTER(U) | APMU_FILTER(NSK) | APMU_FILTER(NSU) | APMU_FILTER(NSH) | APMU_FILTER(M) | \
     APMU_FILTER(SH) | APMU_FILTER(RLK) | APMU_FILTER(RLU) | APMU_FILTER(RLH) | APMU_FILTER(VS))

/**
 * A wish: an event that a session shall count, and how.  apmu_wish_parse() of <armpmu/events.h> makes one from a text.
 * 0 is the usual choice for each member but counter.
 */
struct apmu_wish {
    uint16_t event;     /**< event number, see <armpmu/events.h>; not CHAIN */
    uint8_t counter;    /**< 0..30, APMU_CYCLE, APMU_INSTR or APMU_COUNTER_ANY */
    bool dedicated;     /**< with APMU_COUNTER_ANY: CPU_CYCLES may take the cycle counter, and INST_RETIRED the
                             instruction counter, if it is free */
    bool wide;          /**< requires 64 bits: where event counters have 32, the wish takes a pair chained by CHAIN */
    bool unlisted;      /**< counts the event even if PMCEID<n>_EL0 do not announce it */
    bool interrupt;     /**< an overflow raises PMUIRQ, and only apmu_session_interrupt() handles it */
    uint64_t filter;    /**< set of APMU_FILTER(field): the bits to set, with Arm's meaning */
    uint64_t period;    /**< events until the first overflow, and with interrupt from each overflow to the next; 0: as
                             many as the counter can count */
    uint64_t threshold; /**< fields TC, TE and TH of PMEVTYPER<n>_EL0, in place (FEAT_PMUv3_TH, FEAT_PMUv3_EDGE);
                             0: none */
    uint8_t group;      /**< for shared counters: wishes with the same number count at the same times; 0: no group */
};

/** Reasons for which a count may be less than the true number of events: bits of apmu_reading.doubts. */
enum apmu_doubt {
    APMU_DOUBT_WRAPPED = 1 << 0,   /**< an overflow was found late: a 32-bit counter may have wrapped more than once */
    APMU_DOUBT_UNLISTED = 1 << 1,  /**< PMCEID<n>_EL0 do not announce the event: it may never occur */
    APMU_DOUBT_NO_TURN = 1 << 2,   /**< the wish has had no counter yet */
    APMU_DOUBT_SATURATED = 1 << 3, /**< the estimate is beyond 2^64 */
};

/** What was counted for one wish. */
struct apmu_reading {
    uint64_t count;   /**< events since the session was opened or reset, overflows included (modulo 2^64) */
    uint64_t raw;     /**< value of the counter, or of the pair */
    bool valid;       /**< false: a register could not be read, and all members are 0 */
    bool overflowed;  /**< the counter overflowed since the last reading */
    bool scaled;      /**< the wish shared a counter: count is an estimate, events counted * enabled / running */
    uint64_t enabled; /**< ns for which the wish was to be counted; 0 where there is no clock */
    uint64_t running; /**< ns of these in which it had a counter */
    uint32_t doubts;  /**< set of APMU_DOUBT_x */
};

/* ---------------------------------------------------------------------------------------------------------------
 * The simple calls.
 */

struct apmu_session; /* defined at the end of this file; the caller allocates it */

/**
 * Resets the PMU, gives each of the @count wishes a counter as apmu_plan() does, and programs them.  Nothing counts
 * yet.  On an error nothing counts either, the session is closed, and *@refused is the index of the wish concerned, or
 * @count if none is.  @refused may be NULL.
 * The errors of apmu_plan() and of apmu_pmu_reset(); APMU_E_NO_COUNTER: more than APMU_COUNTERS wishes.
 */
enum apmu_error apmu_session_open(struct apmu_session *s, const struct apmu_dev *dev, const struct apmu_pmu *pmu,
                                  const struct apmu_wish *wishes, size_t count, size_t *refused);

/**
 * Starts all counters of the session at one instruction.  On an error none counts.
 * APMU_E_STATE: not stopped; APMU_E_SIZE: the back end's table of functions is not one that this library can call.
 */
enum apmu_error apmu_session_start(struct apmu_session *s);

/**
 * Stops all counters of the session at one instruction.  On an error they may still count.
 * APMU_E_STATE: not running.
 */
enum apmu_error apmu_session_stop(struct apmu_session *s);

/**
 * Reads the counters into @out, one element for each wish, and clears the overflow flags that it found set, except
 * those of wishes with interrupt.  Overflows are added to the counts, so each counter must be read at least once in
 * 2^bits events.  A reading is exact also while the counters run.  On an error no element is valid, no flag was taken
 * into account, and the next call finds what this one lost.
 * APMU_E_STATE: closed.
 */
enum apmu_error apmu_session_read(struct apmu_session *s, struct apmu_reading *out);

/**
 * Stops the counters, disables them and their interrupts, clears their overflow flags and ends the access from EL0.
 * Tries all of it even if a part fails, and returns the first error; the session is closed in any case.  Does nothing
 * to a closed session.
 */
enum apmu_error apmu_session_close(struct apmu_session *s);

/* ---------------------------------------------------------------------------------------------------------------
 * More calls of a session.
 */

/** Sets the counts to 0 and begins the first period of each wish again.  APMU_E_STATE: not stopped. */
enum apmu_error apmu_session_reset(struct apmu_session *s);

/**
 * Reads the counters as apmu_session_read() does, but all at one instant, by a snapshot of FEAT_PMUv3_SS.  Leaves the
 * overflow flags set.
 * APMU_E_STATE: closed; APMU_E_UNSUPPORTED: the PMU has no snapshots; APMU_E_LEVEL: called at EL0; APMU_E_SNAPSHOT: the
 * PMU took none, because MDCR_EL2.PMSSE or MDCR_EL3.PMSSE prohibits it.
 */
enum apmu_error apmu_session_snapshot(struct apmu_session *s, struct apmu_reading *out);

/** What EL0 may do. */
enum apmu_user_access {
    APMU_USER_NONE, /**< nothing */
    APMU_USER_READ, /**< read the session's counters, and from FEAT_PMUv3p9 on no others; before it the other counters
                         are zero.  ARMv7 lacks this */
    APMU_USER_FULL, /**< use the whole PMU, as PMUSERENR_EL0.EN allows */
};

/**
 * Sets what EL0 may do from now on.
 * APMU_E_STATE: closed; APMU_E_UNSUPPORTED: this back end or this PMU cannot do it; APMU_E_LEVEL: called at EL0.
 */
enum apmu_error apmu_session_allow_user(struct apmu_session *s, enum apmu_user_access user);

/* ---------------------------------------------------------------------------------------------------------------
 * Overflow interrupts.
 */

/** An overflow, as its handler sees it. */
struct apmu_overflow {
    size_t wish;     /**< index of the wish whose counter overflowed */
    uint64_t pc;     /**< the argument of apmu_session_interrupt() */
    uint64_t count;  /**< events of the wish up to now */
    uint64_t late;   /**< of these, the events since the overflow */
    uint64_t period; /**< the period that has ended.  The handler may change it to the next one: 0, or more than the
                          counter can count, means as many as it can count */
};

/**
 * A handler, called by apmu_session_interrupt() for each overflow.  All registers have been read when it is called, so
 * it may call apmu_session_read() and apmu_session_snapshot(), but no other function of the session.
 */
typedef void apmu_overflow_handler(void *ctx, struct apmu_overflow *overflow);

/**
 * Sets the handler for overflows and its argument @ctx.  @handler may be NULL: none.
 * APMU_E_STATE: not stopped; APMU_E_UNSUPPORTED: the back end has no interrupts.
 */
enum apmu_error apmu_session_on_overflow(struct apmu_session *s, apmu_overflow_handler *handler, void *ctx);

/**
 * Handles PMUIRQ: call it on the PE of the PMU when the interrupt is raised.  A call at another time does no harm.
 * Adds the overflows of wishes with interrupt to their counts, clears their flags and no others, and calls the handler
 * for each with @pc.  Each next period begins where the last one ended; if it would be over already, a whole period
 * begins now.  PMUIRQ is low on return, unless a counter has overflowed again or another user's counter has overflowed.
 * The session stands still while the handler runs and periods are started, so the events of the handler itself are not
 * counted.  *@handled is the number of overflows; @handled may be NULL.  On an error the flags that are left raise
 * PMUIRQ again, and the session may stand still.
 * APMU_E_STATE: closed; APMU_E_UNSUPPORTED: the back end has no interrupts.
 */
enum apmu_error apmu_session_interrupt(struct apmu_session *s, uint64_t pc, size_t *handled);

/* ---------------------------------------------------------------------------------------------------------------
 * Shared counters: wishes that take turns.
 */

/** A clock of the caller's: returns nanoseconds since a fixed moment, and never goes back. */
typedef uint64_t apmu_clock(void *ctx);

/** What a session with shared counters needs.  All of it is the caller's until the session is closed. */
struct apmu_sharing {
    struct apmu_slot *slots; /**< one for each wish */
    apmu_clock *clock;       /**< not NULL */
    void *clock_ctx;
};

/**
 * Opens a session as apmu_session_open() does, but wishes that do not fit together take turns, as apmu_plan_shared()
 * arranges them.  apmu_session_rotate() changes the turn.  Readings are estimates.  @count is at most 254.
 */
enum apmu_error apmu_session_open_shared(struct apmu_session *s, const struct apmu_dev *dev, const struct apmu_pmu *pmu,
                                         const struct apmu_wish *wishes, size_t count,
                                         const struct apmu_sharing *sharing, size_t *refused);

/**
 * Begins the next turn; a timer of the caller's calls it.  Does nothing where nothing is shared.  If wishes with
 * interrupt have overflowed by the end of the turn, calls the handler for each, as apmu_session_interrupt() does, with
 * @pc.  On an error the session stands still and is stopped.
 * APMU_E_STATE: not running; APMU_E_UNSUPPORTED: the back end has no turns.
 */
enum apmu_error apmu_session_rotate(struct apmu_session *s, uint64_t pc);

/* ---------------------------------------------------------------------------------------------------------------
 * The plan: which wish gets which counter.
 */

/** The place of one wish in a plan, and what a session remembers of its counter. */
struct apmu_slot {
    uint8_t counter;  /**< 0..30, APMU_CYCLE or APMU_INSTR; for a pair, its even counter */
    bool pair;        /**< counter + 1 counts CHAIN: the upper half */
    uint8_t bits;     /**< 32 or 64: the width at which the counter, or the pair, overflows */
    bool interrupt;   /**< apmu_wish.interrupt */
    uint8_t round;    /**< the turn in which it counts, from 0; 0 where nothing is shared */
    uint32_t doubts;  /**< set of APMU_DOUBT_x that all its readings have */
    uint64_t type;    /**< event, filter and threshold, as in PMEVTYPER<n>_EL0 */
    uint64_t initial; /**< the value that the counter starts from */

    /* Internal: the driver's while a session uses the slot. */
    uint64_t wished;    /* apmu_wish.period */
    uint64_t period;    /* the next period; 0: as many events as the counter can count */
    uint64_t base;      /* events counted before the counter was set to initial */
    uint64_t wraps;     /* overflows found since then */
    uint64_t claimed;   /* wraps, and those that a reading is about to take into account */
    uint64_t held;      /* the value of a counter that does not count: between turns, and in a handler */
    uint64_t running;   /* ns with a counter, without the present turn */
    uint32_t overflows; /* taken into account since the session was opened */
    uint32_t seen;      /* of these, those that the present reading tells of */
    uint32_t reported;  /* of these, those that a reading has told of */
};

/**
 * Gives each of the @count wishes a counter of @pmu.  @slots has room for @count.  Wishes for a certain counter come
 * first, then dedicated ones, then pairs, then the others in their order, so no wish is refused that another order
 * could grant.  Pure.  On an error *@refused is the index of the wish that cannot be met; @refused may be NULL.
 * APMU_E_NO_COUNTER, NO_SUCH_COUNTER, COUNTER_TAKEN, COUNTER_EVENT, SECOND_RANGE, NO_EVENT, EVENT_NUMBER, CHAIN,
 * NO_CHAIN, FILTER, THRESHOLD, PERIOD, PAIR; LEVEL: an interrupt, at EL0.
 */
enum apmu_error apmu_plan(const struct apmu_pmu *pmu, const struct apmu_wish *wishes, size_t count,
                          struct apmu_slot *slots, size_t *refused);

/**
 * Plans as apmu_plan() does, but wishes may take turns: slots[i].round is the turn of wish i, 0..*@rounds-1.  Groups
 * are taken in the order of their first wishes, and join a turn while there is room.  @count is at most 254.
 * The errors of apmu_plan().  If the wishes of a group cannot be counted at once, *@refused is the one that does not
 * fit.
 */
enum apmu_error apmu_plan_shared(const struct apmu_pmu *pmu, const struct apmu_wish *wishes, size_t count,
                                 struct apmu_slot *slots, size_t *rounds, size_t *refused);

/* ---------------------------------------------------------------------------------------------------------------
 * The session seam, for back ends that count without the registers of PMUv3, such as an operating system.
 *
 * The open function of such a back end sets ops, ctx and count of the session and leaves it stopped.  The functions
 * below are called only in the states in which the session allows them; when one succeeds, the session changes its
 * state.  A session that is closed stays closed.  If interrupt or rotate fails and the session stands still, it sets
 * s->state to APMU_SESSION_STOPPED.  A function that may be NULL is one that the back end lacks: the call returns
 * APMU_E_UNSUPPORTED.
 */
struct apmu_session_ops {
    uint32_t size; /**< sizeof(struct apmu_session_ops): see <armpmu/sized.h>; APMU_E_SIZE */
    enum apmu_error (*start)(struct apmu_session *s);
    enum apmu_error (*stop)(struct apmu_session *s);
    /** @out has s->count readings, all zero.  What they hold after an error is discarded. */
    enum apmu_error (*read)(struct apmu_session *s, struct apmu_reading *out);
    enum apmu_error (*reset)(struct apmu_session *s);
    enum apmu_error (*allow_user)(struct apmu_session *s, enum apmu_user_access user); /**< may be NULL */
    enum apmu_error (*close)(struct apmu_session *s);
    enum apmu_error (*snapshot)(struct apmu_session *s, struct apmu_reading *out); /**< as read; may be NULL */
    /** Calls s->handler.  *@handled is 0 before the call.  May be NULL. */
    enum apmu_error (*interrupt)(struct apmu_session *s, uint64_t pc, size_t *handled);
    enum apmu_error (*rotate)(struct apmu_session *s, uint64_t pc); /**< may be NULL */
};

enum apmu_session_state { APMU_SESSION_CLOSED, APMU_SESSION_STOPPED, APMU_SESSION_RUNNING };

/** A session.  The caller allocates it and may read the first two members; an open function fills all of it. */
struct apmu_session {
    enum apmu_session_state state;
    size_t count; /**< number of wishes, and of the readings that a call fills */

    /* For back ends of the session seam. */
    const struct apmu_session_ops *ops;
    void *ctx;                      /**< the back end's own data */
    apmu_overflow_handler *handler; /**< NULL: none */
    void *handler_ctx;

    /* Internal: the state of a session over the register seam. */
    struct apmu_dev dev;
    struct apmu_pmu pmu;
    struct apmu_slot slots[APMU_COUNTERS]; /* used if nothing is shared */
    struct apmu_sharing sharing; /* .slots is NULL if nothing is shared */
    size_t rounds, round;        /* the number of turns, and the present one; rounds: between two turns */
    uint64_t own;                /* the counters of the present turn */
    uint64_t interrupts;         /* of these, those whose overflow raises PMUIRQ */
    uint64_t enabled;            /* ns of all turns but the present one */
    uint64_t since;              /* by the clock, when the present turn began */
    enum apmu_user_access user;
    volatile bool on;            /* PMCR_EL0.E is to be 1 */
    volatile uint32_t sequence;  /* changes with everything that a reading is made of */
    volatile uint32_t readers;   /* the number of readings under way, one within the other */
    volatile uint64_t claims;    /* overflow flags that a reading is about to clear */
};

#ifdef __cplusplus
}
#endif
#endif
