/* SPDX-License-Identifier: BSD-2-Clause */
/* A64: 10 * ROUNDS + 6 instructions.  A round is ten, with two loads, a store, a DMB, a call, a return and a branch. */
#ifndef ROUNDS
#define ROUNDS 1000000
#endif
    .globl _start
_start:
    movz    x9, #(ROUNDS & 0xFFFF)
    movk    x9, #(ROUNDS >> 16), lsl #16
    sub     sp, sp, #64
1:  ldr     x0, [sp]
    str     x0, [sp, #8]
    bl      2f
    dmb     ish
    add     x1, x1, #1
    nop
    ldp     x1, x2, [sp, #16]
    subs    x9, x9, #1
    b.ne    1b
    mov     x0, #0
    mov     x8, #93                 /* exit */
    svc     #0
2:  ret
