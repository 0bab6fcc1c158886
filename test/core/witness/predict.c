/* SPDX-License-Identifier: BSD-2-Clause */
/* The branch predictor of the witness. */
#include <string.h>

#include "state.h"

/* Returns @count moved by @up, within 0..@most. */
static unsigned moved(unsigned count, bool up, unsigned most)
{
    return up ? count + (count < most) : count - (count > 0);
}

/* Returns the entry of the BTB for a branch, NULL if there is none. */
static struct shelf_place *btb_entry(struct witness_core *c, uint64_t pc)
{
    return c->btb.there ? shelf_find(&c->btb, shelf_set(&c->btb, pc >> 2), pc) : NULL;
}

/* The XOR of the @length latest outcomes, the j-th one back at bit j mod @bits. */
static uint64_t fold(const struct witness_core *c, unsigned length, unsigned bits)
{
    uint64_t folded = 0;

    for (unsigned j = 0; j < length; j++) {
        folded ^= (uint64_t)c->outcomes[j] << j % bits;
    }
    return folded;
}

/* Returns the 2-bit counter of a conditional branch for bimodal, gshare and tage. */
static unsigned *counter_of(struct witness_core *c, uint64_t pc)
{
    uint64_t index = pc >> 2;

    if (witness_value(c, APMU_CORE_KEY_BRANCH_DIRECTION) == APMU_CORE_GSHARE) {
        for (unsigned j = 0; j < witness_value(c, APMU_CORE_KEY_BRANCH_HISTORY); j++) {
            index ^= (uint64_t)c->outcomes[j] << j;
        }
    }
    return &c->counters[index % (UINT64_C(1) << witness_value(c, APMU_CORE_KEY_BRANCH_BITS))];
}

/* Predicts the direction by tage and learns the outcome.  Returns the prediction. */
static bool run_tage(struct witness_core *c, uint64_t pc, bool taken)
{
    const unsigned tables = witness_value(c, APMU_CORE_KEY_TAGE_TABLES);
    const unsigned bits = witness_value(c, APMU_CORE_KEY_TAGE_BITS);
    const unsigned tag_bits = witness_value(c, APMU_CORE_KEY_TAGE_TAG);
    struct tage_cell *cell[APMU_CORE_TABLES];
    unsigned tag[APMU_CORE_TABLES], *base = counter_of(c, pc);
    int provider = -1;
    bool predicted = *base >= 2, other = predicted;

    for (unsigned i = 0; i < tables; i++) {
        const unsigned length = witness_value(c, APMU_CORE_KEY_TAGE_SHORTEST) << i;
        const uint64_t at = pc >> 2 ^ pc >> (2 + bits) ^ fold(c, length, bits);

        cell[i] = &c->tagged[((size_t)i << bits) + (size_t)(at % (UINT64_C(1) << bits))];
        tag[i] = (unsigned)((pc >> 2 ^ fold(c, length, tag_bits) ^ fold(c, length, tag_bits - 1) << 1) %
                            (UINT64_C(1) << tag_bits));
        if (cell[i]->tag == tag[i]) {
            other = predicted;
            predicted = cell[i]->counter >= 4;
            provider = (int)i;
        }
    }
    if (provider >= 0) {
        struct tage_cell *p = cell[provider];

        p->counter = moved(p->counter, taken, 7);
        if (other != predicted) {
            p->useful = moved(p->useful, predicted == taken, 3);
        }
    } else {
        *base = moved(*base, taken, 3);
    }
    if (predicted != taken) {
        unsigned i = (unsigned)(provider + 1);

        while (i < tables && cell[i]->useful != 0) {
            i++;
        }
        if (i < tables) {
            *cell[i] = (struct tage_cell){.tag = tag[i], .counter = taken ? 4 : 3};
        } else {
            for (i = (unsigned)(provider + 1); i < tables; i++) {
                cell[i]->useful = moved(cell[i]->useful, false, 3);
            }
        }
    }
    return predicted;
}

/* Predicts the direction of a conditional branch and learns the outcome.  Returns the prediction. */
static bool direct(struct witness_core *c, bool returns, uint64_t pc, uint64_t target, bool taken)
{
    const bool backward = target <= pc;
    struct shelf_place *entry = returns ? NULL : btb_entry(c, pc);
    unsigned *counter;
    bool predicted;

    switch (witness_value(c, APMU_CORE_KEY_BRANCH_DIRECTION)) {
    case APMU_CORE_STATIC:
        return backward;
    case APMU_CORE_BTAC:
        if (entry == NULL) {
            return backward;
        }
        predicted = entry->counter >= 2;
        entry->counter = moved(entry->counter, taken, 3);
        return predicted;
    case APMU_CORE_TAGE:
        return run_tage(c, pc, taken);
    default:
        counter = counter_of(c, pc);
        predicted = *counter >= 2;
        *counter = moved(*counter, taken, 3);
        return predicted;
    }
}

