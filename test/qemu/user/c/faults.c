/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handles faults in the ways that programs do, for test_faults.sh.  The argument names the way.  Each run of a way does
 * the same, and prints how many signals it handled.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE 4096

static volatile int handled;
static char *page; /* may not be accessed */
static sigjmp_buf back;

/* Installs @handler for @signal. */
static void handle(int signal, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    if (sigaction(signal, &action, NULL) != 0) {
        abort();
    }
}

/* Skips the instruction that faulted. */
static void skip(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    handled++;
    ((ucontext_t *)context)->uc_mcontext.pc += 4;
}
#define SKIP ((void (*)(int))(void *)skip)

/* Faults in a block that is entered at its first instruction, and from its last one at its second. */
static void loop(void)
{
    handle(SIGSEGV, SKIP, SA_SIGINFO);
    __asm__ volatile("mov x9, #100\n"
                     "1: add x11, x11, #1\n"
                     "ldr x10, [%0]\n"
                     "add x11, x11, #2\n"
                     "str x10, [%0, #8]\n"
                     "subs x9, x9, #1\n"
                     "b.ne 1b\n" ::"r"(page)
                     : "x9", "x10", "x11", "cc", "memory");
}

/* Faults in the first instruction of a block, in the middle and in the last, in loads and stores of every kind. */
static void places(void)
{
    handle(SIGSEGV, SKIP, SA_SIGINFO);
    for (int i = 0; i < 3; i++) {
        __asm__ volatile("b 1f\n 1: ldr x10, [%0]\n b 1f\n"
                         "1: add x11, x11, #1\n ldrb w10, [%0]\n add x11, x11, #1\n b 1f\n"
                         "1: add x11, x11, #1\n str x10, [%0]\n cbz xzr, 1f\n nop\n"
                         "1: ldp x10, x11, [%0]\n stp x10, x11, [%0, #16]\n stp q0, q1, [%0]\n ldp d0, d1, [%0]\n"
                         "ldr q0, [%0]\n str s0, [%0, #4]\n ldrsw x10, [%0]\n ldpsw x10, x11, [%0]\n"
                         "ldnp x10, x11, [%0]\n mov x12, %0\n ldr x10, [x12, #8]!\n str x10, [x12], #8\n"
                         "ldr x10, [%0, xzr]\n ldur x10, [%0, #1]\n"
                         "ldtr x10, [%0]\n prfm pldl1keep, [%0]\n ld1 {v0.16b}, [%0]\n st1 {v0.s}[1], [%0]\n"
                         "ldr x10, [sp]\n ldar x10, [%0]\n stlr x10, [%0]\n ldxr x10, [%0]\n stxr w10, x11, [%0]\n"
                         "dc zva, %0\n ldr x10, [sp]\n add x11, x11, #1\n" ::"r"(page)
                         : "x10", "x11", "x12", "v0", "v1", "memory");
        __asm__ volatile(".arch_extension lse\n add x11, x11, #1\n ldadd x10, x11, [%0]\n swp x10, x11, [%0]\n"
                         "cas x10, x11, [%0]\n add x11, x11, #1\n" ::"r"(page)
                         : "x10", "x11", "memory");
    }
}

/* Faults in blocks that end where the emulator decides, and in others that share their instructions. */
static void cuts(void)
{
    handle(SIGSEGV, SKIP, SA_SIGINFO);
    for (int i = 0; i < 20; i++) {
        __asm__ volatile("mov x9, #3\n"
                         "1: cmp x9, #2\n b.eq 2f\n b.hi 3f\n"
                         ".rept 50\n add x11, x11, #1\n .endr\n"
                         "2: .rept 350\n add x11, x11, #1\n .endr\n"
                         "3: ldr x10, [%0]\n orr x11, x11, #1\n"
                         ".rept 104\n add x11, x11, #1\n .endr\n str x10, [%0]\n ldr x10, [sp]\n"
                         ".rept 300\n add x11, x11, #1\n .endr\n"
                         "str x10, [%0]\n"
                         "subs x9, x9, #1\n b.ne 1b\n" ::"r"(page)
                         : "x9", "x10", "x11", "cc", "memory");
        __asm__ volatile("mov x9, #2\n mrs x12, fpcr\n"
                         "1: ldr x10, [%0]\n add x11, x11, #1\n msr fpcr, x12\n"
                         "ldr x10, [%0]\n add x11, x11, #1\n isb\n"
                         "subs x9, x9, #1\n b.ne 1b\n" ::"r"(page)
                         : "x9", "x10", "x11", "x12", "cc", "memory");
    }
}

/* Accesses a mapped page beyond the end of a file that was cut short. */
static void bus(void)
{
    int fd = memfd_create("faults", 0);
    if (fd < 0 || ftruncate(fd, 2 * PAGE) != 0) {
        abort();
    }
    char *map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    handle(SIGBUS, SKIP, SA_SIGINFO);
    for (int i = 0; i < 20; i++) {
        if (ftruncate(fd, PAGE) != 0) {
            abort();
        }
        __asm__ volatile("add x11, x11, #1\n ldr x10, [%0]\n str x10, [%0]\n add x11, x11, #1\n" ::"r"(map + PAGE)
                         : "x10", "x11", "memory");
    }
}

/* Allows access to the page.  This handler takes no information on the fault. */
static void unlock(int signal)
{
    (void)signal;
    handled++;
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
}

