/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns the instructions of a block into counting.
 *
 * A block is cut into segments, each of which is counted once, at a point from which all of it is executed:
 *
 *     add   \  first segment: counted at the block's entry
 *     add   /
 *     ldr   \  may not complete: it begins the second segment, which is counted where the next instruction begins,
 *     add   |  because reaching that proves that the load completed
 *     add   /
 *     str      may not complete, and nothing follows it: counted at its first access (count_last())
 *
 * In the usual mode nothing but a PMU access may fail to complete, and a block is one segment.  In a program that
 * handles faults, what follows a plain load or store that faults is given back instead (fault.c).
 */
#define _GNU_SOURCE
#include "stack.h"

#include <stdlib.h>
#include <string.h>

/* Returns true if code at @pc is counted, because it is not the shim's. */
static bool is_counted(uint64_t pc)
{
    return pc < plugin.shim_start || pc >= plugin.shim_end;
}

/* Returns true for atomics.  If the host lacks one, QEMU leaves the block in the middle and executes it alone. */
static bool is_atomic(uint64_t traits)
{
    return (traits & (APMU_TRAIT_LDX | APMU_TRAIT_STX)) ||
           (traits & (APMU_TRAIT_LOAD | APMU_TRAIT_STORE)) == (APMU_TRAIT_LOAD | APMU_TRAIT_STORE);
}

bool translate_may_not_complete(uint32_t word, uint64_t traits)
{
    const bool stops = plugin.precise || (plugin.gives_back && !fault_gives_back(word));
    return (traits & APMU_TRAIT_PMU) || (stops && (traits & APMU_TRAIT_MAY_FAULT)) ||
           (plugin.threaded && is_atomic(traits));
}

/* The instructions of the block that is translated.  QEMU translates under a lock. */
static struct isa_insn *insns;

/* Reads the @n instructions of the block @tb into insns.  Returns false if there is no memory. */
static bool read_insns(struct qemu_plugin_tb *tb, size_t n)
{
    static size_t room;
    if (n > room) {
        struct isa_insn *more = realloc(insns, n * sizeof *insns);
        if (more == NULL) {
            return false;
        }
        insns = more;
        room = n;
    }
    isa_begin();
    for (size_t i = 0; i < n; i++) {
        insns[i] = isa_insn(qemu_plugin_tb_get_insn(tb, i));
    }
    return true;
}

/* A segment under construction: instructions [from, to) of the block, counted where instruction number at begins. */
struct block_segment {
    size_t at, from, to;
    uint16_t vector[APMU_SOURCE_COUNT];
};

static void begin_segment(struct block_segment *seg, size_t at, size_t from)
{
    memset(seg, 0, sizeof *seg);
    seg->at = at;
    seg->from = seg->to = from;
}

static void append_insn(struct block_segment *seg)
{
    shapes_add(insns[seg->to++].traits, seg->vector);
}

/* Returns the address of instruction number @i of the block @tb. */
static uint64_t address_of(const struct qemu_plugin_tb *tb, size_t i)
{
    return qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, i));
}

/* Makes the block @tb count @seg. */
static void finish_segment(struct qemu_plugin_tb *tb, const struct block_segment *seg)
{
    static const uint16_t nothing[APMU_SOURCE_COUNT];
    struct qemu_plugin_insn *at = seg->at == 0 ? NULL : qemu_plugin_tb_get_insn(tb, seg->at);

    if (plugin.kind == APMU_PROGRAM_AARCH32) {
        condition_count(tb, seg->at, insns, seg->from, seg->to);
    }
    if (memcmp(seg->vector, nothing, sizeof nothing) == 0) {
        return;
    }
    uint32_t shape = shapes_id(seg->vector, true);
    if (shape != NO_SHAPE) {
        const struct code_span span = code_span(address_of(tb, seg->from), &insns[seg->from], seg->to - seg->from);
        count_at(tb, at, blocks_counter(&span, shape));
        return;
    }
    for (size_t i = seg->from; i < seg->to; i++) {
        shape = code_counter(address_of(tb, i), &insns[i], shapes_single(insns[i].traits));
        if (shape != NO_SHAPE) {
            count_at(tb, at, shape);
        }
    }
}

/*
 * Counts a store-exclusive that wrote.  QEMU reports a store if the monitor was set.  For a pair of X registers it
 * reports one or two, of which only the first is aligned to the pair.  QEMU 7.2 also calls back for loads when only
 * stores are asked for.
 */
static void count_store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    (void)vaddr;
    if (qemu_plugin_mem_is_store(info)) {
        count_shape(vcpu, (uint32_t)(uintptr_t)userdata);
    }
}

static void count_pair_store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    if (vaddr % 16 == 0) {
        count_store(vcpu, info, vaddr, userdata);
    }
}

static void count_store_exclusive(struct qemu_plugin_insn *insn, const struct isa_insn *in)
{
    uint32_t shape = code_counter(qemu_plugin_insn_vaddr(insn), in, shapes_single(APMU_TRAIT_STX_PASS));
    bool pair_of_x = plugin.kind == APMU_PROGRAM_AARCH64 && (in->word & 0xffe00000) == 0xc8200000;

    if (shape != NO_SHAPE) {
        qemu_plugin_register_vcpu_mem_cb(insn, pair_of_x ? count_pair_store : count_store, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, count_userdata(shape));
    }
}

/*
 * The last instruction of a block, if it may not complete, is counted by its first access to memory.  An instruction
 * that can complete without an access is counted where it begins.  armed is true from the beginning of the last
 * instruction to its first access.
 */
static __thread bool armed;

static void arm(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    armed = true;
}

