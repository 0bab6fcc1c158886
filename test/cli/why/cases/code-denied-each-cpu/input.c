/* Illegal instruction at the store. The module runs on_each_cpu() and writes PMUSERENR_EL0 = 4, and the reads work. */
int main(void)
{
	unsigned long t;

	asm volatile("mrs %0, pmccntr_el0" : "=r"(t));
	asm volatile("msr pmccntr_el0, %0" :: "r"(0UL));	/* dies here */
	return (int)t;
}
