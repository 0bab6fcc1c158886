/* SPDX-License-Identifier: BSD-2-Clause */
/* Defects that make counts wrong.  defects.h has the list. */
#include "defects.h"

static struct driver_bench b;
static struct lazy lazy;

static struct apmu_dev begin(uint64_t features, unsigned counters)
{
    const struct apmu_dev dev = {.ops = &lazy_ops, .ctx = &lazy};

    if (!bench_init(&b, features, counters)) {
        check("defects: a PMU", false);
    }
    lazy = (struct lazy){.inner = b.dev};
    return dev;
}

static void happens(uint16_t event, uint64_t times)
{
    apmu_event(&b.model, &b.program_pe, event, times, 1, NULL);
}

static const struct apmu_wish cycles = {.event = APMU_EV_CPU_CYCLES, .counter = APMU_COUNTER_ANY, .dedicated = true};

/* ---------------------------------------------------------------------------------------------------------------
 * 64 bits.
 */

static unsigned long carry_at;

static void carries(void *ctx)
{
    (void)ctx;
    if (lazy.calls == carry_at) {
        happens(APMU_EV_LD_RETIRED, 1);
    }
}

/*
 * Checks that a carry into the upper half between any two accesses of a read gives the count before it or after it.
 */
static bool pair_is_not_torn(const struct contender *d)
{
    const struct apmu_wish pair = {.event = APMU_EV_LD_RETIRED, .counter = APMU_COUNTER_ANY, .wide = true};
    bool right = true;

    for (unsigned long at = 1; at <= 12; at++) {
        const struct apmu_dev dev = begin(P1_FEATURES, 4);
        struct apmu_reading out;

        right &= d->open(&dev, &b.pmu, &pair, 1) == APMU_OK;
        d->start();
        happens(APMU_EV_LD_RETIRED, UINT32_MAX);
        lazy.calls = 0;
        carry_at = at;
        lazy.meanwhile = carries;
        d->read(&out);
        right &= out.count == UINT32_MAX || out.count == UINT64_C(1) << 32;
        lazy.meanwhile = NULL;
        d->stop();
        d->close();
    }
    return right;
}

static bool cycles_have_64_bits(const struct contender *d)
{
    const struct apmu_dev dev = begin(P1_FEATURES, 4);
    struct apmu_reading out;
    const bool opened = d->open(&dev, &b.pmu, &cycles, 1) == APMU_OK;

    d->start();
    apmu_cycles(&b.model, &b.program_pe, (UINT64_C(5) << 32) + 7, NULL);
    d->stop();
    d->read(&out);
    d->close();
    return opened && out.count == (UINT64_C(5) << 32) + 7;
}

