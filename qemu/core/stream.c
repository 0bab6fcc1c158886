/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells a core what a vCPU executes: the parts that are not answered at once. */
#include "stream.h"

#include <sched.h>
#include <string.h>

#include "journal.h"
#include "trace.h"

#define SPINS 100 /* attempts to take the lock before another thread may run */

static void take_lock(struct stream_shared *shared)
{
    unsigned spins = 0;

    while (shared->locks && __atomic_exchange_n(&shared->lock, 1, __ATOMIC_ACQUIRE) != 0) {
        if (++spins % SPINS == 0) {
            sched_yield();
        }
    }
}

static void release_lock(struct stream_shared *shared)
{
    if (shared->locks) {
        __atomic_store_n(&shared->lock, 0, __ATOMIC_RELEASE);
    }
}

/* Records a call.  The lock is held. */
static void record(const struct stream *s, struct core_trace_record r)
{
    r.core = (uint16_t)s->number;
    fwrite(&r, sizeof r, 1, s->shared->trace);
}

/* Records an access, if calls are recorded.  The lock is held. */
static inline void record_access(const struct stream *s, enum core_trace_call call, uint64_t address, uint32_t size)
{
    if (s->shared->trace != NULL) {
        record(s, (struct core_trace_record){.address = address, .size = size, .call = (uint8_t)call});
    }
}

