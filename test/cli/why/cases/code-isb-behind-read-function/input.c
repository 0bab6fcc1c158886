/* Cortex-A72, EL1, bare metal.  The regions come out too short, by a few dozen cycles each time. */
static inline unsigned long ticks(void)
{
    unsigned long v;

    asm volatile("mrs %0, pmccntr_el0; isb" : "=r"(v));
    return v;
}

void start(void)
{
    asm volatile("msr pmccfiltr_el0, xzr");
    asm volatile("msr pmcntenset_el0, %0" :: "r"(1UL << 31));
    asm volatile("msr pmcr_el0, %0" :: "r"(0x41UL));
    asm volatile("isb");
}

unsigned long region(void)
{
    unsigned long a = ticks();

    work();
    return ticks() - a;
}
