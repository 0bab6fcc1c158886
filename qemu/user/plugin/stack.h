/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph: what the files share that keep a shadow stack for each thread.
 *
 *   nodes.c       the file with the tree of nodes; fork
 *   stack.c       landings: calls, returns, signals, jumps out of functions
 *   frames.c      the shadow stacks; frames.h describes them
 *   edges.c       the node of each call
 *   registers.c   the stack pointer and the link register of the program
 *   beginnings.c  the addresses at which functions begin
 *   functions.c   the functions of an ELF file
 *   landing.c     the blocks that call back, and what each block adds to the running counts
 *
 * Two kinds of blocks call back, landings: those at which a function begins, and those after an instruction that
 * calls.  At the entry of a block the program's registers are in memory, and everything that was executed before is in
 * the running counts.  So nothing is asked of the instructions that call, branch and return:
 *
 *     function begins   link register and stack pointer are those of the frame on top: a branch led here (tail call)
 *                       the instruction before the link register calls this address: a call
 *     after a call      they are what the frame on top expects: it returned
 *     at both           frames whose stack pointer is below the present one are gone: longjmp(), an exception
 */
#ifndef ARMPMU_QEMU_USER_PLUGIN_STACK_H
#define ARMPMU_QEMU_USER_PLUGIN_STACK_H

#include "../graph.h"
#include "plugin.h"

/* nodes.c */
extern struct apmu_graph *nodes_graph; /* NULL: no call graph is recorded.  It never moves. */
extern uint32_t nodes_events, nodes_size; /* counts, and bytes, of a node */
/** Makes and maps the file.  Returns false and tells the tool if it cannot. */
bool nodes_open(void);
/** Adds a node.  Returns its number, or APMU_GRAPH_NONE if there is no room. */
uint32_t nodes_add(enum apmu_graph_kind kind, uint32_t parent, uint32_t thread, uint64_t site, uint64_t entry);
/** Adds the thread @tid on the vCPU of @slot, and returns its number. */
uint32_t nodes_add_thread(int32_t tid, uint32_t slot);
/** Makes room for the slot of @vcpu. */
void nodes_begin(unsigned vcpu);
/** Gives the child of fork a file of its own, with the nodes and without their counts. */
void nodes_fork(uint32_t thread);
/** Sets @note in the file. */
void nodes_note(enum apmu_graph_note note);
static inline uint32_t nodes_slot(unsigned vcpu)
{
    return vcpu < APMU_GRAPH_SLOTS ? vcpu : APMU_GRAPH_SLOTS - 1;
}
static inline struct apmu_graph_node *nodes_at(uint32_t n)
{
    return (void *)(nodes_graph->nodes + (size_t)n * nodes_size);
}
static inline uint32_t nodes_number(const struct apmu_graph_node *n)
{
    return (uint32_t)(((uintptr_t)n - (uintptr_t)nodes_graph->nodes) / nodes_size);
}

/* registers.c */
/** The beginning of the emulator's CPU state, the same in every release. */
struct cpu_state {
    uint32_t regs[16];
    uint64_t xregs[32], pc;
};
extern bool registers_trusted; /* the CPU state is where it is expected */
/** Finds the registers.  Call it when a vCPU begins. */
void registers_find(void);
/** Reads both registers without the CPU state, or finds out, at @pc, that @state can be trusted.  Returns false if it
 * cannot. */
bool registers_ask(const struct cpu_state *state, uint64_t pc, uint64_t *sp, uint64_t *lr);
/** Reads the stack pointer and the link register of the vCPU with @state, which is about to execute @pc. */
static inline bool registers_read(const struct cpu_state *state, uint64_t pc, uint64_t *sp, uint64_t *lr)
{
    if (__builtin_expect(!registers_trusted, 0)) {
        return registers_ask(state, pc, sp, lr);
    }
    if (plugin.kind == APMU_PROGRAM_AARCH64) {
        *sp = state->xregs[31];
        *lr = state->xregs[30];
    } else {
        *sp = state->regs[13];
        *lr = state->regs[14];
    }
    return true;
}

/* stack.c */
/** Makes the call graph of this process, if the tool wants one. */
void stack_open(void);
/** Prepares for the thread that begins on @vcpu. */
void stack_begin(unsigned vcpu);
/** The function at @pc begins on @vcpu. */
void stack_enter(unsigned vcpu, uint64_t pc, const struct cpu_state *state);
/** The block at @pc begins on @vcpu, which follows an instruction that calls. */
void stack_return(unsigned vcpu, uint64_t pc, const struct cpu_state *state);
/** Either of both: the block at @pc follows an instruction that calls, and a function begins there. */
void stack_enter_or_return(unsigned vcpu, uint64_t pc, const struct cpu_state *state);
/** Where the block that is translated is reached from, as far as the thread knows. */
enum stack_way { STACK_AS_BEFORE, STACK_INDIRECT_CALL, STACK_JUMP };
/**
 * Returns how this thread came to the code at @host in this process, which it is about to execute and which is
 * translated now.
 */
enum stack_way stack_way(const void *host);
/**
 * Moves @value, just added to what @vcpu counted of @element of shapes, to the node at @place: a value of
 * apmu_graph_slot.node as it was, 0 for none.
 */
void stack_count_elsewhere(unsigned vcpu, uint64_t place, uint32_t element, uint64_t value);
/** Notes that the program makes the function at @handler handle a signal. */
void stack_handler(uint64_t handler);
/** Leaves the handler of a signal on @vcpu. */
void stack_sigreturn(unsigned vcpu);

/* landing.c */
enum landing_call { LANDING_NO_CALL, LANDING_DIRECT, LANDING_INDIRECT_4, LANDING_INDIRECT_2 };
/**
 * Returns what the instruction before the link register @lr is: a call of @pc, an indirect call of 4 or 2 bytes, or no
 * call.
 */
enum landing_call landing_call_before(uint64_t lr, uint64_t pc);
/** Returns whether the code at @lr returns from a signal's handler. */
bool landing_is_sigreturn(uint64_t lr);
/** Makes the block @tb, whose instructions are @in[0] to @in[@n - 1], call back if it is a landing.  Call it before
 * anything that makes the block count. */
void landing_block(struct qemu_plugin_tb *tb, const struct isa_insn *in, size_t n);

/* count.c */
/** Makes the block @tb add one to the word @at bytes into the slot of its vCPU, or make @call where it cannot. */
void count_in_slot(struct qemu_plugin_tb *tb, size_t at, qemu_plugin_vcpu_udata_cb_t call);

/* beginnings.c */
enum beginning {
    BEGINNING_FUNCTION = 1, /* a function begins there */
    BEGINNING_BRANCH = 2,   /* a branch leads there that is no call */
    BEGINNING_HANDLER = 8,  /* the handler of a signal begins there */
    BEGINNING_RESUMES = 4,  /* the program jumped there out of other functions */
};
/** Notes @is, a set of enum beginning, for @pc. */
void beginnings_add(uint64_t pc, unsigned is);
/** Returns what was noted for @pc. */
unsigned beginnings_noted(uint64_t pc);
/** Returns where the function begins that has the code at @host in this process, an address in the program, or 0. */
uint64_t beginnings_of(const void *host);
/** Returns whether a file has a function that begins at @host, an address in this process. */
bool beginnings_has(const void *host);
/** Forgets what is mapped in the @size bytes at @address, because the program changes it. */
void beginnings_unmap(uint64_t address, uint64_t size);
/** Prepares for forks. */
void beginnings_open(void);

#endif
