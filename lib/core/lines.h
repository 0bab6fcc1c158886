/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Set-associative arrays of lines: caches, the TLB of the second level, the walk cache.
 *
 * A word is the number of a line << 4 with APMU_CORE_VALID and other flags.  With LRU the words of a set are in the
 * order of their use, the last first.  With PLRU and random replacement a line stays where it is; then arrays with many
 * ways note where a line was found, so that they need not search for it.
 *
 * All of this is inline because most accesses that miss the first level do little else.
 */
#ifndef ARMPMU_CORE_LINES_H
#define ARMPMU_CORE_LINES_H

#include "internal.h"

#define APMU_CORE_NO_WAY UINT32_MAX

static inline uint64_t *lines_words(struct apmu_core_lines *l, uint64_t set)
{
    return APMU_CORE_AT(uint64_t, l, l->words) + set * l->ways;
}

static inline bool lines_match(uint64_t word, uint64_t line)
{
    return (word & ~(APMU_CORE_PREFETCHED | APMU_CORE_DIRTY)) == (line << 4 | APMU_CORE_VALID);
}

/* Makes the bits on the path to @way point away from it. */
static inline void lines_turn_tree(struct apmu_core_lines *l, uint64_t set, uint32_t way)
{
    uint32_t *tree = APMU_CORE_AT(uint32_t, l, l->trees) + set, node = 1;

    for (uint32_t half = l->ways >> 1; half != 0; half >>= 1) {
        const bool right = (way & half) != 0;

        *tree = right ? *tree & ~(UINT32_C(1) << node) : *tree | UINT32_C(1) << node;
        node = 2 * node + right;
    }
}

/* Returns the way to which the bits point. */
static inline uint32_t lines_follow_tree(struct apmu_core_lines *l, uint64_t set)
{
    const uint32_t tree = APMU_CORE_AT(uint32_t, l, l->trees)[set];
    uint32_t node = 1, way = 0;

    for (uint32_t half = l->ways >> 1; half != 0; half >>= 1) {
        const uint32_t right = tree >> node & 1;

        way |= right != 0 ? half : 0;
        node = 2 * node + right;
    }
    return way;
}

/* Moves way @way to the front and those before it one back. */
static inline void lines_move_to_front(uint64_t *words, uint32_t way)
{
    const uint64_t word = words[way];

    for (uint32_t i = way; i > 0; i--) {
        words[i] = words[i - 1];
    }
    words[0] = word;
}

/* Returns where it is noted in which way a line like @line was found last. */
static inline uint8_t *lines_hint(struct apmu_core_lines *l, uint64_t line)
{
    return APMU_CORE_AT(uint8_t, l, l->hints) + (line & l->hint_mask);
}

/* Returns the way of @line in its set, whose words are @words; APMU_CORE_NO_WAY if it is not there. */
static inline uint32_t lines_find(struct apmu_core_lines *l, const uint64_t *words, uint64_t line)
{
    if (l->hints != 0 && lines_match(words[*lines_hint(l, line)], line)) {
        return *lines_hint(l, line);
    }
    for (uint32_t way = 0; way < l->ways; way++) {
        if (lines_match(words[way], line)) {
            if (l->hints != 0) {
                *lines_hint(l, line) = (uint8_t)way;
            }
            return way;
        }
    }
    return APMU_CORE_NO_WAY;
}

/* Makes way @way of @set, whose words are @words, the one used last.  Returns its word then. */
static APMU_CORE_FOLDED uint64_t *lines_use_way(struct apmu_core_lines *l, uint64_t set, uint64_t *words, uint32_t way)
{
    if (l->replacement == APMU_CORE_LRU) {
        lines_move_to_front(words, way);
        return words;
    }
    if (l->replacement == APMU_CORE_PLRU) {
        lines_turn_tree(l, set, way);
    }
    return words + way;
}

/* Returns the word of @line, which becomes the one used last; NULL if the array lacks it. */
static inline uint64_t *apmu_core_use(struct apmu_core_lines *l, uint64_t line)
{
    const uint64_t set = apmu_core_set(l, line);
    uint64_t *words = lines_words(l, set);
    const uint32_t way = lines_find(l, words, line);

    return way == APMU_CORE_NO_WAY ? NULL : lines_use_way(l, set, words, way);
}

/* Returns the way that a new line takes: a free one, or that of the line which gives way.  @random moves on. */
static APMU_CORE_FOLDED uint32_t lines_choose_way(struct apmu_core_lines *l, uint64_t set, const uint64_t *words,
                                                  uint32_t *random)
{
    for (uint32_t way = 0; way < l->ways; way++) {
        if (words[way] == 0) {
            return way;
        }
    }
    switch (l->replacement) {
    case APMU_CORE_LRU:
        return l->ways - 1;
    case APMU_CORE_PLRU:
        return lines_follow_tree(l, set);
    default:
        return apmu_core_random(random, l->ways);
    }
}

