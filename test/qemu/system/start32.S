/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AArch32: from reset in Secure Supervisor mode to main() in Monitor mode.  The vectors of all modes lead there.
 */
    .arch armv7-a
    .arch_extension sec
    .arch_extension virt
    .arm
    .equ MODE_MON, 0x16

#include "../../hardware/bare/start32.inc"

    .section .text.start, "ax"
    .global _start
_start:
    cps #MODE_MON
    ldr sp, =rt_stack_el3
    ldr r0, =vectors_mon
    mcr p15, 0, r0, c12, c0, 1 /* MVBAR */
    call_main
    .ltorg

/*
 * void levels_run(struct levels_execution *r).  Its offsets: pc 0, spsr 8, x3 16, x4 24, elr 32, lr_svc 40, lr_und 44,
 * elr_hyp 48.
 */
    .text
    .global levels_run
levels_run:
    push {r4-r12, lr}
    ldr r9, =present
    str r0, [r9]
    ldr lr, [r0]
    ldr r2, [r0, #8]
    msr spsr_cxsf, r2
    ldr r3, [r0, #16]
    ldr r4, [r0, #24]
    movs pc, lr

landed:
    ldr r9, =present
    ldr r0, [r9]
    mov r1, #0
    str r1, [r9]
    cmp r0, #0
    beq levels_unexpected
    str r3, [r0, #16]
    str r1, [r0, #20]
    str r4, [r0, #24]
    str r1, [r0, #28]
    str lr, [r0, #32]
    str r1, [r0, #36]
    mrs r2, lr_svc
    str r2, [r0, #40]
    mrs r2, lr_und
    str r2, [r0, #44]
    mrs r2, elr_hyp
    str r2, [r0, #48]
    pop {r4-r12, pc}
    .ltorg

    .macro vectors name, instruction:vararg
    .balign 32
    .global \name
\name:
    .rept 8
    \instruction
    .endr
    .endm

    vectors vectors_mon, b landed
    vectors vectors_a32, .inst 0xe1600070 /* smc #0 */
    vectors vectors_hyp, .inst 0xe1600070

    .bss
    .balign 8
present:
    .space 8

    .section .note.GNU-stack, "", %progbits
