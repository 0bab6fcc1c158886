/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A test program of known content, one of KIND_x, with N rounds of a loop; test/cli/coverage.py has the counts.  Before
 * the loop it executes two instructions, or three if the loop needs an address, and after it three, of which the last
 * one is an SVC.  None of these is a branch, a load or a store.
 */
#ifndef N
#define N 1
#endif
        .global _start
_start: mov     w1, #(N & 0xffff)
        movk    w1, #(N >> 16), lsl #16
#if defined KIND_load || defined KIND_store || defined KIND_stride || defined KIND_atomic || defined KIND_unaligned
        adrp    x2, buffer
#endif
loop:
#if defined KIND_alu
        add     w3, w3, w1
#elif defined KIND_load
        ldr     x3, [x2]
        ldr     x4, [x2, #8]
#elif defined KIND_store
        str     x3, [x2]
#elif defined KIND_stride
        ldr     x3, [x2]
        add     x2, x2, #4096           /* another page, and the same set of a cache */
#elif defined KIND_branch
        tbz     w1, #0, skip            /* taken each second time */
        nop
skip:
#elif defined KIND_call
        bl      function
#elif defined KIND_simd
        fadd    v0.4s, v0.4s, v1.4s
#elif defined KIND_float
        fadd    d0, d0, d1
#elif defined KIND_atomic
again:  ldxr    x3, [x2]
        stxr    w4, x3, [x2]
        dmb     ish
#elif defined KIND_unaligned
        ldur    x3, [x2, #1]
#endif
        subs    w1, w1, #1
        b.ne    loop
#ifdef FAIL
        mov     w0, #FAIL
#else
        mov     w0, #0
#endif
        mov     w8, #93
        svc     #0
function:
        ret
        .bss
        .balign 4096
buffer: .space  4096 * 600
