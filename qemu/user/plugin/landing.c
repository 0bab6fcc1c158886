/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the blocks that call back for the call graph: those at which a function begins, and those that follow an
 * instruction that calls.
 *
 * Where symbols, unwind tables and direct calls do not tell that a function begins, the way to its first block does,
 * when that is translated: by an indirect call, or with a stack pointer above that of the frame on top, as after an
 * exception.
 */
#include "stack.h"

#include <string.h>

/* ---------------------------------------------------------------------------------------------------------------
 * Callbacks.  A callback begins with an instruction that passes the register of the host in which translated code
 * keeps the address of the CPU's state as a third argument.
 */

__attribute__((used)) static void on_enter(unsigned vcpu, void *pc, const struct cpu_state *state)
{
    stack_enter(vcpu, (uintptr_t)pc, state);
}

__attribute__((used)) static void on_return(unsigned vcpu, void *pc, const struct cpu_state *state)
{
    stack_return(vcpu, (uintptr_t)pc, state);
}

__attribute__((used)) static void on_both(unsigned vcpu, void *pc, const struct cpu_state *state)
{
    stack_enter_or_return(vcpu, (uintptr_t)pc, state);
}

#if defined __x86_64__
#define PASS_STATE "mov %rbp, %rdx\n\tjmp "
#elif defined __aarch64__
#define PASS_STATE "mov x2, x19\n\tb "
#endif

#ifdef PASS_STATE
__asm__(".text\n"
        "landing_enter:\n\t" PASS_STATE "on_enter\n"
        "landing_return:\n\t" PASS_STATE "on_return\n"
        "landing_both:\n\t" PASS_STATE "on_both\n");
void landing_enter(unsigned vcpu, void *pc) __attribute__((visibility("hidden")));
void landing_return(unsigned vcpu, void *pc) __attribute__((visibility("hidden")));
void landing_both(unsigned vcpu, void *pc) __attribute__((visibility("hidden")));
#else
static void landing_enter(unsigned vcpu, void *pc)
{
    on_enter(vcpu, pc, NULL);
}

static void landing_return(unsigned vcpu, void *pc)
{
    on_return(vcpu, pc, NULL);
}

static void landing_both(unsigned vcpu, void *pc)
{
    on_both(vcpu, pc, NULL);
}
#endif

