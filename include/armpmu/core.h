/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The core model: what caches, TLBs, branch predictor and pipeline of a core do with a program, as counts of events.
 *
 * This header is for authors of emulators, tracers and tools.  The caller says what the core fetches, loads, stores and
 * where it branches, in program order; the model counts.  A row of parameters (struct apmu_core_row) describes the
 * core.  tables/core_models.def has rows of Arm's cores, each number with its source, and <armpmu/core_file.h> reads
 * others from a text.  The counts are those of the model, not of silicon: doc/core.md says what is left out.
 *
 * @code
 * #include <stdio.h>
 * #include <stdlib.h>
 * #include <armpmu/core.h>
 *
 * int main(void)
 * {
 *     const uint16_t events[] = {APMU_EV_L1D_CACHE_REFILL};
 *     struct apmu_core_row row;
 *
 *     if (!apmu_core_row_by_name("cortex-a72", &row) || apmu_core_row_check(&row) != NULL) {
 *         return 1;
 *     }
 *     const uint32_t parts = apmu_core_parts(&row, events, 1);
 *     const size_t size = apmu_chip_size(&row, parts, 1);
 *     struct apmu_chip *chip = malloc(size);
 *
 *     if (chip == NULL || apmu_chip_init(chip, size, &row, parts, 1) != NULL) {
 *         return 1;
 *     }
 *     struct apmu_core *core = apmu_chip_core(chip, 0);
 *
 *     for (uint64_t address = 0; address < 65536; address += 8) {
 *         apmu_core_load(core, address, 8);
 *     }
 *     printf("%u refills\n", (unsigned)apmu_core_read(core, APMU_EV_L1D_CACHE_REFILL));
 *     free(chip);
 *     return 0;
 * }
 * @endcode
 *
 * A chip is one block of memory of the caller: some cores of the same row, and the levels of cache that they share.  It
 * holds no pointer, so memcpy() copies it and it may lie in memory that is mapped at several addresses.  No call
 * allocates, and nothing grows.  Calls on the cores of a chip must not overlap in time, with one exception: the parts
 * of load, store and fetch named apmu_core_x_fast() touch only their own core.  They are inline and know the layout of
 * struct apmu_core, so program and library must be of the same version.
 *
 * Each rule of the model is at the call that it concerns.  test/core/plain.c and test/core/witness/ have plain code.
 */
#ifndef ARMPMU_CORE_H
#define ARMPMU_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <armpmu/core_blame.h>
#include <armpmu/core_cuts.h>
#include <armpmu/event_numbers.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------------
 * Parameters.
 */

/** The parameters of a core, as indices of apmu_core_row.value: rows of tables/core_keys.def. */
enum apmu_core_key {
#define APMU_CORE_KEY(id, name, lowest, highest, words, text) APMU_CORE_KEY_##id,
#include <armpmu/tables/core_keys.def>
    APMU_CORE_KEY_COUNT
};

/** Which line of a set gives way to a new one.  A free place is always taken first, the lowest one. */
enum apmu_core_replacement {
    APMU_CORE_LRU,   /**< the one used least recently */
    APMU_CORE_PLRU,  /**< a binary tree of bits: each use makes the bits on its path point away from the line */
    APMU_CORE_RANDOM /**< xorshift32 (13, 17, 5) from the seed; way = state * ways >> 32 */
};

/** Which set a line belongs to. */
enum apmu_core_index {
    APMU_CORE_INDEX_LOW, /**< the low bits of its number */
    APMU_CORE_INDEX_HASH /**< these XOR the bits of the same number above them */
};

/** Prefetchers of a cache. */
enum apmu_core_prefetch {
    APMU_CORE_PREFETCH_NONE,
    APMU_CORE_PREFETCH_NEXT, /**< the lines after the one that missed */
    APMU_CORE_PREFETCH_STRIDE
};

