/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks on AArch32 and Armv7 that PL1 and PL0 count known loops exactly, and that the overflow interrupt is taken. */
#include <armpmu/events.h>
#include <armpmu/native.h>

#include "rt.h"

#define SHORT_LOOP 1000u
#define LONG_LOOP 51000u
#define DIFFERENCE (2 * (LONG_LOOP - SHORT_LOOP))
#define PERIOD 5000u
#define SET UINT64_C(5) /* the counters of a native region */

uintptr_t rt_measure_selected(uintptr_t n); /* as rt_measure_cycles(), for PMXEVCNTR */

static struct apmu_ids ids;
static const struct apmu_dev dev = {.ops = &apmu_native_ops}, user_dev = {.ops = &apmu_native_ops, .ctx = &ids};
static struct apmu_pmu pmu, user_pmu; /* as PL1 and as PL0 sees it */
static struct apmu_session session;
static size_t overflows;
static size_t wishes_here; /* WISHES, or one less where PMCCNTR cannot be accessed */

enum { EVENT_INSTRUCTIONS, EVENT_CYCLES, CYCLES, WISHES };

static enum apmu_error open(const struct apmu_dev *from, uint64_t period)
{
    const struct apmu_wish wishes[WISHES] = {
        [EVENT_INSTRUCTIONS] = {.event = APMU_EV_INST_RETIRED, .counter = 2, .unlisted = true, .period = period,
                                .interrupt = period != 0},
        [EVENT_CYCLES] = {.event = APMU_EV_CPU_CYCLES, .counter = 0, .unlisted = true},
        [CYCLES] = {.event = APMU_EV_CPU_CYCLES, .counter = APMU_CYCLE},
    };

    return apmu_session_open(&session, from, from == &dev ? &pmu : &user_pmu, wishes, wishes_here, NULL);
}

static enum apmu_error around_loop(const struct apmu_dev *from, uintptr_t n, struct apmu_reading *out)
{
    enum apmu_error error = open(from, 0);

    if (error != APMU_OK) {
        return error;
    }
    error = apmu_session_start(&session);
    (void)rt_loop((void *)n);
    error = error != APMU_OK ? error : apmu_session_stop(&session);
    error = error != APMU_OK ? error : apmu_session_read(&session, out);
    return error != APMU_OK ? error : apmu_session_close(&session);
}

/* Counts known loops exactly, at the Privilege level that runs. */
static uintptr_t count_here(void *arg)
{
    const struct apmu_dev *from = arg;
    struct apmu_reading a[WISHES], b[WISHES];

    if (!rt_error("a session around a short loop", around_loop(from, SHORT_LOOP, a), APMU_OK) ||
        !rt_error("a session around a long loop", around_loop(from, LONG_LOOP, b), APMU_OK)) {
        return 0;
    }
    rt_equal("INST_RETIRED of a known loop", b[EVENT_INSTRUCTIONS].count - a[EVENT_INSTRUCTIONS].count, DIFFERENCE);
    rt_equal("CPU_CYCLES of a known loop", b[EVENT_CYCLES].count - a[EVENT_CYCLES].count, DIFFERENCE);
    if (wishes_here == WISHES) {
        rt_equal("PMCCNTR of a known loop", b[CYCLES].count - a[CYCLES].count, DIFFERENCE);
    }
    return 0;
}

static uintptr_t discover_user(void *arg)
{
    (void)arg;
    return (uintptr_t)apmu_pmu_discover(&user_dev, &ids, &user_pmu);
}

/* Reads counters of a running session around code whose instructions are counted by inspection. */
static uintptr_t read_here(void *arg)
{
    const uintptr_t n = SHORT_LOOP;

    (void)arg;
    if (wishes_here == WISHES) {
        rt_equal("reads of PMCCNTR count a loop", rt_measure_cycles(n), RT_LOOP_INSTRUCTIONS(n));
    }
#if __ARM_ARCH >= 8
    struct apmu_native_region region, empty;
    uint32_t loops = SHORT_LOOP;

    apmu_native_region_begin(&empty, SET);
    apmu_native_region_end(&empty, SET);
    apmu_native_region_begin(&region, SET);
    __asm__ volatile("1: subs %0, %0, #1\n\tbne 1b" : "+r"(loops) : : "cc");
    apmu_native_region_end(&region, SET);
    rt_true("a native region counts a loop", region.count[0] - empty.count[0] - 2 * SHORT_LOOP <= 1);
    rt_true("a native region counts by its second counter", region.count[1] - empty.count[1] - 2 * SHORT_LOOP <= 1);
#endif
    return 0;
}

/* Checks that a reading, which selects counters, restores PMSELR for the code that it interrupted. */
static void check_selection(void)
{
    struct apmu_reading out[WISHES];
    uint64_t selected = 0;

    (void)apmu_native_ops.write(NULL, APMU_REG_PMSELR_EL0, 0, 2);
    apmu_native_sync();
    rt_error("a reading of the session", apmu_session_read(&session, out), APMU_OK);
    (void)apmu_native_ops.read(NULL, APMU_REG_PMSELR_EL0, 0, &selected);
    rt_equal("PMSELR is what it was before", selected, 2);
    rt_equal("PMXEVCNTR counts a loop", rt_measure_selected(SHORT_LOOP), RT_LOOP_INSTRUCTIONS(SHORT_LOOP));
}

