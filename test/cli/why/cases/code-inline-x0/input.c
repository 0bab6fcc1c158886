/* EL1, A35. counter 1 (LL refill) is 0 after the test */
static void ev_on(void)
{
	unsigned int en = 1, typ = 0x37;
	unsigned long pmcr;

	asm volatile("msr pmevtyper1_el0, %x[t]" : : [t] "r"(typ));
	asm volatile("msr pmcntenset_el0, %x0" : : "r"(en));
	asm volatile("mrs %x[p], pmcr_el0" : [p] "=r"(pmcr));
	asm volatile("msr pmcr_el0, %x[p]" : : [p] "r"(pmcr | 1));
	asm volatile("isb");
}
static unsigned long ev_get(void)
{
	unsigned long v;

	asm volatile("isb\n mrs %x[v], pmevcntr1_el0" : [v] "=r"(v));
	return v;
}