/* Adds an indirect call of the vCPU, where code cannot add inline. */
static void add_indirect(unsigned vcpu, void *userdata)
{
    (void)userdata;
    nodes_graph->slot[nodes_slot(vcpu)].indirect++;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Instructions that call.
 */

static uint64_t sign_extend(uint64_t value, unsigned bits)
{
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    return ((value & (sign * 2 - 1)) ^ sign) - sign;
}

/* Returns what the A64 instruction @word at @pc calls; *@target is the address if it is direct. */
static enum landing_call call_of_a64(uint32_t word, uint64_t pc, uint64_t *target)
{
    if (word >> 26 == 0x25) { /* BL */
        *target = pc + (sign_extend(word, 26) << 2);
        return LANDING_DIRECT;
    }
    const bool indirect = (word & 0xfffffc1f) == 0xd63f0000 || (word & 0xfefff800) == 0xd63f0800; /* BLR, BLRAA ... */
    return indirect ? LANDING_INDIRECT_4 : LANDING_NO_CALL;
}

static enum landing_call call_of_a32(uint32_t word, uint64_t pc, uint64_t *target)
{
    if (word >> 25 == 0x7d) { /* BLX (immediate) */
        *target = pc + 8 + (sign_extend(word, 24) << 2) + (word >> 23 & 2);
        return LANDING_DIRECT;
    }
    if ((word >> 24 & 15) == 0xb && word >> 28 != 15) { /* BL */
        *target = pc + 8 + (sign_extend(word, 24) << 2);
        return LANDING_DIRECT;
    }
    return (word & 0x0ffffff0) == 0x012fff30 ? LANDING_INDIRECT_4 : LANDING_NO_CALL;
}

/* Does the same for the T32 instruction @word, with its first halfword on top if it has two. */
static enum landing_call call_of_t32(uint32_t word, uint64_t pc, uint64_t *target)
{
    if (word <= UINT16_MAX) {
        return (word & 0xff87) == 0x4780 ? LANDING_INDIRECT_2 : LANDING_NO_CALL;
    }
    if ((word & 0xf800c000) != 0xf000c000) {
        return LANDING_NO_CALL;
    }
    const uint32_t s = word >> 26 & 1, j1 = word >> 13 & 1, j2 = word >> 11 & 1;
    const uint64_t offset = s << 24 | (~(j1 ^ s) & 1) << 23 | (~(j2 ^ s) & 1) << 22 | (word >> 16 & 0x3ff) << 12 |
                            (word & 0x7ff) << 1;
    const bool to_t32 = word >> 12 & 1;
    const uint64_t from = to_t32 ? pc + 4 : (pc + 4) & ~(uint64_t)3;
    *target = from + (sign_extend(offset, 25) & (to_t32 ? ~(uint64_t)0 : ~(uint64_t)3));
    return LANDING_DIRECT;
}

/* Returns the call that ends where @at begins, in the code @isa.  @bytes are the 4 bytes before it. */
static enum landing_call call_in(const uint8_t bytes[4], uint64_t at, enum stream_isa isa, uint64_t *target)
{
    uint16_t half[2];
    uint32_t word;

    memcpy(half, bytes, sizeof half);
    memcpy(&word, bytes, sizeof word);
    *target = 0;
    if (isa == STREAM_A64) {
        return call_of_a64(word, at - 4, target);
    }
    if (isa == STREAM_A32) {
        const enum landing_call call = call_of_a32(word, at - 4, target);
        *target &= UINT32_MAX;
        return call;
    }
    const enum landing_call call = call_of_t32((uint32_t)half[0] << 16 | half[1], at - 4, target);
    *target &= UINT32_MAX;
    return call != LANDING_NO_CALL ? call : call_of_t32(half[1], at - 2, target);
}

static enum stream_isa isa_of_lr(uint64_t lr)
{
    return plugin.kind == APMU_PROGRAM_AARCH64 ? STREAM_A64 : lr & 1 ? STREAM_T32 : STREAM_A32;
}

enum landing_call landing_call_before(uint64_t lr, uint64_t pc)
{
    uint8_t bytes[4];
    uint64_t target, at = lr & ~(uint64_t)1;

    if (at < 4 || !guest_read(at - 4, bytes, sizeof bytes)) {
        return LANDING_NO_CALL;
    }
    const enum landing_call call = call_in(bytes, at, isa_of_lr(lr), &target);
    return call == LANDING_DIRECT && target != pc ? LANDING_NO_CALL : call;
}

bool landing_is_sigreturn(uint64_t lr)
{
    uint32_t word[2];

    if (!guest_read(lr & ~(uint64_t)1, word, sizeof word)) {
        return false;
    }
    switch (isa_of_lr(lr)) {
    case STREAM_A64:
        return word[0] == 0xd2801168 && word[1] == 0xd4000001; /* MOV X8, #139; SVC #0 */
    case STREAM_A32: /* MOV R7, #119 or #173; SVC with or without the number */
        return (word[0] == 0xe3a07077 || word[0] == 0xe3a070ad) && word[1] >> 24 == 0xef;
    default:
        return word[0] == 0xdf002777 || word[0] == 0xdf0027ad;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Translation.
 */

/* Returns whether the instruction before @pc, whose code is at @host in this process, calls. */
static bool follows_call(uint64_t pc, const char *host)
{
    uint8_t bytes[4];
    uint64_t target;

    if (host != NULL && pc % 4096 >= sizeof bytes) {
        memcpy(bytes, host - sizeof bytes, sizeof bytes);
    } else if (!guest_read(pc - sizeof bytes, bytes, sizeof bytes)) {
        return false;
    }
    return call_in(bytes, pc, isa_now(), &target) != LANDING_NO_CALL;
}

/* Returns the address to which the instruction @in at @pc branches without a call, or 0. */
static uint64_t branch_target(const struct isa_insn *in, uint64_t pc)
{
    const uint32_t word = in->word;

    if (isa_now() != STREAM_A64 || !(in->traits & APMU_TRAIT_BRANCH_IMM) || (in->traits & APMU_TRAIT_LINK)) {
        return 0;
    }
    if (word >> 26 == 5) { /* B */
        return pc + (sign_extend(word, 26) << 2);
    }
    const unsigned width = (word & 0x7e000000) == 0x36000000 ? 14 : (word & 0x7e000000) == 0x74000000 ? 9 : 19;
    return pc + (sign_extend(word >> 5, width) << 2);
}

/* Notes what the last instruction of a block, @in at @pc, tells about other blocks, and watches an indirect call. */
static void learn_from(struct qemu_plugin_tb *tb, const struct isa_insn *in, uint64_t pc)
{
    uint64_t target = 0;
    const enum stream_isa isa = isa_now();
    const enum landing_call call = isa == STREAM_A64   ? call_of_a64(in->word, pc, &target)
                                   : isa == STREAM_A32 ? call_of_a32(in->word, pc, &target)
                                                       : call_of_t32(in->word, pc, &target);

    if (call == LANDING_DIRECT) {
        beginnings_add(plugin.kind == APMU_PROGRAM_AARCH64 ? target : target & UINT32_MAX, BEGINNING_FUNCTION);
    } else if (call != LANDING_NO_CALL) {
        count_in_slot(tb, offsetof(struct apmu_graph_slot, indirect), add_indirect);
    }
    target = branch_target(in, pc);
    if (target != 0) {
        beginnings_add(target, BEGINNING_BRANCH);
    }
}

/* Returns whether the @n instructions @in are an entry of a procedure linkage table. */
static bool is_plt_entry(const struct isa_insn *in, size_t n)
{
    switch (isa_now()) {
    case STREAM_A64: { /* [BTI C;] ADRP X16; LDR X17; ADD X16 [; other]; BR X17 or BRAA X17, X16 */
        const size_t first = in[0].word == 0xd503245f;
        return n >= first + 3 && n <= 6 && (in[first].word & 0x9f00001f) == 0x90000010 &&
               (in[n - 1].word == 0xd61f0220 || in[n - 1].word == 0xd71f0a30);
    }
    case STREAM_A32: /* ADD IP, PC; ADD IP, IP; LDR PC, [IP]! */
        return n == 3 && in[0].word >> 12 == 0xe28fc && in[2].word >> 12 == 0xe5bcf;
    default: /* BX PC, before such an entry */
        return in[0].word == 0x4778;
    }
}

void landing_block(struct qemu_plugin_tb *tb, const struct isa_insn *in, size_t n)
{
    static bool first = true;

    if (nodes_graph == NULL) {
        return;
    }
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, 0);
    const uint64_t pc = qemu_plugin_tb_vaddr(tb);
    const void *host = qemu_plugin_insn_haddr(insn);
    const enum stack_way way = stack_way(host);

    if (first || way != STACK_AS_BEFORE) {
        beginnings_add(pc, way == STACK_JUMP ? BEGINNING_RESUMES : BEGINNING_FUNCTION);
    }
    first = false;
    const unsigned noted = beginnings_noted(pc);
    const bool begins = (noted & BEGINNING_FUNCTION) || beginnings_has(host) || is_plt_entry(in, n);
    const bool follows = (noted & BEGINNING_RESUMES) || follows_call(pc, host);
    if ((begins || follows) && blame_wanted()) { /* what the core counted before belongs to the frame on top */
        qemu_plugin_register_vcpu_tb_exec_cb(tb, tell_until, QEMU_PLUGIN_CB_NO_REGS, (void *)(uintptr_t)pc);
    }
    if (begins || follows) {
        qemu_plugin_register_vcpu_tb_exec_cb(tb,
                                             begins && follows ? landing_both
                                             : begins          ? landing_enter
                                                               : landing_return,
                                             QEMU_PLUGIN_CB_R_REGS, (void *)(uintptr_t)pc);
    }
    learn_from(tb, &in[n - 1], qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, n - 1)));
}
