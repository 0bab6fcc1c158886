/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programming sequence of examples/sequence, on the model: what each of its steps does, and that a session counts
 * the same where the sequence can, and goes on where it cannot.
 */
#include "driver.h"

#include "../../examples/sequence/sequence.h"

/* Lets the program occupy the PMU: 7 instructions, 2 branches and 10 cycles, @times times. */
static void run(struct driver_bench *b, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        apmu_event(&b->model, &b->program_pe, APMU_EV_INST_RETIRED, 7, 1, NULL);
        apmu_event(&b->model, &b->program_pe, APMU_EV_BR_RETIRED, 2, 1, NULL);
        apmu_cycles(&b->model, &b->program_pe, 10, NULL);
    }
}

/* Returns the count of @event, or UINT64_MAX if the sequence gave it no counter. */
static uint64_t count_of(const struct sequence_run *s, unsigned event)
{
    for (unsigned i = 0; i < s->used; i++) {
        if (s->events[i] == event) {
            return s->counts[i];
        }
    }
    return UINT64_MAX;
}

static uint64_t peek(struct driver_bench *b, enum apmu_reg reg, unsigned n)
{
    return apmu_peek(&b->model, &b->driver_pe, reg, n);
}

static void setup(void)
{
    struct driver_bench b;
    struct sequence_run s;
    bool ok = bench_init(&b, P1_FEATURES, 6);

    sequence_setup(&s, &b.dev);
    check("sequence: setup finds PMCR.N", ok && s.error == APMU_OK && s.counters == 6 && b.pmu.counters == 6);
    check("sequence: setup finds the events of PMCEID", (s.announced & 0xFFFFFFFF) == (b.pmu.pmceid[0] & 0xFFFFFFFF) &&
                                                            s.announced >> 32 == (b.pmu.pmceid[1] & 0xFFFFFFFF));
    check("sequence: setup lets EL0 in", (peek(&b, APMU_REG_PMUSERENR_EL0, 0) & 0xD) == 0xD);

    ok = bench_init(&b, P1_FEATURES, 0);
    sequence_setup(&s, &b.dev);
    sequence_start(&s);
    run(&b, 3);
    sequence_stop(&s);
    check("sequence: only the cycle counter is implemented",
          ok && s.error == APMU_OK && s.counters == 0 && s.used == 0 && s.cycles == 30);
}

static void start(void)
{
    struct driver_bench b;
    struct sequence_run s;
    bool ok = bench_init(&b, P1_FEATURES | APMU_FEAT(AA64EL2), 4), types = true, counts = true;

    for (unsigned n = 0; n < 4; n++) { /* what an earlier user may leave */
        apmu_poke(&b.model, &b.driver_pe, APMU_REG_PMEVCNTR_EL0, n, 0x1000 + n, NULL);
    }
    apmu_poke(&b.model, &b.driver_pe, APMU_REG_PMCCNTR_EL0, 0, 99, NULL);
    b.model.ovs = 5;
    sequence_setup(&s, &b.dev);
    sequence_start(&s);
    for (unsigned n = 0; n < s.used; n++) {
        types &= (s.announced >> s.events[n] & 1) != 0 && (n == 0 || s.events[n] > s.events[n - 1]) &&
                 peek(&b, APMU_REG_PMEVTYPER_EL0, n) == (0x8000000 | s.events[n]);
        counts &= peek(&b, APMU_REG_PMEVCNTR_EL0, n) == 0 && apmu_counts(&b.model, &b.program_pe, n);
    }
    check("sequence: start takes the first N events", ok && s.error == APMU_OK && s.used == 4 && types);
    check("sequence: start filters cycles by PMCCFILTR", peek(&b, APMU_REG_PMCCFILTR_EL0, 0) == 0x8000000);
    check("sequence: start enables by PMCNTENSET", peek(&b, APMU_REG_PMCNTENSET_EL0, 0) == 0x8000000F);
    check("sequence: start resets and starts by PMCR", counts && peek(&b, APMU_REG_PMCCNTR_EL0, 0) == 0 &&
                                                           (peek(&b, APMU_REG_PMCR_EL0, 0) & 1) != 0 &&
                                                           b.model.ovs == 0);
}

