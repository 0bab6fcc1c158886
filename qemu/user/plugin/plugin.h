/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugin inside qemu-aarch64 and qemu-arm: what its files share.
 *
 *   plugin.c     start, registration with QEMU
 *   retranslate.c  throwing translated code away, where a mode changes
 *   image.c      the file with the counters of this process; fork
 *   shapes.c     the table of shapes
 *   blocks.c     the table of blocks
 *   count.c      adding to a counter: inline, or by a call
 *   isa.c        the instructions of a block: A64, A32 or T32
 *   translate.c  instructions of a block to counting
 *   condition.c  what A32 and T32 count by their condition
 *   fault.c      giving back what a block that faults did not execute
 *   outcome.c    branches taken, accesses unaligned
 *   syscalls.c   what system calls tell: threads, handlers, exec
 *   exec.c       starting the emulator again on exec
 *   el0.c        the PMU that the program sees
 *   guest.c      the program's memory
 *
 * Modes change how blocks are counted.  threaded: more than one thread runs or ran.  gives_back: the program handles SIGSEGV
 * or SIGBUS, so what a faulting block did not execute is given back (fault.c).  precise: the same program, where that
 * cannot be done, so a block is counted in segments that end at instructions which may fault.  Otherwise a block is counted
 * at its entry.  crowded: there may be more vCPUs than rows, so no code adds inline.
 */
#ifndef ARMPMU_QEMU_USER_PLUGIN_H
#define ARMPMU_QEMU_USER_PLUGIN_H

#include "../../classify/a32.h"
#include "../../classify/a64.h"
#include "../protocol.h"
#include "qemu_plugin.h"

struct plugin {
    qemu_plugin_id_t id;
    enum apmu_program_kind kind; /* of what this emulator runs */
    const struct apmu_setup *setup;
    struct apmu_shapes *shapes;
    struct apmu_image *image; /* never moves: its address is in translated code */
    char dir[APMU_PATH]; /* of the shared files; "": the program goes on without being counted */
    char qemu[APMU_PATH];
    char program[APMU_PATH];
    bool threaded, gives_back, precise, crowded;
    uint64_t shim_start, shim_end; /* code that is not counted */
};
extern struct plugin plugin;

/* plugin.c */
/** Registers the callbacks, at the start and after a reset. */
void plugin_register(void);
/** Has QEMU drop translated code and callbacks, and then call retranslate_done(). */
void plugin_reset(void);

/* retranslate.c */
struct insn;
/** Throws all translated code away before this vCPU executes another block; then the modes of today hold. */
void retranslate(void);
/** QEMU flushes its code cache: the vCPUs stand still, and nothing is freed yet. */
void retranslate_flushed(void);
/** Translated code and callbacks are gone. */
void retranslate_done(void);
/** Notes when @insn makes a system call; @conditional is the same instruction if it has a condition, or NULL. */
void retranslate_watch_call(struct qemu_plugin_insn *insn, const struct insn *conditional);
/** Begins every system call: waits while another thread retranslates. */
void retranslate_settle(void);
/** A process, or a thread, is about to be made. */
void retranslate_starting(bool process);
/** A new thread begins. */
void retranslate_started(void);
/** After fork, in the parent and in the child. */
void retranslate_forked(void);
void retranslate_child(void);

/* image.c */
/** Opens the shared file @name, if it is this user's.  -1 if not. */
int image_open_shared(const char *name, int flags);
bool image_open(enum apmu_image_origin origin);
void image_add_row(unsigned vcpu);
/** The thread on @vcpu will fork. */
void image_foresee_fork(unsigned vcpu);
/** Sees to it that the counters @number have room in the file, in each row. */
void image_reserve(uint32_t number);
/** The counters @number have it: the others must not even be read, which needs room as well. */
bool image_is_reserved(uint32_t number);
/** Makes room for shared memory that nobody wrote to.  False, and the tool is told, where there is none. */
bool image_has_room(void *at, size_t size);

/* shapes.c */
#define NO_SHAPE UINT32_MAX
bool shapes_open(void);
/** Tells the tool that some counts are lost, and the errno why. */
void shapes_lost(int error);
/** The id of @vector, of a block or of one instruction or outcome.  NO_SHAPE when the table is full. */
uint32_t shapes_id(const uint16_t vector[APMU_SOURCE_COUNT], bool block);
/** The id of an instruction or outcome with @traits. */
uint32_t shapes_single(uint64_t traits);
/** Adds an instruction with @traits to @vector. */
void shapes_add(uint64_t traits, uint16_t vector[APMU_SOURCE_COUNT]);

/** A new id from @next: @first or one of the @limit - 1 that follow.  NO_SHAPE when there is none left. */
uint32_t shapes_take(uint32_t *next, uint32_t first, uint32_t limit);

/* blocks.c */
/**
 * The number of the counter of the block, or of the segment of one, that begins at @address and counts @shape.  When the
 * table is full it is that of the shape.
 */
uint32_t blocks_counter(uint64_t address, uint32_t shape);

