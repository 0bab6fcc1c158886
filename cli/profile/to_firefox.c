/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The JSON of the Firefox Profiler: its processed format, version 60, which later versions of the profiler convert.
 * Tables are columns; a row is an index.  A sample there has one weight, so each event of each thread is a thread.
 *
 * In an exact recording nothing has a time: each sample lasts as many nanoseconds as it has counts.
 */
#include <stdlib.h>
#include <string.h>

#include "to_formats.h"
#include "to_words.h"

enum { FORMAT = 60, GECKO_FORMAT = 30 };

struct firefox_writer {
    struct to_out *out;
    const struct profile *profile;
    const struct recording *r;
    const struct to_tree *tree;
    const struct to_options *options;
    uint32_t *rows;          /* the samples by thread */
    struct to_words words;   /* texts that tables refer to */
    struct to_words sources;
};

/* Returns the number in row @row of a column; a negative one is null. */
typedef int64_t cell(struct firefox_writer *w, size_t row);

static void write_column(struct firefox_writer *w, const char *name, size_t count, cell *cell_of)
{
    to_printf(w->out, ",\n\"%s\":[", name);
    for (size_t i = 0; i < count && !w->out->failed; i++) {
        const int64_t number = cell_of(w, i);

        to_text(w->out, i > 0 ? "," : "");
        if (number < 0) {
            to_text(w->out, "null");
        } else {
            to_number(w->out, (uint64_t)number);
        }
    }
    to_put(w->out, "]", 1);
}

/* Writes a column in which all rows have the text @value. */
static void write_constant(struct firefox_writer *w, const char *name, size_t count, const char *value)
{
    to_printf(w->out, ",\n\"%s\":[", name);
    for (size_t i = 0; i < count && !w->out->failed; i++) {
        to_text(w->out, i > 0 ? "," : "");
        to_text(w->out, value);
    }
    to_put(w->out, "]", 1);
}

static void begin_table(struct firefox_writer *w, const char *name, size_t length)
{
    to_printf(w->out, "\n\"%s\":{\"length\":%zu", name, length);
}

static int64_t row_or_null(uint32_t row)
{
    return row == UINT32_MAX ? -1 : (int64_t)row;
}

static int64_t line_or_null(uint32_t line)
{
    return line == 0 ? -1 : (int64_t)line;
}

/* Addresses are those of a 64-bit signed number at most; others are not written. */
static int64_t address_or_null(uint64_t address)
{
    return address > INT64_MAX ? -1 : (int64_t)address;
}

static int64_t stack_frame(struct firefox_writer *w, size_t row)
{
    return w->tree->stacks[row].frame;
}

static int64_t stack_prefix(struct firefox_writer *w, size_t row)
{
    return row_or_null(w->tree->stacks[row].caller);
}

static int64_t frame_address(struct firefox_writer *w, size_t row)
{
    const struct to_frame *f = &w->tree->frames[row];

    return address_or_null(f->file == RECORDING_NONE ? f->address : f->offset);
}

/* The functions of the profile come first in the table, then one that is not known for each file, then one for none. */
static size_t function_count(const struct firefox_writer *w)
{
    return profile_function_count(w->profile) + w->r->file_count + 1;
}

static int64_t frame_function(struct firefox_writer *w, size_t row)
{
    const struct to_frame *f = &w->tree->frames[row];

    if (f->function != PROFILE_NONE) {
        return f->function;
    }
    return (int64_t)(profile_function_count(w->profile) + (f->file == RECORDING_NONE ? w->r->file_count : f->file));
}

static int64_t frame_symbol(struct firefox_writer *w, size_t row)
{
    return row_or_null(w->tree->frames[row].function);
}

static int64_t frame_line(struct firefox_writer *w, size_t row)
{
    return line_or_null(w->tree->frames[row].line);
}

static int64_t frame_column(struct firefox_writer *w, size_t row)
{
    return line_or_null(w->tree->frames[row].column);
}

/* Returns function @row of the table, or NULL for one that is not known. */
static const struct profile_function *function_at(const struct firefox_writer *w, size_t row)
{
    return row < profile_function_count(w->profile) ? profile_function(w->profile, (uint32_t)row) : NULL;
}

