/* A72 EL1, driver probe; fine? */
static void armv8_setup(void)
{
	write_sysreg(ARMV8_PMU_PMCR_P | ARMV8_PMU_PMCR_C | ARMV8_PMU_PMCR_LC, pmcr_el0);
	isb();
	write_sysreg(0, pmccfiltr_el0);
	write_sysreg(BIT(31), pmcntenset_el0);
	write_sysreg(read_sysreg(pmcr_el0) | ARMV8_PMU_PMCR_E, pmcr_el0);
	isb();
}