/** Predictors of the direction of conditional branches. */
enum apmu_core_direction {
    APMU_CORE_STATIC,  /**< backward taken, forward not */
    APMU_CORE_BTAC,    /**< a 2-bit counter in each entry of the BTB; static for a branch without entry */
    APMU_CORE_BIMODAL, /**< 2-bit counters by address */
    APMU_CORE_GSHARE,  /**< 2-bit counters by address XOR history */
    APMU_CORE_TAGE     /**< bimodal, and tagged tables for histories of doubling lengths */
};

/** Execution states of programs, at EL0. */
enum apmu_core_states { APMU_CORE_BOTH, APMU_CORE_AARCH64, APMU_CORE_AARCH32 };

/** The events that a row counts by number. */
enum apmu_core_events {
    APMU_CORE_EVENTS_COMMON, /**< the common events, tables/events.def; ARMv7's first ones have the same numbers */
    APMU_CORE_EVENTS_ARM11   /**< tables/events_arm11.def */
};

/** Describes a core. */
struct apmu_core_row {
    uint32_t size;                       /**< sizeof(struct apmu_core_row) at the caller: see <armpmu/sized.h> */
    char name[28];                       /**< as in "modelled:NAME"; ends with 0 */
    uint32_t value[APMU_CORE_KEY_COUNT]; /**< tables/core_keys.def has meaning and range of each */
};

/** The size of struct apmu_core_row in 0.1.  A smaller structure is refused. */
#define APMU_CORE_ROW_SIZE_FIRST sizeof(struct apmu_core_row)

/** A row of tables/core_keys.def. */
struct apmu_core_key_info {
    const char *name; /**< as in a core file: "l1d.size" */
    uint32_t lowest, highest;
    const char *words; /**< if not "": names of the values 0, 1 ..., separated by blanks */
    const char *text;  /**< what it is, with its unit */
};

/** Returns the row of @key, a constant; NULL past the last key. */
const struct apmu_core_key_info *apmu_core_key_info(unsigned key);

/** Fills *@row with row @i, from 0, of tables/core_models.def.  Returns false past the last one. */
bool apmu_core_row_at(size_t i, struct apmu_core_row *row);

/** Fills *@row with the row called @name.  Returns false if there is none.  Case is ignored. */
bool apmu_core_row_by_name(const char *name, struct apmu_core_row *row);

/** Returns the source of parameter @key in row @i of the table, a constant; NULL if there is no such row or key. */
const char *apmu_core_row_source(size_t i, unsigned key);

/**
 * Checks that @row describes a core that can be modelled in 8 MB.
 * Returns NULL if it does, else one sentence, a constant, that names the parameter, the cause and the cure.
 */
const char *apmu_core_row_check(const struct apmu_core_row *row);

/* ---------------------------------------------------------------------------------------------------------------
 * Parts: what is simulated.
 */

/** Parts of a core, as bits of a set. */
enum apmu_core_part {
    APMU_CORE_L1I = 1,
    APMU_CORE_L1D = 2,
    APMU_CORE_L2 = 4,
    APMU_CORE_LAST = 8, /**< the level behind L2 */
    APMU_CORE_ITLB = 16,
    APMU_CORE_DTLB = 32, /**< TLB of second level and walks are there with either TLB of first level */
    APMU_CORE_BRANCH = 64,
    APMU_CORE_TIMING = 128,
    APMU_CORE_ALL = 255,
    APMU_CORE_UNFILTERED = 256 /**< for tests: takes no short cut for lines and pages just used */
};

/**
 * Returns the parts that the @count @events need: a set of enum apmu_core_part.  With it each event has the value that
 * it has with all parts.  A level of cache needs all that sends it accesses; time needs all parts.  An event that the
 * row does not model needs none.  A caller may take fewer parts: then a level sees the accesses of these parts alone.
 */
uint32_t apmu_core_parts(const struct apmu_core_row *row, const uint16_t *events, size_t count);

/** Returns true if the core of @row counts event @number.  The numbers are those of the row's enum apmu_core_events. */
bool apmu_core_models(const struct apmu_core_row *row, uint16_t number);

