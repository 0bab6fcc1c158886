/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the call tree of a profile. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "report.h"

/* The tree and how it is printed. */
struct walk {
    const struct report_view *report;
    const struct profile_node *nodes;
    size_t count;
    uint32_t *order;  /* children of each node, those of one parent next to each other, the dearest first */
    size_t *first;    /* where the children of node i begin in order; those of i + 1 end them */
    size_t printed, hidden;
};

static uint64_t cost_of(const struct walk *w, uint32_t node, bool total)
{
    return profile_tree_counts(w->report->profile, node, total)[w->report->events[0]];
}

static const char *name_of(const struct walk *w, uint32_t node)
{
    const struct profile_node *n = &w->nodes[node];

    return n->function != PROFILE_NONE ? profile_function(w->report->profile, n->function)->name
         : n->image != PROFILE_NONE ? profile_recording(w->report->profile)->images[n->image].name : "all";
}

/* Sorts @count children, the dearest first.  Few nodes have many. */
static void sort_children(const struct walk *w, uint32_t *children, size_t count)
{
    for (size_t gap = count / 2; gap > 0; gap /= 2) { /* shell sort: it needs no context */
        for (size_t i = gap; i < count; i++) {
            const uint32_t child = children[i];
            const uint64_t cost = cost_of(w, child, true);
            size_t at = i;

            while (at >= gap && (cost_of(w, children[at - gap], true) < cost ||
                   (cost_of(w, children[at - gap], true) == cost && children[at - gap] > child))) {
                children[at] = children[at - gap];
                at -= gap;
            }
            children[at] = child;
        }
    }
}

/* Lists the children of all nodes in order. */
static void list_children(struct walk *w)
{
    size_t at = 0;

    w->order = cli_allocate(NULL, w->count + 1, sizeof *w->order);
    w->first = cli_allocate(NULL, w->count + 1, sizeof *w->first);
    for (size_t i = 0; i < w->count; i++) {
        w->first[i] = at;
        for (uint32_t child = w->nodes[i].first_child; child != PROFILE_NONE; child = w->nodes[child].next_sibling) {
            w->order[at++] = child;
        }
        sort_children(w, &w->order[w->first[i]], at - w->first[i]);
    }
    w->first[w->count] = at;
}

static void print_text(const struct walk *w, uint32_t node, size_t depth)
{
    const struct terminal *t = &w->report->terminal;
    struct cli_number number;
    const uint64_t sum = w->report->sums[0], total = cost_of(w, node, true), self = cost_of(w, node, false);
    const int width = (int)strlen(cli_grouped(sum, &number));
    const size_t used = 2 * (9 + (size_t)width) + 2, left = t->width > used ? t->width - used : 20;
    size_t indent = 2 * depth;

    view_print_percent(t, view_percent(total, sum));
    fprintf(t->out, " %*s ", width, cli_grouped(total, &number));
    view_print_percent(t, view_percent(self, sum));
    fprintf(t->out, " %*s  ", width, cli_grouped(self, &number));
    if (t->width != 0 && indent > left / 2) { /* deeper nodes say how deep they are */
        char deep[24];

        snprintf(deep, sizeof deep, "[%zu] ", depth);
        indent = left / 2 > strlen(deep) ? left / 2 - strlen(deep) : 0;
        fprintf(t->out, "%*s%s", (int)indent, "", deep);
        indent += strlen(deep);
    } else {
        fprintf(t->out, "%*s", (int)indent, "");
    }
    terminal_cell(t, name_of(w, node), t->width == 0 || terminal_length(name_of(w, node)) <= left - indent
                  ? 0 : left - indent, false);
    fputc('\n', t->out);
}

