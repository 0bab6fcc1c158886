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

/* The register that has the core's address.  Calls leave it as it is, and the register allocator does not know it. */
enum { CORE_REG = TCG_REG_R14 };

/* Writes what the prologue does.  The plugin has said by then whether there is a core. */
static void armpmu_out_prologue(TCGContext *s)
{
    if (armpmu_core_code != NULL) {
        tcg_out_ld(s, TCG_TYPE_PTR, CORE_REG, TCG_AREG0, armpmu_core_at);
        tcg_regset_set_reg(s->reserved_regs, CORE_REG);
    }
}

/* A call behind the block's code. */
struct core_call {
    struct core_call *next;
    tcg_insn_unit *from; /* the displacement of the jump that leads to it, 4 bytes */
    tcg_insn_unit *back; /* where it returns to */
    const struct armpmu_core_access *access; /* NULL: the list of blocks is full */
    TCGReg address;
    TCGReg end, set; /* of core_out_access() */
    tcg_insn_unit *answered; /* where it goes on after a visit */
    int saved;
    struct {
        TCGReg reg;
        TCGType type;
    } save[TCG_TARGET_NB_REGS];
};

/* Those of the block that is translated, and its accesses that are counted together.  QEMU translates under a lock. */
static struct core_call *core_calls;
static const struct armpmu_core_counts *core_counts;

enum {
    CORE_MOV_LOAD = 0x8b, CORE_MOV_STORE = 0x89, CORE_LEA = 0x8d, CORE_SHIFT = 0xc1, CORE_BY_8 = 0x83,
    CORE_BY_32 = 0x81, CORE_MOV_NUMBER = 0xc7, CORE_MOV_BYTE = 0xc6, CORE_TEST = 0xf7, CORE_INC = 0xff,
    CORE_MOV_64 = 0xb8, CORE_COMPARE = 0x3b, CORE_JUMP = 0xe9,
};
/* What the instructions above do whose second operand is a number: the field reg. */
enum { CORE_ADD = 0, CORE_OR = 1, CORE_AND = 4, CORE_SUB = 5, CORE_XOR = 6, CORE_CALL = 2, CORE_SHL = 4, CORE_SHR = 5 };

/* Writes @opcode with @reg and memory at @base + (@index << @scale) + @offset; @index -1: none; @wide: of 64 bits. */
static void core_out_scaled(TCGContext *s, bool wide, int opcode, int reg, int base, int index, int scale,
                            int32_t offset)
{
    const bool near = offset == (int8_t)offset, sib = index >= 0 || (base & 7) == 4;
    const int rex = 0x40 | wide << 3 | (reg >> 3 & 1) << 2 | (index >= 0 ? index >> 3 & 1 : 0) << 1 | (base >> 3 & 1);

    if (rex != 0x40) {
        tcg_out8(s, rex);
    }
    tcg_out8(s, opcode);
    tcg_out8(s, (near ? 0x40 : 0x80) | (reg & 7) << 3 | (sib ? 4 : base & 7));
    if (sib) {
        tcg_out8(s, scale << 6 | (index >= 0 ? index & 7 : 4) << 3 | (base & 7));
    }
    if (near) {
        tcg_out8(s, offset);
    } else {
        tcg_out32(s, offset);
    }
}

/* Writes @opcode likewise, with memory at @base + @offset. */
static void core_out(TCGContext *s, bool wide, int opcode, int reg, int base, int32_t offset)
{
    core_out_scaled(s, wide, opcode, reg, base, -1, 0, offset);
}

