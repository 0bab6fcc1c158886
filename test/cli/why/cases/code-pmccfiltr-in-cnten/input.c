/* S32G (A53), bare metal EL1; event counter 0 (0x11) counts, pmccntr never */
	asm volatile("msr pmevtyper0_el0, %0" :: "r"(0x11ul));
	asm volatile("msr pmcntenset_el0, %0" :: "r"(1ul));
	asm volatile("msr pmccfiltr_el0, %0" :: "r"(0x80000000ul));   /* enable cycle counter */
	asm volatile("msr pmcr_el0, %0" :: "r"(0x41ul));
	asm volatile("isb");
	t0 = read_pmccntr();
