// EL1, neoverse-v1 bring-up code. evt counter 0 stays at zero
static inline void pmu_go(void)
{
    asm volatile("msr S3_3_C14_C12_0, %0" :: "r"(0x08UL));      // PMEVTYPER0: instructions
    asm volatile("msr S3_3_C9_C12_3, %0" :: "r"(1UL));          // PMCNTENSET: counter 0
    asm volatile("msr S3_3_C9_C12_0, %0" :: "r"(1UL));          // PMCR: E
    asm volatile("isb");
}
static inline unsigned long pmu_get(void)
{
    unsigned long v;
    asm volatile("isb; mrs %0, S3_3_C14_C8_0" : "=r"(v));       // PMEVCNTR0
    return v;
}
