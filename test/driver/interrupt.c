/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Overflow interrupts.  Events, the interrupt, another reading, or a rotation of shared counters come between any two
 * accesses of a call.  Checks that no event is lost and that none is counted twice.
 */
#include "driver.h"
#include "lazy.h"

#define BIG UINT64_C(0xFFFFFFF0)

/* What can come between two accesses.  w.at[] has the number of the access at which it comes, from 1; 0: never. */
enum interruption { FEW_EVENTS, MANY_EVENTS, READING, TURN, ACTIONS };

static struct {
    struct driver_bench bench;
    struct apmu_reg_ops ops;
    struct apmu_session session;
    struct apmu_slot slots[4];
    struct apmu_reading inner[4];
    unsigned long accesses, at[ACTIONS];
    unsigned depth;       /* number of handlers under way, one within the other */
    bool can_interrupt;   /* PMUIRQ is not masked */
    bool bad;             /* something was wrong, and has been printed */
    uint64_t truth;       /* events of LD_RETIRED that were counted */
    uint64_t now;
    unsigned long samples, interrupts;
    uint64_t sampled;     /* the sum of the periods that have ended */
} w;

static void fail(const char *why)
{
    if (!w.bad) {
        printf("# %s: at %lu %lu %lu %lu\n", why, w.at[0], w.at[1], w.at[2], w.at[3]);
    }
    w.bad = true;
}

/* Lets LD_RETIRED occur @n times, and adds to w.truth what the counter counts. */
static void occur(uint64_t n)
{
    if (apmu_counts(&w.bench.model, &w.bench.program_pe, w.session.slots[0].counter)) {
        w.truth += n;
    }
    apmu_event(&w.bench.model, &w.bench.program_pe, APMU_EV_LD_RETIRED, n, 1, NULL);
}

/* Runs the handler until PMUIRQ is low, because PMUIRQ is level-sensitive. */
static void take_interrupts(void)
{
    while (w.can_interrupt && w.depth == 0 && apmu_pmuirq(&w.bench.model, &w.bench.driver_pe)) {
        const uint64_t before = w.truth;
        size_t handled;

        w.depth++;
        w.interrupts++;
        if (apmu_session_interrupt(&w.session, 0x1234, &handled) != APMU_OK) {
            fail("the interrupt is refused");
        }
        w.depth--;
        if (apmu_pmuirq(&w.bench.model, &w.bench.driver_pe) && w.truth == before) {
            fail("PMUIRQ is high, and no event came");
            return;
        }
        if (w.interrupts > 1000) {
            fail("the interrupt does not end");
            return;
        }
    }
}

/* Does what is due at this access, and then takes the interrupt if it is raised. */
static void between(void)
{
    w.accesses++;
    for (unsigned action = 0; action < ACTIONS; action++) {
        if (w.at[action] != w.accesses) {
            continue;
        }
        if (action == FEW_EVENTS) {
            occur(3);
        } else if (action == MANY_EVENTS) {
            occur(BIG);
        } else if (action == READING && w.depth == 0) { /* an interrupt of higher priority that reads */
            const uint64_t before = w.truth;

            w.depth++;
            if (apmu_session_read(&w.session, w.inner) != APMU_OK || w.inner[0].count < before ||
                w.inner[0].count > w.truth) {
                printf("# %llu, not %llu to %llu\n", (unsigned long long)w.inner[0].count, (unsigned long long)before,
                       (unsigned long long)w.truth);
                fail("a reading within a call is wrong");
            }
            w.depth--;
        } else if (action == TURN && w.depth == 0) {
            w.depth++;
            (void)apmu_session_rotate(&w.session, 0);
            w.depth--;
        }
    }
    take_interrupts();
}

static enum apmu_error between_read(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value)
{
    between();
    const enum apmu_error error = apmu_model_ops.read(ctx, reg, n, value);

    between();
    return error;
}

static enum apmu_error between_write(void *ctx, enum apmu_reg reg, unsigned n, uint64_t value)
{
    between();
    const enum apmu_error error = apmu_model_ops.write(ctx, reg, n, value);

    between();
    return error;
}

