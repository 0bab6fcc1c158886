// SPDX-License-Identifier: BSD-2-Clause
// Executes 80000007 instructions.
    .globl _start
_start:
    movz x0, #(40000000 & 0xFFFF)
    movk x0, #(40000000 >> 16), lsl #16
1:  subs x0, x0, #1
    b.ne 1b
    mov x0, #0
    mov x8, #93
    nop
    nop
    svc #0
