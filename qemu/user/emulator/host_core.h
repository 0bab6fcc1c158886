/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host's instructions for the operations of core_code.c.  QEMU's tcg.c includes it.
 *
 * A call that is needed lies behind the block's code.  It saves what registers hold there, so the common way costs no
 * more than its instructions: registers keep what they hold, as no call and no label is on it.
 */
#ifndef ARMPMU_EMULATOR_HOST_CORE_H
#define ARMPMU_EMULATOR_HOST_CORE_H

#include "core_code.h"

#if defined(__x86_64__) && !defined(CONFIG_TCG_INTERPRETER)

/* A call behind the block's code. */
struct core_call {
    struct core_call *next;
    tcg_insn_unit *from; /* the displacement of the jump that leads to it, 4 bytes */
    tcg_insn_unit *back; /* where it returns to */
    const struct armpmu_core_access *access; /* NULL: the list of blocks is full */
    TCGReg address;
    TCGReg line, set, core;  /* of core_out_access() */
    tcg_insn_unit *answered; /* where it goes on after a visit */
    int saved;
    struct {
        TCGReg reg;
        TCGType type;
    } save[TCG_TARGET_NB_REGS];
};

/* The calls of the block that is translated; QEMU translates under a lock. */
static struct core_call *core_calls;

enum {
    CORE_MOV_LOAD = 0x8b, CORE_MOV_STORE = 0x89, CORE_LEA = 0x8d, CORE_XOR = 0x33, CORE_SHIFT = 0xc1, CORE_BY_8 = 0x83,
    CORE_BY_32 = 0x81, CORE_MOV_NUMBER = 0xc7, CORE_TEST = 0xf7, CORE_INC = 0xff, CORE_MOV_64 = 0xb8,
    CORE_COMPARE = 0x3b, CORE_JUMP = 0xe9,
};
/* What the instructions above do whose second operand is a number: the field reg. */
enum { CORE_ADD = 0, CORE_OR = 1, CORE_AND = 4, CORE_SUB = 5, CORE_CMP = 7, CORE_CALL = 2, CORE_SHL = 4, CORE_SHR = 5 };

/* Writes @opcode with operands @reg and memory at @base + @index + @offset; @index -1: none; @wide: of 64 bits. */
static void core_out(TCGContext *s, bool wide, int opcode, int reg, int base, int index, int32_t offset)
{
    const bool near = offset == (int8_t)offset, sib = index >= 0 || (base & 7) == 4;
    const int rex = 0x40 | wide << 3 | (reg >> 3 & 1) << 2 | (index >= 0 ? index >> 3 & 1 : 0) << 1 | (base >> 3 & 1);

    if (rex != 0x40) {
        tcg_out8(s, rex);
    }
    tcg_out8(s, opcode);
    tcg_out8(s, (near ? 0x40 : 0x80) | (reg & 7) << 3 | (sib ? 4 : base & 7));
    if (sib) {
        tcg_out8(s, (index >= 0 ? index & 7 : 4) << 3 | (base & 7));
    }
    if (near) {
        tcg_out8(s, offset);
    } else {
        tcg_out32(s, offset);
    }
}

/* Writes @opcode with two registers. */
static void core_out_registers(TCGContext *s, bool wide, int opcode, int reg, int other)
{
    const int rex = 0x40 | wide << 3 | (reg >> 3 & 1) << 2 | (other >> 3 & 1);

    if (rex != 0x40) {
        tcg_out8(s, rex);
    }
    tcg_out8(s, opcode);
    tcg_out8(s, 0xc0 | (reg & 7) << 3 | (other & 7));
}

/* Writes what @what does with a register and a number of 8 bits. */
static void core_out_number(TCGContext *s, int opcode, int what, int reg, int number)
{
    core_out_registers(s, true, opcode, what, reg);
    tcg_out8(s, number);
}

/* Writes a jump to a call, if the condition @code holds, and notes the call.  It returns behind the jump. */
static struct core_call *core_out_jump(TCGContext *s, int code, const struct armpmu_core_access *access, TCGReg address)
{
    struct core_call *call = tcg_malloc(sizeof *call);

