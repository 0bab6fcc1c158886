/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that sends itself 100 signals.  Instructions: 19 before, 100 x (4 + 4 in the handler + 2 in the trampoline
 * + 2), and 4 at the end.
 *
 * expect INST_RETIRED 1223
 * expect EXC_SVC 203
 * expect LD_RETIRED 101
 * expect ST_RETIRED 104
 * expect BR_RETURN_RETIRED 100
 * expect BR_COND_RETIRED 100
 * expect BR_COND_TAKEN_RETIRED 99
 * expect BR_SKIP_RETIRED 1
 * expect status 100
 */
    .globl _start
_start:
    adr     x0, handler
    adrp    x20, action
    add     x20, x20, :lo12:action
    str     x0, [x20]
    mov     x0, #0x04000000         /* SA_RESTORER */
    str     x0, [x20, #8]
    adr     x0, restorer
    stp     x0, xzr, [x20, #16]
    mov     x0, #10                 /* SIGUSR1 */
    mov     x1, x20
    mov     x2, #0
    mov     x3, #8
    mov     x8, #134                /* rt_sigaction */
    svc     #0
    mov     x8, #172                /* getpid */
    svc     #0
    mov     x21, x0
    mov     x19, #100
    str     xzr, [x20, #64]
1:  mov     x0, x21
    mov     x1, #10
    mov     x8, #129                /* kill */
    svc     #0
    subs    x19, x19, #1
    b.ne    1b
    nop
    ldr     x0, [x20, #64]
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
