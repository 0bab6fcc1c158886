/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data of the page of `armpmu report --html`.  Tables are columns, because a page of many small objects would be
 * several times as long.  With E events and for each recording:
 *
 *      events[E] {name, mark, period}   totals[E]         the sums over all instructions
 *      files[]                          images[] {pid, name, command}
 *      threads {name[], tid[], image[], self[E][]}
 *      functions {name[], same[], file[], line[], self[E][], total[E][] or null}  of the symbols; `same` is the name by
 *                                                                             which another recording has it
 *      tree {parent[], function[], image[], calls[], self[E][]}               node 0 is all; a parent comes first
 *      code[] {function, offset[], text[], source[], line[], self[E][]}       the hottest functions
 *      sources[] {path, number[], text[]}                                     the lines of these
 *      intervals {start[], end[], counts[E][]}
 *      topdown[] {name, depth, value}, next
 *      title, file, tool, engine, emulator, command, core, remarks, complete, sampled, call_graph, ending, elapsed_ns,
 *      begun, left_out[]
 *
 * Numbers of functions, files and sources count from 0; -1 is none.  A page has room for 1.5 MB, so it has the
 * functions and the calls with the highest costs, and `left_out` says what it lacks.  Costs of calls that are left out
 * are in the node above them, so every sum is whole.
 */
#define _GNU_SOURCE
#include "to_page.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <armpmu/metrics.h>

#include "diff.h"
#include "page.h"
#include "to_page_maker.h"

#define NODES_MAX     12000u /* nodes of the call tree */
#define FUNCTIONS_MAX 4000u

void to_page_append(json_t *array, uint64_t n)
{
    json_array_append_new(array, json_integer((json_int_t)n));
}

json_t *to_page_columns(const struct page_maker *m)
{
    json_t *array = json_array();

    for (size_t e = 0; e < m->r->event_count; e++) {
        json_array_append_new(array, json_array());
    }
    return array;
}

void to_page_append_counts(const struct page_maker *m, json_t *array, const uint64_t *counts)
{
    for (size_t e = 0; e < m->r->event_count; e++) {
        to_page_append(json_array_get(array, e), counts[e]);
    }
}

void to_page_leave_out(struct page_maker *m, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_array_append_new(m->left_out, json_string(text));
}

static json_t *events_of(const struct page_maker *m)
{
    json_t *events = json_array();

    for (size_t i = 0; i < m->r->event_count; i++) {
        const struct recording_event *e = &m->r->events[i];

        json_array_append_new(events, json_pack("{s:o, s:o, s:I}", "name", view_json_text(e->name), "mark",
                                                view_json_text(e->mark), "period", (json_int_t)e->period));
    }
    return events;
}

/* Returns the sum of each event over all instructions. */
static json_t *totals_of(const struct page_maker *m)
{
    json_t *totals = json_array();

    for (size_t e = 0; e < m->r->event_count; e++) {
        to_page_append(totals, recording_sum(m->r, (uint32_t)e));
    }
    return totals;
}

static json_t *threads_of(struct page_maker *m)
{
    const struct recording *r = m->r;
    json_t *names = json_array(), *tids = json_array(), *images = json_array(), *self = to_page_columns(m);
    struct profile_table t;

    if (profile_table(m->p, PROFILE_BY_THREAD, 0, &t)) {
        for (size_t i = 0; i < t.count; i++) {
            const struct recording_thread *thread = &r->threads[t.rows[i].thread];

            json_array_append_new(
                names, view_json_text(thread->name[0] != '\0' ? thread->name : r->images[thread->image].name));
            json_array_append_new(tids, json_integer(thread->tid));
            to_page_append(images, thread->image);
            to_page_append_counts(m, self, &t.self[i * r->event_count]);
        }
        profile_table_free(&t);
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "name", names, "tid", tids, "image", images, "self", self);
}

