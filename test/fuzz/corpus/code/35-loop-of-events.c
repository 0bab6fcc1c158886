/* EL1: four events */
static const unsigned events[4] = {0x08, 0x03, 0x10, 0x16};
void all_on(void)
{
    for (int i = 0; i < 4; i++) {
        asm volatile("msr pmselr_el0, %0" :: "r"((u64)i));
        asm volatile("isb");
        asm volatile("msr pmxevtyper_el0, %0" :: "r"((u64)events[i]));
        asm volatile("msr pmxevcntr_el0, xzr");
    }
    asm volatile("msr pmcntenset_el0, %0" :: "r"(0xfUL));
    asm volatile("msr pmcr_el0, %0" :: "r"(1UL));
    asm volatile("isb");
}
