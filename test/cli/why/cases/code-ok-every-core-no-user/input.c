/* runs on every core at EL1; cycle numbers agree with the timer. User tasks do not use the PMU. */
static void pmu_setup(void)
{
    asm volatile("msr pmcntenset_el0, %0" :: "r"(0x80000000ul));
    asm volatile("msr pmccfiltr_el0, xzr");
    asm volatile("msr pmcr_el0, %0" :: "r"(0x45ul));
    asm volatile("isb");
}
