/* sampling on an A72, EL1, GICv2. Works, 1000 interrupts a second. Is clearing before the EOI the right order? */
void pmu_handler(void)
{
	uint64_t f = read_sysreg(pmovsclr_el0);
	write_sysreg(f, pmovsclr_el0);
	write_sysreg(-1500000L, pmccntr_el0);
	record(read_sysreg(elr_el1));
	isb();
}
void start(void)
{
	write_sysreg(-1500000L, pmccntr_el0);
	write_sysreg(BIT(31), pmovsclr_el0);
	write_sysreg(BIT(31), pmintenset_el1);
	write_sysreg(0, pmccfiltr_el0);
	write_sysreg(BIT(31), pmcntenset_el0);
	write_sysreg(BIT(0) | BIT(6), pmcr_el0);
	isb();
	gic_enable_irq(23);
	asm volatile("msr daifclr, #2");
}
