@ wake-up path, Cortex-A17, SVC mode: puts the PMU back that pmu_sleep wrote to the block at R0
        .text
        .global pmu_wake
pmu_wake:
        push    {r4, lr}
        ldmia   r0!, {r1-r4}                    @ PMCR, PMCNTENSET, PMCCFILTR, PMCCNTR
        mcr     p15, 0, r4, c9, c13, 0          @ PMCCNTR
        mov     r4, #31
        mcr     p15, 0, r4, c9, c12, 5          @ PMSELR: the cycle counter's filter
        isb
        mcr     p15, 0, r3, c9, c13, 1
        mov     r2, #0x80000000
        mcr     p15, 0, r2, c9, c12, 1          @ PMCNTENSET
        bic     r1, r1, #7                      @ no resets
        mcr     p15, 0, r1, c9, c12, 0          @ PMCR
        isb
        bl      run_the_task
        mrc     p15, 0, r0, c9, c13, 0
        pop     {r4, pc}
