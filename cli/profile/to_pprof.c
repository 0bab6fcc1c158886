/* SPDX-License-Identifier: BSD-2-Clause */
/* The profile.proto of pprof, compressed by gzip. */
#include <stdlib.h>

#include "cli/profile/pprof.pb-c.h"
#include "../cli.h"
#include "to_formats.h"
#include "to_protobuf.h"
#include "to_words.h"

enum { INLINES = 64 };

struct pprof_writer {
    struct to_out *out;
    struct profile *profile;
    const struct recording *r;
    const struct to_tree *tree;
    const struct to_options *options;
    struct to_words words;
};

static int64_t word(struct pprof_writer *w, const char *text)
{
    return to_word(&w->words, text);
}

static int64_t number(struct pprof_writer *w, uint64_t value)
{
    if (value > INT64_MAX) {
        to_fail(w->out, "a number of the recording is too large for pprof");
    }
    return (int64_t)(value & INT64_MAX);
}

/* Writes the events, and what the whole profile is. */
static void write_head(struct pprof_writer *w)
{
    Pprof__ValueType type = PPROF__VALUE_TYPE__INIT, *types[1] = {&type};
    const uint32_t first = to_first(w->options);
    Pprof__Profile head = PPROF__PROFILE__INIT;

    for (uint32_t e = 0; e < w->r->event_count; e++) {
        Pprof__Profile piece = PPROF__PROFILE__INIT;

        if (to_wants(w->options, e)) {
            type.type = word(w, recording_title(&w->r->events[e]).text);
            type.unit = word(w, "count");
            piece.n_sample_type = 1;
            piece.sample_type = types;
            to_message(w->out, &piece.base);
        }
    }
    int64_t comments[] = {word(w, w->r->tool), word(w, w->r->command)};

    type.type = word(w, recording_title(&w->r->events[first]).text);
    type.unit = word(w, "count");
    head.period_type = &type;
    head.period = w->r->events[first].period != 0 ? number(w, w->r->events[first].period) : 1;
    head.default_sample_type = type.type;
    head.duration_nanos = number(w, w->r->elapsed_ns);
    head.time_nanos = number(w, w->r->begun_unix > INT64_MAX / 1000000000 ? 0 : w->r->begun_unix * 1000000000);
    head.n_comment = 2;
    head.comment = comments;
    to_message(w->out, &head.base);
}

static void write_maps(struct pprof_writer *w)
{
    for (size_t i = 0; i < w->r->map_count; i++) {
        const struct recording_map *m = &w->r->maps[i];
        const struct recording_file *f = &w->r->files[m->file];
        Pprof__Mapping map = PPROF__MAPPING__INIT, *maps[1] = {&map};
        Pprof__Profile piece = PPROF__PROFILE__INIT;
        char id[2 * RECORDING_BUILD_ID + 1] = "";

        for (size_t k = 0; k < f->build_id_length; k++) {
            (void)snprintf(id + 2 * k, 3, "%02x", f->build_id[k]);
        }
        map.id = i + 1;
        map.memory_start = m->start;
        map.memory_limit = m->end;
        map.file_offset = m->offset;
        map.filename = word(w, f->path);
        map.build_id = word(w, id);
        map.has_functions = map.has_filenames = map.has_line_numbers = map.has_inline_frames = true;
        piece.n_mapping = 1;
        piece.mapping = maps;
        to_message(w->out, &piece.base);
    }
}

static void write_functions(struct pprof_writer *w)
{
    for (uint32_t i = 0; i < profile_function_count(w->profile); i++) {
        const struct profile_function *f = profile_function(w->profile, i);
        Pprof__Function function = PPROF__FUNCTION__INIT, *functions[1] = {&function};
        Pprof__Profile piece = PPROF__PROFILE__INIT;
        struct to_label label;

        function.id = i + 1;
        function.name = word(w, to_label(w->profile, i, &label));
        function.system_name = word(w, f->symbol);
        function.filename = word(w, f->source);
        function.start_line = f->line;
        piece.n_function = 1;
        piece.function = functions;
        to_message(w->out, &piece.base);
    }
}

