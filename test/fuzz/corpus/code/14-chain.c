/* Cortex-A72, 64-bit instruction count in counters 0 and 1 */
    asm volatile("msr pmevtyper0_el0, %0" :: "r"(0x08UL));
    asm volatile("msr pmevtyper1_el0, %0" :: "r"(0x1EUL));
    asm volatile("msr pmevcntr0_el0, xzr\n msr pmevcntr1_el0, xzr");
    asm volatile("msr pmcntenset_el0, %0" :: "r"(3UL));
    asm volatile("mrs %0, pmcr_el0" : "=r"(r));
    asm volatile("msr pmcr_el0, %0\n isb" :: "r"(r | 1));
    work();
    asm volatile("isb\n msr pmcntenclr_el0, %0\n isb" :: "r"(3UL));
    asm volatile("mrs %0, pmevcntr0_el0" : "=r"(lo));
    asm volatile("mrs %0, pmevcntr1_el0" : "=r"(hi));
    total = hi << 32 | lo;
