/* SPDX-License-Identifier: BSD-2-Clause */
/* Events and cycles: widths, CHAIN, thresholds, edges and links, the divider, and very large batches. */

#include <armpmu/model.h>

#include "../../lib/tap.h"

static struct apmu p;
static struct apmu_pe pe;

#define EVENT 0x0024u

static void begin(uint64_t features)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = apmu_features_closure(features | APMU_FEAT(AA64EL1) | APMU_FEAT(AA32EL0)),
        .counters = 4,
        .thwidth = 12,
    };

    apmu_init(&p, &cfg);
    pe = (struct apmu_pe){.el = 1};
    p.pmcr = APMU_MASK(PMCR_EL0, E);
    p.cnten = UINT64_C(0x8000000F);
    p.typer[0] = EVENT;
    p.typer[1] = APMU_EV_CHAIN;
    p.typer[2] = p.typer[3] = EVENT;
    p.typer[APMU_CYCLE] = 0;
    apmu_settle(&p);
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        p.cntr[n] = 0;
    }
    p.ovs = 0;
    p.last_threshold = 0;
    p.divider = 0;
}

/* Checks @holds, a condition on the counters that @name describes.  A failure shows the counters. */
static void is(const char *name, bool holds)
{
    MUST(holds, "%s: counters 0x%llx, 0x%llx, 0x%llx and 0x%llx, cycles 0x%llx, flags 0x%llx", name,
         (unsigned long long)p.cntr[0], (unsigned long long)p.cntr[1], (unsigned long long)p.cntr[2],
         (unsigned long long)p.cntr[3], (unsigned long long)p.cntr[APMU_CYCLE], (unsigned long long)p.ovs);
}

static uint64_t threshold(unsigned tc, unsigned te, unsigned tlc, unsigned th)
{
    return APMU_PUT(PMEVTYPER_EL0, TC, tc) | APMU_PUT(PMEVTYPER_EL0, TE, te) | APMU_PUT(PMEVTYPER_EL0, TLC, tlc) |
           APMU_PUT(PMEVTYPER_EL0, TH, th);
}

static void widths(void)
{
    struct apmu_out out;

    begin(APMU_FEAT(PMUv3));
    p.cntr[0] = UINT32_MAX;
    apmu_event(&p, &pe, EVENT, 1, 2, &out);
    is("32-bit counter wraps, sets its flag and chains",
       p.cntr[0] == 1 && p.cntr[1] == 1 && p.ovs == 1 && out.overflowed == 1);

    begin(APMU_FEAT(PMUv3p5));
    p.cntr[0] = UINT32_MAX;
    apmu_event(&p, &pe, EVENT, 1, 1, NULL);
    is("64-bit counter with LP = 0 flags the carry out of bit 31", p.cntr[0] == UINT64_C(1) << 32 && p.ovs == 1);

    begin(APMU_FEAT(PMUv3p5));
    p.pmcr |= APMU_MASK(PMCR_EL0, LP);
    p.cntr[0] = UINT32_MAX;
    p.cntr[2] = UINT64_MAX;
    apmu_event(&p, &pe, EVENT, 1, 1, NULL);
    is("64-bit counter with LP = 1 flags the carry out of bit 63",
       p.ovs == 1u << 2 && p.cntr[2] == 0 && p.cntr[1] == 0);

    begin(APMU_FEAT(PMUv3));
    apmu_event(&p, &pe, EVENT, UINT64_C(1) << 45, 3, NULL);
    is("a leap of 3 * 2^45 chains 3 * 2^13 times", p.cntr[0] == 0 && p.cntr[1] == 3u << 13);

    begin(APMU_FEAT(PMUv3));
    apmu_event(&p, &pe, EVENT, UINT64_MAX, 1, NULL);
    is("the longest leap wraps the pair", p.cntr[0] == UINT32_MAX && p.cntr[1] == UINT32_MAX && (p.ovs & 3) == 1);
    apmu_event(&p, &pe, EVENT, 1, 1, NULL);
    is("and one more event overflows both", p.cntr[0] == 0 && p.cntr[1] == 0 && (p.ovs & 3) == 3);

    begin(APMU_FEAT(PMUv3));
    p.pmcr |= APMU_MASK(PMCR_EL0, D);
    apmu_cycles(&p, &pe, 63, NULL);
    const bool not_yet = p.cntr[APMU_CYCLE] == 0;
    apmu_cycles(&p, &pe, 1 + 64 * 99, NULL);
    is("PMCR.D counts every 64th cycle", not_yet && p.cntr[APMU_CYCLE] == 100);
    p.pmcr |= APMU_MASK(PMCR_EL0, LC);
    apmu_cycles(&p, &pe, 5, NULL);
    is("PMCR.LC overrules PMCR.D", p.cntr[APMU_CYCLE] == 105);

    begin(APMU_FEAT(PMUv3));
    p.cntr[APMU_CYCLE] = UINT32_MAX;
    apmu_cycles(&p, &pe, 1, &out);
    is("PMCR.LC = 0 flags bit 31 of the cycle counter", p.cntr[APMU_CYCLE] == UINT64_C(1) << 32 &&
                                                            out.overflowed == UINT64_C(1) << APMU_CYCLE);
}

