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

/* Makes @f folds of @bits bits, for tables of histories from @shortest on. */
static void begin_folds(struct apmu_core_folds *f, uint32_t bits, uint32_t tables, uint32_t shortest)
{
    f->bits = bits;
    for (uint32_t i = 0; i < tables; i++) {
        const uint32_t by = modulo(shortest << i, bits);

        f->by[i] = (uint8_t)by;
        f->down[i] = ones(by) * TAGE_LANES;
        f->up[i] = (ones(bits) - ones(by)) * TAGE_LANES;
    }
}

/* Returns what follows in apmu_core_predictor.learning from number @i. */
static uint16_t next_state(uint32_t i)
{
    const uint8_t counter = i & 7, useful = i >> TAGE_USEFUL_AT & 3;
    const bool other = (i >> TAGE_OTHER_AT & 1) != 0, taken = (i >> TAGE_OUTCOME_AT & 1) != 0;
    const bool predicted = counter >= TAGE_TAKEN_FROM;
    const uint32_t wrong = predicted != taken ? TAGE_WRONG : 0;

    if ((i & TAGE_BIMODAL) != 0) {
        return (uint16_t)(wrong | TAGE_BIMODAL | (uint32_t)apmu_core_count_to(counter >> 1, taken, 3) << 1);
    }
    const uint32_t next = predicted != other ? apmu_core_count_to(useful, predicted == taken, 3) : useful;

    return (uint16_t)(wrong | next << TAGE_USEFUL_AT | apmu_core_count_to(counter, taken, 7));
}

/* Fills in what the tables in the set @known choose.  The lowest bit of @known is the last table. */
static void choose(struct apmu_core_predictor *p, uint32_t known)
{
    for (uint32_t i = 1; i <= p->tables; i++) {
        if ((known >> (p->tables - i) & 1) != 0) {
            p->other_one[known] = p->longest_one[known];
            p->longest_one[known] = (uint8_t)i;
        }
    }
}

void apmu_core_tage_init(struct apmu_core *core)
{
    struct apmu_core_predictor *p = &core->predictor;
    const uint32_t index = apmu_core_value(core, APMU_CORE_KEY_TAGE_BITS);
    const uint32_t tag = apmu_core_value(core, APMU_CORE_KEY_TAGE_TAG);
    const uint32_t shortest = apmu_core_value(core, APMU_CORE_KEY_TAGE_SHORTEST);

    p->tables = apmu_core_value(core, APMU_CORE_KEY_TAGE_TABLES);
    p->index_mask = (uint32_t)ones(index);
    p->tag_mask = (uint32_t)ones(tag);
    p->counter_mask = (uint32_t)ones(apmu_core_value(core, APMU_CORE_KEY_BRANCH_BITS));
    p->now = p->longest = shortest << (p->tables - 1);
    begin_folds(&p->of_index, index, p->tables, shortest);
    begin_folds(&p->of_tag, tag, p->tables, shortest);
    begin_folds(&p->of_tag_less, tag - 1, p->tables, shortest);
    for (uint32_t i = 0; i < 256; i++) {
        p->learning[i] = next_state(i);
        choose(p, i);
    }
}

void apmu_core_tage_allocate(struct apmu_core_predictor *p, const struct tage_block *b, uint32_t n, uint32_t from)
{
    uint32_t *cells = APMU_CORE_AT(uint32_t, p, p->tagged);

    for (uint32_t i = from; i < p->tables; i++) {
        uint32_t *cell = cells + b->place[i][n];

        if (*cell >> (TAGE_STATE_AT + TAGE_USEFUL_AT) == 0) {
            *cell = (b->outcome[n] != 0 ? TAGE_TAKEN_FROM : TAGE_TAKEN_FROM - 1u) << TAGE_STATE_AT | b->tag[i][n];
            return;
        }
    }
    for (uint32_t i = from; i < p->tables; i++) {
        cells[b->place[i][n]] -= UINT32_C(1) << (TAGE_STATE_AT + TAGE_USEFUL_AT);
    }
}

/* Moves the @count folds up to the present to the begin of @f. */
static void move_folds(struct apmu_core_folds *f, uint32_t now, uint32_t count)
{
    memmove(f->past, f->past + now + 1 - count, count * sizeof f->past[0]);
}

void apmu_core_tage_make_room(struct apmu_core_predictor *p)
{
    move_folds(&p->of_index, p->now, p->longest + 1);
    move_folds(&p->of_tag, p->now, p->longest + 1);
    move_folds(&p->of_tag_less, p->now, p->longest + 1);
    p->now = p->longest;
}
