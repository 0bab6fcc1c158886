/* Cortex-A53, EL1, no OS. All the set-up code runs on core 0; the work is done on core 2, and on core 2 pmu_now() always
 * returns 0, while on core 0 it counts. */
#include <stdint.h>

void pmu_boot(void)
{
    __asm__ volatile("msr pmselr_el0, %0; isb" :: "r"(UINT64_C(1)));
    __asm__ volatile("msr pmxevtyper_el0, %0" :: "r"(UINT64_C(0x11)));
    __asm__ volatile("msr pmcntenset_el0, %0" :: "r"(UINT64_C(2)));
    __asm__ volatile("msr pmcr_el0, %0; isb" :: "r"(UINT64_C(1)));
}

uint32_t pmu_now(void)
{
    uint64_t v;

    __asm__ volatile("msr pmselr_el0, %1; isb; mrs %0, pmxevcntr_el0" : "=r"(v) : "r"(UINT64_C(1)));
    return (uint32_t)v;
}
