/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A handler that recovers from SIGSEGV, 100 times: the load in the middle of a block faults, neither it nor what
 * follows in its block is executed then, and the handler steps over it.
 *
 * Instructions: 16 before; 100 rounds of 2 before the load, 4 in the handler, 2 in the trampoline and 3 after the load;
 * 3 at the end.
 *
 * expect INST_RETIRED 1119
 * expect LD_RETIRED 100
 * expect ST_RETIRED 103
 * expect EXC_SVC 102
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
    mov     x19, #100
1:  mov     x1, #0
    nop
    ldr     x2, [x1]                /* faults */
    nop
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
    .balign 16
action:
    .skip   128
