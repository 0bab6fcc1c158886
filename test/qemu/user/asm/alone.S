/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One thread maps memory shared, so the emulator generates code for parallel execution while there is one.  The same
 * code is then executed by a child that makes a thread, by a second thread, by one that begins after that one ended,
 * and by another child that makes a thread.
 *
 * Instructions: work has 2 + 983040 x 2, and there are 12: two of the first thread, one of each child, two of each
 * pair.  A pair has 21 beside them, and its second thread 5; there are 4.  child has 11 in the parent, and 1 + 2 + 3 in
 * the child; there are 2.  The first thread has 11 + 7 + 3.
 *
 * expect processes 3
 * expect threads 7
 * expect LD_RETIRED 4
 * expect BR_COND_RETIRED 11796496
 * expect BR_COND_TAKEN_RETIRED 11796474
 * expect BR_SKIP_RETIRED 22
 * expect EXC_SVC 20
 * expect INST_RETIRED 23593143
 * expect status 0
 */
#define CLONE_FLAGS 0x350f00 /* VM FS FILES SIGHAND THREAD SYSVSEM PARENT_SETTID CHILD_CLEARTID */
    .arch   armv8.1-a
    .globl _start
_start:
    mov     x0, #0
    mov     x1, #4096
    mov     x2, #3                  /* PROT_READ, PROT_WRITE */
    mov     x3, #0x21               /* MAP_SHARED, MAP_ANONYMOUS */
    mov     x4, #-1
    mov     x5, #0
    mov     x8, #222                /* mmap */
    svc     #0
    adrp    x23, tid
    add     x23, x23, :lo12:tid
    add     x24, x23, #4096         /* the stack of a thread */
    bl      work
    bl      child
    bl      pair
    bl      pair
    bl      child
    bl      work
    b       leave

/* Makes a child and waits for it.  The child makes a thread. */
child:
    mov     x0, #17                 /* SIGCHLD */
    mov     x1, #0
    mov     x2, #0
    mov     x3, #0
    mov     x4, #0
    mov     x8, #220                /* clone */
    svc     #0
    cbz     x0, 1f
    mov     x8, #260                /* wait4 */
    svc     #0
    ret
1:  bl      work
    bl      pair
leave:
    mov     x0, #0
    mov     x8, #94                 /* exit_group */
    svc     #0

/* Makes a thread; both work; waits until it has ended. */
pair:
    mov     x29, x30
    movz    x0, #(CLONE_FLAGS & 0xffff)
    movk    x0, #(CLONE_FLAGS >> 16), lsl #16
    mov     x1, x24
    mov     x2, x23
    mov     x3, #0
    mov     x4, x23
    mov     x8, #220                /* clone */
    svc     #0
    cbz     x0, 1f
    mov     x22, x0
    bl      work
    mov     x0, x23
    mov     x1, #0                  /* FUTEX_WAIT */
    mov     x2, x22
    mov     x3, #0
    mov     x8, #98                 /* futex */
    svc     #0
    ldr     w0, [x23]
    cbnz    w0, leave               /* with a wrong count */
    ret     x29
1:  bl      work
    mov     x0, #0
    mov     x8, #93                 /* exit: of this thread */
    svc     #0

work:
    mov     x10, #983040            /* so many that the threads run at the same time */
1:  subs    x10, x10, #1
    b.ne    1b
    ret
    .bss
    .balign 4096
tid:
    .skip   2 * 4096
