/* SPDX-License-Identifier: BSD-2-Clause */
/* The TAGE-like predictor of directions: what is seldom done.  tage.h says how it works. */
#include "tage.h"

static uint64_t ones(uint32_t bits)
{
    return (UINT64_C(1) << bits) - 1;
}

/* Returns @length, at most 512, modulo @bits.  Armv7-A and ARM1176 would divide by a function of a library. */
static uint32_t modulo(uint32_t length, uint32_t bits)
{
    for (uint32_t shift = 10; shift-- > 0;) {
        length -= length >= bits << shift ? bits << shift : 0;
    }
    return length;
}

/* Makes @f folds of @bits bits, for histories of the lengths in @p. */
static void begin_folds(const struct apmu_core_predictor *p, struct apmu_core_folds *f, uint32_t bits)
{
    f->bits = bits;
    f->kept = ones(bits) * TAGE_LANES;
    for (uint32_t i = 0; i < p->tables; i++) {
        f->drops[i / TAGE_WORD_LANES] |= UINT64_C(1)
                                         << (i % TAGE_WORD_LANES * TAGE_LANE_BITS + modulo(p->lengths[i], bits));
    }
}

/* Returns what follows in apmu_core_predictor.learning from number @i. */
static uint8_t next_state(uint32_t i)
{
    const uint8_t counter = i & 7, useful = i >> TAGE_USEFUL_AT & 3;
    const bool other = (i >> TAGE_OTHER_AT & 1) != 0, taken = (i >> TAGE_OUTCOME_AT & 1) != 0;
    const bool predicted = counter >= TAGE_TAKEN_FROM;
    const uint8_t next = predicted != other ? apmu_core_count_to(useful, predicted == taken, 3) : useful;

    return (uint8_t)(next << TAGE_USEFUL_AT | apmu_core_count_to(counter, taken, 7));
}

void apmu_core_tage_init(struct apmu_core *core)
{
    struct apmu_core_predictor *p = &core->predictor;
    const uint32_t index = apmu_core_value(core, APMU_CORE_KEY_TAGE_BITS);
    const uint32_t tag = apmu_core_value(core, APMU_CORE_KEY_TAGE_TAG);

    p->tables = apmu_core_value(core, APMU_CORE_KEY_TAGE_TABLES);
    p->index_mask = (uint32_t)ones(index);
    p->tag_mask = (uint32_t)ones(tag);
    p->counter_mask = (uint32_t)ones(apmu_core_value(core, APMU_CORE_KEY_BRANCH_BITS));
    for (uint32_t i = 0; i < p->tables; i++) {
        p->lengths[i] = apmu_core_value(core, APMU_CORE_KEY_TAGE_SHORTEST) << i;
    }
    begin_folds(p, &p->of_index, index);
    begin_folds(p, &p->of_tag, tag);
    begin_folds(p, &p->of_tag_less, tag - 1);
    for (uint32_t i = 0; i < sizeof p->learning; i++) {
        p->learning[i] = next_state(i);
    }
}

void apmu_core_tage_allocate(struct apmu_core_predictor *p, const struct tage_place *place, uint32_t from, bool taken)
{
    for (uint32_t i = from; i < p->tables; i++) {
        uint32_t *cell = tage_cell(p, place, i);

        if (*cell >> (TAGE_STATE_AT + TAGE_USEFUL_AT) == 0) {
            *cell = (taken ? TAGE_TAKEN_FROM : TAGE_TAKEN_FROM - 1) << TAGE_STATE_AT | tage_lane(place->tag, i);
            return;
        }
    }
    for (uint32_t i = from; i < p->tables; i++) {
        *tage_cell(p, place, i) -= UINT32_C(1) << (TAGE_STATE_AT + TAGE_USEFUL_AT);
    }
}
