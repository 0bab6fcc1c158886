// Cortex-A53 EL1, GIC PPI 23. The handler is entered again at once, for ever, the machine hangs
void pmu_isr(void)
{
    n_overflows++;
    write_sysreg(0xFFFFFFFF - 1000000, pmevcntr0_el0);
    gic_eoi(23);
}
void setup(void)
{
    write_sysreg(0x11, pmevtyper0_el0);
    write_sysreg(0xFFFFFFFF - 1000000, pmevcntr0_el0);
    write_sysreg(1, pmintenset_el1);
    write_sysreg(1, pmcntenset_el0);
    gic_enable(23);
    write_sysreg(1, pmcr_el0);
    isb();
}
