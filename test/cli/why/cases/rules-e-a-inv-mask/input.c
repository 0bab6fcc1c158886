// A53 bare metal: clear the overflow flag of counter 2, and the irq comes again and again
void pmu_irq(void)
{
    uint64_t f = read_sysreg(pmovsset_el0);
    if (f & (1 << 2))
        write_sysreg(2, pmovsclr_el0);
    gic_eoi(PMU_IRQ);
}
void init(void)
{
    write_sysreg(0x11, pmevtyper2_el0);
    write_sysreg(0xffff0000, pmevcntr2_el0);
    write_sysreg(1 << 2, pmintenset_el1);
    write_sysreg(1 << 2, pmcntenset_el0);
    write_sysreg(1, pmcr_el0);
    isb();
}
