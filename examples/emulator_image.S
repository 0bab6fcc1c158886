// SPDX-License-Identifier: BSD-2-Clause
// The program of examples/emulator.c: counts a loop of 1000 turns at EL0 by four event counters.  EL0 ends it by a read
// of a counter, which it may not do.  The exception's handler at EL1 prints the syndrome and the counts.  It runs on
// QEMU's virt, too:
//
//     aarch64-linux-gnu-gcc -nostdlib -static -Wl,-Ttext=0x40080400 examples/emulator_image.S -o image.elf
//     qemu-system-aarch64 -M virt -cpu cortex-a57 -icount shift=0 -semihosting -nic none -nographic -kernel image.elf
    .global _start

// An exception from EL0: VBAR_EL1 + 0x400.
    mov x9, #0x09000000 // the UART
    mrs x4, esr_el1
    bl print
    mrs x4, pmevcntr0_el0
    bl print
    mrs x4, pmevcntr1_el0
    bl print
    mrs x4, pmevcntr2_el0
    bl print
    mrs x4, pmevcntr3_el0
    bl print
    mov x0, #0x18 // semihosting: SYS_EXIT, ADP_Stopped_ApplicationExit
    mov x3, #0x20000
    add x3, x3, #0x26
    str x3, [x1]
    str xzr, [x1, #8]
    hlt #0xf000

// Prints x4 as sixteen hexadecimal digits and a new line.
print:
    mov x5, #16
    mov x7, #60
digit:
    lsr x6, x4, x7
    cmp x6, #10
    b.mi decimal
    add x6, x6, #('a' - '0' - 10)
decimal:
    add x6, x6, #'0'
    strb w6, [x9]
    add x4, x4, x4
    add x4, x4, x4
    add x4, x4, x4
    add x4, x4, x4
    subs x5, x5, #1
    b.ne digit
    mov x6, #'\n'
    strb w6, [x9]
    ret

_start:
    mov x0, #0x40080000
    msr vbar_el1, x0
    mov x0, #0x80000000 // P: at EL0 alone
    add x0, x0, #0x08 // INST_RETIRED
    msr pmevtyper0_el0, x0
    sub x0, x0, #0x02 // LD_RETIRED
    msr pmevtyper1_el0, x0
    add x0, x0, #0x01 // ST_RETIRED
    msr pmevtyper2_el0, x0
    add x0, x0, #0x06 // BR_IMMED_RETIRED
    msr pmevtyper3_el0, x0
    mov x0, #0x0f
    msr pmcntenset_el0, x0
    mov x0, #0x07 // E, P and C
    msr pmcr_el0, x0
    msr pmuserenr_el0, xzr // EL0 has no access
    msr spsr_el1, xzr // EL0
    bl to_el0
    mov x1, #0x40400000 // memory that is free
    mov x2, #1000
turn:
    ldr x3, [x1, #8]
    add x3, x3, x2
    str x3, [x1, #8]
    subs x2, x2, #1
    b.ne turn
    mrs x8, pmevcntr0_el0
to_el0:
    msr elr_el1, x30
    eret
