/* SPDX-License-Identifier: BSD-2-Clause */
/* A64: 10000006 instructions.  Each of 1000000 rounds is ten: two loads, a store, a DMB, a call, a return, a branch. */
    .globl _start
_start:
    movz    x9, #(1000000 & 0xFFFF)
    movk    x9, #(1000000 >> 16), lsl #16
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
