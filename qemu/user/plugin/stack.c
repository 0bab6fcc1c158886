/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shadow stacks: which functions the program is in, on each vCPU.
 *
 * A frame is a call in progress: where it returns to, and with which stack pointer.  Each refers to a node.  A branch
 * to another function replaces the node of the frame on top.  At a landing what was counted since the last one is
 * credited to the node on top, before the stack changes.
 *
 *     frames of the running stack                       other stacks of the thread: coroutines that wait
 *     root  main  f  g  SIGNAL  handler  h              root  generator  swap
 *                        |                              root  generator  swap
 *                        the signal's own stack, if it has one: a segment
 *
 * A stack is a range of addresses.  Its frames have falling stack pointers.  A stack pointer out of that range belongs
 * to another stack of the thread, or begins one.
 */
#define _GNU_SOURCE
#include "stack.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FRAMES (UINT32_C(1) << 22) /* the most frames of a stack */
#define FIRST_FRAMES 64u           /* frames of a stack that begins */
#define SEGMENTS 16u               /* the most signals' own stacks in a stack */
#define OTHERS 4096u               /* the most stacks that wait; the one that waited longest is forgotten */
#define NEAR 2048u                 /* a function that begins this far below the one before is on the same stack */
#define ANCESTORS 512u             /* nodes that are looked at for a call that repeats */
#define REPEATS 8u                 /* calls of one function within each other that have nodes of their own ... */
#define PLENTY 4096u               /* ... as long as the thread has no more nodes than this */
#define INDIRECT ((uintptr_t)1)
#define TAIL_RET 1u   /* what edges have in place of a return address, which is even: for a branch, */
#define SIGNAL_RET 3u /* for a signal, */
#define ROOT_RET 0u   /* for the beginning of a stack */

struct frame {
    uint64_t ret, sp;
    struct apmu_graph_node *node;
    uint64_t signal; /* 1: it begins a signal's handler */
};

/* A signal's own stack within a stack. */
struct segment {
    uint32_t frame;     /* the number of its first frame */
    uint64_t low, high; /* the range of the stack below */
};

struct stack {
    struct frame *frames, *top;
    struct frame *limit; /* the last frame that has room */
    uint64_t low, high;  /* the range of the present segment */
    uint32_t segments;
    struct segment segment[SEGMENTS];
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

static struct shadow shadows[APMU_GRAPH_SLOTS];
static __thread struct shadow *mine; /* of this thread, once it has landed */

/* ---------------------------------------------------------------------------------------------------------------
 * Costs.
 */

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

/* Makes room for more frames.  Returns false if there is none. */
static bool add_room(struct stack *k)
{
    const size_t depth = (size_t)(k->top - k->frames), room = (depth + 1) * 2;
    struct frame *more = room <= FRAMES ? realloc(k->frames, room * sizeof *more) : NULL;

    if (more == NULL) {
        nodes_note(APMU_GRAPH_DEEP);
        return false;
    }
    k->frames = more;
    k->top = more + depth;
    k->limit = more + room - 1;
    return true;
}

/* Puts a frame on top, and counts the call. */
static inline void push(struct shadow *s, const struct frame *frame)
{
    struct stack *k = &s->stack;

    if (__builtin_expect(k->top == k->limit, 0) && !add_room(k)) {
        return;
    }
    k->top[1] = *frame;
    frame->node->calls++;
    set_top(s, k->top + 1);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Nodes.
 */

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

/* Returns the row of the edge, or the empty row in which it belongs. */
static inline struct edge *edge_row(const struct shadow *s, const struct apmu_graph_node *parent, uint64_t ret,
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

/* Makes the table of edges have @rows rows, a power of 2.  Returns false if there is no memory. */
static bool set_edges(struct shadow *s, uint64_t rows)
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
            *edge_row(s, old[i].parent, old[i].ret, old[i].entry) = old[i];
        }
    }
    free(old);
    return true;
}

/* Adds an edge.  Without memory it is found anew each time. */
static void add_edge(struct shadow *s, const struct edge *made)
{
    if (s->edge_count >= s->edge_mask / 2 && !set_edges(s, (s->edge_mask + 1) * 2)) {
        return;
    }
    struct edge *e = edge_row(s, made->parent, made->ret, made->entry);
    s->edge_count += e->child == 0;
    *e = *made;
}

static struct apmu_graph_node *child_at(const struct edge *e)
{
    return (struct apmu_graph_node *)(e->child & ~INDIRECT); /* NOLINT: the low bit is ours */
}

