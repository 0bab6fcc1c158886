/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugin inside qemu-aarch64 and qemu-arm: what its files share.
 *
 *   plugin.c       starts, and registers callbacks with QEMU
 *   retranslate.c  throws translated code away when a mode changes
 *   image.c        the file with the counters of this process; fork
 *   label.c        which program and threads the image counts
 *   shapes.c       the table of shapes
 *   blocks.c       the table of blocks
 *   code.c         describes the instructions of a counter, in a run that is recorded
 *   places.c       knows where the program's code lies, in a run that is recorded
 *   count.c        adds to a counter: inline, or in a callback
 *   isa.c          reads the instructions of a block: A64, A32 or T32
 *   threads.c      keeps the counts of threads apart that have a row after each other
 *   translate.c    turns the instructions of a block into counting
 *   condition.c    counts what depends on the condition of an A32 or T32 instruction
 *   fault.c        gives back what a block that faults did not execute
 *   outcome.c      counts taken branches and unaligned accesses
 *   chip.c         the file with the modelled cores of this process
 *   tell.c         tells the modelled cores what the program does
 *   list.c         the blocks that were entered and not told yet
 *   blame.c        counts what a modelled core counts by instruction, in a run that is recorded
 *   syscalls.c     watches system calls: threads, handlers, exec
 *   exec.c         starts the emulator again on exec
 *   still.c        holds still what system calls give back
 *   el0.c          the PMU that the program sees
 *   guest.c        the program's memory
 *   stack.h        the call graph, in files of its own
 *
 * How blocks are counted depends on modes.  When one changes, translated code is thrown away.
 *   threaded    More than one thread runs or ran.
 *   gives_back  The program handles SIGSEGV or SIGBUS.  What a faulting block did not execute is given back (fault.c).
 *   precise     Replaces gives_back where nothing can be given back: a block is counted in segments that end at
 *               instructions which may fault.  In the other modes a block is counted at its entry.
 *   crowded     There may be more vCPUs than rows, so no code adds inline.
 *
 * QEMU frees translated code without telling the plugin, so memory that callbacks of it use is never freed.
 */
#ifndef ARMPMU_QEMU_USER_PLUGIN_H
#define ARMPMU_QEMU_USER_PLUGIN_H

#include "../../classify/a32.h"
#include "../../classify/a64.h"
#include "../../core/journal.h"
#include "../code.h"
#include "../protocol.h"
#include "qemu_plugin.h"

/* The state of the plugin in this process. */
struct plugin {
    qemu_plugin_id_t id;
    enum apmu_program_kind kind; /* of the programs that this emulator runs */
    const struct apmu_setup *setup;
    struct apmu_shapes *shapes;
    struct apmu_code *code; /* NULL: the run is not recorded */
    struct apmu_image *image; /* never moves: its address is in translated code */
    char dir[APMU_PATH]; /* the directory of the shared files; "" if the program is not counted */
    char qemu[APMU_PATH]; /* this emulator */
    char program[APMU_PATH];
    bool threaded, gives_back, precise, crowded;
    uint64_t shim_start, shim_end; /* the shim's code, which is not counted; 0 before it announced itself */
};
extern struct plugin plugin;

/* plugin.c */
/** Registers the callbacks.  Call it at the start and after a reset. */
void plugin_register(void);
/** Has QEMU drop translated code and callbacks, and then call retranslate_done(). */
void plugin_reset(void);

/* retranslate.c */
struct isa_insn;
/** Throws all translated code away before this vCPU executes another block.  New code is made for the present modes. */
void retranslate_all(void);
/** Waits for threads on their way to a callback.  QEMU calls it with all vCPUs stopped, before it frees anything. */
void retranslate_flushed(void);
/** Registers the callbacks again.  QEMU calls it when translated code and callbacks are gone. */
void retranslate_done(void);
/**
 * Watches @insn, a system call.  @conditional is the same instruction if it has a condition, otherwise NULL.  It must
 * last as long as the process.
 */
void retranslate_watch_call(struct qemu_plugin_insn *insn, const struct isa_insn *conditional);
/** Waits while another thread throws code away.  Call it first in every system call. */
void retranslate_settle(void);
/** Notes that the program is about to make a process (if @process) or a thread. */
void retranslate_starting(bool process);
/** Notes that a new thread has begun. */
void retranslate_started(void);
/** Notes, in the parent, that fork is done. */
void retranslate_forked(void);
/** Starts afresh in the child of fork, and makes the reset that another thread of the parent was about to make. */
void retranslate_child(void);

