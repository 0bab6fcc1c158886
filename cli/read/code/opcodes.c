/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executes instructions that are written as numbers, because the assembler lacks the register's name or the privilege:
 * ".inst 0xd53b9d00", ".word", "DCI", "WORD $0xd53b9d00".  Only those that access System registers matter, and ISB.
 */
#include <stdio.h>

#include "internal.h"

/* Writes the instruction of A64 to @text.  Returns false if it is another one. */
static bool write_a64(char text[64], uint32_t word)
{
    const unsigned op0 = word >> 19 & 3, op1 = word >> 16 & 7, crn = word >> 12 & 15, crm = word >> 8 & 15,
                   op2 = word >> 5 & 7, rt = word & 31;
    char name[32], reg[8];

    if ((word & 0xfffff0ffu) == 0xd50330dfu) {
        snprintf(text, 64, "isb");
        return true;
    }
    if ((word & 0xffd00000u) != 0xd5100000u) {
        return false;
    }
    snprintf(name, sizeof name, "S%u_%u_C%u_C%u_%u", op0, op1, crn, crm, op2);
    snprintf(reg, sizeof reg, rt == 31 ? "xzr" : "x%u", rt);
    if ((word >> 21 & 1) != 0) {
        snprintf(text, 64, "mrs %s, %s", reg, name);
    } else {
        snprintf(text, 64, "msr %s, %s", name, reg);
    }
    return true;
}

/* Writes the instruction of A32 or T32, which have the same bits, to @text.  Returns false if it is another one. */
static bool write_a32(char text[64], uint32_t word)
{
    const unsigned coproc = word >> 8 & 15;

    if ((word & 0xfffffff0u) == 0xf57ff060u || (word & 0xfffffff0u) == 0xf3bf8f60u) {
        snprintf(text, 64, "isb");
        return true;
    }
    if ((word & 0xff000010u) != 0xee000010u || coproc < 14) {
        return false;
    }
    snprintf(text, 64, "%s p%u, %u, r%u, c%u, c%u, %u", (word >> 20 & 1) != 0 ? "mrc" : "mcr", coproc, word >> 21 & 7,
             word >> 12 & 15, word >> 16 & 15, word & 15, word >> 5 & 7);
    return true;
}

bool code_do_opcode(struct code_instruction *i)
{
    static const char *const names[] = {".inst", ".inst.w", ".word", ".long", ".4byte", "word", "dci", "dci.w", "dcd"};
    char text[64];
    bool is = false;

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        is |= strcmp(i->name, names[k]) == 0;
    }
    for (unsigned n = 0; is && n < i->count; n++) {
        const struct code_value v = code_operand_constant(i, i->operands[n].text, i->operands[n].length);
        const uint32_t word = (uint32_t)v.bits;

        if (code_is_known(&v) && ((!i->w->a32 && write_a64(text, word)) || write_a32(text, word))) {
            code_execute_made(i, text);
        }
    }
    return is;
}
