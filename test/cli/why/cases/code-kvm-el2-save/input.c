/* our VMM switches these for the guests. symptom: a guest's user program, which may read the cycle counter, dies with SIGILL after the other guest had its slice */
static void pmu_switch(struct vcpu *from, struct vcpu *to)
{
	from->pmcr = read_sysreg(pmcr_el0);
	from->cnten = read_sysreg(pmcntenset_el0);
	from->ccfiltr = read_sysreg(pmccfiltr_el0);
	write_sysreg(to->pmcr, pmcr_el0);
	write_sysreg(0xffffffff, pmcntenclr_el0);
	write_sysreg(to->cnten, pmcntenset_el0);
	write_sysreg(to->ccfiltr, pmccfiltr_el0);
	isb();
}
