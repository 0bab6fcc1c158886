/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives back what a block that faults did not execute, in a program that handles SIGSEGV or SIGBUS.
 *
 * A block is counted when it is entered.  If a load or store in it faults, the instructions from the faulting one to
 * the end of the block are given back, or to the end of the segment if that comes first.  So a load or store costs
 * nothing as long as it does not fault.
 *
 *                        on_fault() gets the host's signal
 *     +---------+ ------------------------------------------------> +------------+
 *     | no note |                                                   | note.taken |
 *     +---------+ <------------------------------------------------ +------------+
 *          ^       on_fault() when QEMU's handler returns: QEMU           |
 *          |       itself caused the fault, e.g. by protecting            | QEMU's handler leaves the block and puts a
 *          |       a page of translated code                              | signal's frame on the program's stack
 *          |                                                              v
 *          +----------------------------------------------------- enter_handler() begins the handler's first block
 *                  frame found: give_back() from its pc on
 *                  not found, or a second fault before that: note_not_given_back()
 *
 * Nearly every block ends at a branch, at an exception-generating instruction or at the end of a page, and these end a
 * block wherever it begins (surely_ends()).  So the code after the faulting pc tells where the block in progress ends,
 * although several blocks may contain that pc.  Other blocks end where the emulator decides: at system instructions and
 * at a limit on length.  They call back at their beginning and at their end (watch_cut()), so it is known if one of
 * them is in progress.
 *
 * Only faults of plain loads and stores are handled so (fault_gives_back()).  Others may fault without a signal of the
 * host, because a function of the emulator checks the address first.  A segment ends before each of those.
 */
#define _GNU_SOURCE
#include "plugin.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define HANDLERS 32 /* the most functions that are remembered */

/* The addresses of functions that handle SIGSEGV or SIGBUS, or once did. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t handlers[HANDLERS];
static unsigned handler_count; /* atomic */
static bool tags_checked;

/* A block whose instructions do not show where it ends: from begin to before end, addresses in the program. */
struct cut_block {
    uint64_t begin, end;
};
static __thread const struct cut_block *in_progress;

/* A fault for which this thread has not entered the program's handler yet. */
struct fault_note {
    bool taken;
    bool overwrote; /* it took the place of another note */
    int signal;
    uintptr_t address, state; /* addresses in this process: of the access; of the emulator's CPU state */
};
static __thread struct fault_note note;

