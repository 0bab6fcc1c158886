/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The format of callgrind: the costs of each function by instruction and line, and of each call that it makes.
 *
 *      fn=(12) inflate                         the function; its name follows the number once
 *      0x1f30 215 4096                         address in the file, line, cost of the instruction
 *      cfn=(31) inflate_fast
 *      calls=70 0x2810 50                      how often, and where the callee begins
 *      0x1f34 216 901200                       the call: address, line, cost of all that it caused
 *
 * callgrind adds up the cost of a recursive call at each depth, so that its sums count some costs several times.  Here
 * a call of a function that is already active has the cost 0: the costs of all calls of a function add up to what it
 * caused, once.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "to_formats.h"
#include "to_pairs.h"
#include "to_words.h"

/* A row of `code` by what it is sorted by. */
struct callgrind_place {
    uint32_t function;
    uint32_t row;
    uint64_t offset;
};

/* A call from one place to one function. */
struct arc {
    uint32_t caller, callee; /* functions */
    uint64_t site;           /* the address in the caller's file */
    uint32_t source, line;
    uint64_t calls;
    const uint64_t *costs; /* NULL: the callee was active */
    size_t order;
};

/* Code of another function that ran in the frame of a node. */
struct fragment {
    uint32_t node, function;
    size_t row; /* of the costs */
};

struct callgrind_writer {
    struct to_out *out;
    const struct profile *profile;
    const struct recording *r;
    const struct to_options *options;
    struct to_words sources;
    size_t functions;    /* the last but one stands for PROFILE_NONE, the last one for what called roots */
    bool *named;         /* the function's name was written */
    bool *file_named;    /* the same for files */
    size_t source_named; /* the same for sources, whose numbers grow */
    struct callgrind_place *code;  /* by function and offset */
    struct arc *arcs;    /* by caller and site */
    size_t arc_count;
    struct fragment *fragments; /* by node */
    uint64_t *fragment_costs;
    size_t fragment_count, fragment_room;
    uint64_t *totals; /* of each node, with all below it */
    uint64_t *sums;   /* of each event */
    uint64_t *costs;  /* of one line */
    uint32_t current; /* the source whose lines follow */
};

/* Returns what is known of function @function; of the last two, nothing. */
static struct profile_function function_of(const struct callgrind_writer *w, uint32_t function)
{
    if (function < w->functions - 2) {
        return *profile_function(w->profile, function);
    }
    return (struct profile_function){.file = PROFILE_NONE, .symbol = "", .source = "",
                                     .name = function == w->functions - 2 ? "[unknown]" : "[threads]"};
}

static uint32_t number_of(const struct callgrind_writer *w, uint32_t function)
{
    return function < w->functions - 2 ? function : (uint32_t)w->functions - 2;
}

static void write_function(struct callgrind_writer *w, const char *tag, uint32_t function)
{
    to_printf(w->out, "%s=(%u)", tag, function + 1);
    if (!w->named[function]) {
        w->named[function] = true;
        to_put(w->out, " ", 1);
        const bool known = function < profile_function_count(w->profile);
        struct to_label label;

        to_line(w->out, known ? to_label(w->profile, function, &label) : function_of(w, function).name, '\0');
    }
    to_put(w->out, "\n", 1);
}

static void write_file(struct callgrind_writer *w, const char *tag, uint32_t file)
{
    const size_t row = file == PROFILE_NONE ? w->r->file_count : file;

    to_printf(w->out, "%s=(%zu)", tag, row + 1);
    if (!w->file_named[row]) {
        w->file_named[row] = true;
        to_put(w->out, " ", 1);
        to_line(w->out, file == PROFILE_NONE ? "???" : w->r->files[file].path, '\0');
    }
    to_put(w->out, "\n", 1);
}

static void write_source(struct callgrind_writer *w, const char *tag, uint32_t source)
{
    to_printf(w->out, "%s=(%u)", tag, source + 1);
    if (source >= w->source_named) {
        w->source_named = source + 1;
        /*
         * callgrind_annotate drops its own folder from the beginning of a path after "fl=", but not after "cfi=", so a
         * function would be two.  No folder begins with two slashes.
         */
        to_text(w->out, w->sources.texts[source][0] == '/' ? " /" : " ");
        to_line(w->out, w->sources.texts[source], '\0');
    }
    to_put(w->out, "\n", 1);
}

