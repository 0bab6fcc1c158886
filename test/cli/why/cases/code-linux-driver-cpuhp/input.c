// out-of-tree, 6.1, S922X. After "echo 0 > .../cpu4/online; echo 1 > ..." the readers on cpu4 get SIGILL. Before that all is well.
static void en(void *unused)
{
	write_sysreg(BIT(0) | BIT(2) | BIT(3), pmuserenr_el0);
	write_sysreg(BIT(31), pmcntenset_el0);
	write_sysreg(read_sysreg(pmcr_el0) | BIT(0) | BIT(6), pmcr_el0);
	isb();
}
static int __init m_init(void)
{
	on_each_cpu(en, NULL, 1);
	return 0;
}
module_init(m_init);
