/* SPDX-License-Identifier: BSD-2-Clause */
/* Leaves functions by longjmp(), handles signals, and leaves handlers by siglongjmp(), also on a stack of their own. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define NOINLINE __attribute__((noinline, noclone))

static jmp_buf back;
static sigjmp_buf from_handler;
static volatile int handled, sink;

NOINLINE static void spin(int n)
{
    for (int i = 0; i < n; i++) {
        sink += i;
    }
}

NOINLINE static void dive(int n)
{
    spin(n);
    if (n == 0) {
        if (handled < 1000) {
            longjmp(back, 1);
        }
        return;
    }
    dive(n - 1);
    spin(1);
}

NOINLINE static int try_to_dive(int n)
{
    if (setjmp(back) == 0) {
        dive(n);
    }
    spin(3);
    return n;
}

NOINLINE static void on_inner(int signal)
{
    spin(signal);
    handled++;
}

NOINLINE static void on_outer(int signal)
{
    spin(signal);
    raise(SIGUSR2);
    spin(2);
    handled++;
}

NOINLINE static void on_fault(int signal)
{
    spin(signal);
    handled++;
    siglongjmp(from_handler, 1);
}

NOINLINE static void touch(volatile int *p)
{
    spin(4);
    *p = 1;
    spin(5);
}

NOINLINE static void try_to_touch(int *p)
{
    if (sigsetjmp(from_handler, 1) == 0) {
        touch(p);
    }
    spin(6);
}

NOINLINE static void be_interrupted(void)
{
    spin(7);
    raise(SIGUSR1);
    spin(8);
}

static void handle(int signal, void (*handler)(int), int flags)
{
    struct sigaction act = {.sa_handler = handler, .sa_flags = flags};
    if (sigaction(signal, &act, NULL) != 0) {
        abort();
    }
}

int main(void)
{
    static char stack[65536];
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    int *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), sum = 0;

    for (int i = 0; i < 10; i++) {
        sum += try_to_dive(i);
    }
    handle(SIGUSR1, on_outer, 0);
    handle(SIGUSR2, on_inner, 0);
    be_interrupted();
    handle(SIGSEGV, on_fault, 0);
    try_to_touch(page);
    spin(9);
    sigaltstack(&other, NULL);
    handle(SIGSEGV, on_fault, SA_ONSTACK);
    handle(SIGUSR1, on_outer, SA_ONSTACK);
    for (int i = 0; i < 3; i++) {
        try_to_touch(page);
        be_interrupted();
        sum += try_to_dive(2);
    }
    printf("%d %d\n", sum, handled);
    return 0;
}
