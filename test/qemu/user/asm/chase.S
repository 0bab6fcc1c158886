/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A list of 1024 nodes of 64 bytes, 64 KiB from the begin of a page on: makes it in ascending order, each node with the
 * address of the next and the last with that of the first, and follows it ten times around.
 * Instructions: 4, then 1024 x 6, then 1 + 10240 x 3, then 3.
 *
 * expect INST_RETIRED 36872
 * expect ST_RETIRED 1024
 * expect LD_RETIRED 10240
 * expect BR_COND_RETIRED 11264
 * expect status 0
 */
    .globl _start
_start:
    adrp    x0, nodes               /* nodes is at the begin of a page */
    mov     x1, x0
    mov     x3, #1023
    movz    x2, #1024
1:  add     x4, x1, #64
    cmp     x2, #1
    csel    x4, x0, x4, eq
    str     x4, [x1], #64
    subs    x2, x2, #1
    b.ne    1b
    mov     x5, #10240
2:  ldr     x0, [x0]
    subs    x5, x5, #1
    b.ne    2b
    mov     x0, #0
    mov     x8, #93                 /* exit */
    svc     #0
    .bss
    .balign 65536
nodes:
    .skip   65536
