/* SPDX-License-Identifier: BSD-2-Clause */
/* Wishes that share counters: turns, times and estimates; and the state after a rotation that fails. */
#include "driver.h"

static struct driver_bench b;
static struct apmu_slot slots[40];
static uint64_t now;

static uint64_t clock_of_test(void *ctx)
{
    return *(const uint64_t *)ctx;
}

static const struct apmu_sharing sharing = {.slots = slots, .clock = clock_of_test, .clock_ctx = &now};

#define ANY APMU_COUNTER_ANY

/* Four wishes, two of them in a group, on two event counters. */
static const struct apmu_wish four[] = {
    {.event = APMU_EV_LD_RETIRED, .counter = ANY, .group = 1},
    {.event = APMU_EV_BR_RETIRED, .counter = ANY},
    {.event = APMU_EV_INST_RETIRED, .counter = ANY, .group = 1},
    {.event = APMU_EV_CPU_CYCLES, .counter = APMU_CYCLE},
};
#define FOUR 4

static void pass_time(uint64_t units)
{
    now += units * 10;
    apmu_event(&b.model, &b.program_pe, APMU_EV_LD_RETIRED, units, 3, NULL);
    apmu_event(&b.model, &b.program_pe, APMU_EV_BR_RETIRED, units, 1, NULL);
    apmu_event(&b.model, &b.program_pe, APMU_EV_INST_RETIRED, units, 5, NULL);
    apmu_cycles(&b.model, &b.program_pe, units, NULL);
}

static bool begin(const struct apmu_dev *dev, struct apmu_session *s)
{
    now = 1000;
    return apmu_session_open_shared(s, dev, &b.pmu, four, FOUR, &sharing, NULL) == APMU_OK;
}

static void plans(void)
{
    const struct apmu_pmu pmu = pmu_of(4, 2, ~UINT64_C(0), ~UINT64_C(0));
    static struct apmu_slot many_slots[300];
    struct apmu_wish many[300];
    size_t rounds, refused = 99;
    bool ok = apmu_plan_shared(&pmu, four, FOUR, slots, &rounds, &refused) == APMU_OK && rounds == 2;

    ok &= slots[0].round == 0 && slots[2].round == 0 && slots[1].round == 1 && slots[3].round == 1;
    ok &= slots[0].counter != slots[2].counter && slots[3].counter == APMU_CYCLE;
    check("shared: a group counts at one time, and joins a turn while there is room", ok);
    for (size_t i = 0; i < 300; i++) {
        many[i] = (struct apmu_wish){.event = APMU_EV_LD_RETIRED, .counter = ANY};
    }
    ok = apmu_plan_shared(&pmu, many, 40, slots, &rounds, NULL) == APMU_OK && rounds == 20 && slots[39].round == 19;
    many[3].group = many[7].group = many[5].group = 9;
    ok &= apmu_plan_shared(&pmu, many, 40, slots, &rounds, &refused) == APMU_E_NO_COUNTER && refused == 7;
    many[7].group = 0;
    many[7].event = APMU_EV_CHAIN;
    ok &= apmu_plan_shared(&pmu, many, 40, slots, &rounds, &refused) == APMU_E_CHAIN && refused == 7;
    many[7].event = APMU_EV_LD_RETIRED;
    many[3].group = many[5].group = 0;
    ok &= apmu_plan_shared(&pmu, many, 254, many_slots, &rounds, &refused) == APMU_OK && rounds == 127;
    for (size_t count = 255; count <= 300; count += 45) { /* the first wish beyond 254 is the one that does not fit */
        ok &= apmu_plan_shared(&pmu, many, count, many_slots, &rounds, &refused) == APMU_E_NO_COUNTER && refused == 254;
    }
    check("shared: a group that does not fit at once is refused, and so is a wish that no turn could count", ok);
}

