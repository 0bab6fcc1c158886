/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time, in slots of dispatch.
 *
 * Each retired operation takes a slot.  All other slots are lost, for a reason.  So the time at which an operation is
 * dispatched follows from its number and from what was lost before; no call is needed for operations that lose nothing.
 *
 * Time passes with each call, or late: then accesses are noted with the number of their operation, and branches have
 * theirs from the caller.  Both ways end in pass() and apmu_core_time_branch().
 */
#include "internal.h"

/* What takes time. */
enum timed_kind { TIMED_LOAD, TIMED_LOAD_AFTER, TIMED_STORE, TIMED_FETCH };

/* Returns the time at which operation number @operations is dispatched. */
static uint64_t time_of(const struct apmu_core *core, uint64_t operations)
{
    return operations + core->time.lost + (operations * apmu_core_value(core, APMU_CORE_KEY_TIMING_BUSY) >> 10);
}

static uint64_t now(const struct apmu_core *core)
{
    return time_of(core, core->time.operations);
}

static uint64_t slots_in(const struct apmu_core *core, uint64_t cycles)
{
    return cycles * apmu_core_value(core, APMU_CORE_KEY_TIMING_WIDTH);
}

/* Notes that @slots were lost, for which the call with @ticket is the reason. */
static void note_loss(struct apmu_core *core, enum apmu_core_loss loss, uint64_t slots, uint64_t ticket)
{
    struct apmu_core_blame *b = &core->blame;

    if (b->begun && b->count < APMU_CORE_BLAME_MOST) {
        b->lost[b->count++] = (struct apmu_core_lost){ticket, slots, (uint32_t)loss};
    }
}

/* Loses @slots, for which the call with @ticket is the reason. */
static void lose_for(struct apmu_core *core, enum apmu_core_loss loss, uint64_t slots, uint64_t ticket)
{
    core->tally.lost[loss] += slots;
    core->time.lost += slots;
    note_loss(core, loss, slots, ticket);
}

/* Loses @slots, for which the present call is the reason. */
static void lose(struct apmu_core *core, enum apmu_core_loss loss, uint64_t slots)
{
    lose_for(core, loss, slots, core->blame.ticket);
}

/* Returns the reason for a stall on @answer. */
static enum apmu_core_loss reason_of(const struct apmu_core_answer *answer, bool data)
{
    static const uint8_t reasons[2][APMU_CORE_LEVELS + 1] = {
        {APMU_CORE_LOSS_L1I, APMU_CORE_LOSS_L1I, APMU_CORE_LOSS_L1I, APMU_CORE_LOSS_L2I, APMU_CORE_LOSS_MEMI},
        {APMU_CORE_LOSS_L1D, APMU_CORE_LOSS_L1D, APMU_CORE_LOSS_L1D, APMU_CORE_LOSS_L2D, APMU_CORE_LOSS_MEM},
    };

    if (answer->translation > answer->cache) {
        return data ? APMU_CORE_LOSS_DTLB : APMU_CORE_LOSS_ITLB;
    }
    return (enum apmu_core_loss)reasons[data][answer->level];
}

/* Returns the cycles of a load or a store: those of its translation and of the level that had the line. */
static uint64_t cycles_of(const struct apmu_core *core, const struct apmu_core_answer *answer)
{
    return answer->translation +
           (answer->cache != 0 ? answer->cache : apmu_core_value(core, APMU_CORE_KEY_L1D_LATENCY));
}

/* Returns the later one of two times, without a branch: which one it is cannot be predicted. */
static inline uint64_t later(uint64_t a, uint64_t b)
{
    return b ^ ((a ^ b) & (0 - (uint64_t)(a > b)));
}

/* Returns number @i of @ring. */
static inline struct apmu_core_pending *ring_at(struct apmu_core_ring *ring, uint32_t i)
{
    return &ring->at[(ring->first + i) % APMU_CORE_PENDING];
}

/* Takes the first one out of @ring. */
static inline void ring_pop(struct apmu_core_ring *ring)
{
    ring->first = (ring->first + 1) % APMU_CORE_PENDING;
    ring->count--;
}

/* Puts @access into @ring, which has room, behind those that do not end later. */
static inline void ring_put(struct apmu_core_ring *ring, const struct apmu_core_pending *access)
{
    uint32_t i = ring->count++;

    for (; i != 0 && ring_at(ring, i - 1)->end > access->end; i--) {
        *ring_at(ring, i) = *ring_at(ring, i - 1);
    }
    *ring_at(ring, i) = *access;
}

/*
 * Makes room in @ring, which has as many accesses as can be pending, at the time @at: if the first one has not ended,
 * waits for it.  Returns the time then.
 */
static inline uint64_t make_room(struct apmu_core *core, struct apmu_core_ring *ring, uint64_t at)
{
    const struct apmu_core_pending *first = ring_at(ring, 0);
    const uint64_t slots = later(first->end, at) - at;

    core->tally.lost[first->loss] += slots;
    core->time.lost += slots;
    if (core->blame.begun && slots != 0) {
        note_loss(core, (enum apmu_core_loss)first->loss, slots, first->ticket);
    }
    ring_pop(ring);
    return at + slots;
}

