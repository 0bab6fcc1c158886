/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes host code of the operations that add to memory at a constant address.  QEMU's tcg.c includes it. */
#ifndef ARMPMU_EMULATOR_HOST_ADD_H
#define ARMPMU_EMULATOR_HOST_ADD_H

/* Writes an instruction that adds @value, at most 2^31 - 1, to 64 bits at @address.  It changes the host's flags. */
static void armpmu_out_add(TCGContext *s, uintptr_t address, uint64_t value)
{
#if defined(__x86_64__) && !defined(CONFIG_TCG_INTERPRETER)
    enum { REX_W = 0x48, INC = 0xff, ADD_IMM8 = 0x83, ADD_IMM32 = 0x81, RIP_RELATIVE = 0x05 };
    const int opcode = value == 1 ? INC : value <= INT8_MAX ? ADD_IMM8 : ADD_IMM32;
    const int immediate = opcode == INC ? 0 : opcode == ADD_IMM8 ? 1 : 4;

    tcg_out8(s, REX_W);
    tcg_out8(s, opcode);
    tcg_out8(s, RIP_RELATIVE);
    intptr_t distance = address - (uintptr_t)tcg_splitwx_to_rx(s->code_ptr) - 4 - immediate;
    tcg_debug_assert(distance == (int32_t)distance);
    tcg_out32(s, distance);
    if (immediate == 1) {
        tcg_out8(s, value);
    } else if (immediate == 4) {
        tcg_out32(s, value);
    }
#else
    g_assert_not_reached(); /* armpmu_emit_add() emits no such operation for this host */
#endif
}

/*
 * Makes host code of @op, which adds 1 at a constant address if its first argument has one of the bits of the second,
 * at most 127.  It changes the host's flags.
 */
static void armpmu_out_check(TCGContext *s, const TCGOp *op)
{
#if defined(__x86_64__) && !defined(CONFIG_TCG_INTERPRETER)
    enum { REX = 0x40, REX_B = 1, TEST_IMM8 = 0xf6, REGISTER = 0xc0, JZ = 0x74, INC_LENGTH = 7 };
    TCGTemp *ts = arg_temp(op->args[0]);

    temp_load(s, ts, tcg_target_available_regs[ts->type], s->reserved_regs, 0);
    tcg_out8(s, REX | (ts->reg >= 8 ? REX_B : 0));
    tcg_out8(s, TEST_IMM8);
    tcg_out8(s, REGISTER | (ts->reg & 7));
    tcg_out8(s, op->args[1]);
    tcg_out8(s, JZ);
    tcg_out8(s, INC_LENGTH);
    armpmu_out_add(s, op->args[2], 1);
    if (op->life & DEAD_ARG) {
        temp_dead(s, ts);
    }
#else
    g_assert_not_reached(); /* armpmu_emit_check() emits no such operation for this host */
#endif
}

#endif
