static void
pmu_attach(void)
{
	WRITE_SPECIALREG(pmccfiltr_el0, 0);
	WRITE_SPECIALREG(pmcntenset_el0, 1u << 31);
	WRITE_SPECIALREG(pmcr_el0, READ_SPECIALREG(pmcr_el0) | PMCR_LC | PMCR_E);
	isb();
}
uint64_t
pmu_now(void)
{
	isb();
	return (READ_SPECIALREG(pmccntr_el0));
}