static void thresholds(void)
{
    begin(APMU_FEAT(PMUv3_TH));
    p.typer[2] |= threshold(4, 0, 0, 3); /* TC = 0b100: adds the count where it is at least TH */
    p.typer[3] |= threshold(5, 0, 0, 3); /* TC = 0b101: adds one there */
    apmu_settle(&p);
    for (uint64_t each = 0; each < 6; each++) {
        apmu_event(&p, &pe, EVENT, 10, each, NULL);
    }
    is("threshold: the count, and the cycles", p.cntr[2] == 10 * (3 + 4 + 5) && p.cntr[3] == 30);

    begin(APMU_FEAT(PMUv3_EDGE));
    p.typer[2] |= threshold(5, 1, 0, 2); /* rises to >= 2 */
    p.typer[3] |= threshold(6, 1, 0, 2); /* each change of the condition < 2, beginning with 2 */
    apmu_settle(&p);
    for (int i = 0; i < 5; i++) {
        apmu_event(&p, &pe, EVENT, 100, 2, NULL);
        apmu_event(&p, &pe, EVENT, 100, 1, NULL);
    }
    is("edge: rises, and rises and falls", p.cntr[2] == 5 && p.cntr[3] == 9);

    begin(APMU_FEAT(PMUv3_TH2));
    p.typer[3] |= threshold(4, 0, 2, 0); /* linked: adds V[2] where the condition (always) holds */
    p.typer[2] |= threshold(4, 0, 0, 5);
    apmu_settle(&p);
    apmu_event(&p, &pe, EVENT, 10, 7, NULL);
    const bool linked = p.cntr[2] == 70 && p.cntr[3] == 70;
    p.typer[0] = EVENT;
    apmu_settle(&p);
    p.cnten &= ~UINT64_C(4);
    apmu_event(&p, &pe, EVENT, 10, 7, NULL);
    is("a counter linked to a stopped one adds zero", linked && p.cntr[2] == 70 && p.cntr[3] == 70);
}

