/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A trace for Perfetto: for each event a counter track with the counts of each interval, and for each thread and event
 * a track with the functions as slices.
 *
 * A sample's slices last until the thread's next sample.  In an exact recording nothing has a time: each stack lasts as
 * many nanoseconds as it has counts, so that a slice is as long as its function's inclusive count.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "../timeline/timeline.h"
#include "to_formats.h"

struct perfetto_writer {
    struct to_out *out;
    const struct profile *profile;
    const struct recording *r;
    const struct to_tree *tree;
    const struct to_options *options;
    uint32_t *rows;   /* the samples by thread */
    uint32_t *path;   /* the stacks that a change of stack opens */
    struct timeline timeline;
};

static void put(void *to, const void *bytes, size_t size)
{
    to_put(to, bytes, size);
}

/* Writes the names of all functions.  That of function i is number i + 1. */
static void write_names(struct perfetto_writer *w)
{
    const size_t count = profile_function_count(w->profile) + 1;

    for (size_t i = 0; i < count && !w->out->failed; i++) {
        struct to_label label;

        timeline_name(&w->timeline, i + 1, to_label(w->profile, i + 1 < count ? (uint32_t)i : PROFILE_NONE, &label));
    }
}

/* The tracks of images are the first: that of image i is number i + 1. */
static void write_images(struct perfetto_writer *w)
{
    for (size_t i = 0; i < w->r->image_count; i++) {
        const struct recording_image *image = &w->r->images[i];

        (void)timeline_process(&w->timeline, image->pid, image->name, image->command);
    }
}

/* Writes the counts of all intervals as a counter, which is 0 outside. */
static void write_counter(struct perfetto_writer *w, uint32_t event)
{
    const struct recording *r = w->r;
    const uint64_t track = timeline_counter(&w->timeline, 0, recording_title(&r->events[event]).text);

    for (size_t i = 0; i < r->interval_count && !w->out->failed; i++) {
        const uint64_t count = r->interval_counts[i * r->event_count + event];

        if (count > INT64_MAX) {
            to_fail(w->out, "a number of the recording is too large for Perfetto");
        }
        timeline_count(&w->timeline, track, r->intervals[i].start_ns, (int64_t)(count & INT64_MAX));
        if (i + 1 == r->interval_count || r->intervals[i + 1].start_ns > r->intervals[i].end_ns) {
            timeline_count(&w->timeline, track, r->intervals[i].end_ns, 0);
        }
    }
}

/* Ends the slices on @track of stack @from that @to lacks, and begins those that it has more, at @time. */
static void change_stack(struct perfetto_writer *w, uint64_t track, uint32_t from, uint32_t to, uint64_t time)
{
    const struct to_tree *t = w->tree;
    size_t opened = 0;

    while (from != to) {
        const uint32_t a = from == TO_NONE ? 0 : t->stacks[from].depth, b = to == TO_NONE ? 0 : t->stacks[to].depth;

        if (a >= b) {
            timeline_slice_end(&w->timeline, track, time);
            from = t->stacks[from].caller;
        }
        if (b >= a) {
            w->path[opened++] = to;
            to = t->stacks[to].caller;
        }
    }
    while (opened-- > 0) {
        const uint32_t function = t->frames[t->stacks[w->path[opened]].frame].function;

        timeline_slice(&w->timeline, track, time,
                       function == PROFILE_NONE ? profile_function_count(w->profile) + 1 : (uint64_t)function + 1);
    }
}

/* Writes the samples in the rows from @first to @end, of one thread, as slices for @event on @track. */
static void write_slices(struct perfetto_writer *w, uint64_t track, size_t first, size_t end, uint32_t event)
{
    const struct to_tree *t = w->tree;
    uint64_t time = 0;
    uint32_t stack = TO_NONE;

    for (size_t i = first; i < end && !w->out->failed; i++) {
        const struct to_sample *s = &t->samples[w->rows[i]];
        const uint64_t count = t->counts[w->rows[i] * w->r->event_count + event];

        if (count == 0) {
            continue;
        }
        time = w->r->sampled ? s->time_ns : time;
        change_stack(w, track, stack, s->stack, time);
        stack = s->stack;
        time += w->r->sampled ? 0 : count;
    }
    if (stack != TO_NONE) {
        time = w->r->sampled && w->r->elapsed_ns > time ? w->r->elapsed_ns : time;
        change_stack(w, track, stack, TO_NONE, time);
    }
}

