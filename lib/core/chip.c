/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layout of a chip in the caller's memory: the structure, the levels that cores share, then core after core, each
 * followed by its arrays.
 */
#include "internal.h"

/* Hands out places behind an object.  Without an object only the sum is wanted. */
struct core_arena {
    char *base; /* NULL: no memory */
    uint64_t used;
};

/* The keys of a cache; NONE: the cache has no such parameter. */
struct cache_keys {
    unsigned size, ways, line, index, replacement, seed, prefetch, degree, write, allocate, latency;
};

#define NONE APMU_CORE_KEY_COUNT

static const struct cache_keys caches[APMU_CORE_LEVELS] = {
    {APMU_CORE_KEY_L1I_SIZE, APMU_CORE_KEY_L1I_WAYS, APMU_CORE_KEY_L1I_LINE, APMU_CORE_KEY_L1I_INDEX,
     APMU_CORE_KEY_L1I_REPLACEMENT, APMU_CORE_KEY_L1I_SEED, APMU_CORE_KEY_L1I_PREFETCH, APMU_CORE_KEY_L1I_DEGREE, NONE,
     NONE, NONE},
    {APMU_CORE_KEY_L1D_SIZE, APMU_CORE_KEY_L1D_WAYS, APMU_CORE_KEY_L1D_LINE, APMU_CORE_KEY_L1D_INDEX,
     APMU_CORE_KEY_L1D_REPLACEMENT, APMU_CORE_KEY_L1D_SEED, APMU_CORE_KEY_L1D_PREFETCH, APMU_CORE_KEY_L1D_DEGREE,
     APMU_CORE_KEY_L1D_WRITE, APMU_CORE_KEY_L1D_ALLOCATE, APMU_CORE_KEY_L1D_LATENCY},
    {APMU_CORE_KEY_L2_SIZE, APMU_CORE_KEY_L2_WAYS, APMU_CORE_KEY_L2_LINE, APMU_CORE_KEY_L2_INDEX,
     APMU_CORE_KEY_L2_REPLACEMENT, APMU_CORE_KEY_L2_SEED, APMU_CORE_KEY_L2_PREFETCH, APMU_CORE_KEY_L2_DEGREE,
     APMU_CORE_KEY_L2_WRITE, APMU_CORE_KEY_L2_ALLOCATE, APMU_CORE_KEY_L2_LATENCY},
    {APMU_CORE_KEY_LAST_SIZE, APMU_CORE_KEY_LAST_WAYS, APMU_CORE_KEY_LAST_LINE, APMU_CORE_KEY_LAST_INDEX,
     APMU_CORE_KEY_LAST_REPLACEMENT, APMU_CORE_KEY_LAST_SEED, APMU_CORE_KEY_LAST_PREFETCH, APMU_CORE_KEY_LAST_DEGREE,
     APMU_CORE_KEY_LAST_WRITE, APMU_CORE_KEY_LAST_ALLOCATE, APMU_CORE_KEY_LAST_LATENCY},
};

/* Returns the parameter @key of @row, 0 for NONE. */
static uint32_t value_of(const struct apmu_core_row *row, unsigned key)
{
    return key == NONE ? 0 : row->value[key];
}

/* Returns the place of @bytes more, from @object on. */
static int64_t take(struct core_arena *a, const void *object, uint64_t bytes)
{
    const uint64_t at = a->used;

    a->used += (bytes + 7) & ~UINT64_C(7);
    return a->base != NULL ? a->base + at - (const char *)object : 0;
}

/* Arrays of so many ways note in which one a line was found. */
#define HINTED_WAYS 8u

