/* SPDX-License-Identifier: BSD-2-Clause */
/* What a core has counted, as events: an expansion of tables/core_counts.def. */
#include "internal.h"

/* The numbers of ARM11's events. */
enum arm11_number {
#define APMU_ARM11_EVENT(number, name, parts, most, text) ARM11_##name = number,
#include <armpmu/tables/events_arm11.def>
};

/* The sets of parts of tables/core_counts.def. */
enum needed_parts {
    NEEDS_NONE = 0,
    NEEDS_L1I = APMU_CORE_L1I,
    NEEDS_L1D = APMU_CORE_L1D,
    NEEDS_ITLB = APMU_CORE_ITLB,
    NEEDS_DTLB = APMU_CORE_DTLB,
    NEEDS_WALKS = APMU_CORE_ITLB | APMU_CORE_DTLB,
    NEEDS_L2 = NEEDS_WALKS | APMU_CORE_L1I | APMU_CORE_L1D | APMU_CORE_L2,
    NEEDS_LAST = NEEDS_L2 | APMU_CORE_LAST,
    NEEDS_BRANCH = APMU_CORE_BRANCH,
    NEEDS_TIME = APMU_CORE_ALL
};

/* Kinds of branches as sets, and their condition and outcome likewise. */
enum branch_set {
    KINDS_IMMED = 1 << APMU_CORE_JUMP | 1 << APMU_CORE_CALL,
    KINDS_INDNR = 1 << APMU_CORE_INDIRECT | 1 << APMU_CORE_INDIRECT_CALL,
    KINDS_CALLS = 1 << APMU_CORE_CALL | 1 << APMU_CORE_INDIRECT_CALL,
    KINDS_JUMP = 1 << APMU_CORE_JUMP,
    KINDS_CALL = 1 << APMU_CORE_CALL,
    KINDS_INDIRECT = 1 << APMU_CORE_INDIRECT,
    KINDS_INDIRECT_CALL = 1 << APMU_CORE_INDIRECT_CALL,
    KINDS_RETURN = 1 << APMU_CORE_RETURN,
    KINDS_IND = KINDS_INDNR | KINDS_RETURN,
    KINDS_ALL = KINDS_IMMED | KINDS_IND,
    IF_UNCONDITIONAL = 1,
    IF_CONDITIONAL = 2,
    IF_EITHER = 3,
    IS_SKIPPED = 1,
    IS_TAKEN = 2,
    IS_BOTH = 3
};

/* An event of a row. */
struct modelled_event {
    uint32_t parts;
    bool there;
    uint64_t value;
};

/* Returns @dividend / @divisor, on 32-bit Arm without the function that it has for it in a library. */
static uint64_t quotient(uint64_t dividend, uint32_t divisor)
{
    uint64_t result = 0, rest = 0;

    if (UINTPTR_MAX > UINT32_MAX) {
        return dividend / divisor;
    }
    for (unsigned bit = 64; bit-- > 0;) {
        rest = rest << 1 | (dividend >> bit & 1);
        result <<= 1;
        if (rest >= divisor) {
            rest -= divisor;
            result |= 1;
        }
    }
    return result;
}

/* Returns the lookups of @cause in @level.  Each call of a load, store or fetch looks up once in the first level. */
static uint64_t lookups(const struct apmu_core *core, unsigned level, enum apmu_core_cause cause)
{
    const struct apmu_core_tally *t = &core->tally;
    uint64_t calls = 0;

    if (level == APMU_CORE_LEVEL_L1I) {
        calls = cause == APMU_CORE_CAUSE_FETCH ? t->fetches : 0;
    } else if (level == APMU_CORE_LEVEL_L1D) {
        calls = cause == APMU_CORE_CAUSE_LOAD ? t->loads : cause == APMU_CORE_CAUSE_STORE ? t->stores : 0;
    }
    return t->lookup[level][cause] + calls;
}

/* Returns the sum of the counts in @of of these kinds, conditions and outcomes. */
static uint64_t sum_branches(const uint64_t of[APMU_CORE_KINDS][2][2], unsigned kinds, unsigned conditions,
                             unsigned outcomes)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < APMU_CORE_KINDS * 4; i++) {
        if ((kinds >> (i >> 2) & conditions >> (i >> 1 & 1) & outcomes >> (i & 1) & 1) != 0) {
            sum += of[i >> 2][i >> 1 & 1][i & 1];
        }
    }
    return sum;
}

/* The slots of all reasons from @first to @last. */
static uint64_t sum_lost(const struct apmu_core *core, unsigned first, unsigned last)
{
    uint64_t sum = 0;

    for (unsigned i = first; i <= last; i++) {
        sum += core->tally.lost[i];
    }
    return sum;
}

#define LEVEL_L1I           APMU_CORE_LEVEL_L1I
#define LEVEL_L1D           APMU_CORE_LEVEL_L1D
#define LEVEL_L2            APMU_CORE_LEVEL_L2
#define LEVEL_LAST          APMU_CORE_LEVEL_LAST
#define LEVEL_LL            (row->value[APMU_CORE_KEY_LAST_SIZE] != 0 ? APMU_CORE_LEVEL_LAST : APMU_CORE_LEVEL_L2)
#define ANY                 true
#define WITH_L2             (row->value[APMU_CORE_KEY_L2_SIZE] != 0)
#define WITH_LAST           (row->value[APMU_CORE_KEY_LAST_SIZE] != 0)
#define WITH_LL             (WITH_L2 || WITH_LAST)
#define WITH_TLB2           (row->value[APMU_CORE_KEY_TLB2_ENTRIES] != 0)

