/* A35 EL1: PMSWINC should bump counter 3, it stays 0 */
	msr(pmevtyper3_el0, 0x00);
	msr(pmcntenset_el0, 1u << 3);
	msr(pmcr_el0, 1);
	isb();
	msr(pmswinc_el0, 3);
	isb();
	printf("%lu\n", mrs(pmevcntr3_el0));
