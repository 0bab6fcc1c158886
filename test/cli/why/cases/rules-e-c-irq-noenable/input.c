// samples every million cycles on A72 EL1, but pmu_isr never runs
void pmu_isr(void)
{
    write_sysreg(read_sysreg(pmovsclr_el0), pmovsclr_el0);
    write_sysreg(0xFFFFFFFF - 1000000, pmevcntr0_el0);
}
void setup(void)
{
    request_irq(23, pmu_isr);
    gic_enable_irq(23);
    write_sysreg(0x11, pmevtyper0_el0);
    write_sysreg(0xFFFFFFFF - 1000000, pmevcntr0_el0);
    write_sysreg(1, pmcntenset_el0);
    write_sysreg(1, pmcr_el0);
    isb();
}
