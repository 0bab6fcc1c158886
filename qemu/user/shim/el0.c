/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shim, loaded into a program before the program's own libraries.  It catches the SIGILL of an access to a PMU
 * register, asks the plugin in the emulator for the answer (call.h), and resumes the program after the instruction.
 *
 * It has its own system calls and signal trampoline, so that it works with any C library.  The plugin does not count
 * the code in its section.
 */
#include "../call.h"

#include <stddef.h>

/* Numbers and flags of Linux on AArch64. */
#define NR_RT_SIGACTION 134
#define NR_RT_SIGRETURN 139
#define SIGILL 4
#define SA_SIGINFO 0x00000004u
#define SA_RESTORER 0x04000000u
#define SA_ONSTACK 0x08000000u
#define SA_RESTART 0x10000000u

struct kernel_sigaction {
    void (*handler)(int, void *, void *);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

/* The kernel's struct ucontext up to the registers: flags, link, stack, mask and its reserve, then sigcontext. */
struct kernel_ucontext {
    uint64_t flags;
    void *link;
    struct {
        void *sp;
        int flags;
        size_t size;
    } stack;
    uint64_t mask[16];
    _Alignas(16) uint64_t fault_address;
    uint64_t regs[31];
    uint64_t sp, pc, pstate;
};

/* Puts a function into the section that has all code of the shim.  The linker defines symbols for its two ends. */
#define CODE __attribute__((section("apmu_text")))
extern const char __start_apmu_text[] __attribute__((visibility("hidden")));
extern const char __stop_apmu_text[] __attribute__((visibility("hidden")));

/* Makes a system call with four arguments, and returns its result. */
CODE static long call4(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    register uint64_t x8 __asm__("x8") = (uint64_t)number;
    register uint64_t x0 __asm__("x0") = a;
    register uint64_t x1 __asm__("x1") = b;
    register uint64_t x2 __asm__("x2") = c;
    register uint64_t x3 __asm__("x3") = d;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory", "cc");
    return (long)x0;
}

void apmu_el0_return(void);
__asm__(".pushsection apmu_text, \"ax\", %progbits\n"
        ".hidden apmu_el0_return\n"
        ".type apmu_el0_return, %function\n"
        "apmu_el0_return:\n"
        "    mov x8, #139\n" /* NR_RT_SIGRETURN */
        "    svc #0\n"
        ".size apmu_el0_return, . - apmu_el0_return\n"
        ".popsection\n");

/* Makes @handler handle SIGILL; NULL is SIG_DFL. */
CODE static void set_handler(void (*handler)(int, void *, void *))
{
    struct kernel_sigaction action = {
        .handler = handler,
        .flags = handler == NULL ? 0 : SA_SIGINFO | SA_RESTORER | SA_ONSTACK | SA_RESTART,
        .restorer = apmu_el0_return,
        .mask = 0,
    };
    call4(NR_RT_SIGACTION, SIGILL, (uintptr_t)&action, 0, sizeof action.mask);
}

/* Emulates the access that raised SIGILL as the plugin answers. */
CODE static void on_sigill(int signal, void *info, void *context)
{
    struct kernel_ucontext *c = context;
    uint32_t word = *(const uint32_t *)c->pc;
    unsigned rt = word & 31;
    struct apmu_call_answer answer = {0, 0};

    (void)signal;
    (void)info;
    call4(APMU_SYSCALL, APMU_CALL_ACCESS, word, rt == 31 ? 0 : c->regs[rt], (uintptr_t)&answer);
    if (!answer.allowed) {
        set_handler(NULL); /* SIG_DFL: the instruction is executed again and ends the program, as without the shim */
        return;
    }
    if ((word & (UINT32_C(1) << 21)) && rt != 31) {
        c->regs[rt] = answer.value;
    }
    c->pc += 4;
}

/* Installs the handler, and tells the plugin which code not to count. */
CODE __attribute__((constructor)) static void announce(void)
{
    set_handler(on_sigill);
    call4(APMU_SYSCALL, APMU_CALL_SHIM, (uintptr_t)__start_apmu_text, (uintptr_t)__stop_apmu_text, 0);
}
