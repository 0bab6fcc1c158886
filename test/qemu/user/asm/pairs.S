/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads and stores that are one instruction and several accesses, and instructions that look like a load and are none.
 * Two are unaligned: an LDP of X registers at 4, an LDR Q at 8.
 *
 * expect INST_RETIRED 25
 * expect LD_RETIRED 10
 * expect ST_RETIRED 7
 * expect LDST_ANY_RETIRED 17
 * expect MEM_ACCESS 17
 * expect PRF_RETIRED 2
 * expect DP_RETIRED 7
 * expect UNALIGNED_LDST_RETIRED 2
 * expect SIMD_INST_RETIRED 8
 * expect ASE_INST_RETIRED 8
 * expect ASE_RETIRED 0
 * expect BR_RETIRED 0
 */
    .globl _start
_start:
    adrp    x0, buffer
    add     x0, x0, :lo12:buffer
    add     x1, x0, #4
    stp     x1, x2, [x0]
    stp     q0, q1, [x0, #32]
    stp     w1, w2, [x0], #0
    ldp     x3, x4, [x0]
    ldp     x3, x4, [x1]            /* unaligned */
    ldpsw   x3, x4, [x0]
    ldnp    d2, d3, [x0]
    ldp     q2, q3, [x0]
    ld1     {v0.16b, v1.16b, v2.16b, v3.16b}, [x0]
    ld2     {v0.s, v1.s}[1], [x0]
    ld1r    {v4.4s}, [x0]
    ldr     q5, [x0, #8]            /* unaligned */
    ldr     x6, literal
    st4     {v0.16b, v1.16b, v2.16b, v3.16b}, [x0]
    st1     {v0.b}[3], [x0]
    str     h0, [x0, #6]
    dc      zva, x0                 /* a store */
    prfm    pldl1keep, [x0]
    prfum   pstl2strm, [x0, #-1]
    mov     x0, #0
    mov     x8, #93
    svc     #0
    .balign 8
literal:
    .quad   1
    .bss
    .balign 4096
buffer:
    .skip   4096
