/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the node of each call, and makes it when the call is new.
 *
 * Nodes of a recursion are bounded: a call that repeats an ancestor has that ancestor's node, if all functions in
 * between are above it as well.  Then the set of functions in progress is the same, so each function's cost with all
 * that it calls stays exact.
 */
#include "frames.h"

#include <stdlib.h>

#define ANCESTORS 512u /* nodes that are looked at for a call that repeats */
#define REPEATS 8u     /* calls of one function within each other that have nodes of their own ... */
#define PLENTY 4096u   /* ... as long as the thread has no more nodes than this */

static struct apmu_graph_node *parent_of(const struct apmu_graph_node *n)
{
    return n->parent == APMU_GRAPH_NONE ? NULL : nodes_at(n->parent);
}

/* Returns whether the function @entry is that of @n or of one of its ancestors. */
static bool is_above(const struct apmu_graph_node *n, uint64_t entry)
{
    for (unsigned i = 0; n != NULL && i < ANCESTORS; n = parent_of(n), i++) {
        if (n->entry == entry) {
            return true;
        }
    }
    return false;
}

/*
 * Returns the ancestor of @parent, or @parent itself, that stands for a call from @site of @entry as well: the same
 * call, and all functions in between are above it, too.  So the set of functions that are in progress is the same.
 * Returns NULL if there is none, or repeated calls still have nodes of their own.
 */
static struct apmu_graph_node *repeated(const struct shadow *s, struct apmu_graph_node *parent, uint64_t site,
                                        uint64_t entry)
{
    struct apmu_graph_node *found = NULL, *n = parent;
    unsigned times = 0;

    for (unsigned i = 0; n != NULL && i < ANCESTORS; n = parent_of(n), i++) {
        times += n->entry == entry;
        if (found == NULL && n->site == site && n->entry == entry) {
            found = n;
        }
    }
    if (found == NULL || (times < REPEATS && s->nodes < PLENTY)) {
        return NULL;
    }
    for (n = parent; n != found; n = parent_of(n)) {
        if (!is_above(found, n->entry)) {
            return NULL;
        }
    }
    return found;
}

/* Adds a node.  If there is no room, returns one that stands for all such. */
static struct apmu_graph_node *make_node(struct shadow *s, enum apmu_graph_kind kind,
                                         const struct apmu_graph_node *parent, uint64_t site, uint64_t entry)
{
    if (parent != NULL && parent == s->rest) {
        return s->rest;
    }
    const uint32_t n =
        nodes_add(kind, parent == NULL ? APMU_GRAPH_NONE : nodes_number(parent), s->thread, site, entry);

    if (n != APMU_GRAPH_NONE) {
        s->nodes++;
        return nodes_at(n);
    }
    nodes_note(APMU_GRAPH_FULL);
    return s->rest;
}

bool edges_resize(struct shadow *s, uint64_t rows)
{
    struct edge *old = s->edges, *made = calloc(rows, sizeof *made);
    const uint64_t old_rows = old != NULL ? s->edge_mask + 1 : 0;

    if (made == NULL) {
        return false;
    }
    s->edges = made;
    s->edge_mask = rows - 1;
    for (uint64_t i = 0; i < old_rows; i++) {
        if (old[i].child != 0) {
            *edges_row(s, old[i].parent, old[i].ret, old[i].entry) = old[i];
        }
    }
    free(old);
    return true;
}

/* Adds an edge.  Without memory it is found anew each time. */
static void add_edge(struct shadow *s, const struct edge *made)
{
    if (s->edge_count >= s->edge_mask / 2 && !edges_resize(s, (s->edge_mask + 1) * 2)) {
        return;
    }
    struct edge *e = edges_row(s, made->parent, made->ret, made->entry);
    s->edge_count += e->child == 0;
    *e = *made;
}

struct apmu_graph_node *edges_child(struct shadow *s, struct apmu_graph_node *parent, const struct arrival *a)
{
    const struct edge *e = edges_row(s, parent, a->ret, a->entry);

    if (e->child != 0) {
        return edges_node(e);
    }
    struct apmu_graph_node *child = a->kind == APMU_GRAPH_SIGNAL ? NULL : repeated(s, parent, a->site, a->entry);
    if (child == NULL) {
        child = make_node(s, a->kind, parent, a->site, a->entry);
    }
    add_edge(s, &(struct edge){a->ret, a->entry, parent, (uintptr_t)child | (a->indirect ? INDIRECT : 0)});
    return child;
}
