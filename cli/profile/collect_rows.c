/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of instructions of threads, by a hash of thread, place, address and word. */
#include "collect_rows.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const struct apmu_run_insn *key)
{
    uint64_t h = (key->address ^ (uint64_t)key->word << 32) * UINT64_C(0x9e3779b97f4a7c15);

    h = (h ^ h >> 29 ^ ((uint64_t)key->thread << 32 | key->place)) * UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ h >> 32;
}

static bool is_same(const struct apmu_run_insn *a, const struct apmu_run_insn *b)
{
    return a->address == b->address && a->word == b->word && a->thread == b->thread && a->place == b->place &&
           a->length == b->length;
}

/* Makes room for one more row.  Returns false if there is no memory. */
static bool grow(struct collect_rows *t)
{
    const size_t room = t->room * 2 + 4096, slot_count = room * 2;
    struct apmu_run_insn *keys = realloc(t->keys, room * sizeof *keys);
    uint64_t *counts = keys != NULL ? realloc(t->counts, room * t->events * sizeof *counts) : NULL;
    uint32_t *slots = counts != NULL ? calloc(slot_count, sizeof *slots) : NULL;

    t->keys = keys != NULL ? keys : t->keys;
    t->counts = counts != NULL ? counts : t->counts;
    if (slots == NULL) {
        return false;
    }
    free(t->slots);
    t->slots = slots;
    t->slot_count = slot_count;
    t->room = room;
    for (size_t i = 0; i < t->count; i++) {
        size_t slot = (size_t)(hash_of(&t->keys[i]) % slot_count);

        while (slots[slot] != 0) {
            slot = (slot + 1) % slot_count;
        }
        slots[slot] = (uint32_t)i + 1;
    }
    return true;
}

uint64_t *collect_row(struct collect_rows *t, const struct apmu_run_insn *key)
{
    if (t->count == t->room && !grow(t)) {
        return NULL;
    }
    size_t slot = (size_t)(hash_of(key) % t->slot_count);

    while (t->slots[slot] != 0 && !is_same(&t->keys[t->slots[slot] - 1], key)) {
        slot = (slot + 1) % t->slot_count;
    }
    if (t->slots[slot] == 0) {
        if (t->count >= UINT32_MAX - 1) {
            return NULL;
        }
        memset(&t->counts[t->count * t->events], 0, t->events * sizeof *t->counts);
        t->keys[t->count++] = *key;
        t->slots[slot] = (uint32_t)t->count;
    }
    return &t->counts[(t->slots[slot] - 1) * t->events];
}

void collect_rows_free(struct collect_rows *t)
{
    free(t->keys);
    free(t->counts);
    free(t->slots);
    *t = (struct collect_rows){.events = t->events};
}
