/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The instructions of core_each.c, each at a label each_NAME, and an interrupt handler that logs where each overflow of
 * counter 0 interrupts.  The counters stand still in it, and it has counter 0 overflow at its next event again.
 */
    .arch armv8.8-a+sve+mops
    .text

/* "function NAME" begins a function that counts what it does up to "finish"; "instruction LABEL" is in the middle. */
    .macro function name
    .global \name
\name:
    mov x7, #1
    msr pmcr_el0, x7
    isb
    .endm
    .macro instruction label
    .global \label
    nop
    nop
\label:
    .endm
    .macro finish
    nop
    msr pmcr_el0, xzr
    isb
    ret
    .endm

/* Loads a byte from x0. */
function plain
    instruction each_plain
    ldrb w1, [x0]
    finish

/* Loads 16 bytes from x0, one by one. */
function contiguous
    ptrue p0.b
    instruction each_contiguous
    ld1b {z0.b}, p0/z, [x0]
    finish

/* Stores them. */
function contiguous_store
    ptrue p0.b
    mov z0.b, #0x5a
    instruction each_contiguous_store
    st1b {z0.b}, p0, [x0]
    finish

/* Gathers two doublewords at x0 and x0 + 128 into the vector of their offsets, and returns their sum. */
function gather
    ptrue p0.d
    mov x1, #128
    index z1.d, #0, x1
    instruction each_gather
    ld1d {z1.d}, p0/z, [x0, z1.d]
    uaddv d0, p0, z1.d
    fmov x0, d0
    finish

/* The same, where the first one may fault. */
function first_fault
    setffr
    ptrue p0.d
    mov x1, #128
    index z1.d, #0, x1
    instruction each_first_fault
    ldff1d {z1.d}, p0/z, [x0, z1.d]
    uaddv d0, p0, z1.d
    fmov x0, d0
    finish

/* Scatters two doublewords, 5 and 6, to x0 and x0 + 128. */
function scatter
    ptrue p0.d
    mov x1, #128
    index z1.d, #0, x1
    index z0.d, #5, #1
    instruction each_scatter
    st1d {z0.d}, p0, [x0, z1.d]
    finish

/* Zeroes a block. */
function zero
    instruction each_zero
    dc zva, x0
    finish

/* Sets x1 bytes from x0 on to 0x77. */
function set
    mov x2, #0x77
    instruction each_setp
    setp [x0]!, x1!, x2
    instruction each_setm
    setm [x0]!, x1!, x2
    sete [x0]!, x1!, x2
    finish

/* Copies x2 bytes from x1 on to x0. */
function copy
    instruction each_cpyp
    cpyp [x0]!, [x1]!, x2!
    instruction each_cpym
    cpym [x0]!, [x1]!, x2!
    cpye [x0]!, [x1]!, x2!
    finish

/* Logs ELR_EL1 in each_log, whose length is each_count. */
handler:
    msr tpidr_el1, x0
    msr tpidrro_el0, x1
    msr tpidr_el0, x2
    msr pmcr_el0, xzr
    isb
    ldr x0, =each_count
    ldr w1, [x0]
    ldr x2, =each_log
    and x0, x1, #255
    add x2, x2, x0, lsl #3
    mrs x0, elr_el1
    str x0, [x2]
    ldr x0, =each_count
    add w1, w1, #1
    str w1, [x0]
    mov x0, #0xffffffff
    msr pmevcntr0_el0, x0
    mov x0, #-1
    msr pmovsclr_el0, x0
    isb
    mov x0, #1
    msr pmcr_el0, x0
    isb
    mrs x2, tpidr_el0
    mrs x1, tpidrro_el0
    mrs x0, tpidr_el1
    eret

    .balign 2048
    .global each_vectors
each_vectors:
    .rept 16
    b handler
    .balign 128
    .endr

    .data
    .balign 8
    .global each_log, each_count
each_log: .skip 256 * 8
each_count: .word 0
