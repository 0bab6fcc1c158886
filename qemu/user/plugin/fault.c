/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults in a program that handles SIGSEGV or SIGBUS.
 *
 * A block is counted when it is entered.  If a load or store in it faults, what the block did not execute is given
 * back: the instructions from the faulting one to the end of the block, or to the end of the segment where that comes
 * first.  So a load or store costs nothing as long as it does not fault.
 *
 *   - QEMU learns of a fault by a signal of the host's.  on_fault() gets that signal before QEMU does and takes a note.
 *     QEMU's handler returns where the fault was QEMU's own affair, as is a write to a page of translated code, and the
 *     note is dropped.  Else it leaves the block, and the program's handler is what this thread executes next.
 *   - The first block of a handler calls enter_handler(), which finds the faulting pc in the signal's frame on the
 *     program's stack.
 *   - Nearly every block ends at a branch, at an exception-generating instruction or at the end of a page, and all of
 *     these end a block wherever it begins.  So the code after the faulting pc tells where the block in progress ends,
 *     although several blocks may contain that pc.
 *   - The others are ended by what the emulator decides: system instructions and a limit on length.  They call back at
 *     their beginning and at their end, so it is known if one of them is in progress.
 *
 * Only plain loads and stores are treated like that (fault_gives_back()).  Others may fault without a signal of the
 * host's: an emulator's function looks at the address first.  A segment ends before each of those.
 */
#define _GNU_SOURCE
#include "plugin.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define HANDLERS 32
#define LONGEST 512 /* instructions of a block, at most */

/* Addresses of functions that handle SIGSEGV or SIGBUS, or did. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t handlers[HANDLERS];
static unsigned handler_count; /* atomic */
static bool tags_checked;

/* A block that ends where its instructions do not say so: its first address, and the one after its last. */
struct cut {
    uint64_t begin, end;
};
static __thread const struct cut *in_progress;

/* The fault for which this thread has not entered the program's handler yet. */
struct note {
    bool taken;
    bool overwrote; /* another one */
    int signal;
    uintptr_t address, state; /* in this process: what was accessed; the emulator's CPU state */
};
static __thread struct note note;