/* Fills @lines with the functions at frame @f, the innermost first.  Returns how many there are. */
static size_t set_lines(const struct pprof_writer *w, const struct to_frame *f, Pprof__Line *lines)
{
    struct profile_place places[INLINES];
    size_t count = 0;

    if (f->function == PROFILE_NONE) {
        return 0;
    }
    if (f->code != RECORDING_NONE && profile_place(w->profile, f->code)->function == f->function) {
        count = profile_inlines(w->profile, f->code, places, INLINES);
    }
    if (count < 2 || count > INLINES) {
        pprof__line__init(&lines[0]);
        lines[0].function_id = f->function + 1;
        lines[0].line = f->line;
        lines[0].column = f->column;
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        pprof__line__init(&lines[i]);
        lines[i].function_id = places[i].inlined + 1;
        lines[i].line = places[i].line;
        lines[i].column = places[i].column;
    }
    return count;
}

static void write_locations(struct pprof_writer *w)
{
    Pprof__Line lines[INLINES], *pointers[INLINES];

    for (size_t i = 0; i < w->tree->frame_count; i++) {
        const struct to_frame *f = &w->tree->frames[i];
        Pprof__Location location = PPROF__LOCATION__INIT, *locations[1] = {&location};
        Pprof__Profile piece = PPROF__PROFILE__INIT;

        location.id = i + 1;
        location.mapping_id = f->map == RECORDING_NONE ? 0 : f->map + 1;
        location.address = f->address;
        location.n_line = set_lines(w, f, lines);
        for (size_t k = 0; k < location.n_line; k++) {
            pointers[k] = &lines[k];
        }
        location.line = pointers;
        piece.n_location = 1;
        piece.location = locations;
        to_message(w->out, &piece.base);
    }
}

static void write_sample(struct pprof_writer *w, size_t row, int64_t *values, uint64_t *ids)
{
    const struct to_sample *s = &w->tree->samples[row];
    const struct recording_thread *t = &w->r->threads[s->thread];
    Pprof__Label name = PPROF__LABEL__INIT, tid = PPROF__LABEL__INIT, pid = PPROF__LABEL__INIT;
    Pprof__Label *labels[] = {&name, &tid, &pid};
    Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples[1] = {&sample};
    Pprof__Profile piece = PPROF__PROFILE__INIT;
    uint32_t frames[TO_DEPTH];
    uint64_t sum = 0;

    for (uint32_t e = 0; e < w->r->event_count; e++) {
        const uint64_t count = w->tree->counts[row * w->r->event_count + e];

        if (to_wants(w->options, e)) {
            values[sample.n_value++] = number(w, count);
            sum |= count;
        }
    }
    if (sum == 0) {
        return;
    }
    name.key = word(w, "thread");
    name.str = word(w, to_thread_name(w->r, s->thread));
    tid.key = word(w, "tid");
    tid.num = t->tid;
    pid.key = word(w, "pid");
    pid.num = w->r->images[t->image].pid;
    sample.value = values;
    sample.n_label = 3;
    sample.label = labels;
    sample.n_location_id = to_stack_frames(w->tree, s->stack, frames);
    for (size_t i = 0; i < sample.n_location_id; i++) {
        ids[i] = frames[i] + (uint64_t)1;
    }
    sample.location_id = ids;
    piece.n_sample = 1;
    piece.sample = samples;
    to_message(w->out, &piece.base);
}

static void write_words(struct pprof_writer *w)
{
    for (size_t i = 0; i < w->words.count; i++) {
        Pprof__Profile piece = PPROF__PROFILE__INIT;

        cli_make_utf8(w->words.texts[i]);
        piece.n_string_table = 1;
        piece.string_table = &w->words.texts[i];
        to_message(w->out, &piece.base);
    }
    if (w->words.failed) {
        to_fail(w->out, "there is not enough memory");
    }
}

void to_pprof(struct to_out *out, struct profile *p, const struct to_options *options)
{
    struct pprof_writer w = {.out = out, .profile = p, .r = profile_recording(p), .options = options};
    struct to_tree *t = to_tree_new(p, TO_BY_ADDRESS, true);
    int64_t *values = calloc(w.r->event_count, sizeof *values);
    uint64_t *ids = calloc(TO_DEPTH, sizeof *ids);

    if (t == NULL || values == NULL || ids == NULL) {
        to_fail(out, "there is not enough memory");
    } else {
        w.tree = t;
        to_gzip_begin(out);
        (void)word(&w, ""); /* is number 0 */
        write_head(&w);
        write_maps(&w);
        write_locations(&w); /* which may name further functions */
        write_functions(&w);
        for (size_t i = 0; i < t->sample_count && !out->failed; i++) {
            write_sample(&w, i, values, ids);
        }
        write_words(&w);
        to_gzip_end(out);
    }
    to_words_free(&w.words);
    free(values);
    free(ids);
    to_tree_free(t);
}
