/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * More threads at once than an image has rows for: 99 besides the first.  Each waits for a byte of a pipe, goes round a
 * loop 1000 times, adds to one word, and ends.  The first thread writes the bytes when all are there, and does the
 * same.
 *
 * Instructions: the first thread executes 12 + 99 x 12 + 6 before work, each other one 1; all 100 then execute
 * 6 + 1000 x 3 + 3.
 *
 * expect threads 100
 * expect LD_RETIRED 100101
 * expect ST_RETIRED 100000
 * expect BR_COND_RETIRED 100297
 * expect BR_COND_TAKEN_RETIRED 100097
 * expect BR_SKIP_RETIRED 200
 * expect EXC_SVC 301
 * expect INST_RETIRED 302205
 * expect status 0
 */
#define THREADS 99
#define CLONE_FLAGS 0x50f00         /* VM FS FILES SIGHAND THREAD SYSVSEM */
    .arch   armv8.1-a
    .globl _start
_start:
    adrp    x20, word
    add     x20, x20, :lo12:word
    adrp    x21, stacks
    add     x21, x21, :lo12:stacks
    adrp    x22, ends
    add     x22, x22, :lo12:ends
    mov     x0, x22
    mov     x1, #0
    mov     x8, #59                 /* pipe2 */
    svc     #0
    add     x23, x20, #8            /* where the byte goes */
    mov     x19, #THREADS
2:  movz    x0, #(CLONE_FLAGS & 0xffff)
    movk    x0, #(CLONE_FLAGS >> 16), lsl #16
    add     x21, x21, #16
    mov     x1, x21
    mov     x2, #0
    mov     x3, #0
    mov     x4, #0
    mov     x8, #220                /* clone */
    svc     #0
    cbz     x0, work
    subs    x19, x19, #1
    b.ne    2b
    ldr     w0, [x22, #4]
    mov     x1, x21
    mov     x2, #(THREADS + 1)
    mov     x8, #64                 /* write */
    svc     #0
    nop
work:
    ldr     w0, [x22]
    mov     x1, x23
    mov     x2, #1
    mov     x8, #63                 /* read */
    svc     #0
    mov     x10, #1000
1:  stadd   x2, [x20]
    subs    x10, x10, #1
    b.ne    1b
    mov     x0, #0
    mov     x8, #93                 /* exit: of this thread; the last one ends the process */
    svc     #0
    .bss
    .balign 4096
word:
    .skip   16
ends:
    .skip   16
stacks:
    .skip   16 * (THREADS + 1)
