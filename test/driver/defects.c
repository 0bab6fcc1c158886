/* SPDX-License-Identifier: BSD-2-Clause */
/* Defects in the order of accesses, and in what a driver leaves behind.  defects.h has the list. */
#include "defects.h"

static struct driver_bench b;
static struct lazy lazy;

/* Makes a bench whose driver goes through a lazy PE.  @random is the member of struct lazy. */
static struct apmu_dev begin(uint64_t features, unsigned counters, uint64_t random)
{
    const struct apmu_dev dev = {.ops = &lazy_ops, .ctx = &lazy};

    if (!bench_init(&b, features, counters)) {
        check("defects: a PMU", false);
    }
    lazy = (struct lazy){.inner = b.dev, .random = random, .pe = &b.driver_pe};
    lazy.model = random != 0 ? &b.model : NULL; /* with a random seed, reads may be out of order too */
    lazy.before = b.model;
    return dev;
}

static void happens(uint16_t event, uint64_t times)
{
    apmu_event(&b.model, &b.program_pe, event, times, 1, NULL);
}

/*
 * Checks that each counter counts its own event, from its own value, however the PE delays writes that are not
 * synchronized.
 */
static bool each_counter_is_its_own(const struct contender *d)
{
    const struct apmu_wish wishes[3] = {
        {.event = APMU_EV_INST_RETIRED, .counter = APMU_COUNTER_ANY, .period = 1000},
        {.event = APMU_EV_LD_RETIRED, .counter = APMU_COUNTER_ANY, .period = 2000, .filter = APMU_FILTER(P)},
        {.event = APMU_EV_BR_RETIRED, .counter = APMU_COUNTER_ANY, .period = 4000},
    };
    bool right = true;

    for (uint64_t random = 0; random < 100; random++) {
        const struct apmu_dev dev = begin(random & 1 ? P1_FEATURES : P9_FEATURES, 6, random);
        struct apmu_reading out[3];

        right &= d->open(&dev, &b.pmu, wishes, 3) == APMU_OK;
        happens(APMU_EV_INST_RETIRED, 3); /* before it starts: not to be counted */
        d->start();
        happens(APMU_EV_INST_RETIRED, 5);
        happens(APMU_EV_LD_RETIRED, 7);
        happens(APMU_EV_BR_RETIRED, 11);
        d->stop();
        happens(APMU_EV_BR_RETIRED, 13);
        d->read(out);
        right &= out[0].count == 5 && out[1].count == 7 && out[2].count == 11;
        d->close();
    }
    return right;
}

/* ---------------------------------------------------------------------------------------------------------------
 * State that is left behind.
 */

static const struct apmu_wish cycles = {.event = APMU_EV_CPU_CYCLES, .counter = APMU_COUNTER_ANY, .dedicated = true};
static const struct apmu_wish branches = {.event = APMU_EV_BR_RETIRED, .counter = APMU_COUNTER_ANY};

static bool run_and_close(const struct contender *d, const struct apmu_dev *dev, const struct apmu_wish *wish)
{
    struct apmu_reading out;
    bool right = d->open(dev, &b.pmu, wish, 1) == APMU_OK;

    d->start();
    apmu_cycles(&b.model, &b.program_pe, 10, NULL);
    happens(APMU_EV_BR_RETIRED, 10);
    d->stop();
    d->read(&out);
    right &= out.count == 10;
    d->close();
    return right;
}

/* Checks that after close no counter of the session is enabled, even if other software enables the PMU. */
static bool nothing_stays_enabled(const struct contender *d)
{
    const struct apmu_wish *wishes[2] = {&cycles, &branches};
    bool right = true;

    for (unsigned i = 0; i < 2; i++) {
        const struct apmu_dev dev = begin(P9_FEATURES, 6, 0);

        b.model.cnten = b.model.inten = 0;
        right &= run_and_close(d, &dev, wishes[i]) && b.model.cnten == 0;
        b.model.pmcr |= APMU_MASK(PMCR_EL0, E);
        for (unsigned n = 0; n < APMU_COUNTERS; n++) {
            right &= !apmu_counts(&b.model, &b.program_pe, n);
        }
    }
    return right;
}

