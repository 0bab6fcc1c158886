/* RT kernel on a Cortex-A55.  Short functions give too few instructions, a dozen too few or so. */
unsigned long run(void (*f)(void))
{
    unsigned long n;

    asm volatile("msr pmevtyper2_el0, %0" :: "r"(0x08UL));
    asm volatile("msr pmevcntr2_el0, xzr");
    asm volatile("msr pmcntenset_el0, %0" :: "r"(4UL));
    asm volatile("msr pmcr_el0, %0" :: "r"(1UL));
    f();
    asm volatile("isb; mrs %0, pmevcntr2_el0" : "=r"(n));
    return n;
}