/* A call or branch to a function. */
struct arrival {
    enum apmu_graph_kind kind;
    uint64_t ret, site, entry; /* ret: of the edge */
    bool indirect;
};

/* Returns the node of @a from @parent. */
static struct apmu_graph_node *child_of(struct shadow *s, struct apmu_graph_node *parent, const struct arrival *a)
{
    const struct edge *e = edge_row(s, parent, a->ret, a->entry);

    if (e->child != 0) {
        return child_at(e);
    }
    struct apmu_graph_node *child = a->kind == APMU_GRAPH_SIGNAL ? NULL : repeated(s, parent, a->site, a->entry);
    if (child == NULL) {
        child = make_node(s, a->kind, parent, a->site, a->entry);
    }
    add_edge(s, &(struct edge){a->ret, a->entry, parent, (uintptr_t)child | (a->indirect ? INDIRECT : 0)});
    return child;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Stacks.
 */

/* Finds the mapping of this process that has the program's address @at.  Returns false if none has it. */
static bool find_mapping(uint64_t at, uint64_t *low, uint64_t *high)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    const uint64_t host = at - guest_address(0);
    char line[512];
    bool found = false;

    while (maps != NULL && !found && fgets(line, sizeof line, maps) != NULL) {
        uint64_t from, to;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) == 2 && host >= from && host < to) {
            *low = at - (host - from);
            *high = at + (to - host);
            found = true;
        }
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return found;
}

/* Divides the addresses between the stack @new, which begins at @base, and others. */
static void cut_ranges(struct shadow *s, struct stack *new, uint64_t base)
{
    for (uint32_t i = 0; i < s->other_count; i++) {
        struct stack *k = &s->others[i];
        const uint64_t first = k->frames[0].sp, last = k->top->sp;
        const uint64_t below = first < base ? first : last < base ? last : 0; /* what of it lies below the new one */
        if (below == 0 && k->low <= base) {
            k->low = base + 1;
        }
        if (below != 0 && new->low <= below) {
            new->low = below + 1;
        }
    }
}

/*
 * Makes a stack with a root frame the present one.  @whole: it takes all of its mapping, not only what lies below @sp.
 */
static bool start_stack(struct shadow *s, uint64_t entry, uint64_t sp, uint64_t ret, bool whole)
{
    struct stack *k = &s->stack;

    *k = (struct stack){.frames = malloc(FIRST_FRAMES * sizeof *k->frames)};
    if (k->frames == NULL) {
        return false;
    }
    k->limit = k->frames + FIRST_FRAMES - 1;
    if (!find_mapping(sp > 0 ? sp - 1 : 0, &k->low, &k->high)) {
        k->low = 0;
        k->high = UINT64_MAX;
    }
    cut_ranges(s, k, sp);
    if (!whole) {
        k->high = sp + 1;
    }
    if (k->high <= sp) {
        k->high = sp + 1;
    }
    const struct arrival root = {APMU_GRAPH_ROOT, ROOT_RET, 0, entry, false};
    k->frames[0] = (struct frame){ret, sp, child_of(s, NULL, &root), 0};
    k->frames[0].node->calls++;
    set_top(s, &k->frames[0]);
    return true;
}

/* Lets the present stack wait. */
static bool put_away(struct shadow *s)
{
    if (s->other_count == s->other_room && s->other_room < OTHERS) {
        const uint32_t room = s->other_room == 0 ? 8 : s->other_room * 2;
        struct stack *more = realloc(s->others, room * sizeof *more);
        if (more == NULL) {
            return false;
        }
        s->others = more;
        s->other_room = room;
    }
    if (s->other_count == OTHERS) {
        free(s->others[0].frames);
        memmove(&s->others[0], &s->others[1], (OTHERS - 1) * sizeof s->others[0]);
        s->other_count--;
    }
    s->others[s->other_count++] = s->stack;
    return true;
}

/* Goes on with stack @n of those that wait, and lets the present one wait in its place. */
static void take_up(struct shadow *s, uint32_t n)
{
    const struct stack k = s->others[n];

    memmove(&s->others[n], &s->others[n + 1], (s->other_count - n - 1) * sizeof k);
    s->others[s->other_count - 1] = s->stack;
    s->stack = k;
    set_top(s, s->stack.top);
}

static bool in_range(const struct stack *k, uint64_t sp)
{
    return sp >= k->low && sp < k->high;
}

