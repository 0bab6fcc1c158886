/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts the cycle counter and event counter 0, which counts INST_RETIRED, and loops, for test_gdb.sh. */
    .globl _start
_start:
    mov x0, #0x41
    msr pmcr_el0, x0
    mov x0, #0x8
    msr pmevtyper0_el0, x0
    movz x0, #0x8000, lsl #16
    add x0, x0, #1
    msr pmcntenset_el0, x0
    isb
1:  b 1b
