/* Seven CPUs let the program read, the eighth gives SIGILL. Which one depends on where insmod runs. */
#include <linux/module.h>
#include <linux/smp.h>

static void allow(void *x)
{
	write_sysreg(1, pmuserenr_el0);
	write_sysreg(BIT(31), pmcntenset_el0);
	write_sysreg(read_sysreg(pmcr_el0) | 1 | BIT(6), pmcr_el0);
	isb();
}

static void deny(void *x)
{
	write_sysreg(0, pmuserenr_el0);
}

static int __init allow_init(void)
{
	smp_call_function(allow, NULL, 1);
	return 0;
}

static void __exit allow_exit(void)
{
	on_each_cpu(deny, NULL, 1);
}
module_init(allow_init);
module_exit(allow_exit);
