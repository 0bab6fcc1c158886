/* Cortex-A35, our own scheduler at EL1.
 * After the first overflow nothing else but the handler runs, the idle task is not seen again and there are no
 * samples of it.
 * */
void pmi_entry(void)
{
	asm volatile("msr pmccntr_el0, %0" :: "r"(0xffffffffff000000ul));
	hits++;
}

void pmi_start(void)
{
	gic_set_handler(30, pmi_entry);
	asm volatile("msr pmovsclr_el0, %0" :: "r"(1ul << 31));
	asm volatile("msr pmccntr_el0, %0" :: "r"(0xffffffffff000000ul));
	asm volatile("msr pmintenset_el1, %0" :: "r"(1ul << 31));
	asm volatile("msr pmcntenset_el0, %0" :: "r"(1ul << 31));
	asm volatile("msr pmcr_el0, %0" :: "r"(0x41ul));
	asm volatile("isb");
	gic_enable_irq(30);
}
