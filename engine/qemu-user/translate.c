/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the instructions of a block to counting.
 *
 * A block is cut into segments.  A segment begins at the block's entry or after an instruction that may not complete,
 * and ends before the next such instruction: where its first instruction is the one that may not complete, reaching
 * the instruction after it proves that it did.  So each segment is counted once, at a point from which all of it is
 * executed.  In the usual mode nothing but PMU accesses may fail to complete, and a block is one segment.
 */
#define _GNU_SOURCE
#include "plugin.h"

#include <stdlib.h>
#include <string.h>

static bool counted_here(uint64_t pc)
{
    return pc < plugin.shim_start || pc >= plugin.shim_end;
}

/* Atomics: where the host cannot do one, QEMU leaves the block in its middle and executes it alone. */
static bool is_atomic(uint64_t traits)
{
    return (traits & (APMU_TRAIT_LDX | APMU_TRAIT_STX)) ||
           (traits & (APMU_TRAIT_LOAD | APMU_TRAIT_STORE)) == (APMU_TRAIT_LOAD | APMU_TRAIT_STORE);
}

static bool may_not_complete(uint64_t traits)
{
    return (traits & APMU_TRAIT_PMU) || (plugin.precise && (traits & APMU_TRAIT_MAY_FAULT)) ||
           (plugin.threaded && is_atomic(traits));
}

/* A segment under construction: instructions @from to @to - 1, counted where @at begins. */
struct segment {
    size_t at, from, to;
    uint16_t vector[APMU_SOURCE_COUNT];
};

static void begin(struct segment *seg, size_t at, size_t from)
{
    memset(seg, 0, sizeof *seg);
    seg->at = at;
    seg->from = seg->to = from;
}

static void append(struct segment *seg, uint64_t traits)
{
    seg->to++;
    shapes_add(traits, seg->vector);
}

static void finish(struct qemu_plugin_tb *tb, const struct segment *seg)
{
    static const uint16_t nothing[APMU_SOURCE_COUNT];
    struct qemu_plugin_insn *at = seg->at == 0 ? NULL : qemu_plugin_tb_get_insn(tb, seg->at);

    if (memcmp(seg->vector, nothing, sizeof nothing) == 0)
        return;
    uint32_t shape = shapes_id(seg->vector, true);
    if (shape != NO_SHAPE) {
        count_at(tb, at, shape);
        return;
    }
    for (size_t i = seg->from; i < seg->to; i++) {
        shape = shapes_single(apmu_a64_traits(qemu_plugin_insn_word(qemu_plugin_tb_get_insn(tb, i))));
        if (shape != NO_SHAPE)
            count_at(tb, at, shape);
    }
}

/*
 * A store-exclusive writes or not.  QEMU reports a store if the monitor was set: one, or for a pair of X registers one
 * or two, of which the first alone is aligned to the pair.  (QEMU 7.2 ignores the wish for stores only.)
 */
static void count_store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    (void)vaddr;
    if (qemu_plugin_mem_is_store(info))
        count_shape(vcpu, (uint32_t)(uintptr_t)userdata);
}

static void count_pair_store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    if (vaddr % 16 == 0)
        count_store(vcpu, info, vaddr, userdata);
}

static void count_store_exclusive(struct qemu_plugin_insn *insn, uint32_t word)
{
    uint32_t shape = shapes_single(APMU_TRAIT_STX_PASS);
    bool pair_of_x = (word & 0xffe00000) == 0xc8200000;

    if (shape != NO_SHAPE)
        qemu_plugin_register_vcpu_mem_cb(insn, pair_of_x ? count_pair_store : count_store, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, count_userdata(shape));
}

/*
 * An instruction that may not complete and that nothing follows in its block.  Where each execution accesses memory
 * the first access counts it; else its beginning does.
 */
static __thread bool armed;

static void arm(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    armed = true;
}

static void count_if_armed(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    (void)info;
    (void)vaddr;
    if (armed)
        count_shape(vcpu, (uint32_t)(uintptr_t)userdata);
    armed = false;
}

static void count_last(struct qemu_plugin_tb *tb, size_t i, uint64_t traits)
{
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
    uint32_t shape = shapes_single(traits);
    bool accesses = (traits & (APMU_TRAIT_LOAD | APMU_TRAIT_STORE)) &&
                    !(traits & (APMU_TRAIT_SYS | APMU_TRAIT_SVE | APMU_TRAIT_SME));

    if (shape == NO_SHAPE || (traits & APMU_TRAIT_PMU))
        return;
    if (accesses) {
        qemu_plugin_register_vcpu_insn_exec_cb(insn, arm, QEMU_PLUGIN_CB_NO_REGS, NULL);
        qemu_plugin_register_vcpu_mem_cb(insn, count_if_armed, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                         count_userdata(shape));
    } else {
        count_at(tb, i == 0 ? NULL : insn, shape);
    }
}

void translate_count_pmu(unsigned vcpu, uint32_t word)
{
    uint32_t shape = shapes_single(apmu_a64_traits(word));
    if (shape != NO_SHAPE)
        count_shape(vcpu, shape);
}

void translate_block(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    size_t n = qemu_plugin_tb_n_insns(tb);
    uint64_t pc = qemu_plugin_tb_vaddr(tb);
    uint32_t word = 0;
    bool open = true;
    struct segment seg;

    if (n == 0 || !counted_here(pc))
        return;
    guest_locate(qemu_plugin_tb_get_insn(tb, 0));
    if (plugin.image->head.longest_block < n)
        plugin.image->head.longest_block = (uint32_t)n;

    begin(&seg, 0, 0);
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        word = qemu_plugin_insn_word(insn);
        uint64_t traits = apmu_a64_traits(word);

        if (traits & APMU_TRAIT_STX)
            count_store_exclusive(insn, word);
        if (traits & APMU_TRAIT_PMU)
            el0_watch(insn, word);
        else
            el0_watch_userenr(insn, word);
        if (outcome_wants_unaligned())
            outcome_access(insn, word, traits);
        if (may_not_complete(traits)) {
            finish(tb, &seg);
            open = i + 1 < n;
            if (!open)
                count_last(tb, i, traits);
            begin(&seg, i + 1, i);
        }
        append(&seg, traits);
    }
    if (open)
        finish(tb, &seg);
    if (outcome_wants_branches())
        outcome_block(tb, pc, qemu_plugin_tb_get_insn(tb, n - 1), word);
}
