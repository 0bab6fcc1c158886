/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments of addresses: sorts them, cuts what overlaps, and finds the one that has an address. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "profile_internal.h"

bool profile_grow(void **data, size_t count, size_t *room, size_t size)
{
    if (count < *room) {
        return true;
    }
    const size_t more = *room == 0 ? 16 : 2 * *room;
    void *memory = reallocarray(*data, more, size);

    if (memory == NULL) {
        return false;
    }
    *data = memory;
    *room = more;
    return true;
}

bool profile_segment_add(struct profile_segments *s, uint64_t start, uint64_t end, uint32_t value, uint32_t depth)
{
    if (start >= end) {
        return true;
    }
    if (!profile_grow((void **)&s->data, s->count, &s->room, sizeof *s->data)) {
        return false;
    }
    s->data[s->count++] = (struct profile_segment){start, end, value, depth};
    return true;
}

/* Orders segments by start, then those that count less first. */
static int compare_segments(const void *a, const void *b)
{
    const struct profile_segment *x = a, *y = b;

    if (x->start != y->start) {
        return x->start < y->start ? -1 : 1;
    }
    if (x->depth != y->depth) {
        return x->depth < y->depth ? -1 : 1;
    }
    if (x->end != y->end) {
        return x->end > y->end ? -1 : 1;
    }
    return x->value < y->value ? -1 : x->value > y->value;
}

/* Adds the piece from @start to @end of @from to @to, joined to the last piece if that is its continuation. */
static bool add_piece(struct profile_segments *to, uint64_t start, uint64_t end, const struct profile_segment *from)
{
    struct profile_segment *last = to->count > 0 ? &to->data[to->count - 1] : NULL;

    if (last != NULL && last->end == start && last->value == from->value && start < end) {
        last->end = end;
        return true;
    }
    return profile_segment_add(to, start, end, from->value, from->depth);
}

/*
 * Keeps the segments that are open, the one that counts at the top: @open[0] to @open[@count - 1].  Puts @next in its
 * place.  Returns the new number.
 */
static size_t push(struct profile_segment *open, size_t count, const struct profile_segment *next)
{
    size_t at = count;

    /* What begins later is not less deep in sound files, so this loop ends at once. */
    while (at > 0 && open[at - 1].depth > next->depth && count - at < 64) {
        open[at] = open[at - 1];
        at--;
    }
    open[at] = *next;
    return count + 1;
}

bool profile_segments_settle(struct profile_segments *s)
{
    struct profile_segments cut = {0};
    struct profile_segment *open = reallocarray(NULL, s->count + 1, sizeof *open);
    size_t count = 0;
    uint64_t at = 0;
    bool done = open != NULL;

    if (s->count > 0) {
        qsort(s->data, s->count, sizeof *s->data, compare_segments);
    }
    for (size_t i = 0; done && (i < s->count || count > 0);) {
        const uint64_t next = i < s->count ? s->data[i].start : UINT64_MAX;

        /* The open segments up to the beginning of the next one. */
        while (done && count > 0 && at < next) {
            const struct profile_segment *top = &open[count - 1];
            const uint64_t end = top->end < next ? top->end : next;

            if (at < end) {
                done = add_piece(&cut, at, end, top);
                at = end;
            }
            if (top->end <= at) {
                count--;
            }
        }
        if (i < s->count) {
            at = next;
            while (count > 0 && open[count - 1].end <= at) {
                count--;
            }
            count = push(open, count, &s->data[i++]);
        } else if (at == UINT64_MAX) {
            count = 0;
        }
    }
    free(open);
    free(s->data);
    *s = cut;
    return done;
}

const struct profile_segment *profile_segment_at(const struct profile_segments *s, uint64_t address)
{
    size_t low = 0, high = s->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (s->data[middle].end <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < s->count && s->data[low].start <= address ? &s->data[low] : NULL;
}
