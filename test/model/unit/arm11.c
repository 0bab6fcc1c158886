/* SPDX-License-Identifier: BSD-2-Clause */
/* The ARM11 unit: one case for each statement of Application Note 195, under the name that SPEC.md gives it. */

#include <string.h>

#include <armpmu/arm11.h>

#include "../../lib/tap.h"

#define E APMU_MASK(PMNC, E)
#define EVENTS(e0, e1) (APMU_PUT(PMNC, EvtCount0, e0) | APMU_PUT(PMNC, EvtCount1, e1))
#define BR APMU_ARM11_EV_BR_EXEC
#define MISS APMU_ARM11_EV_BR_MISPREDICT

static struct apmu_arm11 p;
static struct apmu_arm11_pe pe;
static struct apmu_arm11_out out;

static void unit(enum apmu_arm11_parts part)
{
    const struct apmu_arm11_config cfg = {.size = sizeof cfg, .part = part};

    apmu_arm11_init(&p, &cfg);
    pe = (struct apmu_arm11_pe){0};
    memset(&out, 0xFF, sizeof out);
}

#define PEEK(reg) apmu_arm11_peek(&p, APMU_ARM11_REG_##reg)
#define POKE(reg, value) apmu_arm11_poke(&p, APMU_ARM11_REG_##reg, (uint32_t)(value), &out)
#define EVENT(event, times) apmu_arm11_event(&p, &pe, event, times, 1, &out)
#define CYCLES(n) apmu_arm11_cycles(&p, &pe, n, &out)

/* ---------------------------------------------------------------------------------------------------------------
 * Section 1: the registers.
 */

static void three_counters(void)
{
    unit(APMU_ARM1176);
    POKE(PMNC, E | EVENTS(BR, MISS));
    EVENT(BR, 5);
    EVENT(MISS, 2);
    CYCLES(70);
    MUST_EQ(PEEK(PMN0), 5, "PMN0");
    MUST_EQ(PEEK(PMN1), 2, "PMN1");
    MUST_EQ(PEEK(CCNT), 70, "CCNT counts every cycle");
    EVENT(APMU_ARM11_EV_INSTR_EXEC, 9);
    MUST_EQ(PEEK(PMN0) + PEEK(PMN1), 7, "an event that no counter counts");
    POKE(CCNT, 0xFFFFFFFF);
    POKE(PMN0, 0x12345678);
    POKE(PMN1, 0x9ABCDEF0);
    MUST_EQ(PEEK(CCNT), 0xFFFFFFFF, "CCNT has 32 bits");
    MUST_EQ(PEEK(PMN0), 0x12345678, "PMN0 can be written");
    MUST_EQ(PEEK(PMN1), 0x9ABCDEF0, "PMN1 can be written");
}

static void overflow_after_a_preset_count(void)
{
    unit(APMU_ARM1136);
    POKE(PMNC, E | EVENTS(BR, MISS) | APMU_MASK(PMNC, EC0));
    POKE(PMN0, 0u - 1000u);
    EVENT(BR, 999);
    MUST(!out.irq && out.overflowed == 0, "999 events do not overflow");
    EVENT(BR, 1);
    MUST(out.irq && out.overflowed == 1, "the 1000th event overflows");
    MUST_EQ(PEEK(PMN0), 0, "it wraps to zero");
    EVENT(BR, 3);
    MUST_EQ(PEEK(PMN0), 3, "it continues after the wrap");
    MUST(out.irq && out.overflowed == 0, "the interrupt stays asserted");
    MUST_EQ(PEEK(PMNC) & 0x700, 0x100, "one flag");
}

