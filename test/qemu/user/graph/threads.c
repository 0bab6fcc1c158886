/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that call the same functions differently. */
#include <pthread.h>
#include <stdio.h>

#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static long leaf(long n)
{
    return n * 3 + 1;
}

NOINLINE static long walk(long n)
{
    return n == 0 ? leaf(n) : walk(n - 1) + leaf(n);
}

NOINLINE static long stride(long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++) {
        sum += leaf(i);
    }
    return sum + walk(n % 17);
}

static void *first(void *n)
{
    return (void *)walk((long)n);
}

static void *second(void *n)
{
    return (void *)stride((long)n);
}

int main(void)
{
    pthread_t t[6];
    long sum = 0;
    void *value;

    for (long i = 0; i < 6; i++) {
        if (pthread_create(&t[i], NULL, i % 2 ? first : second, (void *)(i * 40 + 100)) != 0) {
            return 1;
        }
        if (i < 3) { /* one after the other, then three at once */
            pthread_join(t[i], &value);
            sum += (long)value;
        }
    }
    for (int i = 3; i < 6; i++) {
        pthread_join(t[i], &value);
        sum += (long)value;
    }
    printf("%ld %ld\n", sum, stride(50));
    return 0;
}