/* Returns the number of the source file @path. */
static uint32_t source_number(struct callgrind_writer *w, const char *path)
{
    const size_t count = w->sources.count;
    const uint32_t number = to_word(&w->sources, path[0] != '\0' ? path : "???");

    /* A new one is written at once, so that numbers are named in their order. */
    if (w->sources.failed) {
        to_fail(w->out, "there is not enough memory");
    } else if (w->sources.count > count && number != w->source_named) {
        to_fail(w->out, "its source files are out of order");
    }
    return number;
}

/* Makes @source the file of the lines that follow, in a function that begins in @home. */
static void enter_source(struct callgrind_writer *w, uint32_t source, uint32_t home)
{
    if (source != w->current && !w->out->failed) {
        write_source(w, source == home ? "fe" : "fi", source);
        w->current = source;
    }
}

static void write_costs(struct callgrind_writer *w, uint64_t offset, uint32_t line)
{
    to_printf(w->out, "0x%llx %u", (unsigned long long)offset, line);
    for (uint32_t e = 0; e < w->r->event_count; e++) {
        if (to_wants(w->options, e)) {
            to_put(w->out, " ", 1);
            to_number(w->out, w->costs[e]);
        }
    }
    to_put(w->out, "\n", 1);
}

static void add_costs(uint64_t *sum, const uint64_t *counts, size_t events)
{
    for (size_t e = 0; e < events; e++) {
        sum[e] += counts[e];
    }
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_places(const void *first, const void *second)
{
    const struct callgrind_place *a = first, *b = second;
    int order = compare_numbers(a->function, b->function);

    if (order == 0) {
        order = compare_numbers(a->offset, b->offset);
    }
    return order != 0 ? order : compare_numbers(a->row, b->row);
}

static int compare_arcs(const void *first, const void *second)
{
    const struct arc *a = first, *b = second;
    int order = compare_numbers(a->caller, b->caller);

    if (order == 0) {
        order = compare_numbers(a->site, b->site);
    }
    if (order == 0) {
        order = compare_numbers(a->callee, b->callee);
    }
    return order != 0 ? order : compare_numbers(a->order, b->order);
}

static int compare_fragments(const void *first, const void *second)
{
    const struct fragment *a = first, *b = second;
    const int order = compare_numbers(a->node, b->node);

    return order != 0 ? order : compare_numbers(a->row, b->row);
}

/* Notes a pair whose code belongs to another function than its node. */
static bool add_fragment(void *context, const struct to_pair *pair)
{
    struct callgrind_writer *w = context;
    const size_t events = w->r->event_count;
    const uint32_t function = number_of(w, profile_place(w->profile, pair->code)->function);

    if (pair->node == RECORDING_NONE || number_of(w, profile_entry(w->profile, pair->node)) == function) {
        return true;
    }
    if (w->fragment_count == w->fragment_room) {
        const size_t room = w->fragment_room == 0 ? 64 : 2 * w->fragment_room;
        struct fragment *fragments = realloc(w->fragments, room * sizeof *fragments);

        w->fragments = fragments != NULL ? fragments : w->fragments;
        uint64_t *costs = fragments != NULL ? realloc(w->fragment_costs, room * events * sizeof *costs) : NULL;

        if (costs == NULL) {
            return false;
        }
        w->fragment_costs = costs;
        w->fragment_room = room;
    }
    memcpy(&w->fragment_costs[w->fragment_count * events], pair->counts, events * sizeof *pair->counts);
    w->fragments[w->fragment_count] =
        (struct fragment){.node = pair->node, .function = function, .row = w->fragment_count};
    w->fragment_count++;
    return true;
}

/* Adds the arc of the call that entered node @node; each function is on the path to it @active times. */
static void add_arc(struct callgrind_writer *w, uint32_t node, const uint32_t *active)
{
    const struct recording_node *n = &w->r->nodes[node];
    const struct profile_place site = profile_site(w->profile, node);
    struct arc *arc = &w->arcs[w->arc_count++];
    const uint32_t callee = number_of(w, profile_entry(w->profile, node));

    *arc = (struct arc){.callee = callee, .calls = n->calls, .order = w->arc_count,
                        .costs = active[callee] == 0 ? &w->totals[node * w->r->event_count] : NULL};
    if (n->parent == RECORDING_NONE) {
        arc->caller = (uint32_t)w->functions - 1;
        arc->source = PROFILE_NONE;
    } else if (site.function != PROFILE_NONE) {
        arc->caller = site.function;
        arc->site = site.offset;
        arc->source = site.source;
        arc->line = site.line;
    } else {
        arc->caller = number_of(w, profile_entry(w->profile, n->parent));
        arc->site = function_of(w, arc->caller).start;
        arc->source = PROFILE_NONE;
        arc->line = function_of(w, arc->caller).line;
    }
}

/* Adds arcs for the code of other functions in node @node; each function is on the path to it @active times. */
static void add_fragment_arcs(struct callgrind_writer *w, uint32_t node, const uint32_t *active)
{
    const uint32_t caller = number_of(w, profile_entry(w->profile, node));
    size_t low = 0, high = w->fragment_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (w->fragments[middle].node < node) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < w->fragment_count && w->fragments[low].node == node; low++) {
        const struct fragment *f = &w->fragments[low];
        struct arc *arc = &w->arcs[w->arc_count++];

        *arc = (struct arc){.caller = caller, .callee = f->function, .site = function_of(w, caller).start,
                            .source = PROFILE_NONE, .line = function_of(w, caller).line, .order = w->arc_count,
                            .costs = active[f->function] == 0 ? &w->fragment_costs[f->row * w->r->event_count] : NULL};
    }
}

