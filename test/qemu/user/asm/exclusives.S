/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exclusives and atomics.  Three of five store-exclusives write: before one the monitor is cleared, before another it
 * was never set.  Atomics read and write.
 *
 * expect INST_RETIRED 39
 * expect LDREX_SPEC 4
 * expect STREX_SPEC 5
 * expect LD_RETIRED 16
 * expect ST_RETIRED 14
 * expect LD_SPEC 16
 * expect ST_SPEC 16
 * expect LDST_SPEC 23
 * expect LDST_ANY_RETIRED 21
 * expect MEM_ACCESS 30
 * expect RC_LD_SPEC 8
 * expect RC_ST_SPEC 6
 * expect BR_COND_RETIRED 3
 * expect status 0
 */
    .arch   armv8.3-a
    .globl _start
_start:
    adrp    x0, word
    add     x0, x0, :lo12:word
    mov     x1, #1
    mov     x4, #0
    mov     x5, #0
    mov     x6, #0
    mov     x7, #0
    ldxr    x2, [x0]
    stxr    w3, x1, [x0]            /* writes */
    cbnz    w3, fail
    ldaxr   w2, [x0]
    stlxr   w3, w1, [x0]            /* writes */
    cbnz    w3, fail
    ldxr    x2, [x0]
    clrex
    stxr    w3, x1, [x0]            /* fails: cleared */
    stxr    w9, x1, [x0]            /* fails: none set */
    ldxp    x2, x10, [x0]
    stxp    w11, x2, x10, [x0]      /* writes */
    cbnz    w11, fail

    ldadd   x1, x2, [x0]
    ldaddal x1, x2, [x0]
    ldseta  w1, w2, [x0]
    stadd   x1, [x0]
    swpl    x1, x2, [x0]
    swpab   w1, w2, [x0]
    cas     x1, x2, [x0]
    casal   x1, x2, [x0]
    casp    x4, x5, x6, x7, [x0]
    ldapr   x2, [x0]
    ldar    x2, [x0]
    ldarb   w2, [x0]
    stlr    x1, [x0]
    stlrh   w1, [x0]

    eor     w3, w3, #1              /* 0 if both failed */
    eor     w9, w9, #1
    orr     w0, w3, w9
    mov     x8, #93
    svc     #0
fail:
    mov     x0, #1
    mov     x8, #93
    svc     #0
    .bss
    .balign 16
word:
    .skip   16
