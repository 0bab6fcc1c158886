/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cycles per load of a list, against its size: the latency that the row configures for the level that holds the list,
 * and what its translations add, within 2 %.  All replacement is LRU here, where a list that is larger than a level
 * never hits it, so that each step is where the row has it.
 */
#include "../lib/tap.h"
#include "actions.h"

static struct apmu_core_row row;
static struct apmu_chip *chip;
static unsigned steps;
static uint64_t way_size; /* of the level that holds the list */

static uint32_t value(enum apmu_core_key key)
{
    return row.value[key];
}

/* Takes row @i of the table, with LRU everywhere and events that count CPU_CYCLES.  Returns false past the last one. */
static bool take_row(size_t i)
{
    static const enum apmu_core_key replacements[] = {APMU_CORE_KEY_L1D_REPLACEMENT, APMU_CORE_KEY_L2_REPLACEMENT,
                                                      APMU_CORE_KEY_LAST_REPLACEMENT, APMU_CORE_KEY_DTLB_REPLACEMENT,
                                                      APMU_CORE_KEY_TLB2_REPLACEMENT};

    if (!apmu_core_row_at(i, &row)) {
        return false;
    }
    for (size_t k = 0; k < sizeof replacements / sizeof replacements[0]; k++) {
        row.value[replacements[k]] = APMU_CORE_LRU;
    }
    row.value[APMU_CORE_KEY_EVENTS] = APMU_CORE_EVENTS_COMMON;
    return true;
}

/* Returns the latency of the level that holds @bytes. */
static uint32_t latency_for(uint64_t bytes)
{
    return bytes <= value(APMU_CORE_KEY_L1D_SIZE)    ? value(APMU_CORE_KEY_L1D_LATENCY)
           : bytes <= value(APMU_CORE_KEY_L2_SIZE)   ? value(APMU_CORE_KEY_L2_LATENCY)
           : bytes <= value(APMU_CORE_KEY_LAST_SIZE) ? value(APMU_CORE_KEY_LAST_LATENCY)
                                                     : value(APMU_CORE_KEY_MEMORY_LATENCY);
}

/*
 * Follows a list of @count elements, of which element i is at place(i).  It is timed when it has been followed for so
 * long that what the first rounds left over has ended.
 */
static void follow(uint64_t count, uint64_t (*place)(uint64_t), uint64_t want, const char *what)
{
    const uint64_t rounds = 1 + 4096 / count, warm = 2 * rounds, loads = rounds * count;
    struct apmu_core *core;
    uint64_t before = 0;

    free(chip);
    chip = new_chip(&row, APMU_CORE_ALL, 1);
    core = apmu_chip_core(chip, 0);
    for (uint64_t i = 0; i < (warm + rounds) * count; i++) {
        before = i == warm * count ? apmu_core_read(core, APMU_EV_CPU_CYCLES) : before;
        apmu_core_instructions(core, 1);
        apmu_core_load_after(core, 0x40000000 + place(i % count), 8);
    }
    const uint64_t cycles = apmu_core_read(core, APMU_EV_CPU_CYCLES) - before;

    MUST(cycles * 50 >= want * loads * 49 && cycles * 50 <= want * loads * 51,
         "%s: %s of %llu elements: %llu cycles for %llu loads, want %llu each", row.name, what,
         (unsigned long long)count, (unsigned long long)cycles, (unsigned long long)loads, (unsigned long long)want);
    steps++;
}

static uint64_t line_by_line(uint64_t i)
{
    return i * value(APMU_CORE_KEY_L1D_LINE);
}

/* Without effects of the TLBs: they hold all, and cost nothing. */
static void each_level_has_its_latency(void)
{
    for (size_t i = 0; take_row(i); i++) {
        const uint64_t last = value(APMU_CORE_KEY_LAST_SIZE) != 0 ? value(APMU_CORE_KEY_LAST_SIZE)
                              : value(APMU_CORE_KEY_L2_SIZE) != 0 ? value(APMU_CORE_KEY_L2_SIZE)
                                                                  : value(APMU_CORE_KEY_L1D_SIZE);

        row.value[APMU_CORE_KEY_PAGE] = 65536;
        row.value[APMU_CORE_KEY_TLB2_ENTRIES] = 8192;
        row.value[APMU_CORE_KEY_TLB2_WAYS] = 8;
        row.value[APMU_CORE_KEY_TLB2_LATENCY] = 0;
        for (uint64_t bytes = value(APMU_CORE_KEY_L1D_SIZE) / 2; bytes <= 4 * last; bytes *= 2) {
            follow(bytes / value(APMU_CORE_KEY_L1D_LINE), line_by_line, latency_for(bytes), "a list");
        }
    }
    MUST(steps > 80, "%u sizes", steps);
}

