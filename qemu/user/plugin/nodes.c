/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tree of nodes of a call graph, in a file that the tool reads.
 *
 * The file is sparse and mapped whole, because translated code adds to its slots.  Room is made for the slot of a
 * vCPU when it begins, and for nodes by the chunk.  The child of fork has the same nodes with counts of 0, so its
 * stack goes on; the tool leaves out nodes without costs.
 */
#define _GNU_SOURCE
#include "stack.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHUNK ((size_t)65536)

struct apmu_graph *nodes_graph;
uint32_t nodes_events, nodes_size;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t node_room;   /* bytes of nodes that have room */
static size_t thread_room; /* bytes of threads that have room */
static bool slot_room[APMU_GRAPH_SLOTS]; /* slots that have room: making it writes zeros */

static size_t size_of_file(void)
{
    return apmu_graph_node_at(APMU_GRAPH_NODES, nodes_events);
}

/* Creates and maps the file.  Returns NULL and sets errno if it cannot. */
static struct apmu_graph *map_new_file(void)
{
    char path[APMU_PATH + 64];
    int fd = -1;
    unsigned n;

    for (n = 0; fd < 0; n++) {
        snprintf(path, sizeof path, "%s/" APMU_GRAPH_PREFIX "%d.%u", plugin.dir, (int)getpid(), n);
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST) {
            return NULL;
        }
    }
    void *map = MAP_FAILED;
    if (apmu_file_resize(fd, size_of_file())) {
        map = mmap(NULL, size_of_file(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    }
    const int error = errno;
    close(fd);
    errno = error;
    if (map == MAP_FAILED) {
        return NULL;
    }
    struct apmu_graph *g = map;
    if (!image_has_room(g, sizeof g->head)) {
        munmap(map, size_of_file());
        errno = ENOSPC;
        return NULL;
    }
    g->head = (struct apmu_graph_head){APMU_PROTOCOL_MAGIC, APMU_PROTOCOL_VERSION, nodes_events, 0, 0, 0};
    plugin.image->head.graph = n;
    return g;
}

bool nodes_open(void)
{
    nodes_events = plugin.setup->graph.events < APMU_GRAPH_EVENTS ? plugin.setup->graph.events : APMU_GRAPH_EVENTS;
    nodes_size = (uint32_t)apmu_graph_node_size(nodes_events);
    nodes_graph = map_new_file();
    if (nodes_graph == NULL) {
        shapes_lost(errno);
    }
    return nodes_graph != NULL;
}

void nodes_note(enum apmu_graph_note note)
{
    if ((nodes_graph->head.notes & note) == 0) {
        __atomic_fetch_or(&nodes_graph->head.notes, note, __ATOMIC_RELAXED);
    }
}

/* Makes room for @size bytes from @at on, of which the first *@room have it.  The lock is held. */
static bool has_room(void *at, size_t *room, size_t size)
{
    while (*room < size) {
        if (!image_has_room((char *)at + *room, CHUNK)) {
            return false;
        }
        *room += CHUNK;
    }
    return true;
}

/* Adds a node, under the lock. */
static uint32_t add_locked(const struct apmu_graph_node *made)
{
    const uint32_t n = nodes_graph->head.nodes;

    if (n >= APMU_GRAPH_NODES - CHUNK / nodes_size - 1 ||
        !has_room(nodes_graph->nodes, &node_room, ((size_t)n + 1) * nodes_size)) {
        return APMU_GRAPH_NONE;
    }
    *nodes_at(n) = *made;
    __atomic_store_n(&nodes_graph->head.nodes, n + 1, __ATOMIC_RELEASE);
    return n;
}

uint32_t nodes_add(enum apmu_graph_kind kind, uint32_t parent, uint32_t thread, uint64_t site, uint64_t entry)
{
    const struct apmu_graph_node made = {.entry = entry, .site = site, .parent = parent, .kind = (uint16_t)kind,
                                         .thread = (uint16_t)thread};

    pthread_mutex_lock(&lock);
    const uint32_t n = add_locked(&made);
    pthread_mutex_unlock(&lock);
    return n;
}

uint32_t nodes_add_thread(int32_t tid, uint32_t slot)
{
    struct apmu_graph *g = nodes_graph;

    pthread_mutex_lock(&lock);
    uint32_t n = g->head.threads;
    if (n >= APMU_GRAPH_THREADS - 1 || !has_room(g->thread, &thread_room, (n + 1) * sizeof g->thread[0])) {
        nodes_note(APMU_GRAPH_CROWDED);
        n = n > 0 ? n - 1 : 0;
    } else {
        g->thread[n] = (struct apmu_graph_thread){tid, slot};
        __atomic_store_n(&g->head.threads, n + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return n;
}

void nodes_begin(unsigned vcpu)
{
    if (slot_room[nodes_slot(vcpu)]) {
        return;
    }
    slot_room[nodes_slot(vcpu)] = true;
    if (!image_has_room(&nodes_graph->slot[nodes_slot(vcpu)], sizeof nodes_graph->slot[0])) {
        /* The tool is told.  Memory that nobody reads takes the page's place, as translated code adds to it. */
        (void)mmap(&nodes_graph->slot[nodes_slot(vcpu)], sizeof nodes_graph->slot[0], PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    }
}

/* Copies the nodes and threads of @from to nodes_graph, without counts. */
static void copy_nodes(const struct apmu_graph *from)
{
    struct apmu_graph *g = nodes_graph;
    const uint32_t threads = from->head.threads, nodes = from->head.nodes;

    if (has_room(g->thread, &thread_room, threads * sizeof g->thread[0])) {
        memcpy(g->thread, from->thread, threads * sizeof g->thread[0]);
        g->head.threads = threads;
    }
    for (uint32_t n = 0; n < nodes; n++) {
        struct apmu_graph_node made = *(const struct apmu_graph_node *)(const void *)(from->nodes +
                                                                                        (size_t)n * nodes_size);
        made.calls = 0;
        if (add_locked(&made) != n) {
            return;
        }
    }
}

void nodes_fork(uint32_t thread)
{
    struct apmu_graph *old = nodes_graph, *mine = map_new_file();

    pthread_mutex_init(&lock, NULL);
    node_room = thread_room = 0;
    memset(slot_room, 0, sizeof slot_room);
    if (mine == NULL) {
        shapes_lost(errno);
        mine = mmap(NULL, size_of_file(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mine == MAP_FAILED) {
            _exit(127);
        }
    }
    nodes_graph = mine;
    copy_nodes(old);
    if (mremap(mine, size_of_file(), size_of_file(), MREMAP_MAYMOVE | MREMAP_FIXED, old) == MAP_FAILED) {
        _exit(127);
    }
    nodes_graph = old;
    if (thread < nodes_graph->head.threads) {
        nodes_graph->thread[thread].tid = (int32_t)getpid();
    }
}
