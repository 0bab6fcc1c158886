/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes QEMU's virt from reset at EL3 to main(), and runs payloads at EL1 of either Security state. */
    .section .text.boot, "ax"
    .global _start
_start:
    ldr x0, =stack_el1
    mov sp, x0
    ldr x0, =vectors
    msr vbar_el3, x0
    mov x0, #0x80000000 /* HCR_EL2.RW: EL1 uses AArch64 */
    msr hcr_el2, x0
    ldr x0, =bss_begin
    ldr x1, =bss_end
1:  cmp x0, x1
    b.eq 2f
    stp xzr, xzr, [x0], #16
    b 1b
2:  bl main
    mov x0, #0x18 /* semihosting: SYS_EXIT, ADP_Stopped_ApplicationExit */
    ldr x2, =0x20026
    stp x2, xzr, [sp, #-16]!
    mov x1, sp
    hlt #0xf000
    b .

/*
 * uint64_t run_at_el1(uint64_t (*payload)(uint64_t), uint64_t argument, uint64_t scr_el3): runs a payload at EL1 with
 * this SCR_EL3.  Returns what it returns, by an SMC.
 */
    .text
    .global run_at_el1
run_at_el1:
    stp x29, x30, [sp, #-96]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    msr scr_el3, x2
    ldr x3, =stack_el0
    msr sp_el1, x3
    mov x3, #0x3c5 /* EL1h, interrupts masked */
    msr spsr_el3, x3
    adr x3, 1f
    msr elr_el3, x3
    mov x4, x0
    mov x0, x1
    eret
1:  blr x4
    smc #0
back:
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp x29, x30, [sp], #96
    ret

/* Only SMC from EL1 is expected.  Anything else stops here, where a debugger finds it. */
    .macro vector target=stop
    .balign 0x80
    b \target
    .endm

    .balign 0x800
vectors:
    .rept 8
    vector
    .endr
    vector back
    .rept 7
    vector
    .endr
stop:
    b stop

    .section .note.GNU-stack, "", %progbits