/* Adds the arcs of all calls, walking each call tree in depth. */
static bool add_arcs(struct callgrind_writer *w)
{
    const size_t count = w->r->node_count;
    uint32_t *first = malloc((count + 1) * sizeof *first), *next = malloc((count + 1) * sizeof *next);
    uint32_t *active = calloc(w->functions, sizeof *active);
    const bool good = first != NULL && next != NULL && active != NULL;

    for (size_t i = 0; good && i <= count; i++) {
        first[i] = next[i] = RECORDING_NONE;
    }
    for (size_t i = count; good && i-- > 0;) { /* row `count` has the roots as its children */
        const size_t parent = w->r->nodes[i].parent == RECORDING_NONE ? count : w->r->nodes[i].parent;

        next[i] = first[parent];
        first[parent] = (uint32_t)i;
    }
    for (uint32_t node = good ? first[count] : RECORDING_NONE; node != RECORDING_NONE;) {
        add_arc(w, node, active);
        active[number_of(w, profile_entry(w->profile, node))]++;
        add_fragment_arcs(w, node, active);
        if (first[node] != RECORDING_NONE) {
            node = first[node];
            continue;
        }
        while (node != RECORDING_NONE) {
            active[number_of(w, profile_entry(w->profile, node))]--;
            if (next[node] != RECORDING_NONE) {
                node = next[node];
                break;
            }
            node = w->r->nodes[node].parent;
        }
    }
    free(first);
    free(next);
    free(active);
    return good;
}

/*
 * Drops the arcs of roots, which are the last, if no root is called elsewhere.  Readers take what the calls of a
 * function cost for its inclusive cost, and that of a function without a call from itself.
 */
static bool drop_roots(struct callgrind_writer *w)
{
    bool *called = calloc(w->functions, sizeof *called);
    size_t first = w->arc_count;
    bool needed = false;

    if (called == NULL) {
        return false;
    }
    while (first > 0 && w->arcs[first - 1].caller == w->functions - 1) {
        first--;
    }
    for (size_t i = 0; i < w->arc_count; i++) {
        if (i < first) {
            called[w->arcs[i].callee] = true;
        } else {
            needed |= called[w->arcs[i].callee];
        }
    }
    w->arc_count = needed ? w->arc_count : first;
    free(called);
    return true;
}

