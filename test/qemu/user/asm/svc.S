/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls, barriers, hints and system registers.
 *
 * expect INST_RETIRED 63
 * expect EXC_SVC 11
 * expect EXC_TAKEN 11
 * expect ISB_SPEC 1
 * expect DSB_SPEC 3
 * expect DMB_SPEC 2
 * expect CSDB_SPEC 1
 * expect DP_RETIRED 34
 * expect BR_RETIRED 10
 * expect LD_RETIRED 0
 */
    .arch   armv8.5-a
    .globl _start
_start:
    mov     x19, #10
1:  mov     x8, #172                /* getpid */
    svc     #0
    subs    x19, x19, #1
    b.ne    1b
    isb
    dsb     sy
    dsb     ish
    pssbb                           /* encoded as a DSB */
    dmb     ish
    dmb     ld
    csdb
    sb
    clrex
    nop
    yield
    bti
    pacia1716
    mrs     x0, tpidr_el0
    msr     tpidr_el0, x0
    mrs     x0, cntvct_el0
    mrs     x0, dczid_el0
    msr     nzcv, xzr
    cfinv
    mov     x0, #0
    mov     x8, #93
    svc     #0