/* Places an array of @sets sets. */
static void place_lines(struct core_arena *a, struct apmu_core_lines *l, uint64_t sets, bool first_level)
{
    l->mask = sets - 1;
    l->filtered = first_level;
    l->there = true;
    l->words = take(a, l, sets * l->ways * 8);
    l->trees = l->replacement == APMU_CORE_PLRU ? take(a, l, sets * 4) : 0;
    if (first_level) {
        a->used = (a->used + 63) & ~UINT64_C(63); /* a set's in as few lines of the host's cache as can be */
        l->cuts = take(a, l, sets * l->cut_words * 8);
        l->pairs = l->replacement == APMU_CORE_PLRU ? take(a, l, sets * 2) : 0;
        l->seconds = l->replacement != APMU_CORE_RANDOM && l->ways > 1;
    }
    if (l->replacement != APMU_CORE_LRU && l->ways >= HINTED_WAYS) {
        l->hint_mask = (sets << apmu_core_log2(l->ways)) - 1;
        l->hints = take(a, l, l->hint_mask + 1);
    }
    l->strides =
        l->prefetch == APMU_CORE_PREFETCH_STRIDE ? take(a, l, APMU_CORE_STRIDES * sizeof(struct apmu_core_stride)) : 0;
}

/* Fills *@l with the parameters of a cache, and places it if it is one of @parts. */
static void place_cache(struct core_arena *a, struct apmu_core_lines *l, const struct apmu_core_row *row,
                        unsigned level, uint32_t parts)
{
    const struct cache_keys *k = &caches[level];
    const uint32_t line = value_of(row, k->line), lines_shift = apmu_core_log2(line == 0 ? 1 : line);
    const bool first_level = level <= APMU_CORE_LEVEL_L1D;

    *l = (struct apmu_core_lines){
        .shift = lines_shift,
        .ways = value_of(row, k->ways),
        .replacement = (uint8_t)value_of(row, k->replacement),
        .random = value_of(row, k->seed),
        .prefetch = (uint8_t)value_of(row, k->prefetch),
        .degree = (uint8_t)value_of(row, k->degree),
        .through = (uint8_t)value_of(row, k->write),
        .allocate = (uint8_t)value_of(row, k->allocate),
        .cut_words = level == APMU_CORE_LEVEL_L1D ? APMU_CORE_CUT_ACCESS : APMU_CORE_CUT_FETCH,
        .halves = level == APMU_CORE_LEVEL_L1D && row->value[APMU_CORE_KEY_L1D_HALVES] != 0,
        .latency = value_of(row, k->latency),
    };
    if (value_of(row, k->size) == 0 || (parts >> level & 1) == 0) {
        return;
    }
    uint64_t sets = 1;

    while (sets * l->ways * line < value_of(row, k->size)) {
        sets *= 2;
    }
    l->fold = value_of(row, k->index) == APMU_CORE_INDEX_HASH ? apmu_core_log2(sets) : 63;
    place_lines(a, l, sets, first_level);
    l->filtered = first_level && (parts & APMU_CORE_UNFILTERED) == 0;
}

/* Places a TLB of the first level if it is wanted. */
static void place_pages(struct core_arena *a, struct apmu_core_pages *t, const struct apmu_core_row *row, bool data,
                        bool wanted, bool filtered)
{
    *t = (struct apmu_core_pages){
        .shift = apmu_core_log2(row->value[APMU_CORE_KEY_PAGE]),
        .count = row->value[data ? APMU_CORE_KEY_DTLB_ENTRIES : APMU_CORE_KEY_ITLB_ENTRIES],
        .replacement = (uint8_t)row->value[data ? APMU_CORE_KEY_DTLB_REPLACEMENT : APMU_CORE_KEY_ITLB_REPLACEMENT],
        .random = row->value[data ? APMU_CORE_KEY_DTLB_SEED : APMU_CORE_KEY_ITLB_SEED],
        .step = 1,
        .filtered = filtered,
        .there = wanted,
    };
    if (wanted) {
        t->slots = take(a, t, APMU_CORE_SLOTS * 2 * 8);
        t->entries = take(a, t, t->count * UINT64_C(8));
        t->stamps = take(a, t, t->count * UINT64_C(8));
        t->sharing = take(a, t, APMU_CORE_SLOTS * 4);
        t->noted = take(a, t, t->count * (uint64_t)APMU_CORE_NOTED);
    }
}

