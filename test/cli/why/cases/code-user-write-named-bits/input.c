/* The kernel of our product has, for each core: PMUSERENR_EL0 = CR | ER. Reading works, then the program ends
 * with SIGILL in start(). */
#include <stdio.h>

static void start(void)
{
	asm volatile("msr pmcntenset_el0, %0" :: "r"(1UL << 31));
}

int main(void)
{
	unsigned long v;

	asm volatile("mrs %0, pmccntr_el0" : "=r"(v));
	printf("%lu\n", v);
	start();
	return 0;
}
