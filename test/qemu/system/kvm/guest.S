/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest of KVM.  It counts by PMCCNTR_EL0 and PMEVCNTR0_EL0, which are trapped, and stores each count at an address
 * without memory, so that vmm.c gets it.
 */
    .section .rodata
    .balign 4096
    .global guest_start, guest_end
guest_start:
    mov x10, #0x09000000
    mov x0, #0x47                   /* PMCR_EL0.{E, P, C, LC} */
    mov x1, #8                      /* INST_RETIRED */
    mov x2, #0x80000000
    orr x2, x2, #1
    msr pmccfiltr_el0, xzr
    msr pmevtyper0_el0, x1
    msr pmcr_el0, x0
    msr pmcntenset_el0, x2
    isb

    mrs x3, pmccntr_el0             /* 0: the cycle of the second read */
    mrs x4, pmccntr_el0
    sub x5, x4, x3
    str x5, [x10]
    add x10, x10, #8

    mrs x3, pmccntr_el0             /* 1: three cycles more */
    nop
    nop
    nop
    mrs x4, pmccntr_el0
    sub x5, x4, x3
    str x5, [x10]
    add x10, x10, #8

    mrs x3, pmccntr_el0             /* 2: 2001 instructions, and the read */
    mov x6, #1000
1:  subs x6, x6, #1
    b.ne 1b
    mrs x4, pmccntr_el0
    sub x5, x4, x3
    str x5, [x10]
    add x10, x10, #8

    mrs x3, pmevcntr0_el0           /* 3: the 2001 alone; a trapped read does not retire */
    mov x6, #1000
1:  subs x6, x6, #1
    b.ne 1b
    mrs x4, pmevcntr0_el0
    sub x5, x4, x3
    str x5, [x10]
    add x10, x10, #8

    mrs x3, pmevcntr0_el0           /* 4: nothing */
    mrs x4, pmevcntr0_el0
    sub x5, x4, x3
    str x5, [x10]
    add x10, x10, #8
    b .
guest_end:
