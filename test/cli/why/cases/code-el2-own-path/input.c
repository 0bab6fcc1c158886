/* EL2 hypervisor of ours on an A55, E2H=0. It counts its own cycles alone. Is NSH enough for that? TPM: trap guests, they
 * get no PMU. The value changes with each exit. */
void monitor_pmu_start(void)
{
    uint64_t v;
    asm volatile("mrs %0, mdcr_el2" : "=r"(v));
    v &= ~((1u << 17) | 0x1fu);
    v |= (1u << 6) | 6;
    asm volatile("msr mdcr_el2, %0" :: "r"(v));
    asm volatile("msr pmevtyper1_el0, %0" :: "r"((1ul << 31) | (1ul << 30) | (1ul << 27) | 0x11));
    asm volatile("msr pmevcntr1_el0, xzr");
    asm volatile("msr pmcntenset_el0, %0" :: "r"(2ul));
    asm volatile("msr pmcr_el0, %0" :: "r"(0x41ul));
    asm volatile("isb");
}
static inline uint64_t monitor_pmu_read(void)
{
    uint64_t v;
    asm volatile("isb; mrs %0, pmevcntr1_el0" : "=r"(v));
    return v;
}
