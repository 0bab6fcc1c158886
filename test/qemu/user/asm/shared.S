/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * As threads.S, but memory is mapped shared first: the emulator then generates code for parallel execution while
 * there is still one thread, and the plugin must throw that code away before the second thread starts.
 *
 * Four threads besides the first: each goes round a loop 20000 times, adds to one word, and ends; so does the first.
 * Instructions: the first thread executes 13 and a loop of 1000 x 2, then 1 + 4 x 12, each other one 1; all five then
 * execute 2 + 20000 x 3 + 3.
 *
 * expect threads 5
 * expect LD_RETIRED 100000
 * expect ST_RETIRED 100000
 * expect BR_COND_RETIRED 101012
 * expect BR_COND_TAKEN_RETIRED 101001
 * expect BR_SKIP_RETIRED 11
 * expect EXC_SVC 10
 * expect INST_RETIRED 302091
 * expect status 0
 */
#define CLONE_FLAGS 0x50f00         /* VM FS FILES SIGHAND THREAD SYSVSEM */
    .arch   armv8.1-a
    .globl _start
_start:
    adrp    x20, word
    add     x20, x20, :lo12:word
    adrp    x21, stacks
    add     x21, x21, :lo12:stacks
    mov     x0, #0
    mov     x1, #4096
    mov     x2, #3                  /* PROT_READ, PROT_WRITE */
    mov     x3, #0x21               /* MAP_SHARED, MAP_ANONYMOUS */
    mov     x4, #-1
    mov     x5, #0
    mov     x8, #222                /* mmap */
    svc     #0
    mov     x19, #1000
3:  subs    x19, x19, #1
    b.ne    3b
    mov     x19, #4
2:  movz    x0, #(CLONE_FLAGS & 0xffff)
    movk    x0, #(CLONE_FLAGS >> 16), lsl #16
    add     x21, x21, #4096
    mov     x1, x21
    mov     x2, #0
    mov     x3, #0
    mov     x4, #0
    mov     x8, #220                /* clone */
    svc     #0
    cbz     x0, work
    subs    x19, x19, #1
    b.ne    2b
work:
    mov     x10, #20000
    mov     x11, #1
1:  stadd   x11, [x20]
    subs    x10, x10, #1
    b.ne    1b
    mov     x0, #0
    mov     x8, #93                 /* exit: of this thread; the last one ends the process */
    svc     #0
    .bss
    .balign 4096
word:
    .skip   4096
stacks:
    .skip   4 * 4096
