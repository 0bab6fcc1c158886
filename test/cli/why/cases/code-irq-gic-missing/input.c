/* S905X3, A55, own kernel EL1. PMOVSSET shows bit 31 afterwards, the handler isn't entered; timer PPI 30 works */
void sampling_on(void)
{
	gic_register(23, pmu_irq);
	WR(pmccntr_el0, ~0ULL - 100000);
	WR(pmcr_el0, 0x41);
	WR(pmintenset_el1, 1UL << 31);
	WR(pmcntenset_el0, 1UL << 31);
	isb();
	local_irq_enable();
}
void pmu_irq(void) { n++; WR(pmovsclr_el0, 1UL << 31); WR(pmccntr_el0, ~0ULL - 100000); }
void timer_on(void) { gic_register(30, timer_irq); gic_unmask(30); }
