/* Raspberry Pi 4, user program. A module wrote PMUSERENR_EL0 := 0xc on each CPU.
 *   $ ./ev
 *   cycles 18823371
 *   Illegal instruction
 */
#include <stdio.h>
int main(void)
{
	unsigned long c;

	asm volatile("mrs %0, pmccntr_el0" : "=r"(c));
	printf("cycles %lu\n", c);
	asm volatile("msr pmevtyper1_el0, %0" : : "r"(0x03UL));
	asm volatile("isb");
	asm volatile("mrs %0, pmevcntr1_el0" : "=r"(c));
	printf("misses %lu\n", c);
	return 0;
}
