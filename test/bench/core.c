/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures what an access to the core model costs: nanoseconds for each call, medians of rounds, for accesses that are
 * answered at once and for those that are not, with the parts that some events need, and without short cuts.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <armpmu/core.h>

enum { ROUNDS = 9, CALLS = 400000 };

/* What a row of the table does CALLS times. */
typedef void bench_work(struct apmu_core *core, unsigned calls);

static void one_line(struct apmu_core *core, unsigned calls)
{
    for (unsigned i = 0; i < calls; i++) {
        apmu_core_load(core, 0x10000 + (i & 7) * 8, 8);
    }
}

static void one_page(struct apmu_core *core, unsigned calls)
{
    for (unsigned i = 0; i < calls; i++) {
        apmu_core_load(core, 0x10000 + (i * 72 & 0xFF8), 8);
    }
}

static void a_stream(struct apmu_core *core, unsigned calls)
{
    for (unsigned i = 0; i < calls; i++) {
        apmu_core_load(core, 0x10000000 + (uint64_t)i * 8, 8);
    }
}

static void at_random(struct apmu_core *core, unsigned calls)
{
    uint64_t x = 88172645463325253;

    for (unsigned i = 0; i < calls; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        apmu_core_load(core, 0x10000000 + (x & 0x3FFFFF8), 8);
    }
}

static void ways_in_turn(struct apmu_core *core, unsigned calls)
{
    for (unsigned i = 0; i < calls; i++) {
        apmu_core_load(core, 0x10000000 + (i & 1) * 0x4000, 8);
    }
}

static void fetches(struct apmu_core *core, unsigned calls)
{
    for (unsigned i = 0; i < calls; i++) {
        apmu_core_fetch(core, 0x400000 + (i * 16 & 0x3FFF), 16);
    }
}

static void branches(struct apmu_core *core, unsigned calls)
{
    for (unsigned i = 0; i < calls; i++) {
        apmu_core_branch(core, APMU_CORE_JUMP | APMU_CORE_CONDITIONAL, 0x400000 + (i & 31) * 64, 0x400000, i % 5 != 0);
    }
}

static void instructions(struct apmu_core *core, unsigned calls)
{
    for (unsigned i = 0; i < calls; i++) {
        apmu_core_instructions(core, 5);
    }
}

static const struct core_parts_text {
    const char *text;
    uint32_t parts;
} bench_parts[] = {
    {"L1D", APMU_CORE_L1D},
    {"L1D, L2", APMU_CORE_L1D | APMU_CORE_L2},
    {"L1D, L2, DTLB", APMU_CORE_L1D | APMU_CORE_L2 | APMU_CORE_DTLB},
    {"all", APMU_CORE_ALL},
    {"all, no short cut", APMU_CORE_ALL | APMU_CORE_UNFILTERED},
};

static const struct core_work {
    const char *text;
    bench_work *work;
} bench_rows[] = {
    {"load: one line", one_line},
    {"load: one page", one_page},
    {"load: a stream", a_stream},
    {"load: 64 MB at random", at_random},
    {"load: 2 lines of a set", ways_in_turn},
    {"fetch: 16 KB in order", fetches},
    {"branch: 32 of period 5", branches},
    {"5 instructions", instructions},
};

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Returns the median of the nanoseconds of a call. */
static double measure(const struct core_work *what, struct apmu_core *core)
{
    double times[ROUNDS];

    for (unsigned i = 0; i < ROUNDS; i++) {
        struct timespec before, after;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
        what->work(core, CALLS);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
        times[i] = ((double)(after.tv_sec - before.tv_sec) * 1e9 + (double)(after.tv_nsec - before.tv_nsec)) / CALLS;
    }
    qsort(times, ROUNDS, sizeof times[0], compare_times);
    return times[ROUNDS / 2];
}

int main(void)
{
    struct apmu_core_row row;

    if (!apmu_core_row_by_name("cortex-a72", &row)) {
        return 1;
    }
    printf(
        "What a call of the core model costs, nanoseconds, cortex-a72, by the parts simulated: medians of rounds.\n");
    printf("%-24s", "call");
    for (size_t p = 0; p < sizeof bench_parts / sizeof bench_parts[0]; p++) {
        printf(" %18s", bench_parts[p].text);
    }
    for (size_t i = 0; i < sizeof bench_rows / sizeof bench_rows[0]; i++) {
        printf("\n%-24s", bench_rows[i].text);
        for (size_t p = 0; p < sizeof bench_parts / sizeof bench_parts[0]; p++) {
            const size_t size = apmu_chip_size(&row, bench_parts[p].parts, 1);
            struct apmu_chip *chip = malloc(size);

            if (chip == NULL || apmu_chip_init(chip, size, &row, bench_parts[p].parts, 1) != NULL) {
                return 1;
            }
            printf(" %18.2f", measure(&bench_rows[i], apmu_chip_core(chip, 0)));
            free(chip);
        }
    }
    printf("\nbytes of a chip: %zu with one core, %zu with four\n", apmu_chip_size(&row, APMU_CORE_ALL, 1),
           apmu_chip_size(&row, APMU_CORE_ALL, 4));
    return 0;
}