/* Checks that start is sufficient to count. */
static bool start_enables(const struct contender *d)
{
    const struct apmu_dev dev = begin(P9_FEATURES, 4);
    const struct apmu_wish both[2] = {cycles, {.event = APMU_EV_LD_RETIRED, .counter = APMU_COUNTER_ANY}};
    struct apmu_reading out[2];

    b.model.cnten = 0;
    const bool opened = d->open(&dev, &b.pmu, both, 2) == APMU_OK;
    d->start();
    happens(APMU_EV_LD_RETIRED, 3);
    apmu_cycles(&b.model, &b.program_pe, 5, NULL);
    d->stop();
    d->read(out);
    d->close();
    return opened && out[0].count == 5 && out[1].count == 3;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Overflow flags.
 */

/* Checks that the flag of each counter is taken into account, exactly once. */
static bool every_flag_is_seen(const struct contender *d)
{
    bool right = true;

    for (unsigned n = 0; n < 31; n++) {
        const struct apmu_wish wish = {.event = APMU_EV_LD_RETIRED, .counter = (uint8_t)n, .period = 2};
        const struct apmu_dev dev = begin(P1_FEATURES, 31);
        struct apmu_reading out;

        right &= d->open(&dev, &b.pmu, &wish, 1) == APMU_OK;
        d->start();
        happens(APMU_EV_LD_RETIRED, 5);
        d->stop();
        d->read(&out);
        right &= out.count == 5 && out.overflowed;
        d->read(&out);
        right &= out.count == 5 && !out.overflowed && (b.model.ovs >> n & 1) == 0;
        d->close();
    }
    return right;
}

/* Checks that a pair overflows when its upper half does, and not when its lower half carries into the upper. */
static bool pair_overflows_at_64_bits(const struct contender *d)
{
    bool right = true;

    for (unsigned carry = 0; carry < 2; carry++) {
        const struct apmu_wish pair = {.event = APMU_EV_LD_RETIRED, .counter = APMU_COUNTER_ANY, .wide = true,
                                       .period = carry ? UINT64_C(1) << 33 | 2 : 2};
        const struct apmu_dev dev = begin(P1_FEATURES, 4);
        struct apmu_reading out;

        right &= d->open(&dev, &b.pmu, &pair, 1) == APMU_OK;
        d->start();
        happens(APMU_EV_LD_RETIRED, 5);
        d->stop();
        d->read(&out);
        right &= out.count == 5 && out.overflowed == (carry == 0);
        d->close();
    }
    return right;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Tests that are too weak.
 */

static uint64_t counted_of_640(const struct contender *d)
{
    const struct apmu_dev dev = begin(P1_FEATURES | APMU_FEAT(AA32) | APMU_FEAT(AA32EL0), 4);
    struct apmu_reading out;

    if (d->open(&dev, &b.pmu, &cycles, 1) != APMU_OK) {
        return 0;
    }
    d->start();
    apmu_cycles(&b.model, &b.program_pe, 640, NULL);
    d->stop();
    d->read(&out);
    d->close();
    return out.count;
}

static bool cycles_are_exact(const struct contender *d)
{
    return counted_of_640(d) == 640;
}

/*
 * A test that only asks whether a counter has changed does not find this defect.  The exact test does, so all our tests
 * are exact.
 */
static void any_change_passes(void)
{
    peer.defect = DIVIDED_CYCLES;
    const uint64_t divided = counted_of_640(&theirs);

    check("defect 17: tf-a-tests: the weak test passes what the exact one finds", divided != 0 && divided != 640);
    test_defect("defect 17: tf-a-tests: a counter that has changed passes", cycles_are_exact, DIVIDED_CYCLES);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Events.
 */

/* Checks that 16-bit event numbers are counted as themselves, and not as the event that their low bits name. */
static bool event_numbers_have_16_bits(const struct contender *d)
{
    static const uint16_t numbers[] = {0x4024, 0x8008, 0xC024, 0x0421, 0xFF06};
    bool right = true;

    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const struct apmu_wish wish = {.event = numbers[i], .counter = APMU_COUNTER_ANY, .unlisted = true};
        const struct apmu_dev dev = begin(P1_FEATURES, 4);
        struct apmu_reading out;

        right &= d->open(&dev, &b.pmu, &wish, 1) == APMU_OK;
        d->start();
        happens(numbers[i], 3);
        happens(numbers[i] & 0x00FF, 100);
        happens(numbers[i] & 0x03FF, 100);
        d->stop();
        d->read(&out);
        right &= out.count == 3;
        d->close();
    }
    return right;
}

/* Checks that after a session with another event, a session with an event that never occurs counts nothing. */
static bool old_event_is_gone(const struct contender *d)
{
    const struct apmu_wish wishes[2] = {{.event = APMU_EV_INST_RETIRED, .counter = APMU_COUNTER_ANY},
                                        {.event = 0x003F, .counter = APMU_COUNTER_ANY, .unlisted = true}};
    const struct apmu_dev dev = begin(P9_FEATURES, 4);
    struct apmu_reading out[2];
    bool right = true;

    for (unsigned i = 0; i < 2; i++) {
        right &= d->open(&dev, &b.pmu, &wishes[i], 1) == APMU_OK;
        d->start();
        happens(APMU_EV_INST_RETIRED, 10);
        d->stop();
        d->read(&out[i]);
        d->close();
    }
    return right && out[0].count == 10 && out[1].count == 0;
}

/* Checks that EL2 is counted if the wish sets NSH, and not otherwise. */
static bool el2_is_left_out_without_nsh(const struct contender *d)
{
    bool right = true;

    for (unsigned nsh = 0; nsh < 2; nsh++) {
        const struct apmu_wish both[2] = {
            {.event = APMU_EV_INST_RETIRED, .counter = APMU_COUNTER_ANY, .filter = nsh ? APMU_FILTER(NSH) : 0},
            {.event = APMU_EV_CPU_CYCLES, .counter = APMU_COUNTER_ANY, .dedicated = true,
             .filter = nsh ? APMU_FILTER(NSH) : 0},
        };
        const struct apmu_dev dev = begin(P1_FEATURES | APMU_FEAT(AA64EL2), 4);
        struct apmu_pe el2 = {.el = 2};
        struct apmu_reading out[2];

        b.driver_pe.mdcr_el2 = b.program_pe.mdcr_el2 = el2.mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 4);
        right &= apmu_pmu_discover(&b.dev, NULL, &b.pmu) == APMU_OK && d->open(&dev, &b.pmu, both, 2) == APMU_OK;
        d->start();
        happens(APMU_EV_INST_RETIRED, 3);
        apmu_cycles(&b.model, &b.program_pe, 3, NULL);
        apmu_event(&b.model, &el2, APMU_EV_INST_RETIRED, 100, 1, NULL);
        apmu_cycles(&b.model, &el2, 100, NULL);
        d->stop();
        d->read(out);
        right &= out[0].count == 3 + 100 * nsh && out[1].count == 3 + 100 * nsh;
        d->close();
    }
    return right;
}

int main(void)
{
    test_defect("defect 9: Linux: a chained pair is read once, high and then low", pair_is_not_torn, PAIR_READ_ONCE);
    test_defect("defect 10: PMUv3_plugin: event numbers of 8 bits", event_numbers_have_16_bits, EVENT_OF_8_BITS);
    test_defect("defect 15: CSAL: cycles are cut to 32 bits", cycles_have_64_bits, CYCLES_OF_32_BITS);
    test_defect("defect 15: CSAL: enabling sets PMCR.E and no counter", start_enables, ENABLES_NO_COUNTER);
    test_defect("defect 16: sDDF: the flags of six counters are looked at", every_flag_is_seen, FLAGS_OF_SIX);
    test_defect("defect 16: sDDF: the flag of a pair's odd counter is not looked at", pair_overflows_at_64_bits,
                FLAG_OF_LOWER_HALF);
    any_change_passes();
    test_defect("defect 18: gem5: an unsupported event leaves the old one counting", old_event_is_gone,
                KEEPS_OLD_EVENT);
    test_defect("defect 19: rust-pmuv3: NSH is set to exclude EL2", el2_is_left_out_without_nsh, NSH_EXCLUDES);
    test_defect("defect 19: rust-pmuv3: event numbers of 10 bits", event_numbers_have_16_bits, EVENT_OF_10_BITS);
    return failures != 0;
}
