/* Cortex-A72, EL1: one counter, chosen by the caller; it counts. */
void evt_start(unsigned int n, unsigned long event)
{
    __asm__ volatile("msr pmselr_el0, %0; isb" :: "r"((unsigned long)n));
    __asm__ volatile("msr pmxevtyper_el0, %0" :: "r"(event));
    n = 1u << n;
    __asm__ volatile("msr pmcntenset_el0, %0" :: "r"((unsigned long)n));
    __asm__ volatile("msr pmcr_el0, %0; isb" :: "r"(1UL));
}