/* count.c */
void count_open(void);
/** The counter @number of @row. */
static inline uint64_t *counter(uint32_t row, uint32_t number)
{
    return (uint64_t *)(void *)((char *)plugin.image + apmu_counter(row, number));
}
/** Adds to the counter @number each time that @insn begins, or the block where it is NULL. */
void count_at(struct qemu_plugin_tb *tb, struct qemu_plugin_insn *insn, uint32_t number);
/** Adds one to the counter @number for the vCPU @vcpu.  A shape is the number of its own counter. */
void count_shape(unsigned vcpu, uint32_t number);
/** Takes one back from the counter @number, in any row: totals are sums modulo 2^64. */
void count_give_back(unsigned vcpu, uint32_t number);
/** Data of a callback that is just a number. */
static inline void *count_userdata(uint64_t number)
{
    return (void *)(uintptr_t)number;
}
/** A thread will begin, has begun on @vcpu. */
void count_foresee_thread(void);
void count_thread(unsigned vcpu);
/** This process is a new child: its threads are gone, but this one. */
void count_child(void);

/* isa.c */
#define CONDITION_REGISTER 16 /* CBZ, CBNZ */
#define CONDITION_NONE 17
struct insn {
    uint64_t traits;
    uint32_t word;
    uint8_t condition; /* of A32 and T32: 0 to 15 as in encodings, or one of the above; of A64 always none */
    bool sets_flags;   /* or may; A64: false */
};
/** The processor is about to enter the block whose instructions are asked for next, in their order. */
void isa_begin(void);
struct insn isa_insn(const struct qemu_plugin_insn *insn);
/** As apmu_a64_alignment(), of an instruction of the block. */
unsigned isa_alignment(uint32_t word);

/* condition.c */
/** Finds the registers; for the first vCPU, when it begins. */
void registers_find(void);
/** The CPSR of this vCPU.  For callbacks that may read registers. */
uint32_t registers_cpsr(void);
/** Counts what @in[@from] to @in[@to - 1] count by their condition, the first of them where @first begins. */
void condition_count(struct qemu_plugin_tb *tb, size_t first, const struct insn *in, size_t from, size_t to);
/** Does the condition of @in pass now?  For callbacks that may read registers. */
bool condition_passes(const struct insn *in);
/** The shape of all that @in counts if its condition passes or fails. */
uint32_t condition_shape(const struct insn *in, bool passed);

/* translate.c */
void translate_block(struct qemu_plugin_tb *tb);
/** The PMU instruction at the end of the last segment of @vcpu's block was emulated: it is retired. */
void translate_count_pmu(unsigned vcpu, uint32_t word);

/** May an instruction begin and not be retired?  Then a segment ends before it. */
bool translate_may_not_complete(uint32_t word, uint64_t traits);

/* fault.c */
/** A vCPU begins: finds out where its stack pointer can be read. */
void fault_vcpu_begins(void);
/** The program makes the function at @handler handle SIGSEGV or SIGBUS. */
void fault_handler(uint64_t handler);
/** The program asks for checks of memory tags. */
void fault_tags_checked(void);
/** Is what follows @word given back if it faults? */
bool fault_gives_back(uint32_t word);
/** Looks at each block, whose instructions are @in[0] to @in[@n - 1]. */
void fault_block(struct qemu_plugin_tb *tb, const struct insn *in, size_t n);

/* outcome.c */
bool outcome_wants_branches(void);
bool outcome_wants_unaligned(void);
void outcome_block(struct qemu_plugin_tb *tb, uint64_t pc, struct qemu_plugin_insn *last, uint32_t word);
void outcome_access(struct qemu_plugin_insn *insn, uint32_t word, uint64_t traits);
void outcome_handler(int signal, uint64_t handler);
void outcome_sigreturn(void);

/* syscalls.c */
void syscalls_enter(unsigned vcpu, int64_t num, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5);
/** This thread, or the process with it, ends by a system call. */
bool syscalls_exiting(void);

/* exec.c */
/** The program calls execve or execveat.  If the new program is one that we count, this does not return. */
void exec_follow(int dir, uint64_t path, uint64_t argv, uint64_t envp, int flags);
void exec_failed(void);

/* el0.c */
void el0_call(unsigned vcpu, uint64_t call, uint64_t a1, uint64_t a2, uint64_t a3);
/** Notes when the program executes @insn, an access to a PMU register that QEMU will answer with SIGILL. */
void el0_watch(struct qemu_plugin_insn *insn, uint32_t word);
/** Notes when the program executes @insn, if it is MRS of PMUSERENR_EL0, which QEMU answers itself. */
void el0_watch_userenr(struct qemu_plugin_insn *insn, uint32_t word);
/** A thread begins on @vcpu, with a PMU as the tool programmed it. */
void el0_begin(unsigned vcpu);
/** What happened on @vcpu until now reaches its PMU. */
void el0_flush(unsigned vcpu);
/** Around fork: no other thread is at work on the PMUs. */
void el0_lock(void);
void el0_unlock(void);
/** This process is a new child: nothing happened in it yet. */
void el0_fork(void);

/* guest.c */
/** Takes the place of the program's memory in ours from an instruction. */
void guest_locate(const struct qemu_plugin_insn *insn);
bool guest_read(uint64_t addr, void *buf, size_t size);
/** Reads memory of this process, which may not be there. */
bool guest_read_host(uintptr_t addr, void *buf, size_t size);
/** The program's address of what is at @host in this process. */
uint64_t guest_address(uintptr_t host);
bool guest_write(uint64_t addr, const void *buf, size_t size);
size_t guest_pointer_size(void);
/** Reads a pointer of the program's. */
bool guest_pointer(uint64_t addr, uint64_t *pointer);
/** Reads a string of less than @size bytes. */
bool guest_string(uint64_t addr, char *buf, size_t size);

#endif
