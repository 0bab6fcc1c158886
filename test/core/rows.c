/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of the core model, its memory, and what it refuses. */
#include <armpmu/core_file.h>
#include <armpmu/cores.h>

#include "../lib/tap.h"
#include "actions.h"

static struct apmu_core_row row;

static void every_row_is_whole(void)
{
    size_t rows = 0;

    for (; apmu_core_row_at(rows, &row); rows++) {
        const char *wrong = apmu_core_row_check(&row);
        struct apmu_core_row found;

        MUST(wrong == NULL, "%s: %s", row.name, wrong);
        MUST(apmu_core_row_by_name(row.name, &found) && memcmp(&row, &found, sizeof row) == 0, "%s by name", row.name);
        for (unsigned key = 0; key < APMU_CORE_KEY_COUNT; key++) {
            const char *source = apmu_core_row_source(rows, key);

            MUST(source != NULL && strlen(source) > 2, "%s: %s has no source", row.name, apmu_core_key_info(key)->name);
        }
    }
    MUST_EQ(rows, 12, "rows");
    MUST(apmu_core_row_by_name("Cortex-A72", &row) && strcmp(row.name, "cortex-a72") == 0, "case is ignored");
    MUST(!apmu_core_row_by_name("cortex-a7x", &row) && !apmu_core_row_by_name("cortex-a", &row) &&
             !apmu_core_row_by_name("", &row),
         "no other name");
    MUST(apmu_core_row_source(rows, 0) == NULL && apmu_core_row_source(0, APMU_CORE_KEY_COUNT) == NULL, "no source");
    MUST(apmu_core_key_info(APMU_CORE_KEY_COUNT) == NULL, "no key");
}

static void every_row_is_a_core_of_the_list(void)
{
    for (size_t i = 0; apmu_core_row_at(i, &row); i++) {
        char name[sizeof row.name];
        bool found = false;

        for (size_t n = 0; apmu_core_at(n) != NULL && !found; n++) {
            size_t k = 0;

            for (; apmu_core_at(n)->name[k] != 0 && k + 1 < sizeof name; k++) {
                const char c = apmu_core_at(n)->name[k];

                name[k] = c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
            }
            name[k] = 0;
            found = strncmp(name, row.name, strlen(row.name)) == 0;
        }
        MUST(found, "%s is in tables/cores.def", row.name);
    }
}

static void state_is_small(void)
{
    for (size_t i = 0; apmu_core_row_at(i, &row); i++) {
        const size_t one = apmu_chip_size(&row, APMU_CORE_ALL, 1), two = apmu_chip_size(&row, APMU_CORE_ALL, 2);

        MUST(one != 0 && one <= 8u << 20, "%s: %zu bytes", row.name, one);
        MUST(two - one <= one && apmu_chip_size(&row, 0, 1) < one, "%s: a second core takes %zu", row.name, two - one);
    }
}

