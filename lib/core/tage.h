/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The TAGE-like predictor of directions: tables with tags for histories of doubling lengths, over the bimodal counters.
 *
 * fold(l, n) of the contract is kept for each table and changes with each outcome: it rotates by one bit, takes the new
 * outcome at bit 0 and drops the one that is now l back.  The folds of the same n of four tables lie in one word, 16
 * bits each, so an operation on a word is one on four tables.  No fold has more than 15 bits.
 *
 * predictor.c includes this and compiles it for each number of tables: it is most of what a branch costs.
 */
#ifndef ARMPMU_CORE_TAGE_H
#define ARMPMU_CORE_TAGE_H

#include "internal.h"

#define TAGE_LANES      UINT64_C(0x0001000100010001)
#define TAGE_LANE_BITS  16u
#define TAGE_WORD_LANES 4u
#define TAGE_WORDS      (APMU_CORE_TABLES / TAGE_WORD_LANES)

/*
 * A cell of a tagged table has the tag in its low bits.  Above it is its state: the counter, 0..7, and the useful
 * count, 0..3.  The state that follows is in apmu_core_predictor.learning, at the state, with two more bits.
 */
enum { TAGE_STATE_AT = 16, TAGE_USEFUL_AT = 3, TAGE_OTHER_AT = 5, TAGE_OUTCOME_AT = 6 };
#define TAGE_TAKEN_FROM 4u

/* Where a branch is in the tables: 16 bits a table. */
struct tage_place {
    uint64_t index[TAGE_WORDS], tag[TAGE_WORDS];
};

/* Returns the cells of table @i. */
static inline uint32_t *tage_table(struct apmu_core_predictor *p, uint32_t i)
{
    return APMU_CORE_AT(uint32_t, p, p->tagged) + ((size_t)i << p->of_index.bits);
}

/* Returns the part of table @i in @words. */
static inline uint32_t tage_lane(const uint64_t *words, uint32_t i)
{
    return (uint32_t)(words[i / TAGE_WORD_LANES] >> i % TAGE_WORD_LANES * TAGE_LANE_BITS) & UINT16_MAX;
}

/* Returns the cell of the branch at @place in table @i. */
static inline uint32_t *tage_cell(struct apmu_core_predictor *p, const struct tage_place *place, uint32_t i)
{
    return tage_table(p, i) + tage_lane(place->index, i);
}

/* Returns the bits 15, 31, 47 and 63 of @word, a bit for each table. */
static inline uint32_t tage_gathered(uint64_t word)
{
    const uint64_t spread = UINT64_C(1) << 48 | UINT64_C(1) << 33 | UINT64_C(1) << 18 | UINT64_C(1) << 3;

    return (uint32_t)((word >> 15 & TAGE_LANES) * spread >> 48) & 15;
}

/* Returns the tables of word @word that know the branch at @place, a set. */
static APMU_CORE_FOLDED uint32_t tage_matches(struct apmu_core_predictor *p, const struct tage_place *place,
                                              uint32_t word, uint32_t tables)
{
    const uint32_t first = word * TAGE_WORD_LANES, count = tables - first;
    uint64_t tags = 0;

    if (count > 3) {
        tags = *tage_cell(p, place, first + 3) & UINT16_MAX;
    }
    if (count > 2) {
        tags = tags << TAGE_LANE_BITS | (*tage_cell(p, place, first + 2) & UINT16_MAX);
    }
    if (count > 1) {
        tags = tags << TAGE_LANE_BITS | (*tage_cell(p, place, first + 1) & UINT16_MAX);
    }
    tags = tags << TAGE_LANE_BITS | (*tage_cell(p, place, first) & UINT16_MAX);
    /* No tag has the highest bit.  So the sum has it unless the tags are equal. */
    const uint64_t differs = (tags ^ place->tag[word]) + TAGE_LANES * INT16_MAX;

    return tage_gathered(~differs) & (count > 3 ? 15 : (UINT32_C(1) << count) - 1);
}

/* Returns the highest table of the set @tables, which is not empty. */
static inline uint32_t tage_longest(uint32_t tables)
{
    static const uint8_t highest[16] = {0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3};

    return tables > 15 ? 4u + highest[tables >> 4] : highest[tables];
}

/* Adds an outcome to a word of folds.  @newest and @oldest have a bit for each, or all bits of each. */
static inline uint64_t tage_rotated(const struct apmu_core_folds *f, uint32_t word, uint64_t newest, uint64_t oldest)
{
    const uint64_t next = (2 * f->now[word] + newest) ^ (f->drops[word] & oldest);

    return (next ^ (next >> f->bits & TAGE_LANES)) & f->kept;
}

