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

/* What the tables say of a branch. */
struct tage_opinion {
    struct apmu_core_tagged *cells[APMU_CORE_TABLES];
    uint16_t tags[APMU_CORE_TABLES];
    int provider, second; /* the longest table that knows the branch, and the next; -1: none */
};

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

/* Returns @fold with the outcome @newest, without the one that drops from the bits @dropped. */
static inline uint64_t folded(const struct apmu_core_predictor *p, uint64_t fold, uint64_t newest, uint64_t dropped)
{
    const uint64_t next = (fold << 1 | newest) ^ dropped;
    const uint64_t around = (next >> p->index_bits & 1) << FOLD_INDEX |
                            (next >> (FOLD_TAG + p->tag_bits) & 1) << FOLD_TAG |
                            (next >> (FOLD_TAG_LESS + p->tag_bits - 1) & 1) << FOLD_TAG_LESS;

    return (next ^ around) & p->kept;
}

/* Asks the tables, and adds the outcome to their histories. */
static inline void ask(struct apmu_core_predictor *p, uint64_t pc, bool taken, struct tage_opinion *o)
{
    const uint32_t bits = p->index_bits, index_mask = ones(bits), tag_mask = ones(p->tag_bits), at = p->outcome_at;
    const uint64_t index = pc >> 2 ^ pc >> (2 + bits), newest = taken ? FOLD_BITS_0 : 0;
    struct apmu_core_tagged *cells = APMU_CORE_AT(struct apmu_core_tagged, p, p->tagged);
    int provider = -1, second = -1;

    for (uint32_t i = 0; i < p->tables; i++) {
        const uint64_t fold = p->folds[i];
        struct apmu_core_tagged *cell = cells + ((size_t)i << bits) + ((index ^ fold >> FOLD_INDEX) & index_mask);
        const uint64_t tag = (pc >> 2 ^ fold >> FOLD_TAG ^ fold >> FOLD_TAG_LESS << 1) & tag_mask;
        const bool match = cell->tag == tag;
        const uint64_t oldest = p->outcomes[(at - p->lengths[i]) & (APMU_CORE_HISTORY - 1)];

        o->cells[i] = cell;
        o->tags[i] = (uint16_t)tag;
        second = match ? provider : second;
        provider = match ? (int)i : provider;
        p->folds[i] = folded(p, fold, newest, p->drops[i] & (0 - oldest));
    }
    p->outcomes[at & (APMU_CORE_HISTORY - 1)] = taken;
    p->outcome_at = at + 1;
    o->provider = provider;
    o->second = second;
}

/* Gives the branch a cell in a longer table than its provider. */
static void allocate(const struct apmu_core_predictor *p, struct tage_opinion *o, bool taken)
{
    const uint32_t from = (uint32_t)(o->provider + 1);

    for (uint32_t i = from; i < p->tables; i++) {
        if (o->cells[i]->useful == 0) {
            *o->cells[i] = (struct apmu_core_tagged){o->tags[i], taken ? 4 : 3, 0};
            return;
        }
    }
    for (uint32_t i = from; i < p->tables; i++) {
        o->cells[i]->useful--;
    }
}

bool apmu_core_tage(struct apmu_core *core, uint64_t pc, bool taken)
{
    struct apmu_core_predictor *p = &core->predictor;
    uint8_t *base = APMU_CORE_AT(uint8_t, p, p->counters) + (pc >> 2 & p->base_mask);
    struct tage_opinion o;

    ask(p, pc, taken, &o);
    const bool by_base = *base >= 2, tagged = o.provider >= 0;
    struct apmu_core_tagged *cell = o.cells[tagged ? o.provider : 0];
    uint8_t *counter = tagged ? &cell->counter : base;
    const uint8_t most = tagged ? 7 : 3, old = *counter;
    const bool predicted = old > most / 2;

    *counter = (uint8_t)(old + (taken & (old < most)) - (!taken & (old > 0)));
    if (tagged) {
        const bool other = o.second >= 0 ? o.cells[o.second]->counter >= 4 : by_base;

        if (predicted != other) {
            cell->useful = apmu_core_count_to(cell->useful, predicted == taken, 3);
        }
    }
    if (predicted != taken) {
        allocate(p, &o, taken);
    }
    return predicted;
}
