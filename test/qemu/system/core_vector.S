/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses of core_vector.c, @x1 times each.  A vector of SVE has 16 bytes. */
    .arch armv8.8-a+sve+mops
    .text

/* Loads 16 bytes from @x0 on, and stores them behind that: 16 elements each. */
    .global vector_bytes
vector_bytes:
    ptrue p0.b
1:  ld1b {z0.b}, p0/z, [x0]
    st1b {z0.b}, p0, [x0, #1, mul vl]
    subs x1, x1, #1
    b.ne 1b
    ret

/* Loads every other of four words: two elements. */
    .global vector_some
vector_some:
    ptrue p0.s
    pfalse p1.b
    trn1 p0.s, p0.s, p1.s
1:  ld1w {z0.s}, p0/z, [x0]
    subs x1, x1, #1
    b.ne 1b
    ret

/* Loads two structures of three doublewords: six elements. */
    .global vector_structures
vector_structures:
    ptrue p0.d
1:  ld3d {z0.d, z1.d, z2.d}, p0/z, [x0]
    subs x1, x1, #1
    b.ne 1b
    ret

/* Gathers two doublewords, @x2 bytes apart, and scatters them. */
    .global vector_gather
vector_gather:
    ptrue p0.d
    index z1.d, #0, x2
1:  ld1d {z0.d}, p0/z, [x0, z1.d]
    st1d {z0.d}, p0, [x0, z1.d]
    subs x1, x1, #1
    b.ne 1b
    ret

/* Zeroes a block. */
    .global zero_blocks
zero_blocks:
1:  dc zva, x0
    subs x1, x1, #1
    b.ne 1b
    ret

/* Sets @x2 bytes from @x0 on. */
    .global set_memory
set_memory:
1:  mov x3, x0
    mov x4, x2
    setp [x3]!, x4!, x1
    setm [x3]!, x4!, x1
    sete [x3]!, x4!, x1
    subs x1, x1, #1
    b.ne 1b
    ret

/* Copies @x2 bytes from @x0 on to @x3. */
    .global copy_memory
copy_memory:
1:  mov x4, x3
    mov x5, x0
    mov x6, x2
    cpyp [x4]!, [x5]!, x6!
    cpym [x4]!, [x5]!, x6!
    cpye [x4]!, [x5]!, x6!
    subs x1, x1, #1
    b.ne 1b
    ret
