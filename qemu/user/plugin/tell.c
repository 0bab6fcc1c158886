/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells the modelled cores what the program does, by callbacks: at the entry of blocks, and at accesses.
 *
 * A signal may come between two blocks, and QEMU does not report it.  The block that begins its handler is recognised
 * by its address, unless the block before it leads there by a direct branch.  A branch whose outcome is open then is
 * put aside until rt_sigreturn.  So a program that calls its own handler through a pointer loses that branch.
 */
#include "plugin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 64 /* the most branches put aside in a thread */
#define LONGEST 512 /* the most instructions of a block */

/* The branches that signals came after.  A ring: the oldest are dropped, if the program never returns to them. */
static struct {
    struct stream_aside at[DEPTH];
    unsigned top, used;
    bool arrived; /* the next block that is told was arrived at: what lies before it was told */
} asides[APMU_CHIP_THREADS];

/* ---------------------------------------------------------------------------------------------------------------
 * Descriptions.  The same block is described once, however often it is translated.
 */

/* A description that is kept, and where in a table of them the next one with the same hash is. */
struct kept {
    struct kept *next;
    size_t size;
    void *data;
};

#define KEPT_LISTS 16384u
static struct kept *kept[KEPT_LISTS];

/*
 * Returns a lasting copy of the @size bytes at @data, the same for equal bytes, with @more bytes behind it that begin
 * as zeros; NULL if there is no memory.
 */
static void *keep(const void *data, size_t size, size_t more)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */

    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ ((const uint8_t *)data)[i]) * 1099511628211u;
    }
    struct kept **list = &kept[(hash ^ hash >> 32) % KEPT_LISTS];

    for (struct kept *k = *list; k != NULL; k = k->next) {
        if (k->size == size && memcmp(k->data, data, size) == 0) {
            return k->data;
        }
    }
    struct kept *k = malloc(sizeof *k);
    void *copy = k == NULL ? NULL : list_room(size + more);

    if (copy == NULL) {
        free(k);
        return NULL;
    }
    memcpy(copy, data, size);
    *k = (struct kept){*list, size, copy};
    *list = k;
    return copy;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Callbacks.
 */

/* Returns whether a signal leads to the block at @pc. */
static bool is_signal(const struct stream *s, uint64_t pc)
{
    return outcome_may_be_handler(pc) && outcome_is_handler(pc) &&
           (s->block == NULL || !s->block->direct || !stream_may_lead_to(s, pc));
}

/* Puts the open branch of @vcpu aside. */
static void put_aside(unsigned vcpu, struct stream *s)
{
    asides[vcpu].at[asides[vcpu].top] = stream_put_aside(s);
    asides[vcpu].top = (asides[vcpu].top + 1) % DEPTH;
    asides[vcpu].used += asides[vcpu].used < DEPTH;
}

/* Tells @s that the block at @pc begins.  Then the branch before it is told. */
static void arrive(unsigned vcpu, struct stream *s, uint64_t pc)
{
    if (outcome_handler_bits != 0 && is_signal(s, pc)) {
        put_aside(vcpu, s);
    } else if (s->block != NULL && !stream_leave(s, pc)) {
        stream_leave_slow(s, pc, false);
    }
    s->block = NULL;
    asides[vcpu].arrived = true;
}

void tell_entered(unsigned vcpu, struct stream *s, const uint32_t *from, const uint32_t *to, const char *blocks)
{
    const uint64_t handlers = outcome_handler_bits;

    while ((from = stream_enter_many(s, from, to, blocks, handlers)) != to) {
        const struct stream_block *block = (const void *)(blocks + (size_t)*from++ * STREAM_PLACE);

        if (handlers != 0 && !asides[vcpu].arrived && is_signal(s, block->address)) {
            put_aside(vcpu, s);
        }
        asides[vcpu].arrived = false;
        stream_enter(s, block, block->address);
    }
}

/* The data of an access without more: the instruction's index and the size. */
static void *plain_userdata(const struct stream_access *a)
{
    return (void *)((uintptr_t)a->index << 16 | a->size);
}

/* Tells a load that is not answered at once, whose data is @userdata, and what lies before it if that matters. */
static void load_whole(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    const uint32_t size = (uintptr_t)userdata & 0xffff;
    struct stream *s = chip_stream(vcpu);

    (void)info;
    if (s->journal != NULL) {
        journal_load(s, (uint32_t)((uintptr_t)userdata >> 16), vaddr, size);
    } else if (!stream_load_apart(s, vaddr, size) && (s->odd || !apmu_core_load_near(s->core, vaddr, size))) {
        list_reach(vcpu);
        stream_load_late(s, (uint32_t)((uintptr_t)userdata >> 16), vaddr, size);
    }
}

