/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs for test_cachegrind.sh: `work matrix`, sort, tree, lz or hash does a piece of work on about a megabyte. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325253;

static uint32_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

/* Multiplies matrices, one of them by columns. */
static unsigned matrix(void)
{
    enum { N = 40 };
    static double a[N][N], b[N][16 * N], c[N][N];
    double sum = 0;

    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            a[i][j] = next() % 16;
            b[i][16 * j] = next() % 16;
        }
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            for (int k = 0; k < N; k++) {
                c[i][j] += a[i][k] * b[k][16 * j];
            }
            sum += c[i][j];
        }
    }
    return (unsigned)sum;
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static unsigned sort(void)
{
    enum { N = 12000 };
    static uint32_t numbers[4 * N];

    for (int i = 0; i < 4 * N; i++) {
        numbers[i] = next();
    }
    qsort(numbers, N, 4 * sizeof numbers[0], compare);
    return numbers[4 * (N / 2)];
}

struct work_leaf {
    struct work_leaf *less, *more;
    uint32_t key;
    char load[36];
};

/* Builds a search tree and looks keys up. */
static unsigned tree(void)
{
    enum { N = 8000 };
    static struct work_leaf leaves[N];
    struct work_leaf *root = NULL;
    unsigned depth = 0;

    for (int i = 0; i < N; i++) {
        struct work_leaf **at = &root;

        leaves[i].key = next();
        while (*at != NULL) {
            at = leaves[i].key < (*at)->key ? &(*at)->less : &(*at)->more;
            depth++;
        }
        *at = &leaves[i];
    }
    return depth;
}

/* Finds the repetitions in a text, by a table of the last place of each four bytes. */
static unsigned lz(void)
{
    enum { N = 60000, TABLE = 1 << 14 };
    static unsigned char text[N + 8];
    static int last[TABLE];
    unsigned out = 0;

    for (int i = 0; i < N; i++) {
        text[i] = (unsigned char)(i > 5000 && next() % 8 != 0 ? text[i - 4000 + next() % 3] : 'a' + next() % 8);
    }
    for (int i = 0; i < N;) {
        uint32_t four;
        int length = 0;

        memcpy(&four, text + i, 4);
        int *const cell = &last[four * 2654435761u >> 18], before = *cell;

        *cell = i;
        while (before > 0 && i + length < N && length < 255 && text[before + length] == text[i + length]) {
            length++;
        }
        i += length > 4 ? length : 1;
        out++;
    }
    return out;
}

/* Counts keys in a table of open addresses. */
static unsigned hash(void)
{
    enum { N = 40000, TABLE = 1 << 16 };
    static struct work_slot {
        uint32_t key, count;
    } table[TABLE];
    unsigned most = 0;

    for (int i = 0; i < N; i++) {
        const uint32_t key = 1 + next() % 40000;
        uint32_t at = key * 2654435761u >> 16;

        while (table[at].key != 0 && table[at].key != key) {
            at = (at + 1) % TABLE;
        }
        table[at].key = key;
        most = ++table[at].count > most ? table[at].count : most;
    }
    return most;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        unsigned (*work)(void);
    } works[] = {{"matrix", matrix}, {"sort", sort}, {"tree", tree}, {"lz", lz}, {"hash", hash}};

    for (size_t i = 0; argc == 2 && i < sizeof works / sizeof works[0]; i++) {
        if (strcmp(argv[1], works[i].name) == 0) {
            printf("%u\n", works[i].work());
            return 0;
        }
    }
    return 2;
}
