/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds the call graphs of a run to its recording.  Nodes without costs, calls and children are left out: the child of
 * fork has all nodes of its parent.
 */
#include "collect.h"

#include <stdlib.h>
#include <string.h>

/* What the addition of one graph needs. */
struct graph_adder {
    struct recording *r;
    const struct apmu_run_graph *g;
    const struct collect_shares *shares;
    uint32_t image;
    uint32_t map;      /* that has the address that was looked up last */
    uint32_t *threads; /* the recording's number of each thread of the graph */
    uint32_t *nodes;   /* the recording's number of each node */
    bool *used;
    uint64_t *counts;
};

bool collect_sources(struct collect_shares *s)
{
    s->source_count = 0;
    for (size_t i = 0; i < s->count; i++) {
        size_t n = 0;
        while (n < s->source_count && s->sources[n] != s->shares[i].source) {
            n++;
        }
        if (n == APMU_GRAPH_EVENTS) {
            return false;
        }
        if (n == s->source_count) {
            s->sources[s->source_count++] = (uint16_t)s->shares[i].source;
        }
    }
    return true;
}

/* Returns the map of the image that has @address, or RECORDING_NONE. */
static uint32_t map_at(struct graph_adder *a, uint64_t address)
{
    const struct recording *r = a->r;

    if (a->map < r->map_count && address >= r->maps[a->map].start && address < r->maps[a->map].end) {
        return a->map;
    }
    for (uint32_t i = 0; i < r->map_count && address != 0; i++) {
        if (r->maps[i].image == a->image && address >= r->maps[i].start && address < r->maps[i].end) {
            a->map = i;
            return i;
        }
    }
    return RECORDING_NONE;
}

/* Returns the recording's thread @tid of the image, which is added if it has none. */
static uint32_t thread_of(struct graph_adder *a, int32_t tid)
{
    for (uint32_t i = 0; i < a->r->thread_count; i++) {
        if (a->r->threads[i].image == a->image && a->r->threads[i].tid == tid) {
            return i;
        }
    }
    char none[] = "";
    return recording_add_thread(a->r, &(struct recording_thread){.image = a->image, .tid = tid, .name = none});
}

/* Marks the nodes that have costs or calls, and their ancestors. */
static void mark_used(struct graph_adder *a)
{
    for (uint32_t n = a->g->nodes; n-- > 0;) {
        const struct apmu_graph_node *node = apmu_run_graph_node(a->g, n);
        for (uint32_t e = 0; e < a->g->events; e++) {
            a->used[n] = a->used[n] || node->count[e] != 0;
        }
        if (a->used[n] && node->parent != APMU_GRAPH_NONE) {
            a->used[node->parent] = true;
        }
    }
}

/* Computes what the events counted at @node. */
static void count_events(struct graph_adder *a, const struct apmu_graph_node *node)
{
    memset(a->counts, 0, a->r->event_count * sizeof *a->counts);
    for (size_t i = 0; i < a->shares->count; i++) {
        const struct event_share *share = &a->shares->shares[i];
        for (uint32_t e = 0; e < a->g->events; e++) {
            if (a->shares->sources[e] == share->source) {
                a->counts[share->event] += share->times * node->count[e];
            }
        }
    }
}