/* ---------------------------------------------------------------------------------------------------------------
 * State.  All members are internal; the functions inline below read some.
 */

/** The levels that count accesses, and what causes them. */
enum apmu_core_level {
    APMU_CORE_LEVEL_L1I,
    APMU_CORE_LEVEL_L1D,
    APMU_CORE_LEVEL_L2,
    APMU_CORE_LEVEL_LAST,
    APMU_CORE_LEVEL_MEMORY,
    APMU_CORE_LEVELS = APMU_CORE_LEVEL_MEMORY
};
enum apmu_core_cause {
    APMU_CORE_CAUSE_LOAD, /* a load, or a translation table walk */
    APMU_CORE_CAUSE_FETCH,
    APMU_CORE_CAUSE_STORE, /* a store; below the first level, a line read for a store */
    APMU_CORE_CAUSE_WRITE, /* data that the level above writes: a victim, or a store that it passes on */
    APMU_CORE_CAUSE_PREFETCH,
    APMU_CORE_CAUSES
};

/** Reasons for which dispatch slots are lost. */
enum apmu_core_loss {
    APMU_CORE_LOSS_WRONG_PATH, /* operations of a mispredicted path */
    APMU_CORE_LOSS_FLUSH,      /* the front end restarts after a misprediction */
    APMU_CORE_LOSS_FLOW,       /* a taken branch that the BTB lacks */
    APMU_CORE_LOSS_L1I,        /* instructions come from L2, */
    APMU_CORE_LOSS_L2I,        /* from the last level, */
    APMU_CORE_LOSS_MEMI,       /* from memory */
    APMU_CORE_LOSS_ITLB,
    APMU_CORE_LOSS_END, /* apmu_core_settle() */
    APMU_CORE_LOSS_L1D, /* data come from L2 (or late from L1: a chain of loads) */
    APMU_CORE_LOSS_L2D, /* from the last level, */
    APMU_CORE_LOSS_MEM, /* from memory */
    APMU_CORE_LOSS_DTLB,
    APMU_CORE_LOSS_STORE, /* the store buffer is full */
    APMU_CORE_LOSSES
};

/** Kinds of branches, and what is added to a kind. */
enum apmu_core_branch_kind {
    APMU_CORE_JUMP,          /**< B, B.cond, CBZ, TBZ ...: the target is in the instruction */
    APMU_CORE_CALL,          /**< BL */
    APMU_CORE_INDIRECT,      /**< BR, and whatever else writes the PC on A32 */
    APMU_CORE_INDIRECT_CALL, /**< BLR */
    APMU_CORE_RETURN,        /**< RET */
    APMU_CORE_KINDS,
    APMU_CORE_CONDITIONAL = 8, /**< it may be skipped */
    APMU_CORE_NARROW = 16      /**< the instruction has two bytes; matters for calls */
};

#define APMU_CORE_WALK_MOST 40u

/** The descriptors of a walk to come. */
struct apmu_core_walk {
    uint64_t page, count, tail; /* page + 1; 0: none */
    uint64_t at[APMU_CORE_WALK_MOST];
};

/** What a core has counted. */
struct apmu_core_tally {
    uint64_t loads, stores, dtlb_more[2];                /* calls; further lookups of a call: loads, stores */
    uint64_t lookup[APMU_CORE_LEVELS][APMU_CORE_CAUSES]; /* in the first levels, without the first one of a call */
    uint64_t miss[APMU_CORE_LEVELS][APMU_CORE_CAUSES];
    uint64_t victims[APMU_CORE_LEVELS];                     /* dirty lines that gave way */
    uint64_t halves;                                        /* dirty halves of these in L1D */
    uint64_t first_use[APMU_CORE_LEVELS][APMU_CORE_CAUSES]; /* first use of a prefetched line, by cause */
    uint64_t allocated[APMU_CORE_LEVELS];                   /* lines allocated for a write, not read */
    uint64_t passed;                                        /* stores that L1D passed on */
    uint64_t tlb_miss[3], tlb2[3], tlb2_miss[3];            /* by load, fetch, store */
    uint64_t steps[2], walk_cycles[2];                      /* of walks: data, instructions */
    uint64_t bus_read, bus_write;
    uint64_t branches[APMU_CORE_KINDS][2][2]; /* by kind, conditional, taken */
    uint64_t mispredicted[APMU_CORE_KINDS][2][2];
    uint64_t lost[APMU_CORE_LOSSES]; /* slots */
    uint64_t load_cycles;            /* latency of loads beyond that of a hit in L1D */
    uint64_t fetches, itlb_more;     /* calls, and further lookups of a call */
};

