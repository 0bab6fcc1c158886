/* Zephyr, qemu is not involved: real board, 4 x A53, CONFIG_SMP=y. A thread pinned to CPU 0 gets cycles, one pinned to CPU 1, 2
 * or 3 always reads 0. */
#include <zephyr/kernel.h>
#include <zephyr/init.h>

static int cycles_init(void)
{
	uint64_t pmcr;

	__asm__ volatile("mrs %0, pmcr_el0" : "=r"(pmcr));
	__asm__ volatile("msr pmccfiltr_el0, xzr");
	__asm__ volatile("msr pmcntenset_el0, %0" : : "r"(BIT64(31)));
	__asm__ volatile("msr pmcr_el0, %0" : : "r"(pmcr | BIT64(0) | BIT64(2) | BIT64(6)));
	__asm__ volatile("isb");
	return 0;
}
SYS_INIT(cycles_init, POST_KERNEL, 0);

static uint64_t cycles_get(void)
{
	uint64_t v;

	__asm__ volatile("isb; mrs %0, pmccntr_el0" : "=r"(v) : : "memory");
	return v;
}
