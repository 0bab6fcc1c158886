// EL1, Cortex-A53: the counts of a short region jump about
count_region:
    stp  x29, x30, [sp, #-32]!
    str  x19, [sp, #16]
    mov  x0, #(1 << 31)
    msr  pmcntenset_el0, x0
    mrs  x1, pmcr_el0
    orr  x1, x1, #1
    msr  pmcr_el0, x1
    isb
    mrs  x19, pmccntr_el0
    bl   region
    mrs  x0, pmccntr_el0
    sub  x0, x0, x19
    ldr  x19, [sp, #16]
    ldp  x29, x30, [sp], #32
    ret
