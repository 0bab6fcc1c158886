/* Zephyr on a Cortex-A53: samples each half million cycles. */
#include <zephyr/kernel.h>
#include <zephyr/irq.h>

static void on_overflow(const void *unused)
{
	write_sysreg(0 - 500000ULL, pmccntr_el0);
	write_sysreg(BIT64(31), pmovsclr_el0);
}

void start_sampling(void)
{
	IRQ_CONNECT(23, 1, on_overflow, NULL, IRQ_TYPE_LEVEL);
	irq_enable(23);
	write_sysreg(0, pmccfiltr_el0);
	write_sysreg(0 - 500000ULL, pmccntr_el0);
	write_sysreg(BIT64(31), pmovsclr_el0);
	write_sysreg(BIT64(31), pmintenset_el1);
	write_sysreg(BIT64(31), pmcntenset_el0);
	write_sysreg(read_sysreg(pmcr_el0) | 0x41, pmcr_el0);
	__ISB();
}
