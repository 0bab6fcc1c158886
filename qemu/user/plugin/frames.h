/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shadow stacks: which functions the program is in, on each vCPU.
 *
 * A frame is a call in progress: where it returns to, and with which stack pointer.  Each refers to a node.  A branch
 * to another function replaces the node of the frame on top.
 *
 *     frames of the running stack                       other stacks of the thread: coroutines that wait
 *     root  main  f  g  SIGNAL  handler  h              root  generator  swap
 *                        |                              root  generator  swap
 *                        the signal's own stack, if it has one: a segment
 *
 * A stack is a range of addresses.  Its frames have falling stack pointers.  A stack pointer out of that range belongs
 * to another stack of the thread, or begins one.
 *
 *   edges.c   the node of each call that was seen
 *   frames.c  the frames, and the stacks that wait
 *   stack.c   what happens at landings
 */
#ifndef ARMPMU_QEMU_USER_PLUGIN_FRAMES_H
#define ARMPMU_QEMU_USER_PLUGIN_FRAMES_H

#include "stack.h"

#define SEGMENTS 16u /* the most signals' own stacks in a stack */
#define INDIRECT ((uintptr_t)1) /* of an edge's child */
#define TAIL_RET 1u   /* what edges have in place of a return address, which is even: for a branch, */
#define SIGNAL_RET 3u /* for a signal, */
#define ROOT_RET 0u   /* for the beginning of a stack */

struct frame {
    uint64_t ret, sp;
    struct apmu_graph_node *node;
    uint64_t signal; /* 1: it begins a signal's handler */
};

/* A signal's own stack within a stack. */
struct signal_stack {
    uint32_t frame;     /* the number of its first frame */
    uint64_t low, high; /* the range of the stack below */
};

struct stack {
    struct frame *frames, *top;
    struct frame *limit; /* the last frame that has room */
    uint64_t low, high;  /* the range of the present segment */
    uint32_t segments;
    struct signal_stack segment[SEGMENTS];
};

/* A call that was seen: from the node @parent, with the link register @ret, to @entry. */
struct edge {
    uint64_t ret, entry;
    const struct apmu_graph_node *parent;
    uintptr_t child; /* the address of the node, | INDIRECT for an indirect call; 0: the row is empty */
};

/* The thread on a vCPU. */
struct shadow {
    _Alignas(1024) struct apmu_graph_slot *slot;
    uint64_t indirect;  /* the indirect calls that are accounted for */
    struct edge *edges; /* a hash table */
    uint64_t edge_mask;
    struct stack stack;
    uint64_t credited[APMU_GRAPH_EVENTS];
    struct stack *others;
    const struct cpu_state *state;
    uint32_t other_count, other_room;
    uint32_t edge_count;
    uint32_t thread, nodes;
    struct apmu_graph_node *rest; /* of what has no room */
    bool begun;
};

/* A call or branch to a function. */
struct arrival {
    enum apmu_graph_kind kind;
    uint64_t ret, site, entry; /* ret: of the edge */
    bool indirect;
};

/* edges.c */
/** Returns the node of @a from @parent.  It is made if the call is new. */
struct apmu_graph_node *edges_child(struct shadow *s, struct apmu_graph_node *parent, const struct arrival *a);
/** Makes the table of edges have @rows rows, a power of 2.  Returns false if there is no memory. */
bool edges_resize(struct shadow *s, uint64_t rows);

/* Returns the row of the edge, or the empty row in which it belongs. */
static inline struct edge *edges_row(const struct shadow *s, const struct apmu_graph_node *parent, uint64_t ret,
                                    uint64_t entry)
{
    uint64_t hash = (ret ^ entry << 24 ^ (uintptr_t)parent << 12) * UINT64_C(0x9e3779b97f4a7c15);

    for (hash >>= 32;; hash++) {
        struct edge *e = &s->edges[hash & s->edge_mask];
        if ((e->entry == entry && e->ret == ret && e->parent == parent) || e->child == 0) {
            return e;
        }
    }
}

static inline struct apmu_graph_node *edges_node(const struct edge *e)
{
    return (struct apmu_graph_node *)(e->child & ~INDIRECT); /* NOLINT: the low bit is ours */
}

/* frames.c */
/** Makes room for more frames.  Returns false if there is none. */
bool frames_add_room(struct stack *k);
/** Finds the mapping of this process that has the program's address @at.  Returns false if none has it. */
bool frames_find_mapping(uint64_t at, uint64_t *low, uint64_t *high);
/**
 * Makes a stack with a root frame the present one.  @whole: it takes all of its mapping, not only what lies below @sp.
 */
bool frames_start(struct shadow *s, uint64_t entry, uint64_t sp, uint64_t ret, bool whole);
/** Begins a stack, and lets the present one wait. */
void frames_begin(struct shadow *s, uint64_t entry, uint64_t sp, uint64_t ret);
/** Goes to the stack that has @sp, which is out of range of the present one.  Begins one if there is none. */
void frames_change(struct shadow *s, uint64_t sp, uint64_t entry, uint64_t ret);
/** Goes on with the waiting stack that returns to @pc with @sp.  Returns false if there is none. */
bool frames_take_up_at(struct shadow *s, uint64_t pc, uint64_t sp);
/** Goes on with a waiting stack that was left with @sp in the function of @pc.  Returns false if there is none. */
bool frames_take_up_in(struct shadow *s, uint64_t pc, uint64_t sp);
/** Returns the frame of @k that returns to @pc with @sp, of those with no more than that; NULL if there is none. */
struct frame *frames_find(const struct stack *k, uint64_t pc, uint64_t sp);
/** Makes frame @n the one on top, and leaves the segments above it. */
void frames_unwind_to(struct shadow *s, uint32_t n);
/** Leaves frames with a stack pointer below @limit: the program jumped out of them.  Returns whether there were any. */
bool frames_unwind(struct shadow *s, uint64_t limit);
/** Returns where the function begins that has the program's address @pc, or 0. */
uint64_t frames_function_of(uint64_t pc);

static inline bool in_range(const struct stack *k, uint64_t sp)
{
    return sp >= k->low && sp < k->high;
}

/* Credits what was counted since the last credit to @node, that of the frame on top. */
static inline void credit(struct shadow *s, struct apmu_graph_node *node)
{
    const struct apmu_graph_slot *slot = s->slot;

    for (uint32_t e = 0; e < nodes_events; e++) {
        const uint64_t tally = slot->tally[e];
        node->count[e] += tally - s->credited[e];
        s->credited[e] = tally;
    }
}

/* Makes @frame the one on top. */
static inline void set_top(struct shadow *s, struct frame *frame)
{
    s->stack.top = frame;
    s->slot->node = (uintptr_t)frame->node - (uintptr_t)nodes_graph->nodes + 1;
}

/* Puts a frame on top, and counts the call. */
static inline void push(struct shadow *s, const struct frame *frame)
{
    struct stack *k = &s->stack;

    if (__builtin_expect(k->top == k->limit, 0) && !frames_add_room(k)) {
        return;
    }
    k->top[1] = *frame;
    frame->node->calls++;
    set_top(s, k->top + 1);
}

#endif