static void store_whole(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    const uint32_t size = (uintptr_t)userdata & 0xffff;
    struct stream *s = chip_stream(vcpu);

    (void)info;
    if (s->journal != NULL) {
        journal_store(s, (uint32_t)((uintptr_t)userdata >> 16), vaddr, size);
    } else if (!stream_store_apart(s, vaddr, size) && (s->odd || !apmu_core_store_near(s->core, vaddr, size))) {
        list_reach(vcpu);
        stream_store_late(s, (uint32_t)((uintptr_t)userdata >> 16), vaddr, size);
    }
}

/*
 * Returns whether the part of @size bytes at *@vaddr completes an access, which the emulator may split, such as that of
 * a pair.  Then *@vaddr becomes where the access began.  stream_access() does the same and more.
 */
static bool completes(struct stream *s, uint64_t *vaddr, uint32_t size, const void *userdata)
{
    const uint32_t whole = (uintptr_t)userdata & 0xffff;
    const bool goes_on = s->split.access == userdata && s->split.next == *vaddr;
    const uint64_t first = goes_on ? s->split.first : *vaddr;

    s->split.access = *vaddr + size - first < whole ? userdata : NULL;
    s->split.first = first;
    s->split.next = *vaddr + size;
    *vaddr = first;
    return s->split.access == NULL;
}

/* An access to memory, or a part of one. */
static void load(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    const uint32_t size = (uintptr_t)userdata & 0xffff, part = UINT32_C(1) << qemu_plugin_mem_size_shift(info);
    struct stream *s = chip_stream(vcpu);

    if ((part != size && !completes(s, &vaddr, part, userdata)) ||
        (!s->odd && apmu_core_load_fast(s->core, vaddr, size))) {
        return;
    }
    load_whole(vcpu, info, vaddr, userdata);
}

static void store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    const uint32_t size = (uintptr_t)userdata & 0xffff, part = UINT32_C(1) << qemu_plugin_mem_size_shift(info);
    struct stream *s = chip_stream(vcpu);

    if ((part != size && !completes(s, &vaddr, part, userdata)) ||
        (!s->odd && apmu_core_store_fast(s->core, vaddr, size))) {
        return;
    }
    store_whole(vcpu, info, vaddr, userdata);
}

/* A plain load where time is modelled. */
static void load_in_time(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    const struct stream_access *a = userdata;
    struct stream *s = chip_stream(vcpu);

    (void)info;
    if (s->journal != NULL) {
        journal_access(s, a, vaddr, a->size, false);
    } else {
        list_reach(vcpu);
        stream_load_depending(s, a, vaddr, a->size);
    }
}

