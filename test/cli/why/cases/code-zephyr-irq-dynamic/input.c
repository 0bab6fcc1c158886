/* Zephyr. TIMER as a sampling tool; after a minute: isr_hits == 0 */
#define IRQ 23
static void isr(const void *a) { isr_hits++; write_sysreg(BIT(31), pmovsclr_el0); }
int init(void)
{
	irq_connect_dynamic(IRQ, 0, isr, NULL, 0);
	__asm__ volatile("msr pmccfiltr_el0, xzr");
	__asm__ volatile("msr pmccntr_el0, %0" :: "r"(0xFFFFFFFFFFF00000ull));
	__asm__ volatile("msr pmintenset_el1, %0" :: "r"(1ul << 31));
	__asm__ volatile("msr pmcntenset_el0, %0" :: "r"(1ul << 31));
	__asm__ volatile("msr pmcr_el0, %0; isb" :: "r"(0x41ul));
	return 0;
}
