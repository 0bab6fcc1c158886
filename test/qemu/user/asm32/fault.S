/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A handler for SIGSEGV.  Some conditional loads and stores fault and some fail their condition: in A32 also at the end
 * of a block, and in T32 in an IT block, in whose middle the emulator goes on.
 *
 * Instructions before the first fault: 8 to install the handler, 6, and LDREQ, whose condition fails; STRNE faults and
 * is not retired.  The handler has 6: LDR, ADD, STR of the pc in its context, BX LR to the kernel's return, and MOV and
 * SVC there.  After it: LDRNE of the pc; LDREQ of the pc, whose condition fails; 2 to T32; CMP, IT; STRNE, which
 * faults, and the handler's 6; ADDNE, NOP; 3 for the exit.
 *
 * expect INST_RETIRED 38
 * expect LD_RETIRED 3
 * expect ST_RETIRED 2
 * expect BR_IND_TAKEN_RETIRED 4
 * expect BR_RETURN_RETIRED 2
 * expect BR_RETURN_ANY_RETIRED 2
 * expect BR_COND_RETIRED 2
 * expect BR_COND_TAKEN_RETIRED 1
 * expect BR_SKIP_RETIRED 1
 * expect EXC_SVC 4
 * expect status 0
 */
    .syntax unified
    .arch   armv7-a
    .arm
    .globl  _start
_start:
    movw    r1, #:lower16:action
    movt    r1, #:upper16:action
    mov     r0, #11                 /* SIGSEGV */
    mov     r2, #0
    mov     r3, #8
    mov     r7, #174                /* rt_sigaction */
    svc     #0
    cmp     r0, #0
    movw    r4, #:lower16:table
    movt    r4, #:upper16:table
    mov     r5, #0
    mov     r6, #1
    cmp     r6, #0
    nop
    ldreq   r1, [r5]                /* its condition fails, so no fault */
    strne   r6, [r5]                /* faults; the handler steps over it */
    ldrne   pc, [r4]
    udf     #0
out:
    ldreq   pc, [r4]
    adr     r0, 1f + 1
    bx      r0
    .thumb
1:  cmp     r6, #0
    itt     ne
    strne.w r6, [r5]                /* faults */
    addne   r6, #1
    nop                             /* in the IT block now, for the handler did not advance ITSTATE */
    movs    r0, #0
    movs    r7, #1                  /* exit */
    svc     #0
    .balign 4
    .arm
handler:                            /* (signal, info, context): its pc is the 24th word of the context */
    ldr     r3, [r2, #92]
    add     r3, r3, #4
    str     r3, [r2, #92]
    bx      lr
restorer:
    mov     r7, #173                /* rt_sigreturn */
    svc     #0
    .data
    .balign 8
action:
    .word   handler, 0x04000004, restorer, 0, 0 /* SA_RESTORER, SA_SIGINFO */
table:
    .word   out
