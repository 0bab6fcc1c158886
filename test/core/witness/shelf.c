/* SPDX-License-Identifier: BSD-2-Clause */
/* Shelves: what all arrays with sets, ways and a replacement policy do. */
#include <stdlib.h>

#include "state.h"

void shelf_make(struct shelf *s, unsigned sets, unsigned ways, enum apmu_core_replacement replacement, uint32_t seed)
{
    s->there = true;
    s->sets = sets;
    s->ways = ways;
    s->replacement = replacement;
    s->random = seed;
    s->places = calloc((size_t)sets * ways, sizeof *s->places);
    s->arrows = calloc((size_t)sets * ways, sizeof *s->arrows);
    if (s->places == NULL || s->arrows == NULL) {
        abort();
    }
}

void shelf_free(struct shelf *s)
{
    free(s->places);
    free(s->arrows);
}

/* Returns the set of a line, a page or a branch: the low bits of its number, or these XOR as many above them. */
unsigned shelf_set(const struct shelf *s, uint64_t number)
{
    const uint64_t low = number % s->sets, above = number / s->sets % s->sets;

    return (unsigned)(s->hashed ? low ^ above : low);
}

struct shelf_place *shelf_find(struct shelf *s, unsigned set, uint64_t key)
{
    for (unsigned way = 0; way < s->ways; way++) {
        struct shelf_place *place = &s->places[(size_t)set * s->ways + way];

        if (place->full && place->key == key) {
            return place;
        }
    }
    return NULL;
}

/* Makes the place the one of its set that was used last. */
void shelf_use(struct shelf *s, struct shelf_place *place)
{
    const size_t index = (size_t)(place - s->places);
    const unsigned way = (unsigned)(index % s->ways);
    bool *arrows = s->arrows + index - way;
    unsigned low = 0, count = s->ways, node = 1;

    place->used = ++s->time;
    while (s->replacement == APMU_CORE_PLRU && count > 1) {
        count /= 2;
        const bool high = way >= low + count;

        arrows[node] = !high;
        low += high ? count : 0;
        node = 2 * node + high;
    }
}

/* Returns the way of a full set that gives way. */
static unsigned choose_way(struct shelf *s, unsigned set)
{
    const struct shelf_place *places = s->places + (size_t)set * s->ways;
    const bool *arrows = s->arrows + (size_t)set * s->ways;
    unsigned chosen = 0;

    if (s->replacement == APMU_CORE_RANDOM) {
        s->random ^= s->random << 13;
        s->random ^= s->random >> 17;
        s->random ^= s->random << 5;
        return (unsigned)((uint64_t)s->random * s->ways >> 32);
    }
    if (s->replacement == APMU_CORE_PLRU) {
        unsigned node = 1;

        for (unsigned count = s->ways / 2; count >= 1; count /= 2) {
            chosen += arrows[node] ? count : 0;
            node = 2 * node + arrows[node];
        }
        return chosen;
    }
    for (unsigned way = 1; way < s->ways; way++) {
        chosen = places[way].used < places[chosen].used ? way : chosen;
    }
    return chosen;
}

/* Returns the place of the set that something new gets: a free one if there is one. */
struct shelf_place *shelf_give(struct shelf *s, unsigned set)
{
    struct shelf_place *places = s->places + (size_t)set * s->ways;

    for (unsigned way = 0; way < s->ways; way++) {
        if (!places[way].full) {
            return &places[way];
        }
    }
    return &places[choose_way(s, set)];
}

/* Puts a page or a table there, as just used. */
void shelf_put(struct shelf *s, unsigned set, uint64_t key)
{
    if (s->there) {
        struct shelf_place *place = shelf_give(s, set);

        *place = (struct shelf_place){.full = true, .key = key};
        shelf_use(s, place);
    }
}

/* Frees the places of what agrees with @address in the bits of @mask.  A key is a number of addresses >> @shift. */
void shelf_empty(struct shelf *s, unsigned shift, uint64_t address, uint64_t mask)
{
    for (size_t i = 0; s->there && i < (size_t)s->sets * s->ways; i++) {
        struct shelf_place *place = &s->places[i];

        place->full = place->full && ((place->key ^ address >> shift) & mask >> shift) != 0;
    }
}
