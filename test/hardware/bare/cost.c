/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures how many instructions the native back end executes.  It counts them by the event counter that MDCR_EL2.HPMN
 * reserves for EL2, because PMCR_EL0.E does not stop that one.  `make bench` compares the figures with those of other
 * libraries.
 */
#include <armpmu/events.h>
#include <armpmu/native.h>

#include "rt.h"

#define REGION_GOAL 45u

static const struct apmu_dev dev = {.ops = &apmu_native_ops};
static struct apmu_session session;
static unsigned counters;

/* Sets of 1, 4 and 6 counters: event counters from 0 on.  The last of the 6 is the cycle counter. */
#define SET1 UINT64_C(0x1)
#define SET4 UINT64_C(0xF)
#define SET6 (UINT64_C(0x1F) | UINT64_C(1) << APMU_CYCLE)

static uintptr_t open_session(void *arg)
{
    struct apmu_wish wishes[6] = {{0}};
    struct apmu_pmu pmu;

    for (unsigned i = 0; i < 6; i++) {
        wishes[i].event = i % 2 == 0 ? APMU_EV_INST_RETIRED : APMU_EV_CPU_CYCLES;
        wishes[i].counter = (uint8_t)i;
    }
    wishes[5] = (struct apmu_wish){.event = APMU_EV_CPU_CYCLES, .counter = APMU_CYCLE};
    counters = (unsigned)(uintptr_t)arg;
    return apmu_pmu_discover(&dev, NULL, &pmu) == APMU_OK &&
           apmu_session_open(&session, &dev, &pmu, wishes, counters, NULL) == APMU_OK &&
           apmu_session_allow_user(&session, APMU_USER_READ) == APMU_OK && apmu_session_start(&session) == APMU_OK;
}

static uintptr_t close_session(void *arg)
{
    (void)arg;
    return apmu_session_close(&session) == APMU_OK;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The measured functions.
 */

static uintptr_t nothing(void *arg)
{
    return (uintptr_t)arg; /* a return and nothing else: the argument's register holds the result */
}

static uintptr_t one_read(void *arg)
{
    (void)arg;
    return apmu_read_pmevcntr0();
}

/*
 * REGION(region1, SET1) defines region1(), which executes an empty region over the counters of SET1.  It becomes
 *     static uintptr_t region1(void *arg)
 *     {
 *         struct apmu_native_region *r = arg;
 *         apmu_native_region_begin(r, SET1);
 *         apmu_native_region_end(r, SET1);
 *         return (uintptr_t)arg;
 *     }
 */
#define REGION(name, set) \
    static uintptr_t name(void *arg) \
    { \
        struct apmu_native_region *r = arg; \
        apmu_native_region_begin(r, set); \
        apmu_native_region_end(r, set); \
        return (uintptr_t)arg; \
    }
REGION(region1, SET1)
REGION(region4, SET4)
REGION(region6, SET6)

/* ---------------------------------------------------------------------------------------------------------------
 * The measurement.
 */

static unsigned spy; /* the event counter that is reserved for EL2 */

/* Returns the instructions of a call of @f at @where, with those of the call itself. */
static uint64_t spent(enum rt_where where, rt_function *f)
{
    static struct apmu_native_region region;
    uint64_t before = 0, after = 0;

    (void)dev.ops->read(NULL, APMU_REG_PMEVCNTR_EL0, spy, &before);
    (void)rt_call(where, f, &region);
    (void)dev.ops->read(NULL, APMU_REG_PMEVCNTR_EL0, spy, &after);
    return (uint32_t)(after - before);
}

/* Returns the instructions of @f beyond those of a function that only returns. */
static uint64_t cost(enum rt_where where, rt_function *f)
{
    return spent(where, f) - spent(where, nothing);
}

static void measure(enum rt_where where)
{
    static const struct {
        unsigned n;
        const char *least, *most;
        rt_function *f;
    } sets[] = {
        {1, "a native region of 1 counter reads it twice", "a native region of 1 counter: at most 45", region1},
        {4, "a native region of 4 counters reads them twice", "a native region of 4 counters: at most 45", region4},
        {6, "a native region of 6 counters reads them twice", "a native region of 6 counters: at most 45", region6},
    };
    /* Counts only at the level that is measured. */
    const uint64_t filter = where == RT_EL0 ? APMU_FILTER(P) | APMU_FILTER(U) | APMU_FILTER(NSU)
                                            : APMU_FILTER(P) | APMU_FILTER(NSK) | APMU_FILTER(U);

    rt_context("", rt_level_names[where]);
    (void)dev.ops->write(NULL, APMU_REG_PMEVTYPER_EL0, spy, filter | APMU_EV_INST_RETIRED);
    (void)dev.ops->write(NULL, APMU_REG_PMCNTENSET_EL0, 0, UINT64_C(1) << spy);
    dev.ops->sync(NULL);
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        uint64_t instructions;

        if (!rt_true("a session to measure", rt_call(RT_EL1, open_session, (void *)(uintptr_t)sets[i].n) == 1)) {
            return;
        }
        if (i == 0) {
            rt_equal("one inline read is one instruction", cost(where, one_read), 1);
        }
        instructions = cost(where, sets[i].f);
        rt_true(sets[i].least, instructions >= 2 * sets[i].n);
        rt_true(sets[i].most, instructions <= REGION_GOAL);
        rt_call(RT_EL1, close_session, NULL);
    }
}

int main(void)
{
    struct apmu_pmu pmu;
    bool found = apmu_pmu_discover(&dev, NULL, &pmu) == APMU_OK;

    if (!rt_true("at least 6 event counters, one of them for EL2", found && pmu.counters >= 6)) {
        return rt_status();
    }
    spy = pmu.counters - 1u;
    (void)dev.ops->write(NULL, APMU_REG_MDCR_EL3, 0, 0);
    (void)dev.ops->write(NULL, APMU_REG_MDCR_EL2, 0, APMU_PUT(MDCR_EL2, HPMN, spy) | APMU_MASK(MDCR_EL2, HPME));
    dev.ops->sync(NULL);
    measure(RT_EL1);
    measure(RT_EL0);
    return rt_status();
}
