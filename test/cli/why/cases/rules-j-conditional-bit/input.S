/* pmu_on(flags): R0 != 0 resets the cycle counter, too.  Cortex-A8, PL1. */
        .globl pmu_on
pmu_on:
        mov     r2, #0x80000000
        mcr     p15, 0, r2, c9, c12, 1      /* PMCNTENSET */
        mrc     p15, 0, r1, c9, c12, 0
        bic     r1, r1, #0xf
        cmp     r0, #0
        movne   r2, #5                      /* C, E */
        moveq   r2, #1                      /* E */
        orr     r1, r1, r2
        mcr     p15, 0, r1, c9, c12, 0
        isb
        bx      lr

        .globl pmu_cycles
pmu_cycles:
        isb
        mrc     p15, 0, r0, c9, c13, 0
        bx      lr
