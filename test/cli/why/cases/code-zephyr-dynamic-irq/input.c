/* Zephyr on a Cortex-A53.  After ten seconds: PMOVSSET_EL0 0x80000000, isr calls: 0 */
#include <zephyr/kernel.h>
#include <zephyr/irq.h>

static void on_overflow(const void *unused)
{
	write_sysreg(BIT64(31), pmovsclr_el0);
	calls++;
}

void start_sampling(void)
{
	irq_connect_dynamic(23, 1, on_overflow, NULL, IRQ_TYPE_LEVEL);
	write_sysreg(0, pmccfiltr_el0);
	write_sysreg(0 - 500000ULL, pmccntr_el0);
	write_sysreg(BIT64(31), pmovsclr_el0);
	write_sysreg(BIT64(31), pmintenset_el1);
	write_sysreg(BIT64(31), pmcntenset_el0);
	write_sysreg(read_sysreg(pmcr_el0) | 0x41, pmcr_el0);
	__ISB();
}
