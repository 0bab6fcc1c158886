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
} asides[APMU_CHIP_THREADS];

/* ---------------------------------------------------------------------------------------------------------------
 * Descriptions.  The same block is described once, however often it is translated.
 */

/* A description that is kept.  What is read at each entry of a block is in one line of the host's cache. */
struct kept {
    struct kept *next;
    size_t size;
    _Alignas(32) char data[];
};

#define KEPT_LISTS 16384u
static struct kept *kept[KEPT_LISTS];

/* Returns a lasting copy of the @size bytes at @data, the same for equal bytes; NULL if there is no memory. */
static void *keep(const void *data, size_t size)
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
    struct kept *k = aligned_alloc(32, sizeof *k + (size + 31) / 32 * 32);

    if (k == NULL) {
        return NULL;
    }
    k->next = *list;
    k->size = size;
    memcpy(k->data, data, size);
    *list = k;
    return k->data;
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

/* Enters the block @userdata. */
static void enter(unsigned vcpu, void *userdata)
{
    const struct stream_block *b = userdata;
    struct stream *s = chip_stream(vcpu);

    if (s->core == NULL) {
        return;
    }
    if (is_signal(s, b->address)) {
        put_aside(vcpu, s);
    }
    stream_enter(s, b, b->address);
}

/* The data of a plain access: the instruction's index and the size. */
static void *plain_userdata(const struct stream_access *a)
{
    return (void *)((uintptr_t)a->index << 16 | a->size);
}

static void load(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    (void)info;
    stream_load(chip_stream(vcpu), (uint32_t)((uintptr_t)userdata >> 16), vaddr, (uintptr_t)userdata & 0xffff);
}

static void store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    (void)info;
    stream_store(chip_stream(vcpu), (uint32_t)((uintptr_t)userdata >> 16), vaddr, (uintptr_t)userdata & 0xffff);
}

/* A plain load where time is modelled. */
static void load_in_time(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    const struct stream_access *a = userdata;

    (void)info;
    stream_load_depending(chip_stream(vcpu), a, vaddr, a->size);
}

/*
 * Tells an access that the emulator may split, such as a pair or a register of 16 bytes, and that only loads or only
 * stores.  stream_access() does the same; this asks the emulator less.
 */
static void access_parts(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata, bool is_store)
{
    const struct stream_access *a = userdata;
    struct stream *s = chip_stream(vcpu);
    const uint32_t size = UINT32_C(1) << qemu_plugin_mem_size_shift(info);
    const bool goes_on = s->split.access == a && s->split.next == vaddr;
    const uint64_t first = goes_on ? s->split.first : vaddr;

    s->split.access = a;
    s->split.store = is_store;
    s->split.first = first;
    s->split.next = vaddr + size;
    if (vaddr + size - first < a->size) {
        return;
    }
    s->split.access = NULL;
    if (is_store) {
        stream_store(s, a->index, first, a->size);
    } else {
        stream_load(s, a->index, first, a->size);
    }
}

static void load_parts(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    access_parts(vcpu, info, vaddr, userdata, false);
}

static void store_parts(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    access_parts(vcpu, info, vaddr, userdata, true);
}

static void access_memory(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    stream_access(chip_stream(vcpu), userdata, vaddr, UINT32_C(1) << qemu_plugin_mem_size_shift(info),
                  qemu_plugin_mem_is_store(info));
}

/* ---------------------------------------------------------------------------------------------------------------
 * Translation.
 */

/* Makes @insn, instruction @index of @code, tell its accesses. */
static void tell_accesses(struct qemu_plugin_insn *insn, const struct stream_code *code, size_t index)
{
    const bool time = (plugin.setup->core.parts & APMU_CORE_TIMING) != 0;
    struct stream_access a;

    if (!stream_access_of(code, index, &a)) {
        return;
    }
    if (!time) { /* so that most descriptions are the same */
        memset(&a.moves, 0, sizeof a.moves);
        a.from = a.into = 0;
    }
    if (stream_is_plain(&a, plugin.setup->core.parts)) { /* for loads alone QEMU 7.2 never calls back */
        qemu_plugin_register_vcpu_mem_cb(insn, a.does == STREAM_LOADS ? load : store, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, plain_userdata(&a));
        return;
    }
    const bool exclusive = (code->insns[index].traits & APMU_TRAIT_STX) != 0; /* it may load, which does not count */
    const bool plain_load = a.does == STREAM_LOADS && a.size != 0 && !a.parts;
    const bool load_alone = a.does == STREAM_LOADS && a.parts && !time;
    const bool store_alone = a.does == STREAM_STORES && a.parts && !exclusive;
    void *lasting = keep(&a, sizeof a);

    if (lasting == NULL) {
        shapes_lost(ENOMEM);
        return;
    }
    qemu_plugin_register_vcpu_mem_cb(insn,
                                     plain_load    ? load_in_time
                                     : load_alone  ? load_parts
                                     : store_alone ? store_parts
                                                   : access_memory,
                                     QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, lasting);
}

/* Makes the block @tb of @code tell that it is entered. */
static void tell_entry(struct qemu_plugin_tb *tb, const struct stream_code *code)
{
    static uint64_t room[(sizeof(struct stream_block) + 2 * LONGEST * sizeof(struct stream_line)) / sizeof(uint64_t)];
    struct stream_block *b = (void *)room;
    const size_t size = stream_describe(code, b);
    void *lasting = keep(b, size);

    if (lasting == NULL) {
        shapes_lost(ENOMEM);
        return;
    }
    qemu_plugin_register_vcpu_tb_exec_cb(tb, enter, QEMU_PLUGIN_CB_NO_REGS, lasting);
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
    if ((tells & APMU_TELL_BLOCKS) != 0) {
        tell_entry(tb, &code);
    }
    for (size_t i = 0; i < code.count && (tells & APMU_TELL_ACCESSES) != 0; i++) {
        tell_accesses(qemu_plugin_tb_get_insn(tb, i), &code, i);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * System calls and faults.
 */

void tell_begin(unsigned vcpu)
{
    asides[vcpu].used = 0;
}

void tell_call(unsigned vcpu)
{
    stream_flush(chip_stream(vcpu));
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
    stream_interrupt(chip_stream(vcpu), pc, true);
}
