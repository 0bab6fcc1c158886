/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scalar floating point, Advanced SIMD with its scalar form, cryptography, moves between register files.
 *
 * expect INST_RETIRED 38
 * expect VFP_RETIRED 9
 * expect ASE_RETIRED 13
 * expect CRYPTO_RETIRED 7
 * expect ASE_INST_RETIRED 15
 * expect SIMD_INST_RETIRED 15
 * expect DP_RETIRED 8
 * expect SVE_INST_RETIRED 0
 * expect ASE_SVE_RETIRED 13
 */
    .arch   armv8.2-a+crypto+sha3+fp16
    .globl _start
_start:
    /* Scalar floating point: 9. */
    fmov    d0, #1.0
    fmov    d1, d0
    fadd    d2, d0, d1
    fmadd   d3, d0, d1, d2
    fcmp    d0, d1
    fcsel   d4, d0, d1, eq
    fcvtzs  x1, d0
    scvtf   s5, w1
    fsqrt   h6, h7
    /* Moves between register files: 6 of integer data processing. */
    fmov    x1, d0
    fmov    v0.d[1], x1
    dup     v1.4s, w1
    umov    w2, v1.s[1]
    smov    x2, v1.h[1]
    ins     v1.b[2], w2
    /* Advanced SIMD: 8. */
    add     v2.4s, v1.4s, v0.4s
    fmla    v3.2d, v1.2d, v0.2d
    movi    v4.16b, #1
    movi    d4, #0
    dup     v5.4s, v1.s[1]
    ins     v5.s[0], v1.s[3]
    tbl     v6.16b, {v5.16b}, v4.16b
    pmull   v7.1q, v1.1d, v0.1d     /* not counted as cryptography */
    /* Advanced SIMD scalar: 5. */
    add     d2, d1, d0
    fabd    d2, d1, d0
    addp    d2, v1.2d
    fcvtzs  d3, d0
    sqadd   b1, b2, b3
    /* Cryptography: 7. */
    aese    v0.16b, v1.16b
    aesmc   v0.16b, v0.16b
    sha1h   s1, s2
    sha256h q0, q1, v2.4s
    sha256su0 v0.4s, v1.4s
    sha512h q0, q1, v2.2d
    eor3    v0.16b, v1.16b, v2.16b, v3.16b
    mov     x0, #0
    mov     x8, #93
    svc     #0