/* Checks that PMSELR_EL0 is unchanged, because interrupted code may be using it. */
static bool selection_is_as_it_was(const struct contender *d)
{
    bool right = true;

    for (unsigned selected = 0; selected < 6; selected++) {
        const struct apmu_dev dev = begin(P9_FEATURES, 6, 0);

        b.model.selr = selected;
        right &= run_and_close(d, &dev, &branches) && b.model.selr == selected;
    }
    return right;
}

/* ---------------------------------------------------------------------------------------------------------------
 * State from before.
 */

/* Checks that counts are right whatever the registers hold after a reset. */
static bool counts_from_any_state(const struct contender *d)
{
    const struct apmu_wish both[2] = {cycles, branches};
    bool right = true;

    for (uint64_t seed = 1; seed <= 200; seed++) {
        const struct apmu_dev dev = begin(P9_FEATURES | APMU_FEAT(AA32) | APMU_FEAT(AA32EL0), 6, 0);
        struct apmu_reading out[2];
        uint64_t state = seed;

        for (unsigned reg = 0; reg < APMU_REG_COUNT; reg++) {
            for (unsigned n = 0; n < apmu_reg_info((enum apmu_reg)reg)->copies; n++) {
                state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                apmu_poke(&b.model, &b.driver_pe, (enum apmu_reg)reg, n, state ^ state >> 29, NULL);
            }
        }
        right &= d->open(&dev, &b.pmu, both, 2) == APMU_OK;
        d->start();
        apmu_cycles(&b.model, &b.program_pe, 1000, NULL);
        happens(APMU_EV_BR_RETIRED, 10);
        d->stop();
        d->read(out);
        right &= out[0].count == 1000 && out[1].count == 10;
        d->close();
    }
    return right;
}

/* Checks that an event which the PMU lacks is refused, rather than counted as 0. */
static bool unimplemented_event_is_refused(const struct contender *d)
{
    const struct apmu_wish refills = {.event = 0x0003, .counter = APMU_COUNTER_ANY};
    const struct apmu_dev dev = begin(P9_FEATURES, 6, 0);

    return d->open(&dev, &b.pmu, &refills, 1) == APMU_E_NO_EVENT && d->open(&dev, &b.pmu, &branches, 1) == APMU_OK;
}

