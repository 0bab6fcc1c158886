/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Firmware, or a hypervisor, below Linux: it begins where the machine does, at EL3 or at EL2 (LEVEL), enters the
 * emulator's boot code one level below, and stays to handle the accesses that it traps (shim.c).
 */
#define JOIN(a, b) a##b
#define AT(name, level) JOIN(name, level)
#define BOOT 0x40000000             /* the emulator's code that enters Linux */

    .text
    .global _start
_start:
    adr x0, stack_top
    mov sp, x0
    adr x0, vectors
    msr AT(vbar_el, LEVEL), x0
    bl shim_begin                   /* the controls that are the plan's */
    mov x0, #0x0800
    movk x0, #0x30d0, lsl #16
    msr sctlr_el1, x0               /* MMU off */
#if LEVEL == 3
    mov x0, #0x5b1                  /* SCR_EL3: Non-secure, AArch64 and HVC below; no SMC trap is set */
    msr scr_el3, x0
    msr cptr_el3, xzr
    mov x0, #0x3c9                  /* EL2h, interrupts masked */
#else
    mov x0, #1 << 31                /* HCR_EL2.RW */
    msr hcr_el2, x0
    mov x0, #3                      /* EL1 may use the physical timer */
    msr cnthctl_el2, x0
    msr cntvoff_el2, xzr
    msr hstr_el2, xzr
    mov x0, #0x22ff                 /* CPTR_EL2: no traps */
    msr cptr_el2, x0
    mrs x0, midr_el1
    msr vpidr_el2, x0
    mrs x0, mpidr_el1
    msr vmpidr_el2, x0
    mov x0, #0x3c5                  /* EL1h */
#endif
    msr AT(spsr_el, LEVEL), x0
    mov x0, #BOOT
    msr AT(elr_el, LEVEL), x0
    isb
    eret

    .balign 2048
vectors:
    .rept 8                         /* from this level: none is expected */
    .balign 128
    b .
    .endr
    .balign 128                     /* synchronous, from a lower level in AArch64 state */
    sub sp, sp, #256
    stp x0, x1, [sp]
    stp x2, x3, [sp, #16]
    stp x4, x5, [sp, #32]
    stp x6, x7, [sp, #48]
    stp x8, x9, [sp, #64]
    stp x10, x11, [sp, #80]
    stp x12, x13, [sp, #96]
    stp x14, x15, [sp, #112]
    stp x16, x17, [sp, #128]
    b trapped
    .rept 7
    .balign 128
    b .
    .endr

trapped:
    stp x18, x19, [sp, #144]
    stp x20, x21, [sp, #160]
    stp x22, x23, [sp, #176]
    stp x24, x25, [sp, #192]
    stp x26, x27, [sp, #208]
    stp x28, x29, [sp, #224]
    str x30, [sp, #240]
    mov x0, sp
    mrs x1, AT(esr_el, LEVEL)
    bl shim_trap
    mrs x0, AT(elr_el, LEVEL)
    add x0, x0, #4
    msr AT(elr_el, LEVEL), x0
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

    .global shim_slot
    .balign 64
shim_slot:                          /* an MRS or MSR of x0, which shim.c writes, and a return */
    nop
    ret

    .bss
    .balign 16
    .skip 4096
stack_top:
