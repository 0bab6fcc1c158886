/* SPDX-License-Identifier: BSD-2-Clause */
/* A 32-bit program that a read of PMCCNTR at EL0 ends. */
    .arch   armv7-a
    .globl  _start
_start:
    mov     r0, #0
    mrc     p15, 0, r1, c9, c13, 0
    mov     r7, #1
    svc     #0
