/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that may fault and are the last of a page, so the last of their block: nothing follows in the block
 * that could prove that they completed.  There are 10 rounds of LDP, STR Q, STADD and STXR.  In the first 5 rounds the
 * address of LDP and STADD is bad, and the handler steps over the instruction.
 *
 * Instructions: 24 before the loop; in each round 11 around the four calls, and 3, 3, 3 and 4 in the calls, less those
 * that fault; for each fault 4 in the handler and 2 in the trampoline; 3 at the end.
 *
 * expect INST_RETIRED 317
 * expect LD_RETIRED 30
 * expect ST_RETIRED 38
 * expect STREX_SPEC 10
 * expect EXC_SVC 12
 * expect status 0
 */
    .arch   armv8.1-a
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
    adrp    x22, last_ldp
    add     x22, x22, :lo12:last_ldp
    adrp    x23, last_str
    add     x23, x23, :lo12:last_str
    mov     x19, #10
    nop
    nop
1:  cmp     x19, #5
    csel    x1, xzr, x21, gt        /* a bad address first */
    blr     x22
    mov     x1, x21
    blr     x23
    cmp     x19, #5
    csel    x1, xzr, x21, gt
    bl      last_stadd
    bl      last_stxr
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

    .balign 4096
    .skip   4096 - 8
last_ldp:
    nop
    ldp     x4, x5, [x1]
    ret
    .balign 4096
    .skip   4096 - 8
last_str:
    nop
    str     q0, [x1]
    ret
    .balign 4096
    .skip   4096 - 8
last_stadd:
    nop
    stadd   x4, [x1]
    ret
    .balign 4096
    .skip   4096 - 8
last_stxr:
    ldxr    x4, [x21]
    stxr    w5, x4, [x21]
    nop
    ret
    .bss
    .balign 16
action:
    .skip   128
data:
    .skip   64
