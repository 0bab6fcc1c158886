/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of the blocks that threads entered, and the code by which the built emulator answers for a core.
 *
 * The entry of a block is appended to its thread's list.  What is on the list is told to the stream, in order, when the
 * list is full and before anything for which the order matters: a system call, a fault.  So the model works through
 * many blocks at a time, and translated code has little to do for each.
 *
 * The only thread of a process also appends accesses that no short cut answers, if its core allows that: it keeps a
 * journal (qemu/core/journal.h).  In other cases such an access tells what is on the list first.
 */
#define _GNU_SOURCE
#include "plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Where descriptions are, so that 32 bits tell one.  The memory is taken as it is used. */
#define ARENA ((size_t)512 << 20)
static char *arena;
static size_t arena_used;

/* The lists of each thread, and where the pointers to their ends are. */
#define VISIT_BYTES (JOURNAL_VISITS * sizeof(struct apmu_core_visit))
#define BLOCK_BYTES (JOURNAL_BLOCKS * sizeof(uint32_t))
static struct journal *lists;
static uint32_t *own_next[APMU_CHIP_THREADS + 1], **next_of[APMU_CHIP_THREADS + 1];
static struct apmu_core_visit *own_next_visit[APMU_CHIP_THREADS + 1], **next_visit_of[APMU_CHIP_THREADS + 1];
static struct armpmu_core_code code;
static bool answers; /* the emulator's code does */
#define STEP      1024u /* more than the accesses of a block */
#define CUT_SHIFT 6u    /* log2 of the bytes of a short cut */
_Static_assert(8 * APMU_CORE_CUT_ACCESS == 1 << CUT_SHIFT, "a short cut has as many bytes");

static unsigned row_of(unsigned vcpu)
{
    return vcpu < APMU_CHIP_THREADS ? vcpu : APMU_CHIP_THREADS;
}

void *list_room(size_t size)
{
    size = (size + 63) & ~(size_t)63;
    if (arena == NULL || size > ARENA - arena_used) {
        return NULL;
    }
    arena_used += size;
    return arena + arena_used - size;
}

void list_reach(unsigned vcpu)
{
    const unsigned row = row_of(vcpu);
    struct stream *s = chip_stream(vcpu);

    if (next_of[row] == NULL) { /* no core is modelled */
        return;
    }
    if (s->journal != NULL) {
        worker_catch_up(vcpu);
        s->split.access = NULL;
        return;
    }
    const uint32_t *end = *next_of[row];
    *next_of[row] = lists[row].block;
    if (s->core != NULL) {
        tell_entered(vcpu, s, lists[row].block, end, arena);
    }
}

void list_tell(unsigned vcpu)
{
    list_reach(vcpu);
    stream_tell_batch(chip_stream(vcpu), true);
}

void list_walk(unsigned vcpu, const struct journal *j)
{
    struct stream *s = chip_stream(vcpu);
    const struct apmu_core_visit *visit = &j->visit[1], *end = j->visit + j->visits;
    const uint32_t *block = j->block;

    if (s->apart) {
        apmu_core_visit(s->core, visit, (size_t)(end - visit));
        visit = end;
    } else if ((s->parts & APMU_CORE_TIMING) == 0) {
        journal_hold(s, j);
        tell_entered(vcpu, s, block, j->block + j->blocks, arena);
        block = j->block + j->blocks;
        journal_tell_held(s, 0);
        visit = s->held;
        s->held = s->held_end;
    }
    while (visit != end) {
        const uint32_t *to = block + (visit->place - (uint32_t)(uintptr_t)block) / sizeof *block;

        if (block != to) {
            tell_entered(vcpu, s, block, to, arena);
        }
        block = to;
        visit = journal_tell(s, visit);
    }
    tell_entered(vcpu, s, block, j->block + j->blocks, arena);
}

static void list_full(unsigned vcpu, void *userdata)
{
    (void)userdata;
    if (chip_stream(vcpu)->journal != NULL) {
        journal_end(chip_stream(vcpu));
    } else {
        list_reach(vcpu);
    }
}

/* Appends the block @userdata. */
static void list_enter(unsigned vcpu, void *userdata)
{
    uint32_t **next = next_of[row_of(vcpu)];

    *(*next)++ = (uint32_t)((size_t)((char *)userdata - arena) / STREAM_PLACE);
    if (((uintptr_t)*next & (BLOCK_BYTES - 1)) == 0) {
        list_full(vcpu, NULL);
    }
}

void list_watch(struct qemu_plugin_tb *tb, void *block)
{
    qemu_plugin_register_vcpu_tb_exec_cb(tb, list_enter, QEMU_PLUGIN_CB_NO_REGS, block);
}

