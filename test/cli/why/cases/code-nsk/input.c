// secure EL1 RTOS (Cortex-A55, SPME is set by the firmware). I only want secure counts, so:
	msr(pmevtyper0_el0, 0x08 | (1u << 31));    // P: no non-secure EL1, as the manual says NSK differs
	msr(pmcntenset_el0, 1);
	msr(pmcr_el0, 1);
	// PMEVCNTR0 = 0, always
