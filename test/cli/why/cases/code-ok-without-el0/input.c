/* Time at EL0 must not be in it */
void f(void) {
	write_sysreg(0x08 | BIT(30), pmevtyper0_el0);
	write_sysreg(1, pmcntenset_el0);
	write_sysreg(read_sysreg(pmcr_el0) | 1, pmcr_el0);
	isb();
	run();
	isb();
	n = read_sysreg(pmevcntr0_el0);
}
