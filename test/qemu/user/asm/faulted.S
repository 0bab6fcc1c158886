/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults among other accesses, 100 times two: a load and a store fault, with accesses before and behind them in their
 * block.  The handler steps over them, so those behind are executed once, in a block of their own.
 *
 * Instructions: 18 before; 100 rounds of 9, and 2 faults with 4 in the handler and 2 in the trampoline; 3 at the end.
 *
 * expect INST_RETIRED 2121
 * expect LD_RETIRED 600
 * expect ST_RETIRED 403
 * expect EXC_SVC 202
 * expect BR_COND_RETIRED 100
 * expect BR_COND_TAKEN_RETIRED 99
 * expect status 0
 */
    .globl _start
_start:
    adr     x0, handler
    adrp    x20, action
    add     x20, x20, :lo12:action
    str     x0, [x20]
    movz    x0, #0x0400, lsl #16    /* SA_RESTORER */
    add     x0, x0, #4              /* SA_SIGINFO */
    str     x0, [x20, #8]
    adr     x0, restorer
    stp     x0, xzr, [x20, #16]
    mov     x0, #11                 /* SIGSEGV */
    mov     x1, x20
    mov     x2, #0
    mov     x3, #8
    mov     x8, #134                /* rt_sigaction */
    svc     #0
    adrp    x21, data
    add     x21, x21, :lo12:data
    mov     x19, #100
1:  mov     x1, #0
    ldr     x5, [x21]
    ldr     x2, [x1]                /* faults */
    ldr     x6, [x21, #8]
    str     x6, [x21, #1024]
    str     x5, [x21, #2048]
    ldr     x6, [x21, #1024]
    str     x5, [x1]                /* faults */
    ldr     x5, [x21, #2048]
    subs    x19, x19, #1
    b.ne    1b
    mov     x0, #0
    mov     x8, #93
    svc     #0
handler:                            /* x2 is the context, with the pc at 440 */
    ldr     x3, [x2, #440]
    add     x3, x3, #4
    str     x3, [x2, #440]
    ret
restorer:
    mov     x8, #139                /* rt_sigreturn */
    svc     #0
    .bss
    .balign 4096
action:
    .skip   128
    .balign 64
data:
    .skip   4096