void list_begin(unsigned vcpu, struct apmu_core *core)
{
    const unsigned row = row_of(vcpu);

    next_of[row] = answers ? armpmu_core_give(vcpu, core) : &own_next[row];
    *next_of[row] = lists[row].block;
    if (core != NULL) {
        apmu_core_stamp_by(core, answers ? STEP : 1);
    }
    next_visit_of[row] = answers ? (void *)armpmu_core_visits(vcpu) : &own_next_visit[row];
}

struct journal *list_own(unsigned vcpu)
{
    return &lists[row_of(vcpu)];
}

void list_keep_journal(unsigned vcpu)
{
    const unsigned row = row_of(vcpu);

    if (!plugin.threaded && worker_keep_journal(vcpu, next_of[row], next_visit_of[row]) && code.sets != 0) {
        code.visits = VISIT_BYTES;
    }
}

bool list_keep_none(void)
{
    const bool kept = code.visits != 0;

    code.visits = 0;
    for (unsigned i = 0; i < APMU_CHIP_THREADS; i++) {
        struct stream *s = chip_stream(i);

        if (s->journal != NULL) {
            list_tell(i);
            journal_stop(s);
            *next_of[i] = lists[i].block;
        }
    }
    return kept;
}

/* Returns the place of @member, in @core. */
static int32_t place_in(const struct apmu_core *core, const void *member)
{
    return (int32_t)((const char *)member - (const char *)core);
}

void *list_map(size_t size)
{
    const size_t more = _Alignof(struct journal);
    char *map = mmap(NULL, size + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (map == MAP_FAILED) {
        return NULL;
    }
    char *aligned = map + (more - (uintptr_t)map % more) % more;

    if (aligned != map) {
        munmap(map, (size_t)(aligned - map));
    }
    munmap(aligned + size, (size_t)(map + more - aligned));
    return aligned;
}

/* Returns lists for all threads. */
static struct journal *make_lists(void)
{
    struct journal *made = list_map((APMU_CHIP_THREADS + 1) * sizeof *made);

    if (made == NULL) {
        fprintf(stderr, "armpmu: there is no memory for the lists of threads: the program cannot go on\n");
        abort();
    }
    return made;
}

void list_open(const struct apmu_core *core, const struct armpmu_core_code *callbacks)
{
    const struct apmu_core_lines *l = &core->l1d;
    const bool recorded = chip_stream(0)->shared->trace != NULL;
    void *map = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    arena = map == MAP_FAILED ? NULL : map; /* without it no block is told, and the tool learns that */
    lists = make_lists();
    if (armpmu_core_answer == NULL || blame_wanted()) { /* each access calls, so that it can be counted */
        return;
    }
    code = *callbacks;
    code.enter = list_enter;
    code.full = list_full;
    code.list = BLOCK_BYTES;
    code.blocks = arena;
    /* With one set, or a hash, an access that goes on in the next line is not seen by its set. */
    if (l->filtered && l->mask != 0 && l->fold == 63 && !recorded) {
        code.line_shift = l->shift;
        code.sets = (uint32_t)l->mask + 1;
        code.recent = place_in(core, apmu_core_cut(l, 0) + APMU_CORE_CUT_RECENT);
        code.stored = place_in(core, apmu_core_cut(l, 0) + APMU_CORE_CUT_STORED);
        code.stamp = place_in(core, apmu_core_cut(l, 0) + APMU_CORE_CUT_STAMP);
        code.swapped = place_in(core, apmu_core_cut(l, 0) + APMU_CORE_CUT_SWAPPED);
        code.cut_shift = CUT_SHIFT;
        code.clock = core->dtlb.there ? place_in(core, &core->dtlb.clock) : 0;
        code.step = STEP;
        code.second = l->seconds ? 8 * APMU_CORE_CUT_SECOND : 0;
        code.swap = APMU_CORE_VISIT_SWAPPED << 16;
        code.loads = place_in(core, &core->tally.loads);
        code.stores = place_in(core, &core->tally.stores);
        code.page_shift = core->dtlb.shift;
        code.slot_count = APMU_CORE_SLOTS;
        code.slots = place_in(core, &core->dtlb) + (int32_t)core->dtlb.slots;
        code.entry_stamps = place_in(core, &core->dtlb) + (int32_t)core->dtlb.stamps;
        code.noted = place_in(core, &core->dtlb) + (int32_t)core->dtlb.noted;
        code.note_shift = l->shift + apmu_core_noted_shift(&core->dtlb, l);
        code.note_mask = (UINT32_C(1) << (core->dtlb.shift - code.note_shift)) - 1;
    }
    answers = armpmu_core_answer(&code);
}
