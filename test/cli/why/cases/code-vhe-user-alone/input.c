/* Module for a Neoverse V1 server. Kernel log: kvm [1]: VHE mode initialized successfully.
 * Cycles of user space only are wanted, and find / still adds all the time spent in system calls. */
static void count_user(void *info)
{
	write_sysreg(BIT(31) | BIT(27), pmccfiltr_el0);
	write_sysreg(BIT(31), pmcntenset_el0);
	write_sysreg(read_sysreg(pmcr_el0) | ARMV8_PMU_PMCR_E | ARMV8_PMU_PMCR_LC, pmcr_el0);
	isb();
}
static int __init count_init(void)
{
	on_each_cpu(count_user, NULL, 1);
	return 0;
}
