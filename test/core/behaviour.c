/* SPDX-License-Identifier: BSD-2-Clause */
/* What the core model does with programs whose counts follow from the row: caches, TLBs, time. */
#include "../lib/tap.h"
#include "actions.h"

static struct apmu_core_row row;
static struct apmu_chip *chip;

static struct apmu_core *begin(const char *name, uint32_t parts)
{
    free(chip);
    if (name != NULL) {
        apmu_core_row_by_name(name, &row);
    }
    chip = new_chip(&row, parts, 2);
    return apmu_chip_core(chip, 0);
}

/* Visits @lines lines in an order without a stride, @times times, each load after the last.  Returns the cycles. */
static uint64_t chase(struct apmu_core *core, uint64_t lines, uint64_t times)
{
    const uint64_t before = apmu_core_read(core, APMU_EV_CPU_CYCLES);

    for (uint64_t i = 0; i < lines * times; i++) {
        apmu_core_instructions(core, 1);
        apmu_core_load_after(core, 0x10000000 + i * 40503 % lines * 64, 8);
    }
    return apmu_core_read(core, APMU_EV_CPU_CYCLES) - before;
}

/*
 * A list that fits a level, and not the one above, costs that level's latency a load, within 2 %.  The lists are far
 * smaller or larger than the levels, and translations cost nothing.
 */
static void a_list_costs_the_latency_of_its_level(void)
{
    for (size_t i = 0; apmu_core_row_at(i, &row); i++) {
        const uint32_t *v = row.value;
        const enum apmu_core_key sizes[3] = {APMU_CORE_KEY_L1D_SIZE, APMU_CORE_KEY_L2_SIZE, APMU_CORE_KEY_LAST_SIZE};
        const enum apmu_core_key latencies[4] = {APMU_CORE_KEY_L1D_LATENCY, APMU_CORE_KEY_L2_LATENCY,
                                                 APMU_CORE_KEY_LAST_LATENCY, APMU_CORE_KEY_MEMORY_LATENCY};
        uint64_t above = 0;
        unsigned levels = 0;

        row.value[APMU_CORE_KEY_EVENTS] = APMU_CORE_EVENTS_COMMON;
        row.value[APMU_CORE_KEY_PAGE] = 65536;
        row.value[APMU_CORE_KEY_TLB2_ENTRIES] = 8192;
        row.value[APMU_CORE_KEY_TLB2_WAYS] = 8;
        row.value[APMU_CORE_KEY_TLB2_REPLACEMENT] = APMU_CORE_LRU;
        row.value[APMU_CORE_KEY_TLB2_LATENCY] = 0;
        for (unsigned level = 0; level < 4; level++) {
            const uint64_t size = level < 3 ? v[sizes[level]] : 16 * above;
            const uint64_t lines = (level < 3 ? size / 2 : size) / 64; /* a power of two, for chase() */

            if (size == 0 || (level > 0 && level < 3 && size / 2 < 8 * above)) {
                above = size > above ? size : above;
                continue;
            }
            struct apmu_core *core = begin(NULL, APMU_CORE_ALL);

            chase(core, lines, 2);
            levels++;
            const uint64_t cycles = chase(core, lines, 2), want = v[latencies[level]] * lines * 2;

            MUST(cycles * 50 >= want * 49 && cycles * 50 <= want * 51,
                 "%s, level %u: %llu cycles for %llu loads, want %llu", row.name, level, (unsigned long long)cycles,
                 (unsigned long long)lines * 2, (unsigned long long)want);
            above = size;
        }
        MUST(levels >= 2, "%s: two levels are far enough apart", row.name);
    }
}

static void loads_that_do_not_depend_overlap(void)
{
    struct apmu_core *core = begin("neoverse-n1", APMU_CORE_ALL);
    const uint64_t lines = 200000, latency = row.value[APMU_CORE_KEY_MEMORY_LATENCY];

    for (uint64_t i = 0; i < lines; i++) {
        apmu_core_instructions(core, 4);
        apmu_core_load(core, 0x10000000 + i * 64, 8);
    }
    const uint64_t cycles = apmu_core_read(core, APMU_EV_CPU_CYCLES);

    /* With 20 misses at once and four instructions for each, 20 of them take one latency or little more. */
    MUST(cycles > lines * latency / 20 && cycles < lines * latency / 15, "%llu cycles", (unsigned long long)cycles);
    MUST(apmu_core_read(core, APMU_EV_STALL_BACKEND_MEM) > cycles / 2, "most are stalls for memory");
    MUST_EQ(apmu_core_read(core, APMU_EV_STALL_FRONTEND), 0, "none of the front end");
}

