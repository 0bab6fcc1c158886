/* minimal kernel, A53. kernel side OK. init (EL0) dies at mrs x0, pmccntr_el0: ESR_EL1 = 0x6234...., lower el synchronous */
void pmu_init(void)
{
    __asm__ volatile("msr pmuserenr_el0, %0" :: "r"(0ul));
    __asm__ volatile("msr pmcntenset_el0, %0" :: "r"(0x80000000ul));
    __asm__ volatile("msr pmcr_el0, %0" :: "r"(0x45ul));
    __asm__ volatile("isb");
}
