/* SPDX-License-Identifier: BSD-2-Clause */
/* A64: 1000000 rounds of ten instructions, with a DSB, which nothing else executes at EL0, and two branches. */
    .globl _start
_start:
    movz    x9, #(1000000 & 0xFFFF)
    movk    x9, #(1000000 >> 16), lsl #16
1:  dsb     nsh
    b       2f
2:  nop
    nop
    nop
    nop
    nop
    nop
    subs    x9, x9, #1
    b.ne    1b
    mov     x0, #0
    mov     x8, #93                 /* exit */
    svc     #0