static int64_t function_name(struct firefox_writer *w, size_t row)
{
    const struct profile_function *f = function_at(w, row);

    return to_word(&w->words, f != NULL ? f->name : "[unknown]");
}

static uint32_t function_file(const struct firefox_writer *w, size_t row)
{
    const struct profile_function *f = function_at(w, row);
    const size_t file = f != NULL ? f->file : row - profile_function_count(w->profile);

    return file < w->r->file_count ? (uint32_t)file : UINT32_MAX;
}

static int64_t function_source(struct firefox_writer *w, size_t row)
{
    const struct profile_function *f = function_at(w, row);

    return f != NULL && f->source[0] != '\0' ? (int64_t)to_word(&w->sources, f->source) : -1;
}

static int64_t function_line(struct firefox_writer *w, size_t row)
{
    const struct profile_function *f = function_at(w, row);

    return f != NULL ? line_or_null(f->line) : -1;
}

static int64_t resource_name(struct firefox_writer *w, size_t row)
{
    const char *path = w->r->files[row].path, *slash = strrchr(path, '/');

    return to_word(&w->words, slash != NULL && slash[1] != '\0' ? slash + 1 : path);
}

static int64_t row_itself(struct firefox_writer *w, size_t row)
{
    (void)w;
    return (int64_t)row;
}

static int64_t symbol_file(struct firefox_writer *w, size_t row)
{
    const uint32_t file = function_file(w, row);

    return file == UINT32_MAX ? 0 : file;
}

static int64_t symbol_address(struct firefox_writer *w, size_t row)
{
    return address_or_null(function_at(w, row)->start);
}

static int64_t symbol_size(struct firefox_writer *w, size_t row)
{
    const struct profile_function *f = function_at(w, row);

    return f->end > f->start ? address_or_null(f->end - f->start) : -1;
}

static int64_t source_name(struct firefox_writer *w, size_t row)
{
    return to_word(&w->words, w->sources.texts[row]);
}

static void write_stacks(struct firefox_writer *w)
{
    begin_table(w, "stackTable", w->tree->stack_count);
    write_column(w, "frame", w->tree->stack_count, stack_frame);
    write_column(w, "prefix", w->tree->stack_count, stack_prefix);
    to_text(w->out, "},");
}

static void write_frames(struct firefox_writer *w)
{
    const size_t count = w->tree->frame_count;

    begin_table(w, "frameTable", count);
    write_column(w, "address", count, frame_address);
    write_constant(w, "inlineDepth", count, "0");
    write_constant(w, "category", count, "0");
    write_constant(w, "subcategory", count, "0");
    write_column(w, "func", count, frame_function);
    write_column(w, "nativeSymbol", count, frame_symbol);
    write_constant(w, "innerWindowID", count, "null");
    write_column(w, "line", count, frame_line);
    write_column(w, "column", count, frame_column);
    to_text(w->out, "},");
}

static void write_functions(struct firefox_writer *w)
{
    const size_t count = function_count(w), symbols = profile_function_count(w->profile);

    begin_table(w, "funcTable", count);
    write_column(w, "name", count, function_name);
    write_constant(w, "isJS", count, "false");
    write_constant(w, "relevantForJS", count, "false");
    to_text(w->out, ",\n\"resource\":[");
    for (size_t i = 0; i < count && !w->out->failed; i++) { /* -1: none */
        to_printf(w->out, "%s%d", i > 0 ? "," : "", (int)function_file(w, i));
    }
    to_put(w->out, "]", 1);
    write_column(w, "source", count, function_source);
    write_column(w, "lineNumber", count, function_line);
    write_constant(w, "columnNumber", count, "null");
    to_text(w->out, "},");
    begin_table(w, "nativeSymbols", symbols);
    write_column(w, "libIndex", symbols, symbol_file);
    write_column(w, "address", symbols, symbol_address);
    write_column(w, "name", symbols, function_name);
    write_column(w, "functionSize", symbols, symbol_size);
    to_text(w->out, "},");
}

