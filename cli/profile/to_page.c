/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data of the page of `armpmu report --html`.  Tables are columns, because a page of many small objects would be
 * several times as long.  With E events and for each recording:
 *
 *      events[E] {name, mark, period}   totals[E]         the sums over all instructions
 *      files[]                          images[] {pid, name, command}
 *      threads {name[], tid[], image[], self[E][]}
 *      functions {name[], file[], line[], self[E][], total[E][] or null}      of the symbols
 *      tree {parent[], function[], image[], calls[], self[E][]}               node 0 is all; a parent comes first
 *      code[] {function, offset[], text[], source[], line[], self[E][]}       the hottest functions
 *      sources[] {path, number[], text[]}                                     the lines of these
 *      intervals {start[], end[], counts[E][]}
 *      topdown[] {name, depth, value}, next
 *      title, file, tool, engine, emulator, command, core, remarks, complete, sampled, call_graph, ending, elapsed_ns,
 *      begun, left_out[]
 *
 * Numbers of functions, files and sources count from 0; -1 is none.  A page has room for 1.5 MB, so it has the functions
 * and the calls with the highest costs, and `left_out` says what it lacks.  Costs of calls that are left out are in the
 * node above them, so every sum is whole.
 */
#define _GNU_SOURCE
#include "to_page.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <armpmu/metrics.h>

#include "annotate.h"
#include "page.h"

#define NODES_MAX     12000u /* nodes of the call tree */
#define FUNCTIONS_MAX 4000u
#define LISTED_MAX    120u   /* functions with code */
#define ROWS_MAX      12000u /* instructions of all of them */
#define LINES_MAX     8000u  /* lines of source */
#define LINE_MAX_LENGTH 400   /* of a line of source, in bytes */
#define AROUND        3u     /* lines before and after a function's own */
#define NONE          UINT32_MAX

/* The data of a recording while it is made. */
struct page_maker {
    struct profile *p;
    const struct recording *r;
    struct profile_table by_function;
    uint32_t *function;  /* by the profile's number: the page's, or NONE */
    uint32_t *source;    /* the same for sources */
    uint32_t source_count;
    json_t *left_out;
};

/* Appends @n to an array. */
static void append(json_t *array, uint64_t n)
{
    json_array_append_new(array, json_integer((json_int_t)n));
}

/* Returns an array of as many empty arrays as there are events. */
static json_t *columns(const struct page_maker *m)
{
    json_t *array = json_array();

    for (size_t e = 0; e < m->r->event_count; e++) {
        json_array_append_new(array, json_array());
    }
    return array;
}

/* Appends the counts of a row to columns(). */
static void append_counts(const struct page_maker *m, json_t *array, const uint64_t *counts)
{
    for (size_t e = 0; e < m->r->event_count; e++) {
        append(json_array_get(array, e), counts[e]);
    }
}