static void access_memory(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    const uint32_t size = UINT32_C(1) << qemu_plugin_mem_size_shift(info);
    struct stream *s = chip_stream(vcpu);

    if (s->journal != NULL) {
        journal_access(s, userdata, vaddr, size, qemu_plugin_mem_is_store(info));
    } else {
        list_reach(vcpu);
        stream_access(s, userdata, vaddr, size, qemu_plugin_mem_is_store(info));
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Translation.
 */

/* Makes @insn, instruction @index of @code, tell its accesses; @with_block: the block tells the time of sure loads. */
static void tell_accesses(struct qemu_plugin_insn *insn, const struct stream_code *code, size_t index, bool with_block)
{
    const bool time = (plugin.setup->core.parts & APMU_CORE_TIMING) != 0;
    struct stream_access a;

    with_block = with_block && stream_loads_surely(code, index) && !blame_wanted();

    if (!stream_access_of(code, index, &a)) {
        return;
    }
    if (!time) { /* so that most descriptions are the same */
        memset(&a.moves, 0, sizeof a.moves);
        a.from = a.into = 0;
    }
    const bool exclusive = (code->insns[index].traits & APMU_TRAIT_STX) != 0; /* it may load, which does not count */
    const bool stores = a.does == STREAM_STORES && a.size != 0 && !exclusive;
    const bool loads = a.does == STREAM_LOADS && a.size != 0 && (!time || with_block);

    if ((loads || stores) && !blame_wanted()) { /* for loads alone QEMU 7.2 never calls back */
        qemu_plugin_register_vcpu_mem_cb(insn, loads ? load : store, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                         plain_userdata(&a));
        return;
    }
    const bool plain_load = a.does == STREAM_LOADS && a.size != 0 && !a.parts;
    void *lasting = keep(&a, sizeof a, 0);

    if (lasting == NULL) {
        shapes_lost(ENOMEM);
        return;
    }
    qemu_plugin_register_vcpu_mem_cb(insn, plain_load ? load_in_time : access_memory, QEMU_PLUGIN_CB_NO_REGS,
                                     QEMU_PLUGIN_MEM_RW, lasting);
}

/* Adds the tickets of the instructions of @code to @b, which takes @size bytes.  Returns its bytes then. */
static size_t add_tickets(const struct stream_code *code, struct stream_block *b, size_t size)
{
    const size_t at = (size + 3) & ~(size_t)3;
    uint32_t *tickets = APMU_CORE_AT(uint32_t, b, at);

    memset(APMU_CORE_AT(char, b, size), 0, at - size);
    b->tickets_place = (uint32_t)at;
    for (size_t i = 0; i < code->count; i++) {
        tickets[i] = blame_ticket(code->insns[i].address, code->insns[i].word);
    }
    return at + code->count * sizeof *tickets;
}

/*
 * Makes the block @tb of @code tell that it is entered.  *@timed becomes whether it tells the time of loads.  Returns
 * false if there is no memory.
 */
static bool tell_entry(struct qemu_plugin_tb *tb, const struct stream_code *code, bool *timed)
{
    static uint64_t room[(sizeof(struct stream_block) + 2 * LONGEST * sizeof(struct stream_line) +
                          LONGEST * sizeof(uint32_t) + STREAM_LOADS_MOST * sizeof(struct stream_access)) /
                         sizeof(uint64_t) + 1];
    struct stream_block *b = (void *)room;
    size_t size = stream_describe(code, b);

    *timed = (plugin.setup->core.parts & APMU_CORE_TIMING) != 0 && !blame_wanted() &&
             stream_add_loads(code, b, &size, sizeof room);
    if (blame_wanted()) {
        size = add_tickets(code, b, size);
    }
    void *lasting = keep(b, size, b->load_count != 0 ? sizeof(struct stream_memo) : 0);

    if (lasting == NULL) {
        shapes_lost(ENOMEM);
        return false;
    }
    list_watch(tb, lasting);
    return true;
}

/* QEMU translates under a lock. */
static struct stream_insn insns[LONGEST];

void tell_block(struct qemu_plugin_tb *tb, const struct isa_insn *in, size_t n)
{
    const uint32_t tells = chip_tells();
    struct stream_code code = {isa_now(), 0, insns, 0};

    if (tells == 0) {
        return;
    }
    while (plugin.setup->core.row.value[APMU_CORE_KEY_L1I_LINE] >> code.line_shift > 1) {
        code.line_shift++;
    }
    for (; code.count < n && code.count < LONGEST; code.count++) {
        const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, code.count);

        insns[code.count] = (struct stream_insn){in[code.count].traits, qemu_plugin_insn_vaddr(insn),
                                                 in[code.count].word, (uint8_t)qemu_plugin_insn_size(insn)};
        if (insns[code.count].bytes == 0) { /* a helper that the kernel has for user programs: QEMU does what it does */
            return;
        }
    }
    bool timed = false;
    const bool told = (tells & APMU_TELL_BLOCKS) == 0 || tell_entry(tb, &code, &timed);

    for (size_t i = 0; told && i < code.count && (tells & APMU_TELL_ACCESSES) != 0; i++) {
        tell_accesses(qemu_plugin_tb_get_insn(tb, i), &code, i, timed);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * System calls and faults.
 */

void tell_begin(unsigned vcpu)
{
    asides[vcpu].used = 0;
}

void tell_open(void)
{
    static const struct armpmu_core_code callbacks = {
        .load = load, .store = store, .load_whole = load_whole, .store_whole = store_whole,
    };
    const struct apmu_core *core = chip_layout();

    if (core != NULL) {
        list_open(core, &callbacks);
    }
}

void tell_until(unsigned vcpu, void *pc)
{
    struct stream *s = chip_stream(vcpu);

    list_reach(vcpu);
    if (s->core != NULL) {
        arrive(vcpu, s, (uintptr_t)pc);
    }
    stream_tell_batch(s, true);
}

void tell_call(unsigned vcpu)
{
    list_reach(vcpu);
    stream_flush(chip_stream(vcpu));
    stream_tell_batch(chip_stream(vcpu), true);
}

void tell_sigreturn(unsigned vcpu)
{
    static const struct stream_aside none = {NULL, 0};
    const struct stream_aside *last = &none;

    if (vcpu >= APMU_CHIP_THREADS) {
        return;
    }
    if (asides[vcpu].used > 0) {
        asides[vcpu].used--;
        asides[vcpu].top = (asides[vcpu].top + DEPTH - 1) % DEPTH;
        last = &asides[vcpu].at[asides[vcpu].top];
    }
    stream_take_up(chip_stream(vcpu), last);
}

void tell_fault(unsigned vcpu, uint64_t pc)
{
    list_reach(vcpu);
    stream_interrupt(chip_stream(vcpu), pc, true);
    stream_tell_batch(chip_stream(vcpu), true);
}