static void write_files(struct firefox_writer *w)
{
    const size_t count = w->r->file_count;

    begin_table(w, "resourceTable", count);
    write_constant(w, "type", count, "1"); /* a library */
    write_column(w, "lib", count, row_itself);
    write_column(w, "name", count, resource_name);
    write_constant(w, "host", count, "null");
    to_text(w->out, "},");
    begin_table(w, "sources", w->sources.count);
    write_constant(w, "uuid", w->sources.count, "null");
    write_column(w, "filename", w->sources.count, source_name);
    to_text(w->out, "},");
}

static void write_shared(struct firefox_writer *w)
{
    to_text(w->out, "\"shared\":{");
    write_stacks(w);
    write_frames(w);
    write_functions(w);
    write_files(w);
    to_text(w->out, "\n\"stringArray\":[");
    for (size_t i = 0; i < w->words.count; i++) {
        to_text(w->out, i > 0 ? "," : "");
        to_json(w->out, w->words.texts[i]);
    }
    to_text(w->out, "]}");
    if (w->words.failed || w->sources.failed) {
        to_fail(w->out, "there is not enough memory");
    }
}

static void write_library(struct firefox_writer *w, const struct recording_file *f)
{
    const char *slash = strrchr(f->path, '/'), *name = slash != NULL && slash[1] != '\0' ? slash + 1 : f->path;
    static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};

    to_text(w->out, "{\"arch\":\"arm64\",\"name\":");
    to_json(w->out, name);
    to_text(w->out, ",\"path\":");
    to_json(w->out, f->path);
    to_text(w->out, ",\"debugName\":");
    to_json(w->out, name);
    to_text(w->out, ",\"debugPath\":");
    to_json(w->out, f->path);
    to_text(w->out, ",\"breakpadId\":\""); /* the build id as the fields of a GUID, and an age of 0 */
    for (size_t i = 0; i < 16; i++) {
        to_printf(w->out, "%02X", order[i] < f->build_id_length ? f->build_id[order[i]] : 0);
    }
    to_text(w->out, "0\",\"codeId\":");
    if (f->build_id_length == 0) {
        to_text(w->out, "null}");
        return;
    }
    to_put(w->out, "\"", 1);
    for (size_t i = 0; i < f->build_id_length; i++) {
        to_printf(w->out, "%02x", f->build_id[i]);
    }
    to_text(w->out, "\"}");
}

static void write_meta(struct firefox_writer *w)
{
    to_text(w->out, "{\"meta\":{\"interval\":1,\"startTime\":");
    to_number(w->out, w->r->begun_unix <= INT64_MAX / 1000 ? w->r->begun_unix * 1000 : 0);
    to_printf(w->out, ",\"processType\":0,\"product\":");
    to_json(w->out, w->r->image_count > 0 ? w->r->images[0].name : "");
    to_text(w->out, ",\"importedFrom\":");
    to_json(w->out, w->r->tool);
    to_text(w->out, ",\"arguments\":");
    to_json(w->out, w->r->command);
    to_text(w->out, ",\"CPUName\":");
    to_json(w->out, w->r->core[0] != '\0' ? w->r->core : "Arm");
    to_printf(w->out,
              ",\"stackwalk\":1,\"version\":%d,\"preprocessedProfileVersion\":%d,\"symbolicated\":true,"
              "\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,\"keepProfileThreadOrder\":true,"
              "\"categories\":[{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
              "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}],\"markerSchema\":[]},",
              GECKO_FORMAT, FORMAT);
    to_text(w->out, "\n\"libs\":[");
    for (size_t i = 0; i < w->r->file_count; i++) {
        to_text(w->out, i > 0 ? ",\n" : "\n");
        write_library(w, &w->r->files[i]);
    }
    to_text(w->out, "],\n");
}

/* Writes @ns as milliseconds. */
static void write_time(struct to_out *out, uint64_t ns)
{
    to_printf(out, "%llu.%06u", (unsigned long long)(ns / 1000000), (unsigned)(ns % 1000000));
}

enum column { STACKS, WEIGHTS, TIMES };