/* Makes frame @n the one on top, and leaves the segments above it. */
static void unwind_to(struct shadow *s, uint32_t n)
{
    struct stack *k = &s->stack;

    while (k->segments > 0 && k->segment[k->segments - 1].frame > n) {
        k->segments--;
        k->low = k->segment[k->segments].low;
        k->high = k->segment[k->segments].high;
    }
    set_top(s, &k->frames[n]);
}

/*
 * Leaves frames whose stack pointer is below @limit: the program jumped out of them.  Returns whether there was any.
 */
static bool unwind(struct shadow *s, uint64_t limit)
{
    struct stack *k = &s->stack;
    const uint32_t first = k->segments > 0 ? k->segment[k->segments - 1].frame : 0;
    uint32_t n = (uint32_t)(k->top - k->frames);

    if (k->frames[n].sp >= limit) {
        return false;
    }
    while (n > first && k->frames[n].sp < limit) {
        n--;
    }
    unwind_to(s, n);
    return true;
}

/* Returns the frame of @k that returns to @pc with @sp, of those that may have changed stacks; NULL if there is none. */
static struct frame *find_frame(const struct stack *k, uint64_t pc, uint64_t sp)
{
    for (struct frame *f = k->top; f > k->frames && f->sp <= sp; f--) {
        if (f->ret == pc && f->sp == sp) {
            return f;
        }
    }
    return NULL;
}

/* Goes on with the waiting stack that returns to @pc with @sp.  Returns false if there is none. */
static bool take_up_at(struct shadow *s, uint64_t pc, uint64_t sp)
{
    for (uint32_t i = s->other_count; i-- > 0;) {
        struct frame *f = find_frame(&s->others[i], pc, sp);
        if (f != NULL) {
            s->others[i].top = f;
            take_up(s, i);
            return true;
        }
    }
    return false;
}

/* Goes on with a waiting stack that has @sp.  Returns false if there is none. */
static bool take_up_with(struct shadow *s, uint64_t sp)
{
    for (uint32_t i = s->other_count; i-- > 0;) {
        const struct stack *k = &s->others[i];
        if (in_range(k, sp) && k->top->sp <= sp && k->frames[0].sp >= sp) {
            take_up(s, i);
            return true;
        }
    }
    return false;
}

/* Begins a stack, and lets the present one wait. */
static void begin_stack(struct shadow *s, uint64_t entry, uint64_t sp, uint64_t ret)
{
    if (put_away(s) && !start_stack(s, entry, sp, ret, false)) {
        s->stack = s->others[--s->other_count];
    }
}

