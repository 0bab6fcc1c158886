/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The AArch32 runtime: the path from reset in Supervisor mode to main(), the vectors, calls in User mode, and code
 * whose instructions are counted by inspection.
 */
    .arch armv7-a
    .arm
    .equ MODE_USR, 0x10
    .equ MODE_IRQ, 0x12
    .equ MODE_SVC, 0x13
    .equ MODE_UND, 0x1B
    .equ MODE_SYS, 0x1F
    .equ MASKED, 0xC0

#include "start32.inc"

    .section .text.start, "ax"
    .global _start
_start:
    cps #MODE_UND
    ldr sp, =rt_stack_el3
    cps #MODE_IRQ
    ldr sp, =rt_stack_el2
    cps #MODE_SYS
    ldr sp, =rt_stack_el0
    cps #MODE_SVC
    ldr sp, =rt_stack_el1
    ldr r0, =vectors
    mcr p15, 0, r0, c12, c0, 0
    call_main

    .text
/* uintptr_t rt_call_user(rt_function *f, void *arg): calls f in User mode and returns its value. */
    .global rt_call_user
rt_call_user:
    push {r4-r11, lr}
    ldr r2, =resume
    str sp, [r2]
    mov r3, #(MODE_USR | MASKED)
    msr spsr_cxsf, r3
    mov r4, r0
    mov r0, r1
    adr lr, landing
    movs pc, lr
landing:
    blx r4
    svc #1

/* Handles "svc #1" from User mode: rt_call_user() returns with the function's value in r0. */
supervisor:
    ldr r2, =resume
    ldr sp, [r2]
    pop {r4-r11, pc}
    .ltorg

/* uintptr_t rt_loop(void *n): executes 2n + 1 instructions, including the return; n is at least 1. */
    .global rt_loop
rt_loop:
    subs r0, r0, #1
    bne rt_loop
    bx lr

/* Defines \name(n), which returns the difference of two reads: 2n + 1, since 2n instructions and a read are between. */
    .macro measured name, CRm, opc2
    .global \name
\name:
    isb
    mrc p15, 0, r1, c9, \CRm, \opc2
1:  subs r0, r0, #1
    bne 1b
    mrc p15, 0, r2, c9, \CRm, \opc2
    sub r0, r2, r1
    bx lr
    .endm
    measured rt_measure_selected, c13, 2
    measured rt_measure_cycles, c13, 0

    .global rt_sled
rt_sled:
    .rept RT_SLED
    nop
    .endr
    bx lr

    .balign 32
vectors:
    b unexpected
    b undefined
    b supervisor
    b unexpected
    b unexpected
    b unexpected
    b interrupt
    b unexpected

/* Passes the saved registers to void rt_undefined(uint32_t *r).  r[13] is the address after the instruction. */
undefined:
    push {r0-r12, lr}
    mov r0, sp
    bl rt_undefined
    ldm sp!, {r0-r12, pc}^

interrupt:
    sub lr, lr, #4
    push {r0-r3, r12, lr}
    mov r0, lr
    bl rt_handle_interrupt
    ldm sp!, {r0-r3, r12, pc}^

unexpected:
    mov r0, lr
    ldr sp, =rt_stack_el1
    b rt_unexpected

    .bss
    .balign 4
resume:
    .space 4

    .section .note.GNU-stack, "", %progbits