/* Checks that overflow flags from before the session are not reported as overflows. */
static bool old_flags_are_no_overflow(const struct contender *d)
{
    const struct apmu_dev dev = begin(P1_FEATURES, 6, 0);
    struct apmu_reading out;

    b.model.ovs = UINT64_C(0x8000003F);
    const bool opened = d->open(&dev, &b.pmu, &branches, 1) == APMU_OK;
    d->start();
    happens(APMU_EV_BR_RETIRED, 10);
    d->stop();
    d->read(&out);
    d->close();
    return opened && out.count == 10 && !out.overflowed;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Enabled too early, or too many counters enabled.
 */

/* Lets the program run between two accesses of the driver, with the event that the counter counted before. */
static void runs(void *ctx)
{
    (void)ctx;
    apmu_cycles(&b.model, &b.program_pe, 3, NULL);
    happens(APMU_EV_INST_RETIRED, 3);
}

/* Checks that a count which excludes EL0 includes no cycle of EL0. */
static bool filter_comes_before_enable(const struct contender *d)
{
    struct apmu_wish of_el1 = cycles;
    struct apmu_dev dev = begin(P9_FEATURES, 6, 0);
    struct apmu_reading out;

    of_el1.filter = APMU_FILTER(U);
    b.model.typer[APMU_CYCLE] = 0;
    apmu_settle(&b.model);
    lazy.meanwhile = runs;
    const bool opened = d->open(&dev, &b.pmu, &of_el1, 1) == APMU_OK;
    d->start();
    apmu_cycles(&b.model, &b.driver_pe, 40, NULL);
    d->stop();
    d->read(&out);
    d->close();
    return opened && out.count == 40;
}

/* Checks that a count includes no event of the counter's previous configuration. */
static bool type_comes_before_enable(const struct contender *d)
{
    struct apmu_dev dev = begin(P9_FEATURES, 6, 0);
    const struct apmu_wish two[2] = {branches, {.event = APMU_EV_LD_RETIRED, .counter = APMU_COUNTER_ANY}};
    struct apmu_reading out[2];

    b.model.typer[0] = b.model.typer[1] = APMU_EV_INST_RETIRED;
    apmu_settle(&b.model);
    b.model.ovs = 0;
    b.model.cntr[0] = b.model.cntr[1] = ~UINT64_C(0);
    lazy.meanwhile = runs;
    const bool opened = d->open(&dev, &b.pmu, two, 2) == APMU_OK;
    const bool quiet = b.model.cntr[0] == 0 && b.model.cntr[1] == 0 && !apmu_counts(&b.model, &b.program_pe, 0);
    d->start();
    happens(APMU_EV_BR_RETIRED, 10);
    d->stop();
    d->read(out);
    d->close();
    return opened && quiet && out[0].count == 10 && out[1].count == 0;
}

/* Checks that only the counters of the wishes are enabled.  Bit 32 is the instruction counter. */
static bool enables_its_own(const struct contender *d)
{
    const struct apmu_dev dev = begin(P9_FEATURES | APMU_FEAT(PMUv3_ICNTR), 6, 0);
    bool right;

    b.model.cnten = 0;
    right = d->open(&dev, &b.pmu, &cycles, 1) == APMU_OK;
    d->start();
    right &= b.model.cnten == UINT64_C(1) << APMU_CYCLE;
    d->stop();
    d->close();
    return right;
}

/* Checks that without a filter everything at EL0 and EL1 is counted. */
static bool no_filter_counts(const struct contender *d)
{
    const struct apmu_dev dev = begin(P9_FEATURES, 6, 0);
    const struct apmu_wish both[2] = {cycles, branches};
    struct apmu_reading out[2];
    bool right = d->open(&dev, &b.pmu, both, 2) == APMU_OK;

    d->start();
    happens(APMU_EV_BR_RETIRED, 10);
    apmu_cycles(&b.model, &b.program_pe, 10, NULL);
    apmu_cycles(&b.model, &b.driver_pe, 10, NULL);
    d->stop();
    d->read(out);
    d->close();
    return right && out[0].count == 20 && out[1].count == 10;
}

int main(void)
{
    test_defect("defect 1: DPDK: PMXEVCNTR is read before PMSELR is synchronized", each_counter_is_its_own,
                READ_WITHOUT_ISB);
    test_defect("defect 2: CoreFreq: PMXEVTYPER is written before PMSELR is synchronized", each_counter_is_its_own,
                TYPE_WITHOUT_ISB);
    test_defect("defect 2: CoreFreq: PMCNTENSET is restored by a write of itself", nothing_stays_enabled,
                RESTORE_BY_SET);
    test_defect("defect 2: CoreFreq: PMSELR is restored with other bits set", selection_is_as_it_was,
                RESTORE_SELR_ORED);
    test_defect("defect 3: FreeBSD: PMXEVCNTR is written before PMSELR is synchronized", each_counter_is_its_own,
                VALUE_WITHOUT_ISB);
    test_defect("defect 3: FreeBSD: PMCR is not reset", counts_from_any_state, NO_RESET);
    test_defect("defect 3: FreeBSD: any event is accepted", unimplemented_event_is_refused, UNCHECKED_EVENT);
    test_defect("defect 7: armv8_pmu_cycle_counter_el0: disable by writing 0 to PMCNTENSET", nothing_stays_enabled,
                DISABLE_BY_SET);
    test_defect("defect 7: armv8_pmu_cycle_counter_el0: enabled before PMCCFILTR is written",
                filter_comes_before_enable, ENABLED_BEFORE_FILTER);
    test_defect("defect 7: armv8_pmu_cycle_counter_el0: 1 << 31 is sign-extended", enables_its_own, SIGN_EXTENDED);
    test_defect("defect 8: kylin aarch64-pmuv3: P and U are set to count", no_filter_counts, FILTER_INVERTED);
    test_defect("defect 8: kylin aarch64-pmuv3: enabled before PMEVTYPER is written", type_comes_before_enable,
                ENABLED_BEFORE_TYPE);
    test_defect("defect 8: kylin aarch64-pmuv3: only the cycle counter's flag is cleared", old_flags_are_no_overflow,
                CLEARS_CYCLE_FLAG_ONLY);
    return failures != 0;
}
