/*
 * Trusty on a Cortex-A55, code at S-EL1.  t1 == t0 every time.  The boot ROM leaves PMCR_EL0 with DP = 1, and BL31 does not
 * set SPME.
 */
uint64_t measure(void)
{
	uint64_t t0, t1;

	asm volatile("msr pmccfiltr_el0, xzr");
	asm volatile("msr pmcntenset_el0, %0" : : "r"(1ul << 31));
	asm volatile("mrs %0, pmcr_el0" : "=r"(t0));
	asm volatile("msr pmcr_el0, %0" : : "r"(t0 | 1));
	asm volatile("isb");
	asm volatile("mrs %0, pmccntr_el0" : "=r"(t0));
	work();
	asm volatile("isb; mrs %0, pmccntr_el0" : "=r"(t1));
	return t1 - t0;
}