/** A branch: a cell of the BTB. */
struct apmu_core_target {
    uint64_t key, target;   /* key: address / 2 + 1; 0: free */
    uint64_t used, counter; /* the time of its last use; how often it was taken, 0..3 */
};

#define APMU_CORE_TABLES  8u
#define APMU_CORE_HISTORY 512u  /* more outcomes than a table mixes in */
#define APMU_CORE_AHEAD   128u  /* branches that are predicted at a time */
#define APMU_CORE_PAST    1280u /* 2 * APMU_CORE_HISTORY + 2 * APMU_CORE_AHEAD */

/** A fold of all outcomes, for the tagged tables: lib/core/tage.h. */
struct apmu_core_folds {
    uint64_t up[APMU_CORE_TABLES], down[APMU_CORE_TABLES]; /* the bits that a rotation moves up and down: four lanes */
    uint8_t by[APMU_CORE_TABLES];                          /* so far up; down by the others of the bits */
    uint32_t bits;
    uint16_t past[APMU_CORE_PAST]; /* the fold before each of the last outcomes */
};

/** The branch predictor. */
struct apmu_core_predictor {
    int64_t counters, tagged, targets, hints, returns, indirect;
    uint64_t history, path, clock; /* outcomes, the last in bit 0; of taken indirect branches; of uses of the BTB */
    uint32_t tables, counter_mask, index_mask, tag_mask, return_top, return_count, longest, now; /* now: in past */
    uint16_t learning[256];                   /* how a cell of a tagged table and a counter learn */
    uint8_t longest_one[256], other_one[256]; /* of which table the prediction is, and its alternative */
    struct apmu_core_folds of_index, of_tag, of_tag_less; /* of tage.bits, tage.tag, tage.tag - 1 bits */
};

/** The pipeline. */
struct apmu_core_time {
    uint64_t operations;  /* up to which time has passed */
    uint64_t lost, chain; /* slots: of all reasons; the end of the last dependent load */
    struct apmu_core_ring limits, loads, stores; /* limits: of loads; the others by ends.  Some may have ended. */
};

/** Accesses whose time has not passed yet: see apmu_core_time_late() in <armpmu/core_near.h>. */
struct apmu_core_notes {
    uint32_t begun, count; /* begun: 0 if time passes with each call */
    struct apmu_core_timed note[APMU_CORE_NOTES];
};

/** A core.  Loads and stores change other lines of the host than fetches and instructions do: see core_near.h. */
struct apmu_core {
    struct apmu_core_tally tally;
    uint64_t operations, limit; /* that were retired; the number of them at which time must be looked at */
    struct apmu_core_pages itlb;
    struct apmu_core_lines l1d, l1i, l2, tlb2, walks;
    struct apmu_core_pages dtlb;
    int64_t chip; /* the place of the chip, in bytes from the start of this structure */
    uint32_t parts;
    struct apmu_core_row row;
    struct apmu_core_time time;
    struct apmu_core_predictor predictor;
    struct apmu_core_walk given[2]; /* the last given first */
    struct apmu_core_blame blame;
    struct apmu_core_notes notes;
};

