/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file g.PID.N, one for each image if a call graph is recorded: a tree of nodes for each thread, made and mapped by
 * the plugin (plugin/nodes.c) and read by the tool (host/graph.c).
 *
 *      head | a slot for each vCPU, a page each | threads | nodes
 *
 * A slot has the running counts of its vCPU: translated code adds to them.  A node has what was credited to it so far.
 * So what a thread counted since the last credit belongs to the node that the slot names, and the sums over all nodes
 * are those of the slots, also after a kill.
 */
#ifndef ARMPMU_QEMU_USER_GRAPH_H
#define ARMPMU_QEMU_USER_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#define APMU_GRAPH_PREFIX "g."

#define APMU_GRAPH_EVENTS 32u  /* the most events of a call graph */
#define APMU_GRAPH_SLOTS 1024u /* the last one is shared by all vCPUs beyond */
#define APMU_GRAPH_THREADS (UINT32_C(1) << 16)
#define APMU_GRAPH_NODES (UINT32_C(1) << 21)
#define APMU_GRAPH_NONE UINT32_MAX

/** What is counted in a call graph. */
struct apmu_graphed {
    uint32_t events; /**< 0: no call graph is recorded */
    uint16_t source[APMU_GRAPH_EVENTS]; /**< elements of a shape: enum apmu_source, or an event of the core */
};

struct apmu_graph_head {
    uint32_t magic, version;
    uint32_t events;  /**< counts in each node */
    uint32_t nodes;   /**< in use; atomic */
    uint32_t threads; /**< in use; atomic */
    uint32_t notes;   /**< a set of enum apmu_graph_note; atomic */
};

enum apmu_graph_note {
    APMU_GRAPH_FULL = 1,    /**< there were more nodes than fit: some costs are in a node without an entry */
    APMU_GRAPH_DEEP = 2,    /**< calls were nested too deeply: costs of the deepest ones are in their callers */
    APMU_GRAPH_CROWDED = 4, /**< threads ran beyond the slots: their costs are in one root */
    APMU_GRAPH_NO_REGISTERS = 8, /**< the emulator's registers cannot be read: all costs are in roots */
};

/** The counts of a vCPU.  It is as large as the distance between rows of counters, as inline adds need it. */
struct apmu_graph_slot {
    _Alignas(4096) uint64_t tally[APMU_GRAPH_EVENTS]; /**< what the threads of this vCPU counted */
    uint64_t indirect; /**< indirect calls that they executed */
    /** The node to which counts belong that are in no node yet: its bytes from the first one on, + 1; 0: none. */
    uint64_t node;
};

struct apmu_graph_thread {
    int32_t tid;
    uint32_t slot;
};

enum apmu_graph_kind { APMU_GRAPH_CALL, APMU_GRAPH_TAIL, APMU_GRAPH_SIGNAL, APMU_GRAPH_ROOT };

/** A node, which is complete when head.nodes includes it.  Its parent has a lower number. */
struct apmu_graph_node {
    uint64_t entry;  /**< the address of the function; 0: not known */
    uint64_t site;   /**< the address of the calling instruction; 0: there is none */
    uint64_t calls;
    uint32_t parent; /**< APMU_GRAPH_NONE: a root */
    uint16_t kind;
    uint16_t thread; /**< the number of the thread */
    uint64_t count[]; /**< one for each event: costs of the node itself */
};

/** A file g.PID.N. */
struct apmu_graph {
    struct apmu_graph_head head;
    struct apmu_graph_slot slot[APMU_GRAPH_SLOTS];
    _Alignas(4096) struct apmu_graph_thread thread[APMU_GRAPH_THREADS];
    _Alignas(4096) unsigned char nodes[];
};

_Static_assert(sizeof(struct apmu_graph_slot) == 4096, "a slot is as large as a row of a tile");

/** Returns the bytes of a node that has counts of @events events. */
static inline size_t apmu_graph_node_size(uint32_t events)
{
    return sizeof(struct apmu_graph_node) + events * sizeof(uint64_t);
}

/** Returns the offset in the file of node @n. */
static inline size_t apmu_graph_node_at(uint32_t n, uint32_t events)
{
    return offsetof(struct apmu_graph, nodes) + n * apmu_graph_node_size(events);
}

#endif
