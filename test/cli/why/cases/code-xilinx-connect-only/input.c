/* Zynq UltraScale+, standalone, A53 at EL3 -> EL1.  irqs = 0, and the overflow flag of counter 0 is set. */
static void handler(void *ref)
{
	asm volatile("msr pmovsclr_el0, %0" : : "r"(1ul));
	irqs++;
}

void init(void)
{
	XScuGic_Connect(&gic, 175, handler, NULL);
	asm volatile("msr pmevtyper0_el0, %0" : : "r"(0x11ul));
	asm volatile("msr pmevcntr0_el0, %0" : : "r"(0xfffff000ul));
	asm volatile("msr pmovsclr_el0, %0" : : "r"(1ul));
	asm volatile("msr pmintenset_el1, %0" : : "r"(1ul));
	asm volatile("msr pmcntenset_el0, %0" : : "r"(1ul));
	asm volatile("msr pmcr_el0, %0" : : "r"(0x41ul));
	asm volatile("isb");
}
