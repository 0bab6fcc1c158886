/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks at each Exception level that the driver finds the PMU, opens a session, and counts known loops exactly. */
#include <armpmu/events.h>
#include <armpmu/native.h>

#include "rt.h"

#define SHORT_LOOP 1000u
#define LONG_LOOP 51000u
#define DIFFERENCE (2 * (LONG_LOOP - SHORT_LOOP))

/*
 * What EL3 passes to the code at an Exception level.  EL0 cannot read the ID registers, so it gets .ids.  EL2 is
 * counted only where NSH is 1, so it gets a .filter.
 */
struct task {
    struct apmu_dev dev;
    const struct apmu_ids *ids;
    uint64_t filter;
    bool instr; /* PMICNTR_EL0 is implemented, and EL0 may read it */
    bool deaf;  /* stock QEMU's event counters do not count here */
};

static const char *const no_hpmn =
    "without Secure EL2, stock QEMU takes MDCR_EL2 for 0 in Secure state, so no counter is below HPMN";

enum { EVENT_INSTRUCTIONS, EVENT_CYCLES, CYCLES, INSTRUCTIONS, WISHES }; /* INSTRUCTIONS only with PMICNTR_EL0 */

/* Opens, starts, stops, reads and closes a session around a loop of @n rounds.  Returns the first error. */
static enum apmu_error around_loop(const struct task *task, const struct apmu_pmu *pmu,
                                   const struct apmu_wish *wishes, size_t count, uintptr_t n, struct apmu_reading *out)
{
    struct apmu_session s;
    enum apmu_error error = apmu_session_open(&s, &task->dev, pmu, wishes, count, NULL);

    if (error != APMU_OK) {
        return error;
    }
    error = apmu_session_start(&s);
    (void)rt_loop((void *)n);
    error = error != APMU_OK ? error : apmu_session_stop(&s);
    error = error != APMU_OK ? error : apmu_session_read(&s, out);
    return error != APMU_OK ? error : apmu_session_close(&s);
}

static bool run(const struct task *task, const struct apmu_pmu *pmu, uintptr_t n, struct apmu_reading *out)
{
    const struct apmu_wish wishes[WISHES] = {
        [EVENT_INSTRUCTIONS] = {.event = APMU_EV_INST_RETIRED, .counter = 0, .filter = task->filter},
        [EVENT_CYCLES] = {.event = APMU_EV_CPU_CYCLES, .counter = APMU_COUNTER_ANY, .filter = task->filter},
        [CYCLES] = {.event = APMU_EV_CPU_CYCLES, .counter = APMU_CYCLE, .filter = task->filter},
        [INSTRUCTIONS] = {.event = APMU_EV_INST_RETIRED, .counter = APMU_INSTR, .filter = task->filter},
    };
    const size_t count = pmu->instr ? WISHES : INSTRUCTIONS;

    return rt_error("a session around a loop", around_loop(task, pmu, wishes, count, n, out), APMU_OK);
}

/* Counts 64 bits: by a 64-bit event counter, by a pair, or not at all.  In the last case the driver refuses. */
static void count_wide(const struct task *task, const struct apmu_pmu *pmu)
{
    const struct apmu_wish wishes[] = {
        /* The lower half wraps after 500 events. */
        {.event = APMU_EV_INST_RETIRED, .counter = 0, .wide = true, .filter = task->filter,
         .period = (UINT64_C(1) << 32) + 500},
        {.event = APMU_EV_INST_RETIRED, .counter = APMU_COUNTER_ANY, .filter = task->filter},
    };
    struct apmu_reading out[2];
    const enum apmu_error error = around_loop(task, pmu, wishes, 2, SHORT_LOOP, out);

    if (!apmu_pmu_long(pmu) && !apmu_event_announced(pmu->pmceid, APMU_EV_CHAIN)) {
        rt_error("64 bits are refused where there is no CHAIN", error, APMU_E_NO_CHAIN);
        return;
    }
    if (rt_error("a session of 64 bits around a loop", error, APMU_OK)) {
        rt_equal("the carry arrives in the upper half, and no event is lost", out[0].count, out[1].count);
        rt_true("the pair counted the loop", out[1].count > RT_LOOP_INSTRUCTIONS(SHORT_LOOP) && !out[0].overflowed);
    }
}

