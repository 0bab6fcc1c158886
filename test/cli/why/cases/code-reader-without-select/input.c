/* Cortex-A53, EL1, own kernel, everything here runs on CPU 1. ev_read(i) returns the same for i = 0, 1 and 2, which cannot be. */
static void ev_init(void)
{
    const unsigned ev[3] = {0x08, 0x12, 0x13};
    for (int i = 0; i < 3; i++) {
        asm volatile("msr pmselr_el0, %0" :: "r"((unsigned long)i));
        asm volatile("isb");
        asm volatile("msr pmxevtyper_el0, %0" :: "r"((unsigned long)ev[i]));
    }
    asm volatile("msr pmcntenset_el0, %0" :: "r"(7UL));
    asm volatile("msr pmcr_el0, %0; isb" :: "r"(1UL));
}
unsigned long ev_read(int i)
{
    unsigned long v;
    asm volatile("mrs %0, pmxevcntr_el0" : "=r"(v));
    return v;
}