/* A row that must be refused: a key, a value, and a word of the sentence. */
static const struct bad_parameter {
    const char *base;
    enum apmu_core_key key;
    uint32_t value;
    const char *word;
} bad_parameters[] = {
    {"cortex-a72", APMU_CORE_KEY_L1D_SIZE, 0, "l1d.size"},
    {"cortex-a72", APMU_CORE_KEY_L1D_SIZE, UINT32_MAX, "l1d.size"},
    {"cortex-a72", APMU_CORE_KEY_L1D_SIZE, 32769, "sets"},
    {"cortex-a72", APMU_CORE_KEY_L1D_WAYS, 0, "l1d.ways"},
    {"cortex-a72", APMU_CORE_KEY_L1D_WAYS, 3, "l1d.ways"},
    {"cortex-a72", APMU_CORE_KEY_L1D_LINE, 48, "l1d.line"},
    {"cortex-a72", APMU_CORE_KEY_L1D_LINE, 128, "l2.line"},
    {"cortex-a72", APMU_CORE_KEY_L1I_REPLACEMENT, APMU_CORE_PLRU, "tree"},
    {"cortex-a72", APMU_CORE_KEY_L1I_REPLACEMENT, 3, "lru plru random"},
    {"cortex-a72", APMU_CORE_KEY_L1D_SEED, 0, "l1d.seed"},
    {"cortex-a72", APMU_CORE_KEY_L2_LATENCY, 4, "l2.latency"},
    {"cortex-a76", APMU_CORE_KEY_LAST_LATENCY, 5, "last.latency"},
    {"cortex-a76", APMU_CORE_KEY_LAST_LINE, 32, "last.line"},
    {"cortex-a76", APMU_CORE_KEY_MEMORY_LATENCY, 20, "memory.latency"},
    {"cortex-a72", APMU_CORE_KEY_PAGE, 8192, "page"},
    {"cortex-a72", APMU_CORE_KEY_DTLB_ENTRIES, 0, "dtlb.entries"},
    {"cortex-a72", APMU_CORE_KEY_DTLB_REPLACEMENT, APMU_CORE_PLRU, "dtlb.replacement"},
    {"cortex-a72", APMU_CORE_KEY_TLB2_ENTRIES, 1000, "tlb2.ways"},
    {"cortex-a72", APMU_CORE_KEY_BTB_ENTRIES, 1000, "btb.entries"},
    {"cortex-a53", APMU_CORE_KEY_BRANCH_HISTORY, 12, "branch.history"},
    {"cortex-a53", APMU_CORE_KEY_BRANCH_BITS, 60, "branch.bits"},
    {"cortex-a72", APMU_CORE_KEY_TAGE_SHORTEST, 400, "tage.shortest"},
    {"cortex-a72", APMU_CORE_KEY_RETURNS_ENTRIES, 65, "returns.entries"},
    {"cortex-a72", APMU_CORE_KEY_TIMING_WIDTH, 0, "timing.width"},
    {"cortex-a72", APMU_CORE_KEY_TIMING_MISSES, 0, "timing.misses"},
    {"cortex-a72", APMU_CORE_KEY_TIMING_MISSES, 65, "timing.misses"},
    {"cortex-a72", APMU_CORE_KEY_TIMING_STORES, 65, "timing.stores"},
    {"cortex-a72", APMU_CORE_KEY_TIMING_REFILL, 40, "timing.refill"},
};

static void hostile_parameters_are_refused_in_a_sentence(void)
{
    for (size_t i = 0; i < sizeof bad_parameters / sizeof bad_parameters[0]; i++) {
        const struct bad_parameter *bad = &bad_parameters[i];
        uint64_t memory[4];

        MUST(apmu_core_row_by_name(bad->base, &row), "%s", bad->base);
        row.value[bad->key] = bad->value;
        const char *wrong = apmu_core_row_check(&row);

        MUST(wrong != NULL && strstr(wrong, bad->word) != NULL && strchr(wrong, ';') != NULL, "%s %u: %s",
             apmu_core_key_info(bad->key)->name, (unsigned)bad->value, wrong != NULL ? wrong : "taken");
        MUST(apmu_chip_size(&row, APMU_CORE_ALL, 1) == 0, "%zu: no size", i);
        MUST(apmu_chip_init(memory, sizeof memory, &row, APMU_CORE_ALL, 1) == wrong, "%zu: no chip", i);
    }
}

static void random_parameters_are_refused_or_work(void)
{
    struct choices c = {.random = 2718};
    unsigned taken = 0;

    for (unsigned i = 0; i < 20000; i++) {
        apmu_core_row_at(pick_of(&c, 12), &row);
        for (unsigned n = pick_of(&c, 3) + 1; n > 0; n--) {
            const unsigned key = pick_of(&c, APMU_CORE_KEY_COUNT);
            const struct apmu_core_key_info *info = apmu_core_key_info(key);
            const uint64_t span = (uint64_t)info->highest - info->lowest + 3;

            row.value[key] =
                pick_bool(&c) ? (uint32_t)1 << pick_of(&c, 27) : (uint32_t)(info->lowest - 1 + pick(&c, 32) % span);
        }
        const char *wrong = apmu_core_row_check(&row);
        const size_t size = apmu_chip_size(&row, APMU_CORE_ALL, 1);

        MUST((wrong == NULL) == (size != 0) && size <= 8u << 20, "row %u: %zu bytes, %s", i, size, wrong);
        if (wrong != NULL || taken++ % 16 != 0) {
            continue;
        }
        struct apmu_chip *chip = new_chip(&row, APMU_CORE_ALL, 1);
        struct invented_program program;

        program_init(&program, 1);
        for (unsigned n = 0; n < 300; n++) {
            struct core_action a;

            draw_action(&program, &c, &a);
            act(chip, &a);
        }
        free(chip);
    }
    MUST(taken > 1000, "%u were taken", taken);
}

