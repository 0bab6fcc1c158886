// x0 = counter, x1 = event. EL1, Cortex-A53, one core running.
// Each counter shows the event that I asked for in the call before.
pmu_assign:
    msr     pmxevtyper_el0, x1
    msr     pmselr_el0, x0
    isb
    mov     x2, #1
    lsl     x2, x2, x0
    msr     pmcntenset_el0, x2
    ret
