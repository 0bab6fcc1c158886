/* Jetson AGX Xavier (Carmel), a kernel thread bound to CPU 2. It works, is the order right? */
static u64 loads(void (*f)(void))
{
	u64 a, b;

	asm volatile("msr pmcr_el0, %0" : : "r"(0x7UL));
	asm volatile("msr pmevtyper0_el0, %0" : : "r"(0x13UL));
	asm volatile("msr pmcntenset_el0, %0" : : "r"(1UL));
	asm volatile("isb");
	asm volatile("mrs %0, pmevcntr0_el0" : "=r"(a));
	f();
	asm volatile("isb");
	asm volatile("mrs %0, pmevcntr0_el0" : "=r"(b));
	return b - a;
}