/* Waits for the loads whose limit has been reached. */
static void wait_for_limits(struct apmu_core *core)
{
    struct apmu_core_time *t = &core->time;

    while (t->limits.count != 0 && ring_at(&t->limits, 0)->limit <= t->operations) {
        const struct apmu_core_pending *head = ring_at(&t->limits, 0);
        const uint64_t at = time_of(core, head->limit);

        if (head->end > at) {
            lose_for(core, (enum apmu_core_loss)head->loss, head->end - at, head->ticket);
        }
        ring_pop(&t->limits);
    }
}

/* Forgets the limits of loads that have ended. */
static APMU_CORE_APART void forget_limits(struct apmu_core *core)
{
    struct apmu_core_ring *limits = &core->time.limits;
    const uint64_t at = now(core);
    uint32_t kept = 0;

    for (uint32_t i = 0; i < limits->count; i++) {
        if (ring_at(limits, i)->end > at) {
            *ring_at(limits, kept++) = *ring_at(limits, i);
        }
    }
    limits->count = kept;
}

/* Lets time pass up to operation number @operations. */
static void go_on_to(struct apmu_core *core, uint64_t operations)
{
    core->time.operations = operations;
    wait_for_limits(core);
}

/* Notes when time must be looked at next. */
static void set_limit(struct apmu_core *core)
{
    struct apmu_core_ring *limits = &core->time.limits;

    core->limit = limits->count != 0 ? ring_at(limits, 0)->limit : UINT64_MAX;
}

void apmu_core_wait(struct apmu_core *core)
{
    go_on_to(core, core->operations);
    set_limit(core);
}

/* Notes when dispatch waits for @load, unless it will have ended.  The time until then can only become longer. */
static inline void limit_load(struct apmu_core *core, const struct apmu_core_pending *load)
{
    struct apmu_core_ring *limits = &core->time.limits;

    if (load->end <= time_of(core, load->limit)) {
        return;
    }
    if (limits->count == APMU_CORE_PENDING) {
        forget_limits(core);
    }
    *ring_at(limits, limits->count++) = *load;
    wait_for_limits(core);
}

static void pass_load(struct apmu_core *core, const struct apmu_core_answer *answer, bool after)
{
    struct apmu_core_time *t = &core->time;
    const uint64_t cycles = cycles_of(core, answer), hit = apmu_core_value(core, APMU_CORE_KEY_L1D_LATENCY);
    const uint64_t slots = slots_in(core, cycles);
    uint64_t at = now(core);

    core->tally.load_cycles += cycles - (cycles < hit ? cycles : hit);
    if (cycles <= hit && (!after || t->chain <= at)) {
        t->chain = after ? at + slots : t->chain;
        return;
    }
    if (t->loads.count == apmu_core_value(core, APMU_CORE_KEY_TIMING_MISSES)) {
        at = make_room(core, &t->loads, at);
    }
    const uint64_t end = later(t->chain & (0 - (uint64_t)after), at) + slots;
    const struct apmu_core_pending load = {t->operations + apmu_core_value(core, APMU_CORE_KEY_TIMING_WINDOW), end,
                                           reason_of(answer, true), core->blame.ticket};

    t->chain = after ? end : t->chain;
    ring_put(&t->loads, &load);
    limit_load(core, &load);
}

static void pass_store(struct apmu_core *core, const struct apmu_core_answer *answer)
{
    struct apmu_core_ring *stores = &core->time.stores;
    uint64_t at = now(core);

    if (stores->count == apmu_core_value(core, APMU_CORE_KEY_TIMING_STORES)) {
        at = make_room(core, stores, at);
    }
    const struct apmu_core_pending store = {.end = at + slots_in(core, cycles_of(core, answer)),
                                            .loss = APMU_CORE_LOSS_STORE, .ticket = core->blame.ticket};

    ring_put(stores, &store);
}

/* Returns the cycles of a fetch that the front end does not hide. */
static uint64_t fetch_cycles_of(const struct apmu_core *core, const struct apmu_core_answer *answer)
{
    const uint64_t cycles = (uint64_t)answer->translation + answer->cache;
    const uint64_t hidden = apmu_core_value(core, APMU_CORE_KEY_TIMING_HIDE);

    return cycles > hidden ? cycles - hidden : 0;
}

/* Lets the time of an access of @kind pass that takes some. */
static void pass(struct apmu_core *core, enum timed_kind kind, const struct apmu_core_answer *answer)
{
    switch (kind) {
    case TIMED_STORE:
        pass_store(core, answer);
        break;
    case TIMED_FETCH:
        lose(core, reason_of(answer, false), slots_in(core, fetch_cycles_of(core, answer)));
        break;
    default:
        pass_load(core, answer, kind == TIMED_LOAD_AFTER);
        break;
    }
}

