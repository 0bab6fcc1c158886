/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals at any time: a timer sends one each millisecond while a loop of 20 million rounds runs.  Whenever they
 * arrive, the loop's branch is taken 19999999 times.
 *
 * expect BR_COND_RETIRED 20000001
 * expect BR_COND_TAKEN_RETIRED 19999999
 * expect BR_SKIP_RETIRED 2
 * expect status 0
 */
    .globl _start
_start:
    adr     x0, handler
    adrp    x20, action
    add     x20, x20, :lo12:action
    str     x0, [x20]
    movz    x0, #0x0400, lsl #16    /* SA_RESTORER */
    str     x0, [x20, #8]
    adr     x0, restorer
    stp     x0, xzr, [x20, #16]
    mov     x0, #14                 /* SIGALRM */
    mov     x1, x20
    mov     x2, #0
    mov     x3, #8
    mov     x8, #134                /* rt_sigaction */
    svc     #0
    mov     x0, #1000
    stp     xzr, x0, [x20, #32]
    stp     xzr, x0, [x20, #48]
    mov     x0, #0                  /* ITIMER_REAL */
    add     x1, x20, #32
    mov     x2, #0
    mov     x8, #103                /* setitimer */
    svc     #0
    movz    x19, #0x2d00
    movk    x19, #0x131, lsl #16
1:  subs    x19, x19, #1
    b.ne    1b
    ldr     x0, [x20, #64]          /* how many arrived */
    cbz     x0, 2f
    mov     x0, #0
    mov     x8, #93
    svc     #0
2:  mov     x0, #1                  /* none: nothing was tested */
    mov     x8, #93
    svc     #0
handler:
    ldr     x0, [x20, #64]
    add     x0, x0, #1
    str     x0, [x20, #64]
    ret
restorer:
    mov     x8, #139                /* rt_sigreturn */
    svc     #0
    .bss
    .balign 16
action:
    .skip   128
