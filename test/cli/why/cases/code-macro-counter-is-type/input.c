/* Cortex-A72, EL1. Both prints give 27, whatever runs between. */
#define PMU_EVENT_TYPE1  S3_3_C14_C12_1
#define PMU_COUNTER1     S3_3_C14_C12_1
#define rd(r) ({ unsigned long v; asm volatile("mrs %0, " #r : "=r"(v)); v; })
#define sysr(r) rd(r)

void measure(void (*work)(void))
{
    asm volatile("msr S3_3_C14_C12_1, %0" : : "r"(0x1bUL));
    asm volatile("msr pmcntenset_el0, %0" : : "r"(2UL));
    asm volatile("msr pmcr_el0, %0" : : "r"(1UL));
    asm volatile("isb");
    kprintf("%lu\n", sysr(PMU_COUNTER1));
    work();
    asm volatile("isb");
    kprintf("%lu\n", sysr(PMU_COUNTER1));
}
