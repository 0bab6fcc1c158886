/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A static program for bench.sh.  It runs for about a second: a sieve, a hash table with chains, and a sort, so it
 * executes branches, calls, loads and stores.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    uint32_t key, count;
};

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static int by_key(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static unsigned sieve(char *composite, unsigned n)
{
    unsigned primes = 0;
    memset(composite, 0, n);
    for (unsigned i = 2; i < n; i++) {
        if (composite[i]) {
            continue;
        }
        primes++;
        for (unsigned j = 2 * i; j < n; j += i) {
            composite[j] = 1;
        }
    }
    return primes;
}

int main(int argc, char **argv)
{
    enum { SIZE = 1 << 18, BUCKETS = 1 << 14 };
    static uint32_t keys[SIZE];
    static char composite[4 * SIZE];
    static struct node nodes[SIZE], *buckets[BUCKETS];
    int rounds = argc > 1 ? atoi(argv[1]) : 8;
    uint32_t state = 1, check = 0;

    for (int r = 0; r < rounds; r++) {
        unsigned used = 0;
        memset(buckets, 0, sizeof buckets);
        for (unsigned i = 0; i < SIZE; i++) {
            uint32_t key = keys[i] = next_random(&state) & 0xffff;
            struct node **at = &buckets[key % BUCKETS];
            while (*at != NULL && (*at)->key != key) {
                at = &(*at)->next;
            }
            if (*at == NULL) {
                nodes[used] = (struct node){NULL, key, 0};
                *at = &nodes[used++];
            }
            (*at)->count++;
        }
        qsort(keys, SIZE, sizeof keys[0], by_key);
        check += used + keys[SIZE / 2] + sieve(composite, sizeof composite);
    }
    printf("%u\n", check);
    return 0;
}
