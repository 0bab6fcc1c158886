/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The TAGE-like predictor of directions: tables with tags for histories of doubling lengths, over the bimodal counters.
 *
 * Outcomes are given with their branches, so the histories of many branches are known before any of them is predicted.
 * Branches are therefore predicted in blocks, in four steps:
 *
 *     predict_targets()  of predictor.c gathers the conditional ones, with their addresses and outcomes
 *     tage_fold()        R, the fold of all outcomes before each: it rotates by one bit and takes the next outcome
 *     tage_place()       fold(l, n) of the contract = R XOR R as it was l outcomes ago, rotated by l: index and tag
 *     tage_learn()       looks a branch up, and lets cells learn
 *
 * A word holds four folds of 16 bits, those of four branches: an operation on a word is one on four branches, or on
 * eight where the host has words of 128 bits.  No fold has more than 15 bits.
 *
 * predictor.c includes this and compiles it for each number of tables: it is most of what a branch costs.
 */
#ifndef ARMPMU_CORE_TAGE_H
#define ARMPMU_CORE_TAGE_H

#include "internal.h"

#define TAGE_LANES UINT64_C(0x0001000100010001)

/*
 * A cell of a tagged table has the tag in its lower half.  Above is its state: the counter, 0..7, and the useful count,
 * 0..3.  The state that follows is in apmu_core_predictor.learning, at the state with two more bits, and tells whether
 * the prediction was wrong.  A bimodal counter is a state, too: twice its value, and a bit that tells it apart.
 */
enum {
    TAGE_STATE_AT = 16,
    TAGE_TAKEN_FROM = 4,
    TAGE_USEFUL_AT = 3,
    TAGE_OTHER_AT = 5,
    TAGE_OUTCOME_AT = 6,
    TAGE_BIMODAL = 128,
    TAGE_WRONG = 256
};

/* Conditional branches that are predicted at a time. */
struct tage_block {
    uint32_t count;
    uint16_t low[APMU_CORE_AHEAD], high[APMU_CORE_AHEAD]; /* of their addresses: from bit 2 and bit 2 + tage.bits on */
    uint16_t place[APMU_CORE_TABLES][APMU_CORE_AHEAD];    /* their cells, from the first one of all */
    uint16_t tag[APMU_CORE_TABLES][APMU_CORE_AHEAD];
    uint8_t outcome[APMU_CORE_AHEAD]; /* 1 << TAGE_OUTCOME_AT: taken */
    uint8_t number[APMU_CORE_AHEAD];  /* in the branches of all kinds that are predicted at a time */
};

/* Gives branch @n of @b, which was mispredicted, a cell in one of the tables from @from on. */
APMU_CORE_HIDDEN void apmu_core_tage_allocate(struct apmu_core_predictor *p, const struct tage_block *b, uint32_t n,
                                              uint32_t from);

/* Makes room for the folds of a block. */
APMU_CORE_HIDDEN void apmu_core_tage_make_room(struct apmu_core_predictor *p);

/* Returns four outcomes, the latest in bit 0. */
static inline uint32_t tage_four(const uint8_t *outcome)
{
    const uint32_t bytes =
        outcome[0] | (uint32_t)outcome[1] << 8 | (uint32_t)outcome[2] << 16 | (uint32_t)outcome[3] << 24;

    return (bytes >> TAGE_OUTCOME_AT & 0x01010101) * (UINT32_C(1) << 27 | 1u << 18 | 1u << 9 | 1) >> 24 & 15;
}

/* Whether lane 0 of a word is the first one in memory. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define TAGE_LITTLE 1
#else
#define TAGE_LITTLE 0
#endif

/* Folds the outcomes of @b one by one. */
static inline void tage_fold_any(struct apmu_core_folds *f, uint32_t now, const struct tage_block *b)
{
    const uint32_t mask = (1u << f->bits) - 1;
    uint32_t fold = f->past[now];

    for (uint32_t n = 0; n < b->count; n++) {
        const uint32_t next = fold << 1 | b->outcome[n] >> TAGE_OUTCOME_AT;

        fold = (next ^ next >> f->bits) & mask;
        f->past[now + n + 1] = (uint16_t)fold;
    }
}

/*
 * Adds four outcomes to @fold, which is in the lowest bits, and stores the folds after each of them at @at and behind.
 * @latest: the first outcome in the lowest lane, two in the next, then three, then all four; @mask: the bits of the
 * folds.  Returns the last fold.
 */
static inline uint64_t tage_fold_four(struct apmu_core_folds *f, uint64_t fold, uint64_t latest, uint64_t mask,
                                      uint32_t at)
{
    const uint64_t next = fold * UINT64_C(0x0010000800040002) + latest;
    const uint64_t all = (next ^ (next >> f->bits & 15 * TAGE_LANES)) & mask;

    memcpy(f->past + at, &all, sizeof all);
    return all >> 48;
}

