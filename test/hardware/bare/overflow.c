/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes the overflow interrupt through the GIC at each Exception level that can take it, and checks the counts across
 * the overflows.  One counter overflows repeatedly, another counts the same events without overflow, and at the end
 * both agree.
 */
#include <armpmu/events.h>
#include <armpmu/native.h>

#include "rt.h"

#define PERIOD 5000u
#define ROUNDS 100u
#define LOOP 100u /* rounds of one loop: much less than a period, so that an interrupt is late by less than a period */

static struct apmu_session session;
static size_t overflows;
static uint64_t latest, first_count;
static enum apmu_error handler_error;

static void on_overflow(void *ctx, struct apmu_overflow *overflow)
{
    (void)ctx;
    first_count = overflows == 0 ? overflow->count - overflow->late : first_count;
    latest = overflow->late > latest ? overflow->late : latest;
    overflows++;
}

static void on_interrupt(void)
{
    const enum apmu_error error = apmu_session_interrupt(&session, rt_interrupted, NULL);

    handler_error = handler_error != APMU_OK ? handler_error : error;
}

static const char *const sleeping = "stock QEMU sees the overflow at the next access to the counter or change of level";

enum { PERIODIC, PLAIN, WISHES };

static bool open(const struct apmu_pmu *pmu, const struct apmu_dev *dev, uint16_t event, uint8_t counter,
                 uint64_t filter)
{
    const struct apmu_wish wishes[WISHES] = {
        [PERIODIC] = {.event = event, .counter = counter, .interrupt = true, .period = PERIOD, .filter = filter},
        [PLAIN] = {.event = event, .counter = 1, .filter = filter},
    };
    enum apmu_error error = apmu_session_open(&session, dev, pmu, wishes, WISHES, NULL);

    error = error != APMU_OK ? error : apmu_session_on_overflow(&session, on_overflow, NULL);
    overflows = 0;
    latest = 0;
    handler_error = APMU_OK;
    rt_interrupts = 0;
    rt_on_interrupt = on_interrupt;
    return rt_error("a session with an interrupt opens", error, APMU_OK);
}

/* Runs code that does not access the PMU and is long enough for one overflow. */
static void one(void)
{
    struct apmu_reading out[WISHES];

    rt_interrupts_on();
    rt_true("the session starts", apmu_session_start(&session) == APMU_OK);
    for (unsigned i = 0; i < 4; i++) {
        rt_sled();
    }
    rt_deviates("the interrupt comes while the counted code runs", rt_interrupts, 1, 0, sleeping);
    rt_true("the counter is read", apmu_session_read(&session, out) == APMU_OK);
    rt_equal("the interrupt has come once the counter has been accessed", rt_interrupts, 1);
    rt_true("the session stops", apmu_session_stop(&session) == APMU_OK && apmu_session_read(&session, out) == APMU_OK);
    rt_interrupts_off();
    rt_equal("the overflow came after one period", first_count, PERIOD);
    rt_error("the handler had no error", handler_error, APMU_OK);
    rt_equal("beyond the overflow no event is lost", out[PERIODIC].count, out[PLAIN].count);
}

/* Runs code that reads the counters from time to time, through many periods. */
static void many(void)
{
    struct apmu_reading out[WISHES];
    uint64_t before, counted;

    rt_true("the session is read between loops", apmu_session_read(&session, out) == APMU_OK);
    before = out[PERIODIC].count;
    overflows = 0;
    latest = 0;
    rt_interrupts = 0;
    rt_interrupts_on();
    rt_true("the session starts again", apmu_session_start(&session) == APMU_OK);
    for (unsigned i = 0; i < ROUNDS; i++) {
        (void)rt_loop((void *)(uintptr_t)LOOP);
        (void)apmu_read_pmevcntr0();
        (void)apmu_read_pmccntr();
    }
    rt_true("the session stops again",
            apmu_session_stop(&session) == APMU_OK && apmu_session_read(&session, out) == APMU_OK);
    rt_interrupts_off();
    rt_error("the handler had no error", handler_error, APMU_OK);
    counted = out[PERIODIC].count - before;
    rt_true("the code lasted for many periods", counted > ROUNDS * RT_LOOP_INSTRUCTIONS(LOOP) && overflows > 1);
    rt_true("no interrupt was a period late", latest < PERIOD);
    rt_true("each period ended with an interrupt",
            counted < (overflows + 1) * PERIOD && overflows * PERIOD < counted + PERIOD);
    rt_equal("each interrupt was an overflow", rt_interrupts, overflows);
    rt_equal("no event is lost over all periods", out[PERIODIC].count, out[PLAIN].count);
    rt_true("the session closes", apmu_session_close(&session) == APMU_OK);
}

static uintptr_t overflow_here(void *arg)
{
    const enum rt_where here = *(const enum rt_where *)arg;
    const struct apmu_dev dev = {.ops = &apmu_native_ops};
    const uint64_t filter = here == RT_EL2 ? APMU_FILTER(NSH) : 0;
    struct apmu_pmu pmu;

    if (!rt_error("the PMU is found", apmu_pmu_discover(&dev, NULL, &pmu), APMU_OK)) {
        return 0;
    }
    if (open(&pmu, &dev, APMU_EV_INST_RETIRED, 0, filter)) {
        one();
        many();
    }
    rt_context("PMCCNTR_EL0, ", rt_level_names[here]);
    if (open(&pmu, &dev, APMU_EV_CPU_CYCLES, APMU_CYCLE, filter)) {
        one();
        many();
    }
    return 0;
}

int main(void)
{
    (void)apmu_native_ops.write(NULL, APMU_REG_MDCR_EL3, 0, APMU_MASK(MDCR_EL3, SPME));
    apmu_native_sync();
    for (enum rt_where where = RT_EL1; where <= RT_EL3; where++) {
        rt_context("", rt_level_names[where]);
        rt_gic_enable((unsigned)where);
        rt_call(where, overflow_here, &where);
    }
    return rt_status();
}