/* Writes a column of the samples in the rows from @first to @end for @event.  Returns the number of samples. */
static size_t write_samples(struct firefox_writer *w, size_t first, size_t end, uint32_t event, enum column column)
{
    uint64_t time = 0;
    size_t written = 0;

    for (size_t i = first; i < end && !w->out->failed; i++) {
        const struct to_sample *s = &w->tree->samples[w->rows[i]];
        const uint64_t count = w->tree->counts[w->rows[i] * w->r->event_count + event];

        if (count == 0) {
            continue;
        }
        to_text(w->out, written++ > 0 ? "," : "");
        switch (column) {
        case STACKS: to_number(w->out, s->stack); break;
        case WEIGHTS: to_number(w->out, count); break;
        case TIMES: write_time(w->out, w->r->sampled ? s->time_ns : time); break;
        }
        time += count;
    }
    return written;
}

/* Writes the name of a thread with that of the event if there are several, or if it has a mark. */
static void write_thread_name(struct firefox_writer *w, uint32_t thread, uint32_t event)
{
    const char *name = to_thread_name(w->r, thread);
    const struct recording_event *e = &w->r->events[event];
    const bool marked = e->mark[0] != '\0', named = w->r->event_count > 1 || marked;
    const size_t size = strlen(name) + strlen(e->name) + strlen(e->mark) + sizeof " (, )";
    char *both = malloc(size);

    if (both == NULL) {
        to_fail(w->out, "there is not enough memory");
        return;
    }
    (void)snprintf(both, size, "%s (%s%s%s)", name, e->name, marked ? ", " : "", e->mark);
    to_json(w->out, named ? both : name);
    free(both);
}

/* Writes the samples from @first to @end, which are those of one thread, for @event. */
static void write_thread(struct firefox_writer *w, size_t first, size_t end, uint32_t event)
{
    const uint32_t thread = w->tree->samples[w->rows[first]].thread;
    const struct recording_thread *t = &w->r->threads[thread];
    const struct recording_image *image = &w->r->images[t->image];

    to_text(w->out, "{\"processType\":\"default\",\"processStartupTime\":");
    write_time(w->out, image->start_ns);
    to_text(w->out, ",\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],"
                    "\"processName\":");
    to_json(w->out, image->name);
    to_text(w->out, ",\"name\":");
    write_thread_name(w, thread, event);
    to_printf(w->out, ",\"isMainThread\":%s,\"pid\":\"%d\",\"tid\":%d,\"samples\":{\"weightType\":\"samples\"",
              t->tid == image->pid ? "true" : "false", image->pid, t->tid);
    to_text(w->out, ",\n\"stack\":[");
    const size_t length = write_samples(w, first, end, event, STACKS);

    to_text(w->out, "],\n\"weight\":[");
    (void)write_samples(w, first, end, event, WEIGHTS);
    to_text(w->out, "],\n\"time\":[");
    (void)write_samples(w, first, end, event, TIMES);
    to_printf(w->out, "],\"length\":%zu},\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],"
                      "\"phase\":[],\"category\":[],\"length\":0}}", length);
}

static void write_threads(struct firefox_writer *w)
{
    const char *before = "\n";

    to_text(w->out, ",\n\"threads\":[");
    for (size_t first = 0, end; first < w->tree->sample_count && !w->out->failed; first = end) {
        for (end = first; end < w->tree->sample_count && w->tree->samples[w->rows[end]].thread ==
                                                              w->tree->samples[w->rows[first]].thread; end++) {
        }
        for (uint32_t e = 0; e < w->r->event_count; e++) {
            if (to_wants(w->options, e)) {
                to_text(w->out, before);
                write_thread(w, first, end, e);
                before = ",\n";
            }
        }
    }
    to_text(w->out, "]}\n");
}

void to_firefox(struct to_out *out, struct profile *p, const struct to_options *options)
{
    struct firefox_writer w = {.out = out, .profile = p, .r = profile_recording(p), .options = options};
    struct to_tree *t = to_tree_new(p, TO_BY_ADDRESS, !w.r->sampled);

    w.rows = t != NULL ? to_tree_by_thread(t) : NULL;
    if (w.rows == NULL) {
        to_fail(out, "there is not enough memory");
    } else {
        w.tree = t;
        write_meta(&w);
        write_shared(&w);
        write_threads(&w);
    }
    to_words_free(&w.words);
    to_words_free(&w.sources);
    free(w.rows);
    to_tree_free(t);
}
