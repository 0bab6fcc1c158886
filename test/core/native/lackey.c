/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lackey CORE-FILE: reads a trace of valgrind's tool lackey from its standard input, gives it to the core model of that
 * file, and prints the refills: NAME COUNT lines for I1, D1 and LL.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <armpmu/core_file.h>

/* Gives a line of the trace to the core: " L 1ffefffe80,8".  M is a load and a store. */
static void take_line(struct apmu_core *core, const char *line)
{
    char *end;
    const char what = line[0] == 'I' ? 'I' : line[0] == ' ' ? line[1] : 0;

    if (what == 0 || strchr("ILSM", what) == NULL) {
        return;
    }
    const uint64_t address = strtoull(line + 2, &end, 16);
    const uint32_t size = *end == ',' ? (uint32_t)strtoul(end + 1, NULL, 10) : 0;

    if (what == 'I') {
        apmu_core_fetch(core, address, size);
        return;
    }
    if (what != 'S') {
        apmu_core_load(core, address, size);
    }
    if (what != 'L') {
        apmu_core_store(core, address, size);
    }
}

int main(int argc, char **argv)
{
    static char text[4096], line[256];
    struct apmu_core_file_fault fault;
    struct apmu_core_row row;
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    const size_t length = file != NULL ? fread(text, 1, sizeof text, file) : 0;
    const uint32_t parts = APMU_CORE_L1I | APMU_CORE_L1D | APMU_CORE_L2;
    uint64_t lines = 0;

    if (!apmu_core_file_parse(text, length, &row, &fault)) {
        fprintf(stderr, "line %u: %s\n", fault.line, fault.text);
        return 2;
    }
    const size_t size = apmu_chip_size(&row, parts, 1);
    struct apmu_chip *chip = malloc(size);

    if (chip == NULL || apmu_chip_init(chip, size, &row, parts, 1) != NULL) {
        return 2;
    }
    struct apmu_core *core = apmu_chip_core(chip, 0);

    while (fgets(line, sizeof line, stdin) != NULL) {
        take_line(core, line);
        lines++;
    }
    /* The events of L2 need the TLBs, whose walks cachegrind lacks: so its refills are read from the tally. */
    printf("I1 %llu\nD1 %llu\nLL %llu\n", (unsigned long long)apmu_core_read(core, APMU_EV_L1I_CACHE_REFILL),
           (unsigned long long)apmu_core_read(core, APMU_EV_L1D_CACHE_REFILL),
           (unsigned long long)(core->tally.miss[APMU_CORE_LEVEL_L2][APMU_CORE_CAUSE_LOAD] +
                                core->tally.miss[APMU_CORE_LEVEL_L2][APMU_CORE_CAUSE_FETCH] +
                                core->tally.miss[APMU_CORE_LEVEL_L2][APMU_CORE_CAUSE_STORE]));
    free(chip);
    fclose(file);
    return lines != 0 ? 0 : 2;
}