static uintptr_t count_here(void *arg)
{
    const struct task *task = arg;
    struct apmu_reading a[WISHES], b[WISHES];
    struct apmu_pmu pmu;

    if (!rt_error("the PMU is found", apmu_pmu_discover(&task->dev, task->ids, &pmu), APMU_OK) ||
        !run(task, &pmu, SHORT_LOOP, a) || !run(task, &pmu, LONG_LOOP, b)) {
        return 0;
    }
    rt_equal("PMCCNTR_EL0 of a known loop", b[CYCLES].count - a[CYCLES].count, DIFFERENCE);
    if (task->deaf) {
        rt_deviates("INST_RETIRED of a known loop", b[EVENT_INSTRUCTIONS].count - a[EVENT_INSTRUCTIONS].count,
                    DIFFERENCE, 0, no_hpmn);
        return 0;
    }
    rt_equal("INST_RETIRED of a known loop", b[EVENT_INSTRUCTIONS].count - a[EVENT_INSTRUCTIONS].count, DIFFERENCE);
    rt_equal("CPU_CYCLES of a known loop", b[EVENT_CYCLES].count - a[EVENT_CYCLES].count, DIFFERENCE);
    if (pmu.instr) {
        rt_equal("PMICNTR_EL0 of a known loop", b[INSTRUCTIONS].count - a[INSTRUCTIONS].count, DIFFERENCE);
    }
    count_wide(task, &pmu);
    return 0;
}

/* Reads the counters of a running session directly, around code whose instructions are counted by inspection. */
static uintptr_t read_inline(void *arg)
{
    const struct task *task = arg;
    struct apmu_native_region region, empty;
    uintptr_t n = SHORT_LOOP;

    rt_equal("inline reads around a loop count it", rt_measure_event0(n), RT_LOOP_INSTRUCTIONS(n));
    rt_equal("inline reads of PMCCNTR_EL0 around a loop count it", rt_measure_cycles(n), RT_LOOP_INSTRUCTIONS(n));
    if (task->instr) {
        rt_equal("inline reads of PMICNTR_EL0 around a loop count it", rt_measure_instructions(n),
                 RT_LOOP_INSTRUCTIONS(n));
    }
    apmu_native_region_begin(&empty, 1);
    apmu_native_region_end(&empty, 1);
    apmu_native_region_begin(&region, 1);
    __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
    apmu_native_region_end(&region, 1);
    rt_true("a native region counts the loop and at most one instruction of the compiler's",
            region.count[0] - empty.count[0] - 2 * SHORT_LOOP <= 1);
    return task->ids != NULL;
}

/* Called at EL1: allows EL0 every access, or none if @arg is NULL. */
static uintptr_t allow_all(void *arg)
{
    const uint64_t all = APMU_MASK(PMUSERENR_EL0, EN) | APMU_MASK(PMUSERENR_EL0, SW) | APMU_MASK(PMUSERENR_EL0, CR) |
                         APMU_MASK(PMUSERENR_EL0, ER);

    (void)apmu_native_ops.write(NULL, APMU_REG_PMUSERENR_EL0, 0, arg != NULL ? all : 0);
    apmu_native_sync();
    return 0;
}

static struct apmu_session session;

