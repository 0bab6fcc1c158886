/* SPDX-License-Identifier: BSD-2-Clause */
/* Enables counter 0 with EVENT, and goes on with the firmware of QEMU's virt board, which starts Linux. */
    .globl _start
_start:
    mov     x9, #EVENT
    msr     pmevtyper0_el0, x9
    mov     x9, #1
    msr     pmcntenset_el0, x9
    mrs     x9, pmcr_el0
    orr     x9, x9, #1
    msr     pmcr_el0, x9
    isb
    movz    x9, #0x4000, lsl #16
    br      x9