/* image.c */
/** Opens the shared file @name if it is a regular file of this user.  Returns -1 if not. */
int image_open_shared(const char *name, int flags);
/** Makes and maps the image of this process.  Returns false if the program cannot be started. */
bool image_open(enum apmu_image_origin origin);
/** Takes the row of the thread that begins on @vcpu into use. */
void image_add_row(unsigned vcpu);
/** Notes that the thread on @vcpu is about to fork. */
void image_foresee_fork(unsigned vcpu);
/** Returns the vCPU of the thread that forks. */
unsigned image_forking_vcpu(void);
/** Makes room in the file for the counter @number, in each row in use.  Call it before code adds to that counter. */
void image_reserve(uint32_t number);
/**
 * Returns true if the counter @number has room.  Do not even read one that has none, because that needs room as well.
 */
bool image_is_reserved(uint32_t number);
/**
 * Makes room for @size bytes of shared memory at @at, which hold zeros.  Returns false, and tells the tool, if it
 * cannot.
 */
bool image_has_room(void *at, size_t size);
/** Returns the row of @vcpu.  Those beyond the rows share the last one. */
static inline uint32_t image_row(unsigned vcpu)
{
    return vcpu < APMU_ROWS ? vcpu : APMU_ROWS - 1;
}
/** Returns the counter @number of @row. */
static inline uint64_t *image_counter(uint32_t row, uint32_t number)
{
    return (uint64_t *)(void *)((char *)plugin.image + apmu_counter(row, number));
}

/* label.c */
/** Finds out which program this emulator runs, and notes it in @head. */
void label_program(struct apmu_image_head *head);
/** Notes in @head, of an image that begins, when that is. */
void label_image(struct apmu_image_head *head);
/** Notes in @head, of the child of fork, which program it is and where it comes from. */
void label_child(struct apmu_image_head *head, const struct apmu_image_head *parent);
/** Notes in the row of @vcpu which thread this is.  Call it in each system call. */
void label_thread(unsigned vcpu);
/** Notes that the thread on @vcpu takes the name at @name in the program. */
void label_name(unsigned vcpu, uint64_t name);
/** Notes the name of the thread on @vcpu, which ends. */
void label_end(unsigned vcpu);

/* threads.c */
/** Notes that another thread takes @row, which the thread before it has left. */
void threads_begin(uint32_t row);
/** Starts afresh in the child of fork. */
void threads_child(void);

/* shapes.c */
#define NO_SHAPE UINT32_MAX /* no id: the table is full, or there is nothing to count */
/** Maps the table of shapes.  Returns false if it is not there, or of another version. */
bool shapes_open(void);
/** Tells the tool that some counts are lost.  @error is the errno that says why. */
void shapes_lost(int error);
/**
 * Returns the id of @vector, which is that of a block or, if @block is false, of one instruction or outcome.  Returns
 * NO_SHAPE if the table is full.
 */
uint32_t shapes_id(const uint16_t vector[APMU_SOURCE_COUNT], bool block);
/** Returns the id of one occurrence of the event @event, a number in the setup, of the core; as shapes_id() does. */
uint32_t shapes_core_event(uint32_t event);
/** Returns the id of what one instruction or outcome with @traits counts, as shapes_id() does. */
uint32_t shapes_single(uint64_t traits);
/**
 * Returns the id of @vector, which one instruction counts, plus 1; or 0 if it counts nothing.  Returns NO_SHAPE if the
 * table is full.
 */
uint32_t shapes_mark(const uint16_t vector[APMU_SOURCE_COUNT]);
/** Returns shapes_mark() of what an instruction with @traits counts.  Call it when a block is translated. */
uint32_t shapes_mark_insn(uint64_t traits);
/** Adds what one execution of an instruction with @traits counts to @vector. */
void shapes_add(uint64_t traits, uint16_t vector[APMU_SOURCE_COUNT]);
/** Hands out an id: @first plus *@next, which it increments.  Returns NO_SHAPE when @limit ids are gone. */
uint32_t shapes_take(uint32_t *next, uint32_t first, uint32_t limit);