/* Writes @opcode with 64 bits that lie @set behind @place in the core, as those of the set whose offset is @set do. */
static void core_out_set(TCGContext *s, int opcode, int reg, int set, int32_t place)
{
    core_out_scaled(s, true, opcode, reg, CORE_REG, set, 0, place);
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

/* Writes what @what does with 64 bits of memory at @place in the core and @number. */
static void core_out_memory(TCGContext *s, int what, int32_t place, int32_t number)
{
    const bool near = number == (int8_t)number;

    core_out(s, true, near ? CORE_BY_8 : CORE_BY_32, what, CORE_REG, place);
    if (near) {
        tcg_out8(s, number);
    } else {
        tcg_out32(s, number);
    }
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
enum { CORE_IF_ZERO = 4, CORE_IF_NOT_ZERO = 5 };

/*
 * Writes the stamp of the page of access @a, whose set is in @set.  The clock has moved on for all accesses of the
 * block that are counted together, so a stamp lies before it by as many as come after this one.
 */
static void core_out_stamp(TCGContext *s, const struct armpmu_core_access *a, TCGReg set, TCGReg now)
{
    const struct armpmu_core_code *code = armpmu_core_code;
    const uint32_t behind = a->counts != NULL ? a->counts->loads + a->counts->stores - a->number : 0;

    core_out_set(s, CORE_MOV_LOAD, set, set, code->stamp);
    core_out(s, true, CORE_MOV_LOAD, now, CORE_REG, code->clock);
    if (a->counts == NULL) {
        core_out_registers(s, true, CORE_INC, 0, now);
    } else if (behind != 0) {
        core_out(s, true, CORE_LEA, now, now, -(int32_t)behind);
    }
    core_out_set(s, CORE_MOV_STORE, now, set, 0);
    if (a->counts == NULL) {
        core_out_memory(s, CORE_ADD, code->clock, code->step);
    }
}

/* Writes what makes an address in @reg the offset of the short cut of its set. */
static void core_out_offset(TCGContext *s, TCGReg reg)
{
    const struct armpmu_core_code *code = armpmu_core_code;

    if (code->line_shift > code->cut_shift) {
        core_out_number(s, CORE_SHIFT, CORE_SHR, reg, code->line_shift - code->cut_shift);
    } else if (code->line_shift < code->cut_shift) {
        core_out_number(s, CORE_SHIFT, CORE_SHL, reg, code->cut_shift - code->line_shift);
    }
    core_out_registers(s, false, CORE_BY_32, CORE_AND, reg);
    tcg_out32(s, (code->sets - 1) << code->cut_shift);
}

/* Writes the comparison of the line of an access with the one that its set used last. */
static void core_out_access(TCGContext *s, const struct armpmu_core_access *a, TCGReg address)
{
    const struct armpmu_core_code *code = armpmu_core_code;
    TCGRegSet taken = s->reserved_regs;

    tcg_regset_set_reg(taken, address);
    const TCGReg end = tcg_reg_alloc(s, tcg_target_available_regs[TCG_TYPE_I64], taken, 0, false);

    tcg_regset_set_reg(taken, end);
    const TCGReg set = tcg_reg_alloc(s, tcg_target_available_regs[TCG_TYPE_I64], taken, 0, false);

    core_out(s, true, CORE_LEA, end, address, (int)a->size - 1 - (int)a->before);
    if (a->before != 0) {
        core_out(s, true, CORE_LEA, set, address, -(int)a->before);
    } else {
        core_out_registers(s, true, CORE_MOV_LOAD, set, address);
    }
    core_out_registers(s, true, code->line_shift < 8 ? CORE_BY_8 : CORE_BY_32, CORE_OR, end);
    if (code->line_shift < 8) {
        tcg_out8(s, (1 << code->line_shift) - 1);
    } else {
        tcg_out32(s, (1 << code->line_shift) - 1);
    }
    core_out_offset(s, set);
    core_out_set(s, CORE_COMPARE, end, set, a->store ? code->stored : code->recent);
    struct core_call *call = core_out_jump(s, CORE_IF_NOT_ZERO, a, address);

    call->end = end;
    call->set = set;
    call->answered = s->code_ptr;
    if (a->counts == NULL) {
        core_out_memory(s, CORE_ADD, a->store ? code->stores : code->loads, 1);
    }
    if (code->clock != 0) {
        core_out_stamp(s, a, set, end);
    }
    call->back = s->code_ptr;
}

/* Writes the count of the accesses @c of a block. */
static void armpmu_out_count(TCGContext *s, const struct armpmu_core_counts *c)
{
    const struct armpmu_core_code *code = armpmu_core_code;

    core_counts = c;
    if (c->loads != 0) {
        core_out_memory(s, CORE_ADD, code->loads, c->loads);
    }
    if (c->stores != 0) {
        core_out_memory(s, CORE_ADD, code->stores, c->stores);
    }
    if (code->clock != 0) {
        core_out_memory(s, CORE_ADD, code->clock, c->loads + c->stores);
    }
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

    core_out(s, true, CORE_MOV_LOAD, reg, TCG_AREG0, armpmu_core_next_at);
    core_out(s, false, CORE_MOV_NUMBER, 0, reg, 0);
    tcg_out32(s, place);
    core_out_number(s, CORE_BY_8, CORE_ADD, reg, 4);
    core_out(s, true, CORE_MOV_STORE, reg, TCG_AREG0, armpmu_core_next_at);
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
        core_out(s, true, CORE_LEA, TCG_REG_RDX, call->address, -(int)a->before);
        core_out_64(s, TCG_REG_RCX, (uintptr_t)a->userdata);
        core_out_64(s, TCG_REG_RSI, a->info);
        core_out_64(s, TCG_REG_RAX, (uintptr_t)a->call);
    } else {
        core_out_64(s, TCG_REG_RSI, 0);
        core_out_64(s, TCG_REG_RAX, (uintptr_t)armpmu_core_code->full);
    }
    core_out(s, false, CORE_MOV_LOAD, TCG_REG_RDI, TCG_AREG0, armpmu_core_vcpu_at);
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

/* Returns a register that call @call does not need, which it has to save. */
static TCGReg core_other_register(const struct core_call *call)
{
    TCGReg reg = TCG_REG_EAX;

    while (reg == call->end || reg == call->set || reg == call->address || reg == TCG_AREG0 || reg == CORE_REG ||
           reg == TCG_REG_CALL_STACK) {
        reg++;
    }
    return reg;
}

/*
 * Writes what makes the entry of its page lead to the line, and the reverse.  It changes @reg.  Returns a jump for the
 * case that its page has no slot, with call->set on the stack.
 */
static tcg_insn_unit *core_out_page(TCGContext *s, const struct core_call *call, TCGReg reg)
{
    const struct armpmu_core_code *code = armpmu_core_code;
    const TCGReg end = call->end, set = call->set;

    tcg_out_push(s, set);
    core_out_registers(s, true, CORE_MOV_LOAD, reg, end);
    core_out_number(s, CORE_SHIFT, CORE_SHR, reg, code->page_shift);
    core_out_registers(s, false, CORE_MOV_LOAD, set, reg);
    core_out_registers(s, false, CORE_BY_32, CORE_AND, set);
    tcg_out32(s, code->slot_count - 1);
    core_out_number(s, CORE_SHIFT, CORE_SHL, set, 4);
    core_out_registers(s, true, CORE_INC, 0, reg);
    core_out_set(s, CORE_COMPARE, reg, set, code->slots);
    tcg_insn_unit *none = core_out_skip(s, CORE_IF_NOT_ZERO);

    core_out_set(s, CORE_MOV_LOAD, reg, set, code->slots + 8);
    core_out_registers(s, true, CORE_MOV_LOAD, set, end);
    core_out_number(s, CORE_SHIFT, CORE_SHR, set, code->note_shift);
    core_out_registers(s, false, CORE_BY_32, CORE_AND, set);
    tcg_out32(s, code->note_mask);
    core_out_number(s, CORE_SHIFT, CORE_SHL, reg, 3);
    core_out_scaled(s, true, CORE_LEA, set, set, reg, 3, code->noted); /* 64 bytes an entry */
    core_out_scaled(s, false, CORE_MOV_BYTE, 0, CORE_REG, set, 0, 0);
    tcg_out8(s, 1);
    tcg_out_pop(s, set);
    core_out(s, true, CORE_LEA, reg, reg, code->entry_stamps);
    core_out_set(s, CORE_MOV_STORE, reg, set, code->stamp);
    return none;
}

/* Fills in where the words of a short cut are that a second one has, too.  Returns their number. */
static unsigned core_cut_words(int32_t place[3])
{
    place[0] = armpmu_core_code->recent;
    place[1] = armpmu_core_code->stored;
    place[2] = armpmu_core_code->stamp;
    return armpmu_core_code->clock != 0 ? 3 : 2;
}

/* Writes the swap of the two short cuts of a set, for an access that the second one answers.  It changes @reg. */
static void core_out_swap(TCGContext *s, const struct core_call *call, TCGReg reg)
{
    const struct armpmu_core_code *code = armpmu_core_code;
    int32_t places[3];
    const unsigned words = core_cut_words(places);
    const TCGReg end = call->end, set = call->set;

    core_out_set(s, CORE_COMPARE, end, set, code->second + (call->access->store ? code->stored : code->recent));
    tcg_insn_unit *other = core_out_skip(s, CORE_IF_NOT_ZERO);

    for (unsigned i = 0; i < words; i++) {
        core_out_set(s, CORE_MOV_LOAD, reg, set, places[i]);
        core_out_set(s, CORE_MOV_LOAD, end, set, places[i] + code->second);
        core_out_set(s, CORE_MOV_STORE, end, set, places[i]);
        core_out_set(s, CORE_MOV_STORE, reg, set, places[i] + code->second);
    }
    core_out_scaled(s, false, CORE_BY_32, CORE_XOR, CORE_REG, set, 0, code->swapped);
    tcg_out32(s, code->swap);
    tcg_out_pop(s, reg);
    core_out_jump_back(s, call->answered);
    core_skip_here(s, other);
}

/* Writes what makes the short cut of a set the second one, unless it leads to the line of the access. */
static void core_out_keep_second(TCGContext *s, const struct core_call *call, TCGReg reg)
{
    const struct armpmu_core_code *code = armpmu_core_code;
    int32_t places[3];
    const unsigned words = core_cut_words(places);

    core_out_set(s, CORE_COMPARE, call->end, call->set, code->recent);
    tcg_insn_unit *same = core_out_skip(s, CORE_IF_ZERO);

    for (unsigned i = 0; i < words; i++) {
        core_out_set(s, CORE_MOV_LOAD, reg, call->set, places[i]);
        core_out_set(s, CORE_MOV_STORE, reg, call->set, places[i] + code->second);
    }
    core_skip_here(s, same);
}

/* Writes the short cut of the set of an access, which leads to its line then. */
static void core_out_short_cut(TCGContext *s, const struct core_call *call)
{
    const struct armpmu_core_code *code = armpmu_core_code;

    core_out_set(s, CORE_MOV_STORE, call->end, call->set, code->recent);
    if (call->access->store) {
        core_out_set(s, CORE_MOV_STORE, call->end, call->set, code->stored);
    } else {
        core_out_set(s, CORE_MOV_NUMBER, 0, call->set, code->stored);
        tcg_out32(s, 0);
    }
}

/*
 * Writes how an access becomes a visit: its line is the short cut of its set from now on, and its word is appended,
 * with the place of the block and the number of the instruction.  What cannot be done here goes on behind it.
 */
static void core_out_visit(TCGContext *s, const struct core_call *call)
{
    const struct armpmu_core_code *code = armpmu_core_code;
    const TCGReg end = call->end, reg = core_other_register(call);
    tcg_insn_unit *no_slot = NULL;

    tcg_out_push(s, reg);
    if (code->second != 0) {
        core_out_swap(s, call, reg);
    }
    core_out_registers(s, true, CORE_MOV_LOAD, reg, end);
    core_out_offset(s, reg);
    core_out_registers(s, false, CORE_COMPARE, reg, call->set);
    tcg_insn_unit *two_lines = core_out_skip(s, CORE_IF_NOT_ZERO);

    core_out(s, true, CORE_MOV_LOAD, reg, TCG_AREG0, armpmu_core_visit_at);
    core_out_registers(s, false, CORE_TEST, 0, reg);
    tcg_out32(s, code->visits - 1);
    tcg_insn_unit *full = core_out_skip(s, CORE_IF_ZERO);

    if (code->second != 0) {
        core_out_keep_second(s, call, reg);
    }
    if (code->clock != 0) {
        no_slot = core_out_page(s, call, reg);
    }
    core_out_short_cut(s, call);
    core_out(s, true, CORE_MOV_LOAD, reg, TCG_AREG0, armpmu_core_visit_at);
    core_out_number(s, CORE_SHIFT, CORE_SHR, end, code->line_shift - 4); /* the word, but for flags: all are set */
    core_out_number(s, CORE_BY_8, CORE_SUB, end, call->access->store ? 2 : 14);
    core_out(s, true, CORE_MOV_STORE, end, reg, 0);
    core_out(s, true, CORE_MOV_LOAD, end, TCG_AREG0, armpmu_core_next_at);
    core_out(s, false, CORE_MOV_STORE, end, reg, 8);
    core_out_scaled(s, false, CORE_MOV_LOAD, end, CORE_REG, call->set, 0, code->swapped);
    core_out_registers(s, false, CORE_BY_32, CORE_OR, end);
    tcg_out32(s, (uintptr_t)call->access->userdata >> 16);
    core_out(s, false, CORE_MOV_STORE, end, reg, 12);
    core_out_scaled(s, false, CORE_MOV_NUMBER, 0, CORE_REG, call->set, 0, code->swapped);
    tcg_out32(s, 0);
    core_out_number(s, CORE_BY_8, CORE_ADD, reg, 16);
    core_out(s, true, CORE_MOV_STORE, reg, TCG_AREG0, armpmu_core_visit_at);
    tcg_out_pop(s, reg);
    core_out_jump_back(s, call->answered);
    if (no_slot != NULL) {
        core_skip_here(s, no_slot);
        tcg_out_pop(s, call->set);
    }
    core_skip_here(s, two_lines);
    core_skip_here(s, full);
    tcg_out_pop(s, reg);
}

/* Writes a call that a block needs. */
static void core_out_call(TCGContext *s, const struct core_call *call)
{
    const int room = (call->saved * 32 + 15) / 16 * 16; /* the stack is aligned to 16 bytes */

    core_skip_here(s, call->from);
    if (call->access != NULL && call->access->visits) {
        core_out_visit(s, call);
    }
    if (call->access != NULL && call->access->counts != NULL) { /* who is called counts it, too */
        core_out_memory(s, CORE_SUB, call->access->store ? armpmu_core_code->stores : armpmu_core_code->loads, 1);
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
    core_counts = NULL;
}

/*
 * Writes which accesses the block counts together, for armpmu_core_leave_early(): their number, and for each twice the
 * number of its instruction, plus 1 for a store, 16 bits each.
 */
static void core_out_list(TCGContext *s)
{
    s->gen_tb->armpmu_accesses = 0;
    if (core_counts == NULL || core_counts->loads + core_counts->stores == 1) {
        return;
    }
    while (tcg_current_code_size(s) % 2 != 0) {
        tcg_out8(s, 0);
    }
    s->gen_tb->armpmu_accesses = tcg_current_code_size(s);
    tcg_out16(s, core_counts->loads + core_counts->stores);
    for (const struct armpmu_core_access *a = core_counts->first; a != NULL; a = a->next) {
        tcg_out16(s, (uintptr_t)a->userdata >> 16 << 1 | a->store);
    }
}

/* Writes the calls, and what counts have to be taken back.  Returns false if the buffer is full. */
static bool armpmu_out_calls(TCGContext *s)
{
    core_out_list(s);
    for (; core_calls != NULL; core_calls = core_calls->next) {
        core_out_call(s, core_calls);
        if ((void *)s->code_ptr > s->code_gen_highwater) {
            return false;
        }
    }
    return true;
}

#else

static void armpmu_out_prologue(TCGContext *s)
{
}

static void armpmu_out_count(TCGContext *s, const struct armpmu_core_counts *c)
{
    g_assert_not_reached(); /* armpmu_core_answer() refuses this host */
}

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
    s->gen_tb->armpmu_accesses = 0;
    return true;
}

#endif
#endif