/* Looks a branch up in the BTB, which takes it if it is taken.  Returns true if it had this target. */
static bool look_up_target(struct witness_core *c, uint64_t pc, uint64_t target, bool taken)
{
    struct shelf_place *entry = btb_entry(c, pc);
    const bool right = entry != NULL && entry->target == target;

    if (entry == NULL && taken && c->btb.there) {
        entry = shelf_give(&c->btb, shelf_set(&c->btb, pc >> 2));
        *entry = (struct shelf_place){.full = true, .key = pc, .counter = 2};
    }
    if (entry != NULL) {
        shelf_use(&c->btb, entry);
        entry->target = taken ? target : entry->target;
    }
    return right;
}

/* Predicts the target of a taken indirect branch, and learns it. */
static bool predict_indirect(struct witness_core *c, uint64_t pc, uint64_t target)
{
    const uint64_t cells = UINT64_C(1) << witness_value(c, APMU_CORE_KEY_INDIRECT_BITS);
    const uint64_t at = (pc >> 2 ^ c->path) % cells;
    const bool right = c->indirect[at] == target;

    c->indirect[at] = target;
    c->path = (c->path << 3 ^ target >> 2) % cells;
    return right;
}

static void push(struct witness_core *c, uint64_t address)
{
    const unsigned entries = witness_value(c, APMU_CORE_KEY_RETURNS_ENTRIES);

    if (entries != 0 && c->depth == entries) {
        memmove(c->stack, c->stack + 1, (entries - 1) * sizeof *c->stack);
        c->depth--;
    }
    if (entries != 0) {
        c->stack[c->depth++] = address;
    }
}

static bool pop(struct witness_core *c, uint64_t target)
{
    return c->depth > 0 && c->stack[--c->depth] == target;
}

bool witness_branch(struct witness *w, unsigned n, unsigned kind, uint64_t pc, uint64_t target, bool taken)
{
    struct witness_core *c = &w->core[n];
    const bool conditional = (kind & APMU_CORE_CONDITIONAL) != 0, goes = taken || !conditional;
    const unsigned what = kind & 7, width = witness_value(c, APMU_CORE_KEY_TIMING_WIDTH);
    const bool indirect = what == APMU_CORE_INDIRECT || what == APMU_CORE_INDIRECT_CALL;
    bool wrong = false, had = true;

    if (conditional) {
        wrong = direct(c, what == APMU_CORE_RETURN, pc, target, goes) != goes;
        memmove(c->outcomes + 1, c->outcomes, (MOST_OUTCOMES - 1) * sizeof c->outcomes[0]);
        c->outcomes[0] = goes;
    }
    if (what != APMU_CORE_RETURN) {
        had = look_up_target(c, pc, target, goes);
    }
    if (goes && what == APMU_CORE_RETURN) {
        wrong |= !pop(c, target);
    } else if (goes && indirect) {
        const bool right = witness_value(c, APMU_CORE_KEY_INDIRECT_BITS) != 0 ? predict_indirect(c, pc, target) : had;

        wrong |= !right;
    } else if (goes && !wrong && !had) {
        witness_lose(c, APMU_CORE_LOSS_FLOW, (uint64_t)witness_value(c, APMU_CORE_KEY_TIMING_BUBBLE) * width);
    }
    if (goes && (what == APMU_CORE_CALL || what == APMU_CORE_INDIRECT_CALL)) {
        push(c, pc + ((kind & APMU_CORE_NARROW) != 0 ? 2 : 4));
    }
    if (wrong) {
        const uint64_t refill = witness_value(c, APMU_CORE_KEY_TIMING_REFILL);

        witness_lose(c, APMU_CORE_LOSS_FLUSH, refill * width);
        witness_lose(c, APMU_CORE_LOSS_WRONG_PATH,
                     (witness_value(c, APMU_CORE_KEY_TIMING_MISPREDICT) - refill) * width);
    }
    struct branch_log *log = &c->branches[what][conditional][goes];

    log->right += !wrong;
    log->wrong += wrong;
    return wrong;
}
