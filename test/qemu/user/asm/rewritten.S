/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code that is rewritten at one address, each time another block: n additions, m loads and a RET, for n and m from 0 to
 * 39, each executed twice.  One address has counters for fewer blocks than these 1600.
 *
 * Instructions: 16 before; 4 for each n, and 13 + 6 n + 6 m for each n and m; 3 at the end.
 *
 * expect INST_RETIRED 395379
 * expect LD_RETIRED 62400
 * expect ST_RETIRED 64000
 * expect BR_RETIRED 136040
 * expect BR_RETURN_RETIRED 3200
 * expect EXC_SVC 2
 * expect status 0
 */
#define TIMES 40
    .globl _start
_start:
    mov     x0, #0
    mov     x1, #4096
    mov     x2, #7                  /* PROT_READ, PROT_WRITE, PROT_EXEC */
    mov     x3, #0x22               /* MAP_PRIVATE, MAP_ANONYMOUS */
    mov     x4, #-1
    mov     x5, #0
    mov     x8, #222                /* mmap */
    svc     #0
    mov     x20, x0
    movz    w12, #0x0421            /* ADD X1, X1, #1: 0x91000421 */
    movk    w12, #0x9100, lsl #16
    movz    w13, #0x03e2            /* LDR X2, [SP]: 0xf94003e2 */
    movk    w13, #0xf940, lsl #16
    movz    w14, #0x03c0            /* RET: 0xd65f03c0 */
    movk    w14, #0xd65f, lsl #16
    mov     x21, #0                 /* n */
1:  mov     x22, #0                 /* m */
2:  mov     x0, x20
    mov     x11, x21
3:  cbz     x11, 4f
    str     w12, [x0], #4
    sub     x11, x11, #1
    b       3b
4:  mov     x11, x22
5:  cbz     x11, 6f
    str     w13, [x0], #4
    sub     x11, x11, #1
    b       5b
6:  str     w14, [x0]
    blr     x20
    blr     x20
    add     x22, x22, #1
    cmp     x22, #TIMES
    b.ne    2b
    add     x21, x21, #1
    cmp     x21, #TIMES
    b.ne    1b
    mov     x0, #0
    mov     x8, #93                 /* exit */
    svc     #0
