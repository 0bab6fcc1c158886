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
 * @l, and bytes that are in one line.  @ignored: APMU_CORE_DIRTY, or for a store 0.  The caller counts the access.
 */
APMU_INLINE bool apmu_core_is_recent(struct apmu_core *core, const struct apmu_core_lines *l,
                                     struct apmu_core_pages *t, uint64_t address, uint64_t ignored)
{
    const uint64_t line = address >> l->shift;
    const uint64_t *recent = APMU_CORE_SEEN(uint64_t, l, l->recent) + 2 * apmu_core_set(l, line);

    if ((recent[0] | ignored) != (line << 4 | APMU_CORE_VALID | APMU_CORE_DIRTY)) {
        return false;
    }
    if (t->there) {
        *APMU_CORE_AT(uint64_t, core, recent[1]) = ++t->clock;
    }
    return true;
}

/** As apmu_core_fetch_fast(), with the conditions of apmu_core_is_recent(). */
APMU_INLINE bool apmu_core_fetch_recent(struct apmu_core *core, uint64_t address)
{
    if (!core->l1i.filtered || !apmu_core_is_recent(core, &core->l1i, &core->itlb, address, APMU_CORE_DIRTY)) {
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

/** A branch that was executed: the arguments of apmu_core_branch(), and what it costs. */
struct apmu_core_outcome {
    uint64_t pc, target;
    uint8_t kind;
    bool taken;
    uint8_t cost; /**< enum apmu_core_cost */
};

/** What a branch costs. */
enum apmu_core_cost {
    APMU_CORE_COST_NONE,
    APMU_CORE_COST_MISPREDICTED,
    APMU_CORE_COST_BUBBLE /**< a taken branch that the BTB lacks */
};

/**
 * Executes @count branches in all but time, and fills in what each costs.  What the predictor does depends on branches
 * alone, so this may be called late, for many at a time.  Where time is modelled, apmu_core_branch_time() of each cost
 * follows in program order.  Both calls together are apmu_core_branch().
 */
void apmu_core_predict(struct apmu_core *core, struct apmu_core_outcome *branches, size_t count);

/** Lets the time of a branch pass that costs @cost. */
void apmu_core_branch_time(struct apmu_core *core, unsigned cost);

/**
 * Tells the time of a load that was answered by such a function, and whose address depends on the last load of
 * apmu_core_load_after() or of this function.  Both calls together are apmu_core_load_after().
 */
void apmu_core_load_chained(struct apmu_core *core);

#ifdef __cplusplus
}
#endif
#endif
