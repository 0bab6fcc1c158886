/* RTOS on a Cortex-A55: the applications run at EL0, the counters are read at EL1 when threads switch. We want the
 * applications' instructions alone, without the kernel; the figure is the same whether one computes or waits. */
void init(void)
{
    __asm__ volatile("msr pmevtyper0_el0, %0" :: "r"((1ul << 30) | 0x08ul));
    __asm__ volatile("msr pmcntenset_el0, %0" :: "r"(1ul));
    __asm__ volatile("msr pmcr_el0, %0" :: "r"(0x41ul));
    __asm__ volatile("isb");
}
