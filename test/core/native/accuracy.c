/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the tables of doc/core-accuracy.md: what was measured on silicon and published, and what the core model says.
 * The measured numbers are those of the sources that the document names; nothing of the model was fitted to them.
 */
#include <stdio.h>
#include <stdlib.h>

#include <armpmu/core.h>

enum { MOST_SIZES = 16 };

/* Latencies of one chain of pointers: sbc-bench's results of ramlat, column 1xPTR. */
struct measured_chain {
    const char *core, *machine;
    double mhz;
    uint32_t last; /* bytes of the last level, if the machine has another than the row */
    double ns[MOST_SIZES]; /* of 4 KiB, 8 KiB ...; 0 ends them */
};

static const struct measured_chain chains[] = {
    {"cortex-a53", "RK3399 (NanoPi NEO4)", 1509.6, 0,
     {1.987, 1.988, 1.987, 11.14, 15.62, 16.46, 18.31, 39.20, 144.5, 155.0, 163.3, 164.4, 170.8}},
    {"cortex-a72", "RK3399 (NanoPi NEO4)", 2014.6, 0,
     {1.986, 1.986, 1.986, 3.778, 9.929, 10.48, 14.20, 14.76, 68.57, 144.2, 153.9, 172.7, 173.9}},
    {"neoverse-n1", "Ampere Altra Max", 2798.3, 16 * 1024 * 1024,
     {1.432, 1.432, 1.430, 1.429, 1.430, 5.026, 5.723, 6.709, 16.36, 31.99, 33.62, 38.40, 54.65, 102.8, 118.2}}};

/* Bandwidths of copies, in MB/s. */
struct measured_copy {
    const char *core, *machine, *test;
    double mhz;
    uint32_t last, bytes;
    double rate;
};

static const struct measured_copy copies[] = {
    {"cortex-a53", "RK3399 (NanoPi NEO4)", "tinymembench, NEON LDP/STP copy", 1509.6, 0, 32 << 20, 1763.2},
    {"cortex-a53", "AM62P", "lmbench, bw_mem 8M bcopy", 1400, 0, 8 << 20, 1956.71},
    {"cortex-a72", "RK3399 (NanoPi NEO4)", "tinymembench, NEON LDP/STP copy", 2014.6, 0, 32 << 20, 2428.0},
    {"neoverse-n1", "Ampere Altra Max", "tinymembench, NEON LDP/STP copy", 2798.3, 16 << 20, 32 << 20, 10190.0}};

/* Returns a chip with a core called @name.  Ends the program if there is none. */
static struct apmu_chip *new_chip(const char *name, uint32_t last)
{
    struct apmu_core_row row;

    if (!apmu_core_row_by_name(name, &row)) {
        exit(2);
    }
    row.value[APMU_CORE_KEY_LAST_SIZE] = last != 0 ? last : row.value[APMU_CORE_KEY_LAST_SIZE];
    const size_t size = apmu_chip_size(&row, APMU_CORE_ALL, 1);
    struct apmu_chip *chip = malloc(size);

    if (chip == NULL || apmu_chip_init(chip, size, &row, APMU_CORE_ALL, 1) != NULL) {
        exit(2);
    }
    return chip;
}

/* Returns the cycles per load of a chain that visits the lines of @bytes in a random order, again and again. */
static double follow_chain(struct apmu_chip *chip, uint64_t bytes)
{
    const uint64_t lines = bytes / 64, rounds = 1 + 4096 / lines;
    struct apmu_core *core = apmu_chip_core(chip, 0);
    uint32_t *order = malloc(lines * sizeof *order);
    uint64_t random = 88172645463325253, before = 0;

    if (order == NULL) {
        exit(2);
    }
    for (uint64_t i = 0; i < lines; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        const uint64_t other = random % (i + 1);

        order[i] = order[other];
        order[other] = (uint32_t)i;
    }
    for (uint64_t i = 0; i < 3 * rounds * lines; i++) {
        before = i == 2 * rounds * lines ? apmu_core_read(core, APMU_EV_CPU_CYCLES) : before;
        apmu_core_instructions(core, 1);
        apmu_core_load_after(core, 0x40000000 + (uint64_t)order[i % lines] * 64, 8);
    }
    free(order);
    return (double)(apmu_core_read(core, APMU_EV_CPU_CYCLES) - before) / (double)(rounds * lines);
}

/* Returns the cycles of a copy of @bytes by loads and stores of 32 bytes, six instructions for 64 bytes. */
static double copy_bytes(struct apmu_chip *chip, uint64_t bytes)
{
    struct apmu_core *core = apmu_chip_core(chip, 0);
    uint64_t before = 0;

    for (uint64_t i = 0; i < 2 * bytes / 64; i++) {
        const uint64_t at = i % (bytes / 64) * 64;

        before = i == bytes / 64 ? apmu_core_read(core, APMU_EV_CPU_CYCLES) : before;
        for (uint64_t half = 0; half < 64; half += 32) {
            apmu_core_instructions(core, 1);
            apmu_core_load(core, 0x40000000 + at + half, 32);
        }
        for (uint64_t half = 0; half < 64; half += 32) {
            apmu_core_instructions(core, 1);
            apmu_core_store(core, 0x80000000 + at + half, 32);
        }
        apmu_core_instructions(core, 2);
    }
    return (double)(apmu_core_read(core, APMU_EV_CPU_CYCLES) - before);
}

/* Prints how far @modelled is from @measured, which ends a row. */
static void print_error(double modelled, double measured)
{
    const double error = 100 * (modelled - measured) / measured;

    if (error > -0.5 && error < 0.5) {
        printf("0 %% |\n");
    } else {
        printf("%+.0f %% |\n", error);
    }
}

static void print_chain(const struct measured_chain *m)
{
    for (unsigned i = 0; i < MOST_SIZES && m->ns[i] != 0; i++) {
        struct apmu_chip *chip = new_chip(m->core, m->last);
        const double measured = m->ns[i] * m->mhz / 1000, modelled = follow_chain(chip, UINT64_C(4096) << i);

        printf("| %s | %s | %u KiB | %.1f | %.1f | ", m->core, m->machine, 4U << i, measured, modelled);
        print_error(modelled, measured);
        free(chip);
    }
}

static void print_copy(const struct measured_copy *m)
{
    struct apmu_chip *chip = new_chip(m->core, m->last);
    const double modelled = m->bytes / copy_bytes(chip, m->bytes) * m->mhz;

    printf("| %s | %s | %s | %.0f | %.0f | ", m->core, m->machine, m->test, m->rate, modelled);
    print_error(modelled, m->rate);
    free(chip);
}

int main(void)
{
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        print_chain(&chains[i]);
    }
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++) {
        print_copy(&copies[i]);
    }
    return 0;
}