/* Adds a sentence to what the page lacks. */
static void leave_out(struct page_maker *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void leave_out(struct page_maker *m, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_array_append_new(m->left_out, json_string(text));
}

/* Returns @text, or a text without what is no UTF-8: names in files may have any byte. */
static json_t *text_of(const char *text)
{
    json_t *whole = json_string(text);

    if (whole == NULL) {
        char *copy = strdup(text);

        for (char *c = copy; c != NULL && *c != '\0'; c++) {
            *c = (*c & 0x80) != 0 ? '?' : *c;
        }
        whole = json_string(copy != NULL ? copy : "?");
        free(copy);
    }
    return whole;
}

static json_t *events_of(const struct page_maker *m)
{
    json_t *events = json_array();

    for (size_t i = 0; i < m->r->event_count; i++) {
        const struct recording_event *e = &m->r->events[i];

        json_array_append_new(events, json_pack("{s:o, s:o, s:I}", "name", text_of(e->name), "mark", text_of(e->mark),
                                                "period", (json_int_t)e->period));
    }
    return events;
}

/* Returns the sum of each event over all instructions. */
static json_t *totals_of(const struct page_maker *m)
{
    json_t *totals = json_array();

    for (size_t e = 0; e < m->r->event_count; e++) {
        uint64_t sum = 0;

        for (size_t i = 0; i < m->r->code_count; i++) {
            sum += m->r->code_counts[i * m->r->event_count + e];
        }
        append(totals, sum);
    }
    return totals;
}

static json_t *threads_of(struct page_maker *m)
{
    const struct recording *r = m->r;
    json_t *names = json_array(), *tids = json_array(), *images = json_array(), *self = columns(m);
    struct profile_table t;

    if (profile_table(m->p, PROFILE_BY_THREAD, 0, &t)) {
        for (size_t i = 0; i < t.count; i++) {
            const struct recording_thread *thread = &r->threads[t.rows[i].thread];

            json_array_append_new(names, text_of(thread->name[0] != '\0' ? thread->name
                                                                         : r->images[thread->image].name));
            json_array_append_new(tids, json_integer(thread->tid));
            append(images, thread->image);
            append_counts(m, self, &t.self[i * r->event_count]);
        }
        profile_table_free(&t);
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "name", names, "tid", tids, "image", images, "self", self);
}

static json_t *functions_of(struct page_maker *m)
{
    const struct profile_table *t = &m->by_function;
    json_t *names = json_array(), *files = json_array(), *lines = json_array(), *self = columns(m);
    json_t *total = t->total != NULL ? columns(m) : json_null();
    size_t used = 0;

    for (size_t i = 0; i < t->count && used < FUNCTIONS_MAX; i++) {
        const uint32_t number = t->rows[i].function;
        const struct profile_function *f = profile_function(m->p, number);

        if (number == PROFILE_NONE || f == NULL) {
            continue;
        }
        m->function[number] = (uint32_t)used++;
        json_array_append_new(names, text_of(f->name));
        json_array_append_new(files, json_integer(f->file == PROFILE_NONE ? -1 : (json_int_t)f->file));
        append(lines, f->line);
        append_counts(m, self, &t->self[i * m->r->event_count]);
        if (t->total != NULL) {
            append_counts(m, total, &t->total[i * m->r->event_count]);
        }
    }
    if (used < t->count) {
        leave_out(m, "The table has the %zu functions with the highest costs, of %zu.", used, t->count);
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "name", names, "file", files, "line", lines, "self", self, "total",
                     total);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The call tree.
 */

/* A node's highest share of the total of any event, for the choice of nodes. */
struct node_share {
    double share;
    uint32_t node;
};

static int by_share(const void *a, const void *b)
{
    const struct node_share *x = a, *y = b;

    return x->share < y->share ? 1 : x->share > y->share ? -1 : x->node < y->node ? -1 : 1;
}

/*
 * Marks in @kept the nodes with the highest shares, NODES_MAX of them at most.  A parent costs at least what its
 * children do and comes before them, so the nodes that are kept are a tree.  Returns whether all are kept.
 */
static bool choose_nodes(struct page_maker *m, size_t count, bool *kept)
{
    struct node_share *order = calloc(count, sizeof *order);

    if (order == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *whole = profile_tree_counts(m->p, 0, true), *mine = profile_tree_counts(m->p, i, true);

        order[i].node = i;
        for (size_t e = 0; e < m->r->event_count; e++) {
            const double share = whole[e] != 0 ? (double)mine[e] / (double)whole[e] : 0;

            order[i].share = share > order[i].share ? share : order[i].share;
        }
    }
    qsort(order, count, sizeof *order, by_share);
    for (size_t i = 0; i < count && i < NODES_MAX; i++) {
        kept[order[i].node] = true;
    }
    if (count > NODES_MAX) {
        leave_out(m, "The flame graph has %u calls of %zu: those with at least %.4f %% of the cost.", NODES_MAX, count,
                  100 * order[NODES_MAX - 1].share);
    }
    free(order);
    return count <= NODES_MAX;
}

static json_t *tree_of(struct page_maker *m)
{
    size_t count;
    const struct profile_node *nodes = profile_tree(m->p, &count);
    const size_t events = m->r->event_count;
    json_t *parents = json_array(), *functions = json_array(), *images = json_array(), *calls = json_array();
    json_t *self = columns(m);
    bool *kept = calloc(count + 1, sizeof *kept);
    uint32_t *number = calloc(count + 1, sizeof *number);
    uint64_t *costs = calloc((count + 1) * events, sizeof *costs);

    if (nodes != NULL && kept != NULL && number != NULL && costs != NULL) {
        uint32_t used = 0;

        choose_nodes(m, count, kept);
        /* What is left out is added to the node above it, from below. */
        for (size_t i = count; i-- > 0;) {
            const uint64_t *mine = profile_tree_counts(m->p, (uint32_t)i, false);
            const size_t to = kept[i] || i == 0 ? i : nodes[i].parent;

            for (size_t e = 0; e < events; e++) {
                costs[to * events + e] += mine[e] + (to == i ? 0 : costs[i * events + e]);
            }
        }
        for (size_t i = 0; i < count; i++) {
            const uint32_t f = nodes[i].function;

            if (!kept[i]) {
                continue;
            }
            number[i] = used++;
            json_array_append_new(parents, json_integer(i == 0 ? -1 : (json_int_t)number[nodes[i].parent]));
            json_array_append_new(functions, json_integer(f == PROFILE_NONE || m->function[f] == NONE
                                                              ? -1 : (json_int_t)m->function[f]));
            json_array_append_new(images, json_integer(nodes[i].image == PROFILE_NONE ? -1
                                                                                      : (json_int_t)nodes[i].image));
            append(calls, nodes[i].calls);
            append_counts(m, self, &costs[i * events]);
        }
    }
    free(kept);
    free(number);
    free(costs);
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "parent", parents, "function", functions, "image", images, "calls",
                     calls, "self", self);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Code and its sources.
 */

/* The lines of a source that the page needs. */
struct source_lines {
    uint32_t *wanted;
    size_t count, room;
};

static int by_line(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* Notes that the page needs the lines around @line. */
static void want_lines(struct source_lines *s, uint32_t line)
{
    if (s->count + 2 * AROUND + 1 > s->room) {
        const size_t room = 2 * s->room + 64;
        uint32_t *grown = realloc(s->wanted, room * sizeof *grown);

        if (grown == NULL) {
            return; /* the page lacks these lines */
        }
        s->wanted = grown;
        s->room = room;
    }
    for (uint32_t l = line > AROUND ? line - AROUND : 1; l <= line + AROUND; l++) {
        s->wanted[s->count++] = l;
    }
}

/* Returns the source @number of the profile with the wanted lines that it has. */
static json_t *source_of(struct page_maker *m, struct annotate_sources *from, uint32_t number, struct source_lines *s,
                         size_t *room)
{
    json_t *numbers = json_array(), *texts = json_array();

    qsort(s->wanted, s->count, sizeof *s->wanted, by_line);
    for (size_t i = 0; i < s->count && *room > 0; i++) {
        const char *text = i > 0 && s->wanted[i] == s->wanted[i - 1]
                               ? NULL : annotate_source_line(from, number, s->wanted[i]);
        char line[LINE_MAX_LENGTH];

        if (text != NULL) {
            snprintf(line, sizeof line, "%s", text);
            append(numbers, s->wanted[i]);
            json_array_append_new(texts, text_of(line));
            (*room)--;
        }
    }
    return json_pack("{s:o, s:o, s:o}", "path", text_of(profile_source(m->p, number)), "number", numbers, "text",
                     texts);
}

/* Returns the code of @listing, and notes the lines it needs. */
static json_t *listing_of(struct page_maker *m, const struct annotate_listing *listing, struct source_lines *lines)
{
    json_t *offsets = json_array(), *texts = json_array(), *sources = json_array(), *numbers = json_array();
    json_t *self = columns(m);

    for (size_t i = 0; i < listing->count; i++) {
        const struct annotate_instruction *insn = &listing->data[i];
        const bool known = insn->source != PROFILE_NONE && insn->line != 0;

        append(offsets, insn->address);
        json_array_append_new(texts, insn->text != NULL ? text_of(insn->text)
                                     : json_sprintf(insn->length == 2 ? ".hword 0x%04" PRIx32 : ".word 0x%08" PRIx32,
                                                    insn->word));
        if (known && m->source[insn->source] == NONE) {
            m->source[insn->source] = m->source_count++;
        }
        json_array_append_new(sources, json_integer(known ? (json_int_t)m->source[insn->source] : -1));
        append(numbers, known ? insn->line : 0);
        append_counts(m, self, &listing->counts[i * m->r->event_count]);
        if (known) {
            want_lines(&lines[insn->source], insn->line);
        }
    }
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}", "function", (json_int_t)m->function[listing->function],
                     "offset", offsets, "text", texts, "source", sources, "line", numbers, "self", self);
}

/* Returns the code of the hottest functions.  One that is too long for what room is left is passed over. */
static json_t *code_of(struct page_maker *m, struct source_lines *lines)
{
    const struct profile_table *t = &m->by_function;
    json_t *code = json_array();
    const char *why = NULL;
    size_t rows = 0, known = 0;

    for (size_t i = 0; i < t->count; i++) {
        const uint32_t number = t->rows[i].function;
        const struct profile_function *f = number != PROFILE_NONE ? profile_function(m->p, number) : NULL;
        struct annotate_listing listing = {.function = number};

        if (f == NULL || f->start == f->end || t->self[i * m->r->event_count] == 0 || m->function[number] == NONE) {
            continue;
        }
        known++;
        if (json_array_size(code) < LISTED_MAX && annotate_list(m->p, number, &listing) && listing.count != 0 &&
            rows + listing.count <= ROWS_MAX) {
            rows += listing.count;
            annotate_disassemble(m->p, &listing, &why);
            json_array_append_new(code, listing_of(m, &listing, lines));
        }
        annotate_free(&listing);
    }
    if (json_array_size(code) < known) {
        leave_out(m, "The page has the code of %zu of the hottest functions, of %zu.", json_array_size(code), known);
    }
    if (why != NULL) {
        leave_out(m, "Instructions are words: %s.", why);
    }
    return code;
}

/* Adds the members code and sources to @data. */
static void add_code(struct page_maker *m, json_t *data)
{
    const size_t total = profile_source_count(m->p);
    struct source_lines *lines = calloc(total + 1, sizeof *lines);
    struct annotate_sources *from = annotate_sources_new(m->p, NULL);
    uint32_t *order = calloc(total + 1, sizeof *order);
    json_t *sources = json_array();
    size_t room = LINES_MAX;

    json_object_set_new(data, "code", lines != NULL ? code_of(m, lines) : json_array());
    for (uint32_t i = 0; order != NULL && i < total; i++) {
        if (m->source[i] != NONE) {
            order[m->source[i]] = i;
        }
    }
    for (uint32_t n = 0; order != NULL && lines != NULL && from != NULL && n < m->source_count; n++) {
        json_array_append_new(sources, source_of(m, from, order[n], &lines[order[n]], &room));
    }
    if (room == 0) {
        leave_out(m, "The page has %u lines of source, those of the hottest functions.", LINES_MAX);
    }
    for (size_t i = 0; lines != NULL && i < total; i++) {
        free(lines[i].wanted);
    }
    free(lines);
    free(order);
    annotate_sources_free(from);
    json_object_set_new(data, "sources", sources);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The rest.
 */

static json_t *intervals_of(const struct page_maker *m)
{
    const struct recording *r = m->r;
    json_t *start = json_array(), *end = json_array(), *counts = columns(m);

    for (size_t i = 0; i < r->interval_count; i++) {
        append(start, r->intervals[i].start_ns);
        append(end, r->intervals[i].end_ns);
        append_counts(m, counts, &r->interval_counts[i * r->event_count]);
    }
    return json_pack("{s:o, s:o, s:o}", "start", start, "end", end, "counts", counts);
}

/* Computes the metric @name of @set from the totals of the recording.  Returns whether it has a value. */
static bool metric_value(const struct page_maker *m, const struct apmu_metric_set *set, const json_t *totals,
                         const char *name, double *value)
{
    double counts[APMU_FORMULA_EVENTS], constants[APMU_FORMULA_CONSTANTS] = {[APMU_FORMULA_SLOTS] = set->slots};
    struct apmu_metric metric;
    struct apmu_formula formula;

    if (!apmu_metric_by_name(set, name, &metric) ||
        apmu_formula_parse(metric.formula, NULL, &formula, NULL) != APMU_OK) {
        return false;
    }
    for (uint32_t i = 0; i < formula.event_count; i++) {
        counts[i] = -1;
        for (size_t e = 0; e < m->r->event_count; e++) {
            if (strcmp(m->r->events[e].name, formula.events[i].name) == 0) {
                counts[i] = (double)json_integer_value(json_array_get(totals, e));
            }
        }
    }
    return apmu_formula_value(&formula, counts, constants, value) == APMU_FORMULA_DEFINED;
}

/* Adds the members topdown and next to @data: the roots of the decision tree, and the level below them. */
static void add_topdown(const struct page_maker *m, json_t *data)
{
    const struct apmu_metric_set *set = apmu_metric_set_of(apmu_core_by_name(m->r->core), 0);
    const json_t *totals = json_object_get(data, "totals");
    json_t *rows = json_array();
    const struct apmu_topdown *row;
    const char *next = "";
    double most = 0, value;

    for (size_t i = 0; (row = apmu_topdown_at(set, i)) != NULL; i++) {
        char word[64];

        if (!row->root || !metric_value(m, set, totals, row->metric, &value)) {
            continue;
        }
        json_array_append_new(rows, json_pack("{s:s, s:i, s:f}", "name", row->metric, "depth", 0, "value", value));
        if (value > most && strcmp(row->metric, "retiring") != 0) {
            most = value;
            next = row->next;
        }
        for (const char *at = row->next; sscanf(at, "%63s", word) == 1; at += strspn(at, " ") + strlen(word)) {
            if (metric_value(m, set, totals, word, &value)) {
                json_array_append_new(rows, json_pack("{s:s, s:i, s:f}", "name", word, "depth", 1, "value", value));
            }
        }
    }
    json_object_set_new(data, "topdown", rows);
    json_object_set_new(data, "next", json_string(next));
}

/* Returns how the program ended, in words. */
static json_t *ending_of(const struct recording *r)
{
    return WIFSIGNALED(r->wait_status) ? json_sprintf("signal %d", WTERMSIG(r->wait_status))
                                       : json_sprintf("exit status %d", WEXITSTATUS(r->wait_status));
}

static json_t *files_of(const struct recording *r)
{
    json_t *files = json_array();

    for (size_t i = 0; i < r->file_count; i++) {
        json_array_append_new(files, text_of(r->files[i].path));
    }
    return files;
}

static json_t *images_of(const struct recording *r)
{
    json_t *images = json_array();

    for (size_t i = 0; i < r->image_count; i++) {
        json_array_append_new(images, json_pack("{s:i, s:o, s:o}", "pid", (int)r->images[i].pid, "name",
                                                text_of(r->images[i].name), "command",
                                                text_of(r->images[i].command)));
    }
    return images;
}

/* Adds the members that describe the run to @data. */
static void add_run(const struct page_maker *m, const char *name, json_t *data)
{
    const struct recording *r = m->r;
    const char *remarks[] = {r->remarks, profile_remarks(m->p)};
    char *both = NULL;

    if (asprintf(&both, "%s%s%s", remarks[0], remarks[0][0] != '\0' ? "\n" : "", remarks[1]) < 0) {
        both = NULL;
    }
    json_object_set_new(data, "title", text_of(r->image_count != 0 ? r->images[0].name : "nothing"));
    json_object_set_new(data, "file", text_of(name));
    json_object_set_new(data, "tool", text_of(r->tool));
    json_object_set_new(data, "engine", text_of(r->engine));
    json_object_set_new(data, "emulator", text_of(r->emulator));
    json_object_set_new(data, "command", text_of(r->command));
    json_object_set_new(data, "core", text_of(r->core));
    json_object_set_new(data, "remarks", text_of(both != NULL ? both : remarks[0]));
    json_object_set_new(data, "complete", json_boolean(r->complete));
    json_object_set_new(data, "sampled", json_boolean(r->sampled));
    json_object_set_new(data, "call_graph", json_boolean(r->call_graph));
    json_object_set_new(data, "ending", ending_of(r));
    json_object_set_new(data, "elapsed_ns", json_integer((json_int_t)r->elapsed_ns));
    json_object_set_new(data, "begun", json_integer((json_int_t)r->begun_unix));
    free(both);
}

/* Returns the data of one recording, or NULL if there is no memory. */
static json_t *recording_data(struct profile *p, const char *name)
{
    const size_t functions = profile_function_count(p), sources = profile_source_count(p);
    struct page_maker m = {.p = p, .r = profile_recording(p), .left_out = json_array()};
    json_t *data = NULL;

    m.function = malloc((functions + 1) * sizeof *m.function);
    m.source = malloc((sources + 1) * sizeof *m.source);
    if (m.function != NULL && m.source != NULL && profile_table(p, PROFILE_BY_FUNCTION, 0, &m.by_function)) {
        memset(m.function, 0xff, (functions + 1) * sizeof *m.function);
        memset(m.source, 0xff, (sources + 1) * sizeof *m.source);
        data = json_object();
        add_run(&m, name, data);
        json_object_set_new(data, "events", events_of(&m));
        json_object_set_new(data, "totals", totals_of(&m));
        json_object_set_new(data, "files", files_of(m.r));
        json_object_set_new(data, "images", images_of(m.r));
        json_object_set_new(data, "threads", threads_of(&m));
        json_object_set_new(data, "functions", functions_of(&m));
        json_object_set_new(data, "tree", tree_of(&m));
        json_object_set_new(data, "intervals", intervals_of(&m));
        add_code(&m, data);
        add_topdown(&m, data);
        json_object_set(data, "left_out", m.left_out);
        profile_table_free(&m.by_function);
    }
    free(m.function);
    free(m.source);
    json_decref(m.left_out);
    return data;
}

json_t *to_page(struct profile *const p[], const char *const names[], size_t count)
{
    json_t *recordings = json_array();

    for (size_t i = 0; i < count; i++) {
        json_t *data = recording_data(p[i], names[i]);

        if (data == NULL) {
            json_decref(recordings);
            return NULL;
        }
        json_array_append_new(recordings, data);
    }
    return json_pack("{s:i, s:s, s:o}", "format", PAGE_FORMAT, "kind", "profile", "recordings", recordings);
}
