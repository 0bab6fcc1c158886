/* Own EL2 monitor on a Cortex-A57 with 6 counters. Linux below gets 0 to 4, the monitor wants to count bus cycles in the
 * last one while it runs itself, but it always reads 0. */
void mon_pmu_init(void)
{
    uint64_t mdcr = read_sysreg(mdcr_el2);

    mdcr = (mdcr & ~0x9fUL) | 5;                   /* HPMN = 5 */
    write_sysreg(mdcr, mdcr_el2);
    write_sysreg(0x0800001dUL, pmevtyper5_el0);    /* NSH, BUS_CYCLES */
    write_sysreg(1UL << 5, pmcntenset_el0);
    isb();
}
uint64_t mon_pmu_read(void) { isb(); return read_sysreg(pmevcntr5_el0); }
