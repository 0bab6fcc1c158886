/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts outcomes: branches taken or not, and unaligned accesses.  condition.c counts branches of A32 and T32.
 *
 * A conditional branch ends its block, and the pc of the next block of the thread tells whether it was taken.  A signal
 * may be delivered in between: its handler's first block is recognised by its pc, the branch is put aside, and
 * rt_sigreturn brings it back.
 *
 * An emulator that make qemu-user builds has none of this: its code adds at both outcomes of a branch, and where the
 * address of an access is unaligned.
 */
#include "plugin.h"

#include <stdlib.h>

#define SIGNALS 65 /* one more than the highest number */
#define DEPTH 64   /* the most branches put aside */
#define ALIGNMENT_BITS 8 /* of the data of a callback for accesses: above them is the counter */
#define ALIGNMENT_MASK ((UINT32_C(1) << ALIGNMENT_BITS) - 1)

/*
 * A block's address, and the addresses to which its conditional branch leads if it is taken or not, with the counters
 * of both.  The addresses are 0 if no conditional branch ends the block.
 */
struct branch_block {
    uint64_t pc, taken, skipped;
    uint32_t taken_counter, skipped_counter;
};

static uint64_t handlers[SIGNALS];
static unsigned handler_count; /* one more than the highest signal with a handler */
uint64_t outcome_handler_bits; /* bits of the addresses that were handlers: see outcome_may_be_handler() */

static __thread const struct branch_block *pending; /* the block whose branch was just executed */
static __thread struct {
    const struct branch_block *at[DEPTH]; /* a ring: the oldest are dropped, if the program never returns to them */
    unsigned top, used;
} aside;

static uint32_t taken_shape, skipped_shape, unaligned_shape;

bool outcome_wants_branches(void)
{
    return plugin.setup->outcomes & ~(UINT64_C(1) << APMU_SOURCE_UNALIGNED_LDST_RETIRED);
}

bool outcome_calls_back(void)
{
    return plugin.setup->outcomes != 0 && !count_has_edges();
}

bool outcome_wants_unaligned(void)
{
    return plugin.setup->outcomes & (UINT64_C(1) << APMU_SOURCE_UNALIGNED_LDST_RETIRED);
}

void outcome_handler(int signal, uint64_t handler)
{
    if (signal < 1 || signal >= SIGNALS) {
        return;
    }
    handlers[signal] = handler > 1 ? handler : 0; /* SIG_DFL, SIG_IGN */
    if (handler > 1) {
        __atomic_fetch_or(&outcome_handler_bits, stream_address_bit(handler), __ATOMIC_RELAXED);
    }
    if (handler > 1 && (unsigned)signal >= handler_count) {
        handler_count = (unsigned)signal + 1;
    }
}

void outcome_sigreturn(void)
{
    pending = NULL;
    if (aside.used == 0) {
        return;
    }
    aside.used--;
    aside.top = (aside.top + DEPTH - 1) % DEPTH;
    pending = aside.at[aside.top];
}

bool outcome_is_handler(uint64_t pc)
{
    for (unsigned i = 1; i < handler_count; i++) {
        if (handlers[i] == pc) {
            return true;
        }
    }
    return false;
}

/* Counts the branch that led to the block @userdata, which begins. */
static void enter(unsigned vcpu, void *userdata)
{
    const struct branch_block *b = userdata;

    if (pending != NULL && b->pc == pending->taken) {
        count_shape(vcpu, pending->taken_counter);
    } else if (pending != NULL && b->pc == pending->skipped) {
        count_shape(vcpu, pending->skipped_counter);
    } else if (outcome_is_handler(b->pc)) {
        aside.at[aside.top] = pending;
        aside.top = (aside.top + 1) % DEPTH;
        if (aside.used < DEPTH) {
            aside.used++;
        }
    }
    pending = NULL;
}

/* Notes that the block @userdata ends with its conditional branch. */
static void wait_for_next(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    pending = userdata;
}

