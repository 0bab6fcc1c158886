/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest of core_guest.c at EL1: what it executes, how EL2 enters it, and how it returns. */

    .text
/* void guest_run(uint64_t pc, uint64_t x0, uint64_t x1, uint64_t x2): executes the guest until its HVC. */
    .global guest_run
guest_run:
    stp x29, x30, [sp, #-96]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    ldr x9, =guest_vectors
    msr vbar_el2, x9
    msr elr_el2, x0
    mov x9, #0x3c5 /* EL1h, all interrupts masked */
    msr spsr_el2, x9
    mov x0, x1
    mov x1, x2
    mov x2, x3
    isb
    eret
back:
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp x29, x30, [sp], #96
    ret

/* Any exception ends the guest. */
    .balign 2048
guest_vectors:
    .rept 16
    .balign 128
    b back
    .endr

/* The guest: loads a byte from @x1 addresses from @x0 on, @x2 bytes apart. */
    .balign 4096
    .global guest_loads
guest_loads:
1:  ldrb w9, [x0]
    add x0, x0, x2
    subs x1, x1, #1
    b.ne 1b
    hvc #0

/* The guest invalidates the page whose operand for TLBI is @x0, in all vCPUs. */
    .global guest_invalidates
guest_invalidates:
    tlbi vae1is, x0
    dsb ish
    isb
    hvc #0
