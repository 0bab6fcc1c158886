@ cortex-a9, supervisor mode. prints 0 for everything I measure
ccnt_start:
    mrc p15, 0, r1, c9, c12, 0      @ PMCR
    orr r1, r1, #5                  @ E and C
    mcr p15, 0, r1, c9, c12, 0
    mov r0, #0x80000000
    mcr p15, 0, r0, c9, c12, 2      @ PMCNTENSET, cycle counter
    isb
    bx  lr
ccnt_read:
    isb
    mrc p15, 0, r0, c9, c13, 0      @ PMCCNTR
    bx  lr
