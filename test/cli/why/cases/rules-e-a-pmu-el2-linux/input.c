// out of tree module on a Graviton3 metal host (VHE). Kernel code is measured, event counter stays 0, in user space it counts
static int __init m_init(void)
{
	write_sysreg(0x8, pmevtyper0_el0);
	write_sysreg(1, pmcntenset_el0);
	write_sysreg(read_sysreg(pmcr_el0) | 1, pmcr_el0);
	isb();
	pr_info("%llu\n", read_sysreg(pmevcntr0_el0));
	do_work();
	pr_info("%llu\n", read_sysreg(pmevcntr0_el0));
	return 0;
}
