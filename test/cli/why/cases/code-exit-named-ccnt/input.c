/* Our helper module. The reader gets SIGILL, but not always: on an 8-core Neoverse board about one run in eight
 * works, and "taskset -c 5 reader" works each time. */
#include <linux/module.h>

static int __init cyccnt_start(void)
{
	write_sysreg(read_sysreg(pmcr_el0) | 0x45, pmcr_el0);
	write_sysreg(0, pmccfiltr_el0);
	write_sysreg(BIT(31), pmcntenset_el0);
	write_sysreg(1, pmuserenr_el0);
	isb();
	return 0;
}

static void __exit cyccnt_fini(void)
{
	write_sysreg(0, pmuserenr_el0);
}

module_init(cyccnt_start);
module_exit(cyccnt_fini);
MODULE_LICENSE("GPL");
