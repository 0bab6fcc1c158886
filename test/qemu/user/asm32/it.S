/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * T32: IT blocks, conditional branches, CBZ, and a loop of 10 in which every second pass adds.
 *
 * The loop has 9 instructions: TST, IT, ADDEQ (passes 5 times of 10), ITTE, LDRNE (5), STRNE (5), LDREQ (5), SUBS, BNE
 * (taken 9 times of 10).  Before it there are 4.  After it there are 11: CMP, IT, CMPEQ (fails, so the flags stay),
 * ITE, MOVEQ, MOVNE (one of the two passes), CBZ (taken), CBNZ (not taken), B<c>.W (not taken), MOVS and SVC.
 *
 * expect INST_RETIRED 105
 * expect LD_RETIRED 11
 * expect ST_RETIRED 5
 * expect LDST_ANY_RETIRED 16
 * expect BR_COND_RETIRED 13
 * expect BR_COND_TAKEN_RETIRED 10
 * expect BR_SKIP_RETIRED 3
 * expect BR_RETIRED 13
 * expect UNALIGNED_LDST_RETIRED 5
 * expect DP_RETIRED 53
 * expect EXC_SVC 1
 * expect status 0
 */
    .syntax unified
    .arch   armv7-a
    .thumb
    .globl  _start
    .thumb_func
_start:
    ldr.w   r4, =words
    movs    r5, #10
    movs    r0, #0
    movs    r6, #0
1:  tst     r5, #1
    it      eq
    addeq   r6, #1
    itte    ne
    ldrne   r1, [r4]
    strne   r1, [r4, #2]            /* unaligned */
    ldreq   r2, [r4, #4]
    subs    r5, #1
    bne     1b
    cmp     r6, #6
    it      eq
    cmpeq   r6, #5
    ite     eq
    moveq   r0, #1
    movne   r0, #0
    cbz     r5, 2f
    nop
2:  cbnz    r5, 3f
    beq.w   3f
    movs    r7, #1                  /* exit */
    svc     #0
3:  udf     #0
    .ltorg
    .data
    .balign 8
words:
    .word   1, 2, 3, 4