static void memory_is_checked(void)
{
    apmu_core_row_by_name("cortex-a53", &row);
    const size_t size = apmu_chip_size(&row, APMU_CORE_ALL, 2);
    char *memory = malloc(size + 8);
    struct apmu_core_row other = row;

    MUST(memory != NULL && apmu_chip_init(memory, size, &row, APMU_CORE_ALL, 2) == NULL, "it fits");
    MUST(strstr(apmu_chip_init(memory, size - 1, &row, APMU_CORE_ALL, 2), "too small") != NULL, "too small");
    MUST(strstr(apmu_chip_init(memory + 1, size, &row, APMU_CORE_ALL, 2), "aligned") != NULL, "not aligned");
    MUST(strstr(apmu_chip_init(NULL, size, &row, APMU_CORE_ALL, 2), "aligned") != NULL, "no memory");
    MUST(strstr(apmu_chip_init(memory, size, &row, APMU_CORE_ALL, 0), "cores") != NULL, "no core");
    MUST(strstr(apmu_chip_init(memory, size, &row, APMU_CORE_ALL, 1025), "cores") != NULL, "too many cores");
    MUST(apmu_chip_size(&row, APMU_CORE_ALL, 1025) == 0, "no size for them");
    other.size = 12;
    MUST(strstr(apmu_core_row_check(&other), "size") != NULL, "an unset size");
    other = row;
    memset(other.name, 'x', sizeof other.name);
    MUST(strstr(apmu_core_row_check(&other), "name") != NULL, "a name without end");
    other.name[0] = 0;
    MUST(strstr(apmu_core_row_check(&other), "name") != NULL, "no name");
    other = row;
    other.value[APMU_CORE_KEY_LAST_SIZE] = 33554432;
    other.value[APMU_CORE_KEY_LAST_LINE] = other.value[APMU_CORE_KEY_L2_LINE] = 64;
    other.value[APMU_CORE_KEY_LAST_LATENCY] = 40;
    other.value[APMU_CORE_KEY_L2_SIZE] = 16777216;
    MUST(apmu_core_row_check(&other) == NULL, "the largest caches: %s", apmu_core_row_check(&other));
    other.value[APMU_CORE_KEY_L1D_LINE] = other.value[APMU_CORE_KEY_L1I_LINE] = 16;
    other.value[APMU_CORE_KEY_LAST_LINE] = other.value[APMU_CORE_KEY_L2_LINE] = 16;
    MUST(strstr(apmu_core_row_check(&other), "8 MB") != NULL, "too many lines");
    free(memory);
}

static void parts_follow_from_events(void)
{
    static const struct event_parts {
        uint16_t event;
        uint32_t parts;
    } wanted[] = {
        {APMU_EV_INST_RETIRED, 0},
        {APMU_EV_MEM_ACCESS, 0},
        {APMU_EV_BR_RETIRED, 0},
        {APMU_EV_L1D_CACHE_REFILL, APMU_CORE_L1D},
        {APMU_EV_L1I_CACHE, APMU_CORE_L1I},
        {APMU_EV_L1D_TLB_REFILL, APMU_CORE_DTLB},
        {APMU_EV_BR_MIS_PRED, APMU_CORE_BRANCH},
        {APMU_EV_DTLB_WALK, APMU_CORE_ITLB | APMU_CORE_DTLB},
        {APMU_EV_L2D_CACHE_REFILL, APMU_CORE_L1I | APMU_CORE_L1D | APMU_CORE_L2 | APMU_CORE_ITLB | APMU_CORE_DTLB},
        {APMU_EV_CPU_CYCLES, APMU_CORE_ALL},
        {APMU_EV_SW_INCR, 0},
    };

    apmu_core_row_by_name("neoverse-n1", &row);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        MUST_EQ(apmu_core_parts(&row, &wanted[i].event, 1), wanted[i].parts, "event 0x%x", wanted[i].event);
        MUST(apmu_core_models(&row, wanted[i].event) == (wanted[i].event != APMU_EV_SW_INCR), "event 0x%x is modelled",
             wanted[i].event);
    }
    apmu_core_row_by_name("cortex-a53", &row);
    MUST(!apmu_core_models(&row, APMU_EV_L3D_CACHE) && apmu_core_models(&row, APMU_EV_LL_CACHE_MISS_RD), "no L3");
    apmu_core_row_by_name("arm1176", &row);
    MUST(apmu_core_models(&row, 0xFF) && !apmu_core_models(&row, 0x3C) && !apmu_core_models(&row, 0x12), "ARM11");
    struct apmu_chip *chip = new_chip(&row, APMU_CORE_L1D, 1);

    apmu_core_load(apmu_chip_core(chip, 0), 64, 4);
    MUST_EQ(apmu_core_read(apmu_chip_core(chip, 0), 0x0B), 1, "DCACHE_MISS");
    MUST_EQ(apmu_core_read(apmu_chip_core(chip, 0), 0xFF), 0, "no cycles without the parts for them");
    free(chip);
}