static void inline_reads(void)
{
    rt_context("", "PL1, ");
    rt_true("a session for PL0 to read", open(&dev, 0) == APMU_OK && apmu_session_start(&session) == APMU_OK);
    read_here(NULL);
    check_selection();
    rt_context("", "PL0, ");
    if (apmu_pmu_has(&pmu, APMU_FEAT(PMUv3))) {
        rt_error("PL0 may read", apmu_session_allow_user(&session, APMU_USER_READ), APMU_OK);
    } else {
        rt_error("ARMv7 cannot let PL0 only read", apmu_session_allow_user(&session, APMU_USER_READ),
                 APMU_E_UNSUPPORTED);
        rt_error("ARMv7 lets PL0 use the whole PMU", apmu_session_allow_user(&session, APMU_USER_FULL), APMU_OK);
    }
    rt_call_user(read_here, NULL);
    rt_true("the session closes", apmu_session_close(&session) == APMU_OK);
}

static void on_overflow(void *ctx, struct apmu_overflow *overflow)
{
    (void)ctx;
    (void)overflow;
    overflows++;
}

static void on_interrupt(void)
{
    (void)apmu_session_interrupt(&session, rt_interrupted, NULL);
}

static void interrupts(void)
{
    struct apmu_reading out[WISHES];

    rt_context("", "PL1, ");
    rt_gic_enable(RT_HIGHEST);
    rt_on_interrupt = on_interrupt;
    rt_true("a session with an interrupt opens", open(&dev, PERIOD) == APMU_OK &&
                                               apmu_session_on_overflow(&session, on_overflow, NULL) == APMU_OK);
    rt_interrupts_on();
    rt_true("the session starts", apmu_session_start(&session) == APMU_OK);
    for (unsigned i = 0; i < 100; i++) {
        uint64_t value;

        (void)rt_loop((void *)(uintptr_t)100);
        (void)dev.ops->read(NULL, APMU_REG_PMEVCNTR_EL0, 2, &value);
    }
    rt_true("the session stops", apmu_session_stop(&session) == APMU_OK && apmu_session_read(&session, out) == APMU_OK);
    rt_interrupts_off();
    rt_true("each overflow was an interrupt", overflows > 1 && overflows == rt_interrupts);
    rt_true("each period ended with an overflow", out[EVENT_INSTRUCTIONS].count - overflows * PERIOD < PERIOD);
    rt_equal("no event is lost over all periods", out[EVENT_INSTRUCTIONS].count, out[EVENT_CYCLES].count);
    rt_true("the session with an interrupt closes", apmu_session_close(&session) == APMU_OK);
}

/* Checks that discovery reads no PMCEID<n> where the caller says that they are unknown, and lists ARMv7's events. */
static void check_unknown_events(void)
{
    const struct apmu_ids known = {.id_dfr0 = ids.id_dfr0, .pmceid_source = APMU_PMCEID_UNKNOWN};
    const unsigned refused = rt_refused;
    struct apmu_pmu here;

    rt_skip_refused = true;
    rt_error("the PMU is found without PMCEID<n>", apmu_pmu_discover(&dev, &known, &here), APMU_OK);
    rt_skip_refused = false;
    rt_equal("reads that are refused without PMCEID<n>", rt_refused - refused, 0);
    rt_true("events of ARMv7 may be there, but not CHAIN", apmu_event_announced(here.pmceid, APMU_EV_INST_RETIRED) &&
            !apmu_event_announced(here.pmceid, APMU_EV_CHAIN));
}

/* Checks the access to PMCCNTR.  PMUv3 reads and writes it by MRRC and MCRR. */
static void check_pmccntr(void)
{
    const unsigned refused = rt_refused;
    uint64_t value = 0;

    rt_skip_refused = true;
    (void)apmu_native_ops.read(NULL, APMU_REG_PMCCNTR_EL0, 0, &value);
    rt_skip_refused = false;
    rt_deviates("reads of PMCCNTR that are refused", rt_refused - refused, 0, apmu_pmu_has(&pmu, APMU_FEAT(PMUv3)),
                "stock QEMU has no MRRC of PMCCNTR");
    wishes_here = rt_refused == refused ? WISHES : CYCLES;
}

int main(void)
{
    uint64_t all = APMU_MASK(PMUSERENR_EL0, EN);

    rt_context("", "PL1, ");
    (void)apmu_native_ops.read(NULL, APMU_REG_ID_DFR0_EL1, 0, &ids.id_dfr0);
    rt_skip_refused = true;
    rt_error("the PMU is found", apmu_pmu_discover(&dev, NULL, &pmu), APMU_OK);
    rt_skip_refused = false;
    if (!apmu_pmu_has(&pmu, APMU_FEAT(PMUv3))) {
        rt_deviates("reads of PMCEID<n> that are refused", rt_refused, 0, 2, "stock QEMU lacks PMCEID<n> before Armv8");
        check_unknown_events();
    }
    check_pmccntr();
    count_here((void *)(uintptr_t)&dev);

    rt_context("", "PL0, ");
    if (apmu_pmu_has(&pmu, APMU_FEAT(PMUv3p4))) {
        (void)apmu_native_ops.read(NULL, APMU_REG_PMMIR_EL1, 0, &ids.pmmir_el1);
    }
    (void)apmu_native_ops.write(NULL, APMU_REG_PMUSERENR_EL0, 0, all);
    apmu_native_sync();
    rt_skip_refused = true;
    rt_error("the PMU is found", (enum apmu_error)rt_call_user(discover_user, NULL), APMU_OK);
    rt_skip_refused = false;
    rt_call_user(count_here, (void *)(uintptr_t)&user_dev);
    inline_reads();
    interrupts();
    return rt_status();
}
