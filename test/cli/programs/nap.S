/* SPDX-License-Identifier: BSD-2-Clause */
/* Sleeps a quarter of a second between two loops of 1000 subtractions.  2 x 2001 + 6 instructions. */
    .globl _start
_start:
    mov     x9, #1000
1:  subs    x9, x9, #1
    b.ne    1b
    adr     x0, nap
    mov     x1, #0
    mov     x8, #101                /* nanosleep */
    svc     #0
    mov     x9, #1000
2:  subs    x9, x9, #1
    b.ne    2b
    mov     x8, #93                 /* exit; x0 is 0, from nanosleep */
    svc     #0
    .balign 8
nap:
    .quad   0, 250000000