/* Adds up what each node caused. */
static void add_totals(struct callgrind_writer *w)
{
    const size_t events = w->r->event_count;

    if (w->r->node_count > 0) {
        memcpy(w->totals, w->r->node_counts, w->r->node_count * events * sizeof *w->totals);
    }
    for (size_t i = w->r->node_count; i-- > 0;) {
        const uint32_t parent = w->r->nodes[i].parent;

        if (parent != RECORDING_NONE) {
            add_costs(&w->totals[parent * events], &w->totals[i * events], events);
        }
    }
}

/* Fills the tables of @w.  Returns false if there is no memory. */
static bool begin(struct callgrind_writer *w)
{
    const size_t events = w->r->event_count;

    w->functions = profile_function_count(w->profile) + 2;
    w->named = calloc(w->functions, sizeof *w->named);
    w->file_named = calloc(w->r->file_count + 1, sizeof *w->file_named);
    w->code = calloc(w->r->code_count + 1, sizeof *w->code);
    w->totals = calloc(w->r->node_count * events + 1, sizeof *w->totals);
    w->sums = calloc(events + 1, sizeof *w->sums);
    w->costs = calloc(events + 1, sizeof *w->costs);
    if (w->named == NULL || w->file_named == NULL || w->code == NULL || w->totals == NULL || w->sums == NULL ||
        w->costs == NULL) {
        return false;
    }
    for (size_t i = 0; i < w->r->code_count; i++) {
        const struct profile_place *place = profile_place(w->profile, i);

        w->code[i] = (struct callgrind_place){.function = number_of(w, place->function), .row = (uint32_t)i,
                                    .offset = place->offset};
        add_costs(w->sums, &w->r->code_counts[i * events], events);
    }
    qsort(w->code, w->r->code_count, sizeof *w->code, compare_places);
    add_totals(w);
    if (w->r->node_count > 0) {
        if (!to_pairs(w->profile, add_fragment, w)) {
            return false;
        }
        qsort(w->fragments, w->fragment_count, sizeof *w->fragments, compare_fragments);
    }
    w->arcs = calloc(w->r->node_count + w->fragment_count + 1, sizeof *w->arcs);
    if (w->arcs == NULL || !add_arcs(w)) {
        return false;
    }
    qsort(w->arcs, w->arc_count, sizeof *w->arcs, compare_arcs);
    return drop_roots(w);
}

/* Writes the name that @event has in the file. */
static void write_event(struct to_out *out, const struct recording_event *event)
{
    for (const char *s = event->name; *s != '\0'; s++) {
        to_put(out, isalnum((unsigned char)*s) ? s : "_", 1);
    }
}

static void write_header(struct callgrind_writer *w)
{
    struct to_out *out = w->out;

    to_text(out, "# callgrind format\nversion: 1\ncreator: ");
    to_line(out, w->r->tool, '\0');
    to_printf(out, "\npid: %d\ncmd: ", w->r->image_count > 0 ? w->r->images[0].pid : 0);
    to_line(out, w->r->command, '\0');
    to_text(out, "\npart: 1\n\npositions: instr line");
    for (uint32_t e = 0; e < w->r->event_count; e++) {
        if (to_wants(w->options, e) && w->r->events[e].mark[0] != '\0') {
            to_text(out, "\nevent: ");
            write_event(out, &w->r->events[e]);
            to_text(out, " : ");
            to_line(out, recording_title(&w->r->events[e]).text, '\0');
        }
    }
    to_text(out, "\nevents:");
    for (uint32_t e = 0; e < w->r->event_count; e++) {
        if (to_wants(w->options, e)) {
            to_put(out, " ", 1);
            write_event(out, &w->r->events[e]);
        }
    }
    to_text(out, "\nsummary:");
    for (uint32_t e = 0; e < w->r->event_count; e++) {
        if (to_wants(w->options, e)) {
            to_put(out, " ", 1);
            to_number(out, w->sums[e]);
        }
    }
    to_text(out, "\n\n");
}

