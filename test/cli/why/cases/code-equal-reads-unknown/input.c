/* Cortex-A72, EL1, own kernel.  start == stop, always. */
uint64_t measure(void)
{
	uint64_t start, stop;

	asm volatile("msr pmccfiltr_el0, xzr");
	asm volatile("msr pmcntenset_el0, %0" : : "r"(1ul << 31));
	asm volatile("msr pmcr_el0, %0" : : "r"(0x41ul));
	asm volatile("isb");
	asm volatile("mrs %0, pmccntr_el0" : "=r"(start));
	work();
	asm volatile("isb; mrs %0, pmccntr_el0" : "=r"(stop));
	return stop - start;
}