/* Adds the outcomes of @b to the folds @f, @g and @h, which may be NULL, four at a time. */
static APMU_CORE_FOLDED void tage_fold_by_four(struct apmu_core_folds *f, struct apmu_core_folds *g,
                                               struct apmu_core_folds *h, uint32_t now, const struct tage_block *b)
{
    const uint64_t of_f = ((1u << f->bits) - 1) * TAGE_LANES, of_g = ((1u << g->bits) - 1) * TAGE_LANES;
    const uint64_t of_h = h != NULL ? ((1u << h->bits) - 1) * TAGE_LANES : 0;
    uint64_t in_f = f->past[now], in_g = g->past[now], in_h = h != NULL ? h->past[now] : 0;
    const uint32_t count = b->count;

    for (uint32_t n = 0; n < count; n += 4) {
        const uint64_t latest = tage_four(b->outcome + n) * UINT64_C(0x0008000400020001) >> 3 & 15 * TAGE_LANES;

        in_f = tage_fold_four(f, in_f, latest, of_f, now + n + 1);
        in_g = tage_fold_four(g, in_g, latest, of_g, now + n + 1);
        in_h = h != NULL ? tage_fold_four(h, in_h, latest, of_h, now + n + 1) : 0;
    }
}

/* Which folds are the same, because they have the same number of bits. */
enum tage_same { TAGE_SAME_NONE, TAGE_SAME_TAG, TAGE_SAME_TAG_LESS };

/* Returns which folds are those of the index. */
static inline enum tage_same tage_same(const struct apmu_core_predictor *p)
{
    return p->of_tag.bits == p->of_index.bits        ? TAGE_SAME_TAG
           : p->of_tag_less.bits == p->of_index.bits ? TAGE_SAME_TAG_LESS
                                                     : TAGE_SAME_NONE;
}

/* Folds the outcomes of @b. */
static inline void tage_fold(struct apmu_core_predictor *p, const struct tage_block *b)
{
    if (!TAGE_LITTLE || p->of_tag_less.bits < 4 || p->of_tag.bits > 12) {
        tage_fold_any(&p->of_index, p->now, b);
        tage_fold_any(&p->of_tag, p->now, b);
        tage_fold_any(&p->of_tag_less, p->now, b);
    } else if (tage_same(p) == TAGE_SAME_NONE) {
        tage_fold_by_four(&p->of_index, &p->of_tag, &p->of_tag_less, p->now, b);
    } else {
        tage_fold_by_four(&p->of_tag_less, &p->of_tag, NULL, p->now, b);
    }
}

/* Words of as many lanes as the host computes with at once. */
#if defined(__SSE2__) || defined(__ARM_NEON)
typedef uint64_t tage_word __attribute__((vector_size(16)));
#else
typedef uint64_t tage_word;
#endif
#define TAGE_AT_ONCE (sizeof(tage_word) / sizeof(uint16_t))

/* Returns the lanes from @from on. */
static APMU_CORE_FOLDED tage_word tage_load(const uint16_t *from)
{
    tage_word word;

    memcpy(&word, from, sizeof word);
    return word;
}

/* How folds of all outcomes give those of the history of a table. */
struct tage_rotation {
    const uint16_t *past, *before; /* the folds at each branch, and a history earlier */
    uint64_t up, down;             /* the bits that move up and down, in four lanes, */
    uint32_t by, back;             /* and how far */
};

/* Returns how @f gives the folds of table @i for branches from the present on. */
static inline struct tage_rotation tage_rotation(const struct apmu_core_predictor *p, const struct apmu_core_folds *f,
                                                 uint32_t i)
{
    const uint16_t *past = f->past + p->now;

    return (struct tage_rotation){past, past - (p->longest >> (p->tables - 1 - i)), f->up[i], f->down[i], f->by[i],
                                  f->bits - f->by[i]};
}

/* Returns the folds of the history of a table, before branches from @n on. */
static APMU_CORE_FOLDED tage_word tage_folded(const struct tage_rotation *r, uint32_t n)
{
    const tage_word before = tage_load(r->before + n);

    return tage_load(r->past + n) ^ (before << r->by & r->up) ^ (before >> r->back & r->down);
}

/* Finds the cells of the branches of @b in table @i, and their tags. */
static APMU_CORE_FOLDED void tage_place_by(const struct apmu_core_predictor *p, struct tage_block *b, uint32_t i,
                                           enum tage_same same)
{
    const struct tage_rotation of_tag = tage_rotation(p, &p->of_tag, i), of_less = tage_rotation(p, &p->of_tag_less, i);
    const struct tage_rotation of_index = tage_rotation(p, &p->of_index, i);
    const uint64_t first = ((uint64_t)i << p->of_index.bits) * TAGE_LANES;
    const uint64_t of_place = p->index_mask * TAGE_LANES, of_tags = p->tag_mask * TAGE_LANES;
    const uint32_t count = b->count;
    uint16_t *to = b->place[i], *to_tag = b->tag[i];