static void interrupt_is_cleared_by_the_flag(void)
{
    unit(APMU_ARM1176);
    POKE(PMNC, E | EVENTS(BR, MISS) | APMU_MASK(PMNC, EC0) | APMU_MASK(PMNC, EC1));
    POKE(PMN0, UINT32_MAX);
    POKE(PMN1, UINT32_MAX);
    EVENT(BR, 1);
    EVENT(MISS, 1);
    POKE(PMNC, E | APMU_MASK(PMNC, EC0) | APMU_MASK(PMNC, EC1));
    MUST(out.irq, "0 written to the flags has no effect");
    POKE(PMNC, E | APMU_MASK(PMNC, EC0) | APMU_MASK(PMNC, EC1) | APMU_MASK(PMNC, OC0));
    MUST(out.irq, "PMN1's flag still asserts it");
    POKE(PMNC, E | APMU_MASK(PMNC, EC0) | APMU_MASK(PMNC, EC1) | APMU_MASK(PMNC, OC1));
    MUST(!out.irq, "both are cleared");
    MUST_EQ(PEEK(PMNC) & 0x700, 0, "the flags");
}

/* Counts that do not fit in 64 bits, and whose low bits are those of no event at all. */
static void overflow_by_very_many(void)
{
    unit(APMU_ARM1176);
    POKE(PMNC, E | EVENTS(BR, MISS));
    apmu_arm11_event(&p, &pe, BR, UINT64_C(1) << 63, 2, &out);
    MUST(PEEK(PMN0) == 0 && out.overflowed == 1, "2^63 cycles with two each");
    apmu_arm11_event(&p, &pe, MISS, 2, UINT64_C(1) << 63, &out);
    MUST(PEEK(PMN1) == 0 && out.overflowed == 2, "two cycles with 2^63 each");
    apmu_arm11_event(&p, &pe, BR, UINT64_C(1) << 63, 0, &out);
    apmu_arm11_event(&p, &pe, BR, 0, UINT64_C(1) << 63, &out);
    MUST_EQ(out.overflowed, 0, "none at all");
}