/* Puts @line with @flags into way @way, which was chosen, as the one used last. */
static APMU_CORE_FOLDED void lines_put(struct apmu_core_lines *l, uint64_t set, uint64_t *words, uint32_t way,
                                       uint64_t line, uint64_t flags)
{
    words[way] = line << 4 | APMU_CORE_VALID | flags;
    if (l->hints != 0) {
        *lines_hint(l, line) = (uint8_t)way;
    }
    lines_use_way(l, set, words, way);
}

/* Adds @line with @flags, as the one used last.  Returns the word of the line that gave way, 0 if none did. */
static inline uint64_t apmu_core_add(struct apmu_core_lines *l, uint64_t line, uint64_t flags)
{
    const uint64_t set = apmu_core_set(l, line);
    uint64_t *words = lines_words(l, set);
    const uint32_t way = lines_choose_way(l, set, words, &l->random);
    const uint64_t old = words[way];

    lines_put(l, set, words, way, line, flags);
    return old;
}

/* Returns the array of L2, or NULL if it is not simulated. */
static inline struct apmu_core_lines *lines_of_l2(struct apmu_core *core)
{
    struct apmu_core_lines *l = core->l2.there ? &core->l2 : &apmu_core_chip(core)->l2;

    return l->there && (core->parts & APMU_CORE_L2) != 0 ? l : NULL;
}

/*
 * Puts @line into @set of @l, of the first level, which has no prefetcher, if L2 has it and that is all that happens:
 * no dirty line gives way.  Returns its way, and @answer; APMU_CORE_NO_WAY if it did nothing.  The caller uses the way.
 */
static APMU_CORE_FOLDED uint32_t lines_refill_simply(struct apmu_core *core, enum apmu_core_level level,
                                                     struct apmu_core_lines *l, enum apmu_core_cause cause,
                                                     uint64_t line, uint64_t set, struct apmu_core_answer *answer)
{
    struct apmu_core_lines *l2 = lines_of_l2(core);

    if (l2 == NULL) {
        return APMU_CORE_NO_WAY;
    }
    const uint64_t line2 = line << l->shift >> l2->shift, set2 = apmu_core_set(l2, line2);
    uint64_t *words2 = lines_words(l2, set2), *words = lines_words(l, set);
    const uint32_t way2 = lines_find(l2, words2, line2);
    uint32_t random = l->random;
    const uint32_t way = lines_choose_way(l, set, words, &random);

    if (way2 == APMU_CORE_NO_WAY || (words2[way2] & APMU_CORE_PREFETCHED) != 0 || (words[way] & APMU_CORE_DIRTY) != 0) {
        return APMU_CORE_NO_WAY;
    }
    core->tally.miss[level][cause]++;
    core->tally.lookup[APMU_CORE_LEVEL_L2][cause]++;
    lines_use_way(l2, set2, words2, way2);
    l->random = random;
    words[way] = line << 4 | APMU_CORE_VALID;
    if (l->hints != 0) {
        *lines_hint(l, line) = (uint8_t)way;
    }
    answer->cache = l2->latency;
    answer->level = APMU_CORE_LEVEL_L2;
    return way;
}

/* Returns the last byte of @line, as the short cuts have it. */
static inline uint64_t lines_end(const struct apmu_core_lines *l, uint64_t line)
{
    return apmu_core_line_end(l, line << l->shift);
}

/* Returns the short cut of @set. */
static inline uint64_t *lines_cut(struct apmu_core_lines *l, uint64_t set)
{
    return APMU_CORE_AT(uint64_t, l, l->cuts) + set * l->cut_words;
}

/* Makes the short cut of @set lead to the line that ends at @end, 0: to none; @stored: for stores, too. */
static inline void lines_make_recent(struct apmu_core_lines *l, uint64_t set, uint64_t end, bool stored)
{
    uint64_t *cut = lines_cut(l, set);

    cut[APMU_CORE_CUT_RECENT] = end;
    if (l->cut_words > APMU_CORE_CUT_STORED) {
        cut[APMU_CORE_CUT_STORED] = stored ? end : 0;
    }
}

/* Notes for the short cut of @set that the page of its line has the entry of @t which was used last. */
static inline void lines_note_stamp(const struct apmu_core *core, struct apmu_core_lines *l, uint64_t set,
                                    const struct apmu_core_pages *t)
{
    lines_cut(l, set)[APMU_CORE_CUT_STAMP] =
        (uint64_t)((const char *)t + t->stamps + 8 * (int64_t)t->used - (const char *)core);
}

#endif
