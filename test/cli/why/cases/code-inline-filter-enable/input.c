/* kernel thread, non-VHE 4.19, A53; PMCCNTR_EL0 never leaves 0 */
static void cc_start(void)
{
	u64 filt = 1UL << 31;	/* enable */
	u64 on = BIT(31);
	u64 r;

	asm volatile("msr pmccfiltr_el0, %x[f]\n"
		     "msr pmcntenset_el0, %x[o]\n"
		     "mrs %x[r], pmcr_el0\n"
		     "orr %x[r], %x[r], #1\n"
		     "msr pmcr_el0, %x[r]\n"
		     "isb"
		     : [r] "=&r"(r) : [f] "r"(filt), [o] "r"(on));
}
