/* boot code, EL1: cycles of a checksum */
        .equ    CYCLES, 0x80000000
start:
        mov     x0, #CYCLES
        msr     pmcntenset_el0, x0
        msr     pmccfiltr_el0, xzr
        mrs     x1, pmcr_el0
        orr     x1, x1, #0x41
        msr     pmcr_el0, x1
        isb
        mrs     x20, pmccntr_el0
        bl      checksum
        isb
        mrs     x21, pmccntr_el0
        sub     x0, x21, x20
        ret
