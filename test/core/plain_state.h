/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the plain core model share. */
#ifndef ARMPMU_TEST_CORE_PLAIN_STATE_H
#define ARMPMU_TEST_CORE_PLAIN_STATE_H

#include <armpmu/arm11_regs.h>

#include "plain.h"

enum { PLAIN_OUTCOMES = 600, PLAIN_SLOW = 4096, PLAIN_WAYS = 64 };

/* A line, page or table that is cached. */
struct plain_record {
    bool there, brought, dirty[2]; /* brought: by a prefetcher, not used since */
    uint64_t what, used;
};

/* A cache: sets of ways records. */
struct plain_cell {
    bool there;
    uint64_t page, line;
    int64_t distance;
};
struct plain_cache {
    struct plain_record *records;
    bool *turned; /* PLRU: for each set, whether a node points right, at the middle of its ways */
    uint64_t sets, line_bytes, now;
    uint32_t ways, replacement, random, prefetch, degree, latency;
    bool hashed, through, allocates, halves;
    int depth; /* 0 L1I, 1 L1D, 2 L2, 3 last, 4 none */
    struct plain_cell cells[16];
};

/* An access under way. */
struct plain_access {
    uint64_t limit, end, ticket;
    int reason;
};

struct plain_target {
    bool there;
    uint64_t pc, target, used;
    unsigned counter;
};

struct plain_tagged {
    unsigned tag, counter, useful;
};

/* Reasons of stalls; the front end's first. */
enum {
    FLUSH,
    FLOW,
    FROM_L2_I,
    FROM_LAST_I,
    FROM_MEMORY_I,
    TLB_I,
    LAST_CYCLE,
    FROM_L2,
    FROM_LAST,
    FROM_MEMORY,
    TLB,
    FULL,
    WRONG_PATH,
    REASONS
};

/* Where the TLBs see accesses. */
struct plain_map {
    uint64_t distance, further;
};

struct plain_core {
    struct plain_cache l1i, l1d, l2, itlb, dtlb, tlb2, walks;
    uint64_t counts[65536], arm11[256]; /* of common events, and of ARM11's */
    uint64_t operations, stalled[REASONS], chain, ticket;
    struct plain_access slow[PLAIN_SLOW], writing[PLAIN_SLOW];
    unsigned slow_count, writing_count;
    bool outcomes[PLAIN_OUTCOMES]; /* the latest first */
    unsigned *two_bits;
    struct plain_tagged *tagged[8];
    struct plain_target *targets;
    uint64_t target_time, *indirect, path;
    uint64_t returns[64];
    unsigned return_count;
    struct plain_map data, code;
    struct plain_given {
        uint64_t page, at[APMU_CORE_WALK_MOST];
        unsigned count, tail;
        bool there;
    } given[2]; /* the last first */
};

struct plain {
    struct apmu_core_row row;
    unsigned cores;
    struct plain_cache l2, last;
    struct plain_core *core;
    plain_watcher *watcher; /* or NULL */
    void *context;          /* of the watcher */
};

/* plain_memory.c */
void *plain_memory(size_t count, size_t size);
static inline uint32_t plain_value(const struct plain *p, enum apmu_core_key key)
{
    return p->row.value[key];
}
static inline bool plain_arm11(const struct plain *p)
{
    return plain_value(p, APMU_CORE_KEY_EVENTS) == APMU_CORE_EVENTS_ARM11;
}

/*
 * plain_count.c: count a lookup of @cause ('L' load or walk, 'F' fetch, 'S' store, 'W' write from above, 'P' prefetch),
 * the first use of a line that a prefetcher brought, a dirty line that gives way, a refill of a first TLB.  @second:
 * the row has a second one.  @hit: it has the page.
 */
void plain_count(struct plain *p, struct plain_core *c, const struct plain_cache *cache, char cause, bool hit);
void plain_count_first_use(struct plain *p, struct plain_core *c, const struct plain_cache *cache, char cause);
void plain_count_victim(struct plain *p, struct plain_core *c, const struct plain_cache *cache,
                        const struct plain_record *old);
void plain_count_second(struct plain_core *c, char cause, bool second, bool hit);
/* Counts common events: a list that ends with 0. */
void plain_happen(struct plain_core *c, const uint16_t *events);
/* HAPPEN(c, APMU_EV_L1D_CACHE, APMU_EV_L1D_CACHE_RD) counts these. */
#define HAPPEN(c, ...) plain_happen(c, (const uint16_t[]){__VA_ARGS__, 0})

/* plain_time.c */
enum { NOT_SLOW = -1 };
void plain_time_load(struct plain *p, struct plain_core *c, uint64_t cycles, int reason, bool after);
void plain_time_store(struct plain *p, struct plain_core *c, uint64_t cycles);
void plain_time_fetch(struct plain *p, struct plain_core *c, uint64_t cycles, int reason);
void plain_stall(struct plain *p, struct plain_core *c, int reason, uint64_t cycles);

/* plain_branch.c */
void plain_branch_init(struct plain *p, struct plain_core *c);
void plain_branch_free(struct plain_core *c);

#endif