static void estimates(void)
{
    struct apmu_session s;
    struct apmu_reading out[FOUR];
    bool ok = bench_init(&b, P1_FEATURES, 2) && begin(&b.dev, &s);

    pass_time(7); /* nothing counts yet */
    ok &= apmu_session_start(&s) == APMU_OK;
    pass_time(10);
    ok &= apmu_session_read(&s, out) == APMU_OK;
    ok &= out[0].count == 30 && !out[0].scaled && out[0].enabled == 100 && out[0].running == 100;
    ok &= out[1].count == 0 && out[1].scaled && out[1].running == 0 && (out[1].doubts & APMU_DOUBT_NO_TURN) != 0;
    check("shared: the first turn", ok);
    ok = apmu_session_rotate(&s, 0) == APMU_OK;
    pass_time(30);
    ok &= apmu_session_read(&s, out) == APMU_OK;
    ok &= out[0].count == 120 && out[0].scaled && out[0].raw == 30 && out[0].enabled == 400 && out[0].running == 100;
    ok &= out[1].count == 40 && out[1].raw == 30 && out[1].running == 300 && out[1].doubts == 0;
    ok &= out[2].count == 200 && out[3].count == 40;
    check("shared: counts are scaled by the times", ok);
    ok = apmu_session_rotate(&s, 0) == APMU_OK; /* the first turn again: it continues with its earlier count */
    pass_time(20);
    ok &= apmu_session_stop(&s) == APMU_OK;
    pass_time(50); /* stopped time is not counted */
    ok &= apmu_session_read(&s, out) == APMU_OK && out[0].raw == 90 && out[0].running == 300 && out[0].enabled == 600;
    ok &= out[0].count == 180 && out[1].count == 60;
    ok &= apmu_session_reset(&s) == APMU_OK && apmu_session_read(&s, out) == APMU_OK && out[0].count == 0;
    ok &= out[0].enabled == 0 && out[1].raw == 0;
    ok &= apmu_session_close(&s) == APMU_OK && b.model.cnten == 0;
    check("shared: turns continue, stopped time counts for no wish, and reset clears all", ok);
}

/* Checks that an estimate is rounded to the nearest, and that one of 2^64 or more is marked as saturated. */
static void large_estimates(void)
{
    struct apmu_session s;
    struct apmu_reading out[FOUR];
    bool ok = bench_init(&b, P9_FEATURES, 1) && begin(&b.dev, &s) == false;

    /* One event counter cannot hold a group of two, so these wishes have no groups. */
    const struct apmu_wish two[] = {{.event = APMU_EV_LD_RETIRED, .counter = ANY},
                                    {.event = APMU_EV_BR_RETIRED, .counter = ANY}};

    now = 0;
    ok &= apmu_session_open_shared(&s, &b.dev, &b.pmu, two, 2, &sharing, NULL) == APMU_OK;
    ok &= apmu_session_start(&s) == APMU_OK;
    apmu_event(&b.model, &b.program_pe, APMU_EV_LD_RETIRED, 1, UINT64_C(0x5555555555555555), NULL);
    now = UINT64_C(1) << 62;
    ok &= apmu_session_rotate(&s, 0) == APMU_OK;
    now += UINT64_C(1) << 62;
    ok &= apmu_session_read(&s, out) == APMU_OK && out[0].count == UINT64_C(0xAAAAAAAAAAAAAAAA) && out[0].doubts == 0;
    now += UINT64_C(1) << 61;
    ok &= apmu_session_read(&s, out) == APMU_OK && out[0].count == UINT64_C(0xD555555555555555); /* ..54.8 */
    now += UINT64_C(1) << 62;
    ok &= apmu_session_read(&s, out) == APMU_OK && out[0].count == UINT64_MAX;
    ok &= (out[0].doubts & APMU_DOUBT_SATURATED) != 0;
    check("shared: large estimates", ok);
}

/* Stores the overflow, as the handler, with the number of overflows in .period. */
static void count_overflows(void *ctx, struct apmu_overflow *overflow)
{
    struct apmu_overflow *const last = ctx;
    const uint64_t before = last->period;

    *last = *overflow;
    last->period = before + 1; /* the number of overflows */
}