static void products(void)
{
    struct apmu_out out;

    begin(APMU_FEAT(PMUv3));
    p.cntr[0] = UINT32_MAX;
    apmu_event(&p, &pe, EVENT, 1, UINT64_MAX, &out); /* the sum has the upper half of the old value */
    is("an increment of nearly 2^64 overflows a 32-bit counter",
       p.cntr[0] == UINT32_MAX - 1 && (out.overflowed & 1) != 0);

    begin(APMU_FEAT(PMUv3));
    p.typer[1] = 0;
    apmu_settle(&p);
    apmu_event(&p, &pe, EVENT, UINT64_C(1) << 33, UINT64_C(1) << 31, &out);
    is("2^33 times 2^31 events are 2^64, not 0", p.cntr[0] == 0 && (out.overflowed & 1) != 0);
    p.ovs = 0;
    apmu_event(&p, &pe, EVENT, UINT64_C(1) << 32, UINT64_C(1) << 32, &out);
    is("2^32 times 2^32 events are 2^64, not 0", p.cntr[0] == 0 && (out.overflowed & 1) != 0);
    p.ovs = 0;
    apmu_event(&p, &pe, EVENT, UINT64_C(1) << 63, 2, &out);
    is("2^63 times 2 events are 2^64, not 0", p.cntr[0] == 0 && (out.overflowed & 1) != 0);

    begin(APMU_FEAT(PMUv3p5));
    p.ovs = 3;
    apmu_event(&p, &pe, EVENT, UINT64_C(1) << 63, 3, NULL);
    is("a leap of 3 * 2^63 chains 3 * 2^31 times", p.cntr[0] == UINT64_C(1) << 63 && p.cntr[1] == UINT64_C(3) << 31);
}

static void leaps(void)
{
    struct apmu_out out;

    /*
     * The flag of counter 0 is set.  Counter 1 is in the second range, which its flag freezes.  It overflows at its
     * CHAIN event left[i] + 1.
     */
    const uint64_t left[] = {
        0, 1, 5, (1u << 30) - 1, 1u << 30, (1u << 30) + 1, (1u << 31) - 1, 1u << 31, (1u << 31) + 1};
    bool exact = true;
    for (unsigned i = 0; i < sizeof left / sizeof left[0]; i++) {
        begin(APMU_FEAT(PMUv3p7) | APMU_FEAT(AA64EL2));
        p.cfg.chain_crosses_ranges = true;
        pe.mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 1) | APMU_MASK(MDCR_EL2, HPME) | APMU_MASK(MDCR_EL2, HPMFZO);
        p.cnten = 3;
        p.ovs = 1;
        p.cntr[0] = 7;
        p.cntr[1] = UINT32_MAX - left[i];
        apmu_event(&p, &pe, EVENT, UINT64_MAX, 1, &out);
        exact &= p.cntr[0] == 6 && p.cntr[1] == UINT64_C(1) << 32 && p.ovs == 3;
    }
    is("a leap ends where a chained counter freezes", exact);

    /* The chained counter freezes its range.  Counter 2, in that range, counts up to the cycle before. */
    bool stops = true;
    for (unsigned i = 0; i < 2; i++) {
        begin(APMU_FEAT(PMUv3p7) | APMU_FEAT(AA64EL2));
        p.cfg.chain_crosses_ranges = true;
        pe.mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 1) | APMU_MASK(MDCR_EL2, HPME) | APMU_MASK(MDCR_EL2, HPMFZO);
        p.cnten = 7;
        p.ovs = 1;
        p.cntr[0] = i == 0 ? 7 : UINT64_C(0x80000007);
        p.cntr[1] = UINT32_MAX;
        const uint64_t carry = (UINT64_C(1) << 32) - p.cntr[0];
        apmu_event(&p, &pe, EVENT, UINT64_C(1) << 40, 1, NULL);
        stops &= p.cntr[2] == carry - 1 && p.ovs == 3;
    }
    is("a leap ends before the cycle in which a chained counter freezes its range", stops);

    begin(APMU_FEAT(PMUv3) | APMU_FEAT(SEBEP));
    p.cfg.sync_events[0] = APMU_EV_CHAIN;
    p.cfg.sync_event_count = 1;
    p.cnten = p.ovs = 3;
    p.inten = 2;
    apmu_event(&p, &pe, EVENT, UINT64_C(1) << 33, 1, NULL);
    is("synchronous CHAIN events within a leap set SyncCounterOverflowed", p.sync_overflowed && p.cntr[1] == 2);
}

