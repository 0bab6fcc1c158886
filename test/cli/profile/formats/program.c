/* SPDX-License-Identifier: BSD-2-Clause */
/* The AArch64 program of the tests of export formats: inlined code, recursion, calls through pointers, a tail call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))

static inline unsigned mix(unsigned a, unsigned b)
{
    a ^= b;
    a *= 0x9e3779b1u;
    return a ^ a >> 15;
}

APART static unsigned hash(const char *text)
{
    unsigned h = 1;

    for (; *text != '\0'; text++) {
        h = mix(h, (unsigned char)*text);
    }
    return h;
}

APART static unsigned tree(unsigned depth, unsigned seed)
{
    return depth == 0 ? seed : mix(tree(depth - 1, seed + 1), tree(depth - 1, seed * 3));
}

APART static unsigned odd(unsigned n);

APART static unsigned even(unsigned n)
{
    return n == 0 ? 1 : odd(n - 1) + 1;
}

APART static unsigned odd(unsigned n)
{
    return n == 0 ? 0 : even(n - 1) + 1;
}

APART static unsigned last(unsigned n)
{
    return mix(n, n + 7);
}

APART static unsigned tail(unsigned n)
{
    return last(n * 5);
}

APART static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(unsigned));
}

int main(int argc, char **argv)
{
    static unsigned numbers[64];
    unsigned sum = hash(argv[0]) + tree(6, (unsigned)argc) + even(9) + tail(3);

    for (unsigned i = 0; i < 64; i++) {
        numbers[i] = mix(i, sum);
    }
    qsort(numbers, 64, sizeof numbers[0], compare);
    printf("%u\n", numbers[5]);
    return 0;
}