/* Counts the shape @userdata at the first access of the last instruction. */
static void count_if_armed(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    (void)info;
    (void)vaddr;
    if (armed) {
        count_shape(vcpu, (uint32_t)(uintptr_t)userdata);
    }
    armed = false;
}

/* A last instruction with a condition.  If the condition fails, it completes and adds to the counter failed. */
struct last_insn {
    struct isa_insn in;
    uint32_t failed;
};

/* Begins the last instruction @userdata, which has a condition. */
static void arm_or_count(unsigned vcpu, void *userdata)
{
    const struct last_insn *last = userdata;
    armed = condition_passes(&last->in);
    if (!armed && last->failed != NO_SHAPE) {
        count_shape(vcpu, last->failed);
    }
}

/* Makes translated code count @insn, the last one of a block, by its first access. */
static void count_last_access(struct qemu_plugin_insn *insn, const struct isa_insn *in)
{
    const uint64_t at = qemu_plugin_insn_vaddr(insn);
    const uint32_t shape =
        code_counter(at, in, in->condition == CONDITION_NONE ? shapes_single(in->traits) : condition_shape(in, true));
    struct last_insn *last = in->condition == CONDITION_NONE ? NULL : malloc(sizeof *last); /* never freed */

    if (last != NULL) {
        *last = (struct last_insn){*in, code_counter(at, in, condition_shape(in, false))};
        qemu_plugin_register_vcpu_insn_exec_cb(insn, arm_or_count, QEMU_PLUGIN_CB_R_REGS, last);
    } else {
        qemu_plugin_register_vcpu_insn_exec_cb(insn, arm, QEMU_PLUGIN_CB_NO_REGS, NULL);
    }
    if (shape != NO_SHAPE) {
        qemu_plugin_register_vcpu_mem_cb(insn, count_if_armed, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                         count_userdata(shape));
    }
}

/* Makes the block @tb count its last instruction, @i, which may not complete. */
static void count_last(struct qemu_plugin_tb *tb, size_t i)
{
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
    const uint64_t traits = insns[i].traits;
    bool accesses = (traits & (APMU_TRAIT_LOAD | APMU_TRAIT_STORE)) &&
                    !(traits & (APMU_TRAIT_SYS | APMU_TRAIT_SVE | APMU_TRAIT_SME));

    if (traits & APMU_TRAIT_PMU) {
        return;
    }
    if (accesses) {
        count_last_access(insn, &insns[i]);
        return;
    }
    const uint32_t number = code_counter(address_of(tb, i), &insns[i], shapes_single(traits));
    if (number != NO_SHAPE) {
        count_at(tb, i == 0 ? NULL : insn, number);
    }
    condition_count(tb, i, insns, i, i + 1);
}

void translate_count_pmu(unsigned vcpu, uint32_t word)
{
    uint32_t shape = shapes_single(apmu_a64_traits(word));
    if (shape != NO_SHAPE) {
        count_shape(vcpu, shape);
    }
}

/* Makes translated code note what @insn does beyond what its block counts. */
static void watch(struct qemu_plugin_insn *insn, const struct isa_insn *in)
{
    if (in->traits & APMU_TRAIT_STX) {
        count_store_exclusive(insn, in);
    }
    if (in->traits & APMU_TRAIT_PMU) {
        el0_watch(insn, in->word);
    } else {
        el0_watch_userenr(insn, in->word);
        still_watch(in->word);
    }
    if (outcome_wants_unaligned()) {
        outcome_access(insn, in);
    }
}

/* Watches the system call @insn. */
static void watch_call(struct qemu_plugin_insn *insn, const struct isa_insn *in)
{
    struct isa_insn *copy = in->condition == CONDITION_NONE ? NULL : malloc(sizeof *copy); /* never freed */
    if (copy != NULL) {
        *copy = *in;
    }
    retranslate_watch_call(insn, copy);
}

void translate_block(struct qemu_plugin_tb *tb)
{
    size_t n = qemu_plugin_tb_n_insns(tb);
    uint64_t pc = qemu_plugin_tb_vaddr(tb);
    bool open = true;
    struct block_segment seg;

    if (n == 0 || !read_insns(tb, n)) {
        return;
    }
    if (insns[n - 1].traits & APMU_TRAIT_SVC) {
        watch_call(qemu_plugin_tb_get_insn(tb, n - 1), &insns[n - 1]);
    }
    if (!is_counted(pc)) {
        return;
    }
    guest_locate(qemu_plugin_tb_get_insn(tb, 0));
    if (plugin.image->head.longest_block < n) {
        plugin.image->head.longest_block = (uint32_t)n;
    }

    /* What is counted late, or given back, belongs to the block before: it comes before the call graph looks. */
    if (plugin.gives_back) {
        fault_block(tb, insns, n);
    }
    if (outcome_wants_branches() && plugin.kind == APMU_PROGRAM_AARCH64) {
        outcome_block(tb, pc, qemu_plugin_tb_get_insn(tb, n - 1), &insns[n - 1]);
    }
    landing_block(tb, insns, n);
    begin_segment(&seg, 0, 0);
    for (size_t i = 0; i < n; i++) {
        watch(qemu_plugin_tb_get_insn(tb, i), &insns[i]);
        if (translate_may_not_complete(insns[i].word, insns[i].traits)) {
            finish_segment(tb, &seg);
            open = i + 1 < n;
            if (!open) {
                count_last(tb, i);
            }
            begin_segment(&seg, i + 1, i);
        }
        append_insn(&seg);
    }
    if (open) {
        finish_segment(tb, &seg);
    }
    tell_block(tb, insns, n);
}
