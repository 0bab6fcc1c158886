/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes instructions for test_classifier32.sh, and says how the classifiers of A32 and T32 classify them.
 *
 *   words32 a32|t16|t32 SEED FILE
 *
 * makes instructions of that set.  FILE gets them as a disassembler reads them: slots of 16 bytes, each an instruction
 * and NOPs; in T32 some instructions come after IT EQ.  Standard output gets a line for each: its address in FILE, the
 * instruction, "it" or "-", and the events that it counts in any case, if its condition passes, and if it fails.
 *
 *   words32 sum
 *
 * reads lines "a32|t32 WORD IT PASSED TIMES": an instruction, whether it is in an IT block, whether its condition
 * passed, and how often.  It prints what they count together, as "EVENT TOTAL" lines.
 */
#include "../../../qemu/classify/a32.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;
static FILE *code;
static unsigned address;

static uint32_t next(void) /* xorshift64* */
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)((state * UINT64_C(0x2545f4914f6cdd1d)) >> 32);
}

/* Makes the fields of operands: registers are often PC, LR or SP, and fields that should be zero mostly are. */
static uint32_t operands(void)
{
    uint32_t r = next(), choice = next();
    for (unsigned at = 0; at < 20; at += 4) {
        const unsigned what = (choice >> (2 * at)) & 7;
        if (what < 4) {
            r = (r & ~(UINT32_C(15) << at)) | (what == 0 ? 0u : what == 1 ? 15u : what == 2 ? 14u : 13u) << at;
        }
    }
    return r;
}

/* Encodings of small classes, which have long fixed parts: mask, value. */
static const uint32_t directed_a32[][2] = {
    {0xffffff00, 0xf57ff000}, {0x0fffff00, 0x0320f000}, {0x0fffff00, 0x012fff00}, {0x0ff00f00, 0x01800f00},
    {0x0f900f00, 0x01800c00}, {0x0f900f00, 0x01900c00}, {0x0f900f00, 0x01800e00}, {0x0f900f00, 0x01900e00},
    {0x0f900f00, 0x01900f00}, {0x0ff00ff0, 0x01800f90}, {0x0fff0f10, 0x0e070f10}, {0x0f100f10, 0x0e000f10},
    {0x0fbf0fff, 0x010f0000}, {0x0fffffff, 0x01a0f00e}, {0x0fff0fff, 0x049d0004}, {0x0fff0000, 0x08bd0000},
    {0x0e000e00, 0x0c000a00}, {0x0f000e10, 0x0e000a00}, {0x0f000e10, 0x0e000a10}, {0x0f800ed0, 0x0e800ac0},
    {0xfe000000, 0xf2000000}, {0xff100000, 0xf4000000}, {0xff000f10, 0xfe000a00}, {0xfe000f10, 0xfc000800},
    {0xfe000f10, 0xfc000d00}, {0xff30f000, 0xf510f000}, {0xff70f010, 0xf650f000}, {0xffbf0f10, 0xf3b00300},
    {0xff800f50, 0xf2000c40}, {0x0fff7fff, 0x016f0f1f}, {0xfffff000, 0xf1080000}, {0x0f0ff0f0, 0x0000f010},
    {0x0ff0ff00, 0x0c105e00}, {0x0fffffff, 0x0160006e}, {0x0ffffff0, 0x01600070}, {0x0e50f000, 0x0410f000},
};
static const uint32_t directed_t32[][2] = {
    {0xffffff00, 0xf3bf8f00}, {0xfffff800, 0xf3af8000}, {0xffefff00, 0xf3ef8000}, {0xffe0ff00, 0xf3808800},
    {0xfff0ffff, 0xf3c08f00}, {0xffffff00, 0xf3de8f00}, {0xfff0ffe0, 0xe8d0f000}, {0xfff00f00, 0xe8c00f00},
    {0xfff00f00, 0xe8d00f00}, {0xfff00ff0, 0xe8c00f40}, {0xfff00ff0, 0xe8c00f80}, {0xffffff00, 0xf85dfb00},
    {0xff70f000, 0xf850f000}, {0xffff0000, 0xe8bd0000}, {0xfe70f000, 0xf810f000}, {0xff70f000, 0xf830f000},
    {0xfff00000, 0xf7e00000}, {0xfff0f000, 0xf7f08000}, {0xfff0f000, 0xf7f0a000}, {0xf8008000, 0xf0008000},
    {0xffff0f10, 0xee070f10}, {0xff100f10, 0xee000f10}, {0xfe000e00, 0xec000a00}, {0xff000e10, 0xee000a00},
    {0xff000e10, 0xee000a10}, {0xff800ed0, 0xee800ac0}, {0xef000000, 0xef000000}, {0xff100000, 0xf9000000},
    {0xff000f10, 0xfe000a00}, {0xfe000f10, 0xfc000800}, {0xfe000f10, 0xfc000d00}, {0xffbf0f10, 0xffb00300},
    {0xff800f50, 0xef000c40}, {0xff800000, 0xfa000000}, {0xfe00f000, 0xf800f000}, {0xffffffff, 0xf3de8f00},
};

/* Makes a word with one of the @count encodings in @list. */
static uint32_t directed(const uint32_t (*list)[2], size_t count)
{
    const uint32_t *p = list[next() % count];
    const uint32_t word = (next() & 1) != 0 ? next() : (next() & 0xfff00000) | operands();
    return (word & ~p[0]) | p[1];
}

