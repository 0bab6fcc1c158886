/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One increment of one counter: AArch64.IncrementEventCounter(), AArch64.IncrementCycleCounter() and
 * IncrementInstructionCounter().  The callers have decided that the counter counts.
 */

#include "internal.h"

/* Returns 32 or 64.  The third range and an enabled PMU Profiling exception force 64. */
unsigned apmu_range_width(const struct apmu *p, const struct apmu_pe *pe, unsigned range)
{
    unsigned target_el;
    bool full = true;

    if (apmu_counter_width(p, 0) == 32) {
        return 32;
    }
    if (range == 1) {
        full = APMU_GET(PMCR_EL0, LP, p->pmcr) != 0;
    } else if (range == 2) {
        full = APMU_GET(MDCR_EL2, HLP, pe->mdcr_el2) != 0;
    }
    return full || apmu_exception_enabled(p, pe, &target_el) ? 64 : 32;
}

unsigned apmu_counter_size(const struct apmu *p, unsigned n)
{
    return apmu_counter_width(p, n);
}

unsigned apmu_overflow_width(const struct apmu *p, const struct apmu_pe *pe, unsigned n)
{
    unsigned target_el;

    if (n == APMU_INSTR) {
        return 64;
    }
    if (n != APMU_CYCLE) {
        return apmu_range_width(p, pe, apmu_range(p, pe, n));
    }
    /* PMCR_EL0.LC is RES1 without AArch32, and RES0 in ARMv7. */
    const bool full = !apmu_has(p, APMU_FEAT(AA32EL0)) || APMU_GET(PMCR_EL0, LC, p->pmcr) != 0;
    return full || apmu_exception_enabled(p, pe, &target_el) ? 64 : 32;
}

/* Adds @by to counter @n.  Returns the carry out of its low @width bits. */
static bool add(struct apmu *p, unsigned n, uint64_t by, unsigned width)
{
    const uint64_t left = ~p->cntr[n] & apmu_ones(width);

    p->cntr[n] = (p->cntr[n] + by) & apmu_ones(apmu_counter_width(p, n));
    return by > left;
}

/* IsSupportingPMUSynchronousMode(); INST_RETIRED, which the instruction counter counts, always does. */
bool apmu_event_is_synchronous(const struct apmu *p, unsigned n)
{
    const uint8_t size = sizeof p->cfg.sync_events / sizeof p->cfg.sync_events[0];

    for (unsigned i = 0; n != APMU_INSTR && i < p->cfg.sync_event_count && i < size; i++) {
        if (p->cfg.sync_events[i] == apmu_typer_event(p, n)) {
            return true;
        }
    }
    return n == APMU_INSTR;
}

uint64_t apmu_overflow(struct apmu *p, unsigned n)
{
    const uint64_t flag = UINT64_C(1) << n;

    p->ovs |= flag;
    return flag;
}

/*
 * SyncCounterOverflowed follows the level of the flag at each increment, also for counters that are not in synchronous
 * mode. apmu_retire() tests the mode.
 */
void apmu_note_synchronous(struct apmu *p, unsigned n)
{
    if (n != APMU_CYCLE && apmu_has(p, APMU_FEAT(SEBEP)) && apmu_bit(p->ovs & p->inten, n) &&
        apmu_event_is_synchronous(p, n)) {
        p->sync_overflowed = true;
    }
}

bool apmu_chains_into(const struct apmu *p, const struct apmu_pe *pe, unsigned n)
{
    return !apmu_armv7(p) && (n & 1) == 0 && n + 1 < p->cfg.counters && apmu_typer_event(p, n + 1) == APMU_EV_CHAIN &&
           apmu_overflow_width(p, pe, n) == 32 &&
           (apmu_range(p, pe, n) == apmu_range(p, pe, n + 1) || p->cfg.chain_crosses_ranges);
}

uint64_t apmu_increment_event(struct apmu *p, const struct apmu_pe *pe, unsigned n, uint64_t by, bool *chain)
{
    const bool carry = add(p, n, by, apmu_overflow_width(p, pe, n));
    const uint64_t overflowed = carry ? apmu_overflow(p, n) : 0;

    *chain = carry && apmu_chains_into(p, pe, n);
    if (by != 0) {
        apmu_note_synchronous(p, n);
    }
    return overflowed;
}

/* PMCR_EL0.D divides by 64 only while PMCR_EL0.LC is 0, which an enabled PMU Profiling exception forces to 1. */
bool apmu_cycle_divides(const struct apmu *p, const struct apmu_pe *pe)
{
    unsigned target_el;

    return APMU_GET(PMCR_EL0, D, p->pmcr) != 0 && APMU_GET(PMCR_EL0, LC, p->pmcr) == 0 &&
           !apmu_exception_enabled(p, pe, &target_el);
}

uint64_t apmu_increment_cycle(struct apmu *p, const struct apmu_pe *pe)
{
    if (apmu_cycle_divides(p, pe)) {
        p->divider = (uint8_t)((p->divider + 1) & 63);
        if (p->divider != 0) {
            return 0;
        }
    }
    return add(p, APMU_CYCLE, 1, apmu_overflow_width(p, pe, APMU_CYCLE)) ? apmu_overflow(p, APMU_CYCLE) : 0;
}

uint64_t apmu_increment_instr(struct apmu *p, const struct apmu_pe *pe, uint64_t by)
{
    const bool carry = add(p, APMU_INSTR, by, apmu_overflow_width(p, pe, APMU_INSTR));
    const uint64_t overflowed = carry ? apmu_overflow(p, APMU_INSTR) : 0;

    apmu_note_synchronous(p, APMU_INSTR);
    return overflowed;
}
