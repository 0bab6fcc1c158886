// bare metal A35 at EL1. counter 0 = 0 always
    mov     x0, #0x8
    orr     x0, x0, #(1 << 31)      // enable
    msr     pmevtyper0_el0, x0
    mov     x0, #1
    msr     pmcntenset_el0, x0
    mrs     x0, pmcr_el0
    orr     x0, x0, #1
    msr     pmcr_el0, x0
    isb
    ret
