/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of accesses that the first level of a core answers.
 *
 * This header is for emulators.  They tell a core in program order what the program does (<armpmu/core.h>), but most
 * accesses concern no other level of cache and take no time.  With these functions an emulator makes such an access at
 * once, and tells late the instructions, fetches and branches that lie before it.
 *
 * @code
 * #include <stdio.h>
 * #include <stdlib.h>
 * #include <armpmu/core_near.h>
 *
 * int main(void)
 * {
 *     struct apmu_core_row row;
 *
 *     if (!apmu_core_row_by_name("cortex-a53", &row)) {
 *         return 1;
 *     }
 *     const size_t size = apmu_chip_size(&row, APMU_CORE_ALL, 1);
 *     struct apmu_chip *chip = malloc(size);
 *
 *     if (chip == NULL || apmu_chip_init(chip, size, &row, APMU_CORE_ALL, 1) != NULL) {
 *         return 1;
 *     }
 *     struct apmu_core *core = apmu_chip_core(chip, 0);
 *     unsigned far = 0;
 *
 *     for (uint64_t address = 0x10000; address < 0x10100; address += 8) {
 *         if (!apmu_core_load_near(core, address, 8)) {
 *             far++; // here an emulator tells what lies before this load
 *             apmu_core_load_slow(core, address, 8);
 *         }
 *     }
 *     printf("%u of %u loads go to L2\n", far, (unsigned)apmu_core_read(core, APMU_EV_L1D_CACHE_RD));
 *     free(chip);
 *     return 0;
 * }
 * @endcode
 */
#ifndef ARMPMU_CORE_NEAR_H
#define ARMPMU_CORE_NEAR_H

#include <armpmu/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns true if @address is in the line of @l that its set used last, and marks its page in @t, its TLB, as used: the
 * comparison of apmu_core_load_fast() with less work, for a core whose apmu_core_map() was never called, a filtered
 * @l, and bytes that are in one line.  The caller counts the access.
 */
APMU_INLINE bool apmu_core_is_recent(struct apmu_core *core, const struct apmu_core_lines *l,
                                     struct apmu_core_pages *t, uint64_t address, bool store)
{
    const uint64_t *cut = apmu_core_cut(l, apmu_core_set(l, address >> l->shift));

    if (cut[store ? APMU_CORE_CUT_STORED : APMU_CORE_CUT_RECENT] != apmu_core_line_end(l, address)) {
        return false;
    }
    if (t->there) {
        *APMU_CORE_AT(uint64_t, core, cut[APMU_CORE_CUT_STAMP]) = apmu_core_stamp(t);
    }
    return true;
}

/** As apmu_core_fetch_fast(), with the conditions of apmu_core_is_recent(). */
APMU_INLINE bool apmu_core_fetch_recent(struct apmu_core *core, uint64_t address)
{
    if (!core->l1i.filtered || !apmu_core_is_recent(core, &core->l1i, &core->itlb, address, false)) {
        return false;
    }
    core->tally.fetches++;
    return true;
}

/**
 * The parts of a load, a store and a fetch that no other level sees: @address is in a page whose entry is known and in
 * a line that the first level has.  They return false if they did nothing: then call apmu_core_load_slow() and the
 * like.  They touch only their own core.
 */
bool apmu_core_load_near(struct apmu_core *core, uint64_t address, uint32_t size);
bool apmu_core_store_near(struct apmu_core *core, uint64_t address, uint32_t size);
bool apmu_core_fetch_near(struct apmu_core *core, uint64_t address, uint32_t size);

/**
 * Makes the clock of the data TLB of @core move on by @step, from 1, whenever a function of this library takes a stamp.
 * It moves by 1 at first.  Translated code that stamps pages itself may move the clock on by @step - 1 at most for some
 * accesses together, and stamp the first of n with the clock less n - 1.  A function that is called between them takes
 * a later stamp than those before it, and an earlier one than those behind it.
 */
APMU_INLINE void apmu_core_stamp_by(struct apmu_core *core, uint64_t step)
{
    core->dtlb.step = step;
}

/** A branch that was executed: the arguments of apmu_core_branch(), and what it costs. */
struct apmu_core_outcome {
    uint64_t pc, target;
    uint8_t kind;
    bool taken;
    uint8_t cost;        /**< enum apmu_core_cost */
    uint8_t accesses;    /**< of its batch that come before it */
    uint32_t operations; /**< apmu_core.operations when it was executed, modulo 2^32 */
};

/** What a branch costs. */
enum apmu_core_cost {
    APMU_CORE_COST_NONE,
    APMU_CORE_COST_MISPREDICTED,
    APMU_CORE_COST_BUBBLE /**< a taken branch that the BTB lacks */
};

#define APMU_CORE_BATCH 256u

/** What a core executed: branches, and accesses that take time, in order. */
struct apmu_core_batch {
    uint32_t branches, accesses;
    uint64_t operations; /**< apmu_core.operations at its end */
    struct apmu_core_outcome branch[APMU_CORE_BATCH];
    struct apmu_core_timed access[APMU_CORE_NOTES];
};