static void handler(void *ctx, struct apmu_overflow *overflow)
{
    struct apmu_reading out[4];

    (void)ctx;
    w.samples++;
    w.sampled += overflow->period;
    if (overflow->pc != 0x1234 || overflow->wish != 0 || overflow->late > overflow->count) {
        fail("a handler gets a wrong pc, wish or delay");
    }
    if (apmu_session_read(&w.session, out) != APMU_OK || out[0].count != w.truth) {
        fail("a reading in the handler is wrong");
    }
}

/* Makes a PMU with 32-bit counters in P1_FEATURES, and a running session of one wish. */
static bool begin(uint64_t features, struct apmu_wish wish, bool handled)
{
    memset(&w, 0, sizeof w);
    if (!bench_init(&w.bench, features, 4)) {
        return false;
    }
    w.ops = apmu_model_ops;
    w.ops.read = between_read;
    w.ops.write = between_write;
    w.bench.dev.ops = &w.ops;
    return apmu_session_open(&w.session, &w.bench.dev, &w.bench.pmu, &wish, 1, NULL) == APMU_OK &&
           (!handled || apmu_session_on_overflow(&w.session, handler, NULL) == APMU_OK) &&
           apmu_session_start(&w.session) == APMU_OK;
}

static void reading(void)
{
    const uint64_t before = w.truth;
    struct apmu_reading out[4];

    if (apmu_session_read(&w.session, out) != APMU_OK || out[0].count < before || out[0].count > w.truth ||
        !out[0].valid) {
        printf("# %llu, not %llu to %llu\n", (unsigned long long)out[0].count, (unsigned long long)before,
               (unsigned long long)w.truth);
        fail("a reading is wrong");
    }
}

/* Ends a case: waits until nothing is pending, and checks that the count is exact. */
static bool exact(void)
{
    struct apmu_reading out[4];

    memset(w.at, 0, sizeof w.at);
    take_interrupts();
    if (apmu_session_read(&w.session, out) != APMU_OK || out[0].count != w.truth) {
        printf("# %llu, not %llu\n", (unsigned long long)out[0].count, (unsigned long long)w.truth);
        fail("the final count is wrong");
    }
    return !w.bad;
}

#define LAST 26 /* more accesses than a reading makes, including those of its interrupts */

/* Checks readings with events, and with another reading, between any two of their accesses. */
static void readings(const char *name, uint64_t features, struct apmu_wish wish, bool handled, bool interrupts)
{
    unsigned long cases = 0, interrupted = 0;
    bool ok = true;

    for (unsigned long few = 0; few <= LAST; few++) {
        for (unsigned long inner = 0; inner <= LAST; inner++) {
            for (unsigned long more = 0; more <= LAST; more++) {
                ok &= begin(features, wish, handled);
                occur(UINT64_C(0xFFFFFFFE));
                w.can_interrupt = interrupts;
                take_interrupts();
                w.accesses = 0;
                w.at[FEW_EVENTS] = few;
                w.at[READING] = inner;
                /* The header says that a polled counter may wrap at most once between two readings. */
                w.at[MANY_EVENTS] = interrupts ? more : 0;
                reading();
                w.at[FEW_EVENTS] = 0;
                reading();
                ok &= exact();
                cases++;
                interrupted += w.interrupts != 0;
                if (!interrupts) {
                    break;
                }
            }
        }
    }
    printf("# %lu cases, %lu with interrupts\n", cases, interrupted);
    check(name, ok && cases > 200 && (interrupted > cases / 2) == interrupts);
}