/* Goes to the stack that has @sp, which is out of range of the present one.  Begins one if there is none. */
static void change_stack(struct shadow *s, uint64_t sp, uint64_t entry, uint64_t ret)
{
    struct stack *k = &s->stack;

    for (uint32_t i = k->segments; i-- > 0;) { /* out of a signal's own stack, to the one that it interrupted */
        if (sp >= k->segment[i].low && sp < k->segment[i].high) {
            unwind_to(s, k->segment[i].frame - 1);
            return;
        }
    }
    if (!take_up_with(s, sp)) {
        begin_stack(s, entry, sp, ret);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Landings.
 */

void stack_begin(unsigned vcpu)
{
    if (nodes_graph == NULL) {
        return;
    }
    struct shadow *s = &shadows[nodes_slot(vcpu)];

    s->slot = &nodes_graph->slot[nodes_slot(vcpu)];
    nodes_begin(vcpu);
    registers_find();
    if (s->begun && nodes_slot(vcpu) == vcpu) { /* of a thread that ended */
        credit(s, s->stack.top->node);
        s->begun = false;
    }
}

/* Returns where the call instruction is that leads to @pc with the link register @lr, or 0 if no call does. */
static uint64_t call_site(const struct shadow *s, uint64_t pc, uint64_t lr, bool *indirect)
{
    const enum landing_call call = landing_call_before(lr, pc);

    *indirect = call == LANDING_INDIRECT_4 || call == LANDING_INDIRECT_2;
    if (call == LANDING_NO_CALL || (*indirect && s->slot->indirect == s->indirect)) {
        return 0;
    }
    return (lr & ~(uint64_t)1) - (call == LANDING_INDIRECT_2 ? 2 : 4);
}

/* Enters the handler of a signal, at @pc. */
static void enter_signal(struct shadow *s, uint64_t pc, uint64_t sp, uint64_t lr)
{
    struct stack *k = &s->stack;
    const struct arrival signal = {APMU_GRAPH_SIGNAL, SIGNAL_RET, 0, pc, false};
    const struct frame frame = {lr, sp, child_of(s, k->top->node, &signal), 1};
    struct frame *before = k->top;

    if ((!in_range(k, sp) || sp > k->top->sp) && k->segments < SEGMENTS) {
        k->segment[k->segments++] = (struct segment){(uint32_t)(k->top - k->frames) + 1, k->low, k->high};
        if (!find_mapping(sp, &k->low, &k->high)) {
            k->low = 0;
            k->high = UINT64_MAX;
        }
    }
    push(s, &frame);
    if (k->top == before && k->segments > 0) { /* there was no room */
        unwind_to(s, (uint32_t)(k->top - k->frames));
    }
}

/* Replaces the function of the frame on top by @pc, because a branch led there. */
static void replace_top(struct shadow *s, uint64_t pc)
{
    const struct arrival branch = {APMU_GRAPH_TAIL, TAIL_RET, 0, pc, false};
    struct frame *f = s->stack.top;

    f->node = child_of(s, f->node, &branch);
    f->node->calls++;
    set_top(s, f);
}

/* Acts on a function that begins at @pc, if no call that is known leads there.  The costs before it are credited. */
static __attribute__((noinline)) void enter_slowly(struct shadow *s, uint64_t pc, uint64_t sp, uint64_t lr)
{
    bool indirect;
    const uint64_t site = call_site(s, pc, lr, &indirect);
    struct stack *k = &s->stack;

    if (site == 0 && (beginnings_noted(pc) & BEGINNING_HANDLER) && landing_is_sigreturn(lr)) {
        enter_signal(s, pc, sp, lr);
        return;
    }
    if (!in_range(k, sp)) {
        change_stack(s, sp, site == 0 ? pc : 0, site == 0 ? lr : 0);
        if (k->top == k->frames && k->top->sp == sp && site == 0) {
            return; /* it is the root of a new stack */
        }
    }
    const uint64_t ret = lr & ~(uint64_t)1;
    if (site == 0 && sp > k->top->sp && find_frame(k, ret, sp) == NULL) {
        begin_stack(s, pc, sp, ret); /* a stack that lies in a function's frame */
        return;
    }
    unwind(s, sp);
    if (site != 0) {
        const struct arrival call = {APMU_GRAPH_CALL, ret, site, pc, indirect};
        push(s, &(struct frame){ret, sp, child_of(s, k->top->node, &call), 0});
    } else if ((ret == k->top->ret && sp == k->top->sp) ||
               (k->top == k->frames && k->top->sp - sp < NEAR && !(beginnings_noted(pc) & BEGINNING_BRANCH))) {
        if (k->top->node->entry != pc) {
            replace_top(s, pc);
        }
    } else if (ret == k->top->ret) { /* code between a call and its function: it resolves the symbol */
        const struct arrival branch = {APMU_GRAPH_TAIL, TAIL_RET, 0, pc, false};
        push(s, &(struct frame){ret, sp, child_of(s, k->top->node, &branch), 0});
    } else if (k->top->sp - sp >= NEAR && !(beginnings_noted(pc) & BEGINNING_BRANCH)) {
        begin_stack(s, pc, sp, ret);
    }
}

/* Begins the thread of @s, whose first landing is at @pc, with @sp and the link register @ret. */
static bool start_thread(struct shadow *s, uint64_t pc, uint64_t sp, uint64_t lr)
{
    free(s->stack.frames);
    for (uint32_t i = 0; i < s->other_count; i++) {
        free(s->others[i].frames);
    }
    s->other_count = s->nodes = 0;
    if (s->edges == NULL && !set_edges(s, 1024)) {
        return false;
    }
    memset(s->edges, 0, (s->edge_mask + 1) * sizeof s->edges[0]);
    s->edge_count = 0;
    s->thread = nodes_add_thread((int32_t)gettid(), (uint32_t)(s - shadows));
    const uint32_t rest = nodes_add(APMU_GRAPH_ROOT, APMU_GRAPH_NONE, s->thread, 0, 0);
    s->rest = nodes_at(rest);
    mine = s;
    s->begun = false;
    if (rest == APMU_GRAPH_NONE) {
        return false;
    }
    /* A thread begins in the middle of a function, which calls another one. */
    const enum landing_call call = landing_call_before(lr, pc);
    s->begun = start_stack(s, call == LANDING_NO_CALL ? pc : lr & ~(uint64_t)1, sp, 0, true);
    if (s->begun && call != LANDING_NO_CALL) {
        credit(s, s->stack.top->node);
        s->indirect--;
        enter_slowly(s, pc, sp, lr);
    }
    return s->begun;
}

/* Acts on a function that begins at @pc. */
static inline void enter(struct shadow *s, uint64_t pc, uint64_t sp, uint64_t lr)
{
    const uint64_t ret = lr & ~(uint64_t)1;
    const uint64_t calls = s->slot->indirect;
    const struct frame *f = s->stack.top;

    if (__builtin_expect(sp > f->sp || sp < s->stack.low, 0)) {
        credit(s, f->node);
        enter_slowly(s, pc, sp, lr);
    } else if (ret == f->ret && sp == f->sp) {
        if (f->node->entry != pc) {
            credit(s, f->node);
            replace_top(s, pc);
        }
    } else {
        const struct edge *e = edge_row(s, f->node, ret, pc);
        credit(s, f->node);
        if (__builtin_expect(e->child != 0 && (!(e->child & INDIRECT) || calls != s->indirect), 1)) {
            push(s, &(struct frame){ret, sp, child_at(e), 0});
        } else {
            enter_slowly(s, pc, sp, lr);
        }
    }
    s->indirect = calls;
}

/* Leaves the frames that return to @pc with @sp. */
static inline void leave(struct shadow *s, uint64_t pc, uint64_t sp)
{
    struct frame *f = s->stack.top;

    while (f > s->stack.frames && f->ret == pc && f->sp == sp) {
        f--;
    }
    if (s->stack.segments > 0) {
        unwind_to(s, (uint32_t)(f - s->stack.frames));
    } else {
        set_top(s, f);
    }
}

/* Leaves the function that returns to @pc with @sp, here or on a stack that waits.  Returns false if there is none. */
static inline bool come_back(struct shadow *s, uint64_t pc, uint64_t sp)
{
    const struct frame *f = s->stack.top;

    if (sp == f->sp && pc == f->ret) {
        credit(s, f->node);
        leave(s, pc, sp);
        return true;
    }
    if (s->other_count > 0) {
        credit(s, f->node);
        if (take_up_at(s, pc, sp)) {
            leave(s, pc, sp);
            return true;
        }
    }
    return false;
}

/* Returns where the function begins that has the program's address @pc, or 0. */
static uint64_t function_of(uint64_t pc)
{
    return beginnings_of((const void *)(uintptr_t)(pc - guest_address(0))); /* NOLINT: an address of the program */
}

/* Goes on with a waiting stack that was left with @sp in the function that has @pc.  Returns false if there is none. */
static bool take_up_in(struct shadow *s, uint64_t pc, uint64_t sp)
{
    const uint64_t begin = s->other_count > 0 ? function_of(pc) : 0;

    for (uint32_t i = s->other_count; i-- > 0;) {
        struct stack *k = &s->others[i];
        struct frame *f = k->top;
        while (f > k->frames && f->sp == sp && f->node->entry != begin) {
            f--;
        }
        if (f->sp == sp && f->node->entry == begin) {
            k->top = f;
            take_up(s, i);
            return true;
        }
    }
    return false;
}

/* Leaves frames with the stack pointer @sp above that of the function that has @pc: the program jumped there. */
static void leave_others(struct shadow *s, uint64_t pc, uint64_t sp)
{
    const uint64_t begin = function_of(pc);
    const struct stack *k = &s->stack;
    struct frame *f = k->top;

    while (f > k->frames && f->sp == sp && f->node->entry != begin) {
        f--;
    }
    if (f->node->entry == begin && f->sp == sp) {
        unwind_to(s, (uint32_t)(f - k->frames));
    } else {
        unwind(s, sp + 1);
    }
}

/* Acts on the code at @pc, which follows a call, if no function returned to it. */
static void go_on(struct shadow *s, uint64_t pc, uint64_t sp)
{
    const struct frame *f = s->stack.top;

    if (sp > f->sp || sp < s->stack.low) {
        bool jumped = false;
        credit(s, f->node);
        if (take_up_in(s, pc, sp)) {
            return;
        }
        if (!in_range(&s->stack, sp)) {
            change_stack(s, sp, 0, 0);
            jumped = true;
        }
        jumped = unwind(s, sp) || jumped;
        if (s->stack.top->ret == pc && s->stack.top->sp == sp) {
            leave(s, pc, sp);
        } else if (jumped) {
            leave_others(s, pc, sp);
        }
    }
}

/* Begins a thread at its first landing, and reads the registers.  Returns the thread, or NULL if nothing is to do. */
static inline struct shadow *land(unsigned vcpu, uint64_t pc, const struct cpu_state *state, uint64_t *sp,
                                  uint64_t *lr)
{
    struct shadow *s = &shadows[vcpu];

    if (__builtin_expect(vcpu >= APMU_GRAPH_SLOTS - 1, 0)) {
        nodes_note(APMU_GRAPH_CROWDED);
        return NULL;
    }
    if (!registers_read(state, pc, sp, lr)) {
        return NULL;
    }
    if (__builtin_expect(!s->begun, 0)) {
        s->indirect = s->slot->indirect;
        s->state = state;
        start_thread(s, pc, *sp, *lr);
        s->indirect = s->slot->indirect;
        return NULL;
    }
    return s;
}

void stack_enter(unsigned vcpu, uint64_t pc, const struct cpu_state *state)
{
    uint64_t sp, lr;
    struct shadow *s = land(vcpu, pc, state, &sp, &lr);

    if (s != NULL) {
        enter(s, pc, sp, lr);
    }
}

void stack_return(unsigned vcpu, uint64_t pc, const struct cpu_state *state)
{
    uint64_t sp, lr;
    struct shadow *s = land(vcpu, pc, state, &sp, &lr);

    if (s != NULL) {
        if (!come_back(s, pc, sp)) {
            go_on(s, pc, sp);
        }
        s->indirect = s->slot->indirect;
    }
}

void stack_enter_or_return(unsigned vcpu, uint64_t pc, const struct cpu_state *state)
{
    uint64_t sp, lr;
    struct shadow *s = land(vcpu, pc, state, &sp, &lr);

    if (s != NULL && !come_back(s, pc, sp)) {
        enter(s, pc, sp, lr);
    } else if (s != NULL) {
        s->indirect = s->slot->indirect;
    }
}

enum stack_way stack_way(const void *host)
{
    const struct shadow *s = mine;
    uint64_t sp, lr;

    if (s == NULL || !s->begun || s->state == NULL || !registers_trusted) {
        return STACK_AS_BEFORE;
    }
    if (s->slot->indirect != s->indirect) {
        return STACK_INDIRECT_CALL;
    }
    registers_read(s->state, 0, &sp, &lr);
    if (sp <= s->stack.top->sp && in_range(&s->stack, sp)) {
        return STACK_AS_BEFORE;
    }
    /* A function that changes to another stack does so before it leaves. */
    return beginnings_of(host) == s->stack.top->node->entry ? STACK_AS_BEFORE : STACK_JUMP;
}

void stack_handler(uint64_t handler)
{
    if (nodes_graph != NULL && handler > 1) {
        beginnings_add(plugin.kind == APMU_PROGRAM_AARCH64 ? handler : handler & ~(uint64_t)1,
                       BEGINNING_FUNCTION | BEGINNING_HANDLER);
    }
}

void stack_sigreturn(unsigned vcpu)
{
    if (nodes_graph == NULL || vcpu >= APMU_GRAPH_SLOTS - 1 || !shadows[vcpu].begun) {
        return;
    }
    struct shadow *s = &shadows[vcpu];
    struct frame *f = s->stack.top;

    credit(s, s->stack.top->node);
    while (f > s->stack.frames && f->signal == 0) {
        f--;
    }
    if (f > s->stack.frames) {
        unwind_to(s, (uint32_t)(f - s->stack.frames) - 1);
    }
    s->indirect = s->slot->indirect;
}

/* Goes on in the child of fork with the stack of the one thread that it has. */
static void child_of_fork(void)
{
    const unsigned vcpu = nodes_slot(image_forking_vcpu());
    struct shadow *s = &shadows[vcpu];

    nodes_fork(s->thread);
    nodes_begin(0);
    nodes_begin(vcpu);
    for (unsigned i = 0; i < APMU_GRAPH_SLOTS; i++) {
        if (i != vcpu) {
            shadows[i].begun = false;
        }
    }
    memset(s->credited, 0, sizeof s->credited);
    s->indirect = 0;
    if (s->begun) {
        set_top(s, s->stack.top);
    }
}

void stack_open(void)
{
    if (plugin.setup->graph.events > 0 && plugin.dir[0] != '\0' && nodes_open()) {
        nodes_begin(0);
        beginnings_open();
        pthread_atfork(NULL, NULL, child_of_fork);
    }
}
