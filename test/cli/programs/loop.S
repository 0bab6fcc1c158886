/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a loop 1000 times: a load, a store, a load of a pair, a subtraction and a branch. */
    .globl _start
_start:
    mov     x9, #1000
    sub     sp, sp, #64
1:  ldr     x0, [sp]
    str     x0, [sp, #8]
    ldp     x1, x2, [sp, #16]
    subs    x9, x9, #1
    b.ne    1b
    mov     x0, #0
    mov     x8, #93                 /* exit */
    svc     #0
