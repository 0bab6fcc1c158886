/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the blocks of an emulator: lines of code, the branch at the end, and accesses to memory. */
#include <string.h>

#include "../classify/a64.h"
#include "../classify/traits.h"
#include "stream.h"

#define ACCESSES (APMU_TRAIT_LOAD | APMU_TRAIT_STORE | APMU_TRAIT_STX)
#define BRANCHES (APMU_TRAIT_BRANCH_IMM | APMU_TRAIT_BRANCH_REG)

/* Returns the low @bits bits of @value as a signed number. */
static int64_t sign(uint32_t value, unsigned bits)
{
    const int64_t top = INT64_C(1) << (bits - 1);

    return ((int64_t)(value & (uint32_t)(2 * top - 1)) ^ top) - top;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Targets of direct branches, less the address of the branch.
 */

static int64_t reach_a64(uint32_t word)
{
    if ((word & 0x7c000000) == 0x14000000) { /* B, BL */
        return sign(word, 26) * 4;
    }
    if ((word & 0x7e000000) == 0x36000000) { /* TBZ, TBNZ */
        return sign(word >> 5, 14) * 4;
    }
    if ((word & 0x7e000000) == 0x74000000) { /* CB<cc> */
        return sign(word >> 5, 9) * 4;
    }
    return sign(word >> 5, 19) * 4;
}

static int64_t reach_a32(uint32_t word)
{
    const int64_t half = word >> 28 == 15 ? (word >> 24 & 1) * 2 : 0; /* BLX */

    return 8 + sign(word, 24) * 4 + half;
}

/* The 32-bit branches of T32.  @aligned: the address of the branch is a multiple of 4. */
static int64_t reach_t32_long(uint32_t word, bool aligned)
{
    const uint32_t s = word >> 26 & 1, j1 = word >> 13 & 1, j2 = word >> 11 & 1, low = word & 0x7ff;

    if ((word & 0xd000) == 0x8000) { /* B with a condition */
        return 4 + sign(s << 19 | j2 << 18 | j1 << 17 | (word >> 16 & 0x3f) << 11 | low, 20) * 2;
    }
    const uint32_t i1 = 1 ^ j1 ^ s, i2 = 1 ^ j2 ^ s;
    const int64_t far = sign(s << 23 | i1 << 22 | i2 << 21 | (word >> 16 & 0x3ff) << 11 | low, 24) * 2;

    return 4 + far - ((word & 0xd000) == 0xc000 && !aligned ? 2 : 0); /* BLX: from the word of the branch */
}

static int64_t reach_t32(uint32_t word, bool aligned)
{
    if (word > UINT16_MAX) {
        return reach_t32_long(word, aligned);
    }
    if (word >> 12 == 11) { /* CBZ, CBNZ */
        return 4 + (int64_t)((word >> 9 & 1) << 6 | (word >> 3 & 31) << 1);
    }
    return 4 + (word >> 12 == 13 ? sign(word, 8) : sign(word, 11)) * 2;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Blocks.
 */

/* Returns the kind of branch of an instruction with @traits. */
static uint8_t kind_of(uint64_t traits, uint8_t bytes)
{
    unsigned kind = traits & APMU_TRAIT_LINK ? APMU_CORE_CALL : APMU_CORE_JUMP;

    if ((traits & BRANCHES) == 0) {
        return STREAM_NO_BRANCH;
    }
    if (traits & APMU_TRAIT_BRANCH_REG) {
        kind = traits & APMU_TRAIT_RETURN ? APMU_CORE_RETURN
               : traits & APMU_TRAIT_LINK ? APMU_CORE_INDIRECT_CALL
                                          : APMU_CORE_INDIRECT;
    }
    return (uint8_t)(kind | (traits & APMU_TRAIT_COND ? APMU_CORE_CONDITIONAL : 0) |
                     (bytes == 2 ? APMU_CORE_NARROW : 0));
}

/* Describes the end of the block. */
static void describe_end(const struct stream_code *code, struct stream_block *block)
{
    const struct stream_insn *last = &code->insns[code->count - 1];
    const bool aligned = (last->address & 3) == 0;

    block->last = last->bytes;
    block->insns = (uint16_t)(code->count - (last->traits & APMU_TRAIT_TRAP ? 1 : 0));
    block->kind = kind_of(last->traits, last->bytes);
    block->direct = (last->traits & APMU_TRAIT_BRANCH_IMM) != 0;
    block->skips = block->direct && (block->kind & APMU_CORE_CONDITIONAL) != 0;
    block->anywhere = !block->direct && block->kind != STREAM_NO_BRANCH;
    block->end = block->address + block->bytes;
    block->target = UINT64_MAX;
    if (block->direct) {
        block->reach = (int32_t)((int64_t)(block->bytes - last->bytes) +
                                 (code->isa == STREAM_A64   ? reach_a64(last->word)
                                  : code->isa == STREAM_A32 ? reach_a32(last->word)
                                                            : reach_t32(last->word, aligned)));
        block->target = block->address + (uint64_t)(int64_t)block->reach;
    }
}

static void add_line(struct stream_block *block, size_t index, uint64_t address, uint64_t size)
{
    block->lines[block->line_count++] = (struct stream_line){address, (uint32_t)index, (uint32_t)size};
}

/* Describes where instructions begin another line. */
static void describe_lines(const struct stream_code *code, struct stream_block *block)
{
    uint64_t line = code->insns[0].address >> code->line_shift;

    for (size_t i = 0; i < code->count; i++) {
        const uint64_t from = code->insns[i].address, end = from + code->insns[i].bytes;
        const uint64_t border = ((end - 1) >> code->line_shift) << code->line_shift;

        if (from >> code->line_shift != line) {
            add_line(block, i, from, (border > from ? border : end) - from);
        }
        if (border > from) {
            add_line(block, i, border, end - border);
        }
        if (i == 0) {
            block->first = (uint8_t)((border > from ? border : end) - from);
        }
        line = (end - 1) >> code->line_shift;
    }
}

/* Returns whether @insn reads or writes memory. */
static bool accesses(const struct stream_insn *insn)
{
    return (insn->traits & ACCESSES) != 0;
}

/* Returns the number of the instruction behind the last one before @index that loads; 0 if there is none. */
static size_t behind_load(const struct stream_code *code, size_t index)
{
    while (index > 0 && (code->insns[index - 1].traits & APMU_TRAIT_LOAD) == 0) {
        index--;
    }
    return index;
}

size_t stream_describe(const struct stream_code *code, struct stream_block *block)
{
    const uint8_t bytes = code->insns[0].bytes;

    memset(block, 0, sizeof *block);
    block->address = code->insns[0].address;
    block->fixed = bytes;
    for (size_t i = 0; i < code->count; i++) {
        block->bytes += code->insns[i].bytes;
        block->fixed = code->insns[i].bytes == bytes ? block->fixed : 0;
    }
    describe_end(code, block);
    describe_lines(code, block);
    stream_moves_of(code, behind_load(code, code->count), code->count, &block->moves);
    return sizeof *block + block->line_count * sizeof block->lines[0];
}

/* ---------------------------------------------------------------------------------------------------------------
 * Accesses.
 */

/* Returns the bytes of the structures that @word, LD1 to LD4 or ST1 to ST4 of A64, accesses. */
static unsigned structure_bytes(uint32_t word)
{
    static const uint8_t registers[16] = {4, 0, 4, 0, 3, 0, 3, 1, 2, 0, 2};

    if ((word & 0xbf000000) == 0x0c000000) {
        return registers[word >> 12 & 15] * (word & 0x40000000 ? 16u : 8u);
    }
    return ((word >> 21 & 1) + 1 + (word >> 13 & 1) * 2) * apmu_a64_alignment(word);
}

/* Returns the bytes that the load or store @word of A64 accesses, 0 if its encoding does not tell. */
static unsigned bytes_a64(uint32_t word)
{
    const bool pair = (word & 0x3a000000) == 0x28000000;

    if ((word & 0x1e000000) == 0x04000000 || (word & 0x9e000000) == 0x80000000 || /* SVE, SME */
        (word & 0x3b200c00) == 0x19000400 || (word & 0xff200000) == 0xd9200000 || /* memory copies, tags */
        (word & 0x3f200c00) == 0x19000800 || (word & 0xff000000) == 0xd5000000) { /* LDIAPP, STILP; DC ZVA */
        return 0;
    }
    if ((word & 0xbe000000) == 0x0c000000) {
        return structure_bytes(word);
    }
    if ((word & 0xfffffc00) == 0xf83fd000 || (word & 0xfffffc00) == 0xf83f9000 || (word & 0xffe0ec00) == 0xf820a000) {
        return 64; /* LD64B, ST64B, ST64BV, ST64BV0 */
    }
    if (pair) {
        return (word & 0xfe400000) == 0x68000000 ? 16 : 2 * apmu_a64_alignment(word); /* STGP */
    }
    return apmu_a64_alignment(word);
}

static unsigned bits_set(uint32_t set)
{
    unsigned n = 0;

    for (; set != 0; set &= set - 1) {
        n++;
    }
    return n;
}

/* Returns the bytes of an LDM, STM, VLDM or VSTM, in the encoding of A32 from bit 27 on; 0 for others. */
static unsigned bytes_multiple(uint32_t word)
{
    if ((word & 0x0e000000) == 0x08000000) {
        return 4 * bits_set(word & 0xffff);
    }
    if ((word & 0x0e000e00) == 0x0c000a00 && (word & 0x01200000) != 0x01000000) { /* VLDM; not VLDR */
        return (word & 0xff & ~(word >> 8 & 1)) * 4;
    }
    return 0;
}

/* Returns the bytes that @word of T32 accesses if it accesses several registers, else 0. */
static unsigned bytes_t32(uint32_t word)
{
    if (word <= UINT16_MAX) {
        const bool push = (word & 0xf600) == 0xb400, multiple = (word & 0xf000) == 0xc000;

        return push ? 4 * bits_set(word & 0x1ff) : multiple ? 4 * bits_set(word & 0xff) : 0;
    }
    if ((word & 0xfe400000) == 0xe8400000) { /* exclusives; LDRD and STRD */
        return (word & 0x01200000) == 0 ? 0 : 8;
    }
    if ((word & 0xff800000) == 0xe8000000 || (word & 0xff800000) == 0xe9800000) { /* SRS, RFE */
        return 8;
    }
    return (word & 0xec000000) == 0xec000000 || (word & 0xfe400000) == 0xe8000000 ? bytes_multiple(word) : 0;
}

/* Returns the bytes that @word of A32 accesses if it accesses several registers, else 0. */
static unsigned bytes_a32(uint32_t word)
{
    const bool dual = (word & 0x0e1000d0) == 0x000000d0, state = (word & 0xfe000000) == 0xf8000000; /* SRS, RFE */

    return dual || state ? 8 : bytes_multiple(word);
}

/* Returns the set of register @reg, of which the lowest five bits count; 31 is the stack pointer or zero. */
static uint32_t set_of(uint32_t reg)
{
    return (reg & 31) != 31 ? UINT32_C(1) << (reg & 31) : 0;
}

/* Fills the registers of an access of A64. */
static void find_registers(const struct stream_code *code, size_t index, struct stream_access *access)
{
    const struct stream_insn *insn = &code->insns[index];
    const uint32_t word = insn->word;
    const bool simd = (word >> 26 & 1) != 0, literal = (word & 0x3b000000) == 0x18000000;
    const bool pair = (word & 0x3a000000) == 0x28000000 || (word & 0xbfa00000) == 0x88200000;
    const bool indexed = (word & 0x3b200c00) == 0x38200800;

    stream_moves_of(code, behind_load(code, index), index, &access->moves);
    if ((word & 0x0a000000) != 0x08000000) { /* SVE and SME */
        return;
    }
    access->from = (literal ? 0 : set_of(word >> 5)) | (indexed ? set_of(word >> 16) : 0);
    access->into = simd ? 0 : set_of(word) | (pair ? set_of(word >> 10) : 0);
}

bool stream_access_of(const struct stream_code *code, size_t index, struct stream_access *access)
{
    const struct stream_insn *insn = &code->insns[index];
    const uint64_t traits = insn->traits;

    memset(access, 0, sizeof *access);
    access->index = (uint16_t)index;
    access->does = (uint8_t)((traits & APMU_TRAIT_LOAD ? STREAM_LOADS : 0) |
                             (traits & (APMU_TRAIT_STORE | APMU_TRAIT_STX) ? STREAM_STORES : 0));
    if (!accesses(insn)) {
        return false;
    }
    access->size = (uint16_t)(code->isa == STREAM_A64   ? bytes_a64(insn->word)
                              : code->isa == STREAM_A32 ? bytes_a32(insn->word)
                                                        : bytes_t32(insn->word));
    access->parts = code->isa != STREAM_A64 ||
                    (access->size > 8 || (insn->word & 0x3a000000) == 0x28000000 ||
                     (insn->word & 0xbe000000) == 0x0c000000 || (insn->word & 0xbfa07c00) == 0x08207c00 ||
                     (insn->word & 0xbfa00000) == 0x88200000);
    /* Before a store-exclusive some emulators load: it is a part that does not count. */
    access->parts = (access->parts || (traits & APMU_TRAIT_STX) != 0) && access->size != 0;
    if (code->isa == STREAM_A64 && (traits & APMU_TRAIT_LOAD)) {
        find_registers(code, index, access);
    }
    return true;
}

bool stream_loads_surely(const struct stream_code *code, size_t index)
{
    struct stream_access a;

    return code->isa == STREAM_A64 && stream_access_of(code, index, &a) && a.does == STREAM_LOADS && a.size != 0;
}

bool stream_add_loads(const struct stream_code *code, struct stream_block *block, size_t *size, size_t room)
{
    const size_t at = (*size + 7) & ~(size_t)7;
    struct stream_access *loads = APMU_CORE_AT(struct stream_access, block, at);
    uint32_t count = 0;

    memset(APMU_CORE_AT(char, block, *size), 0, at - *size);
    for (size_t i = 0; i < code->count; i++) {
        if (!stream_loads_surely(code, i)) {
            continue;
        }
        if (count == STREAM_LOADS_MOST || at + (count + 1) * sizeof *loads > room) {
            return false;
        }
        stream_access_of(code, i, &loads[count++]);
    }
    if (count != 0) {
        block->load_count = count;
        block->loads_place = (uint32_t)at;
        *size = (at + count * sizeof *loads + 7) & ~(size_t)7;
        memset(&loads[count], 0, *size - at - count * sizeof *loads);
        block->memo_place = (uint32_t)*size;
    }
    return true;
}
