/* module A (mine). After "perf stat -a" has run on the machine all my counts stand still until I reload. 5.10 arm64 N1 */
static void setup(void *x)
{
	write_sysreg(0x03, pmevtyper0_el0);
	write_sysreg(BIT(0), pmcntenset_el0);
	write_sysreg(read_sysreg(pmcr_el0) | 1, pmcr_el0);
	isb();
}
static int __init a_init(void) { on_each_cpu(setup, NULL, 1); return 0; }
module_init(a_init);
