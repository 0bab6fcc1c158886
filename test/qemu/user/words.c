/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes instruction words for test_classifier.sh, and classifies them.
 *
 *   words make SEED N   prints N words, spread over the encoding space, as hexadecimal
 *   words sum           reads words and prints "EVENT TOTAL" as if each was executed once
 *   words each          reads words and prints what each counts: "WORD EVENT=N EVENT=N ..."
 */
#include "../../../qemu/classify/a64.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint32_t next(void) /* xorshift64* */
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)((state * UINT64_C(0x2545f4914f6cdd1d)) >> 32);
}

/* Makes a word.  Half of them have one of the prefixes, because small classes of instructions have long fixed parts. */
static uint32_t make_word(void)
{
    static const uint32_t prefixes[][2] = { /* mask of fixed bits, value */
        {0xfffff000, 0xd5032000}, {0xfffff000, 0xd5033000}, {0xfff00000, 0xd5300000}, {0xfff00000, 0xd5100000},
        {0xfff80000, 0xd5080000}, {0xff000000, 0xd4000000}, {0xfe000000, 0xd6000000}, {0xff000000, 0xd7000000},
        {0xff000000, 0x54000000}, {0x3f000000, 0x08000000}, {0xbe000000, 0x0c000000}, {0x3f000000, 0x19000000},
        {0x3b200c00, 0x38200000}, {0x3b000000, 0x38000000}, {0x3e000000, 0x28000000}, {0x3e000000, 0x2c000000},
        {0xff000000, 0xd9000000}, {0x9e000000, 0x0e000000}, {0xdf000000, 0x5e000000}, {0x5f000000, 0x1e000000},
        {0x5f000000, 0x1f000000}, {0xff000000, 0xce000000}, {0xfe000000, 0x84000000}, {0xfe000000, 0xa4000000},
        {0xfe000000, 0xc4000000}, {0xfe000000, 0xe4000000}, {0xff000000, 0x45000000}, {0xfe000000, 0x04000000},
        {0xfe000000, 0x24000000}, {0xfe000000, 0x64000000}, {0x5fe0fc00, 0x1e200000}, {0xbfe08400, 0x0e000400},
        {0xff3e0c00, 0x4e280800}, {0xff208c00, 0x5e000000}, {0xff3e0c00, 0x5e280800},
    };
    uint32_t word = next(), choice = next();
    if (choice & 1) {
        const uint32_t *p = prefixes[(choice >> 1) % (sizeof prefixes / sizeof prefixes[0])];
        word = (word & ~p[0]) | p[1];
    }
    if (choice & 0x10000) { /* a field that is all ones in many instructions */
        word |= 0x7c00;
    }
    return word;
}

int main(int argc, char **argv)
{
    uint16_t vector[APMU_SOURCE_COUNT];
    uint64_t total[APMU_SOURCE_COUNT] = {0};
    unsigned word;

    if (argc == 4 && strcmp(argv[1], "make") == 0) {
        state = strtoull(argv[2], NULL, 0) * 2 + 1;
        for (long n = atol(argv[3]); n > 0; n--) {
            printf("%08x\n", (unsigned)make_word());
        }
        return 0;
    }
    if (argc != 2) {
        return 2;
    }
    while (scanf("%x%*[^\n]", &word) == 1) {
        memset(vector, 0, sizeof vector);
        apmu_traits_add(apmu_a64_traits((uint32_t)word), vector);
        apmu_traits_add((apmu_a64_traits((uint32_t)word) & APMU_TRAIT_STX) ? APMU_TRAIT_STX_PASS : 0, vector);
        if (strcmp(argv[1], "each") == 0) {
            printf("%08x", word);
        }
        for (int s = 0; s < (int)APMU_SOURCE_COUNT; s++) {
            bool outcome = apmu_source_info[s].cost == APMU_COST_OUTCOME;
            total[s] += vector[s];
            if (strcmp(argv[1], "each") == 0 && vector[s] != 0 && !outcome) {
                printf(" %s=%u", apmu_source_info[s].name, (unsigned)vector[s]);
            }
        }
        if (strcmp(argv[1], "each") == 0) {
            printf("\n");
        }
    }
    for (int s = 0; strcmp(argv[1], "sum") == 0 && s < (int)APMU_SOURCE_COUNT; s++) {
        if (apmu_source_info[s].cost == APMU_COST_BLOCK) {
            printf("%s %llu\n", apmu_source_info[s].name, (unsigned long long)total[s]);
        }
    }
    return 0;
}