void stream_init(struct stream *s, struct apmu_core *core, unsigned number, struct stream_shared *shared)
{
    memset(s, 0, sizeof *s);
    s->core = core;
    s->shared = shared;
    s->number = number;
    s->line = STREAM_NO_LINE;
    s->line_next = s->load_next = UINT32_MAX;
    s->batch = &s->room;
    s->odd = core == NULL || shared->trace != NULL;
    s->branches = core != NULL && shared->branches;
    if (core != NULL) {
        s->parts = core->parts;
        s->fetches = (core->parts & (APMU_CORE_L1I | APMU_CORE_ITLB)) != 0;
        s->line_shift = core->l1i.shift;
        s->apart = !s->odd && !s->fetches && (s->parts & APMU_CORE_TIMING) == 0;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Calls of the core model.
 */

void stream_watch(struct stream *s, stream_watcher *watcher, const uint64_t *context)
{
    s->watcher = watcher;
    s->context = context;
    s->odd = true;
    s->plain = s->apart = false;
}

/* Gives the core the ticket of instruction @index of the block, if the stream is watched. */
static void give_ticket(struct stream *s, uint32_t index)
{
    if (s->watcher != NULL) {
        const uint64_t context = s->context != NULL ? *s->context : 0;
        const uint32_t *tickets = APMU_CORE_SEEN(uint32_t, s->block, s->block->tickets_place);

        s->core->blame.ticket = tickets[index] | context << 32;
    }
}

/* Calls the watcher, if there is one. */
static void show(struct stream *s, enum stream_told told)
{
    if (s->watcher != NULL) {
        s->watcher(s, told);
    }
}

void stream_load_slow(struct stream *s, uint32_t index, uint64_t address, uint32_t size, bool after)
{
    if (s->core == NULL) {
        return;
    }
    take_lock(s->shared);
    record_access(s, after ? CORE_TRACE_LOAD_AFTER : CORE_TRACE_LOAD, address, size);
    give_ticket(s, index);
    const bool fast = s->watcher != NULL && !after && apmu_core_load_fast(s->core, address, size);

    if (after) {
        apmu_core_load_after(s->core, address, size);
    } else if (!fast) {
        apmu_core_load_slow(s->core, address, size);
    }
    show(s, fast ? STREAM_TOLD_LOAD : STREAM_TOLD_OTHER);
    release_lock(s->shared);
    stream_make_room(s);
}

void stream_store_slow(struct stream *s, uint32_t index, uint64_t address, uint32_t size)
{
    if (s->core == NULL) {
        return;
    }
    take_lock(s->shared);
    record_access(s, CORE_TRACE_STORE, address, size);
    give_ticket(s, index);
    const bool fast = s->watcher != NULL && apmu_core_store_fast(s->core, address, size);

    if (!fast) {
        apmu_core_store_slow(s->core, address, size);
    }
    show(s, fast ? STREAM_TOLD_STORE : STREAM_TOLD_OTHER);
    release_lock(s->shared);
    stream_make_room(s);
}

void stream_fetch_slow(struct stream *s, uint32_t index, uint64_t address, uint32_t size)
{
    if (s->core == NULL) {
        return;
    }
    if (s->held != s->held_end) {
        journal_tell_held(s, index);
    }
    take_lock(s->shared);
    record_access(s, CORE_TRACE_FETCH, address, size);
    give_ticket(s, index);
    const bool fast = s->watcher != NULL && apmu_core_fetch_fast(s->core, address, size);

    if (!fast) {
        apmu_core_fetch_slow(s->core, address, size);
    }
    show(s, fast ? STREAM_TOLD_FETCH : STREAM_TOLD_OTHER);
    release_lock(s->shared);
    stream_make_room(s);
}

void stream_instructions_slow(struct stream *s, uint32_t index, uint32_t n)
{
    if (s->core == NULL) {
        return;
    }
    if (s->shared->trace != NULL) {
        take_lock(s->shared);
        record(s, (struct core_trace_record){.more = n, .call = CORE_TRACE_INSTRUCTIONS});
        release_lock(s->shared);
    }
    if (s->watcher == NULL) {
        apmu_core_instructions(s->core, n);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        give_ticket(s, index + i);
        apmu_core_instructions(s->core, 1);
        show(s, STREAM_TOLD_INSTRUCTION);
    }
}

void stream_branch_slow(struct stream *s, unsigned kind, uint64_t pc, uint64_t target, bool taken)
{
    if (s->core == NULL) {
        return;
    }
    if (s->shared->trace != NULL) {
        take_lock(s->shared);
        record(s, (struct core_trace_record){.address = pc, .more = target, .size = taken, .kind = (uint8_t)kind,
                                             .call = CORE_TRACE_BRANCH});
        release_lock(s->shared);
    }
    give_ticket(s, s->block->insns - 1u);
    apmu_core_branch(s->core, kind, pc, target, taken);
    show(s, STREAM_TOLD_BRANCH);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Blocks.
 */

void stream_reach_lines(struct stream *s, uint32_t count)
{
    const struct stream_block *b = s->block;

    while (s->line_next < count) {
        const struct stream_line *line = &b->lines[s->line_at++];

        if (s->done < line->index) {
            const uint32_t from = s->done, n = line->index - from;

            s->done = line->index;
            if (s->odd) {
                stream_instructions_slow(s, from, n);
            } else {
                apmu_core_instructions(s->core, n);
            }
        }
        stream_fetch(s, line->index, line->address, line->size);
        s->line_next = s->line_at < b->line_count ? b->lines[s->line_at].index : UINT32_MAX;
    }
}

void stream_begin(struct stream *s, const struct stream_block *b)
{
    s->block = b;
    s->pc = b->address;
    s->done = s->line_at = s->load_at = 0;
    s->line_next = s->fetches && b->line_count != 0 ? b->lines[0].index : UINT32_MAX;
    s->load_next = b->load_count != 0 ? stream_loads_of(b)[0].index : UINT32_MAX;
    stream_end_split(s);
}

/* Tells load @i of the block, which was answered at once, at its time: it depends on a load before it. */
static void tell_dependent(struct stream *s, uint32_t i)
{
    stream_reach_but_loads(s, stream_loads_of(s->block)[i].index + 1u);
    apmu_core_load_chained(s->core);
    stream_make_room(s);
}

/* Copies the sets of struct stream.loaded: one by one, as wider loads would wait for stores of single ones. */
static void copy_loaded(uint32_t to[3], const uint32_t from[3])
{
    to[0] = from[0];
    to[1] = from[1];
    to[2] = from[2];
}

/* Tells all loads of the block, if what they do is known from the last time. */
static bool repeat_loads(struct stream *s, const struct stream_memo *memo)
{
    if (((s->loaded[0] ^ memo->before[0]) | (s->loaded[1] ^ memo->before[1]) | (s->loaded[2] ^ memo->before[2])) != 0) {
        return false;
    }
    for (uint64_t left = memo->after; left != 0; left &= left - 1) {
        tell_dependent(s, (uint32_t)__builtin_ctzll(left));
    }
    copy_loaded(s->loaded, memo->behind);
    return true;
}

bool stream_repeat_block(struct stream *s, const struct stream_block *b)
{
    const struct stream_memo *memo = APMU_CORE_SEEN(struct stream_memo, b, b->memo_place);

    if (__atomic_load_n(&memo->known, __ATOMIC_ACQUIRE) != STREAM_MEMO_KNOWN || memo->after != 0) {
        return false;
    }
    return repeat_loads(s, memo);
}

/* Tells load @i of the block, which was answered at once.  Returns whether it depends on a load before it. */
static bool tell_load(struct stream *s, uint32_t i)
{
    const bool after = stream_depends(s, &stream_loads_of(s->block)[i]);

    if (after) {
        tell_dependent(s, i);
    }
    return after;
}

/* Goes on to load @i of the block. */
static void go_to_load(struct stream *s, uint32_t i)
{
    s->load_at = i;
    s->load_next = i < s->block->load_count ? stream_loads_of(s->block)[i].index : UINT32_MAX;
}

/*
 * Tells the loads of the block in progress before instruction @count.  @memo: if these are all of them, where to note
 * what follows from the registers that were loaded before; else NULL.
 */
static void learn_loads(struct stream *s, struct stream_memo *memo, uint32_t count)
{
    uint64_t after = 0;

    if (memo != NULL) {
        copy_loaded(memo->before, s->loaded);
    }
    while (s->load_next < count) {
        const uint32_t i = s->load_at;

        after |= (uint64_t)tell_load(s, i) << (i & 63);
        go_to_load(s, i + 1);
    }
    if (memo != NULL) {
        copy_loaded(memo->behind, s->loaded);
        memo->after = after;
        __atomic_store_n(&memo->known, STREAM_MEMO_KNOWN, __ATOMIC_RELEASE);
    }
}

/* Returns whether this thread may write @memo. */
static bool take_memo(const struct stream *s, struct stream_memo *memo)
{
    uint64_t unknown = STREAM_MEMO_UNKNOWN;

    return !s->shared->locks || __atomic_compare_exchange_n(&memo->known, &unknown, STREAM_MEMO_WRITTEN, false,
                                                            __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void stream_reach_loads(struct stream *s, uint32_t count)
{
    const struct stream_block *b = s->block;
    struct stream_memo *memo = APMU_CORE_AT(struct stream_memo, (void *)(uintptr_t)b, b->memo_place);
    const bool all = s->load_at == 0 && stream_loads_of(b)[b->load_count - 1].index < count;

    if (all && __atomic_load_n(&memo->known, __ATOMIC_ACQUIRE) == STREAM_MEMO_KNOWN && repeat_loads(s, memo)) {
        s->load_at = b->load_count;
        s->load_next = UINT32_MAX;
        return;
    }
    learn_loads(s, all && take_memo(s, memo) ? memo : NULL, count);
}

/* Tells the block in progress up to the instruction at @pc, which is in it and was not executed. */
static void leave_inside(struct stream *s, uint64_t pc)
{
    const uint32_t bytes = s->block->fixed;

    if (bytes != 0) {
        stream_reach(s, (uint32_t)(pc - s->pc) / bytes);
    }
}

/* Tells all of the block in progress but its branch. */
static void complete(struct stream *s)
{
    stream_reach(s, s->block->insns);
    if ((s->parts & APMU_CORE_TIMING) != 0) {
        stream_move(s, &s->block->moves);
    }
}

bool stream_may_lead_to(const struct stream *s, uint64_t pc)
{
    const struct stream_block *b = s->block;

    if (b == NULL || (b->kind != STREAM_NO_BRANCH && !b->direct)) {
        return b != NULL;
    }
    return (pc == s->pc + b->bytes && (b->kind == STREAM_NO_BRANCH || (b->kind & APMU_CORE_CONDITIONAL) != 0)) ||
           (b->direct && pc == stream_target(s));
}

void stream_leave_slow(struct stream *s, uint64_t next, bool partway)
{
    const struct stream_block *b = s->block;
    const bool inside = next - s->pc < b->bytes, leads = stream_may_lead_to(s, next);

    stream_end_split(s);
    if (inside && (partway || !leads)) { /* an exception, or the emulator began the rest of the block again */
        leave_inside(s, next);
    } else if (leads && b->kind != STREAM_NO_BRANCH) {
        stream_leave(s, next);
    } else {
        complete(s);
        s->line = leads ? s->line : STREAM_NO_LINE;
    }
    s->block = NULL;
}

void stream_interrupt(struct stream *s, uint64_t pc, bool partway)
{
    if (s->block != NULL) {
        stream_leave_slow(s, pc, partway);
    }
    s->line = STREAM_NO_LINE;
}

void stream_stop(struct stream *s, uint32_t index)
{
    if (s->block != NULL) {
        stream_reach(s, index);
    }
    s->block = NULL;
    stream_end_split(s);
}

struct stream_aside stream_put_aside(struct stream *s)
{
    struct stream_aside aside = {NULL, 0};

    if (s->block != NULL) {
        aside.block = s->block->kind == STREAM_NO_BRANCH ? NULL : s->block;
        aside.pc = s->pc;
        complete(s);
    }
    s->block = NULL;
    s->line = STREAM_NO_LINE;
    stream_end_split(s);
    return aside;
}

void stream_take_up(struct stream *s, const struct stream_aside *aside)
{
    stream_flush(s);
    s->line = STREAM_NO_LINE;
    s->block = aside->block;
    s->pc = aside->pc;
    if (s->block != NULL) {
        s->done = s->block->insns;
        s->line_next = s->load_next = UINT32_MAX;
    }
}

void stream_flush(struct stream *s)
{
    if (s->block != NULL) {
        complete(s);
    }
    s->block = NULL;
    stream_end_split(s);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Accesses.
 */

bool stream_reach_load(struct stream *s, uint32_t index)
{
    bool after = false;

    if ((s->parts & APMU_CORE_TIMING) != 0) {
        stream_reach(s, index);
        if (s->load_next == index) {
            after = stream_depends(s, &stream_loads_of(s->block)[s->load_at]);
            go_to_load(s, s->load_at + 1);
        }
    }
    return after;
}

void stream_load_late(struct stream *s, uint32_t index, uint64_t address, uint32_t size)
{
    const bool after = stream_reach_load(s, index);

    stream_reach_access(s, index);
    stream_load_slow(s, index, address, size, after);
}

/* Returns whether a part of an access by @a completes it.  Then *@address becomes where it began. */
static bool completes(struct stream *s, const struct stream_access *a, uint64_t *address, uint32_t size, bool store)
{
    if (s->split.access != a || s->split.store != store || s->split.next != *address) {
        s->split.first = *address;
        s->split.access = a;
        s->split.store = store;
    }
    s->split.next = *address + size;
    if (s->split.next - s->split.first < a->size) {
        return false;
    }
    s->split.access = NULL;
    *address = s->split.first;
    return true;
}

uint32_t stream_makes(struct stream *s, const struct stream_access *a, uint64_t *address, uint32_t *size, bool store)
{
    const bool both = a->does == (STREAM_LOADS | STREAM_STORES) && a->size != 0;

    if (a->parts && !completes(s, a, address, *size, store)) {
        return 0;
    }
    *size = a->size != 0 ? a->size : *size;
    if (both) {
        return store ? STREAM_LOADS | STREAM_STORES : 0; /* the first half of an atomic is its load */
    }
    return a->does & (store ? STREAM_STORES : STREAM_LOADS); /* the read of a store-exclusive is nothing */
}

void stream_access(struct stream *s, const struct stream_access *a, uint64_t address, uint32_t size, bool store)
{
    const uint32_t made = stream_makes(s, a, &address, &size, store);

    if ((made & STREAM_LOADS) != 0) {
        if ((s->parts & APMU_CORE_TIMING) != 0) {
            stream_load_depending(s, a, address, size);
        } else {
            stream_load(s, a->index, address, size);
        }
    }
    if ((made & STREAM_STORES) != 0) {
        stream_store(s, a->index, address, size);
    }
}
