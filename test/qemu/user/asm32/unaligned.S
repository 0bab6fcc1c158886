/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unaligned accesses, in A32 and then in T32.  Each set has 4 loads and 4 stores of words, and 4 loads and 4 stores of
 * halfwords, half of each kind unaligned.  It also has a load and a store of a byte, LDRD at 4, which is aligned, and 2
 * loads of structures, one of them unaligned.  So there are 12 loads and 9 stores, 9 of them unaligned, and 5, 2 and 3
 * instructions around the sets.
 *
 * expect UNALIGNED_LDST_RETIRED 18
 * expect LD_RETIRED 24
 * expect ST_RETIRED 18
 * expect SIMD_INST_RETIRED 4
 * expect INST_RETIRED 52
 * expect status 0
 */
    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .macro  accesses
    ldr     r0, [r4, #2]
    ldr     r0, [r4, #4]
    str     r0, [r4, #2]
    str     r0, [r4, #4]
    ldr     r0, [r4, #-2]
    ldr     r0, [r4, #-4]
    str     r0, [r4, r5]            /* r5 is 1 */
    str     r0, [r4, r6]            /* r6 is 4 */
    ldrh    r0, [r4, r5]
    ldrh    r0, [r4, #2]
    strh    r0, [r4, r5]
    strh    r0, [r4, #2]
    ldrsh   r0, [r4, r5]
    ldrsh   r0, [r4, r6]
    strh    r0, [r4, #-1]
    strh    r0, [r4, #-2]
    ldrb    r0, [r4, #1]
    strb    r0, [r4, #1]
    vld1.16 {d0}, [r8]              /* r8 is 1 after r4 */
    vld1.8  {d0}, [r8]
    ldrd    r0, r1, [r4, #4]
    .endm
    .arm
    .globl  _start
_start:
    movw    r4, #:lower16:words
    movt    r4, #:upper16:words
    mov     r5, #1
    mov     r6, #4
    add     r8, r4, #1
    accesses
    adr     r0, 1f + 1
    bx      r0
    .thumb
1:  accesses
    movs    r0, #0
    movs    r7, #1                  /* exit */
    svc     #0
    .bss
    .balign 8
    .skip   8
words:
    .skip   16
