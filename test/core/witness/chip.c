/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes and ends the witness. */
#include <stdlib.h>

#include "state.h"

static void *new_zeros(size_t count, size_t size)
{
    void *made = calloc(count != 0 ? count : 1, size);

    if (made == NULL) {
        abort();
    }
    return made;
}

/* Makes a cache of the parameters that begin with the key @first, "l1d.size" or the like. */
#define MAKE_CACHE(cache, row, id) \
    make_cache(cache, (row)->value[APMU_CORE_KEY_##id##_SIZE], (row)->value[APMU_CORE_KEY_##id##_WAYS], \
               (row)->value[APMU_CORE_KEY_##id##_LINE], (row)->value[APMU_CORE_KEY_##id##_REPLACEMENT], \
               (row)->value[APMU_CORE_KEY_##id##_SEED]); \
    (cache)->lines.hashed = (row)->value[APMU_CORE_KEY_##id##_INDEX] == APMU_CORE_INDEX_HASH; \
    (cache)->prefetch = (row)->value[APMU_CORE_KEY_##id##_PREFETCH]; \
    (cache)->degree = (row)->value[APMU_CORE_KEY_##id##_DEGREE]
#define MAKE_DATA_CACHE(cache, row, id) \
    MAKE_CACHE(cache, row, id); \
    (cache)->through = (row)->value[APMU_CORE_KEY_##id##_WRITE] == 1; \
    (cache)->allocates = (row)->value[APMU_CORE_KEY_##id##_ALLOCATE] == 1

static void make_cache(struct witness_cache *cache, unsigned size, unsigned ways, unsigned line, unsigned replacement,
                       uint32_t seed)
{
    if (size != 0) {
        shelf_make(&cache->lines, size / line / ways, ways, replacement, seed);
    }
    while (line >> cache->shift > 1) {
        cache->shift++;
    }
}

static void make_pages(struct shelf *s, unsigned entries, unsigned ways, unsigned replacement, uint32_t seed)
{
    if (entries != 0) {
        shelf_make(s, entries / ways, ways, replacement, seed);
    }
}

static void make_core(struct witness *w, struct witness_core *c)
{
    const uint32_t *v = w->row.value;

    c->chip = w;
    MAKE_CACHE(&c->l1i, &w->row, L1I);
    MAKE_DATA_CACHE(&c->l1d, &w->row, L1D);
    c->l1d.halves = v[APMU_CORE_KEY_L1D_HALVES] != 0;
    if (v[APMU_CORE_KEY_L2_SHARED] == 0) {
        MAKE_DATA_CACHE(&c->l2, &w->row, L2);
    }
    make_pages(&c->itlb, v[APMU_CORE_KEY_ITLB_ENTRIES], v[APMU_CORE_KEY_ITLB_ENTRIES],
               v[APMU_CORE_KEY_ITLB_REPLACEMENT], v[APMU_CORE_KEY_ITLB_SEED]);
    make_pages(&c->dtlb, v[APMU_CORE_KEY_DTLB_ENTRIES], v[APMU_CORE_KEY_DTLB_ENTRIES],
               v[APMU_CORE_KEY_DTLB_REPLACEMENT], v[APMU_CORE_KEY_DTLB_SEED]);
    make_pages(&c->tlb2, v[APMU_CORE_KEY_TLB2_ENTRIES], v[APMU_CORE_KEY_TLB2_WAYS],
               v[APMU_CORE_KEY_TLB2_REPLACEMENT], v[APMU_CORE_KEY_TLB2_SEED]);
    make_pages(&c->tables, v[APMU_CORE_KEY_WALK_ENTRIES], v[APMU_CORE_KEY_WALK_ENTRIES], APMU_CORE_LRU, 1);
    make_pages(&c->btb, v[APMU_CORE_KEY_BTB_ENTRIES], v[APMU_CORE_KEY_BTB_WAYS], APMU_CORE_LRU, 1);
    c->counters = new_zeros((size_t)1 << v[APMU_CORE_KEY_BRANCH_BITS], sizeof *c->counters);
    for (size_t i = 0; i < (size_t)1 << v[APMU_CORE_KEY_BRANCH_BITS]; i++) {
        c->counters[i] = 1;
    }
    c->tagged = new_zeros((size_t)v[APMU_CORE_KEY_TAGE_TABLES] << v[APMU_CORE_KEY_TAGE_BITS], sizeof *c->tagged);
    c->indirect = new_zeros((size_t)1 << v[APMU_CORE_KEY_INDIRECT_BITS], sizeof *c->indirect);
    c->stack = new_zeros(v[APMU_CORE_KEY_RETURNS_ENTRIES], sizeof *c->stack);
}

struct witness *witness_new(const struct apmu_core_row *row, unsigned cores)
{
    struct witness *w = new_zeros(1, sizeof *w + cores * sizeof w->core[0]);

    w->row = *row;
    w->cores = cores;
    if (row->value[APMU_CORE_KEY_L2_SHARED] != 0) {
        MAKE_DATA_CACHE(&w->l2, row, L2);
    }
    MAKE_DATA_CACHE(&w->last, row, LAST);
    for (unsigned n = 0; n < cores; n++) {
        make_core(w, &w->core[n]);
    }
    return w;
}

void witness_free(struct witness *w)
{
    for (unsigned n = 0; n < w->cores; n++) {
        struct witness_core *c = &w->core[n];
        struct shelf *const shelves[] = {&c->l1i.lines, &c->l1d.lines, &c->l2.lines, &c->itlb,
                                         &c->dtlb,      &c->tlb2,      &c->tables,   &c->btb};

        for (size_t i = 0; i < sizeof shelves / sizeof shelves[0]; i++) {
            shelf_free(shelves[i]);
        }
        free(c->counters);
        free(c->tagged);
        free(c->indirect);
        free(c->stack);
    }
    shelf_free(&w->l2.lines);
    shelf_free(&w->last.lines);
    free(w);
}
