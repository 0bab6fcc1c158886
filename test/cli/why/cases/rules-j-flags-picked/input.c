// acknowledges the overflows of the two counters that are ours: 0 and 3 (Cortex-A72, EL1)
#define OURS 9u
void pmu_start(void)
{
    asm volatile("msr pmevtyper0_el0, %0" :: "r"(0x08ul));
    asm volatile("msr pmevtyper3_el0, %0" :: "r"(0x10ul));
    asm volatile("msr pmintenset_el1, %0" :: "r"((unsigned long)OURS));
    asm volatile("msr pmcntenset_el0, %0" :: "r"((unsigned long)OURS));
    asm volatile("msr pmcr_el0, %0\n\tisb" :: "r"(0x41ul | 2));
}

unsigned pmu_ack(void)
{
    unsigned long flags;

    asm volatile("mrs %0, pmovsclr_el0" : "=r"(flags));
    flags &= OURS;
    asm volatile("msr pmovsclr_el0, %0\n\tisb" :: "r"(flags));
    return (unsigned)flags;
}