static void caches_count_what_their_size_says(void)
{
    struct apmu_core *core = begin("cortex-a72", APMU_CORE_L1D);

    for (unsigned round = 0; round < 10; round++) {
        for (uint64_t at = 0; at < 32768; at += 16) {
            apmu_core_load(core, at, 16);
        }
    }
    MUST_EQ(apmu_core_read(core, APMU_EV_L1D_CACHE), 10 * 2048, "lookups");
    MUST_EQ(apmu_core_read(core, APMU_EV_L1D_CACHE_REFILL), 512, "all lines fit");
    core = begin("cortex-a72", APMU_CORE_L1D);
    for (unsigned round = 0; round < 10; round++) {
        for (uint64_t at = 0; at < 65536; at += 64) {
            apmu_core_store(core, at, 8);
        }
    }
    MUST_EQ(apmu_core_read(core, APMU_EV_L1D_CACHE_REFILL_WR), 10 * 1024, "twice its size: LRU misses all");
    MUST_EQ(apmu_core_read(core, APMU_EV_L1D_CACHE_WB), 10 * 1024 - 512, "and writes all back but those in it");
    core = begin("cortex-a72", APMU_CORE_L1D);
    apmu_core_load(core, 60, 8);
    MUST_EQ(apmu_core_read(core, APMU_EV_L1D_CACHE), 2, "an access to two lines");
    MUST_EQ(apmu_core_read(core, APMU_EV_MEM_ACCESS), 1, "is one access");
}

static void arm11_writes_halves_back(void)
{
    struct apmu_core *core = begin("arm1176", APMU_CORE_L1D);

    for (uint64_t at = 0; at < 16384; at += 32) {
        apmu_core_load(core, at, 4);
        apmu_core_store(core, at, 4);
        if (at % 64 == 0) {
            apmu_core_store(core, at + 16, 4);
        }
    }
    MUST_EQ(apmu_core_read(core, 0x0C), 0, "DCACHE_WBACK while all fits");
    for (uint64_t at = 0; at < 4 * 16384; at += 32) {
        apmu_core_load(core, 0x100000 + at, 4);
    }
    const uint64_t halves = apmu_core_read(core, 0x0C), passed = apmu_core_read(core, 0x10);

    MUST(halves > 700 && halves <= 768, "DCACHE_WBACK: three halves for each two lines, %llu",
         (unsigned long long)halves);
    apmu_core_store(core, 0x900000, 4);
    MUST_EQ(apmu_core_read(core, 0x10), passed + 1, "EXPL_D_ACCESS: a store that misses goes out");
    MUST_EQ(apmu_core_read(core, 0x0B), apmu_core_read(core, 0x10), "DCACHE_MISS");
}

static void tlbs_count_pages(void)
{
    struct apmu_core *core = begin("cortex-a72", APMU_CORE_ALL);

    for (unsigned round = 0; round < 3; round++) {
        for (uint64_t page = 0; page < 33; page++) {
            apmu_core_load(core, page << 12, 8);
        }
    }
    MUST_EQ(apmu_core_read(core, APMU_EV_L1D_TLB), 99, "lookups");
    MUST_EQ(apmu_core_read(core, APMU_EV_L1D_TLB_REFILL), 99, "33 pages in turn in 32 entries");
    MUST_EQ(apmu_core_read(core, APMU_EV_L2D_TLB_REFILL), 33, "the second level has them");
    MUST_EQ(apmu_core_read(core, APMU_EV_DTLB_WALK), 33, "walks");
    MUST_EQ(apmu_core_read(core, APMU_EV_DTLB_STEP), 4 + 32, "the walk cache has the last table");
    apmu_core_forget_pages(core);
    apmu_core_load(core, 0, 8);
    MUST_EQ(apmu_core_read(core, APMU_EV_DTLB_STEP), 4 + 32 + 4, "forgotten");
}

static void cores_share_what_the_row_says(void)
{
    begin("cortex-a72", APMU_CORE_ALL);
    for (unsigned n = 0; n < 2; n++) {
        for (uint64_t at = 0; at < 4096; at += 64) {
            apmu_core_load(apmu_chip_core(chip, n), at, 8);
        }
    }
    MUST_EQ(apmu_core_read(apmu_chip_core(chip, 1), APMU_EV_L1D_CACHE_REFILL), 64, "L1D is private");
    MUST_EQ(apmu_core_read(apmu_chip_core(chip, 1), APMU_EV_L2D_CACHE_REFILL), 0, "L2 is shared");
    begin("neoverse-n1", APMU_CORE_ALL);
    for (unsigned n = 0; n < 2; n++) {
        for (uint64_t at = 0; at < 4096; at += 64) {
            apmu_core_load(apmu_chip_core(chip, n), at, 8);
        }
    }
    MUST(apmu_core_read(apmu_chip_core(chip, 1), APMU_EV_L2D_CACHE_REFILL) >= 64, "L2 is private");
    MUST_EQ(apmu_core_read(apmu_chip_core(chip, 1), APMU_EV_L3D_CACHE_REFILL), 0, "the last level is shared");
    MUST(apmu_chip_core(chip, 2) == NULL, "no third core");
}

static void a_store_leaves_the_line_in_other_cores(void)
{
    begin("cortex-a72", APMU_CORE_ALL);
    for (unsigned i = 0; i < 1000; i++) {
        apmu_core_store(apmu_chip_core(chip, i % 2), 4096 + i % 2 * 8, 8);
    }
    for (unsigned n = 0; n < 2; n++) {
        MUST_EQ(apmu_core_read(apmu_chip_core(chip, n), APMU_EV_L1D_CACHE_REFILL), 1, "false sharing is not seen");
    }
    MUST(!apmu_core_models(&row, APMU_EV_L1D_CACHE_INVAL), "nor what it invalidates");
}

