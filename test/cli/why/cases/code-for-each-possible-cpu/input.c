/* i.MX8MP, 5.15. After insmod the benchmark dies with SIGILL on mrs x0, pmccntr_el0, three times out of four. */
#include <linux/module.h>

static int __init grant_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		write_sysreg(1, pmuserenr_el0);
		write_sysreg(BIT(31), pmcntenset_el0);
		write_sysreg(read_sysreg(pmcr_el0) | BIT(0) | BIT(6), pmcr_el0);
	}
	return 0;
}
module_init(grant_init);
