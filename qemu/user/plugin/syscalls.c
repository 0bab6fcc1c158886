/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watches system calls: threads, signal handlers, exec, and the calls of the shim. */
#define _GNU_SOURCE
#include "stack.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The system calls that the plugin acts on, as AArch64 Linux numbers them. */
enum {
    NR_EXIT = 93,
    NR_EXIT_GROUP = 94,
    NR_RT_SIGACTION = 134,
    NR_RT_SIGRETURN = 139,
    NR_PRCTL = 167,
    NR_SHMAT = 196,
    NR_MUNMAP = 215,
    NR_MREMAP = 216,
    NR_CLONE = 220,
    NR_EXECVE = 221,
    NR_MMAP = 222,
    NR_MPROTECT = 226,
    NR_EXECVEAT = 281,
};

/* Returns the number that AArch64 has for system call @num, or -1 if the plugin does not act on it. */
static int64_t number_of(int64_t num)
{
    static const struct {
        int16_t a32, a64;
    } numbers[] = {
        {1, NR_EXIT},
        {11, NR_EXECVE},
        {67, NR_RT_SIGACTION}, /* sigaction */
        {91, NR_MUNMAP},
        {119, NR_RT_SIGRETURN}, /* sigreturn */
        {120, NR_CLONE},
        {125, NR_MPROTECT},
        {163, NR_MREMAP},
        {172, NR_PRCTL},
        {173, NR_RT_SIGRETURN},
        {174, NR_RT_SIGACTION},
        {192, NR_MMAP}, /* mmap2 */
        {248, NR_EXIT_GROUP},
        {305, NR_SHMAT},
        {387, NR_EXECVEAT},
    };
    if (plugin.kind == APMU_PROGRAM_AARCH64) {
        return num;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (numbers[i].a32 == num) {
            return numbers[i].a64;
        }
    }
    return -1;
}

#define GUEST_SET_NAME 15 /* of prctl() */
#define GUEST_SET_TAGGED_ADDR_CTRL 55 /* of prctl(), on AArch64 */
#define GUEST_MTE_CHECKS UINT64_C(6)

#define GUEST_MAP_FIXED UINT64_C(16)

#define GUEST_CLONE_VM UINT64_C(0x100)
#define GUEST_CLONE_VFORK UINT64_C(0x4000)

/*
 * Set when the program first maps memory shared.  QEMU throws its code away then, and generates code for parallel
 * execution from there on.  It does the same when the first thread is made, but not a second time; so the plugin must
 * throw the code of one thread away itself if this is set.
 */
static bool parallel;

static __thread bool exiting, asked_for_exec;

bool syscalls_exiting(void)
{
    return exiting;
}

/* Sets the mode threaded, because a thread is being made or, if @foreseen, because one is likely to be. */
static void begin_threads(bool foreseen)
{
    if (plugin.threaded || (foreseen && !parallel)) {
        return;
    }
    plugin.threaded = true;
    if (list_keep_none() || parallel) {
        retranslate_all();
    }
}

/* Acts on the program's setting of a handler of @signal; @action is the program's address of a sigaction. */
static void on_sigaction(int signal, uint64_t action)
{
    uint64_t handler;
    if (action == 0 || !guest_pointer(action, &handler)) {
        return;
    }
    outcome_handler(signal, handler);
    stack_handler(handler);
    bool real = handler > 1; /* not SIG_DFL, not SIG_IGN */
    bool shims_own = handler >= plugin.shim_start && handler < plugin.shim_end;
    if (real && signal == SIGILL && plugin.shim_end != 0 && !shims_own) {
        __atomic_fetch_or(&plugin.image->head.notes, APMU_NOTE_OWN_SIGILL, __ATOMIC_RELAXED);
    }
    if (real && (signal == SIGSEGV || signal == SIGBUS)) {
        fault_handler(handler);
    }
}

/* Returns true if clone with @flags makes a thread, and no process. */
static bool makes_thread(uint64_t flags)
{
    return (flags & GUEST_CLONE_VM) && !(flags & GUEST_CLONE_VFORK);
}