    *call = (struct core_call){.next = core_calls, .access = access, .address = address};
    for (int reg = 0; reg < TCG_TARGET_NB_REGS; reg++) {
        if (s->reg_to_temp[reg] != NULL && tcg_regset_test_reg(tcg_target_call_clobber_regs, reg)) {
            call->save[call->saved].reg = reg;
            call->save[call->saved++].type = s->reg_to_temp[reg]->type;
        }
    }
    tcg_out8(s, 0x0f);
    tcg_out8(s, 0x80 | code);
    call->from = s->code_ptr;
    tcg_out32(s, 0);
    call->back = s->code_ptr;
    core_calls = call;
    return call;
}
enum { CORE_IF_ZERO = 4, CORE_IF_NOT_ZERO = 5, CORE_IF_ABOVE = 7 };

/*
 * Writes the comparison of the line of an access with the one that its set used last.  The low bits of its word are
 * APMU_CORE_VALID and two of APMU_CORE_DIRTY; an empty one has none of them.
 */
static void core_out_access(TCGContext *s, const struct armpmu_core_access *a, TCGReg address)
{
    const struct armpmu_core_code *code = armpmu_core_code;
    TCGRegSet taken = s->reserved_regs;
    TCGReg r[3];

    tcg_regset_set_reg(taken, address);
    for (int i = 0; i < 3; i++) {
        r[i] = tcg_reg_alloc(s, tcg_target_available_regs[TCG_TYPE_I64], taken, 0, false);
        tcg_regset_set_reg(taken, r[i]);
    }
    const TCGReg line = r[0], set = r[1], core = r[2];
    const int shift = code->line_shift - 4;

    core_out(s, true, CORE_LEA, line, address, -1, (int)a->size - 1 - (int)a->before);
    if (a->before != 0) {
        core_out(s, true, CORE_LEA, set, address, -1, -(int)a->before);
    } else {
        core_out_registers(s, true, CORE_MOV_LOAD, set, address);
    }
    core_out(s, true, CORE_MOV_LOAD, core, TCG_AREG0, -1, armpmu_core_at);
    core_out_number(s, CORE_SHIFT, CORE_SHR, line, shift);
    core_out_number(s, CORE_SHIFT, CORE_SHR, set, shift);
    core_out_number(s, CORE_BY_8, CORE_OR, line, 15);
    core_out_registers(s, false, CORE_BY_32, CORE_AND, set);
    tcg_out32(s, (code->sets - 1) << 4);
    /* What differs: the line, or in its word a bit that is clear. */
    core_out(s, true, CORE_XOR, line, core, set, code->recent);
    core_out_number(s, CORE_BY_8, CORE_CMP, line, a->store ? 2 : 14);
    struct core_call *call = core_out_jump(s, CORE_IF_ABOVE, a, address);

    call->line = line;
    call->set = set;
    call->core = core;
    call->answered = s->code_ptr;
    core_out(s, true, CORE_INC, 0, core, -1, a->store ? code->stores : code->loads);
    if (code->clock != 0) {
        core_out(s, true, CORE_MOV_LOAD, set, core, set, code->recent + 8);
        core_out(s, true, CORE_MOV_LOAD, line, core, -1, code->clock);
        core_out_registers(s, true, CORE_INC, 0, line);
        core_out(s, true, CORE_MOV_STORE, line, core, -1, code->clock);
        core_out(s, true, CORE_MOV_STORE, line, core, set, 0);
    }
    call->back = s->code_ptr;
}

/* Writes what an access does, operation @op. */
static void armpmu_out_access(TCGContext *s, const TCGOp *op)
{
    TCGTemp *address = arg_temp(op->args[0]);

    temp_load(s, address, tcg_target_available_regs[TCG_TYPE_I64], s->reserved_regs, 0);
    core_out_access(s, (const struct armpmu_core_access *)(uintptr_t)op->args[1], address->reg);
    if (op->life & DEAD_ARG) {
        temp_dead(s, address);
    }
}

/* Writes what the entry of the block at @place in the list does. */
static void armpmu_out_enter(TCGContext *s, uint32_t place)
{
    const struct armpmu_core_code *code = armpmu_core_code;
    const TCGReg reg = tcg_reg_alloc(s, tcg_target_available_regs[TCG_TYPE_I64], s->reserved_regs, 0, false);

    core_out(s, true, CORE_MOV_LOAD, reg, TCG_AREG0, -1, armpmu_core_next_at);
    core_out(s, false, CORE_MOV_NUMBER, 0, reg, -1, 0);
    tcg_out32(s, place);
    core_out_number(s, CORE_BY_8, CORE_ADD, reg, 4);
    core_out(s, true, CORE_MOV_STORE, reg, TCG_AREG0, -1, armpmu_core_next_at);
    core_out_registers(s, false, CORE_TEST, 0, reg);
    tcg_out32(s, code->list - 1);
    core_out_jump(s, CORE_IF_ZERO, NULL, reg);
}