/* Places what lies behind the TLBs of the first level. */
static void place_walks(struct core_arena *a, struct apmu_core *core, const struct apmu_core_row *row, bool wanted)
{
    const uint32_t entries = row->value[APMU_CORE_KEY_TLB2_ENTRIES], tables = row->value[APMU_CORE_KEY_WALK_ENTRIES];

    core->tlb2 = (struct apmu_core_lines){
        .fold = 63,
        .ways = row->value[APMU_CORE_KEY_TLB2_WAYS],
        .replacement = (uint8_t)row->value[APMU_CORE_KEY_TLB2_REPLACEMENT],
        .random = row->value[APMU_CORE_KEY_TLB2_SEED],
        .latency = row->value[APMU_CORE_KEY_TLB2_LATENCY],
    };
    core->walks = (struct apmu_core_lines){.fold = 63, .ways = tables};
    if (wanted && entries != 0) {
        uint64_t sets = 1;

        while (sets * core->tlb2.ways < entries) {
            sets *= 2;
        }
        place_lines(a, &core->tlb2, sets, false);
    }
    if (wanted && tables != 0) {
        place_lines(a, &core->walks, 1, false);
    }
}

/* Places the predictor. */
static void place_predictor(struct core_arena *a, struct apmu_core_predictor *p, const struct apmu_core_row *row)
{
    const uint32_t *v = row->value;
    const bool tage = v[APMU_CORE_KEY_BRANCH_DIRECTION] == APMU_CORE_TAGE;

    p->counters = take(a, p, UINT64_C(1) << v[APMU_CORE_KEY_BRANCH_BITS]);
    p->tagged = take(a, p,
                     tage ? sizeof(uint32_t) * (uint64_t)v[APMU_CORE_KEY_TAGE_TABLES]
                                << v[APMU_CORE_KEY_TAGE_BITS]
                          : 0);
    p->targets = take(a, p, 2 * sizeof(struct apmu_core_target) * (uint64_t)v[APMU_CORE_KEY_BTB_ENTRIES]);
    p->hints = take(a, p, sizeof(uint16_t) * (uint64_t)v[APMU_CORE_KEY_BTB_ENTRIES]);
    p->returns = take(a, p, UINT64_C(8) * v[APMU_CORE_KEY_RETURNS_ENTRIES]);
    p->indirect = take(a, p, UINT64_C(8) << v[APMU_CORE_KEY_INDIRECT_BITS]);
}

/* Places a core and its arrays. */
static void place_core(struct core_arena *a, struct apmu_core *core, const struct apmu_core_row *row, uint32_t parts)
{
    const bool filtered = (parts & APMU_CORE_UNFILTERED) == 0;
    const bool shared = row->value[APMU_CORE_KEY_L2_SHARED] != 0;

    take(a, core, sizeof *core);
    place_cache(a, &core->l1i, row, APMU_CORE_LEVEL_L1I, parts);
    place_cache(a, &core->l1d, row, APMU_CORE_LEVEL_L1D, parts);
    place_cache(a, &core->l2, row, APMU_CORE_LEVEL_L2, shared ? 0 : parts);
    place_pages(a, &core->itlb, row, false, (parts & APMU_CORE_ITLB) != 0, filtered);
    place_pages(a, &core->dtlb, row, true, (parts & APMU_CORE_DTLB) != 0, filtered);
    place_walks(a, core, row, (parts & (APMU_CORE_ITLB | APMU_CORE_DTLB)) != 0);
    if ((parts & APMU_CORE_BRANCH) != 0) {
        place_predictor(a, &core->predictor, row);
    }
}

/* Places the chip itself and what its cores share. */
static void place_chip(struct core_arena *a, struct apmu_chip *chip, const struct apmu_core_row *row, uint32_t parts)
{
    const bool shared = row->value[APMU_CORE_KEY_L2_SHARED] != 0;

    take(a, chip, sizeof *chip);
    place_cache(a, &chip->l2, row, APMU_CORE_LEVEL_L2, shared ? parts : 0);
    place_cache(a, &chip->last, row, APMU_CORE_LEVEL_LAST, parts);
}

