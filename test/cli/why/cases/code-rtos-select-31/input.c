/* ThreadX, Cortex-A7, SVC mode. counter 0 shall count data cache refills; it counts something that looks like 0 events ever */
void pmu_counter0_on(void)
{
    __asm volatile("mcr p15, 0, %0, c9, c12, 5" :: "r"(31));      /* PMSELR */
    __asm volatile("isb");
    __asm volatile("mcr p15, 0, %0, c9, c13, 1" :: "r"(0x03));    /* PMXEVTYPER = L1D_CACHE_REFILL */
    __asm volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(1));       /* PMCNTENSET, counter 0 */
    __asm volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(1));       /* PMCR.E */
    __asm volatile("isb");
}