static void overflows(void)
{
    const struct apmu_wish two[] = {
        {.event = APMU_EV_LD_RETIRED, .counter = 0, .interrupt = true, .period = 100},
        {.event = APMU_EV_LD_RETIRED, .counter = 0},
    };
    struct apmu_overflow last = {0};
    struct apmu_session s;
    struct apmu_reading out[2];
    bool ok = bench_init(&b, P1_FEATURES, 2);

    now = 0;
    ok &= apmu_session_open_shared(&s, &b.dev, &b.pmu, two, 2, &sharing, NULL) == APMU_OK;
    ok &= apmu_session_on_overflow(&s, count_overflows, &last) == APMU_OK && apmu_session_start(&s) == APMU_OK;
    pass_time(40); /* 120 */
    ok &= apmu_session_rotate(&s, 0xABC) == APMU_OK && last.period == 1 && last.pc == 0xABC && last.late == 20;
    ok &= last.count == 120 && b.model.ovs == 0 && b.model.inten == 0;
    apmu_event(&b.model, &b.program_pe, APMU_EV_LD_RETIRED, (UINT64_C(1) << 32) + 7, 1, NULL); /* polled */
    now += 400;
    ok &= apmu_session_rotate(&s, 0) == APMU_OK && b.model.inten == 1 && b.model.cntr[0] == UINT64_C(0x100000000) - 80;
    ok &= apmu_session_stop(&s) == APMU_OK && apmu_session_read(&s, out) == APMU_OK;
    ok &=
        out[0].count == 240 && out[0].overflowed && out[1].count == ((UINT64_C(1) << 32) + 7) * 2 && out[1].overflowed;
    ok &= (out[1].doubts & APMU_DOUBT_WRAPPED) != 0 && last.period == 1;
    check("shared: overflows at the end of a turn", ok);
}

/* Checks that EL0 can read the counters of the current turn only. */
static void users(void)
{
    struct apmu_session s;
    bool ok = bench_init(&b, P9_FEATURES, 2) && begin(&b.dev, &s);

    ok &= apmu_session_allow_user(&s, APMU_USER_READ) == APMU_OK && apmu_session_start(&s) == APMU_OK &&
          b.model.uacr == s.own;
    const uint64_t first = s.own;

    ok &= apmu_session_rotate(&s, 0) == APMU_OK && s.own != first && b.model.uacr == s.own;
    check("shared: PMUACR_EL1 follows the turns", ok);
}

/*
 * Makes each access of a rotation fail once.  Checks that the PMU is then stopped, that all counts are right, and that
 * the session can continue.
 */
static void failures_of_rotation(void)
{
    struct apmu_fault fault;
    struct apmu_refused_access refused;
    const struct apmu_dev dev = {.ops = &apmu_fault_ops, .ctx = &fault, .refused = &refused};
    unsigned long at;
    bool ok = true;

    for (at = 1;; at++) {
        struct apmu_session s;
        struct apmu_reading out[FOUR];

        ok &= bench_init(&b, P9_FEATURES, 2);
        fault = (struct apmu_fault){.inner = b.dev, .error = APMU_E_BACKEND};
        ok &= begin(&dev, &s) && apmu_session_allow_user(&s, APMU_USER_READ) == APMU_OK &&
              apmu_session_start(&s) == APMU_OK;
        pass_time(10);
        refused = (struct apmu_refused_access){0};
        fault.fail_at = fault.calls + at;
        const enum apmu_error error = apmu_session_rotate(&s, 0);

        if (fault.calls < fault.fail_at) {
            ok &= error == APMU_OK;
            break;
        }
        ok &= error == APMU_E_BACKEND && refused.error == APMU_E_BACKEND && s.state == APMU_SESSION_STOPPED;
        for (unsigned n = 0; n < APMU_COUNTERS; n++) {
            ok &= !apmu_counts(&b.model, &b.program_pe, n);
        }
        pass_time(5);
        ok &= apmu_session_read(&s, out) == APMU_OK && out[0].count == 30 && out[2].count == 50 && out[1].count == 0;
        ok &= apmu_session_start(&s) == APMU_OK;
        pass_time(10);
        ok &= apmu_session_rotate(&s, 0) == APMU_OK;
        pass_time(20);
        ok &= apmu_session_stop(&s) == APMU_OK && apmu_session_read(&s, out) == APMU_OK;
        ok &= out[0].raw == 60 && out[0].count == 120 && out[1].raw == 20 && out[1].count == 40 && out[3].count == 40;
        if (!ok) {
            printf("# at %lu: %llu %llu %llu\n", at, (unsigned long long)out[0].raw, (unsigned long long)out[0].count,
                   (unsigned long long)out[1].count);
            break;
        }
    }
    check("shared: a rotation that fails leaves the PMU stopped and the counts right", ok && at > 12);
}

int main(void)
{
    plans();
    estimates();
    large_estimates();
    overflows();
    users();
    failures_of_rotation();
    return failures != 0;
}
