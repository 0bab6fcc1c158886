/* Cortex-A72, EL1. Cycles of event 0x17 in 64 bits: low half works, the upper half never moves. */
void pair_init(void)
{
	asm volatile("msr pmevtyper0_el0, %0" :: "r"(0x17ul));
	asm volatile("msr pmevtyper3_el0, %0" :: "r"(0x1eul));
	asm volatile("msr pmcntenset_el0, %0" :: "r"(0x9ul));
	unsigned long v;
	asm volatile("mrs %0, pmcr_el0" : "=r"(v));
	asm volatile("msr pmcr_el0, %0" :: "r"(v | 1));
	asm volatile("isb");
}
