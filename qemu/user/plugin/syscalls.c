/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What system calls tell: threads, signal handlers, exec, and the shim. */
#define _GNU_SOURCE
#include "plugin.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The system calls that matter, as AArch64 Linux numbers them; those of AArch32 become these. */
enum {
    NR_EXIT = 93,
    NR_EXIT_GROUP = 94,
    NR_RT_SIGACTION = 134,
    NR_RT_SIGRETURN = 139,
    NR_PRCTL = 167, /* A32 has no memory tags */
    NR_SHMAT = 196,
    NR_CLONE = 220,
    NR_EXECVE = 221,
    NR_MMAP = 222,
    NR_EXECVEAT = 281,
};

static int64_t number_of(int64_t num)
{
    static const struct {
        int16_t a32, a64;
    } same[] = {
        {1, NR_EXIT},          {248, NR_EXIT_GROUP}, {174, NR_RT_SIGACTION}, {67, NR_RT_SIGACTION}, /* sigaction */
        {173, NR_RT_SIGRETURN}, {119, NR_RT_SIGRETURN} /* sigreturn */,      {305, NR_SHMAT},       {120, NR_CLONE},
        {11, NR_EXECVE},       {192, NR_MMAP} /* mmap2 */, {387, NR_EXECVEAT},
    };
    if (plugin.kind == APMU_PROGRAM_AARCH64) {
        return num;
    }
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        if (same[i].a32 == num) {
            return same[i].a64;
        }
    }
    return -1;
}

#define GUEST_SET_TAGGED_ADDR_CTRL 55 /* of prctl() */
#define GUEST_MTE_CHECKS UINT64_C(6)

#define GUEST_CLONE_VM UINT64_C(0x100)
#define GUEST_CLONE_VFORK UINT64_C(0x4000)

/*
 * QEMU generates code for parallel execution from the first thread on, and throws the other code away.  But it does so
 * too when memory is first mapped shared; a thread that starts later finds code of one thread's mode.
 */
static bool parallel;

static __thread bool exiting, asked_for_exec;

bool syscalls_exiting(void)
{
    return exiting;
}

static void many_threads(bool foreseen)
{
    if (plugin.threaded || (foreseen && !parallel)) {
        return;
    }
    plugin.threaded = true;
    if (parallel) {
        retranslate_all();
    }
}

static void on_sigaction(int signal, uint64_t action)
{
    uint64_t handler;
    if (action == 0 || !guest_pointer(action, &handler)) {
        return;
    }
    outcome_handler(signal, handler);
    bool real = handler > 1; /* not SIG_DFL, not SIG_IGN */
    bool shims_own = handler >= plugin.shim_start && handler < plugin.shim_end;
    if (real && signal == SIGILL && plugin.shim_end != 0 && !shims_own) {
        __atomic_fetch_or(&plugin.image->head.notes, APMU_NOTE_OWN_SIGILL, __ATOMIC_RELAXED);
    }
    if (real && (signal == SIGSEGV || signal == SIGBUS)) {
        fault_handler(handler);
    }
}

static bool makes_thread(uint64_t flags)
{
    return (flags & GUEST_CLONE_VM) && !(flags & GUEST_CLONE_VFORK);
}

static void on_clone(unsigned vcpu, uint64_t flags)
{
    const bool thread = makes_thread(flags);
    if (thread) {
        many_threads(false);
        count_foresee_thread();
    } else {
        el0_flush(vcpu);
        image_foresee_fork(vcpu);
    }
    retranslate_starting(!thread);
}

/*
 * Ends the process.  QEMU would first free the registration of callbacks, as in retranslate.c, and other threads may be on
 * their way to them.
 */
static void on_exit_group(uint64_t status)
{
    exiting = true;
    if (plugin.threaded) {
        plugin.image->head.state = APMU_IMAGE_EXITED;
        syscall(SYS_exit_group, (int)status);
    }
}

void syscalls_enter(unsigned vcpu, int64_t num, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5)
{
    retranslate_settle();
    if (asked_for_exec) { /* it failed, or this thread were not here */
        exec_failed();
    }
    asked_for_exec = false;
    switch (number_of(num)) {
    case NR_EXIT:
        exiting = true;
        break;
    case NR_EXIT_GROUP:
        on_exit_group(a1);
        break;
    case NR_CLONE:
        on_clone(vcpu, a1);
        break;
    case NR_MMAP:
        if (a4 & MAP_SHARED) {
            parallel = true;
        }
        if (a4 & MAP_STACK) { /* a thread is being made */
            many_threads(true);
        }
        break;
    case NR_SHMAT:
        parallel = true;
        break;
    case NR_RT_SIGACTION:
        on_sigaction((int)a1, a2);
        break;
    case NR_RT_SIGRETURN:
        outcome_sigreturn();
        break;
    case NR_PRCTL:
        if (a1 == GUEST_SET_TAGGED_ADDR_CTRL && (a2 & GUEST_MTE_CHECKS)) {
            fault_tags_checked();
        }
        break;
    case NR_EXECVE:
        asked_for_exec = true;
        exec_follow(AT_FDCWD, a1, a2, a3, 0);
        break;
    case NR_EXECVEAT:
        asked_for_exec = true;
        exec_follow((int)a1, a2, a3, a4, (int)a5);
        break;
    case APMU_SYSCALL:
        el0_call(vcpu, a1, a2, a3, a4);
        break;
    default:
        break;
    }
}
