/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Start and vectors of an image on QEMU's virt board, at the Exception level at which that boots: EL1, EL2 or EL3.
 *
 * After a synchronous exception the handler continues after the instruction that raised it.  It executes twelve
 * instructions; for SVC and HVC seven.  The handler of an interrupt keeps ELR and the overflow flags and masks
 * interrupts.
 */
#include "../../hardware/bare/start64.inc"

    .section .text.start, "ax"
    .global _start
_start:
    ldr x0, =stack_top
    mov sp, x0
    ldr x0, =vectors_el1
    msr vbar_el1, x0
    mrs x1, CurrentEL
    cmp x1, #8
    b.lo 1f
    b.hi 3f
    ldr x0, =vectors_el2
    msr vbar_el2, x0
    mov x0, #0x18 /* HCR_EL2.{IMO, FMO}: take physical interrupts here */
    msr hcr_el2, x0
    msr cptr_el2, xzr
    b 1f
3:  ldr x0, =vectors_el3
    msr vbar_el3, x0
    mov x0, #0x6 /* SCR_EL3.{FIQ, IRQ} */
    msr scr_el3, x0
    msr cptr_el3, xzr
    mov x0, #(1 << 17) /* MDCR_EL3.SPME: count in Secure state */
    msr mdcr_el3, x0
1:  mov x0, #(3 << 20)
    msr cpacr_el1, x0
    isb
    bl main
    exit_function image_finish

    .global image_print /* void image_print(const char *text) */
image_print:
    mov x1, x0
    mov w0, #4
    hlt #0xf000
    ret

    .macro vectors el
    .balign 2048
vectors_el\el:
    .rept 4
    .balign 128
    b sync_el\el
    .balign 128
    b irq_el\el
    .balign 128
    b irq_el\el
    .balign 128
    b .
    .endr
sync_el\el:
    add x28, x28, #1 /* one more */
    mrs x27, esr_el\el
    ubfx x26, x27, #26, #6
    cmp x26, #0x15 /* SVC */
    b.eq 1f
    cmp x26, #0x16 /* HVC */
    b.eq 1f
    mrs x26, elr_el\el
    add x26, x26, #4
    msr elr_el\el, x26
1:  eret
irq_el\el:
    stp x0, x1, [sp, #-16]!
    mrs x0, elr_el\el
    ldr x1, =image_irq_at
    str x0, [x1]
    mov x0, #-1
    msr pmintenclr_el1, x0
    mrs x0, pmovsclr_el0
    ldr x1, =image_irq_flags
    str x0, [x1]
    isb
    ldp x0, x1, [sp], #16
    eret
    .endm
    vectors 1
    vectors 2
    vectors 3

    .bss
    .balign 16
    .skip 8192
stack_top:
    .data
    .balign 8
    .global image_irq_at, image_irq_flags
image_irq_at: .quad 0
image_irq_flags: .quad 0
