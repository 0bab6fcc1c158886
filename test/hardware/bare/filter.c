/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves filters and prohibitions by moving between the Exception levels.  Six counters each have a filter that admits
 * one Exception level and Security state.  They count while known code is executed at one level after the other.
 */
#include <armpmu/events.h>
#include <armpmu/native.h>

#include "rt.h"

#define LOOP 1000u
#define AT_LEVEL (RT_CALL_INSTRUCTIONS + RT_LOOP_INSTRUCTIONS(LOOP))

static const struct apmu_dev dev = {.ops = &apmu_native_ops};

/*
 * The filters that let only one level count.  U and NSU select EL0, P and NSK select EL1, NSH selects EL2, and M
 * selects EL3 where it equals P.
 */
static const struct {
    enum rt_where where;
    uint64_t filter;
} only[] = {
    {RT_EL0, APMU_FILTER(P) | APMU_FILTER(U) | APMU_FILTER(NSU)},
    {RT_EL1, APMU_FILTER(P) | APMU_FILTER(NSK) | APMU_FILTER(U)},
    {RT_EL2, APMU_FILTER(P) | APMU_FILTER(U) | APMU_FILTER(NSH)},
    {RT_EL3, APMU_FILTER(P) | APMU_FILTER(U) | APMU_FILTER(M)},
    {RT_SECURE_EL0, APMU_FILTER(P) | APMU_FILTER(NSU)},
    {RT_SECURE_EL1, APMU_FILTER(NSK) | APMU_FILTER(U) | APMU_FILTER(M)},
};

#define COUNTERS (sizeof(only) / sizeof(only[0]))

struct filter_controls {
    uint64_t mdcr_el3, mdcr_el2;
};

static void set(const struct filter_controls *controls)
{
    (void)apmu_native_ops.write(NULL, APMU_REG_MDCR_EL3, 0, controls->mdcr_el3);
    (void)apmu_native_ops.write(NULL, APMU_REG_MDCR_EL2, 0, controls->mdcr_el2);
    apmu_native_sync();
}

/* Counts a loop of @n rounds at @where by all counters, which EL3 starts, stops and reads. */
static bool count(const struct apmu_pmu *pmu, enum rt_where where, uintptr_t n, struct apmu_reading *out)
{
    struct apmu_wish wishes[COUNTERS];
    struct apmu_session s;
    bool ok;

    for (size_t i = 0; i < COUNTERS; i++) {
        wishes[i] = (struct apmu_wish){.event = APMU_EV_INST_RETIRED, .counter = (uint8_t)i, .filter = only[i].filter};
    }
    ok = apmu_session_open(&s, &dev, pmu, wishes, COUNTERS, NULL) == APMU_OK && apmu_session_start(&s) == APMU_OK;
    (void)rt_call(where, rt_loop, (void *)n);
    ok = ok && apmu_session_stop(&s) == APMU_OK && apmu_session_read(&s, out) == APMU_OK;
    (void)apmu_session_close(&s);
    return rt_true("a session around a loop", ok);
}

static const char *const no_hpmn =
    "without Secure EL2, stock QEMU takes MDCR_EL2 for 0 in Secure state, so no counter is below HPMN";

static void check_levels(const char *how, const struct apmu_pmu *pmu, const struct filter_controls *controls)
{
    const bool secure = APMU_GET(MDCR_EL3, SPME, controls->mdcr_el3) != 0;
    const bool hyp = APMU_GET(MDCR_EL2, HPMD, controls->mdcr_el2) == 0;

    set(controls);
    for (enum rt_where where = RT_EL0; where < RT_LEVELS; where++) {
        struct apmu_reading got[COUNTERS], longer[COUNTERS];

        rt_context(how, rt_level_names[where]);
        if (!count(pmu, where, LOOP, got) || !count(pmu, where, 2 * LOOP, longer)) {
            continue;
        }
        bool others = true;

        for (size_t i = 0; i < COUNTERS; i++) {
            /*
             * The code leaves EL0 through EL1, and every run begins and ends at EL3.  The compiler decides how much
             * executes there.
             */
            const bool on_the_way = only[i].where == RT_EL3 || (where == RT_EL0 && only[i].where == RT_EL1) ||
                                    (where == RT_SECURE_EL0 && only[i].where == RT_SECURE_EL1);
            const bool allowed = where == RT_EL2 ? hyp : where <= RT_EL1 || secure;

            if (only[i].where != where) {
                others = others && (on_the_way ? longer[i].count == got[i].count : longer[i].count == 0);
            } else if (!allowed) {
                rt_equal("its counter does not count, because counting is prohibited", got[i].count, 0);
            } else if (where == RT_EL3) {
                rt_equal("its counter counts the difference of two loops", longer[i].count - got[i].count, 2 * LOOP);
            } else if (where >= RT_SECURE_EL0 && !rt_has_secure_el2()) {
                rt_deviates("its counter counts the instructions there", got[i].count, AT_LEVEL, 0, no_hpmn);
            } else {
                rt_equal("its counter counts the instructions there", got[i].count, AT_LEVEL);
            }
        }
        rt_true("no counter with another level's filter moves", others);
    }
}

int main(void)
{
    struct apmu_pmu pmu;
    struct filter_controls controls;
    uint64_t n;

    if (!rt_error("discover", apmu_pmu_discover(&dev, NULL, &pmu), APMU_OK)) {
        return rt_status();
    }
    n = APMU_PUT(MDCR_EL2, HPMN, pmu.counters);
    controls = (struct filter_controls){.mdcr_el3 = APMU_MASK(MDCR_EL3, SPME), .mdcr_el2 = n};
    check_levels("", &pmu, &controls);
    controls = (struct filter_controls){.mdcr_el3 = 0, .mdcr_el2 = n};
    check_levels("MDCR_EL3.SPME = 0, ", &pmu, &controls);
    if (apmu_pmu_has(&pmu, APMU_FEAT(PMUv3p1))) {
        controls =
            (struct filter_controls){.mdcr_el3 = APMU_MASK(MDCR_EL3, SPME), .mdcr_el2 = n | APMU_MASK(MDCR_EL2, HPMD)};
        check_levels("MDCR_EL2.HPMD = 1, ", &pmu, &controls);
    }
    return rt_status();
}