/* A read-modify-write of PMNC writes 1 to every flag that it reads as 1, and so clears the flag. */
static void read_modify_write_drops_overflows(void)
{
    unit(APMU_ARM1176);
    POKE(PMNC, E | EVENTS(BR, MISS));
    POKE(PMN0, UINT32_MAX);
    EVENT(BR, 1);
    POKE(PMNC, PEEK(PMNC) | APMU_MASK(PMNC, EC1));
    MUST_EQ(PEEK(PMNC) & 0x700, 0, "the flag of PMN0 is lost");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Section 2: the fields of PMNC.
 */

static void keeps(enum apmu_arm11_parts part, uint32_t mask, const char *name)
{
    unit(part);
    p.cfg.unpredictable = 0;
    POKE(PMNC, UINT32_MAX & ~E);
    POKE(PMNC, UINT32_MAX);
    MUST_EQ(PEEK(PMNC), mask, "%s after all ones", name);
    MUST(!out.irq && !out.fiq, "%s: flags cannot be set by writing", name);
    POKE(PMNC, 0);
    MUST_EQ(PEEK(PMNC), 0, "%s after zero", name);
}

static void pmnc_sbz(void)
{
    keeps(APMU_ARM1136, 0x0FFFF879, "ARM1136");
    keeps(APMU_ARM1176, 0x0FFFF879, "ARM1176");
    keeps(APMU_ARM1156, 0x7FFFF879, "ARM1156");
    unit(APMU_ARM1136);
    p.cfg.unpredictable = UINT32_MAX;
    MUST_EQ(PEEK(PMNC), 0xF0000086, "SBZ bits, C and P read as cfg.unpredictable");
    p.cfg.part = APMU_ARM1156;
    MUST_EQ(PEEK(PMNC), 0x80000086, "ARM1156 has bits 30:28");
    MUST_EQ(PEEK(CCNT), 0, "CCNT has no SBZ bits");
}

/* Each enable asserts its line for its own counter, and for no other. */
static void enables_of(bool fiq, unsigned lsb)
{
    for (unsigned counter = 0; counter < 3; counter++) {
        for (unsigned enable = 0; enable < 3; enable++) {
            unit(APMU_ARM1156);
            POKE(PMNC, E | EVENTS(BR, MISS) | UINT32_C(1) << (lsb + enable));
            p.count[counter] = UINT32_MAX;
            if (counter == APMU_ARM11_CCNT) {
                CYCLES(1);
            } else {
                EVENT(counter == 0 ? BR : MISS, 1);
            }
            MUST_EQ(out.overflowed, 1u << counter, "counter %u overflows", counter);
            MUST_EQ(PEEK(PMNC) & 0x700, UINT64_C(0x100) << counter, "its flag");
            MUST_EQ(fiq ? out.fiq : out.irq, counter == enable, "counter %u, enable %u", counter, enable);
            MUST_EQ(fiq ? out.irq : out.fiq, 0, "the other line: counter %u, enable %u", counter, enable);
        }
    }
}

static void pmnc_fc(void)
{
    enables_of(true, APMU_PMNC_FC0_LSB);
    unit(APMU_ARM1156);
    POKE(PMNC, E | EVENTS(BR, MISS) | APMU_MASK(PMNC, FC0) | APMU_MASK(PMNC, EC0));
    POKE(PMN0, UINT32_MAX);
    EVENT(BR, 1);
    MUST(out.irq && out.fiq, "both enables assert both lines");
    p.cfg.fiq_replaces_irq = true;
    MUST(!apmu_arm11_irq(&p) && apmu_arm11_fiq(&p), "fiq_replaces_irq: only nPMUFIQ");
    unit(APMU_ARM1176);
    POKE(PMNC, E | EVENTS(BR, MISS) | APMU_MASK(PMNC, FC0));
    POKE(PMN0, UINT32_MAX);
    EVENT(BR, 1);
    MUST(!out.fiq, "only ARM1156 has nPMUFIQ");
}

static void pmnc_ec(void)
{
    enables_of(false, APMU_PMNC_EC0_LSB);
}

static void pmnc_evtcount(void)
{
    unit(APMU_ARM1176);
    POKE(PMNC, E | EVENTS(BR, BR));
    EVENT(BR, 4);
    MUST(PEEK(PMN0) == 4 && PEEK(PMN1) == 4, "both may count the same event");
    POKE(PMNC, E | EVENTS(MISS, BR));
    EVENT(BR, 4);
    MUST(PEEK(PMN0) == 4 && PEEK(PMN1) == 8, "EvtCount0 is PMN0's, EvtCount1 is PMN1's");
}

static void pmnc_x(void)
{
    unit(APMU_ARM1136);
    POKE(PMNC, E);
    MUST(!out.exports, "X = 0");
    POKE(PMNC, E | APMU_MASK(PMNC, X));
    MUST(out.exports, "X = 1");
    CYCLES(1);
    MUST(out.exports, "every call reports it");
}

static void pmnc_oc(void)
{
    unit(APMU_ARM1176);
    p.cfg.unknown_fill = UINT32_MAX;
    apmu_arm11_on_reset(&p);
    MUST_EQ(PEEK(PMNC) & 0x700, 0, "reset value");
    MUST_EQ(PEEK(PMN0), UINT32_MAX, "the rest is unknown");
    POKE(PMNC, E | EVENTS(BR, MISS));
    CYCLES(1);
    EVENT(BR, 1);
    EVENT(MISS, 1);
    MUST_EQ(PEEK(PMNC) & 0x700, 0x700, "all three flags are set without an interrupt enable");
    MUST(!out.irq, "no enable, no interrupt");
    for (unsigned bit = 8; bit <= 10; bit++) {
        POKE(PMNC, E | EVENTS(BR, MISS) | UINT32_C(1) << bit);
        MUST_EQ(PEEK(PMNC) & (UINT32_C(1) << bit), 0, "bit %u clears itself", bit);
        MUST_EQ(PEEK(PMNC) & 0x700, 0x700u & ~((2u << bit) - 1), "no other flag is cleared");
    }
}

static void pmnc_d(void)
{
    unit(APMU_ARM1176);
    POKE(PMNC, E | APMU_MASK(PMNC, D) | EVENTS(APMU_ARM11_EV_CPU_CYCLES, BR));
    CYCLES(63);
    MUST_EQ(PEEK(CCNT), 0, "63 cycles");
    CYCLES(1 + 64 * 99);
    MUST_EQ(PEEK(CCNT), 100, "every 64th");
    MUST_EQ(PEEK(PMN0), 6400, "the event CPU_CYCLES is not divided");
    POKE(CCNT, UINT32_MAX);
    CYCLES(UINT64_C(64) << 32);
    MUST_EQ(PEEK(CCNT), UINT32_MAX, "a batch of 2^38 cycles");
    MUST(out.overflowed == 5, "it wraps CCNT and PMN0");
}

static void pmnc_c_p(void)
{
    unit(APMU_ARM1176);
    POKE(PMNC, E | EVENTS(BR, MISS));
    p.count[0] = p.count[1] = p.count[2] = UINT32_MAX;
    EVENT(BR, 1);
    p.count[0] = p.count[1] = 7;
    POKE(PMNC, APMU_MASK(PMNC, C));
    MUST(PEEK(CCNT) == 0 && PEEK(PMN0) == 7 && PEEK(PMN1) == 7, "C zeroes CCNT alone");
    POKE(CCNT, 9);
    POKE(PMNC, APMU_MASK(PMNC, P));
    MUST(PEEK(CCNT) == 9 && PEEK(PMN0) == 0 && PEEK(PMN1) == 0, "P zeroes PMN0 and PMN1");
    POKE(PMN0, 7);
    POKE(PMNC, E);
    MUST(PEEK(CCNT) == 9 && PEEK(PMN0) == 7, "0 does nothing");
    MUST_EQ(PEEK(PMNC) & 0x700, 0x100, "the flags stay");
}

static void pmnc_e(void)
{
    unit(APMU_ARM1176);
    POKE(PMNC, EVENTS(BR, MISS));
    EVENT(BR, 5);
    EVENT(MISS, 5);
    CYCLES(5);
    MUST(PEEK(PMN0) == 0 && PEEK(PMN1) == 0 && PEEK(CCNT) == 0, "E = 0: none of the three counts");
}

/* "Must be set to clear interrupt request": the Application Note leaves the meaning open, so cfg.clear chooses it. */
static void pmnc_e_clears(void)
{
    static const struct {
        enum apmu_arm11_clear clear;
        bool written, before, clears;
    } cases[] = {
        {APMU_ARM11_CLEAR_E_WRITTEN, true, true, true},   {APMU_ARM11_CLEAR_E_WRITTEN, true, false, true},
        {APMU_ARM11_CLEAR_E_WRITTEN, false, true, false}, {APMU_ARM11_CLEAR_E_WRITTEN, false, false, false},
        {APMU_ARM11_CLEAR_E_BEFORE, true, true, true},    {APMU_ARM11_CLEAR_E_BEFORE, true, false, false},
        {APMU_ARM11_CLEAR_E_BEFORE, false, true, true},   {APMU_ARM11_CLEAR_E_BEFORE, false, false, false},
        {APMU_ARM11_CLEAR_ALWAYS, true, true, true},      {APMU_ARM11_CLEAR_ALWAYS, false, false, true},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unit(APMU_ARM1176);
        p.cfg.clear = cases[i].clear;
        p.pmnc = (uint32_t)(APMU_MASK(PMNC, OC0) | APMU_MASK(PMNC, EC0) | (cases[i].before ? E : 0));
        POKE(PMNC, APMU_MASK(PMNC, OC0) | APMU_MASK(PMNC, EC0) | (cases[i].written ? E : 0));
        MUST_EQ(out.irq, !cases[i].clears, "case %u: nPMUIRQ", i);
        MUST_EQ(PEEK(PMNC) >> 8 & 1, !cases[i].clears, "case %u: the flag", i);
    }
    unit(APMU_ARM1156);
    p.pmnc = (uint32_t)(APMU_MASK(PMNC, OC0) | APMU_MASK(PMNC, EC0) | APMU_MASK(PMNC, FC0));
    MUST(apmu_arm11_irq(&p) && apmu_arm11_fiq(&p), "E = 0 leaves the lines as they are");
    p.cfg.irq_needs_enable = true;
    MUST(!apmu_arm11_irq(&p) && !apmu_arm11_fiq(&p), "irq_needs_enable: E = 0 masks the lines");
}

static void access_by_mode_and_world(void)
{
    static const enum apmu_arm11_parts parts[] = {APMU_ARM1136, APMU_ARM1156, APMU_ARM1176};

    for (unsigned i = 0; i < 3 * 4 * 16; i++) {
        const enum apmu_arm11_reg reg = (enum apmu_arm11_reg)(i / 3 % 4);
        const unsigned state = i / 12;
        unit(parts[i % 3]);
        pe.user = (state & 1) != 0;
        pe.user_v = (state & 2) != 0;
        pe.secure = (state & 4) != 0;
        const struct apmu_access a = apmu_arm11_access(&p, &pe, reg, (state & 8) != 0);
        const bool refused = pe.user && !pe.user_v;
        MUST_EQ(a.outcome, refused ? APMU_ACCESS_UNDEFINED : APMU_ACCESS_OK, "register %u, state %u", (unsigned)reg,
                state);
        MUST_EQ(a.control[0] != '\0', refused, "it names the control");
    }
    unit(APMU_ARM1176);
    const enum apmu_arm11_reg none = APMU_ARM11_REG_COUNT;
    const struct apmu_arm11 before = p;
    MUST_EQ(apmu_arm11_access(&p, &pe, none, false).outcome, APMU_ACCESS_UNDEFINED, "opc2 = 4");
    apmu_arm11_poke(&p, none, UINT32_MAX, NULL);
    MUST(apmu_arm11_peek(&p, none) == 0 && memcmp(&p, &before, sizeof p) == 0, "opc2 = 4 is not a register");
}

static void shared_by_the_worlds(void)
{
    unit(APMU_ARM1176);
    pe.secure = true;
    pe.spniden = true;
    POKE(PMNC, E | EVENTS(BR, MISS));
    EVENT(BR, 3);
    pe.secure = false;
    EVENT(BR, 4);
    MUST_EQ(PEEK(PMN0), 7, "one counter for both");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Table 2: events with special rules.  test/model/table/arm11.c has a case for each event.
 */

static void etmextout_both(void)
{
    const struct apmu_occurrence both[] = {{APMU_ARM11_EV_ETMEXTOUT_0, 1}, {APMU_ARM11_EV_ETMEXTOUT_1, 1}};

    unit(APMU_ARM1136);
    POKE(PMNC, E | EVENTS(APMU_ARM11_EV_ETMEXTOUT_BOTH, APMU_ARM11_EV_ETMEXTOUT_1));
    apmu_arm11_step(&p, &pe, 5, both, 2, &out);
    MUST(PEEK(PMN0) == 10 && PEEK(PMN1) == 5, "two in a cycle with both");
    apmu_arm11_step(&p, &pe, 5, both, 1, &out);
    MUST(PEEK(PMN0) == 15 && PEEK(PMN1) == 5, "one in a cycle with one");
    EVENT(APMU_ARM11_EV_ETMEXTOUT_BOTH, 100);
    MUST_EQ(PEEK(PMN0), 15, "the sum is not an event of its own");
    POKE(PMN0, UINT32_MAX);
    apmu_arm11_step(&p, &pe, 1, both, 2, &out);
    MUST(PEEK(PMN0) == 1 && out.overflowed == 1, "adding two at the maximum leaves one, and sets the flag");
}

static void every_cycle(void)
{
    unit(APMU_ARM1176);
    POKE(PMNC, E | EVENTS(APMU_ARM11_EV_CPU_CYCLES, BR));
    CYCLES(10);
    EVENT(APMU_ARM11_EV_CPU_CYCLES, 100);
    MUST_EQ(PEEK(PMN0), 10, "0xFF counts cycles and cannot be sent as an event");
    apmu_arm11_step(&p, &pe, 7, NULL, 0, NULL);
    MUST(PEEK(PMN0) == 17 && PEEK(CCNT) == 17, "a step is a cycle");
}

static void reserved_events_count_nothing(void)
{
    unit(APMU_ARM1156);
    POKE(PMNC, E | EVENTS(0x08, APMU_ARM11_EV_ITLB_MISS));
    EVENT(0x08, 5);
    EVENT(APMU_ARM11_EV_ITLB_MISS, 5);
    EVENT(0x108, 5);
    MUST(PEEK(PMN0) == 0 && PEEK(PMN1) == 0, "reserved, and unused on ARM1156");
    MUST_EQ(apmu_arm11_why(&p, &pe, APMU_ARM11_PMN0), APMU_ARM11_WHY(NO_EVENT), "reserved");
    MUST_EQ(apmu_arm11_why(&p, &pe, APMU_ARM11_PMN1), APMU_ARM11_WHY(NO_EVENT), "unused");
    MUST_EQ(apmu_arm11_why(&p, &pe, APMU_ARM11_CCNT), 0, "CCNT has no event");
    POKE(PMNC, E | EVENTS(0, 0));
    EVENT(0x100, 5);
    MUST_EQ(PEEK(PMN0), 0, "a number of more than eight bits is not an event of this unit");
}

/* ---------------------------------------------------------------------------------------------------------------
 * The ARM1176 manual: when counting is prohibited.
 */

static void stands_still(const char *name, uint64_t why)
{
    for (unsigned n = 0; n < APMU_ARM11_COUNTERS; n++) {
        MUST_EQ(apmu_arm11_why(&p, &pe, (enum apmu_arm11_counter)n), why, "%s, counter %u", name, n);
        MUST_EQ(apmu_arm11_counts(&p, &pe, (enum apmu_arm11_counter)n), why == 0, "%s, counter %u counts", name, n);
    }
}

static void reasons(void)
{
    unit(APMU_ARM1176);
    POKE(PMNC, EVENTS(BR, MISS));
    stands_still("E = 0", APMU_ARM11_WHY(PMNC_E));
    POKE(PMNC, E | EVENTS(BR, MISS));
    stands_still("E = 1", 0);
    pe.halted = true;
    stands_still("Debug state", APMU_ARM11_WHY(HALTED));
    POKE(PMNC, EVENTS(BR, MISS));
    stands_still("both", APMU_ARM11_WHY(HALTED) | APMU_ARM11_WHY(PMNC_E));
}

static void secure_world(void)
{
    for (unsigned i = 0; i < 16; i++) {
        unit(APMU_ARM1176);
        POKE(PMNC, E | EVENTS(BR, MISS));
        pe.secure = (i & 1) != 0;
        pe.spniden = (i & 2) != 0;
        pe.suniden = (i & 4) != 0;
        pe.user = (i & 8) != 0;
        const bool counts = i == 0 || i == 2 || i == 3 || i == 4 || i == 6 || i == 7 || (i >= 8 && i != 9);
        stands_still("ARM1176", counts ? 0 : APMU_ARM11_WHY(SPNIDEN));
        p.cfg.part = APMU_ARM1136;
        stands_still("ARM1136 has no Secure world", 0);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Sections 5 to 8: metrics of two counts.
 */

static void is_fraction(enum apmu_arm11_metric m, uint8_t a, uint8_t b, int64_t numerator, uint64_t denominator)
{
    const struct apmu_arm11_metric_info *info = apmu_arm11_metric_info(m);
    const struct apmu_fraction f = apmu_arm11_metric_value(m, 30, 120);

    MUST(info->a == a && info->b == b, "%s: of events 0x%x and 0x%x", info->name, info->a, info->b);
    MUST(f.numerator == numerator && f.denominator == denominator, "%s of 30 and 120: %lld / %llu", info->name,
         (long long)f.numerator, (unsigned long long)f.denominator);
}

static void branch_prediction_ratio(void)
{
    is_fraction(APMU_ARM11_METRIC_branch_prediction_ratio, 0x6, 0x5, 90, 120);
    is_fraction(APMU_ARM11_METRIC_branch_misprediction_ratio, 0x6, 0x5, 30, 120);
    MUST_EQ(apmu_arm11_metric_value(APMU_ARM11_METRIC_branch_prediction_ratio, 0, 0).denominator, 0, "no branches");
}

static void noncacheable_data_accesses(void)
{
    is_fraction(APMU_ARM11_METRIC_noncacheable_data_accesses, 0xA, 0x9, -90, 1);
    is_fraction(APMU_ARM11_METRIC_cacheable_data_access_ratio, 0x9, 0xA, 30, 120);
    MUST_EQ((uint64_t)apmu_arm11_metric_value(APMU_ARM11_METRIC_noncacheable_data_accesses, 120, 30).numerator, 90,
            "of 120 accesses 30 are cacheable");
}

static void dcache_estimates(void)
{
    is_fraction(APMU_ARM11_METRIC_dcache_hit_ratio_estimate, 0xB, 0x9, 90, 120);
    is_fraction(APMU_ARM11_METRIC_dcache_miss_ratio_estimate, 0xB, 0x9, 30, 120);
    is_fraction(APMU_ARM11_METRIC_ipc, 0x7, 0xFF, 30, 120);
}

static void configurations(void)
{
    struct apmu_arm11_config cfg = {.size = sizeof cfg, .part = APMU_ARM1176};

    MUST(apmu_arm11_config_check(&cfg) == NULL, "ARM1176");
    cfg.part = APMU_ARM11_ALL;
    MUST(strncmp(apmu_arm11_config_check(&cfg), "part: ", 6) == 0, "more than one part");
    cfg.part = (enum apmu_arm11_parts)0;
    MUST(strncmp(apmu_arm11_config_check(&cfg), "part: ", 6) == 0, "no part");
    cfg.part = APMU_ARM1136;
    cfg.clear = (enum apmu_arm11_clear)3;
    MUST(strncmp(apmu_arm11_config_check(&cfg), "clear: ", 7) == 0, "no such choice");
    cfg.size = 1;
    MUST(strncmp(apmu_arm11_config_check(&cfg), "size: ", 6) == 0, "another size");
}

int main(void)
{
    tap_run("AN195.1 three counters", three_counters);
    tap_run("AN195.1 overflow after a preset count", overflow_after_a_preset_count);
    tap_run("AN195.1 the interrupt is cleared by the flag", interrupt_is_cleared_by_the_flag);
    tap_run("AN195.1 overflow by very many", overflow_by_very_many);
    tap_run("AN195.1 a read-modify-write drops overflows", read_modify_write_drops_overflows);
    tap_run("PMNC.SBZ", pmnc_sbz);
    tap_run("PMNC.FCC PMNC.FC1 PMNC.FC0", pmnc_fc);
    tap_run("PMNC.ECC PMNC.EC1 PMNC.EC0", pmnc_ec);
    tap_run("PMNC.EvtCount0 PMNC.EvtCount1", pmnc_evtcount);
    tap_run("PMNC.X", pmnc_x);
    tap_run("PMNC.OCC PMNC.OC1 PMNC.OC0", pmnc_oc);
    tap_run("PMNC.D", pmnc_d);
    tap_run("PMNC.C PMNC.P", pmnc_c_p);
    tap_run("PMNC.E", pmnc_e);
    tap_run("PMNC.E must be set to clear", pmnc_e_clears);
    tap_run("AN195.2 access by mode and world", access_by_mode_and_world);
    tap_run("AN195.2 shared by the worlds", shared_by_the_worlds);
    tap_run("AN195.2 ETMEXTOUT_BOTH", etmextout_both);
    tap_run("AN195.2 every cycle", every_cycle);
    tap_run("AN195.2 reserved events count nothing", reserved_events_count_nothing);
    tap_run("reasons", reasons);
    tap_run("DDI 0301 Secure world", secure_world);
    tap_run("AN195.5 branch prediction ratio", branch_prediction_ratio);
    tap_run("AN195.7 cacheable accesses", noncacheable_data_accesses);
    tap_run("AN195.8 data cache estimates", dcache_estimates);
    tap_run("configurations", configurations);
    return tap_status;
}