/* Notes that counts of a block that faulted were not given back. */
static void lost(void)
{
    __atomic_fetch_or(&plugin.image->head.notes, APMU_NOTE_FAULT, __ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The stack pointer.  Interface 1 cannot read registers.  But translated code keeps the address of the CPU's state in
 * a register of the host's, and that state begins with regs[16], xregs[32] and pc in every emulator with interface 1.
 */

static struct qemu_plugin_register *sp; /* the same for every vCPU */
static __thread GByteArray *value;

#if defined __x86_64__
#define STATE_REGISTER(context) ((uintptr_t)(context)->uc_mcontext.gregs[REG_RBP])
#elif defined __aarch64__
#define STATE_REGISTER(context) ((uintptr_t)(context)->uc_mcontext.regs[19])
#endif

void fault_vcpu_begins(void)
{
    if (plugin.kind != APMU_PROGRAM_AARCH64 || sp != NULL || qemu_plugin_version < 3) {
        return;
    }
    GArray *list = qemu_plugin_get_registers();
    for (unsigned i = 0; i < list->len; i++) {
        const qemu_plugin_reg_descriptor *d = qemu_plugin_reg_at(list, i);
        if (strcmp(d->name, "sp") == 0) {
            sp = d->handle;
        }
    }
    g_array_free(list, 1);
}

static bool can_read_sp(void)
{
#ifdef STATE_REGISTER
    return sp != NULL || qemu_plugin_version == 1;
#else
    return sp != NULL;
#endif
}

static uintptr_t state_register(const void *context)
{
#ifdef STATE_REGISTER
    const ucontext_t *c = context;
    return STATE_REGISTER(c);
#else
    (void)context;
    return 0;
#endif
}

/* Reads it from the state of the CPU, if that is one that is about to execute @handler for the signal of the note. */
static bool sp_in_state(uint64_t handler, uint64_t *to)
{
    struct {
        uint32_t regs[16];
        uint64_t xregs[32], pc;
    } state;

    if (!guest_read_host(note.state, &state, sizeof state)) {
        return false;
    }
    *to = state.xregs[31];
    return state.pc == handler && state.xregs[0] == (uint64_t)note.signal && *to % 16 == 0;
}

static bool read_sp(uint64_t handler, uint64_t *to)
{
    if (sp == NULL) {
        return sp_in_state(handler, to);
    }
    if (value == NULL) {
        value = g_byte_array_new();
    }
    g_byte_array_set_size(value, 0);
    if (!qemu_plugin_reg_read(sp, value) || value->len != sizeof *to) {
        return false;
    }
    memcpy(to, value->data, sizeof *to);
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The host's signal.
 */

static struct sigaction qemus[2]; /* SIGSEGV, SIGBUS */

static void on_fault(int signal, siginfo_t *info, void *context)
{
    const struct note before = note;
    const bool fault = info->si_code > 0; /* else somebody sent the signal */

    if (fault) {
        note = (struct note){.taken = true, .overwrote = before.taken || before.overwrote, .signal = signal,
                             .address = (uintptr_t)info->si_addr, .state = state_register(context)};
    }
    qemus[signal == SIGBUS].sa_sigaction(signal, info, context);
    if (fault) {
        note = before;
    }
}

static bool hear(int signal)
{
    struct sigaction *old = &qemus[signal == SIGBUS], ours;

    if (sigaction(signal, NULL, old) != 0 || !(old->sa_flags & SA_SIGINFO)) {
        return false;
    }
    ours = *old;
    ours.sa_sigaction = on_fault;
    return sigaction(signal, &ours, NULL) == 0;
}

/* Once. */
static bool hear_faults(void)
{
    static bool heard, hears;
    if (!heard) {
        hears = hear(SIGSEGV) && hear(SIGBUS);
    }
    heard = true;
    return hears;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Handlers.
 */

static bool is_handler(uint64_t pc)
{
    const unsigned n = __atomic_load_n(&handler_count, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < n; i++) {
        if (handlers[i] == pc) {
            return true;
        }
    }
    return false;
}

/*
 * Segments instead, where nothing can be given back: counts of --el0 are fed to the PMU as they come, and outcomes and
 * A32 count by callbacks.
 */
static bool needs_segments(void)
{
    return plugin.kind != APMU_PROGRAM_AARCH64 || plugin.setup->el0 || plugin.setup->outcomes != 0 || tags_checked ||
           handler_count == HANDLERS || !can_read_sp() || !hear_faults();
}

/* Chooses the mode anew.  Returns true if translated code must go. */
static bool choose(void)
{
    const bool was_precise = plugin.precise;
    plugin.precise = plugin.precise || needs_segments();
    plugin.gives_back = !plugin.precise;
    plugin.image->head.precise = plugin.precise;
    return !was_precise;
}

void fault_handler(uint64_t handler)
{
    pthread_mutex_lock(&lock);
    bool changes = !plugin.precise && !is_handler(handler) && choose();
    if (plugin.gives_back && changes) {
        handlers[handler_count] = handler;
        __atomic_store_n(&handler_count, handler_count + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    if (changes) {
        retranslate_all();
    }
}

void fault_tags_checked(void)
{
    pthread_mutex_lock(&lock);
    tags_checked = true;
    bool changes = plugin.gives_back && choose();
    pthread_mutex_unlock(&lock);
    if (changes) {
        retranslate_all();
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Blocks.
 */

/*
 * Returns true for loads and stores of a register or a pair of registers.  Returns false for those with tags, acquire or
 * release semantics, exclusives and atomics.
 */
bool fault_gives_back(uint32_t word)
{
    const bool pair = (word & 0x3a000000) == 0x28000000 && (word & 0xfc400000) != 0x68000000; /* STGP */
    const bool literal = (word & 0x3b000000) == 0x18000000;
    const bool unsigned_offset = (word & 0x3b000000) == 0x39000000;
    const bool other_offset = (word & 0x3b200000) == 0x38000000 || (word & 0x3b200c00) == 0x38200800;
    return pair || literal || unsigned_offset || other_offset;
}

/* Since interface 3 the emulator's pages are as large as the host's. */
static uint64_t page_size(void)
{
    static uint64_t size;
    if (size == 0) {
        size = qemu_plugin_version == 1 ? 4096 : (uint64_t)sysconf(_SC_PAGESIZE);
    }
    return size;
}

/* Does @word, at @pc, end its block wherever that begins? */
static bool surely_ends(uint64_t pc, uint32_t word)
{
    const bool branch_or_exception = (word & 0x1c000000) == 0x14000000 && word >> 24 != 0xd5;
    return branch_or_exception || (pc + 4) % page_size() == 0;
}

/* Gives back @n instructions with @vector. */
static void give_back_sum(unsigned vcpu, const uint32_t *words, size_t n, const uint16_t vector[APMU_SOURCE_COUNT])
{
    uint32_t shape = shapes_id(vector, true);
    if (shape != NO_SHAPE) {
        count_give_back(vcpu, shape);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        shape = shapes_single(apmu_a64_traits(words[i]));
        if (shape != NO_SHAPE) {
            count_give_back(vcpu, shape);
        }
    }
}

/* Gives back what the block in progress counted from @pc on.  Where no code can be read there was no block. */
static void give_back(unsigned vcpu, uint64_t pc)
{
    static const uint16_t nothing[APMU_SOURCE_COUNT];
    const struct cut *cut = in_progress;
    const bool is_cut = cut != NULL && pc >= cut->begin && pc < cut->end;
    uint16_t vector[APMU_SOURCE_COUNT] = {0};
    uint32_t words[LONGEST];
    size_t n, readable = page_size() - pc % page_size();

    readable = readable < sizeof words ? readable : sizeof words;
    if (is_cut && readable > cut->end - pc) {
        readable = cut->end - pc;
    }
    if (pc % 4 != 0 || !guest_read(pc, words, readable)) {
        return;
    }
    for (n = 0; n < readable / sizeof words[0]; n++) {
        const uint64_t traits = apmu_a64_traits(words[n]);
        if (translate_may_not_complete(words[n], traits)) {
            break;
        }
        apmu_traits_add(traits, vector);
        if (!is_cut && surely_ends(pc + n * 4, words[n])) {
            n++;
            break;
        }
    }
    if (memcmp(vector, nothing, sizeof nothing) != 0) {
        give_back_sum(vcpu, words, n, vector);
    }
}

/* What is read of a signal's frame: of its struct sigcontext, from fault_address to pc. */
#define FRAME_CONTEXT 304
struct frame {
    uint64_t fault_address, regs[31], sp, pc;
};

static bool read_frame(uint64_t handler, struct frame *frame)
{
    uint64_t at;
    return read_sp(handler, &at) && guest_read(at + FRAME_CONTEXT, frame, sizeof *frame) &&
           (note.signal != SIGSEGV || frame->fault_address == guest_address(note.address));
}

/* In the first block of a handler. */
static void enter_handler(unsigned vcpu, void *userdata)
{
    struct frame frame;

    if (note.taken) {
        const bool found = read_frame((uintptr_t)userdata, &frame);
        if (found && is_handler(frame.pc)) { /* another signal's handler comes before that of the fault */
            return;
        }
        if (found) {
            give_back(vcpu, frame.pc);
        }
        if (!found || note.overwrote) {
            lost();
        }
        note = (struct note){.taken = false};
    }
    in_progress = NULL;
}

static void begin_cut(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    in_progress = userdata;
}

static void end_cut(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    in_progress = NULL;
}

static void end_cut_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    (void)info;
    (void)vaddr;
    end_cut(vcpu, userdata);
}

static void watch_cut(struct qemu_plugin_tb *tb, uint64_t begin, const struct isa_insn *in, size_t n)
{
    struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, n - 1);
    struct cut *cut = malloc(sizeof *cut); /* as long as translated code */

    if (cut == NULL) {
        lost();
        return;
    }
    *cut = (struct cut){begin, begin + 4 * n};
    qemu_plugin_register_vcpu_tb_exec_cb(tb, begin_cut, QEMU_PLUGIN_CB_NO_REGS, cut);
    if (fault_gives_back(in[n - 1].word)) {
        qemu_plugin_register_vcpu_mem_cb(last, end_cut_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
    } else {
        qemu_plugin_register_vcpu_insn_exec_cb(last, end_cut, QEMU_PLUGIN_CB_NO_REGS, NULL);
    }
}

void fault_block(struct qemu_plugin_tb *tb, const struct isa_insn *in, size_t n)
{
    const uint64_t begin = qemu_plugin_tb_vaddr(tb);

    if (is_handler(begin)) {
        qemu_plugin_register_vcpu_tb_exec_cb(tb, enter_handler, QEMU_PLUGIN_CB_R_REGS, (void *)(uintptr_t)begin);
    }
    if (!surely_ends(begin + 4 * (n - 1), in[n - 1].word)) {
        watch_cut(tb, begin, in, n);
    }
}
