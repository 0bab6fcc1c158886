/* stop event counter 3, EL1, A55; it keeps counting after pmu_pause() */
static inline void pmu_pause(void)
{
    u64 en = read_sysreg(pmcntenset_el0);
    en &= ~BIT(3);
    write_sysreg(en, pmcntenset_el0);
    isb();
}
static void pmu_go(void)
{
    write_sysreg(0x8, pmevtyper3_el0);
    write_sysreg(BIT(3), pmcntenset_el0);
    write_sysreg(read_sysreg(pmcr_el0) | 1, pmcr_el0);
    isb();
}
