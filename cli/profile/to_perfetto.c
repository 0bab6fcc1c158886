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
#include <string.h>

#include "cli/profile/perfetto.pb-c.h"
#include "to_formats.h"
#include "to_protobuf.h"

enum {
    SEQUENCE = 1,
    NAMES_BEGIN = 1,
    NAMES_ARE_USED = 2,
};

struct perfetto_writer {
    struct to_out *out;
    const struct profile *profile;
    const struct recording *r;
    const struct to_tree *tree;
    const struct to_options *options;
    uint32_t *rows;   /* the samples by thread */
    uint32_t *path;   /* the stacks that a change of stack opens */
    uint64_t track;   /* the number of the newest track */
};

static void write_packet(struct perfetto_writer *w, Perfetto__TracePacket *packet)
{
    Perfetto__TracePacket *packets[1] = {packet};
    Perfetto__Trace piece = PERFETTO__TRACE__INIT;

    packet->has_trusted_packet_sequence_id = true;
    packet->trusted_packet_sequence_id = SEQUENCE;
    piece.n_packet = 1;
    piece.packet = packets;
    to_message(w->out, &piece.base);
}

/* Returns a copy of @text that is UTF-8, which the caller frees. */
static char *copy_text(struct perfetto_writer *w, const char *text)
{
    char *copy = strdup(text);

    if (copy == NULL) {
        to_fail(w->out, "there is not enough memory");
        return NULL;
    }
    to_make_utf8(copy);
    return copy;
}

/* Writes the names of all functions. */
static void write_names(struct perfetto_writer *w)
{
    const size_t count = profile_function_count(w->profile) + 1;

    for (size_t i = 0; i < count && !w->out->failed; i++) {
        Perfetto__EventName name = PERFETTO__EVENT_NAME__INIT, *names[1] = {&name};
        Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
        Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
        struct to_label label;

        name.has_iid = true;
        name.iid = i + 1;
        name.name = copy_text(w, to_label(w->profile, i + 1 < count ? (uint32_t)i : PROFILE_NONE, &label));
        data.n_event_names = 1;
        data.event_names = names;
        packet.interned_data = &data;
        packet.has_sequence_flags = true;
        packet.sequence_flags = i == 0 ? NAMES_BEGIN : NAMES_ARE_USED;
        write_packet(w, &packet);
        free(name.name);
    }
}

/* Writes a track and gives it a number. */
static void write_track(struct perfetto_writer *w, Perfetto__TrackDescriptor *track)
{
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

    track->has_uuid = true;
    track->uuid = ++w->track;
    packet.track_descriptor = track;
    write_packet(w, &packet);
}

/* The tracks of images are the first: that of image i is number i + 1. */
static void write_images(struct perfetto_writer *w)
{
    for (size_t i = 0; i < w->r->image_count; i++) {
        const struct recording_image *image = &w->r->images[i];
        Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;
        Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
        char *command = copy_text(w, image->command), *name = copy_text(w, image->name);

        process.has_pid = true;
        process.pid = image->pid;
        process.n_cmdline = 1;
        process.cmdline = &command;
        process.process_name = name;
        track.process = &process;
        if (command != NULL && name != NULL) {
            write_track(w, &track);
        }
        free(command);
        free(name);
    }
}

static void write_event(struct perfetto_writer *w, uint64_t time, Perfetto__TrackEvent__Type type, uint64_t function,
                        int64_t value)
{
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

    event.has_type = true;
    event.type = type;
    event.has_track_uuid = true;
    event.track_uuid = w->track;
    event.has_name_iid = type == PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN;
    event.name_iid = function;
    event.has_counter_value = type == PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER;
    event.counter_value = value;
    packet.has_timestamp = true;
    packet.timestamp = time;
    packet.has_sequence_flags = true;
    packet.sequence_flags = NAMES_ARE_USED;
    packet.track_event = &event;
    write_packet(w, &packet);
}

/* Writes the counts of all intervals as a counter, which is 0 outside. */
static void write_counter(struct perfetto_writer *w, uint32_t event)
{
    Perfetto__CounterDescriptor counter = PERFETTO__COUNTER_DESCRIPTOR__INIT;
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    const struct recording *r = w->r;

    track.name = copy_text(w, recording_title(&r->events[event]).text);
    counter.has_unit = true;
    counter.unit = PERFETTO__COUNTER_DESCRIPTOR__UNIT__UNIT_COUNT;
    track.counter = &counter;
    if (track.name != NULL) {
        write_track(w, &track);
    }
    free(track.name);
    for (size_t i = 0; i < r->interval_count && !w->out->failed; i++) {
        const uint64_t count = r->interval_counts[i * r->event_count + event];

        if (count > INT64_MAX) {
            to_fail(w->out, "a number of the recording is too large for Perfetto");
        }
        write_event(w, r->intervals[i].start_ns, PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER, 0,
                    (int64_t)(count & INT64_MAX));
        if (i + 1 == r->interval_count || r->intervals[i + 1].start_ns > r->intervals[i].end_ns) {
            write_event(w, r->intervals[i].end_ns, PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER, 0, 0);
        }
    }
}

/* Ends the slices of stack @from that @to lacks, and begins those that it has more, at @time. */
static void change_stack(struct perfetto_writer *w, uint32_t from, uint32_t to, uint64_t time)
{
    const struct to_tree *t = w->tree;
    size_t opened = 0;

    while (from != to) {
        const uint32_t a = from == TO_NONE ? 0 : t->stacks[from].depth, b = to == TO_NONE ? 0 : t->stacks[to].depth;

        if (a >= b) {
            write_event(w, time, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END, 0, 0);
            from = t->stacks[from].caller;
        }
        if (b >= a) {
            w->path[opened++] = to;
            to = t->stacks[to].caller;
        }
    }
    while (opened-- > 0) {
        const uint32_t function = t->frames[t->stacks[w->path[opened]].frame].function;

        write_event(w, time, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN,
                    function == PROFILE_NONE ? profile_function_count(w->profile) + 1 : (uint64_t)function + 1, 0);
    }
}

/* Writes the samples in the rows from @first to @end, of one thread, as slices for @event. */
static void write_slices(struct perfetto_writer *w, size_t first, size_t end, uint32_t event)
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
        change_stack(w, stack, s->stack, time);
        stack = s->stack;
        time += w->r->sampled ? 0 : count;
    }
    if (stack != TO_NONE) {
        time = w->r->sampled && w->r->elapsed_ns > time ? w->r->elapsed_ns : time;
        change_stack(w, stack, TO_NONE, time);
    }
}

static void write_thread(struct perfetto_writer *w, size_t first, size_t end, uint32_t event)
{
    const uint32_t thread = w->tree->samples[w->rows[first]].thread;
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    char name[512];

    (void)snprintf(name, sizeof name, "%.200s %d: %.200s%s", to_thread_name(w->r, thread), w->r->threads[thread].tid,
                   recording_title(&w->r->events[event]).text, w->r->sampled ? "" : ", 1 ns for each");
    to_make_utf8(name);
    track.name = name;
    track.has_parent_uuid = true;
    track.parent_uuid = w->r->threads[thread].image + (uint64_t)1;
    write_track(w, &track);
    write_slices(w, first, end, event);
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
    if (t == NULL || !begin(&w)) {
        to_fail(out, "there is not enough memory");
    } else {
        write_trace(&w);
    }
    free(w.rows);
    free(w.path);
    to_tree_free(t);
}