/* Checks that an overflow that is handled during a reading is reported once: by that reading or by the next one. */
static void reported_once(void)
{
    const struct apmu_wish wishes[] = {
        {.event = APMU_EV_LD_RETIRED, .counter = 0, .interrupt = true},
        {.event = APMU_EV_BR_RETIRED, .counter = 1},
    };
    bool ok = true;

    for (unsigned long at = 1; at <= LAST; at++) {
        struct apmu_reading out[3][2];

        ok &= begin(P1_FEATURES, wishes[0], false) && apmu_session_close(&w.session) == APMU_OK;
        ok &= apmu_session_open(&w.session, &w.bench.dev, &w.bench.pmu, wishes, 2, NULL) == APMU_OK;
        ok &= apmu_session_start(&w.session) == APMU_OK;
        occur(UINT64_C(0xFFFFFFFE));
        apmu_event(&w.bench.model, &w.bench.program_pe, APMU_EV_BR_RETIRED, UINT64_C(1) << 32, 1, NULL); /* polled */
        w.can_interrupt = true;
        w.accesses = 0;
        w.at[FEW_EVENTS] = at;
        ok &= apmu_session_read(&w.session, out[0]) == APMU_OK && apmu_session_read(&w.session, out[1]) == APMU_OK;
        occur(3); /* if none has come yet */
        take_interrupts();
        ok &= w.interrupts == 1 && apmu_session_read(&w.session, out[2]) == APMU_OK;
        ok &= out[0][0].overflowed + out[1][0].overflowed + out[2][0].overflowed == 1;
        ok &= out[0][1].overflowed && !out[1][1].overflowed && out[1][1].count == UINT64_C(1) << 32;
        ok &= (out[0][1].doubts & APMU_DOUBT_WRAPPED) != 0 && out[0][0].doubts == 0 && out[1][1].doubts == 0;
        ok &= exact();
    }
    check("interrupt: an overflow is reported once", ok);
}

/* Counts the samples, as the handler, and changes the period. */
static void randomise(void *ctx, struct apmu_overflow *overflow)
{
    unsigned long *const samples = ctx;
    static const uint64_t periods[] = {100, 37, 250, 1, 64};

    *samples += 1;
    overflow->period = periods[*samples % 5];
}

/* Checks that each period begins where the last one ended, and is as long as the handler chose. */
static void sampling(void)
{
    static const uint64_t periods[] = {100, 37, 250, 1, 64};
    const struct apmu_wish wish = {
        .event = APMU_EV_LD_RETIRED, .counter = APMU_COUNTER_ANY, .interrupt = true, .period = 100};
    unsigned long samples = 0, expected = 0;
    uint64_t next = 100, events = 0;
    struct apmu_reading out;
    bool ok = true;

    for (unsigned pass = 0; pass < 2; pass++) {
        ok &= begin(pass == 0 ? P1_FEATURES : P9_FEATURES, wish, false);
        ok &= apmu_session_stop(&w.session) == APMU_OK;
        ok &= apmu_session_on_overflow(&w.session, randomise, &samples) == APMU_OK;
        ok &= apmu_session_start(&w.session) == APMU_OK;
        w.can_interrupt = true;
        samples = expected = 0;
        next = 100;
        for (events = 0; events < 5000;) {
            occur(1);
            events++;
            take_interrupts();
            if (events == next) {
                expected++;
                next += periods[expected % 5];
            }
            ok &= samples == expected;
        }
        ok &= apmu_session_read(&w.session, &out) == APMU_OK && out.count == 5000 && out.overflowed;
        ok &= apmu_session_read(&w.session, &out) == APMU_OK && out.count == 5000 && !out.overflowed;
    }
    check("interrupt: periods that the handler changes are kept to the event", ok && expected > 50);
}

/*
 * Checks that a late handler shortens the next period by the events that have passed, and that a whole period begins if
 * the shortened one would be over already.
 */
static void late(void)
{
    const struct apmu_wish wish = {
        .event = APMU_EV_LD_RETIRED, .counter = APMU_COUNTER_ANY, .interrupt = true, .period = 100};
    struct apmu_reading out;
    size_t handled = 0;
    bool ok = begin(P1_FEATURES, wish, false);

    occur(130); /* 30 late */
    ok &= apmu_session_interrupt(&w.session, 0, &handled) == APMU_OK && handled == 1;
    ok &= w.bench.model.cntr[w.session.slots[0].counter] == 0xFFFFFFFF - 70 + 1;
    occur(70);
    ok &= apmu_pmuirq(&w.bench.model, &w.bench.driver_pe);
    occur(250); /* more than two periods late */
    ok &= apmu_session_interrupt(&w.session, 0, &handled) == APMU_OK && handled == 1;
    ok &= w.bench.model.cntr[w.session.slots[0].counter] == 0xFFFFFFFF - 100 + 1;
    occur(99);
    ok &=
        !apmu_pmuirq(&w.bench.model, &w.bench.driver_pe) && apmu_session_interrupt(&w.session, 0, &handled) == APMU_OK;
    ok &= handled == 0;
    ok &= apmu_session_read(&w.session, &out) == APMU_OK && out.count == 130 + 70 + 250 + 99;
    ok &= apmu_session_stop(&w.session) == APMU_OK && apmu_session_reset(&w.session) == APMU_OK;
    ok &= apmu_session_read(&w.session, &out) == APMU_OK && out.count == 0 && !out.overflowed;
    ok &= w.bench.model.cntr[w.session.slots[0].counter] == 0xFFFFFFFF - 100 + 1;
    check("interrupt: a late handler shortens the next period, a very late one begins it anew", ok);
}

