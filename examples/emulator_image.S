// SPDX-License-Identifier: BSD-2-Clause
// The program of examples/emulator.c: counts a loop of 1000 turns by four event counters, and prints what they counted:
// the loop, the two instructions before it and the ISB behind it.  It runs at EL1 of QEMU's virt, too:
//
//     aarch64-linux-gnu-gcc -nostdlib -static -Wl,-Ttext=0x40080000 examples/emulator_image.S -o image.elf
//     qemu-system-aarch64 -M virt -cpu cortex-a57 -icount shift=0 -semihosting -nographic -kernel image.elf
    .global _start
_start:
    mov x0, #0x08 // INST_RETIRED
    msr pmevtyper0_el0, x0
    mov x0, #0x06 // LD_RETIRED
    msr pmevtyper1_el0, x0
    mov x0, #0x07 // ST_RETIRED
    msr pmevtyper2_el0, x0
    mov x0, #0x0d // BR_IMMED_RETIRED
    msr pmevtyper3_el0, x0
    mov x0, #0x0f
    msr pmcntenset_el0, x0
    mov x0, #0x07 // E, P and C
    msr pmcr_el0, x0
    mov x1, #0x40400000 // memory that is free
    mov x2, #1000
turn:
    ldr x3, [x1, #8]
    add x3, x3, x2
    str x3, [x1, #8]
    subs x2, x2, #1
    b.ne turn
    isb
    mrs x10, pmevcntr0_el0
    mrs x11, pmevcntr1_el0
    mrs x12, pmevcntr2_el0
    mrs x13, pmevcntr3_el0
    mov x9, #0x09000000 // the UART
    mov x4, x10
    bl print
    mov x4, x11
    bl print
    mov x4, x12
    bl print
    mov x4, x13
    bl print
    mov x0, #0x18 // semihosting: SYS_EXIT, ADP_Stopped_ApplicationExit
    mov x3, #0x20000
    add x3, x3, #0x26
    str x3, [x1]
    str xzr, [x1, #8]
    hlt #0xf000

// Prints x4, which is below 2^32, as eight hexadecimal digits and a new line.
print:
    mov x5, #28
    mov x7, #15
digit:
    lsr x6, x4, x5
    and x6, x6, x7
    add x6, x6, #'0'
    cmp x6, #'9'
    b.ls decimal
    add x6, x6, #('a' - '9' - 1)
decimal:
    strb w6, [x9]
    subs x5, x5, #4
    b.pl digit
    mov x6, #'\n'
    strb w6, [x9]
    ret