/* Returns the outcome that is as far back as the history of table @i is long, in the bits of lane @i. */
static inline uint64_t tage_oldest(const struct apmu_core_predictor *p, uint32_t i)
{
    return (uint64_t)p->outcomes[(p->outcome_at - p->lengths[i]) & (APMU_CORE_HISTORY - 1)]
           << i % TAGE_WORD_LANES * TAGE_LANE_BITS;
}

/* Adds an outcome to the history of the tables in word @word. */
static APMU_CORE_FOLDED void tage_remember(struct apmu_core_predictor *p, uint32_t word, uint32_t tables, bool taken)
{
    const uint32_t first = word * TAGE_WORD_LANES, count = tables - first;
    const uint64_t newest = taken ? TAGE_LANES : 0;
    const uint64_t oldest =
        (tage_oldest(p, first) | (count > 1 ? tage_oldest(p, first + 1) : 0) |
         (count > 2 ? tage_oldest(p, first + 2) : 0) | (count > 3 ? tage_oldest(p, first + 3) : 0)) * UINT16_MAX;

    p->of_index.now[word] = tage_rotated(&p->of_index, word, newest, oldest);
    p->of_tag.now[word] = tage_rotated(&p->of_tag, word, newest, oldest);
    p->of_tag_less.now[word] = tage_rotated(&p->of_tag_less, word, newest, oldest);
}

/* Lets the longest table that knows the branch, one of the set @known, learn.  Returns its prediction. */
static inline bool tage_learn(struct apmu_core_predictor *p, const struct tage_place *place, uint32_t known, bool base,
                              bool taken)
{
    const uint32_t longest = tage_longest(known), others = known & ~(UINT32_C(1) << longest);
    uint32_t *cell = tage_cell(p, place, longest);
    const uint32_t has = *cell, state = has >> TAGE_STATE_AT;
    const bool other =
        others != 0 ? (*tage_cell(p, place, tage_longest(others)) >> TAGE_STATE_AT & TAGE_TAKEN_FROM) != 0 : base;
    const uint32_t next =
        p->learning[state | (uint32_t)other << TAGE_OTHER_AT | (uint32_t)taken << TAGE_OUTCOME_AT];

    if (next != state) {
        *cell = next << TAGE_STATE_AT | (has & UINT16_MAX);
    }
    return (state & TAGE_TAKEN_FROM) != 0;
}

/* Gives the branch a cell in a table from @from on: those that are longer than the one that knew it. */
APMU_CORE_HIDDEN void apmu_core_tage_allocate(struct apmu_core_predictor *p, const struct tage_place *place,
                                              uint32_t from, bool taken);

/* Returns the prediction of @tables tagged tables for a conditional branch, and lets them learn the outcome. */
static APMU_CORE_FOLDED bool tage_predict(struct apmu_core_predictor *p, uint64_t pc, bool taken, uint32_t tables)
{
    const uint64_t branch = pc >> 2;
    const uint64_t index = ((branch ^ branch >> p->of_index.bits) & p->index_mask) * TAGE_LANES;
    const uint64_t tag = (branch & p->tag_mask) * TAGE_LANES;
    uint8_t *counter = APMU_CORE_AT(uint8_t, p, p->counters) + (branch & p->counter_mask);
    const bool base = *counter >= 2, two = tables > TAGE_WORD_LANES;
    struct tage_place place = {
        {p->of_index.now[0] ^ index, two ? p->of_index.now[1] ^ index : 0},
        {p->of_tag.now[0] ^ p->of_tag_less.now[0] << 1 ^ tag,
         two ? p->of_tag.now[1] ^ p->of_tag_less.now[1] << 1 ^ tag : 0},
    };
    const uint32_t known =
        tage_matches(p, &place, 0, tables) | (two ? tage_matches(p, &place, 1, tables) << TAGE_WORD_LANES : 0);
    bool predicted = base;

    if (known != 0) {
        predicted = tage_learn(p, &place, known, base, taken);
    } else {
        *counter = apmu_core_count_to(*counter, taken, 3);
    }
    if (predicted != taken) {
        apmu_core_tage_allocate(p, &place, known != 0 ? tage_longest(known) + 1 : 0, taken);
    }
    tage_remember(p, 0, tables, taken);
    if (two) {
        tage_remember(p, 1, tables, taken);
    }
    p->outcomes[p->outcome_at++ & (APMU_CORE_HISTORY - 1)] = taken;
    return predicted;
}

#endif
