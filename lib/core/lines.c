/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Set-associative arrays of lines: caches, the TLB of the second level, the walk cache.
 *
 * A word is the number of a line << 4 with APMU_CORE_VALID and other flags.  With LRU the words of a set are in the
 * order of their use, the last first.  With PLRU and random replacement a line stays where it is.
 */
#include "internal.h"

enum { NO_WAY = -1 };

static uint64_t *words_of(struct apmu_core_lines *l, uint64_t set)
{
    return APMU_CORE_AT(uint64_t, l, l->words) + set * l->ways;
}

static bool is_line(uint64_t word, uint64_t line)
{
    return (word & ~(APMU_CORE_PREFETCHED | APMU_CORE_DIRTY)) == (line << 4 | APMU_CORE_VALID);
}

/* Makes the bits on the path to @way point away from it. */
static void turn_tree(struct apmu_core_lines *l, uint64_t set, uint32_t way)
{
    uint32_t *tree = APMU_CORE_AT(uint32_t, l, l->trees) + set, node = 1;

    for (uint32_t half = l->ways >> 1; half != 0; half >>= 1) {
        const bool right = (way & half) != 0;

        *tree = right ? *tree & ~(UINT32_C(1) << node) : *tree | UINT32_C(1) << node;
        node = 2 * node + right;
    }
}

/* Returns the way to which the bits point. */
static uint32_t follow_tree(struct apmu_core_lines *l, uint64_t set)
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
static void move_to_front(uint64_t *words, uint32_t way)
{
    const uint64_t word = words[way];

    for (uint32_t i = way; i > 0; i--) {
        words[i] = words[i - 1];
    }
    words[0] = word;
}

static int find(const uint64_t *words, uint32_t ways, uint64_t line)
{
    for (uint32_t way = 0; way < ways; way++) {
        if (is_line(words[way], line)) {
            return (int)way;
        }
    }
    return NO_WAY;
}

bool apmu_core_has(const struct apmu_core_lines *l, uint64_t line)
{
    const uint64_t *words = APMU_CORE_SEEN(uint64_t, l, l->words) + apmu_core_set(l, line) * l->ways;

    return find(words, l->ways, line) != NO_WAY;
}

uint64_t *apmu_core_use(struct apmu_core_lines *l, uint64_t line)
{
    const uint64_t set = apmu_core_set(l, line);
    uint64_t *words = words_of(l, set);
    const int way = find(words, l->ways, line);

    if (way == NO_WAY) {
        return NULL;
    }
    if (l->replacement == APMU_CORE_LRU) {
        move_to_front(words, (uint32_t)way);
        return words;
    }
    if (l->replacement == APMU_CORE_PLRU) {
        turn_tree(l, set, (uint32_t)way);
    }
    return words + way;
}

/* Returns the way that a new line takes: a free one, or that of the line which gives way. */
static uint32_t choose_way(struct apmu_core_lines *l, uint64_t set, const uint64_t *words)
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
        return follow_tree(l, set);
    default:
        return apmu_core_random(&l->random, l->ways);
    }
}

uint64_t apmu_core_add(struct apmu_core_lines *l, uint64_t line, uint64_t flags)
{
    const uint64_t set = apmu_core_set(l, line);
    uint64_t *words = words_of(l, set);
    const uint32_t way = choose_way(l, set, words);
    const uint64_t old = words[way];

    words[way] = line << 4 | APMU_CORE_VALID | flags;
    if (l->replacement == APMU_CORE_LRU) {
        move_to_front(words, way);
    } else if (l->replacement == APMU_CORE_PLRU) {
        turn_tree(l, set, way);
    }
    return old;
}

void apmu_core_note(struct apmu_core_lines *l, uint64_t line, uint64_t word)
{
    if (l->filtered) {
        APMU_CORE_AT(uint64_t, l, l->recent)[2 * apmu_core_set(l, line)] =
            (word & APMU_CORE_PREFETCHED) != 0 ? 0 : word;
    }
}

void apmu_core_drop(struct apmu_core_lines *l, uint64_t line, uint64_t mask)
{
    uint64_t *words = APMU_CORE_AT(uint64_t, l, l->words);

    if (l->words == 0) {
        return;
    }
    for (uint64_t i = 0; i < (l->mask + 1) * l->ways; i++) {
        if (((words[i] >> 4 ^ line) & mask) == 0) {
            words[i] = 0;
        }
    }
    for (uint64_t i = 0; mask == 0 && l->replacement == APMU_CORE_PLRU && i <= l->mask; i++) {
        APMU_CORE_AT(uint32_t, l, l->trees)[i] = 0;
    }
}
