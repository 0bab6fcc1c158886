/* SPDX-License-Identifier: BSD-2-Clause */
/* The plain core model: its memory. */
#include <stdlib.h>
#include <string.h>

#include "plain_state.h"

void *plain_memory(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (memory == NULL) {
        abort();
    }
    return memory;
}

static void begin(struct plain_cache *c, int depth, uint64_t bytes, uint64_t line, uint32_t ways, uint32_t replacement,
                  uint32_t seed)
{
    *c = (struct plain_cache){
        .line_bytes = line, .ways = ways, .replacement = replacement, .random = seed, .depth = depth};
    if (bytes == 0) {
        return;
    }
    c->sets = bytes / line / ways;
    c->records = plain_memory(c->sets * ways, sizeof c->records[0]);
    c->turned = replacement == APMU_CORE_PLRU ? plain_memory(c->sets, PLAIN_WAYS) : NULL;
}

/* BEGIN_CACHE(p, &c->l2, 2, L2) begins a cache with the keys L2_SIZE and so on. */
#define BEGIN_CACHE(p, c, depth, id) \
    begin(c, depth, plain_value(p, APMU_CORE_KEY_##id##_SIZE), plain_value(p, APMU_CORE_KEY_##id##_LINE), \
          plain_value(p, APMU_CORE_KEY_##id##_WAYS), plain_value(p, APMU_CORE_KEY_##id##_REPLACEMENT), \
          plain_value(p, APMU_CORE_KEY_##id##_SEED)); \
    (c)->hashed = plain_value(p, APMU_CORE_KEY_##id##_INDEX) == APMU_CORE_INDEX_HASH; \
    (c)->prefetch = plain_value(p, APMU_CORE_KEY_##id##_PREFETCH); \
    (c)->degree = plain_value(p, APMU_CORE_KEY_##id##_DEGREE)
/* For a data cache: BEGIN_DATA(p, &c->l2, 2, L2) does the same and sets what concerns writes. */
#define BEGIN_DATA(p, c, depth, id) \
    BEGIN_CACHE(p, c, depth, id); \
    (c)->through = plain_value(p, APMU_CORE_KEY_##id##_WRITE) != 0; \
    (c)->allocates = plain_value(p, APMU_CORE_KEY_##id##_ALLOCATE) != 0; \
    (c)->latency = plain_value(p, APMU_CORE_KEY_##id##_LATENCY)
/* For a TLB of the first level: BEGIN_TLB(p, &c->dtlb, DTLB). */
#define BEGIN_TLB(p, c, id) \
    begin(c, 4, plain_value(p, APMU_CORE_KEY_##id##_ENTRIES), 1, plain_value(p, APMU_CORE_KEY_##id##_ENTRIES), \
          plain_value(p, APMU_CORE_KEY_##id##_REPLACEMENT), plain_value(p, APMU_CORE_KEY_##id##_SEED))

struct plain *plain_new(const struct apmu_core_row *row, unsigned cores)
{
    struct plain *p = plain_memory(1, sizeof *p);

    p->row = *row;
    p->cores = cores;
    p->core = plain_memory(cores, sizeof p->core[0]);
    BEGIN_DATA(p, &p->l2, 2, L2);
    BEGIN_DATA(p, &p->last, 3, LAST);
    for (unsigned n = 0; n < cores; n++) {
        struct plain_core *c = &p->core[n];

        BEGIN_CACHE(p, &c->l1i, 0, L1I);
        BEGIN_DATA(p, &c->l1d, 1, L1D);
        c->l1d.halves = plain_value(p, APMU_CORE_KEY_L1D_HALVES) != 0;
        BEGIN_DATA(p, &c->l2, 2, L2);
        BEGIN_TLB(p, &c->itlb, ITLB);
        BEGIN_TLB(p, &c->dtlb, DTLB);
        begin(&c->tlb2, 4, plain_value(p, APMU_CORE_KEY_TLB2_ENTRIES), 1, plain_value(p, APMU_CORE_KEY_TLB2_WAYS),
              plain_value(p, APMU_CORE_KEY_TLB2_REPLACEMENT), plain_value(p, APMU_CORE_KEY_TLB2_SEED));
        begin(&c->walks, 4, plain_value(p, APMU_CORE_KEY_WALK_ENTRIES), 1,
              plain_value(p, APMU_CORE_KEY_WALK_ENTRIES) + (plain_value(p, APMU_CORE_KEY_WALK_ENTRIES) == 0),
              APMU_CORE_LRU, 1);
        plain_branch_init(p, c);
    }
    return p;
}

static void end(struct plain_cache *c)
{
    free(c->records);
    free(c->turned);
}

void plain_free(struct plain *p)
{
    end(&p->l2);
    end(&p->last);
    for (unsigned n = 0; n < p->cores; n++) {
        struct plain_core *c = &p->core[n];

        end(&c->l1i);
        end(&c->l1d);
        end(&c->l2);
        end(&c->itlb);
        end(&c->dtlb);
        end(&c->tlb2);
        end(&c->walks);
        plain_branch_free(c);
    }
    free(p->core);
    free(p);
}