/* blocks.c */
/** Instructions that follow each other and are counted together. */
struct code_span {
    uint64_t address;
    uint32_t place; /* plus 1; 0: it is not known */
    uint32_t count; /* 0: the run is not recorded, and only the address is set */
    uint32_t layer; /* spans of another layer are elsewhere in the table: 0, or 1 + an event of the modelled core */
    bool t32;
    struct apmu_code_insn *insns;
};
/**
 * Returns the number of the counter of the block, or of the segment of one, that has the instructions of @span and
 * counts @shape.  When the table is full it is the number of the shape's own counter.
 */
uint32_t blocks_counter(const struct code_span *span, uint32_t shape);
/** Takes or gives back the lock of the table in this process, which is taken if the run is recorded. */
void blocks_lock(void);
void blocks_unlock(void);

/* code.c */
#define CODE_LONGEST 512 /* the most instructions of a block */
/** Maps the file code.  Returns false if it is not there, or of another version. */
bool code_open(void);
/**
 * Describes the @count instructions @in, the first of which is at @address in the block that is translated, with what
 * they count in any case.  What it points to may be changed, and stays valid until the next call.
 */
struct code_span code_span(uint64_t address, const struct isa_insn *in, size_t count);
/**
 * Returns the number of the counter of an instruction @in of the block that is translated, at @address, that counts
 * @shape.  It is @shape if that is NO_SHAPE or if the run is not recorded.
 */
uint32_t code_counter(uint64_t address, const struct isa_insn *in, uint32_t shape);
/** As code_counter(), but if the run is not recorded the instruction has a counter of its own as well. */
uint32_t code_own_counter(uint64_t address, const struct isa_insn *in, uint32_t shape);
/**
 * Returns the number of the counter of the @count instructions of A64 @words at @address, which count @shape together.
 * They were translated before.
 */
uint32_t code_counter_again(uint64_t address, const uint32_t *words, size_t count, uint32_t shape);
/** Takes or gives back the locks of the tables of code in this process. */
void code_lock(void);
void code_unlock(void);
/** Starts afresh in the child of fork. */
void code_child(void);

/* places.c */
/** System calls that may map code, by what arg means to places_call(). */
enum places_call {
    PLACES_NONE,
    PLACES_MAP,     /* mmap */
    PLACES_PROTECT, /* mprotect */
    PLACES_UNMAP,   /* munmap */
    PLACES_MOVE,    /* mremap */
    PLACES_ANY,     /* any arguments */
};
/** Notes that this thread begins a system call with the arguments @arg, if the run is recorded. */
void places_call(enum places_call call, const uint64_t arg[5]);
/** Returns the number of the place of the program's @address, plus 1, or 0.  Call it when a block is translated. */
uint32_t places_at(uint64_t address);
/** Returns places_at(@address) as it is known, at any time. */
uint32_t places_known(uint64_t address);
/** Takes or gives back the lock of the places of this process. */
void places_lock(void);
void places_unlock(void);
/** Starts afresh in the child of fork. */
void places_child(void);

/* count.c */
/** Makes the scoreboard for adding inline, from interface 3 on. */
void count_open(void);
/** Makes the block @tb add one to the counter @number when @insn begins, or at its entry if @insn is NULL. */
void count_at(struct qemu_plugin_tb *tb, struct qemu_plugin_insn *insn, uint32_t number);
/** Returns true if translated code can count outcomes without a callback: the emulator is one of make qemu-user. */
bool count_has_edges(void);
/** Makes @insn add one to the counter @number at @edge, one of armpmu_edges(@insn).  Call it if count_has_edges(). */
void count_at_edge(struct qemu_plugin_insn *insn, enum armpmu_edge edge, uint32_t number);
/** Makes @insn add one to the counter @number as armpmu_add_unaligned() does.  Returns false if it cannot. */
bool count_unaligned(struct qemu_plugin_insn *insn, unsigned alignment, bool first_only, uint32_t number);
/** Adds one to the counter @number for @vcpu.  The id of a shape is the number of its own counter. */
void count_shape(unsigned vcpu, uint32_t number);
/** Adds @value to the counter @number for @vcpu. */
void count_add(unsigned vcpu, uint32_t number, uint64_t value);
/** Subtracts one from the counter @number for @vcpu.  It may wrap: totals are sums over rows, modulo 2^64. */
void count_give_back(unsigned vcpu, uint32_t number);
/** Makes the data of a callback that needs no more than a number. */
static inline void *count_userdata(uint64_t number)
{
    return (void *)(uintptr_t)number;
}
/** Notes that the program is about to make a thread.  Sets the mode crowded if there may be too many. */
void count_foresee_thread(void);
/** Notes that a thread begins on @vcpu. */
void count_thread(unsigned vcpu);
/** Forgets, in the child of fork, the threads that the parent was making. */
void count_child(void);