/* Writes @number into @reg. */
static void core_out_64(TCGContext *s, TCGReg reg, uint64_t number)
{
    tcg_out8(s, 0x48 | (reg >> 3 & 1));
    tcg_out8(s, CORE_MOV_64 | (reg & 7));
    tcg_out64(s, number);
}

/* Writes the call of the plugin. */
static void core_out_plugin(TCGContext *s, const struct core_call *call)
{
    const struct armpmu_core_access *a = call->access;

    if (a != NULL) {
        core_out(s, true, CORE_LEA, TCG_REG_RDX, call->address, -1, -(int)a->before);
        core_out_64(s, TCG_REG_RCX, (uintptr_t)a->userdata);
        core_out_64(s, TCG_REG_RSI, a->info);
        core_out_64(s, TCG_REG_RAX, (uintptr_t)a->call);
    } else {
        core_out_64(s, TCG_REG_RSI, 0);
        core_out_64(s, TCG_REG_RAX, (uintptr_t)armpmu_core_code->full);
    }
    core_out(s, false, CORE_MOV_LOAD, TCG_REG_RDI, TCG_AREG0, -1, armpmu_core_vcpu_at);
    core_out_registers(s, false, CORE_INC, CORE_CALL, TCG_REG_RAX);
}

/* Writes a jump forward, if the condition @code holds.  Returns its place. */
static tcg_insn_unit *core_out_skip(TCGContext *s, int code)
{
    tcg_out8(s, 0x0f);
    tcg_out8(s, 0x80 | code);
    tcg_out32(s, 0);
    return s->code_ptr - 4;
}

/* Makes the jump at @skip lead here. */
static void core_skip_here(const TCGContext *s, tcg_insn_unit *skip)
{
    const int32_t there = s->code_ptr - (skip + 4);

    memcpy(skip, &there, sizeof there);
}

static void core_out_jump_back(TCGContext *s, const tcg_insn_unit *back)
{
    tcg_out8(s, CORE_JUMP);
    tcg_out32(s, back - (s->code_ptr + 4));
}

/* Writes what makes the slot of its page the page of the line.  Returns a jump for the case that its page has none. */
static tcg_insn_unit *core_out_page(TCGContext *s, const struct core_call *call)
{
    const struct armpmu_core_code *code = armpmu_core_code;
    const TCGReg line = call->line, set = call->set, core = call->core;

    tcg_out_push(s, line);
    tcg_out_push(s, set);
    core_out_number(s, CORE_SHIFT, CORE_SHR, line, code->page_shift - code->line_shift + 4);
    core_out_registers(s, false, CORE_MOV_LOAD, set, line);
    core_out_registers(s, false, CORE_BY_32, CORE_AND, set);
    tcg_out32(s, code->slot_count - 1);
    core_out_number(s, CORE_SHIFT, CORE_SHL, set, 4);
    core_out_registers(s, true, CORE_INC, 0, line);
    core_out(s, true, CORE_COMPARE, line, core, set, code->slots);
    tcg_insn_unit *none = core_out_skip(s, CORE_IF_NOT_ZERO);

    core_out(s, true, CORE_MOV_LOAD, line, core, set, code->slots + 8);
    core_out_number(s, CORE_SHIFT, CORE_SHL, line, 3);
    core_out(s, true, CORE_LEA, line, line, -1, code->stamps);
    tcg_out_pop(s, set);
    core_out(s, true, CORE_MOV_STORE, line, core, set, code->recent + 8);
    tcg_out_pop(s, line);
    return none;
}

/*
 * Writes how an access becomes a visit: its line is the short cut of its set from now on, and its word is appended,
 * with the place of the block and the number of the instruction.  What cannot be done here goes on behind it.
 */