/** Some cores and what they share. */
struct apmu_chip {
    struct apmu_core_lines l2, last;
    struct apmu_core_row row;
    uint64_t stride, first; /* bytes from core to core, and to the first one */
    uint32_t cores, parts;
};

/** Returns the bytes of a chip with @cores cores; 0 if apmu_chip_init() would refuse it. */
size_t apmu_chip_size(const struct apmu_core_row *row, uint32_t parts, unsigned cores);

/**
 * Makes the @size bytes at @memory, aligned to 8, a chip with @cores cores, 1 to 1024, in which nothing was cached.
 * @row is copied.  Returns NULL, or one sentence, a constant, that says why not.
 */
const char *apmu_chip_init(void *memory, size_t size, const struct apmu_core_row *row, uint32_t parts, unsigned cores);

/**
 * Makes the chip in the @size bytes at @chip one with @cores cores: those that it has, and new ones in which nothing
 * was cached.  The memory behind the cores that it has is not read, and holds zeros.  So a caller who maps memory may
 * give it a core at a time.  Returns NULL, or one sentence, a constant, that says why not; the chip is unchanged then.
 */
const char *apmu_chip_grow(struct apmu_chip *chip, size_t size, unsigned cores);

/** Returns core @n, 0..cores-1; NULL past the last one. */
struct apmu_core *apmu_chip_core(struct apmu_chip *chip, unsigned n);

/**
 * Returns the count of event @number on @core, 0 if its row does not model it or a part that it needs was left out.
 * Counts only grow.  Cycles are whole ones: the cycle in progress is counted when it is full.  Stalls are counted in
 * slots of dispatch and given in cycles, rounded down.
 */
uint64_t apmu_core_read(const struct apmu_core *core, uint16_t number);

/* ---------------------------------------------------------------------------------------------------------------
 * What the core does, in program order.  Addresses are those that the caches and TLBs see.  Where the two see different
 * ones, those of the calls are the caches', and <armpmu/core_space.h> tells those of the TLBs.
 */

/** The most bytes of one access.  A call for more, or for none, accesses this many, or 1. */
#define APMU_CORE_ACCESS_MOST               4096u
/**
 * The part of apmu_core_load() that answers at once.  Returns false if it did nothing: then call apmu_core_load_slow().
 */
APMU_INLINE bool apmu_core_load_fast(struct apmu_core *core, uint64_t address, uint32_t size)
{
    if (!core->l1d.filtered || !apmu_core_line_fast(&core->l1d, address, size, false) ||
        (core->dtlb.there && !apmu_core_page_fast(&core->dtlb, address))) {
        return false;
    }
    core->tally.loads++;
    return true;
}

/** The part of apmu_core_store() that answers at once.  As apmu_core_load_fast(). */
APMU_INLINE bool apmu_core_store_fast(struct apmu_core *core, uint64_t address, uint32_t size)
{
    if (!core->l1d.filtered || !apmu_core_line_fast(&core->l1d, address, size, true) ||
        (core->dtlb.there && !apmu_core_page_fast(&core->dtlb, address))) {
        return false;
    }
    core->tally.stores++;
    return true;
}

/** The part of apmu_core_fetch() that answers at once.  As apmu_core_load_fast(). */
APMU_INLINE bool apmu_core_fetch_fast(struct apmu_core *core, uint64_t address, uint32_t size)
{
    if (!core->l1i.filtered || !apmu_core_line_fast(&core->l1i, address, size, false) ||
        (core->itlb.there && !apmu_core_page_fast(&core->itlb, address))) {
        return false;
    }
    core->tally.fetches++;
    return true;
}

/** Do all of a load, a store, a fetch, whether it could be answered at once or not. */
void apmu_core_load_slow(struct apmu_core *core, uint64_t address, uint32_t size);
void apmu_core_store_slow(struct apmu_core *core, uint64_t address, uint32_t size);
void apmu_core_fetch_slow(struct apmu_core *core, uint64_t address, uint32_t size);

