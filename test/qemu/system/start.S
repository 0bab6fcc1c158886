/* SPDX-License-Identifier: BSD-2-Clause */
/* From reset at EL3 to main(); vectors of all levels and both Execution states, all of which lead to EL3. */
#include "../../hardware/bare/start64.inc"

    .section .text.start, "ax"
    .global _start
_start:
    mrs x0, mpidr_el1
    tst x0, #0xff
    b.ne second
    ldr x0, =rt_stack_el3
    mov sp, x0
    ldr x0, =vectors_el3
    msr vbar_el3, x0
    call_main

/* A second CPU waits for levels_second and calls it. */
second:
    ldr x0, =rt_stack_el2
    mov sp, x0
    ldr x1, =levels_second
1:  ldr x0, [x1]
    cbz x0, 1b
    blr x0
    b .

    .data
    .balign 8
    .global levels_second
levels_second:
    .quad 0

/* void levels_run(struct levels_execution *r) */
    .text
    .global levels_run
levels_run:
    stp x29, x30, [sp, #-96]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    ldr x9, =present
    str x0, [x9]
    ldp x1, x2, [x0]
    msr elr_el3, x1
    msr spsr_el3, x2
    ldp x3, x4, [x0, #16]
    eret

landed:
    ldr x9, =present
    ldr x0, [x9]
    cbz x0, levels_unexpected
    str xzr, [x9]
    stp x3, x4, [x0, #16]
    mrs x1, elr_el3
    mrs x2, esr_el3
    stp x1, x2, [x0, #32]
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp x29, x30, [sp], #96
    ret

    .macro vectors name, instruction:vararg
    .balign 0x800
    .global \name
\name:
    .rept 16
    \instruction
    .balign 0x80
    .endr
    .endm

    vectors vectors_el3, b landed
    vectors vectors_el2, smc #0
    vectors vectors_el1, smc #0

/* The vectors of AArch32 EL1 and of Hyp mode. */
    .global vectors_a32, vectors_hyp
    .balign 32
vectors_a32:
    .rept 8
    .inst 0xe1600070 /* smc #0 */
    .endr
vectors_hyp:
    .rept 8
    .inst 0xe1600070
    .endr

    .bss
    .balign 8
present:
    .space 8

    .section .note.GNU-stack, "", %progbits
