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
    uint32_t tables;
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
    p->kept = (uint64_t)ones(index) << FOLD_INDEX | (uint64_t)ones(tag) << FOLD_TAG |
              (uint64_t)ones(tag - 1) << FOLD_TAG_LESS;
}

/* Adds an outcome to the history. */
static void remember(struct apmu_core *core, bool taken)
{
    struct apmu_core_predictor *p = &core->predictor;
    const uint32_t tables = apmu_core_value(core, APMU_CORE_KEY_TAGE_TABLES);
    const uint32_t index = apmu_core_value(core, APMU_CORE_KEY_TAGE_BITS);
    const uint32_t tag = apmu_core_value(core, APMU_CORE_KEY_TAGE_TAG);
    const uint64_t newest = taken ? FOLD_BITS_0 : 0;

    for (uint32_t i = 0; i < tables; i++) {
        const uint64_t oldest = p->outcomes[(p->outcome_at - p->lengths[i]) & (APMU_CORE_HISTORY - 1)];
        const uint64_t fold = (p->folds[i] << 1 | newest) ^ (p->drops[i] & (0 - oldest));
        const uint64_t around = (fold >> (FOLD_INDEX + index) & 1) << FOLD_INDEX |
                                (fold >> (FOLD_TAG + tag) & 1) << FOLD_TAG |
                                (fold >> (FOLD_TAG_LESS + tag - 1) & 1) << FOLD_TAG_LESS;

        p->folds[i] = (fold ^ around) & p->kept;
    }
    p->outcomes[p->outcome_at & (APMU_CORE_HISTORY - 1)] = taken;
    p->outcome_at++;
}

/* Asks the tables. */
static void ask(struct apmu_core *core, uint64_t pc, struct tage_opinion *o)
{
    struct apmu_core_predictor *p = &core->predictor;
    const uint32_t bits = apmu_core_value(core, APMU_CORE_KEY_TAGE_BITS);
    const uint32_t tag_mask = ones(apmu_core_value(core, APMU_CORE_KEY_TAGE_TAG));
    struct apmu_core_tagged *cells = APMU_CORE_AT(struct apmu_core_tagged, p, p->tagged);

    o->tables = apmu_core_value(core, APMU_CORE_KEY_TAGE_TABLES);
    o->provider = o->second = -1;
    for (uint32_t i = 0; i < o->tables; i++) {
        const uint64_t fold = p->folds[i];
        const uint32_t at = (uint32_t)(pc >> 2 ^ pc >> (2 + bits) ^ fold >> FOLD_INDEX) & ones(bits);

        o->cells[i] = cells + ((size_t)i << bits) + at;
        o->tags[i] = (uint16_t)((pc >> 2 ^ fold >> FOLD_TAG ^ fold >> FOLD_TAG_LESS << 1) & tag_mask);
        if (o->cells[i]->tag == o->tags[i]) {
            o->second = o->provider;
            o->provider = (int)i;
        }
    }
}

/* Gives the branch a cell in a longer table than its provider. */
static void allocate(struct tage_opinion *o, bool taken)
{
    const uint32_t from = (uint32_t)(o->provider + 1);

    for (uint32_t i = from; i < o->tables; i++) {
        if (o->cells[i]->useful == 0) {
            *o->cells[i] = (struct apmu_core_tagged){o->tags[i], taken ? 4 : 3, 0};
            return;
        }
    }
    for (uint32_t i = from; i < o->tables; i++) {
        o->cells[i]->useful--;
    }
}

bool apmu_core_tage(struct apmu_core *core, uint64_t pc, bool taken)
{
    uint8_t *base = APMU_CORE_AT(uint8_t, &core->predictor, core->predictor.counters) +
                    (pc >> 2 & ones(apmu_core_value(core, APMU_CORE_KEY_BRANCH_BITS)));
    struct tage_opinion o;
    bool predicted = *base >= 2;

    ask(core, pc, &o);
    if (o.provider >= 0) {
        struct apmu_core_tagged *cell = o.cells[o.provider];
        const bool other = o.second >= 0 ? o.cells[o.second]->counter >= 4 : predicted;

        predicted = cell->counter >= 4;
        cell->counter = apmu_core_count_to(cell->counter, taken, 7);
        if (predicted != other) {
            cell->useful = apmu_core_count_to(cell->useful, predicted == taken, 3);
        }
    } else {
        *base = apmu_core_count_to(*base, taken, 3);
    }
    if (predicted != taken) {
        allocate(&o, taken);
    }
    remember(core, taken);
    return predicted;
}