/**
 * Loads @size bytes at @address.  An access ends at the end of the address space.
 *
 * For each line of L1D that it touches, in ascending order: the first line, and each one in another page than the line
 * before it, is translated; then the line is looked up in L1D.
 *
 * Translation looks the page up in the first TLB (lookup, refill), if it is not there in the TLB of the second level,
 * and if it is not there or the row has none, walks the tables.  A walk reads a descriptor at each of walk.levels
 * levels from the top, or, if the walk cache (fully associative, LRU) has the last table, the last one alone.  The
 * descriptor at level n above the last one is read at 2^63 + n * 2^56 + 8 * (page >> n * (log2 of page size - 3)).  It
 * is looked up from L2 on as for a load.  Then walk cache (if it missed), second and first TLB take the translation.
 *
 * A lookup in a cache that hits makes the line the one used last.  If the line misses, the level below is looked up
 * (cause: load, fetch, store, prefetch), down to memory, and the line is put into each level on the way back; the cache
 * above never keeps the one below from replacing a line, and the reverse.  A dirty line that gives way is written to
 * the level below.  There a write looks the line up and uses it; if it is missing, the level takes the line unread if
 * its row says "allocate yes", else passes the write on.  A level with "write through" passes each write on and has no
 * dirty lines.
 *
 * A prefetcher acts after the line of a demand access that missed was put into its level, and after the first such
 * access to a line that it brought (a line that is there for another level's prefetcher was brought by it, too); for a
 * store, after what it changes or passes on.  Writes from above and misses that allocate nothing do not start it.
 * "next" asks for the following lines, one after the other up to degree.  "stride" has 16 cells.  Cell page % 16 keeps
 * the page, the last line and its distance to the line before it; another page takes the cell, with distance 0.  The
 * same line again changes nothing.  A distance equal to the one that the cell keeps makes the prefetcher ask for degree
 * lines, one after the other at that distance.  It never leaves the page: the first line outside ends it.  A line that
 * the level has is not touched.  A prefetched line counts as just used.
 */
APMU_INLINE void apmu_core_load(struct apmu_core *core, uint64_t address, uint32_t size)
{
    if (!apmu_core_load_fast(core, address, size)) {
        apmu_core_load_slow(core, address, size);
    }
}

/**
 * Does what apmu_core_load() does, for a load whose address depends on the last call of this function, as in a list.
 * It begins when that load has ended.  All such loads of a core form one chain.  In counts other than time it is a load
 * like any other.
 */
void apmu_core_load_after(struct apmu_core *core, uint64_t address, uint32_t size);

/**
 * Stores @size bytes at @address, as apmu_core_load() loads.  A line that L1D lacks is read for the store, unless the
 * row says "l1d.allocate no": then L1D passes the store on, as it does each store with "write through" (after the line
 * was read).  In a row with halves a line has a dirty bit for each half, in others both halves become dirty at once.
 */
APMU_INLINE void apmu_core_store(struct apmu_core *core, uint64_t address, uint32_t size)
{
    if (!apmu_core_store_fast(core, address, size)) {
        apmu_core_store_slow(core, address, size);
    }
}

/** Fetches the instructions in @size bytes at @address: as a load, in L1I and the instruction TLB. */
APMU_INLINE void apmu_core_fetch(struct apmu_core *core, uint64_t address, uint32_t size)
{
    if (!apmu_core_fetch_fast(core, address, size)) {
        apmu_core_fetch_slow(core, address, size);
    }
}

/* Lets time pass until the operations that wait for an access have been dispatched. */
void apmu_core_wait(struct apmu_core *core);

