/* Branch misses of the application, without the kernel. The task is pinned to CPU 2 of an A72; the number is far too small. */
static void setup(void *unused)
{
	write_sysreg(BIT(30) | 0x10, pmevtyper2_el0);
	write_sysreg(0, pmevcntr2_el0);
	write_sysreg(BIT(2), pmcntenset_el0);
	isb();
	write_sysreg(read_sysreg(pmcr_el0) | 1, pmcr_el0);
	isb();
}

	smp_call_function_single(2, setup, NULL, true);
