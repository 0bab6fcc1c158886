/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of every kind within one thread: recursion, branches between functions, pointers, callbacks, deep stacks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

NOINLINE static int is_odd(unsigned n);
NOINLINE static int is_even(unsigned n)
{
    return n == 0 ? 1 : is_odd(n - 1); /* a branch at -O2 */
}
static int is_odd(unsigned n)
{
    return n == 0 ? 0 : is_even(n - 1);
}

NOINLINE static int count_down(int n);
NOINLINE static int count_more(int n)
{
    return count_down(n - 1) + 1;
}
static int count_down(int n)
{
    return n <= 0 ? 0 : n % 3 == 0 ? count_down(n - 1) + 2 : count_more(n);
}

NOINLINE static int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

NOINLINE static int add(int a, int b)
{
    return a + b;
}
NOINLINE static int subtract(int a, int b)
{
    return a - b;
}
NOINLINE static int both(int a, int b)
{
    return add(subtract(a, b), b); /* a branch to the second */
}

NOINLINE static int compare(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

NOINLINE static int *build_table(int n)
{
    int *t = malloc((size_t)n * sizeof *t);
    for (int i = 0; i < n; i++) {
        t[i] = i * 7919 % 1009;
    }
    return t;
}

NOINLINE static long deep(long n)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", n % 10);
    return n == 0 ? 0 : deep(n - 1) + (text[0] == '7');
}

int main(int argc, char **argv)
{
    int (*const table[])(int, int) = {add, subtract, both};
    int sum = 0;

    sum += fibonacci(15) + is_even(1001) + count_down(200) + ackermann(2, 6);
    for (int i = 0; i < 300; i++) {
        sum += table[i % 3](i, 7);
    }
    do {
        sum += fibonacci(10);
    } while (argc > 2); /* until it is killed */
    int *t = build_table(500);
    qsort(t, 500, sizeof *t, compare);
    sum += t[250] + (int)deep(argc > 1 ? atol(argv[1]) : 2000);
    free(t);
    printf("%d\n", sum);
    return 0;
}