/* Tells the tool that counts of a block that faulted were not given back. */
static void note_not_given_back(void)
{
    __atomic_fetch_or(&plugin.image->head.notes, APMU_NOTE_FAULT, __ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The stack pointer.  Interface 1 cannot read registers.  But translated code keeps the address of the CPU's state in
 * a register of the host, and that state begins with regs[16], xregs[32] and pc in every emulator with interface 1.
 */

static struct qemu_plugin_register *sp; /* the handle is the same for every vCPU */
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

/* Returns true if read_sp() can work with this emulator on this host. */
static bool can_read_sp(void)
{
#ifdef STATE_REGISTER
    return sp != NULL || qemu_plugin_version == 1;
#else
    return sp != NULL;
#endif
}

/* Returns the address of the CPU's state at a fault with the host's @context, or 0 if it is not known. */
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

/* Reads the stack pointer from the CPU's state, if that is about to execute @handler for the signal of the note. */
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

/* Reads the stack pointer of this vCPU, which is about to execute @handler. */
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

static struct sigaction qemus_action[2]; /* QEMU's handling of SIGSEGV and of SIGBUS */

/* Takes note of the fault, and has QEMU handle it.  If QEMU's handler returns, the program saw no fault. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
    const struct fault_note before = note;
    const bool fault = info->si_code > 0; /* otherwise a process sent the signal */

    if (fault) {
        note = (struct fault_note){.taken = true, .overwrote = before.taken || before.overwrote, .signal = signal,
                             .address = (uintptr_t)info->si_addr, .state = state_register(context)};
    }
    qemus_action[signal == SIGBUS].sa_sigaction(signal, info, context);
    if (fault) {
        note = before;
    }
}

/* Puts on_fault() before QEMU's handler of @signal.  Returns false if it cannot. */
static bool hear(int signal)
{
    struct sigaction *old = &qemus_action[signal == SIGBUS], ours;

    if (sigaction(signal, NULL, old) != 0 || !(old->sa_flags & SA_SIGINFO)) {
        return false;
    }
    ours = *old;
    ours.sa_sigaction = on_fault;
    return sigaction(signal, &ours, NULL) == 0;
}

/* Calls hear() for SIGSEGV and SIGBUS, once.  Returns false if it failed. */
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

/* Returns true if a handler begins at @pc. */
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
 * Returns true if nothing can be given back, so blocks must be counted in segments.  Counts of --el0 are fed to the PMU
 * as they come, and outcomes and A32 are counted by callbacks.
 */
static bool needs_segments(void)
{
    return plugin.kind != APMU_PROGRAM_AARCH64 || plugin.setup->el0 || outcome_calls_back() || tags_checked ||
           handler_count == HANDLERS || !can_read_sp() || !hear_faults();
}

/* Sets the modes precise and gives_back for the present state.  Returns true if translated code must be thrown away. */
static bool choose_mode(void)
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
    bool changes = !plugin.precise && !is_handler(handler) && choose_mode();
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
    bool changes = plugin.gives_back && choose_mode();
    pthread_mutex_unlock(&lock);
    if (changes) {
        retranslate_all();
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Blocks.
 */

/*
 * Returns true for loads and stores of a register or a pair of registers.  Returns false for those with tags, acquire
 * or release semantics, exclusives and atomics.
 */
bool fault_gives_back(uint32_t word)
{
    const bool pair = (word & 0x3a000000) == 0x28000000 && (word & 0xfc400000) != 0x68000000; /* STGP */
    const bool literal = (word & 0x3b000000) == 0x18000000;
    const bool unsigned_offset = (word & 0x3b000000) == 0x39000000;
    const bool other_offset = (word & 0x3b200000) == 0x38000000 || (word & 0x3b200c00) == 0x38200800;
    return pair || literal || unsigned_offset || other_offset;
}

/* Returns the size of the emulator's pages: from interface 3 on they are as large as the host's. */
static uint64_t page_size(void)
{
    static uint64_t size;
    if (size == 0) {
        size = qemu_plugin_version == 1 ? 4096 : (uint64_t)sysconf(_SC_PAGESIZE);
    }
    return size;
}

/* Returns true if the instruction @word at @pc ends its block wherever the block begins. */
static bool surely_ends(uint64_t pc, uint32_t word)
{
    const bool branch_or_exception = (word & 0x1c000000) == 0x14000000 && word >> 24 != 0xd5;
    return branch_or_exception || (pc + 4) % page_size() == 0;
}

/* Gives back the @n instructions @words at @pc, which count @vector together. */
static void give_back_words(unsigned vcpu, uint64_t pc, const uint32_t *words, size_t n,
                            const uint16_t vector[APMU_SOURCE_COUNT])
{
    uint32_t shape = shapes_id(vector, true);
    if (shape != NO_SHAPE) {
        count_give_back(vcpu, code_counter_again(pc, words, n, shape));
        return;
    }
    for (size_t i = 0; i < n; i++) {
        shape = shapes_single(apmu_a64_traits(words[i]));
        if (shape != NO_SHAPE) {
            count_give_back(vcpu, code_counter_again(pc + i * 4, &words[i], 1, shape));
        }
    }
}

/* Gives back what the block in progress counted from @pc on.  If no code can be read there, no block was entered. */
static void give_back(unsigned vcpu, uint64_t pc)
{
    static const uint16_t nothing[APMU_SOURCE_COUNT];
    const struct cut_block *cut = in_progress;
    const bool is_cut = cut != NULL && pc >= cut->begin && pc < cut->end;
    uint16_t vector[APMU_SOURCE_COUNT] = {0};
    uint32_t words[CODE_LONGEST];
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
        give_back_words(vcpu, pc, words, n, vector);
    }
}

/* The part of a signal's frame that is read: in its struct sigcontext, FRAME_CONTEXT bytes from its beginning. */
#define FRAME_CONTEXT 304
struct signal_context {
    uint64_t fault_address, regs[31], sp, pc;
};

/* Reads the frame on the program's stack.  Returns false if it is not there, or belongs to another fault. */
static bool read_frame(uint64_t handler, struct signal_context *frame)
{
    uint64_t at;
    return read_sp(handler, &at) && guest_read(at + FRAME_CONTEXT, frame, sizeof *frame) &&
           (note.signal != SIGSEGV || frame->fault_address == guest_address(note.address));
}

/* Gives back what a faulting block did not execute, when the first block of a handler begins. */
static void enter_handler(unsigned vcpu, void *userdata)
{
    struct signal_context frame;

    if (note.taken) {
        const bool found = read_frame((uintptr_t)userdata, &frame);
        if (found && is_handler(frame.pc)) { /* another signal interrupted the fault's handler at its beginning */
            return;
        }
        if (found) {
            give_back(vcpu, frame.pc);
            tell_fault(vcpu, frame.pc);
        }
        if (!found || note.overwrote) {
            note_not_given_back();
        }
        note = (struct fault_note){.taken = false};
    }
    in_progress = NULL;
}

/* Notes that the cut block @userdata begins. */
static void begin_cut(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    in_progress = userdata;
}

/* Notes that a cut block ends. */
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

/* Makes the block @tb, which is cut, note when it begins and ends. */
static void watch_cut(struct qemu_plugin_tb *tb, uint64_t begin, const struct isa_insn *in, size_t n)
{
    struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, n - 1);
    struct cut_block *cut = malloc(sizeof *cut); /* never freed */

    if (cut == NULL) {
        note_not_given_back();
        return;
    }
    *cut = (struct cut_block){begin, begin + 4 * n};
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
