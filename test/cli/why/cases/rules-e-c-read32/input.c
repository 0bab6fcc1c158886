// aarch64 EL1, Neoverse N1 @ 3 GHz. Benchmarks over 1.4 s give nonsense, shorter ones are right
static inline unsigned int cycles(void)
{
    unsigned long v;
    asm volatile("isb; mrs %0, pmccntr_el0" : "=r"(v));
    return v;
}
void init(void)
{
    asm volatile("msr pmccfiltr_el0, xzr");
    asm volatile("msr pmcntenset_el0, %0" :: "r"(1UL << 31));
    asm volatile("msr pmcr_el0, %0" :: "r"(0x41UL));
    asm volatile("isb");
}