#define LOOK(level, cause)  lookups(core, LEVEL_##level, APMU_CORE_CAUSE_##cause)
#define MISS(level, cause)  core->tally.miss[LEVEL_##level][APMU_CORE_CAUSE_##cause]
#define FIRST(level, cause) core->tally.first_use[LEVEL_##level][APMU_CORE_CAUSE_##cause]
#define HITS(level, cause)  (LOOK(level, cause) - MISS(level, cause))
#define READS(level)        (LOOK(level, LOAD) + LOOK(level, FETCH))
#define WRITES(level)       (LOOK(level, STORE) + LOOK(level, WRITE))
#define READ_MISSES(level)  (MISS(level, LOAD) + MISS(level, FETCH))
#define READ_HITS(level)    (HITS(level, LOAD) + HITS(level, FETCH))
#define WRITE_HITS(level)   (HITS(level, STORE) + HITS(level, WRITE))
#define READ_FIRST(level)   (FIRST(level, LOAD) + FIRST(level, FETCH))
#define WRITE_FIRST(level)  (FIRST(level, STORE) + FIRST(level, WRITE))
#define STORE_REFILLS       (row->value[APMU_CORE_KEY_L1D_ALLOCATE] != 0 ? MISS(L1D, STORE) : 0)
#define TLB_MISS(cause)     core->tally.tlb_miss[APMU_CORE_CAUSE_##cause]
#define TLB2(cause)         core->tally.tlb2[APMU_CORE_CAUSE_##cause]
#define WALKS_FOR(cause)    core->tally.tlb2_miss[APMU_CORE_CAUSE_##cause]
#define DTLB_READS          (core->tally.loads + core->tally.dtlb_more[0])
#define DTLB_WRITES         (core->tally.stores + core->tally.dtlb_more[1])
#define BRANCHES(kinds, conditions, outcomes) \
    sum_branches(core->tally.branches, KINDS_##kinds, IF_##conditions, IS_##outcomes)
#define WRONG(kinds, conditions, outcomes) \
    sum_branches(core->tally.mispredicted, KINDS_##kinds, IF_##conditions, IS_##outcomes)
#define RIGHT(kinds, conditions, outcomes) (BRANCHES(kinds, conditions, outcomes) - WRONG(kinds, conditions, outcomes))
#define LOST(loss)                         core->tally.lost[APMU_CORE_LOSS_##loss]
#define BUSY                               (core->operations * row->value[APMU_CORE_KEY_TIMING_BUSY] >> 10)
#define ALL_SLOTS                          (core->operations + core->time.lost + BUSY)
#define FRONT_END                          sum_lost(core, APMU_CORE_LOSS_FLUSH, APMU_CORE_LOSS_ITLB)
#define BACK_END                           sum_lost(core, APMU_CORE_LOSS_L1D, APMU_CORE_LOSS_STORE)
#define CYCLES(slots)                      quotient(slots, row->value[APMU_CORE_KEY_TIMING_WIDTH])

/* One case of a switch over event numbers.  ROW(4, L1D, ANY, 7) becomes
 *
 *     case 4: *e = (struct modelled_event){NEEDS_L1D, ANY, core != NULL ? (7) : 0}; break;
 */
#define ROW(number, needs, has, sum) \
    case number: \
        *e = (struct modelled_event){NEEDS_##needs, has, core != NULL ? (sum) : 0}; \
        break;

/* Fills *@e with event @number of @row, and its value if @core is not NULL. */
static void find_common(const struct apmu_core_row *row, const struct apmu_core *core, uint16_t number,
                        struct modelled_event *e)
{
    switch (number) {
#define APMU_CORE_COUNT(event, parts, has, value) ROW(APMU_EV_##event, parts, has, value)
#include <armpmu/tables/core_counts.def>
    default:
        break;
    }
}

static void find_arm11(const struct apmu_core_row *row, const struct apmu_core *core, uint16_t number,
                       struct modelled_event *e)
{
    switch (number) {
#define APMU_CORE_COUNT_ARM11(event, parts, has, value) ROW(ARM11_##event, parts, has, value)
#include <armpmu/tables/core_counts.def>
    default:
        break;
    }
}

static struct modelled_event find(const struct apmu_core_row *row, const struct apmu_core *core, uint16_t number)
{
    struct modelled_event e = {0, false, 0};

    if (row->value[APMU_CORE_KEY_EVENTS] == APMU_CORE_EVENTS_ARM11) {
        find_arm11(row, core, number, &e);
    } else {
        find_common(row, core, number, &e);
    }
    return e;
}

uint64_t apmu_core_cycles(const struct apmu_core *core)
{
    const struct apmu_core_row *row = &core->row;

    return CYCLES(ALL_SLOTS);
}

/* Returns the parts in @parts that @row has. */
static uint32_t parts_of(const struct apmu_core_row *row, uint32_t parts)
{
    return parts & ~((WITH_L2 ? 0u : (uint32_t)APMU_CORE_L2) | (WITH_LAST ? 0u : (uint32_t)APMU_CORE_LAST));
}

uint32_t apmu_core_parts(const struct apmu_core_row *row, const uint16_t *events, size_t count)
{
    uint32_t parts = 0;

    for (size_t i = 0; i < count; i++) {
        const struct modelled_event e = find(row, NULL, events[i]);

        parts |= e.there ? e.parts : 0;
    }
    return parts_of(row, parts);
}

bool apmu_core_models(const struct apmu_core_row *row, uint16_t number)
{
    return find(row, NULL, number).there;
}

uint64_t apmu_core_read(const struct apmu_core *core, uint16_t number)
{
    const struct modelled_event e = find(&core->row, core, number);
    const uint32_t needed = parts_of(&core->row, e.parts);

    return e.there && (core->parts & needed) == needed ? e.value : 0;
}