/* A core file that is refused: its text, the line and a word of the sentence. */
static const struct bad_core_file {
    const char *text;
    unsigned line;
    const char *word;
} bad_core_files[] = {
    {"core cortex-a72\nl1d.ways 4\n", 0, "own"},
    {"core cortex-a72\nname Cortex-A53\n", 2, "own"},
    {"", 0, "empty"},
    {"# nothing\n\n", 0, "empty"},
    {"l1d.size 32K\n", 1, "begin with"},
    {"core cortex-a99\n", 1, "cortex-a99"},
    {"core cortex-a72\ncore cortex-a53\n", 2, "second"},
    {"core cortex-a72\nl1d.sze 1K\n", 2, "l1d.size"},
    {"core cortex-a72\nfoo 1\n", 2, "groups"},
    {"core cortex-a72\nl1d.size\n", 2, "one value"},
    {"core cortex-a72\nl1d.size 1 2\n", 2, "one value"},
    {"core cortex-a72\nl1d.size 32KB\n", 2, "no number"},
    {"core cortex-a72\nl1d.size -1\n", 2, "no number"},
    {"core cortex-a72\nl1d.size 4294967296\n", 2, "no number"},
    {"core cortex-a72\nl1d.size 8M\n", 2, "outside"},
    {"core cortex-a72\nl1d.replacement fifo\n", 2, "lru plru random"},
    {"core cortex-a72\nl1d.replacement plru random\n", 2, "one value"},
    {"core cortex-a72\nl1d.size 16K\nl1d.size 32K\n", 3, "before"},
    {"core cortex-a72\nname abcdefghijklmnopqrstuvwxyz01\n", 2, "27"},
    {"core cortex-a72\nname x\nl1d.ways 3\n", 0, "l1d.ways"},
    {"core cortex-a72\nname \xC3\xA4\n", 2, "ASCII"},
    {"core cortex-a72\nl1d.size 0x\n", 2, "no number"},
};

static void core_files_are_read_or_refused(void)
{
    const char *text =
        "# mine\ncore Cortex-A72 # base\r\n\n  name\tmine\nl2.size 2M\nl1d.replacement plru\nl1d.seed 0x10";
    static char whole[16384];
    struct apmu_core_file_fault fault;
    struct apmu_core_row again;

    MUST(apmu_core_file_parse(text, strlen(text), &row, &fault), "line %u: %s", fault.line, fault.text);
    MUST(strcmp(row.name, "mine") == 0 && row.value[APMU_CORE_KEY_L2_SIZE] == 2u << 20 &&
             row.value[APMU_CORE_KEY_L1D_REPLACEMENT] == APMU_CORE_PLRU && row.value[APMU_CORE_KEY_L1D_SEED] == 16 &&
             row.value[APMU_CORE_KEY_L1I_SIZE] == 48 * 1024,
         "what it says");
    const size_t length = apmu_core_file_write(&row, "arm1176", whole, sizeof whole);

    MUST(length < sizeof whole && apmu_core_file_parse(whole, length, &again, &fault) &&
             memcmp(&row, &again, sizeof row) == 0,
         "written and read: line %u: %.180s", fault.line, fault.text);
    MUST_EQ(apmu_core_file_write(&row, "arm1176", NULL, 0), length, "its length");
    for (size_t i = 0; i < sizeof bad_core_files / sizeof bad_core_files[0]; i++) {
        const struct bad_core_file *bad = &bad_core_files[i];
        const bool parsed = apmu_core_file_parse(bad->text, strlen(bad->text), &row, &fault);

        MUST(!parsed && fault.line == bad->line && strstr(fault.text, bad->word) != NULL, "file %zu: line %u: %.180s",
             i, fault.line, fault.text);
    }
    MUST(!apmu_core_file_parse("core cortex-a72\n\0", 17, &row, &fault) && fault.line == 2, "a zero byte");
}

int main(void)
{
    RUN(every_row_is_whole);
    RUN(every_row_is_a_core_of_the_list);
    RUN(state_is_small);
    RUN(hostile_parameters_are_refused_in_a_sentence);
    RUN(random_parameters_are_refused_or_work);
    RUN(memory_is_checked);
    RUN(parts_follow_from_events);
    RUN(core_files_are_read_or_refused);
    return tap_status;
}