static void enter_and_wait(unsigned vcpu, void *userdata)
{
    enter(vcpu, userdata);
    pending = userdata;
}

/* Returns the target of the conditional branch @word at @pc. */
static uint64_t branch_target(uint64_t pc, uint32_t word)
{
    unsigned width = (word & 0x7e000000) == 0x36000000 ? 14 : (word & 0x7e000000) == 0x74000000 ? 9 : 19;
    uint64_t offset = (word >> 5) & ((UINT64_C(1) << width) - 1);
    uint64_t sign = UINT64_C(1) << (width - 1);
    return pc + (((offset ^ sign) - sign) << 2);
}

/*
 * Returns the counter for an outcome of the branch @in, which is @insn and whose traits with the outcome are @traits.
 * Returns NO_SHAPE if the outcome is none of those requested.
 */
static uint32_t branch_counter(const struct qemu_plugin_insn *insn, const struct isa_insn *in, uint64_t traits)
{
    uint16_t vector[APMU_SOURCE_COUNT] = {0};
    bool wanted = false;

    apmu_traits_add(traits, vector);
    for (int s = 0; s < (int)APMU_SOURCE_COUNT; s++) {
        wanted |= vector[s] != 0 && (plugin.setup->outcomes >> s & 1);
    }
    return wanted ? code_own_counter(qemu_plugin_insn_vaddr(insn), in, shapes_id(vector, false)) : NO_SHAPE;
}

/*
 * Makes translated code count the outcome of @in, which is @last and ends the block @tb.  B.AL is always taken, so QEMU
 * has no place for its other outcome.  A branch without places is UNDEFINED on this emulator's processor.
 */
static void count_branch(struct qemu_plugin_tb *tb, struct qemu_plugin_insn *last, const struct isa_insn *in)
{
    const unsigned edges = armpmu_edges(last);
    const bool is_always = (in->word & 0xff00000e) == 0x5400000e;

    if (!(in->traits & APMU_TRAIT_COND) || (edges == 0 && !is_always)) {
        return;
    }
    const uint32_t taken = branch_counter(last, in, in->traits | APMU_TRAIT_PASSED);
    const uint32_t skipped = branch_counter(last, in, in->traits | APMU_TRAIT_FAILED);
    if (taken != NO_SHAPE && edges != 0) {
        count_at_edge(last, ARMPMU_EDGE_PASSED, taken);
    } else if (taken != NO_SHAPE) {
        count_at(tb, last, taken);
    }
    if (skipped != NO_SHAPE && edges != 0) {
        count_at_edge(last, ARMPMU_EDGE_FAILED, skipped);
    }
}

void outcome_block(struct qemu_plugin_tb *tb, uint64_t pc, struct qemu_plugin_insn *last, const struct isa_insn *in)
{
    if (count_has_edges()) {
        count_branch(tb, last, in);
        return;
    }
    struct branch_block *b = calloc(1, sizeof *b); /* never freed */
    if (b == NULL) {
        return;
    }
    const uint64_t traits = in->traits;
    b->pc = pc;
    if ((traits & APMU_TRAIT_COND) && skipped_shape == taken_shape) { /* once: they are the same for all of A64 */
        taken_shape = shapes_single(traits | APMU_TRAIT_PASSED);
        skipped_shape = shapes_single(traits | APMU_TRAIT_FAILED);
    }
    if (!(traits & APMU_TRAIT_COND)) {
        qemu_plugin_register_vcpu_tb_exec_cb(tb, enter, QEMU_PLUGIN_CB_NO_REGS, b);
        return;
    }
    uint64_t branch = qemu_plugin_insn_vaddr(last);
    b->taken = branch_target(branch, in->word);
    b->skipped = branch + 4;
    b->taken_counter = code_counter(branch, in, taken_shape);
    b->skipped_counter = code_counter(branch, in, skipped_shape);
    if (plugin.precise) { /* the block may fault before its branch */
        qemu_plugin_register_vcpu_tb_exec_cb(tb, enter, QEMU_PLUGIN_CB_NO_REGS, b);
        qemu_plugin_register_vcpu_insn_exec_cb(last, wait_for_next, QEMU_PLUGIN_CB_NO_REGS, b);
    } else {
        qemu_plugin_register_vcpu_tb_exec_cb(tb, enter_and_wait, QEMU_PLUGIN_CB_NO_REGS, b);
    }
}

