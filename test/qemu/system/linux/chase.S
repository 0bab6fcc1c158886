/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A64: makes a ring of 65536 lines of 64 bytes, each far from the next, by one store, make; follows it 200000 times by
 * one load, miss.
 */
    .equ LINES, 65536
    .globl _start, make, miss
_start:
    adrp    x1, ring
    add     x1, x1, :lo12:ring
    mov     x2, #0
    movz    w4, #40503              /* odd: all lines are in the ring */
    movz    w3, #(LINES >> 16), lsl #16
1:  add     w5, w2, w4
    and     w5, w5, #(LINES - 1)
    add     x6, x1, x2, lsl #6
    add     x7, x1, x5, lsl #6
make:
    str     x7, [x6]
    mov     w2, w5
    subs    w3, w3, #1
    b.ne    1b
    movz    w3, #(200000 & 0xFFFF)
    movk    w3, #(200000 >> 16), lsl #16
    mov     x0, x1
2:  nop
miss:
    ldr     x0, [x0]
    nop
    subs    w3, w3, #1
    b.ne    2b
    mov     x0, #0
    mov     x8, #93                 /* exit */
    svc     #0
    .bss
    .balign 4096
ring: .space LINES * 64