/* Lets the time of an access of @kind that takes some pass with this call, or notes the access. */
static void pass_or_note(struct apmu_core *core, enum timed_kind kind, const struct apmu_core_answer *answer)
{
    struct apmu_core_notes *n = &core->notes;

    if (n->begun == 0) {
        go_on_to(core, core->operations);
        pass(core, kind, answer);
        set_limit(core);
    } else if (n->count < APMU_CORE_NOTES) {
        n->note[n->count++] = (struct apmu_core_timed){(uint32_t)core->operations, answer->translation, answer->cache,
                                                       (uint8_t)answer->level, (uint8_t)kind};
    }
}

void apmu_core_time_load(struct apmu_core *core, const struct apmu_core_answer *answer, bool after)
{
    if (after || cycles_of(core, answer) > apmu_core_value(core, APMU_CORE_KEY_L1D_LATENCY)) {
        pass_or_note(core, after ? TIMED_LOAD_AFTER : TIMED_LOAD, answer);
    }
}

void apmu_core_time_store(struct apmu_core *core, const struct apmu_core_answer *answer)
{
    if (cycles_of(core, answer) > apmu_core_value(core, APMU_CORE_KEY_L1D_LATENCY)) {
        pass_or_note(core, TIMED_STORE, answer);
    }
}

void apmu_core_time_fetch(struct apmu_core *core, const struct apmu_core_answer *answer)
{
    if (fetch_cycles_of(core, answer) != 0) {
        pass_or_note(core, TIMED_FETCH, answer);
    }
}

void apmu_core_time_branch(struct apmu_core *core, unsigned cost)
{
    const uint64_t refill = apmu_core_value(core, APMU_CORE_KEY_TIMING_REFILL);

    if (cost == APMU_CORE_COST_MISPREDICTED) {
        lose(core, APMU_CORE_LOSS_WRONG_PATH,
             slots_in(core, apmu_core_value(core, APMU_CORE_KEY_TIMING_MISPREDICT) - refill));
        lose(core, APMU_CORE_LOSS_FLUSH, slots_in(core, refill));
    } else if (cost == APMU_CORE_COST_BUBBLE) {
        lose(core, APMU_CORE_LOSS_FLOW, slots_in(core, apmu_core_value(core, APMU_CORE_KEY_TIMING_BUBBLE)));
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Time that passes late.
 */

void apmu_core_time_late(struct apmu_core *core)
{
    core->notes.begun = 1;
    core->limit = UINT64_MAX;
}

void apmu_core_end_batch(struct apmu_core *core, struct apmu_core_batch *batch)
{
    struct apmu_core_notes *n = &core->notes;

    batch->operations = core->operations;
    batch->accesses = n->count;
    memcpy(batch->access, n->note, n->count * sizeof n->note[0]);
    n->count = 0;
}

/* Lets time pass up to the operation whose number ends with @operations. */
static void go_on_to_next(struct apmu_core *core, uint32_t operations)
{
    go_on_to(core, core->time.operations + (uint32_t)(operations - (uint32_t)core->time.operations));
}

/* Lets the time of accesses from @a to @end pass. */
static void pass_noted(struct apmu_core *core, const struct apmu_core_timed *a, const struct apmu_core_timed *end)
{
    for (; a != end; a++) {
        const struct apmu_core_answer answer = {a->translation, a->cache, (enum apmu_core_level)a->level};

        go_on_to_next(core, a->operations);
        pass(core, (enum timed_kind)a->kind, &answer);
    }
}

/* Lets the time of @batch pass. */
static void pass_batch(struct apmu_core *core, const struct apmu_core_batch *batch)
{
    const struct apmu_core_timed *first = batch->access, *next = first;

    for (uint32_t i = 0; i < batch->branches; i++) {
        const struct apmu_core_outcome *b = &batch->branch[i];

        if (b->cost != APMU_CORE_COST_NONE) {
            pass_noted(core, next, first + b->accesses);
            next = first + b->accesses;
            go_on_to_next(core, b->operations);
            apmu_core_time_branch(core, b->cost);
        }
    }
    pass_noted(core, next, first + batch->accesses);
    go_on_to(core, batch->operations);
}

void apmu_core_replay(struct apmu_core *core, struct apmu_core_batch *batch)
{
    apmu_core_predict(core, batch->branch, batch->branches);
    if ((core->parts & APMU_CORE_TIMING) != 0) {
        pass_batch(core, batch);
    }
}

void apmu_core_settle(struct apmu_core *core)
{
    const uint64_t width = apmu_core_value(core, APMU_CORE_KEY_TIMING_WIDTH);
    const uint64_t over = time_of(core, core->operations) - apmu_core_cycles(core) * width;

    if ((core->parts & APMU_CORE_TIMING) != 0 && over != 0) {
        lose(core, APMU_CORE_LOSS_END, width - over);
    }
}
