/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Images of ARM11 boards (arm11.c, run11.c): code from reset to main(), handlers of exceptions, and loops whose
 * instructions are counted by inspection.
 */
    .syntax unified
    .arm
#include "../../hardware/bare/start32.inc"

    .section .text.vectors, "ax"
    b _start            /* Reset */
    b undefined
    b back              /* SVC, from User mode */
    b .
    b .
    b .
    b interrupted
    b .

    .global _start
_start:
    cps #0x12
    ldr sp, =stack_irq
    cps #0x1b
    ldr sp, =stack_und
    cps #0x13
    ldr sp, =stack_svc
    bl main
    exit_function arm11_leave

/* void arm11_say(const char *): prints by semihosting, SYS_WRITE0. */
    .global arm11_say
arm11_say:
    mov r1, r0
    mov r0, #4
    svc #0x123456
    bx lr

/* Skips an UNDEFINED instruction and counts it. */
undefined:
    push {r0, r1}
    ldr r0, =arm11_refused
    ldr r1, [r0]
    add r1, r1, #1
    str r1, [r0]
    pop {r0, r1}
    movs pc, lr

/* Handles an interrupt: clears the flags that are set, leaves E as it is, and keeps the address that it returns to. */
interrupted:
    sub lr, lr, #4
    push {r0, r1}
    ldr r0, =arm11_taken_at
    str lr, [r0]
    ldr r0, =arm11_interrupts
    ldr r1, [r0]
    add r1, r1, #1
    str r1, [r0]
    mrc p15, 0, r0, c15, c12, 0
    mcr p15, 0, r0, c15, c12, 0
    pop {r0, r1}
    movs pc, lr

    .ltorg

/*
 * uint32_t arm11_measure(uint32_t n): returns what PMN0 counts in a loop of @n turns, 2n instructions and one of the
 * reads.  arm11_measure_cycles() does the same with CCNT.
 */
    .global arm11_measure, arm11_measure_cycles
arm11_measure:
    mrc p15, 0, r1, c15, c12, 2
1:  subs r0, r0, #1
    bne 1b
    mrc p15, 0, r2, c15, c12, 2
    sub r0, r2, r1
    bx lr
arm11_measure_cycles:
    mrc p15, 0, r1, c15, c12, 1
1:  subs r0, r0, #1
    bne 1b
    mrc p15, 0, r2, c15, c12, 1
    sub r0, r2, r1
    bx lr

/* void arm11_count_to(uint32_t preset): sets PMN0 to @preset and executes the 1100 NOPs of arm11_sled. */
    .global arm11_count_to, arm11_sled
arm11_count_to:
    mcr p15, 0, r0, c15, c12, 2
arm11_sled:
    .rept 1100
    nop
    .endr
    bx lr

/*
 * uint32_t arm11_user_reads(uint32_t otherwise): returns PMN0, read in User mode, or @otherwise if the read is
 * UNDEFINED.
 */
    .global arm11_user_reads
arm11_user_reads:
    push {r4, lr}
    cps #0x10
    mrc p15, 0, r0, c15, c12, 2
    svc #0
back:
    pop {r4, pc}

    .global arm11_interrupts_on, arm11_interrupts_off
arm11_interrupts_on:
    cpsie i
    bx lr
arm11_interrupts_off:
    cpsid i
    bx lr

    .bss
    .balign 4
    .global arm11_refused, arm11_interrupts, arm11_taken_at
arm11_refused: .space 4
arm11_interrupts: .space 4
arm11_taken_at: .space 4

    .section .note.GNU-stack, "", %progbits
