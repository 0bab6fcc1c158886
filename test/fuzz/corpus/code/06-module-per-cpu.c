#include <linux/module.h>
#include <linux/smp.h>
static void grant(void *unused)
{
	write_sysreg(0, pmccfiltr_el0);
	write_sysreg(BIT(31), pmcntenset_el0);
	write_sysreg(read_sysreg(pmcr_el0) | ARMV8_PMU_PMCR_E | ARMV8_PMU_PMCR_LC, pmcr_el0);
	write_sysreg(ARMV8_PMU_USERENR_EN | ARMV8_PMU_USERENR_CR, pmuserenr_el0);
	isb();
}
static int __init grant_init(void)
{
	on_each_cpu(grant, NULL, 1);
	return 0;
}
module_init(grant_init);
MODULE_LICENSE("GPL");