/* Writes a halfword to FILE. */
static void put(unsigned halfword)
{
    fputc((int)(halfword & 255), code);
    fputc((int)(halfword >> 8), code);
}

/* Prints @separator and the events that an instruction with @traits counts in. */
static void say(const char *separator, uint64_t traits)
{
    uint16_t vector[APMU_SOURCE_COUNT] = {0};
    apmu_traits_add(traits, vector);
    printf("%s", separator);
    for (int s = 0; s < (int)APMU_SOURCE_COUNT; s++) {
        if (vector[s] != 0) {
            printf(" %s", apmu_source_info[s].name);
        }
    }
}

/* Writes a slot to FILE, and its line to standard output. */
static void slot(uint32_t word, bool a32, bool in_it)
{
    const bool is_long = word > UINT16_MAX;
    const uint64_t traits = a32 ? apmu_a32_traits(word) : apmu_t32_traits(word, in_it);

    printf("%x %0*x %s", address + (in_it ? 2 : 0), a32 || is_long ? 8 : 4, (unsigned)word, in_it ? "it" : "-");
    say(" :", traits);
    if (traits & (APMU_TRAIT_LOAD | APMU_TRAIT_STORE | APMU_TRAIT_STX)) {
        printf(" ALIGNED_%u", a32 ? apmu_a32_alignment(word) : apmu_t32_alignment(word));
    }
    say(" +", traits & APMU_TRAIT_COND ? traits | APMU_TRAIT_PASSED : 0);
    say(" -", traits & APMU_TRAIT_COND ? traits | APMU_TRAIT_FAILED : 0);
    printf("\n");

    unsigned used = 0;
    if (a32) {
        put(word & 0xffff);
        put(word >> 16);
        used = 4;
    } else {
        if (in_it) {
            put(0xbf08);
        }
        if (is_long) {
            put(word >> 16);
        }
        put(word & 0xffff);
        used = (in_it ? 2u : 0u) + (is_long ? 4 : 2);
    }
    for (; used < 16; used += 2) {
        put(a32 ? (used % 4 == 0 ? 0xf000 : 0xe320) : 0xbf00);
    }
    address += 16;
}

/* Sums up what the lines of standard input count. */
static int sum(void)
{
    uint64_t total[APMU_SOURCE_COUNT] = {0};
    unsigned word, in_it, passed;
    unsigned long times;
    char set[4];

    while (scanf("%3s %x %u %u %lu", set, &word, &in_it, &passed, &times) == 5) {
        uint16_t vector[APMU_SOURCE_COUNT] = {0};
        const uint64_t traits = set[0] == 'a' ? apmu_a32_traits(word) : apmu_t32_traits(word, in_it != 0);
        apmu_traits_add(traits, vector);
        if (traits & APMU_TRAIT_COND) {
            apmu_traits_add(traits | (passed ? APMU_TRAIT_PASSED : APMU_TRAIT_FAILED), vector);
        }
        if ((traits & APMU_TRAIT_STX) && passed) { /* nothing takes the monitor away in these programs */
            apmu_traits_add(APMU_TRAIT_STX_PASS, vector);
        }
        for (int s = 0; s < (int)APMU_SOURCE_COUNT; s++) {
            total[s] += vector[s] * times;
        }
    }
    for (int s = 0; s < (int)APMU_SOURCE_COUNT; s++) {
        printf("%s %llu\n", apmu_source_info[s].name, (unsigned long long)total[s]);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "sum") == 0) {
        return sum();
    }
    if (argc != 4) {
        return 2;
    }
    state = strtoull(argv[2], NULL, 0) * 2 + 1;
    code = fopen(argv[3], "wb");
    if (code == NULL) {
        perror(argv[3]);
        return 1;
    }
    if (strcmp(argv[1], "t16") == 0) {
        for (unsigned in_it = 0; in_it < 2; in_it++) {
            for (uint32_t word = 0; word < 0xe800; word++) {
                slot(word, false, in_it);
            }
        }
    } else if (strcmp(argv[1], "t32") == 0) {
        for (uint32_t first = 0xe800; first < 0x10000; first++) {
            for (unsigned i = 0; i < 6; i++) {
                slot(first << 16 | (operands() & 0xffff), false, i & 1);
            }
        }
        for (unsigned i = 0; i < 36000; i++) {
            slot(directed(directed_t32, sizeof directed_t32 / sizeof directed_t32[0]), false, i & 1);
        }
    } else { /* all of bits [27:20] and [7:4], which decide the class, with condition AL, none and others */
        for (uint32_t op = 0; op < 0x1000; op++) {
            for (unsigned i = 0; i < 12; i++) {
                slot((i < 4 ? 14u : i < 8 ? 15u : next() % 14) << 28 | (op & 0xff0) << 16 | (operands() & 0xfff0f) |
                         (op & 15) << 4, true, false);
            }
        }
        for (unsigned i = 0; i < 36000; i++) {
            const uint32_t word = directed(directed_a32, sizeof directed_a32 / sizeof directed_a32[0]);
            const uint32_t condition = (next() & 3) != 0 ? 14 : next() % 14;
            slot((word >> 28) != 15 ? (word & 0x0fffffff) | condition << 28 : word, true, false);
        }
    }
    return fclose(code) == 0 ? 0 : 1;
}