/* Checks that the flags of other users stay set, so that PMUIRQ stays raised for them. */
static void others(void)
{
    const struct apmu_wish wish = {.event = APMU_EV_LD_RETIRED, .counter = 0, .interrupt = true};
    size_t handled;
    bool ok = begin(P1_FEATURES, wish, true);

    w.bench.model.ovs = 0x8000000E;
    ok &= apmu_session_interrupt(&w.session, 0x1234, &handled) == APMU_OK && handled == 0 &&
          w.bench.model.ovs == 0x8000000E;
    occur(UINT64_C(1) << 32);
    ok &= w.bench.model.ovs == 0x8000000F;
    ok &= apmu_session_interrupt(&w.session, 0x1234, &handled) == APMU_OK && handled == 1 &&
          w.bench.model.ovs == 0x8000000E;
    ok &= w.samples == 1 && apmu_session_interrupt(&w.session, 0, NULL) == APMU_OK;
    check("interrupt: flags that are not the session's stay", ok && !w.bad);
}

/* Checks that an interrupt between any two accesses of start and stop does not undo the effect of the call. */
static void start_and_stop(void)
{
    const struct apmu_wish wish = {
        .event = APMU_EV_LD_RETIRED, .counter = APMU_COUNTER_ANY, .interrupt = true, .period = 5};
    bool ok = true;

    for (unsigned long at = 1; at <= 12; at++) {
        ok &= begin(P1_FEATURES, wish, false);
        w.can_interrupt = true;
        w.accesses = 0;
        w.at[FEW_EVENTS] = at;
        occur(4); /* three more are an overflow */
        ok &= apmu_session_stop(&w.session) == APMU_OK;
        ok &= !apmu_counts(&w.bench.model, &w.bench.program_pe, w.session.slots[0].counter);
        w.bench.model.ovs |= 1; /* an overflow that is found in between */
        w.accesses = 0;
        ok &= apmu_session_start(&w.session) == APMU_OK;
        ok &= apmu_counts(&w.bench.model, &w.bench.program_pe, w.session.slots[0].counter);
        ok &= w.session.state == APMU_SESSION_RUNNING && !w.bad && w.interrupts != 0;
    }
    check("interrupt: between the accesses of start and stop", ok);
}

static uint64_t reordered_truth; /* events of LD_RETIRED that were counted in reordered() */

static void some_events(void *ctx)
{
    const uint64_t n = 1 + ((struct lazy *)ctx)->random % 3 * 0x4000000; /* a counter wraps at most once in a call */

    if (apmu_counts(&w.bench.model, &w.bench.program_pe, w.session.slots[0].counter)) {
        reordered_truth += n;
    }
    apmu_event(&w.bench.model, &w.bench.program_pe, APMU_EV_LD_RETIRED, n, 1, NULL);
}

