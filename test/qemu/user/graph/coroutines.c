/* SPDX-License-Identifier: BSD-2-Clause */
/* Coroutines by makecontext() and swapcontext(), on stacks next to each other and on the stack of main(). */
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline, noclone))
#define SIZE 32768

static ucontext_t home, context[3];
static volatile int sink;
static int made;

NOINLINE static void work(int n)
{
    for (int i = 0; i < n; i++) {
        sink += i;
    }
}

/* Inline, so that each coroutine waits at a place of its own. */
static inline __attribute__((always_inline)) void give(int who, int value)
{
    work(value);
    made += value;
    swapcontext(&context[who], &home);
    work(2);
}

NOINLINE static void squares(void)
{
    for (int i = 0; i < 5; i++) {
        give(0, i * i);
    }
}

NOINLINE static void nested(int depth)
{
    work(depth);
    if (depth > 0) {
        nested(depth - 1);
    }
    give(1, depth + 1);
}

NOINLINE static void tree(void)
{
    nested(4);
}

NOINLINE static void on_stack_of_main(void)
{
    give(2, 3);
    give(2, 4);
}

NOINLINE static void take(int who)
{
    work(5);
    swapcontext(&home, &context[who]);
    work(3);
}

static void make(int who, void (*function)(void), char *stack)
{
    getcontext(&context[who]);
    context[who].uc_stack.ss_sp = stack;
    context[who].uc_stack.ss_size = SIZE;
    context[who].uc_link = &home;
    makecontext(&context[who], function, 0);
}

int main(void)
{
    char here[SIZE], *heap = malloc(2 * SIZE);

    make(0, squares, heap);
    make(1, tree, heap + SIZE);
    make(2, on_stack_of_main, here);
    for (int i = 0; i < 5; i++) {
        take(0);
        take(1);
        if (i < 2) {
            take(2);
        }
    }
    take(0); /* it ends */
    printf("%d\n", made);
    free(heap);
    return 0;
}