/**
 * Lets time pass late.  Nothing that caches and TLBs do depends on branches or on time.  So from now on @core notes
 * accesses that take time, and the caller puts branches in batches instead of calling apmu_core_branch():
 *  - apmu_core_add_branch() for each branch, if fewer than APMU_CORE_BATCH are in the batch; first it has none;
 *  - apmu_core_end_batch() when the batch or core->notes is full, and before counts are read;
 *  - apmu_core_replay() of each batch in their order, which another thread may do.
 *
 * While a thread replays, others may call what tells @core fetches, loads, stores and instructions, but not
 * apmu_core_settle(); the events of branches and time that they read lag behind.
 */
void apmu_core_time_late(struct apmu_core *core);

/** Adds a branch, with the arguments of apmu_core_branch(), to @batch, which has room. */
APMU_INLINE void apmu_core_add_branch(const struct apmu_core *core, struct apmu_core_batch *batch, unsigned kind,
                                      uint64_t pc, uint64_t target, bool taken)
{
    struct apmu_core_outcome *b = &batch->branch[batch->branches++];

    b->pc = pc;
    b->target = target;
    b->kind = (uint8_t)kind;
    b->taken = taken;
    b->cost = APMU_CORE_COST_NONE;
    b->accesses = (uint8_t)core->notes.count;
    b->operations = (uint32_t)core->operations;
}

/** Ends @batch, which gets the accesses that @core noted since the last one.  Any that found no room are lost. */
void apmu_core_end_batch(struct apmu_core *core, struct apmu_core_batch *batch);

/** Executes the branches of @batch, fills in what each costs, and lets the time of all of it pass. */
void apmu_core_replay(struct apmu_core *core, struct apmu_core_batch *batch);

/** The most visits that one access makes. */
#define APMU_CORE_VISITS_MOST 257u

/** A visit of a line: what the other side of apmu_core_visit_late() needs to know of it. */
struct apmu_core_visit {
    uint64_t word; /**< the line's number << 4 | APMU_CORE_VALID; for a store with APMU_CORE_DIRTY */
    uint32_t place; /**< place and index: for the caller, who may note there when the visit was made */
    uint16_t index;
    uint16_t flags; /**< APMU_CORE_VISIT_SWAPPED or 0; the others are the caller's */
};

/** A bit of apmu_core_visit.word: the TLB lacked the page of the line. */
#define APMU_CORE_VISIT_FAR APMU_CORE_PREFETCHED
/** A flag of a visit: since the last visit of its set, the two lines that the set used last have swapped places. */
#define APMU_CORE_VISIT_SWAPPED 0x8000u

/**
 * Lets L1D and what lies below it be looked up late.  After an access its line is the one that its set used last, and
 * its page the one that the TLB used last, whether they were there or not.  So the short cuts for lines, and the data
 * TLB, need no answer from the caches, and which accesses the caches see follows from the short cuts alone.
 *
 * With LRU and PLRU the line that a set used last but one is there, too.  It has a second short cut, whose use swaps
 * the two.  To swap them twice changes nothing, so the next visit of the set only says whether they are swapped.
 *
 * Returns false, and changes nothing, if the L1D of @core is not simulated or filtered, writes through, does not
 * allocate, counts halves or prefetches.  From then on, until apmu_core_visit_now(), one side tells the loads and
 * stores, and the other all else, each in order.  The sides may be two threads.
 *  - One side calls apmu_core_load_fast() and apmu_core_store_fast() as before.  If they return false, it calls
 *    apmu_core_load_late() and apmu_core_store_late(), and hands on the visits that these made.
 *  - The other side calls apmu_core_visit_load() and apmu_core_visit_store() with the visits of each access, where it
 *    would have called apmu_core_load() and apmu_core_store(); or, for a core that simulates neither fetches nor time,
 *    apmu_core_visit() with visits of many accesses.
 * Counts but those of loads and stores lag behind on the other side.
 */
bool apmu_core_visit_late(struct apmu_core *core);

/** Ends that.  The other side knows all visits. */
void apmu_core_visit_now(struct apmu_core *core);

/** Loads @size bytes at @address, and fills in the words of the visits, one for each line.  Returns their number. */
uint32_t apmu_core_load_late(struct apmu_core *core, uint64_t address, uint32_t size,
                             struct apmu_core_visit visits[APMU_CORE_VISITS_MOST]);

/** Stores likewise. */
uint32_t apmu_core_store_late(struct apmu_core *core, uint64_t address, uint32_t size,
                              struct apmu_core_visit visits[APMU_CORE_VISITS_MOST]);

/** Looks up the lines of @count visits, and lets no time pass. */
void apmu_core_visit(struct apmu_core *core, const struct apmu_core_visit *visits, size_t count);

/** Looks up the lines of a load, which made @count visits, from 1.  @after: as for apmu_core_load_after(). */
void apmu_core_visit_load(struct apmu_core *core, const struct apmu_core_visit *visits, size_t count, bool after);

/** Looks up the lines of a store, which made @count visits, from 1. */
void apmu_core_visit_store(struct apmu_core *core, const struct apmu_core_visit *visits, size_t count);

/**
 * Tells the time of a load that was answered by apmu_core_load_near() or a short cut, and whose address depends on the
 * last load of apmu_core_load_after() or of this function.  Both calls together are apmu_core_load_after().
 */
void apmu_core_load_chained(struct apmu_core *core);

#ifdef __cplusplus
}
#endif
#endif
