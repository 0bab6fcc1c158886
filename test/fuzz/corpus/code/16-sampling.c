/* EL1 sampler, counter 1, GIC PPI 23 */
#define PERIOD 100000u
void pmu_irq_handler(void)
{
    u64 flags;
    asm volatile("mrs %0, pmovsset_el0" : "=r"(flags));
    asm volatile("msr pmovsclr_el0, %0" :: "r"(flags));
    asm volatile("msr pmevcntr1_el0, %0" :: "r"((u64)(u32)-PERIOD));
    asm volatile("isb");
    sample();
}
void sampler_start(void)
{
    gic_enable_ppi(23);
    asm volatile("msr pmevtyper1_el0, %0" :: "r"(0x08UL));
    asm volatile("msr pmevcntr1_el0, %0" :: "r"((u64)(u32)-PERIOD));
    asm volatile("msr pmovsclr_el0, %0" :: "r"(2UL));
    asm volatile("msr pmintenset_el1, %0" :: "r"(2UL));
    asm volatile("msr pmcntenset_el0, %0" :: "r"(2UL));
    asm volatile("msr pmcr_el0, %0" :: "r"(1UL));
    asm volatile("isb");
    asm volatile("msr daifclr, #2");
}
