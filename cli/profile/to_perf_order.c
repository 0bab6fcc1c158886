/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of the records of perf.data.  Maps that overlap, directly or through others, are written one after the
 * other in the order of the recording, each followed by the samples in it.
 */
#include <stdlib.h>

#include "to_perf_data.h"

/* A map by its place. */
struct span {
    uint32_t image, row;
    uint64_t start, end;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_spans(const void *first, const void *second)
{
    const struct span *a = first, *b = second;
    int order = compare_numbers(a->image, b->image);

    if (order == 0) {
        order = compare_numbers(a->start, b->start);
    }
    return order != 0 ? order : compare_numbers(a->row, b->row);
}

static int compare_rows(const void *first, const void *second)
{
    const struct span *a = first, *b = second;

    return compare_numbers(a->row, b->row);
}

static int compare_turns(const void *first, const void *second)
{
    const struct to_perf_turn *a = first, *b = second;
    int order = compare_numbers(a->image, b->image);

    if (order == 0) {
        order = compare_numbers(a->epoch, b->epoch);
    }
    return order != 0 ? order : compare_numbers(a->row, b->row);
}

/* Sets the epoch of each map.  Returns false if there is no memory. */
static bool set_epochs(const struct recording *r, uint32_t *epochs)
{
    struct span *spans = calloc(r->map_count + 1, sizeof *spans);

    if (spans == NULL) {
        return false;
    }
    for (size_t i = 0; i < r->map_count; i++) {
        const struct recording_map *m = &r->maps[i];

        spans[i] = (struct span){.image = m->image, .row = (uint32_t)i, .start = m->start, .end = m->end};
    }
    qsort(spans, r->map_count, sizeof *spans, compare_spans);
    for (size_t first = 0; first < r->map_count;) {
        uint64_t end = spans[first].end;
        size_t i = first + 1;

        for (; i < r->map_count && spans[i].image == spans[first].image && spans[i].start < end; i++) {
            end = spans[i].end > end ? spans[i].end : end;
        }
        qsort(&spans[first], i - first, sizeof *spans, compare_rows);
        for (size_t k = first; k < i; k++) {
            epochs[spans[k].row] = (uint32_t)(k - first);
        }
        first = i;
    }
    free(spans);
    return true;
}

static bool make_turns(struct to_perf_turns *turns, size_t count)
{
    turns->rows = calloc(count + 1, sizeof *turns->rows);
    turns->count = count;
    return turns->rows != NULL;
}

static void sort_turns(struct to_perf_turns *turns)
{
    qsort(turns->rows, turns->count, sizeof *turns->rows, compare_turns);
}

bool to_perf_order(const struct recording *r, const struct to_tree *t, struct to_perf_order *order)
{
    uint32_t *epochs = calloc(r->map_count + 1, sizeof *epochs);

    *order = (struct to_perf_order){.samples = {.count = 0}};
    const bool good = epochs != NULL && set_epochs(r, epochs) && make_turns(&order->samples, t->sample_count) &&
                      make_turns(&order->maps, r->map_count) && make_turns(&order->threads, r->thread_count);

    for (size_t i = 0; good && i < t->sample_count; i++) {
        const struct to_sample *s = &t->samples[i];
        const uint32_t map = t->frames[t->stacks[s->stack].frame].map;

        order->samples.rows[i] = (struct to_perf_turn){.image = r->threads[s->thread].image, .row = (uint32_t)i,
                                                       .epoch = map == RECORDING_NONE ? 0 : epochs[map]};
    }
    for (size_t i = 0; good && i < r->map_count; i++) {
        order->maps.rows[i] =
            (struct to_perf_turn){.image = r->maps[i].image, .epoch = epochs[i], .row = (uint32_t)i};
    }
    for (size_t i = 0; good && i < r->thread_count; i++) {
        order->threads.rows[i] = (struct to_perf_turn){.image = r->threads[i].image, .row = (uint32_t)i};
    }
    if (good) {
        sort_turns(&order->samples);
        sort_turns(&order->maps);
        sort_turns(&order->threads);
    }
    free(epochs);
    return good;
}

void to_perf_order_free(struct to_perf_order *order)
{
    free(order->samples.rows);
    free(order->maps.rows);
    free(order->threads.rows);
}
