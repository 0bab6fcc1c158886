/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of the blocks that threads entered, and the code by which the built emulator answers for a core.
 *
 * The entry of a block is appended to its thread's list.  What is on the list is told to the stream, in order, when the
 * list is full and before anything for which the order matters: an access that other levels of cache see, a system
 * call, a fault.  So the model works through many blocks at a time, and translated code has little to do for each.
 *
 * Where caches may be looked up late (apmu_core_visit_late()) translated code also appends accesses that it does not
 * answer, to a list of visits.
 */
#define _GNU_SOURCE
#include "plugin.h"

#include <string.h>
#include <sys/mman.h>

#define ENTRIES 1024u

/* Where descriptions are, so that 32 bits tell one.  The memory is taken as it is used. */
#define ARENA ((size_t)512 << 20)
static char *arena;
static size_t arena_used;

static _Alignas(ENTRIES * 4) uint32_t entries[APMU_CHIP_THREADS + 1][ENTRIES];
static uint32_t *own_next[APMU_CHIP_THREADS + 1];
static uint32_t **next_of[APMU_CHIP_THREADS + 1]; /* where the pointer to the end of the list is */

/* Lists of visits, for threads without a worker. */
#define VISIT_BYTES (STREAM_VISITS * sizeof(uint64_t))
static _Alignas(VISIT_BYTES) uint64_t visits[APMU_CHIP_THREADS + 1][STREAM_VISITS];
static uint64_t **next_visit_of[APMU_CHIP_THREADS + 1];
static struct armpmu_core_code code;
static bool answers; /* the emulator's code does */

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
    const uint32_t *end = *next_of[row];
    *next_of[row] = entries[row];
    if (s->core != NULL) {
        tell_entered(vcpu, s, entries[row], end, arena);
    }
}

void list_tell(unsigned vcpu)
{
    list_reach(vcpu);
    stream_tell_batch(chip_stream(vcpu), true);
}

static void list_full(unsigned vcpu, void *userdata)
{
    (void)userdata;
    list_reach(vcpu);
}

/* Appends the block @userdata. */
static void list_enter(unsigned vcpu, void *userdata)
{
    uint32_t **next = next_of[row_of(vcpu)];

    *(*next)++ = (uint32_t)((size_t)((char *)userdata - arena) / STREAM_PLACE);
    if (((uintptr_t)*next & (sizeof entries[0] - 1)) == 0) {
        list_reach(vcpu);
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
    *next_of[row] = entries[row];
    if (answers && armpmu_core_visits != NULL) {
        next_visit_of[row] = armpmu_core_visits(vcpu);
        *next_visit_of[row] = &visits[row][1];
    }
}

void list_visit(unsigned vcpu)
{
    const bool can = answers && armpmu_core_visits != NULL && code.sets != 0 && !plugin.threaded;

    if (can && stream_visit_late(chip_stream(vcpu), next_visit_of[row_of(vcpu)])) {
        code.visits = VISIT_BYTES;
    }
}

uint64_t *list_visits(unsigned vcpu)
{
    return &visits[row_of(vcpu)][1];
}

bool list_visit_now(void)
{
    const bool visited = code.visits != 0;

    code.visits = 0;
    for (unsigned i = 0; i < APMU_CHIP_THREADS; i++) {
        stream_visit_now(chip_stream(i));
    }
    return visited;
}

/* Returns the place of @member, in @core. */
static int32_t place_in(const struct apmu_core *core, const void *member)
{
    return (int32_t)((const char *)member - (const char *)core);
}

void list_open(const struct apmu_core *core, const struct armpmu_core_code *callbacks)
{
    const struct apmu_core_lines *l = &core->l1d;
    const bool recorded = chip_stream(0)->shared->trace != NULL;
    void *map = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    arena = map == MAP_FAILED ? NULL : map; /* without it no block is told, and the tool learns that */
    if (armpmu_core_answer == NULL || blame_wanted()) { /* each access calls, so that it can be counted */
        return;
    }
    code = *callbacks;
    code.enter = list_enter;
    code.full = list_full;
    code.list = sizeof entries[0];
    code.blocks = arena;
    /* With one set, or a hash, an access that goes on in the next line is not seen by its set. */
    if (l->filtered && l->mask != 0 && l->fold == 63 && !recorded) {
        code.line_shift = l->shift;
        code.sets = (uint32_t)l->mask + 1;
        code.recent = place_in(core, l) + (int32_t)l->recent;
        code.clock = core->dtlb.there ? place_in(core, &core->dtlb.clock) : 0;
        code.loads = place_in(core, &core->tally.loads);
        code.stores = place_in(core, &core->tally.stores);
        code.page_shift = core->dtlb.shift;
        code.slot_count = APMU_CORE_SLOTS;
        code.slots = place_in(core, &core->dtlb) + (int32_t)core->dtlb.slots;
        code.stamps = place_in(core, &core->dtlb) + (int32_t)core->dtlb.stamps;
    }
    answers = armpmu_core_answer(&code);
}
