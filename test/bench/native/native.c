/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Measures the native back end, at EL1 and EL0 alike, and has the meter of all rows.  It is freestanding. */
#include <armpmu/events.h>
#include <armpmu/native.h>

#include "native.h"

#define ROUNDS 100u /* calls timed together: a tick, 16 instructions, is less than a third of one for each */
#define BATCHES 20u

/* Events of a Cortex-A57.  QEMU counts only the first two, but a counter of the others costs the same. */
const unsigned short native_events[NATIVE_EVENTS] = {
    APMU_EV_INST_RETIRED, APMU_EV_BR_MIS_PRED, APMU_EV_BR_PRED,
    APMU_EV_L1D_CACHE, APMU_EV_L1D_CACHE_REFILL, APMU_EV_L1I_CACHE_REFILL,
};

/* ---------------------------------------------------------------------------------------------------------------
 * The meter.
 */

static uint64_t timer(void)
{
    uint64_t value;

    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(value) : : "memory");
    return value;
}

static uint64_t timer_hz(void)
{
    uint64_t value;

    __asm__("mrs %0, cntfrq_el0" : "=r"(value));
    return value;
}

/* Executes NATIVE_KNOWN instructions. */
static inline __attribute__((always_inline)) void known(void)
{
    unsigned rounds;

    __asm__ volatile("mov %w0, #1000\n1:\tsubs %w0, %w0, #1\n\tb.ne 1b" : "=r"(rounds) : : "cc");
}

void native_known(void *unused)
{
    (void)unused;
    known();
}

static void nothing(void *arg)
{
    (void)arg;
}

/* Returns the least time of BATCHES times ROUNDS calls of @f, in ticks. */
static uint64_t least(native_way *f, void *arg)
{
    uint64_t result = UINT64_MAX;

    for (unsigned batch = 0; batch < BATCHES; batch++) {
        const uint64_t begin = timer();
        uint64_t time;

        for (unsigned i = 0; i < ROUNDS; i++) {
            __asm__ volatile("" : "+r"(f) : : "memory"); /* a call that the compiler cannot look into */
            f(arg);
        }
        time = timer() - begin;
        result = time < result ? time : result;
    }
    return result;
}

unsigned native_cost(native_way *f, void *arg)
{
    const uint64_t empty = least(nothing, arg), time = least(f, arg), more = time > empty ? time - empty : 0;

    return (unsigned)((more * (UINT64_C(1000000000) / timer_hz()) + ROUNDS / 2) / ROUNDS);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The functions that are measured.
 */

static void one_read(void *arg)
{
    (void)arg;
    (void)apmu_read_pmevcntr0();
}

/* The set of counters 0 to n - 1. */
#define SET(n) ((UINT64_C(1) << (n)) - 1)
/*
 * REGION(4) becomes a function that begins and ends a region of 4 counters:
 *     static void region4(void *arg) { ... apmu_native_region_begin(r, SET(4)); apmu_native_region_end(r, SET(4)); }
 */
#define REGION(n) \
    static void region##n(void *arg) \
    { \
        struct apmu_native_region *r = arg; \
        apmu_native_region_begin(r, SET(n)); \
        apmu_native_region_end(r, SET(n)); \
    }
REGION(1)
REGION(4)
REGION(6)

/* A session around the code that is counted. */
struct session_around {
    struct apmu_session session;
    struct apmu_reading readings[NATIVE_EVENTS];
};

static void start_stop_read(void *arg)
{
    struct session_around *a = arg;

    (void)apmu_session_start(&a->session);
    (void)apmu_session_stop(&a->session);
    (void)apmu_session_read(&a->session, a->readings);
}

/* Returns the number of instructions that a region counts around known(), less those of an empty region. */
static unsigned count_known(void)
{
    struct apmu_native_region empty, full;

    apmu_native_region_begin(&empty, SET(1));
    apmu_native_region_end(&empty, SET(1));
    apmu_native_region_begin(&full, SET(1));
    known();
    apmu_native_region_end(&full, SET(1));
    return (unsigned)(full.count[0] - empty.count[0]);
}

/* ------------------------------------------------------------------------------------------------------------ */

/* Fills the costs with index @i: those for sizes[i] counters. */
static enum apmu_error measure_one(const struct apmu_dev *dev, const struct apmu_pmu *pmu, unsigned i,
                                   struct native_costs *costs)
{
    static const unsigned sizes[NATIVE_LENGTHS] = NATIVE_SIZES;
    static native_way *const regions[NATIVE_LENGTHS] = {region1, region4, region6};
    static struct session_around around;
    struct apmu_wish wishes[NATIVE_EVENTS] = {{0}};
    enum apmu_error error, closed;

    for (unsigned n = 0; n < sizes[i]; n++) {
        wishes[n].event = native_events[n];
        wishes[n].unlisted = true;
        wishes[n].counter = (uint8_t)n;
        wishes[n].filter = pmu->place.el == 0 ? APMU_FILTER(P) : APMU_FILTER(U); /* this Exception level alone */
    }
    error = apmu_session_open(&around.session, dev, pmu, wishes, sizes[i], NULL);
    if (error != APMU_OK) {
        return error;
    }
    costs->session[i] = native_cost(start_stop_read, &around);
    error = apmu_session_start(&around.session);
    if (error == APMU_OK) {
        struct apmu_native_region region;

        costs->region[i] = native_cost(regions[i], &region);
        if (i == 0) {
            costs->read = native_cost(one_read, NULL);
            costs->counted = count_known();
        }
    }
    closed = apmu_session_close(&around.session);
    return error != APMU_OK ? error : closed;
}

void native_measure(const struct native_ids *ids, struct native_costs *costs)
{
    struct apmu_ids given = {0};
    struct apmu_dev dev = {.ops = &apmu_native_ops};
    struct apmu_pmu pmu;
    enum apmu_error error;

    if (ids != NULL) {
        given.id_aa64dfr0_el1 = ids->id_aa64dfr0_el1;
        given.id_aa64dfr1_el1 = ids->id_aa64dfr1_el1;
        given.pmmir_el1 = ids->pmmir_el1;
        dev.ctx = &given; /* at EL0 */
    }
    error = apmu_pmu_discover(&dev, ids != NULL ? &given : NULL, &pmu);
    for (unsigned i = 0; i < NATIVE_LENGTHS && error == APMU_OK; i++) {
        error = measure_one(&dev, &pmu, i, costs);
    }
    costs->error = (int)error;
}