/*
 * A line in each page.  The line is chosen so that the sets of the level that holds the list are used evenly: the bits
 * of the set that come from the number of the page are low bits of @i, and the others the bits of @i above those.
 */
static uint64_t page_by_page(uint64_t i)
{
    const uint64_t page = value(APMU_CORE_KEY_PAGE), line = value(APMU_CORE_KEY_L1D_LINE);
    unsigned above = 0;

    for (uint64_t span = way_size; span > page; span /= 2) {
        above++;
    }
    return i * page + (i >> above) * line % page;
}

/* Follows a list of @pages lines, each in another page.  A translation takes @translation cycles. */
static void follow_pages(uint64_t pages, uint64_t translation, const char *what)
{
    const uint64_t bytes = pages * value(APMU_CORE_KEY_L1D_LINE);

    way_size = bytes <= value(APMU_CORE_KEY_L1D_SIZE)
                   ? value(APMU_CORE_KEY_L1D_SIZE) / value(APMU_CORE_KEY_L1D_WAYS)
                   : value(APMU_CORE_KEY_L2_SIZE) / value(APMU_CORE_KEY_L2_WAYS);
    follow(pages, page_by_page, latency_for(bytes) + translation, what);
}

/* With the row's own TLBs: a list in few pages, in more than the first TLB has, and in more than the second has. */
static void translations_add_their_cycles(void)
{
    for (size_t i = 0; take_row(i); i++) {
        const uint32_t first = value(APMU_CORE_KEY_DTLB_ENTRIES), second = value(APMU_CORE_KEY_TLB2_ENTRIES);
        const uint32_t tlb2 = second != 0 ? value(APMU_CORE_KEY_TLB2_LATENCY) : 0;
        const uint32_t walk = value(APMU_CORE_KEY_L2_SIZE) != 0     ? value(APMU_CORE_KEY_L2_LATENCY)
                              : value(APMU_CORE_KEY_LAST_SIZE) != 0 ? value(APMU_CORE_KEY_LAST_LATENCY)
                                                                    : value(APMU_CORE_KEY_MEMORY_LATENCY);
        /* One page more in each set than it has ways.  Their lines fit L1D, or are twice as many as it has. */
        const uint64_t sets = second != 0 ? second / value(APMU_CORE_KEY_TLB2_WAYS) : first;
        const uint64_t l1d = value(APMU_CORE_KEY_L1D_SIZE) / value(APMU_CORE_KEY_L1D_LINE);
        uint64_t pages = second + sets;

        /* The index is that of low bits here, so that the pages are spread evenly. */
        row.value[APMU_CORE_KEY_L1D_INDEX] = row.value[APMU_CORE_KEY_L2_INDEX] = APMU_CORE_INDEX_LOW;
        follow_pages(first / 2, 0, "pages of the first TLB");
        if (second >= 4 * first) {
            follow_pages(second / 2, tlb2, "pages of the second TLB");
        }
        while (pages > l1d && pages < 2 * l1d) {
            pages += sets;
        }
        /* A walk reads one descriptor, the last, if the walk cache has the tables, else one at each level. */
        const uint32_t tables = (uint32_t)(pages * 8 / value(APMU_CORE_KEY_PAGE)) + 1;
        const uint32_t reads = tables <= value(APMU_CORE_KEY_WALK_ENTRIES) ? 1 : value(APMU_CORE_KEY_WALK_LEVELS);

        follow_pages(pages, tlb2 + reads * walk, "pages that no TLB holds");
    }
}

int main(void)
{
    RUN(each_level_has_its_latency);
    RUN(translations_add_their_cycles);
    free(chip);
    return tap_status;
}
