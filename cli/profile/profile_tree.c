/* SPDX-License-Identifier: BSD-2-Clause */
/* Merges the call nodes of a recording into a tree by function. */
#include <stdlib.h>

#include "profile_internal.h"

#define IMAGE_KEY (UINT64_C(1) << 32) /* apart from functions */

/* Returns the child of @parent with this key, which is added if it is new; PROFILE_NONE if there is no memory. */
static uint32_t child_of(struct profile *p, struct profile_pairs *children, uint32_t parent, uint64_t key,
                         uint32_t image)
{
    const size_t events = p->r->event_count;
    uint32_t *place = profile_pair_at(children, parent, key);
    size_t room = p->tree_room;

    if (place == NULL || p->tree_count >= PROFILE_NONE - 1) {
        return PROFILE_NONE;
    }
    if (*place != PROFILE_NONE) {
        return *place;
    }
    if (!profile_grow((void **)&p->tree, p->tree_count, &room, sizeof *p->tree)) {
        return PROFILE_NONE;
    }
    if (room != p->tree_room) {
        size_t count_room = p->tree_room;

        if (!profile_grow((void **)&p->tree_self, p->tree_count, &count_room, events * sizeof *p->tree_self)) {
            return PROFILE_NONE;
        }
        p->tree_room = room;
    }
    *place = (uint32_t)p->tree_count++;
    p->tree[*place] = (struct profile_node){
        .parent = parent, .function = key < IMAGE_KEY ? (uint32_t)key : PROFILE_NONE, .image = image,
        .first_child = PROFILE_NONE, .next_sibling = PROFILE_NONE};
    for (size_t i = 0; i < events; i++) {
        p->tree_self[*place * events + i] = 0;
    }
    return *place;
}

static void add_counts(struct profile *p, uint32_t node, const uint64_t *counts)
{
    for (size_t i = 0; i < p->r->event_count; i++) {
        p->tree_self[node * p->r->event_count + i] += counts[i];
    }
}

/* Merges the nodes of the recording. */
static bool merge_nodes(struct profile *p, struct profile_pairs *children)
{
    const struct recording *r = p->r;
    uint32_t *merged = calloc(r->node_count + 1, sizeof *merged); /* the node of the tree for each of the recording */
    bool done = merged != NULL;

    for (size_t i = 0; done && i < r->node_count; i++) {
        const struct recording_node *n = &r->nodes[i];
        const uint32_t image = r->threads[n->thread].image;
        const uint32_t parent = n->parent != RECORDING_NONE ? merged[n->parent]
                              : child_of(p, children, 0, IMAGE_KEY | image, image);

        merged[i] = parent == PROFILE_NONE ? PROFILE_NONE : child_of(p, children, parent, p->entries[i], image);
        done = merged[i] != PROFILE_NONE;
        if (done) {
            p->tree[merged[i]].calls += n->calls;
            add_counts(p, merged[i], &r->node_counts[i * r->event_count]);
        }
    }
    free(merged);
    return done;
}

/* Makes the two levels of a recording without a call graph. */
static bool add_functions(struct profile *p, struct profile_pairs *children)
{
    const struct recording *r = p->r;

    for (size_t i = 0; i < r->code_count; i++) {
        const uint32_t image = r->threads[r->code[i].thread].image;
        const uint32_t parent = child_of(p, children, 0, IMAGE_KEY | image, image);
        const uint32_t node = parent == PROFILE_NONE ? PROFILE_NONE
                            : child_of(p, children, parent, p->places[i].function, image);

        if (node == PROFILE_NONE) {
            return false;
        }
        add_counts(p, node, &r->code_counts[i * r->event_count]);
    }
    return true;
}

/* Links children to their parents, in their order, and adds up. */
static bool finish(struct profile *p)
{
    const size_t events = p->r->event_count;

    p->tree_total = calloc(p->tree_count * events, sizeof *p->tree_total);
    if (p->tree_total == NULL) {
        return false;
    }
    for (size_t i = p->tree_count; i-- > 0;) {
        struct profile_node *parent = i == 0 ? NULL : &p->tree[p->tree[i].parent];

        for (size_t e = 0; e < events; e++) {
            p->tree_total[i * events + e] += p->tree_self[i * events + e];
            if (parent != NULL) {
                p->tree_total[p->tree[i].parent * events + e] += p->tree_total[i * events + e];
            }
        }
        if (parent != NULL) {
            p->tree[i].next_sibling = parent->first_child;
            parent->first_child = (uint32_t)i;
        }
    }
    return true;
}

const struct profile_node *profile_tree(struct profile *p, size_t *count)
{
    struct profile_pairs children = {0};
    bool done = true;

    if (p->tree == NULL) {
        done = child_of(p, &children, PROFILE_NONE, IMAGE_KEY | PROFILE_NONE, PROFILE_NONE) == 0 &&
               (p->r->node_count != 0 ? merge_nodes(p, &children) : add_functions(p, &children)) && finish(p);
        free(children.slots);
    }
    if (!done) {
        free(p->tree);
        free(p->tree_self);
        p->tree = NULL;
        p->tree_self = NULL;
        p->tree_count = p->tree_room = 0;
    }
    *count = p->tree_count;
    return p->tree;
}

const uint64_t *profile_tree_counts(struct profile *p, uint32_t node, bool total)
{
    return (total ? p->tree_total : p->tree_self) + node * p->r->event_count;
}