static void stop(void)
{
    struct driver_bench b;
    struct sequence_run s;
    bool ok = bench_init(&b, P1_FEATURES, 6), still = true;

    sequence_setup(&s, &b.dev);
    sequence_start(&s);
    run(&b, 5);
    sequence_stop(&s);
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        still &= !apmu_counts(&b.model, &b.program_pe, n);
    }
    check("sequence: stop disables by PMCNTENCLR", ok && peek(&b, APMU_REG_PMCNTENSET_EL0, 0) == 0);
    check("sequence: stop clears PMCR.E", still && (peek(&b, APMU_REG_PMCR_EL0, 0) & 1) == 0);
    run(&b, 5);
    check("sequence: stop reads cycles and events", s.error == APMU_OK && s.cycles == 50 &&
                                                        count_of(&s, APMU_EV_INST_RETIRED) == 35 &&
                                                        peek(&b, APMU_REG_PMCCNTR_EL0, 0) == 50);
}

static void at_el0(void)
{
    struct driver_bench b;
    struct sequence_run s;
    bool ok = bench_init(&b, P1_FEATURES, 6);

    sequence_setup(&s, &b.dev);
    b.driver_pe.el = 0;
    sequence_start(&s);
    run(&b, 2);
    sequence_stop(&s);
    ok &= s.error == APMU_OK && s.cycles == 20 && count_of(&s, APMU_EV_INST_RETIRED) == 14;
    b.model.userenr = 0;
    sequence_start(&s);
    check("sequence: EL0 runs it after setup, and not without", ok && s.error == APMU_E_ACCESS);
}

/* Checks that a session with the same events counts the same, for PMUs of 1 to 8 event counters. */
static void as_a_session(void)
{
    bool ok = true;

    for (unsigned counters = 1; counters <= 8; counters++) {
        struct driver_bench b;
        struct sequence_run s;
        struct apmu_session session;
        struct apmu_wish wishes[APMU_COUNTERS] = {{.event = APMU_EV_CPU_CYCLES, .counter = APMU_CYCLE}};
        struct apmu_reading out[APMU_COUNTERS];
        size_t count = 1;

        ok &= bench_init(&b, P1_FEATURES, counters);
        sequence_setup(&s, &b.dev);
        sequence_start(&s);
        run(&b, 100);
        sequence_stop(&s);
        for (unsigned i = 0; i < s.used; i++) {
            if (s.events[i] != APMU_EV_CHAIN) {
                wishes[count++] = (struct apmu_wish){.event = (uint16_t)s.events[i], .counter = (uint8_t)i};
            }
        }
        ok &= apmu_session_open(&session, &b.dev, &b.pmu, wishes, count, NULL) == APMU_OK &&
              apmu_session_start(&session) == APMU_OK;
        run(&b, 100);
        ok &= apmu_session_stop(&session) == APMU_OK && apmu_session_read(&session, out) == APMU_OK &&
              out[0].count == s.cycles && s.cycles == 1000;
        for (size_t i = 1; i < count; i++) {
            ok &= out[i].count == count_of(&s, wishes[i].event);
        }
        ok &= apmu_session_close(&session) == APMU_OK;
    }
    check("sequence: a session counts the same", ok);
}

/* A section that is longer than a counter can count: the sequence loses 2^32 events, a session does not. */
static void longer_than_a_counter(void)
{
    struct driver_bench b;
    struct sequence_run s;
    struct apmu_session session;
    const struct apmu_wish wish = {.event = APMU_EV_INST_RETIRED, .counter = APMU_COUNTER_ANY};
    struct apmu_reading out;
    bool ok = bench_init(&b, P1_FEATURES, 6);

    sequence_setup(&s, &b.dev);
    sequence_start(&s);
    apmu_event(&b.model, &b.program_pe, APMU_EV_INST_RETIRED, 0x80000000, 1, NULL);
    apmu_event(&b.model, &b.program_pe, APMU_EV_INST_RETIRED, 0x80000005, 1, NULL);
    sequence_stop(&s);
    ok &= count_of(&s, APMU_EV_INST_RETIRED) == 5;
    ok &= apmu_session_open(&session, &b.dev, &b.pmu, &wish, 1, NULL) == APMU_OK &&
          apmu_session_start(&session) == APMU_OK;
    apmu_event(&b.model, &b.program_pe, APMU_EV_INST_RETIRED, 0x80000000, 1, NULL);
    apmu_event(&b.model, &b.program_pe, APMU_EV_INST_RETIRED, 0x80000005, 1, NULL);
    ok &= apmu_session_stop(&session) == APMU_OK && apmu_session_read(&session, &out) == APMU_OK && out.overflowed &&
          out.count == UINT64_C(0x100000005) && apmu_session_close(&session) == APMU_OK;
    check("sequence: an overflow loses nothing in a session", ok);
}

