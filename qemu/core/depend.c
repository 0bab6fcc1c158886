/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds loads whose address depends on loads before, for A64.
 *
 * A register has a depth: 0 if an instruction that is no load wrote it, else one more than the depth of the registers
 * from which its load took the address.  Copies, additions to a register and the like keep the depth.  A load depends
 * on those before it if its address has depth 3: so lists, trees and chains of a hash table are chains from their
 * fourth link on, and an array of pointers is none.  stream.loaded[n] is the set of registers of depth n + 1 or more.
 */
#include <string.h>

#include "../classify/traits.h"
#include "stream.h"

#define REGISTERS 31u
#define LOST 255 /* the source of a value that is no copy of a register's */

static unsigned field(uint32_t word, unsigned low)
{
    return word >> low & 31;
}

/* Returns a set of one register, or of none for 31. */
static uint32_t set_of(unsigned reg)
{
    return reg < REGISTERS ? UINT32_C(1) << reg : 0;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Encodings.
 */

/* What an instruction that does not load does to a register. */
struct move {
    unsigned to, from; /* REGISTERS or more: none */
};

/* Data processing with an immediate. */
static struct move move_by_immediate(uint32_t word)
{
    const bool add = (word & 0x1f000000) == 0x11000000, logical = (word & 0x1f800000) == 0x12000000;
    const bool bitfield = (word & 0x1f800000) == 0x13000000;

    return (struct move){field(word, 0), add || logical || bitfield ? field(word, 5) : REGISTERS};
}

/* Data processing with registers. */
static struct move move_by_register(uint32_t word)
{
    const bool orr = (word & 0x7f200000) == 0x2a000000, add = (word & 0x1f000000) == 0x0b000000;
    const bool select = (word & 0x1fe00000) == 0x1a800000;

    if (orr && field(word, 5) == 31) { /* MOV */
        return (struct move){field(word, 0), field(word, 16)};
    }
    return (struct move){field(word, 0), add || select ? field(word, 5) : REGISTERS};
}

/* Returns what @insn, which is no load, does to a register. */
static struct move move_of(const struct stream_insn *insn)
{
    const uint32_t word = insn->word;

    if (insn->traits & APMU_TRAIT_LINK) {
        return (struct move){30, REGISTERS};
    }
    if (insn->traits & APMU_TRAIT_SVC) {
        return (struct move){0, REGISTERS};
    }
    if (insn->traits & APMU_TRAIT_STX) {
        return (struct move){field(word, 16), REGISTERS};
    }
    if (insn->traits & (APMU_TRAIT_STORE | APMU_TRAIT_PREFETCH) || !(insn->traits & APMU_TRAIT_DP)) {
        return (struct move){REGISTERS, REGISTERS};
    }
    switch (word >> 25 & 15) {
    case 8:
    case 9:
        return move_by_immediate(word);
    case 5:
    case 13:
        return move_by_register(word);
    default:
        return (struct move){field(word, 0), REGISTERS};
    }
}

void stream_moves_of(const struct stream_code *code, size_t from, size_t to, struct stream_moves *moves)
{
    uint8_t source[32];
    unsigned copies = 0;

    memset(moves, 0, sizeof *moves);
    if (code->isa != STREAM_A64) {
        return;
    }
    for (unsigned r = 0; r < 32; r++) {
        source[r] = (uint8_t)r;
    }
    for (size_t i = from; i < to; i++) {
        const struct move m = move_of(&code->insns[i]);

        if (m.to < REGISTERS) {
            source[m.to] = m.from < REGISTERS ? source[m.from] : LOST;
        }
    }
    for (unsigned r = 0; r < REGISTERS; r++) {
        if (source[r] == r) {
            continue;
        }
        moves->written |= set_of(r);
        if (source[r] != LOST && copies < STREAM_COPIES) {
            moves->copied |= set_of(source[r]);
            moves->copy[copies].from = source[r];
            moves->copy[copies++].to = (uint8_t)r;
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Execution.
 */

void stream_move_slow(struct stream *s, const struct stream_moves *moves)
{
    for (unsigned depth = 0; depth < 3; depth++) {
        const uint32_t old = s->loaded[depth];
        uint32_t now = old & ~moves->written;

        for (unsigned i = 0; i < STREAM_COPIES && moves->copy[i].from != moves->copy[i].to; i++) {
            now |= (old >> moves->copy[i].from & 1) << moves->copy[i].to;
        }
        s->loaded[depth] = now;
    }
}
