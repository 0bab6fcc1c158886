/* PMU init for our driver. After "echo 0 > cpu3/online; echo 1 > cpu3/online" CPU3 counts nothing */
static void pmu_cpu_init(void *unused)
{
	write_sysreg(BIT(31), pmcntenset_el0);
	write_sysreg(0, pmccfiltr_el0);
	write_sysreg(read_sysreg(pmcr_el0) | BIT(0), pmcr_el0);
	isb();
}
static int __init drv_init(void)
{
	on_each_cpu(pmu_cpu_init, NULL, 1);
	return 0;
}
module_init(drv_init);
