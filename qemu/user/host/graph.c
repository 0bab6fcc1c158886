/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the call graph of each image.  The file may hold anything: every number in it is checked before it is used, and
 * a node whose parent does not come before it ends the reading.
 */
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool graph_plan(struct apmu_run *run, const struct apmu_run_options *opt, struct apmu_refusal *no)
{
    if (opt->graph_source_count > APMU_GRAPH_EVENTS) {
        return host_refuse(no, 2, "a call graph of %zu events\nchoose %u or fewer", opt->graph_source_count,
                           APMU_GRAPH_EVENTS);
    }
    for (size_t i = 0; i < opt->graph_source_count; i++) {
        if (opt->graph_sources[i] >= APMU_SHAPE_ELEMENTS) {
            return host_refuse(no, 2, "a call graph of source %u: there is none\n", opt->graph_sources[i]);
        }
        run->graphed.source[i] = opt->graph_sources[i];
    }
    run->graphed.events = (uint32_t)opt->graph_source_count;
    return true;
}

static void name_file(const struct apmu_image_head *head, char name[64])
{
    snprintf(name, 64, APMU_GRAPH_PREFIX "%d.%u", (int)head->pid, (unsigned)head->graph - 1);
}

static bool read_all(int fd, void *to, size_t size, size_t offset)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = pread(fd, (char *)to + done, size - done, (off_t)(offset + done));
        if (n <= 0) {
            return false;
        }
        done += (size_t)n;
    }
    return true;
}

/* Returns whether node @n of @g refers to what is there. */
static bool is_sound(const struct apmu_run_graph *g, uint32_t n)
{
    const struct apmu_graph_node *node = apmu_run_graph_node(g, n);
    return (node->parent == APMU_GRAPH_NONE || node->parent < n) && node->thread < g->threads &&
           node->kind <= APMU_GRAPH_ROOT;
}

/* Adds to the node that @slot names what it counted and no node of its threads has.  @sums: what these have. */
static bool add_rest(struct apmu_run_graph *g, const struct apmu_graph_slot *slot, const uint64_t *sums)
{
    bool any = false;

    for (uint32_t e = 0; e < g->events; e++) {
        any = any || slot->tally[e] != sums[e];
    }
    if (!any) {
        return true;
    }
    const uint64_t n = (slot->node - 1) / apmu_graph_node_size(g->events);
    if (slot->node == 0 || n >= g->nodes) {
        return false;
    }
    struct apmu_graph_node *node = apmu_run_graph_node(g, (uint32_t)n);
    for (uint32_t e = 0; e < g->events; e++) {
        node->count[e] += slot->tally[e] - sums[e];
    }
    return true;
}

/* Adds what slots counted and no node has.  A slot without a node has a new root, for which there is room. */
static bool add_rests(struct apmu_run_graph *g, int fd)
{
    uint64_t(*sums)[APMU_GRAPH_EVENTS] = calloc(APMU_GRAPH_SLOTS, sizeof *sums);
    struct apmu_graph_slot *slot = malloc(sizeof *slot);
    bool done = sums != NULL && slot != NULL;

    for (uint32_t n = 0; done && n < g->nodes; n++) {
        const struct apmu_graph_node *node = apmu_run_graph_node(g, n);
        const uint32_t at = g->thread[node->thread].slot;
        for (uint32_t e = 0; at < APMU_GRAPH_SLOTS && e < g->events; e++) {
            sums[at][e] += node->count[e];
        }
    }
    for (uint32_t i = 0; done && i < APMU_GRAPH_SLOTS; i++) {
        done = read_all(fd, slot, sizeof *slot, offsetof(struct apmu_graph, slot) + i * sizeof *slot);
        if (done && !add_rest(g, slot, sums[i])) {
            if (g->threads == 0) {
                g->thread[g->threads++] = (struct apmu_graph_thread){g->pid, i};
            }
            *apmu_run_graph_node(g, g->nodes) = (struct apmu_graph_node){.parent = APMU_GRAPH_NONE,
                                                                         .kind = APMU_GRAPH_ROOT};
            memset(apmu_run_graph_node(g, g->nodes)->count, 0, g->events * sizeof(uint64_t));
            slot->node = g->nodes++ * apmu_graph_node_size(g->events) + 1;
            done = g->nodes < g->room && add_rest(g, slot, sums[i]);
        }
    }
    free(slot);
    free(sums);
    return done;
}

