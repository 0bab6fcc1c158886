/* ThreadX, Cortex-A53 at EL1: sampler that runs on CPU0 only; 32-bit deltas, wraps are handled by unsigned subtraction.
   Cpuidle is off. */
#include "pmu.h"
static void pmu_irq(void)
{
    unsigned long f = read_pmovsclr();
    __asm__ volatile("msr pmevcntr2_el0, %0" :: "r"(0xffff0000ul));
    __asm__ volatile("msr pmovsclr_el0, %0" :: "r"(f));
    __asm__ volatile("isb");
    hits++;
}
void sampler_on(void)
{
    gic_set_handler(23, pmu_irq);
    __asm__ volatile("msr pmintenclr_el1, %0" :: "r"(~0ul)); /* no interrupts yet */
    __asm__ volatile("msr pmevtyper2_el0, %0" :: "r"(0x11ul));
    __asm__ volatile("msr pmevcntr2_el0, %0" :: "r"(0xffff0000ul));
    __asm__ volatile("msr pmintenset_el1, %0" :: "r"(4ul));
    __asm__ volatile("msr pmcntenset_el0, %0" :: "r"(4ul));
    __asm__ volatile("msr pmintenclr_el1, %0" :: "r"(4ul));
    gic_enable_irq(23);
    __asm__ volatile("msr pmcr_el0, %0" :: "r"(1ul));
    __asm__ volatile("isb");
    enable_interrupts();
}
void sampler_off(void)
{
    __asm__ volatile("msr pmintenclr_el1, %0" :: "r"(4ul));
    __asm__ volatile("msr pmcntenclr_el0, %0" :: "r"(4ul));
    __asm__ volatile("isb");
}
