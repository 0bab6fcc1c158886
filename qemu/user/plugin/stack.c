/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Acts at landings: what was counted since the last one is credited to the node on top, and then the stack changes
 * (frames.h).
 */
#define _GNU_SOURCE
#include "frames.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NEAR 2048u /* a function that begins this far below the one before is on the same stack */

static struct shadow shadows[APMU_GRAPH_SLOTS];
static __thread struct shadow *mine; /* of this thread, once it has landed */

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
    const struct frame frame = {lr, sp, edges_child(s, k->top->node, &signal), 1};
    struct frame *before = k->top;

    if ((!in_range(k, sp) || sp > k->top->sp) && k->segments < SEGMENTS) {
        k->segment[k->segments++] = (struct signal_stack){(uint32_t)(k->top - k->frames) + 1, k->low, k->high};
        if (!frames_find_mapping(sp, &k->low, &k->high)) {
            k->low = 0;
            k->high = UINT64_MAX;
        }
    }
    push(s, &frame);
    if (k->top == before && k->segments > 0) { /* there was no room */
        frames_unwind_to(s, (uint32_t)(k->top - k->frames));
    }
}

/* Replaces the function of the frame on top by @pc, because a branch led there. */
static void replace_top(struct shadow *s, uint64_t pc)
{
    const struct arrival branch = {APMU_GRAPH_TAIL, TAIL_RET, 0, pc, false};
    struct frame *f = s->stack.top;

    f->node = edges_child(s, f->node, &branch);
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
        frames_change(s, sp, site == 0 ? pc : 0, site == 0 ? lr : 0);
        if (k->top == k->frames && k->top->sp == sp && site == 0) {
            return; /* it is the root of a new stack */
        }
    }
    const uint64_t ret = lr & ~(uint64_t)1;
    if (site == 0 && sp > k->top->sp && frames_find(k, ret, sp) == NULL) {
        frames_begin(s, pc, sp, ret); /* a stack that lies in a function's frame */
        return;
    }
    frames_unwind(s, sp);
    if (site != 0) {
        const struct arrival call = {APMU_GRAPH_CALL, ret, site, pc, indirect};
        push(s, &(struct frame){ret, sp, edges_child(s, k->top->node, &call), 0});
    } else if ((ret == k->top->ret && sp == k->top->sp) ||
               (k->top == k->frames && k->top->sp - sp < NEAR && !(beginnings_noted(pc) & BEGINNING_BRANCH))) {
        if (k->top->node->entry != pc) {
            replace_top(s, pc);
        }
    } else if (ret == k->top->ret) { /* code between a call and its function: it resolves the symbol */
        const struct arrival branch = {APMU_GRAPH_TAIL, TAIL_RET, 0, pc, false};
        push(s, &(struct frame){ret, sp, edges_child(s, k->top->node, &branch), 0});
    } else if (k->top->sp - sp >= NEAR && !(beginnings_noted(pc) & BEGINNING_BRANCH)) {
        frames_begin(s, pc, sp, ret);
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
    if (s->edges == NULL && !edges_resize(s, 1024)) {
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
    s->begun = frames_start(s, call == LANDING_NO_CALL ? pc : lr & ~(uint64_t)1, sp, 0, true);
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
        const struct edge *e = edges_row(s, f->node, ret, pc);
        credit(s, f->node);
        if (__builtin_expect(e->child != 0 && (!(e->child & INDIRECT) || calls != s->indirect), 1)) {
            push(s, &(struct frame){ret, sp, edges_node(e), 0});
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
        frames_unwind_to(s, (uint32_t)(f - s->stack.frames));
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
        if (frames_take_up_at(s, pc, sp)) {
            leave(s, pc, sp);
            return true;
        }
    }
    return false;
}

/* Leaves frames with the stack pointer @sp above that of the function that has @pc: the program jumped there. */
static void leave_others(struct shadow *s, uint64_t pc, uint64_t sp)
{
    const uint64_t begin = frames_function_of(pc);
    const struct stack *k = &s->stack;
    struct frame *f = k->top;

    while (f > k->frames && f->sp == sp && f->node->entry != begin) {
        f--;
    }
    if (f->node->entry == begin && f->sp == sp) {
        frames_unwind_to(s, (uint32_t)(f - k->frames));
    } else {
        frames_unwind(s, sp + 1);
    }
}

/* Acts on the code at @pc, which follows a call, if no function returned to it. */
static void go_on(struct shadow *s, uint64_t pc, uint64_t sp)
{
    const struct frame *f = s->stack.top;

    if (sp > f->sp || sp < s->stack.low) {
        bool jumped = false;
        credit(s, f->node);
        if (frames_take_up_in(s, pc, sp)) {
            return;
        }
        if (!in_range(&s->stack, sp)) {
            frames_change(s, sp, 0, 0);
            jumped = true;
        }
        jumped = frames_unwind(s, sp) || jumped;
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

void stack_count_elsewhere(unsigned vcpu, uint64_t place, uint32_t element, uint64_t value)
{
    if (nodes_graph == NULL || place == 0 || vcpu >= APMU_GRAPH_SLOTS - 1) {
        return;
    }
    struct shadow *s = &shadows[vcpu];
    struct apmu_graph_node *node = (void *)(nodes_graph->nodes + place - 1);

    if (!s->begun || place == nodes_graph->slot[vcpu].node) {
        return;
    }
    for (uint32_t e = 0; e < nodes_events; e++) {
        if (plugin.setup->graph.source[e] == element) {
            node->count[e] += value;
            s->credited[e] += value;
        }
    }
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
        frames_unwind_to(s, (uint32_t)(f - s->stack.frames) - 1);
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
