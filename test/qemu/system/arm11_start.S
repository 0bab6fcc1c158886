/* SPDX-License-Identifier: BSD-2-Clause */
/* ARM11: from reset to main(), its exceptions, and code whose instructions are counted by inspection. */
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
    exit_function leave

/* void say(const char *): prints by semihosting, SYS_WRITE0. */
    .global say
say:
    mov r1, r0
    mov r0, #4
    svc #0x123456
    bx lr

/* Skips an UNDEFINED instruction and counts it. */
undefined:
    push {r0, r1}
    ldr r0, =refused
    ldr r1, [r0]
    add r1, r1, #1
    str r1, [r0]
    pop {r0, r1}
    movs pc, lr

/* Clears the flags that are set, leaves E as it is, and keeps the address at which the interrupt was taken. */
interrupted:
    sub lr, lr, #4
    push {r0, r1}
    ldr r0, =taken_at
    str lr, [r0]
    ldr r0, =interrupts
    ldr r1, [r0]
    add r1, r1, #1
    str r1, [r0]
    mrc p15, 0, r0, c15, c12, 0
    mcr p15, 0, r0, c15, c12, 0
    pop {r0, r1}
    movs pc, lr

    .ltorg

/* uint32_t measure(uint32_t n): returns what PMN0 counts in a loop: 2n instructions and one of the reads. */
    .global measure, measure_cycles
measure:
    mrc p15, 0, r1, c15, c12, 2
1:  subs r0, r0, #1
    bne 1b
    mrc p15, 0, r2, c15, c12, 2
    sub r0, r2, r1
    bx lr
measure_cycles:
    mrc p15, 0, r1, c15, c12, 1
1:  subs r0, r0, #1
    bne 1b
    mrc p15, 0, r2, c15, c12, 1
    sub r0, r2, r1
    bx lr

/* void count_to(uint32_t preset): sets PMN0 to @preset and executes the sled. */
    .global count_to, sled
count_to:
    mcr p15, 0, r0, c15, c12, 2
sled:
    .rept 1100
    nop
    .endr
    bx lr

/* uint32_t user_reads(uint32_t otherwise): returns PMN0, read in User mode, or @otherwise if the read is UNDEFINED. */
    .global user_reads
user_reads:
    push {r4, lr}
    cps #0x10
    mrc p15, 0, r0, c15, c12, 2
    svc #0
back:
    pop {r4, pc}

    .global interrupts_on, interrupts_off
interrupts_on:
    cpsie i
    bx lr
interrupts_off:
    cpsid i
    bx lr

    .bss
    .balign 4
    .global refused, interrupts, taken_at
refused: .space 4
interrupts: .space 4
taken_at: .space 4

    .section .note.GNU-stack, "", %progbits
