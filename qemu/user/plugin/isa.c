/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the instructions of a block in A64, A32 or T32, and derives their traits and conditions. */
#include "plugin.h"

#define CPSR_T (1u << 5)

/* The instruction set and ITSTATE at the instruction that is read next. */
static bool thumb;
static uint32_t itstate;

void isa_begin(void)
{
    if (plugin.kind != APMU_PROGRAM_AARCH32) {
        return;
    }
    const uint32_t cpsr = condition_cpsr();
    thumb = cpsr & CPSR_T;
    itstate = ((cpsr >> 25) & 3) | ((cpsr >> 8) & 0xfc);
}

/* Returns the encoding of @insn, in 32-bit T32 with its first halfword on top.  Returns 0 if its size is not 2 or 4. */
static uint32_t word_of(const struct qemu_plugin_insn *insn)
{
    uint16_t half[2] = {0, 0};
    const size_t size = qemu_plugin_insn_size(insn);

    if (size != 2 && size != 4) {
        return 0;
    }
    qemu_plugin_insn_bytes(insn, half, size);
    if (size == 2) {
        return half[0];
    }
    return thumb ? (uint32_t)half[0] << 16 | half[1] : (uint32_t)half[1] << 16 | half[0];
}

/* Returns the condition in the encoding @word of an instruction with COND outside IT blocks. */
static uint8_t encoded_condition(uint32_t word)
{
    if (!thumb) {
        return (uint8_t)(word >> 28);
    }
    if (word > UINT16_MAX) { /* B */
        return (word >> 22) & 15;
    }
    return word >> 12 == 13 ? (word >> 8) & 15 : CONDITION_REGISTER;
}

/*
 * Returns true if an instruction that has a condition may change flags.  Loads, stores and instructions with S = 0 do
 * not, nor do 16-bit instructions in IT blocks, except CMP, CMN and TST.
 */
static bool sets_flags(uint32_t word, uint64_t traits)
{
    if (traits & (APMU_TRAIT_LOAD | APMU_TRAIT_STORE | APMU_TRAIT_STX | APMU_TRAIT_PREFETCH)) {
        return false;
    }
    if (thumb && word <= UINT16_MAX) {
        return word >> 11 == 5 || (word & 0xff00) == 0x4200 || (word & 0xff00) == 0x4500;
    }
    if (thumb) {
        return (word & 0xfe100000) != 0xea000000 && (word & 0xf8108000) != 0xf0000000;
    }
    return (word & 0x0c100000) != 0 || (word & 0x0d900000) == 0x01000000;
}

/* Moves ITSTATE past the instruction @word. */
static void advance_it(uint32_t word)
{
    if (word >> 8 == 0xbf && (word & 15) != 0) { /* IT */
        itstate = word & 255;
    } else {
        itstate = itstate & 7 ? (itstate & 0xe0) | ((itstate << 1) & 0x1f) : 0;
    }
}

struct isa_insn isa_insn(const struct qemu_plugin_insn *insn)
{
    struct isa_insn in = {.condition = CONDITION_NONE};

    if (plugin.kind == APMU_PROGRAM_AARCH64) {
        in.word = qemu_plugin_insn_word(insn);
        in.traits = apmu_a64_traits(in.word);
        return in;
    }
    if (qemu_plugin_insn_size(insn) == 0) { /* in the kernel's page of user helpers: QEMU does what they do */
        return in;
    }
    const bool in_it = thumb && itstate != 0;
    in.word = word_of(insn);
    in.traits = thumb ? apmu_t32_traits(in.word, in_it) : apmu_a32_traits(in.word);
    if (in.traits & APMU_TRAIT_COND) {
        in.condition = in_it ? (uint8_t)(itstate >> 4) : encoded_condition(in.word);
    }
    in.sets_flags = sets_flags(in.word, in.traits);
    if (thumb) {
        advance_it(in.word);
    }
    return in;
}

enum stream_isa isa_now(void)
{
    return plugin.kind == APMU_PROGRAM_AARCH64 ? STREAM_A64 : thumb ? STREAM_T32 : STREAM_A32;
}

unsigned isa_alignment(uint32_t word)
{
    if (plugin.kind == APMU_PROGRAM_AARCH64) {
        return apmu_a64_alignment(word);
    }
    return thumb ? apmu_t32_alignment(word) : apmu_a32_alignment(word);
}