/* Works as a garbage collector's write barrier. */
static void barrier(void)
{
    handle(SIGSEGV, unlock, 0);
    for (int i = 0; i < 10000; i++) {
        __asm__ volatile("add x11, x11, #1\n str x11, [%0]\n add x11, x11, #2\n ldr x11, [%0]\n" ::"r"(page)
                         : "x11", "memory");
        mprotect(page, PAGE, PROT_NONE);
    }
}

/* Handles faults on an alternate stack. */
static void other_stack(void)
{
    stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
    sigaltstack(&stack, NULL);
    handle(SIGSEGV, SKIP, SA_SIGINFO | SA_ONSTACK);
    for (int i = 0; i < 50; i++) {
        __asm__ volatile("add x11, x11, #1\n ldr x10, [%0]\n add x11, x11, #2\n" ::"r"(page) : "x10", "x11", "memory");
    }
}

/* Leaves by siglongjmp(), without use of the stack. */
void leaf(int signal);
sigjmp_buf *leaf_back = &back;
__asm__("leaf: adrp x0, leaf_back\n ldr x0, [x0, :lo12:leaf_back]\n mov w1, #1\n b siglongjmp\n");

/* Leaves by siglongjmp(), from deep in the stack. */
static void leave(int signal)
{
    char room[9000];
    memset(room, signal, sizeof room);
    __asm__ volatile("" ::"r"(room) : "memory");
    handled++;
    siglongjmp(back, 1);
}

/* Faults with a handler that never returns. */
static void jump(void (*handler)(int))
{
    handle(SIGSEGV, handler, 0);
    for (volatile int i = 0; i < 100; i++) {
        if (sigsetjmp(back, 1) == 0) {
            __asm__ volatile("add x11, x11, #1\n ldr x10, [%0]\n add x11, x11, #2\n" ::"r"(page)
                             : "x10", "x11", "memory");
        }
    }
}

/* Handles a fault, and faults too. */
static void nest(int signal, siginfo_t *info, void *context)
{
    static int depth;
    if (depth < 3) {
        depth++;
        __asm__ volatile("add x11, x11, #1\n ldr x10, [%0]\n add x11, x11, #2\n" ::"r"(page + 64 * depth)
                         : "x10", "x11", "memory");
        depth--;
    }
    skip(signal, info, context);
}

static void nested(void)
{
    handle(SIGSEGV, (void (*)(int))(void *)nest, SA_SIGINFO | SA_NODEFER);
    for (int i = 0; i < 10; i++) {
        __asm__ volatile("add x11, x11, #1\n str x10, [%0]\n add x11, x11, #2\n" ::"r"(page) : "x10", "x11", "memory");
    }
}

/* Counts a signal that is no fault. */
static void count(int signal)
{
    (void)signal;
    handled++;
}

/* Returns from a function whose code is not there. */
static void back_to_caller(int signal, siginfo_t *info, void *context)
{
    mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
    (void)signal;
    (void)info;
    handled++;
    m->pc = m->regs[30];
}

/* Sends itself signals that are no faults, and calls addresses without code. */
static void sent(void)
{
    handle(SIGSEGV, count, 0);
    handle(SIGBUS, count, SA_NODEFER);
    for (int i = 0; i < 20; i++) {
        kill(getpid(), SIGSEGV);
        kill(getpid(), SIGBUS);
        raise(SIGSEGV);
    }
    handle(SIGSEGV, (void (*)(int))(void *)back_to_caller, SA_SIGINFO);
    ((void (*)(void))(void *)page)();
    ((void (*)(void))UINT64_C(0x10000))();
    ((void (*)(void))(void *)(page + 4092))();
}

/* Rewrites code again and again, in the page that it accesses, so the emulator itself causes most faults. */
static void rewritten(void)
{
    static const uint32_t code[] = {0xf9400020 /* ldr x0, [x1] */, 0x91000400 /* add x0, x0, #1 */, 0xd65f03c0};
    uint32_t *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    handle(SIGSEGV, SKIP, SA_SIGINFO);
    for (uint32_t i = 0; i < 200; i++) {
        memcpy(at, code, sizeof code);
        at[1] = i % 3 == 0 ? 0xf9000420 /* str x0, [x1, #8] */ : code[1];
        __builtin___clear_cache((char *)at, (char *)(at + 3));
        ((uint64_t(*)(void *, void *))(void *)at)(NULL, i % 2 ? page : (char *)&at[512]);
    }
}

/* Calls the handler as a function before it is installed. */
static void late(void)
{
    ucontext_t context;
    for (int i = 0; i < 50; i++) {
        skip(0, NULL, &context);
    }
    loop();
}

/* Faults in children of fork, and in their parent between them. */
static void forked(void)
{
    loop();
    for (int i = 0; i < 3; i++) {
        if (fork() == 0) {
            places();
            _exit(handled != 0 ? 0 : 1);
        }
        wait(NULL);
        loop();
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {{"loop", loop}, {"places", places}, {"cuts", cuts}, {"bus", bus}, {"barrier", barrier},
                {"other-stack", other_stack}, {"nested", nested}, {"sent", sent}, {"rewritten", rewritten},
                {"late", late}, {"forked", forked}};
    const char *way = argc == 2 ? argv[1] : "";

    page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (strcmp(way, "leaf") == 0) {
        jump(leaf);
    } else if (strcmp(way, "leave") == 0) {
        jump(leave);
    } else {
        size_t i = 0;
        while (i < sizeof ways / sizeof ways[0] && strcmp(way, ways[i].name) != 0) {
            i++;
        }
        if (i == sizeof ways / sizeof ways[0]) {
            return 2;
        }
        ways[i].run();
    }
    printf("%d handled\n", handled);
    return 0;
}