/* Writes the rows from @code on that have the same function and offset, as one.  Returns the next one. */
static size_t write_code(struct callgrind_writer *w, size_t code, uint32_t home)
{
    const size_t events = w->r->event_count;
    const struct callgrind_place first = w->code[code];
    const struct profile_place *place = profile_place(w->profile, first.row);
    const bool known = place->source != PROFILE_NONE;

    memset(w->costs, 0, events * sizeof *w->costs);
    for (; code < w->r->code_count && w->code[code].function == first.function &&
           w->code[code].offset == first.offset; code++) {
        add_costs(w->costs, &w->r->code_counts[w->code[code].row * events], events);
    }
    enter_source(w, known ? source_number(w, profile_source(w->profile, place->source)) : home, home);
    write_costs(w, first.offset, known ? place->line : 0);
    return code;
}

/* Writes the arcs from @arc on that have the same caller, site and callee, as one.  Returns the next one. */
static size_t write_arc(struct callgrind_writer *w, size_t arc, uint32_t home)
{
    const struct arc *first = &w->arcs[arc];
    const struct profile_function caller = function_of(w, first->caller), callee = function_of(w, first->callee);
    const size_t events = w->r->event_count;
    uint64_t calls = 0;

    memset(w->costs, 0, events * sizeof *w->costs);
    for (; arc < w->arc_count && w->arcs[arc].caller == first->caller && w->arcs[arc].site == first->site &&
           w->arcs[arc].callee == first->callee; arc++) {
        calls += w->arcs[arc].calls;
        if (w->arcs[arc].costs != NULL) {
            add_costs(w->costs, w->arcs[arc].costs, events);
        }
    }
    enter_source(w, first->source == PROFILE_NONE ? home : source_number(w, profile_source(w->profile, first->source)),
                 home);
    if (callee.file != caller.file) {
        write_file(w, "cob", callee.file);
    }
    write_source(w, "cfi", source_number(w, callee.source));
    write_function(w, "cfn", first->callee);
    to_printf(w->out, "calls=%llu 0x%llx %u\n", (unsigned long long)(calls > 0 ? calls : 1),
              (unsigned long long)callee.start, callee.line);
    write_costs(w, first->site, first->line);
    return arc;
}

/* Writes a function: its code from *@code on and its arcs from *@arc on, which move to the next function's. */
static void write_section(struct callgrind_writer *w, uint32_t function, size_t *code, size_t *arc)
{
    const struct profile_function f = function_of(w, function);
    const uint32_t home = source_number(w, f.source);

    write_file(w, "ob", f.file);
    if (!w->out->failed) {
        write_source(w, "fl", home);
    }
    write_function(w, "fn", function);
    w->current = home;
    while (!w->out->failed) {
        const bool has_code = *code < w->r->code_count && w->code[*code].function == function;
        const bool has_arc = *arc < w->arc_count && w->arcs[*arc].caller == function;

        if (has_code && (!has_arc || w->code[*code].offset <= w->arcs[*arc].site)) {
            *code = write_code(w, *code, home);
        } else if (has_arc) {
            *arc = write_arc(w, *arc, home);
        } else {
            break;
        }
    }
    to_put(w->out, "\n", 1);
}

void to_callgrind(struct to_out *out, struct profile *p, const struct to_options *options)
{
    struct callgrind_writer w = {.out = out, .profile = p, .r = profile_recording(p), .options = options};

    if (!begin(&w)) {
        to_fail(out, "there is not enough memory");
    } else {
        size_t code = 0, arc = 0;

        write_header(&w);
        while ((code < w.r->code_count || arc < w.arc_count) && !out->failed) {
            uint32_t next = arc < w.arc_count ? w.arcs[arc].caller : PROFILE_NONE;

            if (code < w.r->code_count && w.code[code].function < next) {
                next = w.code[code].function;
            }
            write_section(&w, next, &code, &arc);
        }
        to_text(out, "totals:");
        for (uint32_t e = 0; e < w.r->event_count; e++) {
            if (to_wants(options, e)) {
                to_put(out, " ", 1);
                to_number(out, w.sums[e]);
            }
        }
        to_put(out, "\n", 1);
    }
    to_words_free(&w.sources);
    free(w.named);
    free(w.file_named);
    free(w.code);
    free(w.arcs);
    free(w.fragments);
    free(w.fragment_costs);
    free(w.totals);
    free(w.sums);
    free(w.costs);
}