static void core_out_visit(TCGContext *s, const struct core_call *call)
{
    const struct armpmu_core_code *code = armpmu_core_code;
    const TCGReg line = call->line, set = call->set, core = call->core;
    tcg_insn_unit *no_slot = NULL;

    core_out(s, true, CORE_XOR, line, core, set, code->recent);
    core_out_registers(s, false, CORE_MOV_LOAD, core, line);
    core_out_registers(s, false, CORE_BY_32, CORE_AND, core);
    tcg_out32(s, (code->sets - 1) << 4);
    core_out_registers(s, false, CORE_COMPARE, core, set);
    tcg_insn_unit *two_lines = core_out_skip(s, CORE_IF_NOT_ZERO);

    if (code->clock != 0) {
        core_out(s, true, CORE_MOV_LOAD, core, TCG_AREG0, -1, armpmu_core_at);
        no_slot = core_out_page(s, call);
    }
    core_out(s, true, CORE_MOV_LOAD, core, TCG_AREG0, -1, armpmu_core_visit_at);
    core_out_registers(s, false, CORE_TEST, 0, core);
    tcg_out32(s, code->visits - 1);
    tcg_insn_unit *full = core_out_skip(s, CORE_IF_ZERO);

    core_out_number(s, CORE_BY_8, CORE_SUB, line, call->access->store ? 2 : 14);
    core_out(s, true, CORE_MOV_STORE, line, core, -1, 0);
    tcg_out_push(s, line);
    core_out(s, true, CORE_MOV_LOAD, line, TCG_AREG0, -1, armpmu_core_next_at);
    core_out(s, false, CORE_MOV_STORE, line, core, -1, 8);
    tcg_out_pop(s, line);
    core_out(s, false, CORE_MOV_NUMBER, 0, core, -1, 12);
    tcg_out32(s, (uintptr_t)call->access->userdata >> 16);
    core_out_number(s, CORE_BY_8, CORE_ADD, core, 16);
    core_out(s, true, CORE_MOV_STORE, core, TCG_AREG0, -1, armpmu_core_visit_at);
    core_out(s, true, CORE_MOV_LOAD, core, TCG_AREG0, -1, armpmu_core_at);
    core_out(s, true, CORE_MOV_STORE, line, core, set, code->recent);
    core_out_jump_back(s, call->answered);
    if (no_slot != NULL) {
        core_skip_here(s, no_slot);
        tcg_out_pop(s, set);
        tcg_out_pop(s, line);
    }
    core_skip_here(s, two_lines);
    core_skip_here(s, full);
}

/* Writes a call that a block needs. */
static void core_out_call(TCGContext *s, const struct core_call *call)
{
    const int room = (call->saved * 32 + 15) / 16 * 16; /* the stack is aligned to 16 bytes */

    core_skip_here(s, call->from);
    if (call->access != NULL && call->access->visits) {
        core_out_visit(s, call);
    }
    core_out_registers(s, true, CORE_BY_32, CORE_SUB, TCG_REG_ESP);
    tcg_out32(s, room);
    for (int i = 0; i < call->saved; i++) {
        tcg_out_st(s, call->save[i].type, call->save[i].reg, TCG_REG_CALL_STACK, i * 32);
    }
    core_out_plugin(s, call);
    for (int i = 0; i < call->saved; i++) {
        tcg_out_ld(s, call->save[i].type, call->save[i].reg, TCG_REG_CALL_STACK, i * 32);
    }
    core_out_registers(s, true, CORE_BY_32, CORE_ADD, TCG_REG_ESP);
    tcg_out32(s, room);
    core_out_jump_back(s, call->back);
}

/* Forgets the calls of a block that was given up. */
static void armpmu_begin_calls(void)
{
    core_calls = NULL;
}

/* Writes the calls.  Returns false if the buffer is full. */
static bool armpmu_out_calls(TCGContext *s)
{
    for (; core_calls != NULL; core_calls = core_calls->next) {
        core_out_call(s, core_calls);
        if ((void *)s->code_ptr > s->code_gen_highwater) {
            return false;
        }
    }
    return true;
}

#else

static void armpmu_out_access(TCGContext *s, const TCGOp *op)
{
    g_assert_not_reached(); /* armpmu_core_answer() refuses this host */
}

static void armpmu_out_enter(TCGContext *s, uint32_t place)
{
    g_assert_not_reached();
}

static void armpmu_begin_calls(void)
{
}

static bool armpmu_out_calls(TCGContext *s)
{
    return true;
}

#endif
#endif