/* isa.c */
#define CONDITION_REGISTER 16 /* CBZ, CBNZ */
#define CONDITION_NONE 17
/** An instruction of the block that is translated. */
struct isa_insn {
    uint64_t traits;
    uint32_t word;
    uint8_t condition; /* A32, T32: 0 to 15 as in encodings, or one of the above; A64: CONDITION_NONE */
    bool sets_flags;   /* A32, T32: it changes flags, or may do so; A64: false */
};
/** Reads the instruction set and ITSTATE with which the processor is about to enter the block. */
void isa_begin(void);
/** Reads @insn, the next instruction of the block.  Call it for each, in their order, after isa_begin(). */
struct isa_insn isa_insn(const struct qemu_plugin_insn *insn);
/** Returns the instruction set of the block that is translated. */
enum stream_isa isa_now(void);
/** Returns the alignment of an access of @word, an instruction of the block, as apmu_a64_alignment() does. */
unsigned isa_alignment(uint32_t word);

/* condition.c */
/** Finds the registers' handles.  Called when a vCPU begins. */
void condition_find_registers(void);
/** Returns the CPSR of this vCPU.  For callbacks that may read registers. */
uint32_t condition_cpsr(void);
/**
 * Makes the block @tb count what @in[@from] to @in[@to - 1] count by their condition.  Instructions before
 * @in[@first] are counted where that one begins.
 */
void condition_count(struct qemu_plugin_tb *tb, size_t first, const struct isa_insn *in, size_t from, size_t to);
/** Returns true if the condition of @in passes now.  For callbacks that may read registers. */
bool condition_passes(const struct isa_insn *in);
/** Returns the shape of all that @in counts if its condition passes, or fails. */
uint32_t condition_shape(const struct isa_insn *in, bool passed);

/* translate.c */
/** Makes the block @tb count.  QEMU calls it when it translates a block. */
void translate_block(struct qemu_plugin_tb *tb);
/** Counts the PMU instruction @word, which ends the last segment of @vcpu's block: it was emulated, so it retired. */
void translate_count_pmu(unsigned vcpu, uint32_t word);
/** Returns true if, in the present modes, an instruction may begin and not retire: a segment ends before it. */
bool translate_may_not_complete(uint32_t word, uint64_t traits);

/* fault.c */
/** Finds out where the stack pointer can be read.  Called when a vCPU begins. */
void fault_vcpu_begins(void);
/** Notes that the program makes the function at @handler handle SIGSEGV or SIGBUS, and sets the modes for it. */
void fault_handler(uint64_t handler);
/** Notes that the program asks for checks of memory tags, and sets the modes for it. */
void fault_tags_checked(void);
/** Returns true if what follows the instruction @word in its block is given back when @word faults. */
bool fault_gives_back(uint32_t word);
/** Watches the block @tb, whose instructions are @in[0] to @in[@n - 1], if gives_back is set. */
void fault_block(struct qemu_plugin_tb *tb, const struct isa_insn *in, size_t n);

/* outcome.c */
/** Returns true if an outcome of branches is to be counted. */
bool outcome_wants_branches(void);
/** Returns true if unaligned accesses are to be counted. */
bool outcome_wants_unaligned(void);
/** Returns true if outcomes are counted by callbacks at each block. */
bool outcome_calls_back(void);
/** Watches the block @tb of A64, which begins at @pc and whose last instruction is @last, @in. */
void outcome_block(struct qemu_plugin_tb *tb, uint64_t pc, struct qemu_plugin_insn *last, const struct isa_insn *in);
/** Watches whether the accesses of @insn, @in, are unaligned. */
void outcome_access(struct qemu_plugin_insn *insn, const struct isa_insn *in);
/** Notes that the program makes the function at @handler handle @signal. */
void outcome_handler(int signal, uint64_t handler);
/** Brings back the branch that a signal came after.  Call it when the program returns from the signal's handler. */
void outcome_sigreturn(void);

