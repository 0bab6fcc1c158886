/* RT kernel on a Cortex-A55: the profiling interrupt comes again at once, the main loop does not run any more */
void pmi_handler(void)
{
    samples++;
    asm volatile("msr pmevcntr2_el0, %0" :: "r"(0xfffff000UL));
}

void pmi_start(void)
{
    asm volatile("msr pmevtyper2_el0, %0" :: "r"(0x08UL));
    asm volatile("msr pmevcntr2_el0, %0" :: "r"(0xfffff000UL));
    asm volatile("msr pmintenset_el1, %0" :: "r"(4UL));
    asm volatile("msr pmcntenset_el0, %0" :: "r"(4UL));
    gic_enable(23, pmi_handler);
    asm volatile("msr pmcr_el0, %0; isb" :: "r"(1UL));
}
