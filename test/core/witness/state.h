/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the witness. */
#ifndef ARMPMU_TEST_CORE_WITNESS_STATE_H
#define ARMPMU_TEST_CORE_WITNESS_STATE_H

#include "witness.h"

enum { SIDE_CELLS = 16, MOST_WAITING = 64, MOST_OUTCOMES = 1024 };

/* A place on a shelf: a line, a page or a branch. */
struct shelf_place {
    bool full;
    uint64_t key;    /* the number of the line or page; the address of the branch */
    uint64_t used;   /* the time of its last use */
    bool ahead;      /* a line: a prefetcher brought it, and nothing has used it */
    bool dirty[2];   /* a line: its halves */
    uint64_t target; /* a branch */
    unsigned counter;
};

/* Sets of places, with a policy that says which place of a full set is given up. */
struct shelf {
    bool there;
    unsigned sets, ways;
    bool hashed;
    enum apmu_core_replacement replacement;
    uint32_t random;
    uint64_t time;
    struct shelf_place *places; /* ways of set 0, of set 1 ... */
    bool *arrows;               /* PLRU: nodes 1..ways-1 of a heap for each set; true: towards the higher ways */
};

/* What a stride prefetcher knows of a page. */
struct side_cell {
    bool known;
    uint64_t page, last;
    int64_t distance;
};

/* A cache. */
struct witness_cache {
    struct shelf lines;
    unsigned shift; /* log2 of the bytes of a line */
    bool through, allocates, halves;
    enum apmu_core_prefetch prefetch;
    unsigned degree;
    struct side_cell cells[SIDE_CELLS];
};

/* What happens at a level, by cause. */
struct level_log {
    uint64_t looked[APMU_CORE_CAUSES];
    uint64_t missed[APMU_CORE_CAUSES];
    uint64_t refilled[APMU_CORE_CAUSES];  /* lines read from below */
    uint64_t used_ahead[APMU_CORE_CAUSES]; /* first uses of prefetched lines */
    uint64_t taken_unread;
    uint64_t victims, dirty_halves;
};

/* What happens with translations, by cause: load, fetch, store. */
struct page_log {
    uint64_t looked, missed, looked_second, walked, steps, walk_cycles;
};

/* What happens with branches. */
struct branch_log {
    uint64_t right, wrong;
};

/* An access that has not ended. */
struct waiting {
    uint64_t limit, end;
    enum apmu_core_loss loss;
};

/* Counters of tage: a cell of a tagged table. */
struct tage_cell {
    unsigned tag, counter, useful;
};

/* Where the TLBs see what the caches see. */
struct witness_place {
    uint64_t distance, further;
};

/* The descriptors of a walk that was given. */
struct given_walk {
    bool there;
    uint64_t page;
    unsigned count, tail;
    uint64_t at[APMU_CORE_WALK_MOST];
};

struct witness_core {
    struct witness *chip;
    struct witness_place data, code;
    struct given_walk given[2]; /* the last given first */
    struct witness_cache l1i, l1d, l2;
    struct shelf itlb, dtlb, tlb2, tables;

    uint64_t operations, loads, stores, passed, bus_reads, bus_writes, long_cycles;
    struct level_log levels[APMU_CORE_LEVELS];
    struct page_log pages[3];
    struct branch_log branches[APMU_CORE_KINDS][2][2]; /* kind, conditional, taken */
    uint64_t lost[APMU_CORE_LOSSES];

    uint64_t chain;
    unsigned load_count, store_count;
    struct waiting loading[MOST_WAITING], storing[MOST_WAITING];

    struct shelf btb;
    unsigned *counters;         /* 2^branch.bits */
    struct tage_cell *tagged;   /* 2^tage.bits for table 0, for table 1 ... */
    bool outcomes[MOST_OUTCOMES]; /* the latest first */
    uint64_t *indirect, path;
    unsigned depth;
    uint64_t *stack; /* the top is stack[depth - 1] */
};

struct witness {
    struct apmu_core_row row;
    struct witness_cache l2, last; /* l2: if it is shared */
    unsigned cores;
    struct witness_core core[];
};

/* How long something takes, and what to blame. */
struct delay {
    unsigned page_cycles, line_cycles; /* of a hit in the first level: 0 */
    enum apmu_core_level from;         /* the level that had the line */
};

static inline unsigned witness_value(const struct witness_core *c, enum apmu_core_key key)
{
    return c->chip->row.value[key];
}

/* shelf.c */
void shelf_make(struct shelf *s, unsigned sets, unsigned ways, enum apmu_core_replacement replacement, uint32_t seed);
void shelf_free(struct shelf *s);
unsigned shelf_set(const struct shelf *s, uint64_t number);
struct shelf_place *shelf_find(struct shelf *s, unsigned set, uint64_t key);
void shelf_use(struct shelf *s, struct shelf_place *place);
struct shelf_place *shelf_give(struct shelf *s, unsigned set);
void shelf_put(struct shelf *s, unsigned set, uint64_t key);
void shelf_empty(struct shelf *s, unsigned shift, uint64_t address, uint64_t mask);

/* pages.c */
unsigned witness_log2(unsigned n);
unsigned witness_translate(struct witness_core *c, enum apmu_core_cause cause, uint64_t page);

/* memory.c */
enum apmu_core_level witness_read_below(struct witness_core *c, uint64_t address);
unsigned witness_latency(const struct witness_core *c, enum apmu_core_level level);
void witness_touch(struct witness_core *c, enum apmu_core_cause cause, uint64_t address, uint32_t size,
                   struct delay *delay);

/* time.c */
uint64_t witness_slots(const struct witness_core *c);
void witness_lose(struct witness_core *c, enum apmu_core_loss loss, uint64_t slots);

#endif
