/* SPDX-License-Identifier: BSD-2-Clause */
/* the core that we measure on is isolated; the others are of no interest here */
static u64 first, last;

static void measure(void *unused)
{
	write_sysreg(0, pmccfiltr_el0);
	write_sysreg(BIT(31), pmcntenset_el0);
	write_sysreg(read_sysreg(pmcr_el0) | ARMV8_PMU_PMCR_E | ARMV8_PMU_PMCR_LC, pmcr_el0);
	isb();
	first = read_sysreg(pmccntr_el0);
	isb();
	do_work();
	isb();
	last = read_sysreg(pmccntr_el0);
}

static int __init begin(void)
{
	smp_call_function_single(3, measure, NULL, 1);
	pr_info("%llu cycles\n", last - first);
	return 0;
}