/** Returns true if a signal's handler begins at @pc. */
bool outcome_is_handler(uint64_t pc);
extern uint64_t outcome_handler_bits;
/** Returns false if no handler begins at @pc; a quick answer for most addresses. */
static inline bool outcome_may_be_handler(uint64_t pc)
{
    return (outcome_handler_bits & stream_address_bit(pc)) != 0;
}

/* chip.c */
/** Makes the file of this process, with a core for each thread that begins, if the tool wants a core modelled. */
void chip_open(void);
/** Returns what the cores are told: a set of enum apmu_tell, 0 if no core is modelled. */
uint32_t chip_tells(void);
/** Returns a core, for its layout; NULL if there is none. */
const struct apmu_core *chip_layout(void);
/** Gives the thread that begins on @vcpu a core. */
void chip_begin(unsigned vcpu);
extern struct stream chip_streams[APMU_CHIP_THREADS + 1];
/** Returns the stream of the thread on @vcpu.  One without a core tells nobody. */
static inline struct stream *chip_stream(unsigned vcpu)
{
    return &chip_streams[vcpu < APMU_CHIP_THREADS ? vcpu : APMU_CHIP_THREADS];
}
/** Writes out the calls that were recorded, if calls are recorded. */
void chip_write_trace(void);

/* blame.c */
/** Prepares for counting what the core counts by instruction, if the tool wants it.  Returns false if it cannot. */
bool blame_open(void);
/** Returns whether it is counted by instruction. */
bool blame_wanted(void);
/** Counts what the core of the thread that begins on @vcpu counts from now on. */
void blame_begin(unsigned vcpu);
/** Returns the ticket of the instruction @word at @address, of the block that is translated; 0 if none is left. */
uint32_t blame_ticket(uint64_t address, uint32_t word);

/* tell.c */
/** Makes the block @tb, whose instructions are @in[0] to @in[@n - 1], tell the core what it does. */
void tell_block(struct qemu_plugin_tb *tb, const struct isa_insn *in, size_t n);
/** Begins, once the chip is there and before anything is translated. */
void tell_open(void);
/** Forgets what a thread before left on @vcpu. */
void tell_begin(unsigned vcpu);
/** Tells what was executed on @vcpu before the block at @pc, which begins: a callback. */
void tell_until(unsigned vcpu, void *pc);
/** Tells the block that ended with a system call on @vcpu. */
void tell_call(unsigned vcpu);
/** Brings back the branch that a signal came after, when the program on @vcpu returns from the signal's handler. */
void tell_sigreturn(unsigned vcpu);
/** Tells that an instruction at @pc in the block in progress on @vcpu faulted. */
void tell_fault(unsigned vcpu, uint64_t pc);

/** Tells @s, the stream of @vcpu, that the blocks from @from to @to, places from @blocks on, were entered. */
void tell_entered(unsigned vcpu, struct stream *s, const uint32_t *from, const uint32_t *to, const char *blocks);

/* list.c */
/** Returns memory for a description of @size bytes, aligned to a line of the host; NULL if there is none. */
void *list_room(size_t size);
/** Makes @tb append its description @block, from list_room(), to the list when it is entered. */
void list_watch(struct qemu_plugin_tb *tb, void *block);
/** Tells what is on the lists of @vcpu, which are empty then.  Branches may be told and time may pass later. */
void list_reach(unsigned vcpu);
/** Does the same, and tells all branches and lets all time pass. */
void list_tell(unsigned vcpu);
/** Begins the list of the thread on @vcpu, which has @core. */
void list_begin(unsigned vcpu, struct apmu_core *core);
/** Lets the only thread, on @vcpu, keep a journal, if its core can. */
void list_keep_journal(unsigned vcpu);
/** Ends that for all threads.  Returns whether there may be code of the emulator that appends visits. */
bool list_keep_none(void);
/** Maps @size bytes, a multiple of those of a struct journal, with its alignment.  Returns NULL if it cannot. */
void *list_map(size_t size);
/** Returns the lists of @vcpu, for a thread without a worker. */
struct journal *list_own(unsigned vcpu);
/** Tells the stream of @vcpu what is in the journal @j.  Branches may be told and time may pass later. */
void list_walk(unsigned vcpu, const struct journal *j);
/** Makes translated code answer for cores like @core, if the emulator can, and else call @callbacks. */
void list_open(const struct apmu_core *core, const struct armpmu_core_code *callbacks);

