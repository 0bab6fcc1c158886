/* hypervisor early init, A78. Guests and we see only zero in all event counters; the cycle counter runs */
static void hyp_init(void)
{
    write_sysreg(0, mdcr_el2);
    write_sysreg(BIT(27) | 0x08, pmevtyper0_el0);
    write_sysreg(BIT(31) | 1, pmcntenset_el0);
    write_sysreg(BIT(27), pmccfiltr_el0);
    write_sysreg(BIT(0) | BIT(6), pmcr_el0);
    isb();
}
