// our RTOS, tasks run in EL0. First cycle counter read of a task -> EC=0x18 in the kernel's EL0 sync handler. Reading it in the kernel is ok.
static void pmu_setup(void)
{
    asm volatile("msr pmcntenset_el0, %0" :: "r"(0x80000000ul));
    asm volatile("msr pmccfiltr_el0, xzr");
    asm volatile("msr pmcr_el0, %0" :: "r"(0x45ul));
    asm volatile("isb");
}
