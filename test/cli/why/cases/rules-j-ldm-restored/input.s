; task switch of our kernel on a Cortex-A15: each task has its own counts.  R0: the task's save area.
; pmu_out(area)   stops counting, and saves
; pmu_in(area)    loads the area of the next task, and counts on
        .syntax unified
        .text
        .global pmu_out
pmu_out:
        mrc     p15, 0, r1, c9, c12, 0          @ PMCR
        mrc     p15, 0, r2, c9, c12, 1          @ PMCNTENSET
        bic     r3, r1, #1
        mcr     p15, 0, r3, c9, c12, 0
        isb
        mrc     p15, 0, r3, c9, c13, 0          @ PMCCNTR
        stmia   r0, {r1-r3}
        bx      lr

        .global pmu_in
pmu_in:
        mvn     r1, #0
        mcr     p15, 0, r1, c9, c12, 2          @ PMCNTENCLR
        ldmia   r0!, {r1-r3}
        mcr     p15, 0, r3, c9, c13, 0
        mcr     p15, 0, r2, c9, c12, 1
        mcr     p15, 0, r1, c9, c12, 0
        isb
        bx      lr