static void prefetchers_bring_lines_before_they_are_used(void)
{
    apmu_core_row_by_name("cortex-a76", &row);
    row.value[APMU_CORE_KEY_L1D_PREFETCH] = APMU_CORE_PREFETCH_NEXT;
    struct apmu_core *core = begin(NULL, APMU_CORE_L1D);

    for (uint64_t at = 0; at < 4096; at += 8) {
        apmu_core_load(core, at, 8);
    }
    MUST_EQ(apmu_core_read(core, APMU_EV_L1D_CACHE_REFILL), 1, "next: the first line of the page alone misses");
    MUST_EQ(apmu_core_read(core, APMU_EV_L1D_CACHE_HIT_RD_FHWPRF), 63, "the others are hits of prefetched lines");
    row.value[APMU_CORE_KEY_L1D_PREFETCH] = APMU_CORE_PREFETCH_STRIDE;
    core = begin(NULL, APMU_CORE_L1D);
    for (uint64_t at = 0; at < 4096; at += 192) {
        apmu_core_load(core, at, 8);
    }
    MUST_EQ(apmu_core_read(core, APMU_EV_L1D_CACHE_REFILL), 3, "stride: it takes three lines to know the distance");
}

/* Loads 2048 lines, which L2 keeps and L1D does not.  Returns how many of them missed L1D. */
static uint64_t load_lines(struct apmu_core *core)
{
    const uint64_t before = core->tally.miss[APMU_CORE_LEVEL_L1D][APMU_CORE_CAUSE_LOAD];

    for (uint64_t i = 0; i < 2048; i++) {
        apmu_core_load(core, 0x10000000 + i * 64, 8);
    }
    return core->tally.miss[APMU_CORE_LEVEL_L1D][APMU_CORE_CAUSE_LOAD] - before;
}

/* An L2 that is not simulated at the moment is not looked up, though it has the lines from before. */
static void a_level_that_is_not_used_sees_nothing(void)
{
    for (size_t i = 0; apmu_core_row_at(i, &row); i++) {
        struct apmu_core *core = begin(NULL, APMU_CORE_ALL);

        load_lines(core);
        apmu_core_use_parts(core, APMU_CORE_L1D);
        const uint64_t before = core->tally.lookup[APMU_CORE_LEVEL_L2][APMU_CORE_CAUSE_LOAD], missed = load_lines(core);

        MUST(missed > 0 && core->tally.lookup[APMU_CORE_LEVEL_L2][APMU_CORE_CAUSE_LOAD] == before,
             "%s: lookups in L2", row.name);
    }
}

static void top_down_adds_up(void)
{
    for (size_t i = 0; apmu_core_row_at(i, &row); i++) {
        struct choices c = {.random = 33};
        struct invented_program program;

        row.value[APMU_CORE_KEY_EVENTS] = APMU_CORE_EVENTS_COMMON;
        struct apmu_core *core = begin(NULL, APMU_CORE_ALL);

        program_init(&program, 1);
        for (unsigned n = 0; n < 20000; n++) {
            struct core_action a;

            draw_action(&program, &c, &a);
            act(chip, &a);
        }
        apmu_core_settle(core);
        const uint64_t slots = apmu_core_read(core, APMU_EV_CPU_CYCLES) * row.value[APMU_CORE_KEY_TIMING_WIDTH];
        const uint64_t retiring = apmu_core_read(core, APMU_EV_OP_RETIRED);
        const uint64_t bad = apmu_core_read(core, APMU_EV_OP_SPEC) - retiring;

        MUST_EQ(retiring + bad + apmu_core_read(core, APMU_EV_STALL_SLOT_FRONTEND) +
                    apmu_core_read(core, APMU_EV_STALL_SLOT_BACKEND),
                slots, "%s: four parts of all slots", row.name);
        const bool dispatches = row.value[APMU_CORE_KEY_TIMING_MISPREDICT] > row.value[APMU_CORE_KEY_TIMING_REFILL];

        MUST(retiring != 0 && (bad != 0) == dispatches && apmu_core_read(core, APMU_EV_STALL_FRONTEND_MEMBOUND) != 0 &&
                 apmu_core_read(core, APMU_EV_STALL_BACKEND_MEM) != 0,
             "%s: each part is there", row.name);
    }
}

int main(void)
{
    RUN(a_list_costs_the_latency_of_its_level);
    RUN(loads_that_do_not_depend_overlap);
    RUN(caches_count_what_their_size_says);
    RUN(arm11_writes_halves_back);
    RUN(tlbs_count_pages);
    RUN(cores_share_what_the_row_says);
    RUN(a_store_leaves_the_line_in_other_cores);
    RUN(prefetchers_bring_lines_before_they_are_used);
    RUN(a_level_that_is_not_used_sees_nothing);
    RUN(top_down_adds_up);
    free(chip);
    return tap_status;
}