static void print_fields(const struct walk *w, uint32_t node, size_t depth)
{
    const struct report_view *report = w->report;
    const struct recording *r = profile_recording(report->profile);
    const char *s = report->view.separator;
    FILE *out = report->terminal.out;

    for (size_t e = 0; e < report->event_count; e++) {
        const uint64_t self = profile_tree_counts(report->profile, node, false)[report->events[e]];
        const uint64_t total = profile_tree_counts(report->profile, node, true)[report->events[e]];

        view_print_name(&report->view, out, recording_title(&r->events[report->events[e]]).text);
        fprintf(out, "%s%" PRIu64 "%s%.4f%s%" PRIu64 "%s%.4f%s%zu%s%" PRIu64 "%s", s, self, s,
                view_percent(self, report->sums[e]), s, total, s, view_percent(total, report->sums[e]), s, depth, s,
                w->nodes[node].calls, s);
        view_print_name(&report->view, out, name_of(w, node));
        fputc('\n', out);
    }
}

static void print_json(const struct walk *w, uint32_t node, size_t depth)
{
    const struct report_view *report = w->report;
    const struct recording *r = profile_recording(report->profile);
    json_t *object = json_object(), *events = json_object();

    json_object_set_new(object, "node", json_integer(node));
    if (w->nodes[node].parent != PROFILE_NONE) {
        json_object_set_new(object, "parent", json_integer(w->nodes[node].parent));
    }
    json_object_set_new(object, "depth", json_integer((json_int_t)depth));
    json_object_set_new(object, w->nodes[node].function != PROFILE_NONE ? "function" : "process",
                        view_json_text(name_of(w, node)));
    json_object_set_new(object, "calls", view_json_count(w->nodes[node].calls));
    for (size_t e = 0; e < report->event_count; e++) {
        json_t *counts = json_object();

        json_object_set_new(counts, "self", view_json_count(
            profile_tree_counts(report->profile, node, false)[report->events[e]]));
        json_object_set_new(counts, "total", view_json_count(
            profile_tree_counts(report->profile, node, true)[report->events[e]]));
        json_object_set_new(events, r->events[report->events[e]].name, counts);
    }
    json_object_set_new(object, "events", events);
    view_json_marks(object, r, report->events, report->event_count);
    json_dumpf(object, report->terminal.out, JSON_PRESERVE_ORDER);
    fputc('\n', report->terminal.out);
    json_decref(object);
}

static void print_node(const struct walk *w, uint32_t node, size_t depth)
{
    switch (w->report->view.format) {
    case VIEW_TEXT: print_text(w, node, depth); break;
    case VIEW_FIELDS: print_fields(w, node, depth); break;
    case VIEW_JSON: print_json(w, node, depth); break;
    }
}

/* Prints the tree, each node before its children.  @next has, for each open node, the child that comes next. */
static void print_nodes(struct walk *w)
{
    size_t *next = cli_allocate(NULL, w->count + 1, sizeof *next);
    uint32_t node = 0;
    size_t depth = 0;

    memcpy(next, w->first, w->count * sizeof *next);
    if (w->count == 0) {
        free(next);
        return;
    }
    while (node != PROFILE_NONE) {
        uint32_t child;

        if (next[node] == w->first[node + 1]) {
            node = w->nodes[node].parent;
            depth--;
            continue;
        }
        child = w->order[next[node]++];
        if (view_percent(cost_of(w, child, true), w->report->sums[0]) < w->report->least ||
            (w->report->view.rows != 0 && w->printed >= w->report->view.rows)) {
            w->hidden++;
            continue;
        }
        print_node(w, child, depth);
        w->printed++;
        node = child;
        depth++;
    }
    free(next);
}

bool report_tree(const struct report_view *report)
{
    struct walk w = {.report = report};
    const bool text = report->view.format == VIEW_TEXT;
    struct cli_number number;

    w.nodes = profile_tree(report->profile, &w.count);
    if (w.nodes == NULL) {
        return false;
    }
    list_children(&w);
    if (text) {
        const int width = (int)strlen(cli_grouped(report->sums[0], &number));

        report_heading(report);
        fprintf(report->terminal.out, "\n%*s %*s  function\n", 8 + width, "total", 8 + width, "self");
    }
    print_nodes(&w);
    if (text && w.hidden > 0) {
        fprintf(report->terminal.out, "# %zu more, with what they call; --min=0 prints what costs less than %.4g %%\n",
                w.hidden, report->least);
    }
    free(w.order);
    free(w.first);
    return true;
}
