/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time, in slots of dispatch.
 *
 * Each retired operation takes a slot.  All other slots are lost, for a reason.  So the time at which an operation is
 * dispatched follows from its number and from what was lost before; no call is needed for operations that lose nothing.
 */
#include "internal.h"

/* Returns the time at which operation number @operations is dispatched. */
static uint64_t time_of(const struct apmu_core *core, uint64_t operations)
{
    return operations + core->time.lost + (operations * apmu_core_value(core, APMU_CORE_KEY_TIMING_BUSY) >> 10);
}

static uint64_t now(const struct apmu_core *core)
{
    return time_of(core, core->operations);
}

static uint64_t slots_in(const struct apmu_core *core, uint64_t cycles)
{
    return cycles * apmu_core_value(core, APMU_CORE_KEY_TIMING_WIDTH);
}

/* Loses @slots, for which the call with @ticket is the reason. */
static void lose_to(struct apmu_core *core, enum apmu_core_loss loss, uint64_t slots, uint64_t ticket)
{
    struct apmu_core_blame *b = &core->blame;

    core->tally.lost[loss] += slots;
    core->time.lost += slots;
    if (b->begun && b->count < APMU_CORE_BLAME_MOST) {
        b->lost[b->count++] = (struct apmu_core_lost){ticket, slots, (uint32_t)loss};
    }
}

void apmu_core_lose(struct apmu_core *core, enum apmu_core_loss loss, uint64_t slots)
{
    lose_to(core, loss, slots, core->blame.ticket);
}

/* Waits from the time @at until @access ends. */
static void wait_for(struct apmu_core *core, const struct apmu_core_pending *access, uint64_t at)
{
    lose_to(core, (enum apmu_core_loss)access->loss, access->end - at, access->ticket);
}

/* Returns the reason for a stall on @answer. */
static enum apmu_core_loss reason_of(const struct apmu_core_answer *answer, bool data)
{
    if (answer->translation > answer->cache) {
        return data ? APMU_CORE_LOSS_DTLB : APMU_CORE_LOSS_ITLB;
    }
    switch (answer->level) {
    case APMU_CORE_LEVEL_LAST:
        return data ? APMU_CORE_LOSS_L2D : APMU_CORE_LOSS_L2I;
    case APMU_CORE_LEVEL_MEMORY:
        return data ? APMU_CORE_LOSS_MEM : APMU_CORE_LOSS_MEMI;
    default:
        return data ? APMU_CORE_LOSS_L1D : APMU_CORE_LOSS_L1I;
    }
}

/* Returns the cycles of a load or a store: those of its translation and of the level that had the line. */
static uint64_t cycles_of(const struct apmu_core *core, const struct apmu_core_answer *answer)
{
    return answer->translation +
           (answer->cache != 0 ? answer->cache : apmu_core_value(core, APMU_CORE_KEY_L1D_LATENCY));
}

void apmu_core_wait(struct apmu_core *core)
{
    struct apmu_core_time *t = &core->time;
    uint32_t gone = 0;

    while (gone < t->loads && t->load[gone].limit <= core->operations) {
        const struct apmu_core_pending *head = &t->load[gone++];
        const uint64_t at = time_of(core, head->limit);

        if (head->end > at) {
            wait_for(core, head, at);
        }
    }
    t->loads -= gone;
    memmove(t->load, t->load + gone, t->loads * sizeof t->load[0]);
    core->limit = t->loads != 0 ? t->load[0].limit : UINT64_MAX;
}

/* Forgets loads that have ended.  If as many as can be are pending, waits for the one that ends first. */
static void make_room_for_load(struct apmu_core *core)
{
    struct apmu_core_time *t = &core->time;
    const uint32_t most = apmu_core_value(core, APMU_CORE_KEY_TIMING_MISSES);

    for (unsigned round = 0; round < 2; round++) {
        const uint64_t at = now(core);
        uint32_t kept = 0, first = 0;

        for (uint32_t i = 0; i < t->loads; i++) {
            if (t->load[i].end > at) {
                t->load[kept++] = t->load[i];
            }
        }
        t->loads = kept;
        if (kept < most) {
            return;
        }
        for (uint32_t i = 1; i < kept; i++) {
            first = t->load[i].end < t->load[first].end ? i : first;
        }
        wait_for(core, &t->load[first], at);
    }
}

/* Returns the time at which a load would begin: at once, or when the load before it in the chain has ended. */
static uint64_t begin_of(const struct apmu_core *core, bool after)
{
    const uint64_t at = now(core);

    return after && core->time.chain > at ? core->time.chain : at;
}

void apmu_core_time_load(struct apmu_core *core, const struct apmu_core_answer *answer, bool after)
{
    struct apmu_core_time *t = &core->time;
    const uint64_t cycles = cycles_of(core, answer), hit = apmu_core_value(core, APMU_CORE_KEY_L1D_LATENCY);

    core->tally.load_cycles += cycles - (cycles < hit ? cycles : hit);
    const bool pending = cycles > hit || (after && t->chain > now(core));

    if (pending) {
        make_room_for_load(core);
    }
    const uint64_t end = begin_of(core, after) + slots_in(core, cycles);

    t->chain = after ? end : t->chain;
    if (pending) {
        t->load[t->loads++] = (struct apmu_core_pending){
            core->operations + apmu_core_value(core, APMU_CORE_KEY_TIMING_WINDOW), end, reason_of(answer, true),
            core->blame.ticket};
        apmu_core_wait(core);
    }
}

void apmu_core_time_store(struct apmu_core *core, const struct apmu_core_answer *answer)
{
    struct apmu_core_time *t = &core->time;
    const uint64_t cycles = cycles_of(core, answer);

    if (cycles <= apmu_core_value(core, APMU_CORE_KEY_L1D_LATENCY)) {
        return;
    }
    for (unsigned round = 0; round < 2; round++) {
        const uint64_t at = now(core);
        uint32_t kept = 0, first = 0;

        for (uint32_t i = 0; i < t->stores; i++) {
            if (t->store[i].end > at) {
                t->store[kept++] = t->store[i];
                first = t->store[kept - 1].end < t->store[first].end ? kept - 1 : first;
            }
        }
        t->stores = kept;
        if (kept < apmu_core_value(core, APMU_CORE_KEY_TIMING_STORES)) {
            break;
        }
        wait_for(core, &t->store[first], at);
    }
    t->store[t->stores++] = (struct apmu_core_pending){
        .end = now(core) + slots_in(core, cycles), .loss = APMU_CORE_LOSS_STORE, .ticket = core->blame.ticket};
}

void apmu_core_time_fetch(struct apmu_core *core, const struct apmu_core_answer *answer)
{
    const uint64_t cycles = (uint64_t)answer->translation + answer->cache;
    const uint64_t hidden = apmu_core_value(core, APMU_CORE_KEY_TIMING_HIDE);

    if (cycles > hidden) {
        apmu_core_lose(core, reason_of(answer, false), slots_in(core, cycles - hidden));
    }
}

void apmu_core_settle(struct apmu_core *core)
{
    const uint64_t width = apmu_core_value(core, APMU_CORE_KEY_TIMING_WIDTH);
    const uint64_t over = now(core) - apmu_core_cycles(core) * width;

    if ((core->parts & APMU_CORE_TIMING) != 0 && over != 0) {
        apmu_core_lose(core, APMU_CORE_LOSS_END, width - over);
    }
}