static void keep(void *ctx, struct apmu_overflow *overflow)
{
    *(uint64_t *)ctx += overflow->count;
}

static void by_interrupt(void)
{
    struct driver_bench b;
    struct apmu_session session;
    const struct apmu_wish wish = {.event = APMU_EV_CPU_CYCLES, .counter = APMU_CYCLE, .interrupt = true, .period = 40};
    uint64_t seen = 0;
    bool ok = bench_init(&b, P1_FEATURES, 6);

    ok &= apmu_session_open(&session, &b.dev, &b.pmu, &wish, 1, NULL) == APMU_OK &&
          apmu_session_on_overflow(&session, keep, &seen) == APMU_OK && apmu_session_start(&session) == APMU_OK;
    run(&b, 3);
    ok &= !apmu_pmuirq(&b.model, &b.program_pe);
    run(&b, 1);
    ok &= apmu_pmuirq(&b.model, &b.program_pe) && apmu_session_interrupt(&session, 0, NULL) == APMU_OK && seen == 40;
    check("sequence: a session takes the overflow interrupt", ok && apmu_session_close(&session) == APMU_OK);
}

static uint64_t ticks(void *ctx)
{
    return ++*(uint64_t *)ctx;
}

/* The user's own list, longer than the counters: the sequence drops the rest, shared counters take turns. */
static void own_list(void)
{
    static const char *const list[] = {"BR_RETIRED", "INST_RETIRED:u", "r6", "CPU_CYCLES"};
    struct driver_bench b;
    struct sequence_run s;
    struct apmu_session session;
    struct apmu_wish wishes[4];
    struct apmu_slot slots[4];
    struct apmu_reading out[4];
    uint64_t now = 0;
    const struct apmu_sharing sharing = {.slots = slots, .clock = ticks, .clock_ctx = &now};
    bool ok = bench_init(&b, P1_FEATURES, 2);

    sequence_setup(&s, &b.dev);
    sequence_start(&s);
    ok &= s.used == 2 && count_of(&s, APMU_EV_BR_RETIRED) == UINT64_MAX;
    sequence_stop(&s);
    for (size_t i = 0; i < 4; i++) {
        ok &= apmu_wish_parse(list[i], &wishes[i]) == APMU_OK;
    }
    check("sequence: a session takes the user's own list",
          ok && wishes[0].event == APMU_EV_BR_RETIRED && wishes[2].event == APMU_EV_LD_RETIRED &&
              apmu_session_open(&session, &b.dev, &b.pmu, wishes, 2, NULL) == APMU_OK &&
              apmu_session_close(&session) == APMU_OK);
    ok = apmu_session_open_shared(&session, &b.dev, &b.pmu, wishes, 4, &sharing, NULL) == APMU_OK &&
         apmu_session_start(&session) == APMU_OK;
    for (unsigned turn = 0; turn < 200; turn++) {
        run(&b, 1);
        ok &= apmu_session_rotate(&session, 0) == APMU_OK;
    }
    ok &= apmu_session_stop(&session) == APMU_OK && apmu_session_read(&session, out) == APMU_OK;
    for (size_t i = 0; i < 4; i++) {
        ok &= out[i].valid && (i == 2 || out[i].count != 0);
    }
    check("sequence: more events than counters take turns", ok && apmu_session_close(&session) == APMU_OK);
}

int main(void)
{
    setup();
    start();
    stop();
    at_el0();
    as_a_session();
    longer_than_a_counter();
    by_interrupt();
    own_list();
    return failures != 0;
}