    for (uint32_t n = 0; n < count; n += TAGE_AT_ONCE) {
        const tage_word low = tage_load(b->low + n), high = tage_load(b->high + n);
        const tage_word tag = tage_folded(&of_tag, n), less = tage_folded(&of_less, n);
        const tage_word index = same == TAGE_SAME_TAG        ? tag
                                : same == TAGE_SAME_TAG_LESS ? less
                                                             : tage_folded(&of_index, n);
        const tage_word place = (index ^ ((low ^ high) & of_place)) | first;
        const tage_word tags = tag ^ less << 1 ^ (low & of_tags);

        memcpy(to + n, &place, sizeof place);
        memcpy(to_tag + n, &tags, sizeof tags);
    }
}

/* As tage_place_by(), for the folds of @p. */
static APMU_CORE_APART void tage_place(const struct apmu_core_predictor *p, struct tage_block *b, uint32_t i)
{
    switch (tage_same(p)) {
    case TAGE_SAME_TAG:
        tage_place_by(p, b, i, TAGE_SAME_TAG);
        break;
    case TAGE_SAME_TAG_LESS:
        tage_place_by(p, b, i, TAGE_SAME_TAG_LESS);
        break;
    default:
        tage_place_by(p, b, i, TAGE_SAME_NONE);
        break;
    }
}

/* Where the cells of all tables and the bimodal counters are; the mask of the numbers of these. */
struct tage_cells {
    uint32_t *tagged;
    uint8_t *counters;
    uint32_t mask;
};

/* What a table has for a branch.  It has 64 bits so that compilers do not pack several in a vector. */
struct tage_has {
    uint64_t cell;
};

/* Looks branch @n of @b up in table @i.  Returns @known, twice, and one more if it is there; *@has is what is there. */
static APMU_CORE_FOLDED uint32_t tage_look_up(const struct tage_block *b, uint32_t n, const uint32_t *cells, uint32_t i,
                                              struct tage_has *has, uint32_t known)
{
    const uint32_t cell = cells[b->place[i][n]];

    has[i + 1].cell = cell;
    return known + known + ((uint16_t)cell == b->tag[i][n]);
}

/*
 * Looks branch @n of @b up in @tables tables, and lets the longest that knows it learn, or its bimodal counter.
 * Returns whether it was mispredicted; then a longer table takes it.
 */
static APMU_CORE_FOLDED bool tage_learn(struct apmu_core_predictor *p, const struct tage_block *b, uint32_t n,
                                        const struct tage_cells *c, uint32_t tables)
{
    uint8_t *counter = c->counters + (b->low[n] & c->mask);
    struct tage_has has[APMU_CORE_TABLES + 1];
    uint32_t known = tage_look_up(b, n, c->tagged, 0, has, 0);

    has[0].cell = (uint64_t)*counter << TAGE_STATE_AT;
    known = tables > 1 ? tage_look_up(b, n, c->tagged, 1, has, known) : known;
    known = tables > 2 ? tage_look_up(b, n, c->tagged, 2, has, known) : known;
    known = tables > 3 ? tage_look_up(b, n, c->tagged, 3, has, known) : known;
    known = tables > 4 ? tage_look_up(b, n, c->tagged, 4, has, known) : known;
    known = tables > 5 ? tage_look_up(b, n, c->tagged, 5, has, known) : known;
    known = tables > 6 ? tage_look_up(b, n, c->tagged, 6, has, known) : known;
    known = tables > 7 ? tage_look_up(b, n, c->tagged, 7, has, known) : known;
    const uint32_t longest = p->longest_one[known], state = (uint32_t)(has[longest].cell >> TAGE_STATE_AT);
    const uint32_t other = (uint32_t)(has[p->other_one[known]].cell >> (TAGE_STATE_AT + 2 - TAGE_OTHER_AT));
    const uint32_t next = p->learning[state | b->outcome[n] | (other & 1 << TAGE_OTHER_AT)];

    if (next == state) {
        return false;
    }
    if (longest == 0) {
        *counter = (uint8_t)next;
    } else {
        c->tagged[b->place[longest - 1][n]] ^= (uint32_t)(uint8_t)(next ^ state) << TAGE_STATE_AT;
    }
    if (next < TAGE_WRONG) {
        return false;
    }
    apmu_core_tage_allocate(p, b, n, longest);
    return true;
}

/* Finds the cells of the branches of @b, and their tags. */
static inline void tage_look_ahead(struct apmu_core_predictor *p, struct tage_block *b)
{
    if (p->now > APMU_CORE_PAST - 2 * APMU_CORE_AHEAD) {
        apmu_core_tage_make_room(p);
    }
    tage_fold(p, b);
    for (uint32_t i = 0; i < p->tables; i++) {
        tage_place(p, b, i);
    }
    p->now += b->count;
}

#endif