/* worker.c */
/** Lets another thread do work for the thread that begins on @vcpu, if its stream tells branches and time late. */
void worker_begin(unsigned vcpu);
/** Lets the thread on @vcpu keep a journal, whose lists go on where the pointers say.  Returns false if it cannot. */
bool worker_keep_journal(unsigned vcpu, uint32_t **next_block, struct apmu_core_visit **next_visit);
/** Tells the stream of @vcpu all that is in its journals. */
void worker_catch_up(unsigned vcpu);
/** Forgets the workers of the process that this one is a fork of. */
void worker_forget(void);

/* syscalls.c */
/** Acts on system call @num with arguments @a1 to @a5, which the program on @vcpu begins. */
void syscalls_enter(unsigned vcpu, int64_t num, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5);
/** Acts on the end of system call @num, which returns @ret. */
void syscalls_leave(unsigned vcpu, int64_t num, int64_t ret);
/** Returns true if this thread, or the process with it, is ending by a system call. */
bool syscalls_exiting(void);

/* exec.c */
/** Executes the program's execve or execveat.  Does not return if the new program is one that is counted. */
void exec_follow(int dir, uint64_t path, uint64_t argv, uint64_t envp, int flags);
/** Takes back what was noted for an exec if it failed.  Call it when the program makes another system call. */
void exec_failed(void);

/* still.c */
/** Prepares for what still_leave() does when the system call @num, with its arguments, ends. */
void still_enter(int64_t num, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5);
/** Replaces what the system call @num, which returned @ret, gave the program, if that is to be held still. */
void still_leave(int64_t num, int64_t ret);
/** Notes that the program executes the A64 instruction @word, if that gives what cannot be held still. */
void still_watch(uint32_t word);

/* el0.c */
/** Answers a call of the shim's: @call is an enum apmu_call, with its arguments. */
void el0_call(unsigned vcpu, uint64_t call, uint64_t a1, uint64_t a2, uint64_t a3);
/** Makes translated code note that it executes @insn, an access to a PMU register, which QEMU answers with SIGILL. */
void el0_watch(struct qemu_plugin_insn *insn, uint32_t word);
/** Makes translated code note that it executes @insn if that is MRS of PMUSERENR_EL0, which QEMU answers itself. */
void el0_watch_userenr(struct qemu_plugin_insn *insn, uint32_t word);
/** Gives the thread that begins on @vcpu a PMU as the tool programmed it. */
void el0_begin(unsigned vcpu);
/** Brings the PMU of @vcpu up to date with what was counted. */
void el0_flush(unsigned vcpu);
/** Keeps other threads from the PMUs.  Call it before fork. */
void el0_lock(void);
/** Lets other threads use the PMUs again.  Call it after fork, in both processes. */
void el0_unlock(void);
/** Forgets, in the child of fork, what the PMUs have been fed: the counters of its new image begin at 0. */
void el0_fork(void);

/* guest.c */
/** Finds out where the program's memory is in this process, from the place of one of its instructions. */
void guest_locate(const struct qemu_plugin_insn *insn);
/** Reads @size bytes at @addr in the program.  Returns false if they cannot all be read. */
bool guest_read(uint64_t addr, void *buf, size_t size);
/** Writes @size bytes at @addr in the program.  Returns false if they cannot all be written. */
bool guest_write(uint64_t addr, const void *buf, size_t size);
/** Reads @size bytes at @addr in this process.  Returns false if they cannot all be read. */
bool guest_read_host(uintptr_t addr, void *buf, size_t size);
/** Returns the program's address of what is at @host in this process. */
uint64_t guest_address(uintptr_t host);
/** Returns the size of a pointer in the program, in bytes. */
size_t guest_pointer_size(void);
/** Reads the program's pointer at @addr. */
bool guest_pointer(uint64_t addr, uint64_t *pointer);
/** Reads the program's string at @addr.  Returns false if it has @size bytes or more, or cannot be read. */
bool guest_string(uint64_t addr, char *buf, size_t size);

#endif