/* The sizes of a chip's parts, in bytes. */
struct chip_sizes {
    uint64_t chip, core;
};

static struct chip_sizes sizes_of(const struct apmu_core_row *row, uint32_t parts)
{
    struct core_arena of_chip = {NULL, 0}, of_core = {NULL, 0};
    struct apmu_chip chip;
    struct apmu_core core;

    place_chip(&of_chip, &chip, row, parts);
    place_core(&of_core, &core, row, parts);
    return (struct chip_sizes){of_chip.used, of_core.used};
}

uint64_t apmu_core_bytes(const struct apmu_core_row *row)
{
    const struct chip_sizes sizes = sizes_of(row, APMU_CORE_ALL);

    return sizes.chip + sizes.core;
}

size_t apmu_chip_size(const struct apmu_core_row *row, uint32_t parts, unsigned cores)
{
    struct apmu_core_row known;

    if (apmu_core_row_check(row) != NULL || cores == 0 || cores > APMU_CHIP_CORES) {
        return 0;
    }
    apmu_core_row_take(&known, row);
    const struct chip_sizes sizes = sizes_of(&known, parts);
    const uint64_t all = sizes.chip + sizes.core * cores;

    return all > SIZE_MAX ? 0 : (size_t)all;
}

static struct apmu_core *core_at(struct apmu_chip *chip, unsigned n)
{
    return APMU_CORE_AT(struct apmu_core, chip, chip->first + n * chip->stride);
}

/* Makes @core a core of @chip, without content. */
static void begin_core(struct apmu_chip *chip, struct apmu_core *core)
{
    struct core_arena a = {(char *)core, 0};

    core->row = chip->row;
    core->parts = chip->parts;
    core->chip = (char *)chip - (char *)core;
    core->limit = UINT64_MAX;
    place_core(&a, core, &core->row, core->parts);
    if ((core->parts & APMU_CORE_BRANCH) != 0) {
        apmu_core_predictor_init(core);
    }
}

const char *apmu_chip_init(void *memory, size_t size, const struct apmu_core_row *row, uint32_t parts, unsigned cores)
{
    const char *wrong = apmu_core_row_check(row);
    struct apmu_chip *chip = memory;
    struct core_arena a = {memory, 0};

    if (wrong != NULL) {
        return wrong;
    }
    if (cores == 0 || cores > APMU_CHIP_CORES) {
        return "cores: a chip has 1 to 1024; set as many";
    }
    if (memory == NULL || ((uintptr_t)memory & 7) != 0) {
        return "memory: it is not aligned to 8 bytes; pass memory as malloc() returns it";
    }
    const size_t needed = apmu_chip_size(row, parts, cores);

    if (needed == 0 || size < needed) {
        return "size: the memory is too small for the chip; pass as many bytes as apmu_chip_size() says";
    }
    memset(memory, 0, needed);
    apmu_core_row_take(&chip->row, row);
    chip->parts = parts;
    chip->cores = cores;
    place_chip(&a, chip, &chip->row, parts);
    chip->first = a.used;
    chip->stride = sizes_of(&chip->row, parts).core;
    for (unsigned n = 0; n < cores; n++) {
        begin_core(chip, core_at(chip, n));
    }
    return NULL;
}

const char *apmu_chip_grow(struct apmu_chip *chip, size_t size, unsigned cores)
{
    if (cores < chip->cores || cores > APMU_CHIP_CORES) {
        return "cores: a chip has as many as before, or more, up to 1024; set as many";
    }
    if (size < chip->first + (uint64_t)cores * chip->stride) {
        return "size: the memory is too small for the chip; pass as many bytes as apmu_chip_size() says";
    }
    while (chip->cores < cores) {
        begin_core(chip, core_at(chip, chip->cores));
        chip->cores++;
    }
    return NULL;
}

struct apmu_core *apmu_chip_core(struct apmu_chip *chip, unsigned n)
{
    return n < chip->cores ? core_at(chip, n) : NULL;
}
