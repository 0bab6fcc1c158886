/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For test_core.sh, on a modelled ARM1176: 1000 rounds of a call, a return, a branch that is taken every other time,
 * and a load from the next of 1024 lines of 32 bytes, which are more than its L1D has; then an LDM in two lines.
 */
    .arch armv6
    .arm
    .globl _start
_start:
    ldr r4, =memory
    ldr r5, =1000
1:  bl 3f
    ldr r0, [r4], #32
    tst r5, #1
    beq 2f
    nop
2:  subs r5, r5, #1
    bne 1b
    ldr r4, =memory + 65536 + 16
    ldm r4, {r0, r1, r2, r3, r5, r6, r8, r9}
    mov r0, #0
    mov r7, #1
    svc #0
3:  bx lr
    .ltorg
    .bss
    .balign 4096
memory: .space 65536 + 4096
