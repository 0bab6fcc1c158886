/* SPDX-License-Identifier: BSD-2-Clause */
/* A program with inlined functions, recursion, a static function and calls of a library. */
#include <stdio.h>
#include <string.h>

static inline __attribute__((always_inline)) int square(int x)
{
    return x * x;
}

static inline __attribute__((always_inline)) int twice(int x)
{
    return square(x) +
           square(x + 1);
}

__attribute__((noinline)) int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) static int work(int n)
{
    int s = 0;

    for (int i = 0; i < n; i++) {
        s += twice(i);
    }
    return s;
}

int main(int argc, char **argv)
{
    printf("%d %d %zu\n", fib(argc + 10), work(argc * 10), strlen(argv[0]));
    return 0;
}
