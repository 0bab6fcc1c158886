/* 5.15 on Altra ("CPU: All CPU(s) started at EL2", kvm: VHE mode). My module's kthread: counter 5 of instructions is 0; the same .ko on a Pi 4 is OK. */
static int k(void *d)
{
	write_sysreg(0x08, pmevtyper5_el0);
	write_sysreg(0, pmevcntr5_el0);
	write_sysreg(BIT(5), pmcntenset_el0);
	write_sysreg(read_sysreg(pmcr_el0) | 1, pmcr_el0);
	isb();
	burn();
	isb();
	pr_info("%llu\n", read_sysreg(pmevcntr5_el0));
	return 0;
}