/* Prepares for the thread or process that clone with @flags makes. */
static void on_clone(unsigned vcpu, uint64_t flags)
{
    const bool thread = makes_thread(flags);
    if (thread) {
        begin_threads(false);
        count_foresee_thread();
    } else {
        el0_flush(vcpu);
        image_foresee_fork(vcpu);
    }
    retranslate_starting(!thread);
}

/*
 * Ends a process with more than one thread.  QEMU would first free the registration of callbacks, and other threads may
 * be on their way to them (retranslate.c).
 */
static void on_exit_group(uint64_t status)
{
    exiting = true;
    chip_write_trace();
    if (plugin.threaded) {
        plugin.image->head.state = APMU_IMAGE_EXITED;
        syscall(SYS_exit_group, (int)status);
    }
}

/* Acts on prctl() with @option and its first argument @value. */
static void on_prctl(unsigned vcpu, uint64_t option, uint64_t value)
{
    if (option == GUEST_SET_NAME) {
        label_name(vcpu, value);
    } else if (option == GUEST_SET_TAGGED_ADDR_CTRL && (value & GUEST_MTE_CHECKS) &&
               plugin.kind == APMU_PROGRAM_AARCH64) {
        fault_tags_checked();
    }
}

/* Acts on mmap() of @size bytes at @start with @flags. */
static void on_mmap(uint64_t start, uint64_t size, uint64_t flags)
{
    if (flags & GUEST_MAP_FIXED) {
        beginnings_unmap(start, size);
    }
    if (flags & MAP_SHARED) {
        parallel = true;
    }
    if (flags & MAP_STACK) { /* a stack for a thread */
        begin_threads(true);
    }
}

/* Returns what system call @number may do to the program's code. */
static enum places_call effect_of(int64_t number)
{
    switch (number) {
    case NR_MMAP: return PLACES_MAP;
    case NR_MPROTECT: return PLACES_PROTECT;
    case NR_MUNMAP: return PLACES_UNMAP;
    case NR_MREMAP: return PLACES_MOVE;
    case NR_SHMAT: return PLACES_ANY;
    default: return PLACES_NONE;
    }
}

/* Takes back an exec that this thread asked for: it failed, or the thread would not be here. */
static void settle_exec(void)
{
    if (asked_for_exec) {
        exec_failed();
    }
    asked_for_exec = false;
}

void syscalls_enter(unsigned vcpu, int64_t num, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5)
{
    retranslate_settle();
    settle_exec();
    tell_call(vcpu);
    label_thread(vcpu);
    places_call(effect_of(number_of(num)), (const uint64_t[]){a1, a2, a3, a4, a5});
    still_enter(num, a1, a2, a3, a4, a5);
    switch (number_of(num)) {
    case NR_EXIT:
        label_end(vcpu);
        exiting = true;
        break;
    case NR_EXIT_GROUP:
        label_end(vcpu);
        on_exit_group(a1);
        break;
    case NR_CLONE:
        on_clone(vcpu, a1);
        break;
    case NR_MUNMAP:
    case NR_MREMAP:
        beginnings_unmap(a1, a2);
        break;
    case NR_MMAP:
        on_mmap(a1, a2, a4);
        break;
    case NR_SHMAT:
        parallel = true;
        break;
    case NR_RT_SIGACTION:
        on_sigaction((int)a1, a2);
        break;
    case NR_RT_SIGRETURN:
        outcome_sigreturn();
        tell_sigreturn(vcpu);
        stack_sigreturn(vcpu);
        break;
    case NR_PRCTL:
        on_prctl(vcpu, a1, a2);
        break;
    case NR_EXECVE:
        asked_for_exec = true;
        chip_write_trace();
        exec_follow(AT_FDCWD, a1, a2, a3, 0);
        break;
    case NR_EXECVEAT:
        asked_for_exec = true;
        chip_write_trace();
        exec_follow((int)a1, a2, a3, a4, (int)a5);
        break;
    case APMU_SYSCALL:
        el0_call(vcpu, a1, a2, a3, a4);
        break;
    default:
        break;
    }
}

void syscalls_leave(unsigned vcpu, int64_t num, int64_t ret)
{
    (void)vcpu;
    still_leave(num, ret);
}