/* True until the first access of an instruction that makes several.  The first decides whether it is unaligned. */
static __thread bool first;

/* Notes that an instruction begins whose first access is to be checked. */
static void begin_access(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    first = true;
}

/* Returns true if @vaddr is no multiple of the alignment in @userdata, which is counter_and_alignment(). */
static bool is_unaligned(uint64_t vaddr, const void *userdata)
{
    return (vaddr & (((uintptr_t)userdata & ALIGNMENT_MASK) - 1)) != 0;
}

/* Counts an access that is unaligned. */
static void check_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    (void)info;
    if (is_unaligned(vaddr, userdata)) {
        count_shape(vcpu, (uint32_t)((uintptr_t)userdata >> ALIGNMENT_BITS));
    }
}

static void check_first(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    if (first) {
        check_access(vcpu, info, vaddr, userdata);
    }
    first = false;
}

/* Checks each access of a gather or scatter, whose addresses are independent.  Counts the first that is unaligned. */
static void check_each(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    if (is_unaligned(vaddr, userdata)) {
        check_first(vcpu, info, vaddr, userdata);
    }
}

/* Returns true for a gather load or scatter store of SVE. */
static bool is_gather(uint32_t word, uint64_t traits)
{
    if (!(traits & APMU_TRAIT_SVE)) {
        return false;
    }
    uint32_t group = word & 0xfe000000, form = (word >> 13) & 7;
    return group == 0xc4000000 || (group == 0x84000000 && (word & 0x00408000) != 0x00408000) ||
           (group == 0xe4000000 && (form == 4 || form == 5 || form == 6));
}

/* Returns the data of a callback that adds to the counter @number what is unaligned to @alignment. */
static void *counter_and_alignment(uint32_t number, unsigned alignment)
{
    return count_userdata((uint64_t)number << ALIGNMENT_BITS | alignment);
}

void outcome_access(struct qemu_plugin_insn *insn, const struct isa_insn *in)
{
    const uint64_t traits = in->traits;
    const uint32_t word = in->word;

    if (!(traits & (APMU_TRAIT_LOAD | APMU_TRAIT_STORE | APMU_TRAIT_STX)) || (traits & APMU_TRAIT_SYS)) {
        return;
    }
    const unsigned alignment = isa_alignment(word);
    if (alignment == 1) {
        return;
    }
    if (unaligned_shape == 0) {
        unaligned_shape = shapes_single(APMU_TRAIT_UNALIGNED);
    }

    bool pair = plugin.kind == APMU_PROGRAM_AARCH64 &&
                ((word & 0x3a000000) == 0x28000000 || (word & 0xbfa00000) == 0x88200000);
    bool read_write = (traits & APMU_TRAIT_LOAD) && (traits & APMU_TRAIT_STORE);
    bool scalable = traits & (APMU_TRAIT_SVE | APMU_TRAIT_SME); /* QEMU may access memory in a loop */
    bool several = pair || read_write || scalable || (traits & APMU_TRAIT_ASE_MEM);
    const uint32_t counter = code_counter(qemu_plugin_insn_vaddr(insn), in, unaligned_shape);
    if (counter == NO_SHAPE || (!scalable && count_unaligned(insn, alignment, several, counter))) {
        return;
    }
    qemu_plugin_vcpu_mem_cb_t cb = check_access;
    if (several) {
        qemu_plugin_register_vcpu_insn_exec_cb(insn, begin_access, QEMU_PLUGIN_CB_NO_REGS, NULL);
        cb = is_gather(word, traits) ? check_each : check_first;
    }
    qemu_plugin_register_vcpu_mem_cb(insn, cb, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                     counter_and_alignment(counter, alignment));
}
