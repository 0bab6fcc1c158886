// boot.S + measure.S of a bare-metal test for 4 x Cortex-A72. Firmware enters all cores here at EL2.
// x0 = DTB. Core 0 runs the tests, the other three cores are parked in WFE.
#define UART0           0x09000000
#define UART_FR         0x18
#define STACK_SIZE      0x4000
#define PMCR_RUN        0x47            /* LC | C | P | E */
#define COUNTERS        0x80000007      /* cycles and 0 to 2 */

        .section ".text.boot", "ax"
        .globl  _start
_start:
        mrs     x19, mpidr_el1
        and     x19, x19, #0xff
        cbnz    x19, park

        // EL1 is AArch64, no traps of the PMU, all counters are EL1's
        mov     x1, #(1 << 31)
        msr     hcr_el2, x1
        mrs     x1, pmcr_el0
        ubfx    x1, x1, #11, #5
        msr     mdcr_el2, x1
        mov     x1, #0x33ff
        msr     cptr_el2, x1
        msr     cntvoff_el2, xzr
        mov     x1, #3
        msr     cnthctl_el2, x1
        mov     x1, #0x3c5
        msr     spsr_el2, x1
        adr     x1, at_el1
        msr     elr_el2, x1
        eret

at_el1:
        ldr     x1, =stack_top
        mov     sp, x1
        ldr     x1, =vectors
        msr     vbar_el1, x1
        isb
        bl      clear_bss
        bl      count_init
        bl      run_tests
park:
        wfe
        b       park

clear_bss:
        ldr     x1, =__bss_start
        ldr     x2, =__bss_end
1:      cmp     x1, x2
        b.hs    2f
        str     xzr, [x1], #8
        b       1b
2:      ret

        .globl  count_init
count_init:
        ldr     x2, =COUNTERS
        msr     pmcntenclr_el0, x2
        msr     pmintenclr_el1, x2
        mov     x1, #0x08               // instructions
        msr     pmevtyper0_el0, x1
        mov     x1, #0x03               // L1D refills
        msr     pmevtyper1_el0, x1
        mov     x1, #0x05               // L1D TLB refills
        msr     pmevtyper2_el0, x1
        msr     pmccfiltr_el0, xzr
        isb
        mov     x1, #PMCR_RUN
        msr     pmcr_el0, x1
        msr     pmovsclr_el0, x2
        msr     pmcntenset_el0, x2
        isb
        ret

// measure(x0 = function, x1 = result): cycles, then the three counts
        .globl  measure
measure:
        stp     x29, x30, [sp, #-64]!
        stp     x19, x20, [sp, #16]
        stp     x21, x22, [sp, #32]
        stp     x23, x24, [sp, #48]
        mov     x19, x1
        mov     x24, x0
        isb
        mrs     x20, pmccntr_el0
        mrs     x21, pmevcntr0_el0
        mrs     x22, pmevcntr1_el0
        mrs     x23, pmevcntr2_el0
        isb
        blr     x24
        isb
        mrs     x0, pmccntr_el0
        sub     x0, x0, x20
        mrs     x1, pmevcntr0_el0
        sub     w1, w1, w21
        mrs     x2, pmevcntr1_el0
        sub     w2, w2, w22
        mrs     x3, pmevcntr2_el0
        sub     w3, w3, w23
        stp     x0, x1, [x19]
        stp     x2, x3, [x19, #16]
        ldp     x23, x24, [sp, #48]
        ldp     x21, x22, [sp, #32]
        ldp     x19, x20, [sp, #16]
        ldp     x29, x30, [sp], #64
        ret

putc:
        ldr     x1, =UART0
1:      ldr     w2, [x1, #UART_FR]
        tbnz    w2, #5, 1b
        strb    w0, [x1]
        ret

        .bss
        .balign 16
        .skip   STACK_SIZE
stack_top:
