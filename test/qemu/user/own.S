/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses that QEMU makes in functions of its own, 8 times each: 16 elements loaded and stored by SVE, 2 gathered and
 * scattered, 16 loaded and stored by SME, a block zeroed, 200 bytes set and copied across a page.
 */
    .arch armv9-a+sve+sme+mops
    .globl _start
_start:
    adrp x1, page
    add x1, x1, :lo12:page
    mov x9, #8
    ptrue p0.b, vl16
    ptrue p1.d, vl2
    mov x2, #128
    index z1.d, #0, x2
1:  ld1b {z0.b}, p0/z, [x1]
    st1b {z0.b}, p0, [x1]
    ld1d {z2.d}, p1/z, [x1, z1.d]
    st1d {z2.d}, p1, [x1, z1.d]
    dc zva, x1
    sub x3, x1, #100
    mov x4, #200
    setp [x3]!, x4!, x2
    setm [x3]!, x4!, x2
    sete [x3]!, x4!, x2
    sub x3, x1, #100
    add x5, x1, #1024
    mov x4, #200
    cpyp [x3]!, [x5]!, x4!
    cpym [x3]!, [x5]!, x4!
    cpye [x3]!, [x5]!, x4!
    subs x9, x9, #1
    b.ne 1b
    mov x9, #8
    smstart
    ptrue p0.b, vl16
    mov w12, #0
2:  ld1b {za0h.b[w12, 0]}, p0/z, [x1]
    st1b {za0h.b[w12, 0]}, p0, [x1]
    subs x9, x9, #1
    b.ne 2b
    smstop
    mov x0, #0
    mov x8, #93
    svc #0
    .bss
    .balign 4096
    .space 4096
page: .space 4096