/* Called at EL1: opens and starts a session whose counters EL0 may read.  Returns 0 if that fails. */
static uintptr_t open_for_el0(void *arg)
{
    const struct task *task = arg;
    const uint64_t el0 = APMU_FILTER(P); /* only EL0 */
    const struct apmu_wish wishes[] = {{.event = APMU_EV_INST_RETIRED, .counter = 0, .filter = el0},
                                       {.event = APMU_EV_CPU_CYCLES, .counter = APMU_CYCLE, .filter = el0},
                                       {.event = APMU_EV_INST_RETIRED, .counter = APMU_INSTR, .filter = el0}};
    struct apmu_pmu pmu;

    return apmu_pmu_discover(&task->dev, task->ids, &pmu) == APMU_OK &&
           apmu_session_open(&session, &task->dev, &pmu, wishes, pmu.instr ? 3 : 2, NULL) == APMU_OK &&
           apmu_session_allow_user(&session, APMU_USER_READ) == APMU_OK && apmu_session_start(&session) == APMU_OK &&
           apmu_native_region_fits(&session, 1);
}

static uintptr_t close_for_el0(void *arg)
{
    (void)arg;
    return apmu_session_close(&session) == APMU_OK;
}

static uintptr_t try_to_read(void *arg)
{
    (void)arg;
    return apmu_read_pmccntr();
}

static void el0(const struct apmu_ids *ids)
{
    struct task task = {.dev = {.ops = &apmu_native_ops}}, user = {.dev = {&apmu_native_ops, NULL, NULL}, .ids = ids};
    struct apmu_ids copy = *ids;
    unsigned refused;

    user.dev.ctx = &copy;
    rt_context("", "EL0 with PMUSERENR_EL0.EN, ");
    rt_call(RT_EL1, allow_all, &task);
    rt_call(RT_EL0, count_here, &user);
    rt_call(RT_EL1, allow_all, NULL);

    rt_context("", "EL0, a session of EL1's, ");
    rt_true("EL1 opens a session for EL0 to read", rt_call(RT_EL1, open_for_el0, &task) == 1);
    user.instr = session.pmu.instr;
    rt_call(RT_EL0, read_inline, &user);
    rt_equal("an SVC is counted as retired", rt_call(RT_EL0, rt_measure_svc, NULL), 2);
    rt_skip_refused = true;
    rt_deviates("an UNDEFINED instruction is not counted", rt_call(RT_EL0, rt_measure_undefined, NULL), 1, 2,
                "stock QEMU counts an instruction before it finds that the instruction is UNDEFINED");
    rt_skip_refused = false;
    rt_true("EL1 closes the session", rt_call(RT_EL1, close_for_el0, NULL) == 1);
    refused = rt_refused;
    rt_skip_refused = true;
    rt_call(RT_EL0, try_to_read, NULL);
    rt_skip_refused = false;
    rt_equal("after the session EL0's read is trapped", rt_refused - refused, 1);
}

int main(void)
{
    struct apmu_ids ids = {0};

    (void)apmu_native_ops.read(NULL, APMU_REG_ID_AA64DFR0_EL1, 0, &ids.id_aa64dfr0_el1);
    (void)apmu_native_ops.read(NULL, APMU_REG_ID_AA64DFR1_EL1, 0, &ids.id_aa64dfr1_el1);
    if (APMU_GET(ID_AA64DFR0_EL1, PMUVer, ids.id_aa64dfr0_el1) >= 5) { /* FEAT_PMUv3p4 */
        (void)apmu_native_ops.read(NULL, APMU_REG_PMMIR_EL1, 0, &ids.pmmir_el1);
    }
    (void)apmu_native_ops.write(NULL, APMU_REG_MDCR_EL3, 0, APMU_MASK(MDCR_EL3, SPME));
    apmu_native_sync();
    for (enum rt_where where = RT_EL1; where < RT_LEVELS; where++) {
        struct task task = {.dev = {.ops = &apmu_native_ops}, .filter = where == RT_EL2 ? APMU_FILTER(NSH) : 0,
                            .deaf = where == RT_SECURE_EL1 && !rt_has_secure_el2()};

        if (where == RT_SECURE_EL0) {
            continue;
        }
        rt_context("", rt_level_names[where]);
        rt_call(where, count_here, &task);
    }
    el0(&ids);
    return rt_status();
}