static void write_thread(struct perfetto_writer *w, size_t first, size_t end, uint32_t event)
{
    const uint32_t thread = w->tree->samples[w->rows[first]].thread;
    char name[512];

    (void)snprintf(name, sizeof name, "%.200s %d: %.200s%s", to_thread_name(w->r, thread), w->r->threads[thread].tid,
                   recording_title(&w->r->events[event]).text, w->r->sampled ? "" : ", 1 ns for each");
    write_slices(w, timeline_track(&w->timeline, w->r->threads[thread].image + (uint64_t)1, name), first, end, event);
}

/* The order of the samples in which stacks that share callers follow each other. */
struct to_ranked {
    uint32_t thread, rank, row;
};

static int compare_ranked(const void *first, const void *second)
{
    const struct to_ranked *a = first, *b = second;

    if (a->thread != b->thread) {
        return a->thread < b->thread ? -1 : 1;
    }
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    return a->row < b->row ? -1 : a->row > b->row;
}

/* Sets @ranks to the place of each stack in a walk of all stacks in depth.  @next has room for two links of each. */
static void rank_stacks(const struct to_tree *t, uint32_t *ranks, uint32_t *links)
{
    uint32_t *const first = links, *const next = links + t->stack_count + 1, rank = 0;

    for (size_t i = 0; i <= t->stack_count; i++) {
        first[i] = next[i] = TO_NONE;
    }
    for (size_t i = t->stack_count; i-- > 0;) { /* row `stack_count` has the outermost as its children */
        const size_t caller = t->stacks[i].caller == TO_NONE ? t->stack_count : t->stacks[i].caller;

        next[i] = first[caller];
        first[caller] = (uint32_t)i;
    }
    for (uint32_t stack = first[t->stack_count]; stack != TO_NONE;) {
        ranks[stack] = rank++;
        if (first[stack] != TO_NONE) {
            stack = first[stack];
            continue;
        }
        while (stack != TO_NONE && next[stack] == TO_NONE) {
            stack = t->stacks[stack].caller;
        }
        stack = stack == TO_NONE ? TO_NONE : next[stack];
    }
}

/* Sets the order of the samples of an exact recording. */
static bool order_by_stack(struct perfetto_writer *w)
{
    const struct to_tree *t = w->tree;
    uint32_t *ranks = calloc(t->stack_count + 1, sizeof *ranks);
    uint32_t *links = calloc(t->stack_count + 1, 2 * sizeof *links);
    struct to_ranked *ranked = calloc(t->sample_count + 1, sizeof *ranked);
    const bool good = ranks != NULL && links != NULL && ranked != NULL;

    if (good) {
        rank_stacks(t, ranks, links);
        for (size_t i = 0; i < t->sample_count; i++) {
            ranked[i] = (struct to_ranked){.thread = t->samples[i].thread, .rank = ranks[t->samples[i].stack],
                                        .row = (uint32_t)i};
        }
        qsort(ranked, t->sample_count, sizeof *ranked, compare_ranked);
        for (size_t i = 0; i < t->sample_count; i++) {
            w->rows[i] = ranked[i].row;
        }
    }
    free(ranks);
    free(links);
    free(ranked);
    return good;
}

/* Sets the order of the samples. */
static bool begin(struct perfetto_writer *w)
{
    const struct to_tree *t = w->tree;

    w->rows = to_tree_by_thread(t);
    w->path = calloc(t->stack_count + 1, sizeof *w->path);
    if (w->rows == NULL || w->path == NULL) {
        return false;
    }
    return w->r->sampled || order_by_stack(w);
}

static void write_trace(struct perfetto_writer *w)
{
    write_names(w);
    write_images(w);
    for (uint32_t e = 0; e < w->r->event_count && w->r->interval_count > 0; e++) {
        if (to_wants(w->options, e)) {
            write_counter(w, e);
        }
    }
    for (size_t first = 0, end; first < w->tree->sample_count && !w->out->failed; first = end) {
        for (end = first; end < w->tree->sample_count && w->tree->samples[w->rows[end]].thread ==
                                                              w->tree->samples[w->rows[first]].thread; end++) {
        }
        for (uint32_t e = 0; e < w->r->event_count; e++) {
            if (to_wants(w->options, e)) {
                write_thread(w, first, end, e);
            }
        }
    }
}

void to_perfetto(struct to_out *out, struct profile *p, const struct to_options *options)
{
    struct perfetto_writer w = {.out = out, .profile = p, .r = profile_recording(p), .options = options};
    struct to_tree *t = to_tree_new(p, TO_BY_FUNCTION, !w.r->sampled);

    w.tree = t;
    timeline_init(&w.timeline, put, out);
    if (t == NULL || !begin(&w)) {
        to_fail(out, "there is not enough memory");
    } else {
        write_trace(&w);
    }
    free(w.rows);
    free(w.path);
    to_tree_free(t);
}
