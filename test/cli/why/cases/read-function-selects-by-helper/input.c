/* bare metal, Cortex-A53 at EL1: four events, read by their own function. OK like this? */
#include <stdint.h>

static void choose(unsigned counter)
{
    asm volatile("msr pmselr_el0, %0" :: "r"((uint64_t)counter));
    asm volatile("isb");
}

void begin(const uint16_t event[4])
{
    uint64_t pmcr;

    for (unsigned n = 0; n < 4; n++) {
        choose(n);
        asm volatile("msr pmxevtyper_el0, %0" :: "r"((uint64_t)event[n]));
        asm volatile("msr pmxevcntr_el0, xzr");
    }
    asm volatile("msr pmcntenset_el0, %0" :: "r"(0xfUL));
    asm volatile("mrs %0, pmcr_el0" : "=r"(pmcr));
    asm volatile("msr pmcr_el0, %0" :: "r"(pmcr | 1));
    asm volatile("isb");
}

void read_all(uint32_t count[4])
{
    asm volatile("isb");
    for (unsigned n = 0; n < 4; n++) {
        uint64_t value;

        choose(n);
        asm volatile("mrs %0, pmxevcntr_el0" : "=r"(value));
        count[n] = (uint32_t)value;
    }
}
