/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A32: 10000006 instructions.  Each of 1000000 rounds is ten: a load, a store, a DMB, a call, a return, a branch, a
 * load that fails its condition, a store that passes it, an ADD and a SUBS.  Z is clear except after the last SUBS.
 */
    .arch armv7-a
    .arm
    .globl _start
_start:
    movw    r9, #(1000000 & 0xFFFF)
    movt    r9, #(1000000 >> 16)
    sub     sp, sp, #64
1:  ldr     r0, [sp]
    str     r0, [sp, #8]
    bl      2f
    dmb     ish
    add     r1, r1, #1
    ldreq   r2, [sp]
    strne   r0, [sp, #12]
    subs    r9, r9, #1
    bne     1b
    mov     r0, #0
    mov     r7, #1                  /* exit */
    svc     #0
2:  bx      lr
