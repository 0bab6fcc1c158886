/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes QEMU's virt from reset at EL1 to main(), an interrupt handler and EL0, with as little code as possible. */
    .section .text.boot, "ax"
    .global _start
_start:
    ldr x0, =stack_el1
    mov sp, x0
    ldr x0, =vectors
    msr vbar_el1, x0
    ldr x0, =bss_begin
    ldr x1, =bss_end
1:  cmp x0, x1
    b.eq 2f
    stp xzr, xzr, [x0], #16
    b 1b
2:  bl main
    ldr w0, =0x84000008 /* PSCI's SYSTEM_OFF */
    hvc #0
    b .

/* void call_el0(void (*f)(void)): calls f at EL0.  When f returns, an SVC returns to the caller at EL1. */
    .text
    .global call_el0
call_el0:
    stp x29, x30, [sp, #-96]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    ldr x1, =stack_el0
    msr sp_el0, x1
    msr spsr_el1, xzr
    adr x1, 1f
    msr elr_el1, x1
    eret
1:  blr x0
    svc #0
back:
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp x29, x30, [sp], #96
    ret

interrupt:
    sub sp, sp, #192
    stp x0, x1, [sp]
    stp x2, x3, [sp, #16]
    stp x4, x5, [sp, #32]
    stp x6, x7, [sp, #48]
    stp x8, x9, [sp, #64]
    stp x10, x11, [sp, #80]
    stp x12, x13, [sp, #96]
    stp x14, x15, [sp, #112]
    stp x16, x17, [sp, #128]
    stp x18, x29, [sp, #144]
    mrs x0, elr_el1
    mrs x1, spsr_el1
    stp x0, x1, [sp, #160]
    str x30, [sp, #176]
    bl on_interrupt
    ldp x0, x1, [sp, #160]
    msr elr_el1, x0
    msr spsr_el1, x1
    ldr x30, [sp, #176]
    ldp x18, x29, [sp, #144]
    ldp x16, x17, [sp, #128]
    ldp x14, x15, [sp, #112]
    ldp x12, x13, [sp, #96]
    ldp x10, x11, [sp, #80]
    ldp x8, x9, [sp, #64]
    ldp x6, x7, [sp, #48]
    ldp x4, x5, [sp, #32]
    ldp x2, x3, [sp, #16]
    ldp x0, x1, [sp]
    add sp, sp, #192
    eret

/* Only SVC from EL0 and interrupts at EL1 are expected.  Anything else stops here, where a debugger finds it. */
    .macro vector target=stop
    .balign 0x80
    b \target
    .endm

    .balign 0x800
vectors:
    .rept 5
    vector
    .endr
    vector interrupt
    .rept 2
    vector
    .endr
    vector back
    .rept 7
    vector
    .endr
stop:
    b stop

    .section .note.GNU-stack, "", %progbits
