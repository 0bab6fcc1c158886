/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads from address 0.  1 instruction retires. */
    .globl _start
_start:
    mov     x0, #0
    ldr     x1, [x0]
