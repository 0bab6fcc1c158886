/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The AArch64 runtime: the path from reset at EL3 to main(), the vectors of all Exception levels, calls of functions at
 * lower Exception levels, and code whose instructions are counted by inspection.
 */
#include "start64.inc"

    .section .text.start, "ax"
    .global _start
_start:
    mrs x0, mpidr_el1 /* one CPU runs the image: the stack and the console are its own */
    tst x0, #0xffffff
    b.ne .
    ldr x0, =rt_stack_el3
    mov sp, x0
    ldr x0, =vectors
    msr vbar_el3, x0
    msr vbar_el2, x0
    msr vbar_el1, x0
    call_main

/*
 * uintptr_t rt_enter(uint64_t spsr, rt_function *f, void *arg, void *stack): called at EL3, calls f at the Exception
 * level of spsr and returns its value.  It executes RT_CALL_INSTRUCTIONS there in addition to those of f.
 */
    .text
    .global rt_enter
rt_enter:
    stp x29, x30, [sp, #-96]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    ldr x9, =resume
    mov x10, sp
    str x10, [x9]
    ldr x9, =rt_stack_el1 /* the stack for exceptions from EL0 */
    tst x0, #0xf
    b.ne 1f
    msr sp_el1, x9
    adr x9, landing_el0
    b 2f
1:  adr x9, landing
2:  msr elr_el3, x9
    msr spsr_el3, x0
    mov x0, x2
    eret
landing:
    mov sp, x3
    blr x1
    smc #1
landing_el0:
    mov sp, x3
    blr x1
    svc #1

/* Handles "svc #1" from EL0 at EL1: continues at EL3. */
    .global rt_pass_on
rt_pass_on:
    smc #1

/* Handles "smc #1" at EL3: rt_enter() returns with the value of the function in x0. */
    .global rt_leave
rt_leave:
    ldr x9, =resume
    ldr x10, [x9]
    mov sp, x10
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp x29, x30, [sp], #96
    ret

/* uintptr_t rt_loop(void *n): executes 2n + 1 instructions, including the return; n is at least 1. */
    .global rt_loop
rt_loop:
    subs x0, x0, #1
    b.ne rt_loop
    ret

/* Defines \name(n), which returns the difference of two reads: 2n + 1, since 2n instructions and a read are between. */
    .macro measured name, register
    .global \name
\name:
    isb
    mrs x1, \register
1:  subs x0, x0, #1
    b.ne 1b
    mrs x2, \register
    sub x0, x2, x1
    ret
    .endm
    measured rt_measure_event0, pmevcntr0_el0
    measured rt_measure_instructions, s3_3_c9_c4_0
    measured rt_measure_cycles, pmccntr_el0

/*
 * Defines \name(), which returns the difference of two reads of event counter 0.  Between them are one of the reads and
 * \instruction, which raises an exception: an SVC retires, an UNDEFINED instruction does not.
 */
    .macro excepting name, instruction:vararg
    .global \name
\name:
    isb
    mrs x1, pmevcntr0_el0
    \instruction
    mrs x2, pmevcntr0_el0
    sub x0, x2, x1
    ret
    .endm
    excepting rt_measure_svc, svc #2
    excepting rt_measure_undefined, .inst 0

/* Code that may be interrupted at any instruction: RT_SLED NOPs and the return. */
    .global rt_sled
rt_sled:
    .rept RT_SLED
    nop
    .endr
    ret

/* ------------------------------------------------------------------------------------------------------------------
 * Exceptions.  Each vector saves x0..x30 and calls void rt_exception(unsigned vector, uint64_t *x).
 */
    .macro vector
    .balign 0x80
    sub sp, sp, #256
    stp x0, x1, [sp]
    mov x0, #(. - vectors) / 0x80
    b common
    .endm

    .balign 0x800
vectors:
    .rept 16
    vector
    .endr

common:
    stp x2, x3, [sp, #16]
    stp x4, x5, [sp, #32]
    stp x6, x7, [sp, #48]
    stp x8, x9, [sp, #64]
    stp x10, x11, [sp, #80]
    stp x12, x13, [sp, #96]
    stp x14, x15, [sp, #112]
    stp x16, x17, [sp, #128]
    stp x18, x19, [sp, #144]
    stp x20, x21, [sp, #160]
    stp x22, x23, [sp, #176]
    stp x24, x25, [sp, #192]
    stp x26, x27, [sp, #208]
    stp x28, x29, [sp, #224]
    str x30, [sp, #240]
    mov x1, sp
    bl rt_exception
    ldp x2, x3, [sp, #16]
    ldp x4, x5, [sp, #32]
    ldp x6, x7, [sp, #48]
    ldp x8, x9, [sp, #64]
    ldp x10, x11, [sp, #80]
    ldp x12, x13, [sp, #96]
    ldp x14, x15, [sp, #112]
    ldp x16, x17, [sp, #128]
    ldp x18, x19, [sp, #144]
    ldp x20, x21, [sp, #160]
    ldp x22, x23, [sp, #176]
    ldp x24, x25, [sp, #192]
    ldp x26, x27, [sp, #208]
    ldp x28, x29, [sp, #224]
    ldr x30, [sp, #240]
    ldp x0, x1, [sp]
    add sp, sp, #256
    eret

    .bss
    .balign 8
resume:
    .space 8

    .section .note.GNU-stack, "", %progbits
