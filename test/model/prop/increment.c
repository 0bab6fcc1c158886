/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks one increment of one counter, from any state: the value, the flag, the CHAIN event and SyncCounterOverflowed
 * equal a second formulation, and no other of these members changes.
 */
#include "../../../lib/model/internal.h"
#include "../../lib/prose.h"
#include "any.h"

static bool differs(const struct apmu *got, const struct apmu *want, unsigned n, uint64_t by, uint64_t overflowed,
                    uint64_t wanted)
{
    if (overflowed == wanted && got->cntr[n] == want->cntr[n] && got->ovs == want->ovs &&
        got->divider == want->divider && got->sync_overflowed == want->sync_overflowed) {
        return false;
    }
    snprintf(any_message, sizeof any_message,
             "counter %u by %llu: %llx, flags %llx, SyncCounterOverflowed %d; wanted %llx, %llx, %d", n,
             (unsigned long long)by, (unsigned long long)got->cntr[n], (unsigned long long)got->ovs,
             got->sync_overflowed, (unsigned long long)want->cntr[n], (unsigned long long)want->ovs,
             want->sync_overflowed);
    return true;
}

/* Adds @by to counter @n in two halves of 32 bits.  Returns whether it carries out of its overflow width. */
static bool add_in_halves(struct apmu *p, unsigned n, uint64_t by, struct prose_width width)
{
    const uint64_t low = (p->cntr[n] & UINT32_MAX) + (by & UINT32_MAX);
    const uint64_t high = (p->cntr[n] >> 32) + (by >> 32) + (low >> 32);

    p->cntr[n] = (low & UINT32_MAX) | (width.counter == 64 ? high << 32 : 0);
    return width.overflow == 64 ? high >> 32 != 0 : low >> 32 != 0 || by >> 32 != 0;
}

/* Gives *@want the flag and SyncCounterOverflowed that an increment leaves.  @added: it adds more than 0. */
static void expect_flag(struct apmu *want, unsigned n, bool carry, bool added)
{
    const bool synchronous_event = n == APMU_INSTR || apmu_event_is_synchronous(want, n);

    want->ovs |= carry ? UINT64_C(1) << n : 0;
    want->sync_overflowed |= added && n != APMU_CYCLE && (want->cfg.features & APMU_FEAT(SEBEP)) != 0 &&
                             (want->ovs & want->inten) >> n & 1 && synchronous_event;
}

static bool event_differs(struct choices *c)
{
    struct apmu p, want;
    struct apmu_pe pe;
    bool chain;

    any_unit(c, &p);
    any_engine_pe(c, &p.cfg, &pe);
    if (p.cfg.counters == 0) {
        return false;
    }
    const unsigned n = pick_of(c, p.cfg.counters);
    const uint64_t by = pick_bool(c) ? pick(c, 6) : pick_count(c);
    const struct prose_width width = prose_width(&p, &pe, n);

    p.cntr[n] &= width.counter == 64 ? UINT64_MAX : UINT32_MAX;
    want = p;
    const bool carry = add_in_halves(&want, n, by, width);
    expect_flag(&want, n, carry, by != 0);
    const uint64_t event = n + 1u < p.cfg.counters ? apmu_typer_event(&p, n + 1) : 0;
    const bool neighbours = apmu_range(&p, &pe, n) == apmu_range(&p, &pe, n + 1) || p.cfg.chain_crosses_ranges;
    const bool chains = n % 2 == 0 && carry && event == APMU_EV_CHAIN && width.overflow == 32 && neighbours &&
                        (p.cfg.features & APMU_FEAT(PMUv3)) != 0;
    const uint64_t overflowed = apmu_increment_event(&p, &pe, n, by, &chain);

    if (chain != chains) {
        snprintf(any_message, sizeof any_message, "counter %u of %u: CHAIN %d", n, p.cfg.counters, chain);
        return true;
    }
    return differs(&p, &want, n, by, overflowed, carry ? UINT64_C(1) << n : 0);
}

/* Checks PMCR_EL0.D: every 64th cycle counts if PMCR_EL0.LC is 0 and no PMU Profiling exception forces it to 1. */
static bool cycle_differs(struct choices *c)
{
    struct apmu p, want;
    struct apmu_pe pe;
    unsigned target_el;

    any_unit(c, &p);
    any_engine_pe(c, &p.cfg, &pe);
    const struct prose_width width = prose_width(&p, &pe, APMU_CYCLE);
    const bool exception = (p.cfg.features & APMU_FEAT(EBEP)) != 0 && prose_pmee(&p, &pe, &target_el) == 3;
    const bool divided = (p.pmcr & 0x48) == 8 && !exception;
    bool carry = false;

    p.divider &= 63;
    p.cntr[APMU_CYCLE] &= width.counter == 64 ? UINT64_MAX : UINT32_MAX;
    want = p;
    want.divider = (uint8_t)(divided ? (p.divider + 1) % 64 : p.divider);
    if (!divided || want.divider == 0) {
        carry = add_in_halves(&want, APMU_CYCLE, 1, width);
    }
    expect_flag(&want, APMU_CYCLE, carry, false);
    const uint64_t overflowed = apmu_increment_cycle(&p, &pe);
    return differs(&p, &want, APMU_CYCLE, 1, overflowed, carry ? UINT64_C(1) << APMU_CYCLE : 0);
}

static bool instruction_differs(struct choices *c)
{
    struct apmu p, want;
    struct apmu_pe pe;

    any_unit(c, &p);
    any_engine_pe(c, &p.cfg, &pe);
    const uint64_t by = pick_count(c);
    want = p;
    const bool carry = add_in_halves(&want, APMU_INSTR, by, (struct prose_width){64, 64});
    expect_flag(&want, APMU_INSTR, carry, true);
    const uint64_t overflowed = apmu_increment_instr(&p, &pe, by);
    return differs(&p, &want, APMU_INSTR, by, overflowed, carry ? UINT64_C(1) << APMU_INSTR : 0);
}

PROPERTIES(
    {"an increment of an event counter equals a second formulation", event_differs, .rounds = 100000},
    {"an increment of the cycle counter equals a second formulation", cycle_differs, .rounds = 100000},
    {"an increment of the instruction counter equals a second formulation", instruction_differs, .rounds = 50000})