/**
 * Retires @n instructions, each of one operation.  Call it after the fetch and before the accesses of an instruction;
 * several instructions may be told at once.
 *
 * Time is counted in slots of dispatch, timing.width a cycle.  An operation takes one, and timing.busy of 1024 lose one
 * to the back end.  A load takes the cycles of its translation and those of the level that has the line.  If it touches
 * several lines, the slowest one counts, the first of equal ones, where a hit in the first level is 0.  A load that
 * ends later than one that hits L1D at once is pending: because of its own cycles, or of the load before it in the
 * chain.  Dispatch goes on for timing.window operations and then waits until it has ended.  With timing.misses loads
 * pending, another such load waits for the one that ends first.  A store that takes longer than a hit occupies one of
 * timing.stores places until it has ended, and waits for the one that ends first if all are occupied.  A store that L1D
 * passes on takes no time but that of its translation.  Loads and stores overlap in all other respects.  A fetch that
 * misses stops dispatch for its cycles less timing.hide.  A stall belongs to the TLB if the translation took more
 * cycles than the cache, a hit being 0, else to the level that had the line.  Prefetches, write-backs and refills of
 * TLBs take no time.
 */
APMU_INLINE void apmu_core_instructions(struct apmu_core *core, uint64_t n)
{
    core->operations += n;
    if (core->operations >= core->limit) {
        apmu_core_wait(core);
    }
}

/**
 * Executes a branch of @kind at @pc.  @target is where it goes if it is taken.  Bit 0 of both is clear.  @taken counts
 * only with APMU_CORE_CONDITIONAL.  Returns true if it was mispredicted.
 *
 * Direction (conditional branches only).  Counters have 2 bits, begin at 1, and predict taken from 2 on.
 *   bimodal  counter (pc >> 2) mod 2^branch.bits
 *   gshare   counter (pc >> 2 XOR the last branch.history outcomes, the latest in bit 0) mod 2^branch.bits
 *   btac     the counter of the branch's BTB entry, 2 in a new one; without entry, as for all returns, taken if
 *            @target <= @pc
 *   tage     fold(l, n) is the XOR of the l latest outcomes, the j-th one back at bit j mod n, the latest at bit 0.
 *            Table i, from 0, has length l = tage.shortest << i.  Its cell is (pc >> 2 XOR pc >> (2 + tage.bits) XOR
 *            fold(l, tage.bits)) mod 2^tage.bits, the tag there (pc >> 2 XOR fold(l, tage.tag) XOR
 *            fold(l, tage.tag - 1) << 1) mod 2^tage.tag.  The longest table whose tag matches predicts, taken if its
 *            counter (0..7) is 4 or more; the next longest, or bimodal, is the alternative.  Then that table's counter
 *            moves by the outcome, and, if alternative and prediction differ, its useful count (0..3) by whether it was
 *            right; without a match the bimodal counter moves.  After a misprediction the first longer table whose cell
 *            has useful 0 takes the branch, with counter 4 if taken, 3 if not; if there is none, the useful counts of
 *            these cells fall by 1.  Cells begin as zeros, and a match needs no other sign.
 * Target (taken branches).  A return is right if the return stack (returns.entries, the oldest is overwritten) has its
 * target on top; it is popped.  Taken calls push the address behind them.  An indirect branch is right if cell (pc >> 2
 * XOR path) mod 2^indirect.bits has its target; then the cell takes the target, and the path becomes path << 3 XOR
 * target >> 2, mod 2^indirect.bits.  Cells begin with target 0.  With indirect.bits 0 the BTB must have the target.
 * The BTB (sets by pc >> 2, LRU) is looked up by all branches but returns, taken or not, and takes those that are
 * taken.  A taken jump or call with a right direction that finds no entry with its target is no misprediction and costs
 * timing.bubble cycles.
 *
 * A misprediction loses timing.mispredict cycles: the last timing.refill of them to the front end, the others to
 * operations of the wrong path.  The wrong path accesses nothing.
 */
bool apmu_core_branch(struct apmu_core *core, unsigned kind, uint64_t pc, uint64_t target, bool taken);

/** Ends the cycle in progress, so that slots are CPU_CYCLES times width.  Its free slots are lost to the front end. */
void apmu_core_settle(struct apmu_core *core);

#ifdef __cplusplus
}
#endif
#endif
