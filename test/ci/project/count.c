/* SPDX-License-Identifier: BSD-2-Clause */
/* The program of a project that uses the recipes for CI: three functions, of which mix() is a tenth of the work. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define ROUNDS 20000u
#define SLOWER 0u /* more rounds of mix(), in a thousand */

static uint32_t state = 1;

__attribute__((noinline)) static void scan(void)
{
    for (unsigned i = 0; i < ROUNDS * 6; i++) {
        state = state * 1664525u + 1013904223u;
    }
}

__attribute__((noinline)) static void fold(void)
{
    for (unsigned i = 0; i < ROUNDS * 3; i++) {
        state ^= state >> 7;
    }
}

__attribute__((noinline)) static void mix(void)
{
    for (unsigned i = 0; i < ROUNDS + ROUNDS * SLOWER / 1000; i++) {
        state += state << 3;
    }
}

int main(void)
{
    state += (uint32_t)time(NULL) % 1000;
    scan();
    fold();
    mix();
    printf("%u\n", (unsigned)state);
    return 0;
}
