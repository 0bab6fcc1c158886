// module grants it on each CPU, program pinned with taskset 2; prints 1182, plausible
static void allow(void *p)
{
    write_sysreg(0xd, pmuserenr_el0);
    write_sysreg(0, pmccfiltr_el0);
    write_sysreg(BIT(31), pmcntenset_el0);
    write_sysreg(read_sysreg(pmcr_el0) | 0x45, pmcr_el0);
    isb();
}
static int __init m(void) { on_each_cpu(allow, NULL, 1); return 0; }
module_init(m);