/* Checks readings and interrupts on a PE that delays writes and reads early wherever nothing synchronizes them. */
static void reordered(void)
{
    static const struct apmu_wish wishes[] = {
        {.event = APMU_EV_LD_RETIRED, .counter = 0},
        {.event = APMU_EV_LD_RETIRED, .counter = 0, .wide = true},
        {.event = APMU_EV_LD_RETIRED, .counter = 0, .interrupt = true},
        {.event = APMU_EV_LD_RETIRED, .counter = 0, .interrupt = true, .period = 0x70000000},
    };
    unsigned long wrong = 0;

    for (uint64_t seed = 1; seed <= 4000; seed++) {
        struct lazy lazy = {.inner = {.ops = &apmu_model_ops, .ctx = &w.bench.backend},
                            .random = seed,
                            .model = &w.bench.model,
                            .pe = &w.bench.driver_pe,
                            .meanwhile = some_events,
                            .meanwhile_ctx = &lazy};
        const struct apmu_dev dev = {.ops = &lazy_ops, .ctx = &lazy};
        struct apmu_reading out;

        memset(&w, 0, sizeof w);
        wrong += !bench_init(&w.bench, P1_FEATURES, 4);
        lazy_sync(&lazy);
        wrong += apmu_session_open(&w.session, &dev, &w.bench.pmu, &wishes[seed % 4], 1, NULL) != APMU_OK;
        reordered_truth = 0;
        wrong += apmu_session_start(&w.session) != APMU_OK;
        for (unsigned i = 0; i < 12; i++) {
            const uint64_t before = reordered_truth;

            wrong += apmu_session_interrupt(&w.session, 0, NULL) != APMU_OK;
            wrong +=
                apmu_session_read(&w.session, &out) != APMU_OK || out.count < before || out.count > reordered_truth;
        }
        wrong += apmu_session_stop(&w.session) != APMU_OK || apmu_session_read(&w.session, &out) != APMU_OK;
        wrong += out.count != reordered_truth;
    }
    printf("# %lu wrong\n", wrong);
    check("interrupt: readings and interrupts on a PE that reorders", wrong == 0);
}

static void not_from_here(void)
{
    struct apmu_wish wish = {.event = APMU_EV_LD_RETIRED, .counter = APMU_COUNTER_ANY};
    static const struct apmu_session_ops nothing = {.size = sizeof nothing};
    struct apmu_session other = {.ops = &nothing, .state = APMU_SESSION_RUNNING};
    struct apmu_reading out;
    size_t handled = 9;
    bool ok = begin(P1_FEATURES, wish, false);

    ok &= apmu_session_on_overflow(&w.session, handler, NULL) == APMU_E_STATE;
    ok &= apmu_session_close(&w.session) == APMU_OK;
    ok &= apmu_session_interrupt(&w.session, 0, &handled) == APMU_E_STATE && handled == 0;
    ok &= apmu_session_rotate(&w.session, 0) == APMU_E_STATE && apmu_session_snapshot(&w.session, &out) == APMU_E_STATE;
    ok &= apmu_session_interrupt(&other, 0, NULL) == APMU_E_UNSUPPORTED;
    ok &= apmu_session_rotate(&other, 0) == APMU_E_UNSUPPORTED &&
          apmu_session_snapshot(&other, &out) == APMU_E_UNSUPPORTED;
    other.state = APMU_SESSION_STOPPED;
    ok &= apmu_session_on_overflow(&other, handler, NULL) == APMU_E_UNSUPPORTED &&
          apmu_session_rotate(&other, 0) == APMU_E_STATE;
    ok &= apmu_session_on_overflow(&other, NULL, NULL) == APMU_OK;
    check("interrupt: what a back end or a state does not allow is refused", ok);
}

int main(void)
{
    const struct apmu_wish polled = {.event = APMU_EV_LD_RETIRED, .counter = APMU_COUNTER_ANY};
    const struct apmu_wish raised = {.event = APMU_EV_LD_RETIRED, .counter = APMU_COUNTER_ANY, .interrupt = true};
    const struct apmu_wish sampled = {.event = APMU_EV_LD_RETIRED, .counter = APMU_COUNTER_ANY, .interrupt = true,
                                      .period = 0x80000000};
    const struct apmu_wish paired = {
        .event = APMU_EV_LD_RETIRED, .counter = APMU_COUNTER_ANY, .wide = true, .interrupt = true};

    readings("interrupt: polled readings within readings", P1_FEATURES, polled, false, false);
    readings("interrupt: overflows between the accesses of a reading", P1_FEATURES, raised, false, true);
    readings("interrupt: the same with a handler", P1_FEATURES, raised, true, true);
    readings("interrupt: the same with periods", P1_FEATURES, sampled, true, true);
    readings("interrupt: readings of a pair", P1_FEATURES, paired, false, false);
    readings("interrupt: readings of 64 bits", P9_FEATURES, raised, false, false);
    reported_once();
    sampling();
    late();
    others();
    start_and_stop();
    reordered();
    not_from_here();
    return failures != 0;
}
