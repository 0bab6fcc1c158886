/* SPDX-License-Identifier: BSD-2-Clause */
/* A reset of the machine gives the PMU that it began with, and counts are exact after it. */
#include "../target/rt.h"
#include "levels.h"

#define SPME (UINT64_C(1) << 17)
#define NSH (UINT64_C(1) << 27) /* M and P are equal, so EL3 counts where MDCR_EL3.SPME lets it */
#define INST_RETIRED 8u
#define TURNS 1000u

int main(void);
uint64_t turns(uint64_t n);

#define REGISTERS \
    R(pmcr_el0) R(pmcntenset_el0) R(pmintenset_el1) R(pmovsset_el0) R(pmselr_el0) R(pmuserenr_el0) R(pmccntr_el0) \
    R(pmccfiltr_el0) R(pmevcntr0_el0) R(pmevtyper0_el0) R(pmevcntr1_el0) R(pmevtyper1_el0)

/* In memory that holds nothing of the image, so that it outlives the reset. */
static struct {
    uint64_t begun;
#define R(reg) uint64_t reg;
    REGISTERS
#undef R
} *const before = (void *)0x46000000;

/* The board's secure GPIO: its output 1 resets the machine. */
#define GPIO(offset) (*(volatile uint32_t *)(uintptr_t)(0x090B0000u + (offset)))
#define GPIO_DATA 0x3FCu /* all outputs */
#define GPIO_DIR 0x400u
#define GPIO_RESET 2u

static void count(void)
{
    MSR("mdcr_el3", SPME);
    MSR("pmevtyper0_el0", INST_RETIRED | NSH);
    MSR("pmevtyper1_el0", INST_RETIRED | NSH);
    MSR("pmccfiltr_el0", NSH);
    MSR("pmcntenset_el0", 3u | UINT64_C(1) << 31);
    MSR("pmcr_el0", 7); /* P and C reset the counters */
}

int main(void)
{
    if (before->begun == 0) {
        before->begun = 1;
#define R(reg) before->reg = MRS(#reg);
        REGISTERS
#undef R
        MSR("pmevcntr1_el0", 0xFFFFFFF0u);
        count();
        MSR("pmintenset_el1", 3);
        MSR("pmselr_el0", 1);
        MSR("pmuserenr_el0", 15);
        MSR("pmovsset_el0", 1);
        turns(TURNS);
        GPIO(GPIO_DIR) = GPIO_RESET;
        GPIO(GPIO_DATA) = GPIO_RESET;
        for (;;) {
        }
    }
    before->begun = 0;
#define R(reg) rt_equal(#reg " is as it was at first", MRS(#reg), before->reg);
    REGISTERS
#undef R
    count();
    const uint64_t counted = turns(TURNS);

    rt_equal("instructions after the reset", counted, 2u * TURNS + 1u);
    return rt_status();
}