/* Returns the name by which @f is found in another recording. */
static json_t *name_elsewhere(const struct page_maker *m, const struct profile_function *f)
{
    const char *file = f->file == PROFILE_NONE ? "" : m->r->files[f->file].path;
    char *name = diff_name(f->name, file, m->r->image_count > 0 ? m->r->images[0].name : "");
    json_t *text = view_json_text(name != NULL ? name : f->name);

    free(name);
    return text;
}

static json_t *functions_of(struct page_maker *m)
{
    const struct profile_table *t = &m->by_function;
    json_t *names = json_array(), *files = json_array(), *lines = json_array(), *self = to_page_columns(m);
    json_t *same = json_array();
    json_t *total = t->total != NULL ? to_page_columns(m) : json_null();
    size_t used = 0;

    for (size_t i = 0; i < t->count && used < FUNCTIONS_MAX; i++) {
        const uint32_t number = t->rows[i].function;
        const struct profile_function *f = profile_function(m->p, number);

        if (number == PROFILE_NONE || f == NULL) {
            continue;
        }
        m->function[number] = (uint32_t)used++;
        json_array_append_new(names, view_json_text(f->name));
        json_array_append_new(files, json_integer(f->file == PROFILE_NONE ? -1 : (json_int_t)f->file));
        json_array_append_new(same, name_elsewhere(m, f));
        to_page_append(lines, f->line);
        to_page_append_counts(m, self, &t->self[i * m->r->event_count]);
        if (t->total != NULL) {
            to_page_append_counts(m, total, &t->total[i * m->r->event_count]);
        }
    }
    if (used < t->count) {
        to_page_leave_out(m, "The table has the %zu functions with the highest costs, of %zu.", used, t->count);
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", names, "same", same, "file", files, "line", lines,
                     "self", self, "total", total);
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
        to_page_leave_out(m, "The flame graph has %u calls of %zu: those with at least %.4f %% of the cost.", NODES_MAX,
                          count, 100 * order[NODES_MAX - 1].share);
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
    json_t *self = to_page_columns(m);
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
            json_array_append_new(
                functions,
                json_integer(f == PROFILE_NONE || m->function[f] == PAGE_NONE ? -1 : (json_int_t)m->function[f]));
            json_array_append_new(images,
                                  json_integer(nodes[i].image == PROFILE_NONE ? -1 : (json_int_t)nodes[i].image));
            to_page_append(calls, nodes[i].calls);
            to_page_append_counts(m, self, &costs[i * events]);
        }
    }
    free(kept);
    free(number);
    free(costs);
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "parent", parents, "function", functions, "image", images, "calls",
                     calls, "self", self);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The rest.
 */

static json_t *intervals_of(const struct page_maker *m)
{
    const struct recording *r = m->r;
    json_t *start = json_array(), *end = json_array(), *counts = to_page_columns(m);

    for (size_t i = 0; i < r->interval_count; i++) {
        to_page_append(start, r->intervals[i].start_ns);
        to_page_append(end, r->intervals[i].end_ns);
        to_page_append_counts(m, counts, &r->interval_counts[i * r->event_count]);
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
        json_array_append_new(files, view_json_text(r->files[i].path));
    }
    return files;
}

static json_t *images_of(const struct recording *r)
{
    json_t *images = json_array();

    for (size_t i = 0; i < r->image_count; i++) {
        json_array_append_new(images, json_pack("{s:i, s:o, s:o}", "pid", (int)r->images[i].pid, "name",
                                                view_json_text(r->images[i].name), "command",
                                                view_json_text(r->images[i].command)));
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
    json_object_set_new(data, "title", view_json_text(r->image_count != 0 ? r->images[0].name : "nothing"));
    json_object_set_new(data, "file", view_json_text(name));
    json_object_set_new(data, "tool", view_json_text(r->tool));
    json_object_set_new(data, "engine", view_json_text(r->engine));
    json_object_set_new(data, "emulator", view_json_text(r->emulator));
    json_object_set_new(data, "command", view_json_text(r->command));
    json_object_set_new(data, "core", view_json_text(r->core));
    json_object_set_new(data, "remarks", view_json_text(both != NULL ? both : remarks[0]));
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
        to_page_add_code(&m, data);
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