/* Reads the file @fd.  Returns false if it is not whole. */
static bool read_graph(int fd, const struct apmu_run *run, struct apmu_run_graph *g)
{
    struct apmu_graph_head head;

    if (!read_all(fd, &head, sizeof head, 0) || head.magic != APMU_PROTOCOL_MAGIC ||
        head.version != APMU_PROTOCOL_VERSION || head.events != run->graphed.events ||
        head.threads > APMU_GRAPH_THREADS || head.nodes > APMU_GRAPH_NODES) {
        return false;
    }
    g->events = head.events;
    g->threads = head.threads;
    g->nodes = head.nodes;
    g->notes = head.notes;
    g->room = head.nodes + APMU_GRAPH_SLOTS + 1;
    g->thread = calloc(head.threads + 1, sizeof *g->thread);
    g->node = calloc(g->room, apmu_graph_node_size(g->events));
    if (g->thread == NULL || g->node == NULL ||
        !read_all(fd, g->thread, head.threads * sizeof *g->thread, offsetof(struct apmu_graph, thread)) ||
        !read_all(fd, g->node, head.nodes * apmu_graph_node_size(g->events), offsetof(struct apmu_graph, nodes))) {
        return false;
    }
    for (uint32_t n = 0; n < g->nodes; n++) {
        if (!is_sound(g, n)) {
            return false;
        }
    }
    return add_rests(g, fd);
}

static void free_graph(struct apmu_run_graph *g)
{
    free(g->thread);
    free(g->node);
    *g = (struct apmu_run_graph){.pid = 0};
}

/* Makes room for one more graph.  Returns false if there is no memory. */
static bool add_room(struct apmu_run *run)
{
    if (run->graph_count < run->graph_room) {
        return true;
    }
    const size_t room = run->graph_room * 2 + 8;
    struct apmu_run_graph *more = realloc(run->graphs, room * sizeof *more);

    if (more == NULL) {
        return false;
    }
    run->graphs = more;
    run->graph_room = room;
    return true;
}

/* Adds @g.  Those of images that ended come first. */
static void add_graph(struct apmu_run *run, const struct apmu_run_graph *g, bool ended)
{
    run->graphs[run->graph_count++] = *g;
    if (ended) {
        run->graphs[run->graph_count - 1] = run->graphs[run->graphs_ended];
        run->graphs[run->graphs_ended++] = *g;
    }
}

void graph_drop(struct apmu_run *run)
{
    while (run->graph_count > run->graphs_ended) {
        free_graph(&run->graphs[--run->graph_count]);
    }
}

void graph_collect(struct apmu_run *run, const struct apmu_image_head *head, bool ended)
{
    struct apmu_run_graph g = {.pid = head->pid, .image = head->graph - 1};
    char name[64];

    if (run->graphed.events == 0 || head->graph == 0) {
        return;
    }
    name_file(head, name);
    const bool room = add_room(run);
    const int fd = room ? openat(run->dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;

    if (fd < 0) {
        shared_lose(run, name, room ? "was removed" : "could not be read: out of memory");
        return;
    }
    g.start_ns = head->start_ns > run->start_ns ? head->start_ns - run->start_ns : 0;
    if (read_graph(fd, run, &g)) {
        add_graph(run, &g, ended);
    } else {
        free_graph(&g);
        shared_lose(run, name, "was changed, or there is no memory to read it");
    }
    close(fd);
}

void graph_remove(struct apmu_run *run, const struct apmu_image_head *head)
{
    char name[64];

    if (head->graph != 0) {
        name_file(head, name);
        unlinkat(run->dirfd, name, 0);
    }
}

void graph_free(struct apmu_run *run)
{
    for (size_t i = 0; i < run->graph_count; i++) {
        free_graph(&run->graphs[i]);
    }
    free(run->graphs);
}

const struct apmu_run_graph *apmu_run_graph(const struct apmu_run *run, size_t n)
{
    return n < run->graph_count ? &run->graphs[n] : NULL;
}