/* Adds the nodes of the graph.  Returns false if there is no memory. */
static bool add_nodes(struct graph_adder *a)
{
    static const uint8_t kinds[] = {
        [APMU_GRAPH_CALL] = RECORDING_CALL, [APMU_GRAPH_TAIL] = RECORDING_CALL_TAIL,
        [APMU_GRAPH_SIGNAL] = RECORDING_CALL_SIGNAL, [APMU_GRAPH_ROOT] = RECORDING_CALL_ROOT};
    bool ok = true;

    for (uint32_t n = 0; n < a->g->nodes && ok; n++) {
        const struct apmu_graph_node *from = apmu_run_graph_node(a->g, n);
        if (!a->used[n]) {
            continue;
        }
        uint32_t *thread = &a->threads[from->thread];
        if (*thread == RECORDING_NONE) {
            *thread = thread_of(a, a->g->thread[from->thread].tid);
        }
        const struct recording_node node = {
            .thread = *thread, .parent = from->parent == APMU_GRAPH_NONE ? RECORDING_NONE : a->nodes[from->parent],
            .entry = from->entry, .entry_map = map_at(a, from->entry), .site = from->site,
            .site_map = map_at(a, from->site), .calls = from->calls, .kind = kinds[from->kind]};
        count_events(a, from);
        a->nodes[n] = recording_add_node(a->r, &node, a->counts);
        ok = *thread != RECORDING_NONE && a->nodes[n] != RECORDING_NONE;
    }
    return ok;
}

/* Adds the graph @g of the image @image. */
static bool add_graph(struct recording *r, const struct apmu_run_graph *g, uint32_t image,
                      const struct collect_shares *shares)
{
    struct graph_adder a = {.r = r, .g = g, .shares = shares, .image = image, .map = RECORDING_NONE};

    a.threads = malloc((g->threads + 1) * sizeof *a.threads);
    a.nodes = malloc((g->nodes + (size_t)1) * sizeof *a.nodes);
    a.used = calloc(g->nodes + (size_t)1, sizeof *a.used);
    a.counts = calloc(r->event_count + 1, sizeof *a.counts);
    bool ok = a.threads != NULL && a.nodes != NULL && a.used != NULL && a.counts != NULL;
    if (ok) {
        memset(a.threads, 255, (g->threads + 1) * sizeof *a.threads);
        mark_used(&a);
        ok = add_nodes(&a);
    }
    free(a.threads);
    free(a.nodes);
    free(a.used);
    free(a.counts);
    return ok;
}

/* Returns what is to be remarked of graphs with @notes, or "". */
static const char *remark_of(uint32_t notes)
{
    return notes & APMU_GRAPH_NO_REGISTERS ? "the emulator's registers cannot be read: the call graph has no functions"
           : notes & APMU_GRAPH_FULL
               ? "the call graph has more nodes than fit: costs of the rest are in one unknown root"
           : notes & APMU_GRAPH_CROWDED ? "more threads ran than fit: the call graph has the rest in one unknown root"
           : notes & APMU_GRAPH_DEEP    ? "calls were nested too deeply: the deepest have their costs in their callers"
                                        : "";
}

/* Adds the remark on @notes to those of @r. */
static bool add_remark(struct recording *r, uint32_t notes)
{
    const char *text = remark_of(notes);
    const size_t size = (r->remarks != NULL ? strlen(r->remarks) : 0) + strlen(text) + 2;
    char *both = text[0] != '\0' ? malloc(size) : NULL;

    if (both == NULL) {
        return text[0] == '\0';
    }
    const char *old = r->remarks != NULL ? r->remarks : "";
    both[0] = '\0';
    strcat(strcat(strcat(both, old), old[0] != '\0' ? "\n" : ""), text);
    const bool ok = recording_set_text(&r->remarks, both);
    free(both);
    return ok;
}

bool collect_graphs(struct recording *r, const struct apmu_run_record *record, const struct apmu_run *run,
                    const struct collect_shares *s)
{
    const struct apmu_run_graph *g;
    uint32_t notes = 0;
    bool ok = true;

    for (size_t n = 0; (g = apmu_run_graph(run, n)) != NULL && ok; n++) {
        uint32_t image = 0;
        while (image < record->image_count &&
               (record->images[image].pid != g->pid || record->images[image].start_ns != g->start_ns)) {
            image++;
        }
        notes |= g->notes;
        ok = image == record->image_count || add_graph(r, g, image, s);
    }
    r->call_graph = ok;
    return ok && add_remark(r, notes);
}
