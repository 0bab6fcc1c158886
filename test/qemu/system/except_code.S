/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows of instructions for except.c, and handlers of exceptions.  A window has one exception in the middle of
 * straight code, so that an emulator leaves its block half way.
 */
#include "../../hardware/bare/start64.inc"

    .section .text.start, "ax"
    .global _start
_start:
    ldr x0, =rt_stack_el3
    mov sp, x0
    ldr x0, =vectors_el3
    msr vbar_el3, x0
    ldr x0, =vectors_el2
    msr vbar_el2, x0
    ldr x0, =vectors_el1
    msr vbar_el1, x0
    call_main

/* uint64_t except_call_at(uint64_t spsr, uint64_t (*window)(void), uint64_t x4): runs @window at a lower level. */
    .text
    .global except_call_at
except_call_at:
    stp x29, x30, [sp, #-32]!
    stp x19, x20, [sp, #16]
    ldr x9, =landing
    msr elr_el3, x9
    msr spsr_el3, x0
    mov x4, x2
    eret
/* uint64_t except_call_a32(uint64_t spsr, uint64_t (*window)(void)): runs a window of A32, which an SMC ends. */
    .global except_call_a32
except_call_a32:
    stp x29, x30, [sp, #-32]!
    stp x19, x20, [sp, #16]
    msr elr_el3, x1
    msr spsr_el3, x0
    eret
landing:
    blr x1
    mrs x9, tpidr_el0      /* EL0 executes "svc #1", which EL1 passes on */
    cbnz x9, 1f
    svc #1
1:  smc #1

/* Skips an instruction that did not execute.  SVC at EL1, HVC at EL2 and SMC at EL3 did. */
    .macro handler el
    .balign 0x80
    mrs x16, esr_el\el
    ubfx x17, x16, #26, #6
    ubfx x16, x16, #0, #16
    cmp x17, #(0x14 + \el)
    b.eq handled_el\el
    .if \el == 2
    cmp x17, #0x17         /* the "smc #1" at a window's end, trapped by HCR_EL2.TSC: pass it to EL3 */
    b.ne 1f
    cmp x16, #1
    b.ne 1f
    smc #1
1:
    .endif
    .if \el == 3
    cmp x17, #0x13         /* SMC in A32: the end of its window */
    b.eq returned
    .endif
    cmp x17, #0x22         /* a misaligned PC: continue at the address in x5 */
    b.ne 2f
    msr elr_el\el, x5
    eret
2:  cmp x17, #0x0d         /* no landing pad: continue there all the same */
    b.ne 3f
    mrs x16, spsr_el\el
    and x16, x16, #~0xc00  /* BTYPE */
    msr spsr_el\el, x16
    eret
3:  mrs x16, elr_el\el
    add x16, x16, #4
    msr elr_el\el, x16
    eret
    .endm

    .balign 0x800
    .global vectors_el1
vectors_el1:
    .rept 16
    handler 1
    .endr
    .balign 0x800
vectors_el2:
    .rept 16
    handler 2
    .endr
    .balign 0x800
vectors_el3:
    .rept 16
    handler 3
    .endr

handled_el1:
    cmp x16, #1
    b.ne 1f
    smc #1
1:  eret
handled_el2:
    eret
handled_el3:
    cmp x16, #1
    b.ne 1f
returned:
    ldp x19, x20, [sp, #16]
    ldp x29, x30, [sp], #32
    ret
1:  eret

/* The vectors of AArch32 EL1: "movs pc, lr" skips an UNDEFINED instruction or a BKPT. */
    .balign 32
    .global vectors_a32
vectors_a32:
    .rept 8
    .inst 0xe1b0f00e
    .endr

/* A window: 13 instructions retire, one of the two reads and 12 NOPs.  If @instruction retires, 14 do. */
    .macro window name, instruction:vararg
    .global \name
\name:
    isb
    mrs x1, pmevcntr0_el0
    .rept 5
    nop
    .endr
    \instruction
    .rept 7
    nop
    .endr
    mrs x2, pmevcntr0_el0
    sub x0, x2, x1
    ret
    .endm

    window except_window_nop, nop
    window except_window_undefined, .inst 0
    window except_window_unknown_register, mrs x3, s3_3_c15_c15_7
    window except_window_fp, .inst 0x1e604020 /* fmov d0, d1 */
    window except_window_counter_timer, mrs x3, cntvct_el0
    window except_window_pmcr, mrs x3, pmcr_el0
    window except_window_id, mrs x3, id_aa64pfr0_el1
    window except_window_svc, svc #2
    window except_window_hvc, hvc #2
    window except_window_smc, smc #2
    window except_window_load, ldr x3, [x4]
    window except_window_store, str x3, [x4]
    window except_window_ldp, ldp x2, x3, [x4]
    window except_window_stp, stp x3, x3, [x4]
    window except_window_ldp_fp, .inst 0xad400480 /* ldp q0, q1, [x4] */
    window except_window_wfi, wfi
    window except_window_brk, brk #0

/* A branch to an address at which no instruction can be: 13 + 3. */
    .global except_window_pc
except_window_pc:
    isb
    mrs x1, pmevcntr0_el0
    .rept 5
    nop
    .endr
    adr x5, 1f
    add x6, x5, #2
    br x6
1:  .rept 7
    nop
    .endr
    mrs x2, pmevcntr0_el0
    sub x0, x2, x1
    ret

/* A branch to an instruction that is no landing pad, and that then executes: 13 + 3; BTI c is not in the count. */
    .global except_window_bti
except_window_bti:
    .inst 0xd503245f /* bti c */
    isb
    mrs x1, pmevcntr0_el0
    .rept 5
    nop
    .endr
    adr x6, 1f
    br x6
1:  nop
    .rept 7
    nop
    .endr
    mrs x2, pmevcntr0_el0
    sub x0, x2, x1
    ret

/* Windows of A32, like those above, between two reads of PMEVCNTR0. */
    .macro window_a32 name, word
    .balign 4
    .global \name
\name:
    .inst 0xf57ff06f /* isb */
    .inst 0xee1e1f18 /* mrc p15, 0, r1, c14, c8, 0 */
    .rept 5
    .inst 0xe320f000 /* nop */
    .endr
    .inst \word
    .rept 7
    .inst 0xe320f000
    .endr
    .inst 0xee1e2f18
    .inst 0xe0420001 /* sub r0, r2, r1 */
    .inst 0xe1600071 /* smc #1 */
    .endm

    window_a32 except_window_a32_nop, 0xe320f000
    window_a32 except_window_a32_undefined, 0xe7f000f0
    window_a32 except_window_a32_bkpt, 0xe1200070
    window_a32 except_window_a32_mrs_own, 0xe1033300   /* mrs r3, sp_svc: its own mode's */
    window_a32 except_window_a32_msr_own, 0xe123f303   /* msr sp_svc, r3 */
    window_a32 except_window_a32_mrs_other, 0xe1013300 /* mrs r3, sp_irq */
    window_a32 except_window_a32_vmrs, 0xeef73a10      /* vmrs r3, mvfr0 */

/* A store to code later in the same window, with cache maintenance: 13 + 1 + 5. */
    .global except_window_modifies
except_window_modifies:
    isb
    adr x4, 1f
    ldr w3, =0xaa1f03ff /* mov xzr, xzr */
    mrs x1, pmevcntr0_el0
    .rept 5
    nop
    .endr
    str w3, [x4]
    dc cvau, x4
    dsb ish
    ic ivau, x4
    dsb ish
    isb
    .rept 3
    nop
    .endr
1:  nop
    .rept 3
    nop
    .endr
    mrs x2, pmevcntr0_el0
    sub x0, x2, x1
    ret

/* The same without maintenance.  Whichever instruction executes there, it counts as one. */
    .global except_window_modifies_ahead
except_window_modifies_ahead:
    isb
    adr x4, 1f
    ldr w3, =0xaa1f03ff
    mrs x1, pmevcntr0_el0
    .rept 5
    nop
    .endr
    str w3, [x4]
    .rept 3
    nop
    .endr
1:  nop
    .rept 3
    nop
    .endr
    mrs x2, pmevcntr0_el0
    sub x0, x2, x1
    ret

    .section .note.GNU-stack, "", %progbits
