/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The TAGE-like predictor of directions: tables with tags for histories of doubling lengths, over the bimodal counters.
 *
 * fold(l, n) of the contract is kept for each table and changes with each outcome: it rotates by one bit, takes the new
 * outcome at bit 0 and drops the one that is now l back.
 */
#include "internal.h"

/* The three folds of a table lie in one word, so that they rotate at once: of the index, of the tag, and of tag - 1. */
enum { FOLD_INDEX = 0, FOLD_TAG = 20, FOLD_TAG_LESS = 40 };
#define FOLD_BITS_0 (UINT64_C(1) << FOLD_INDEX | UINT64_C(1) << FOLD_TAG | UINT64_C(1) << FOLD_TAG_LESS)

static uint32_t ones(uint32_t bits)
{
    return (UINT32_C(1) << bits) - 1;
}

/* Returns bit @n mod @bits. */
static uint64_t bit_of(uint32_t n, uint32_t bits)
{
    while (n >= bits) {
        n -= bits;
    }
    return UINT64_C(1) << n;
}

void apmu_core_tage_init(struct apmu_core *core)
{
    struct apmu_core_predictor *p = &core->predictor;
    const uint32_t index = apmu_core_value(core, APMU_CORE_KEY_TAGE_BITS);
    const uint32_t tag = apmu_core_value(core, APMU_CORE_KEY_TAGE_TAG);

    for (uint32_t i = 0; i < apmu_core_value(core, APMU_CORE_KEY_TAGE_TABLES); i++) {
        const uint32_t length = apmu_core_value(core, APMU_CORE_KEY_TAGE_SHORTEST) << i;

        p->lengths[i] = length;
        p->drops[i] = bit_of(length, index) << FOLD_INDEX | bit_of(length, tag) << FOLD_TAG |
                      bit_of(length, tag - 1) << FOLD_TAG_LESS;
    }
    p->tables = apmu_core_value(core, APMU_CORE_KEY_TAGE_TABLES);
    p->index_bits = index;
    p->tag_bits = tag;
    p->base_mask = ones(apmu_core_value(core, APMU_CORE_KEY_BRANCH_BITS));
    p->kept = (uint64_t)ones(index) << FOLD_INDEX | (uint64_t)ones(tag) << FOLD_TAG |
              (uint64_t)ones(tag - 1) << FOLD_TAG_LESS;
}

/* Returns the cell of the branch at @pc in table @i. */
static inline struct apmu_core_tagged *cell_of(struct apmu_core_predictor *p, uint32_t i, uint64_t pc)
{
    const uint64_t index = pc >> 2 ^ pc >> (2 + p->index_bits) ^ p->folds[i] >> FOLD_INDEX;

    return APMU_CORE_AT(struct apmu_core_tagged, p, p->tagged) + ((size_t)i << p->index_bits) +
           (index & ones(p->index_bits));
}

/* Returns the tag of the branch at @pc in table @i. */
static inline uint16_t tag_of(const struct apmu_core_predictor *p, uint32_t i, uint64_t pc)
{
    return (uint16_t)((pc >> 2 ^ p->folds[i] >> FOLD_TAG ^ p->folds[i] >> FOLD_TAG_LESS << 1) & ones(p->tag_bits));
}

/* Gives the branch a cell in a table from @from on: those that are longer than the one that knew it. */
static void allocate(struct apmu_core_predictor *p, uint64_t pc, uint32_t from, bool taken)
{
    for (uint32_t i = from; i < p->tables; i++) {
        struct apmu_core_tagged *cell = cell_of(p, i, pc);

        if (cell->useful == 0) {
            *cell = (struct apmu_core_tagged){tag_of(p, i, pc), taken ? 4 : 3, 0};
            return;
        }
    }
    for (uint32_t i = from; i < p->tables; i++) {
        cell_of(p, i, pc)->useful--;
    }
}

/* Adds an outcome to the history. */
static inline void remember(struct apmu_core_predictor *p, bool taken)
{
    const uint32_t tag_wrap = FOLD_TAG + p->tag_bits, less_wrap = FOLD_TAG_LESS + p->tag_bits - 1;
    const uint32_t at = p->outcome_at;
    const uint64_t newest = taken ? FOLD_BITS_0 : 0, kept = p->kept;

    for (uint32_t i = 0; i < p->tables; i++) {
        const uint64_t oldest = p->outcomes[(at - p->lengths[i]) & (APMU_CORE_HISTORY - 1)];
        const uint64_t next = (p->folds[i] << 1 | newest) ^ (p->drops[i] & (0 - oldest));
        const uint64_t around = (next >> p->index_bits & 1) << FOLD_INDEX | (next >> tag_wrap & 1) << FOLD_TAG |
                                (next >> less_wrap & 1) << FOLD_TAG_LESS;

        p->folds[i] = (next ^ around) & kept;
    }
    p->outcomes[at & (APMU_CORE_HISTORY - 1)] = taken;
    p->outcome_at = at + 1;
}

bool apmu_core_tage(struct apmu_core *core, uint64_t pc, bool taken)
{
    struct apmu_core_predictor *p = &core->predictor;
    uint8_t *base = APMU_CORE_AT(uint8_t, p, p->counters) + (pc >> 2 & p->base_mask);
    struct apmu_core_tagged *provider = NULL, *second = NULL; /* the longest table that knows it, and the next */
    uint32_t longer = 0;

    for (uint32_t i = 0; i < p->tables; i++) {
        struct apmu_core_tagged *cell = cell_of(p, i, pc);
        const bool match = cell->tag == tag_of(p, i, pc);

        second = match ? provider : second;
        provider = match ? cell : provider;
        longer = match ? i + 1 : longer;
    }
    const bool by_base = *base >= 2;
    uint8_t *counter = provider != NULL ? &provider->counter : base;
    const uint8_t most = provider != NULL ? 7 : 3, old = *counter;
    const bool predicted = old > most / 2;

    *counter = (uint8_t)(old + (taken & (old < most)) - (!taken & (old > 0)));
    if (provider != NULL) {
        const bool other = second != NULL ? second->counter >= 4 : by_base;

        if (predicted != other) {
            provider->useful = apmu_core_count_to(provider->useful, predicted == taken, 3);
        }
    }
    if (predicted != taken) {
        allocate(p, pc, longer, taken);
    }
    remember(p, taken);
    return predicted;
}