static void single_calls(void)
{
    struct apmu_out out;

    begin(APMU_FEAT(PMUv3));
    const struct apmu_occurrence ev[] = {{EVENT, 3}, {EVENT, 1}, {APMU_EV_INST_RETIRED, 2}};
    p.typer[3] = APMU_EV_INST_RETIRED;
    apmu_settle(&p);
    apmu_step(&p, &pe, 1000, ev, 3, NULL);
    is("a step has all its events in each cycle",
       p.cntr[0] == 4000 && p.cntr[3] == 2000 && p.cntr[APMU_CYCLE] == 1000);

    begin(APMU_FEAT(PMUv3));
    p.typer[2] = APMU_EV_SW_INCR;
    apmu_settle(&p);
    apmu_poke(&p, &pe, APMU_REG_PMSWINC_EL0, 0, 0xF, NULL);
    is("PMSWINC counts where SW_INCR is counted", p.cntr[2] == 1 && p.cntr[0] == 0);

    /* SyncCounterOverflowed, for each set of flags and interrupts of counters 0 and 2: both count EVENT. */
    bool follows = true;
    for (unsigned i = 0; i < 16; i++) {
        begin(APMU_FEAT(PMUv3) | APMU_FEAT(SEBEP));
        p.cfg.sync_events[0] = EVENT;
        p.cfg.sync_event_count = 1;
        p.ovs = (i & 1) | (i & 2) << 1;
        p.inten = (i >> 2 & 1) | (i >> 2 & 2) << 1;
        apmu_event(&p, &pe, EVENT, 1, 1, &out);
        follows &= p.sync_overflowed == ((p.ovs & p.inten) != 0) && p.cntr[0] == 1 && p.cntr[2] == 1;
        p.sync_overflowed = false;
        p.cfg.sync_event_count = 0;
        apmu_event(&p, &pe, EVENT, 1, 1, &out);
        follows &= !p.sync_overflowed;
    }
    is("a synchronous event of a counter whose flag is set sets SyncCounterOverflowed", follows);

    begin(APMU_FEAT(PMUv3));
    p.inten = 1;
    p.cntr[0] = UINT32_MAX;
    apmu_event(&p, &pe, EVENT, 1, 1, &out);
    const bool raised = out.pmuirq;
    apmu_poke(&p, &pe, APMU_REG_PMOVSCLR_EL0, 0, 1, &out);
    is("PMUIRQ is a level: raised by the flag, lowered by clearing it", raised && !out.pmuirq);
}

/* Returns the sum of PMCCNTR_EL0 after @n more cycles. */
static uint64_t after(uint64_t n)
{
    apmu_cycles(&p, &pe, n, NULL);
    return p.cntr[APMU_CYCLE];
}

/* Writes PMCR_EL0.E and @bits. */
static void control(uint64_t bits)
{
    apmu_poke(&p, &pe, APMU_REG_PMCR_EL0, 0, APMU_MASK(PMCR_EL0, E) | bits, NULL);
}

static void the_phase_of_the_divider(void)
{
    const uint64_t d = APMU_MASK(PMCR_EL0, D);

    begin(APMU_FEAT(PMUv3));
    control(d);
    is("cycles before the first tick", after(10) == 0);
    control(0);
    is("with D = 0 every cycle counts", after(5) == 5);
    control(d | APMU_MASK(PMCR_EL0, C));
    is("PMCR_EL0.C zeroes the counter", p.cntr[APMU_CYCLE] == 0);
    is("neither D = 0 nor PMCR_EL0.C changes the phase", after(53) == 0 && after(1) == 1);
    (void)after(20);
    pe.mdcr_el2 = 0;
    p.cnten = 0;
    (void)after(100);
    p.cnten = UINT64_C(1) << APMU_CYCLE;
    is("cycles that the counter does not count do not change it", after(43) == 1 && after(1) == 2);
    control(d | APMU_MASK(PMCR_EL0, LC));
    is("with LC = 1 there is no division, and the phase stays", after(7) == 9 && p.divider == 0);
    apmu_on_reset(&p, APMU_RESET_COLD);
    is("a Cold reset clears it", p.divider == 0);
}

int main(void)
{
    RUN(the_phase_of_the_divider);
    RUN(widths);
    RUN(thresholds);
    RUN(products);
    RUN(leaps);
    RUN(single_calls);
    return tap_status;
}
