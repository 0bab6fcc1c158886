// Cortex-A72 EL1. The result is always nearly zero
uint64_t measure(void (*f)(void))
{
    write_sysreg(BIT(31), pmcntenset_el0);
    write_sysreg(read_sysreg(pmcr_el0) | 1, pmcr_el0);
    isb();
    f();
    write_sysreg(read_sysreg(pmcr_el0) | 5, pmcr_el0);
    isb();
    return read_sysreg(pmccntr_el0);
}
