/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two CPUs.  Each counts its own instructions while both run.  The second is the external debugger of the first: it
 * reads and writes the first one's PMU through the frame.
 */
#include "levels.h"

#include "../../hardware/bare/rt.h"

#define LD_RETIRED 6u
#define INST_RETIRED 8u
#define DP_SPEC 0x73u
#define NSH (UINT64_C(1) << 27) /* M and P are equal, so counters count at EL3 if MDCR_EL3.SPME is 1 */
#define SPME (UINT64_C(1) << 17)
#define COUNTERS 5u

#define FRAME(cpu, offset) (*(volatile uint32_t *)(uintptr_t)(FRAME_BASE + 0x10000u * (cpu) + (offset)))
#define PMEVCNTR(n) (8u * (n))
#define PMCNTENSET 0xC00u
#define PMCNTENCLR 0xC20u
#define PMCR 0xE04u
#define PMDEVAFF0 0xFA8u

int main(void);
uint64_t turns(uint64_t n);

static volatile uint64_t second_count, second_saw[COUNTERS + 4], second_began, second_ended, may_write, wrote;

/*
 * Reads this CPU's own frame while counters count classes of instructions.  A load in progress has not retired, so the
 * second load reads LD_RETIRED as 1; without -icount it may be 2, because a block is counted when it begins.
 */
static void own_frame(void)
{
    uint32_t dp, loads;

    MSR("oslar_el1", 0);
    MSR("mdcr_el3", SPME);
    MSR("pmcntenclr_el0", ~UINT64_C(0));
    MSR("pmovsclr_el0", ~UINT64_C(0));
    MSR("pmevtyper0_el0", DP_SPEC | NSH);
    MSR("pmevtyper1_el0", LD_RETIRED | NSH);
    MSR("pmevcntr0_el0", 0);
    MSR("pmevcntr1_el0", 0);
    MSR("pmcr_el0", 1);
    __asm__ volatile("msr pmcntenset_el0, %3\n\t"
                     "ldr %w0, [%2]\n\t"
                     "ldr %w1, [%2, #8]\n\t"
                     "msr pmcntenclr_el0, %3"
                     : "=&r"(dp), "=&r"(loads)
                     : "r"(&FRAME(0, PMEVCNTR(0))), "r"(UINT64_C(3))
                     : "memory");
    rt_equal("a CPU reads DP_SPEC in its own frame", dp, 0);
    rt_equal("a CPU reads LD_RETIRED in its own frame", loads == 2 ? 1 : loads, 1);
    rt_equal("and no counter overflows", MRS("pmovsclr_el0"), 0);
}

/* Starts event counter 0 of this CPU. */
static void count(void)
{
    MSR("oslar_el1", 0);
    MSR("mdcr_el3", SPME);
    MSR("pmcntenclr_el0", ~UINT64_C(0));
    MSR("pmevtyper0_el0", INST_RETIRED | NSH);
    MSR("pmcntenset_el0", 1);
    MSR("pmcr_el0", 1);
}

static void second(void)
{
    count();
    second_began = 1;
    second_count = turns(300000);
    MSR("pmcr_el0", 0);
    second_ended = 1;
    while (may_write == 0) {
    }
    for (unsigned n = 0; n < COUNTERS; n++) {
        second_saw[n] = FRAME(0, PMEVCNTR(n));
    }
    second_saw[COUNTERS] = FRAME(0, PMCNTENSET);
    second_saw[COUNTERS + 1] = FRAME(0, PMDEVAFF0);
    second_saw[COUNTERS + 2] = FRAME(1, PMDEVAFF0);
    second_saw[COUNTERS + 3] = FRAME(1, PMEVCNTR(0)) - (uint32_t)MRS("pmevcntr0_el0");
    FRAME(0, PMEVCNTR(3)) = 0x1234;
    FRAME(0, PMCNTENCLR) = 1;
    FRAME(0, PMCNTENSET) = 4;
    wrote = 1;
    for (;;) {
    }
}

int main(void)
{
    own_frame();
    count();
    levels_second = second;
    while (second_began == 0) {
    }
    rt_equal("the first CPU's instructions", turns(500000), 1000001);
    while (second_ended == 0) {
    }
    rt_equal("the second CPU's instructions", second_count, 600001);
    MSR("pmcr_el0", 0);
    MSR("pmevcntr1_el0", 0x11111111);
    MSR("pmevcntr2_el0", 0x22222222);
    MSR("pmevcntr3_el0", 0x33333333);
    MSR("pmevcntr4_el0", 0x44444444);
    may_write = 1;
    const uint64_t first = MRS("pmevcntr0_el0");

    while (wrote == 0) {
    }
    rt_equal("the second CPU saw event counter 0", second_saw[0], first & 0xFFFFFFFF);
    for (unsigned n = 1; n < COUNTERS; n++) {
        rt_equal("the second CPU saw another event counter", second_saw[n], 0x11111111u * n);
    }
    rt_equal("the second CPU saw PMCNTENSET_EL0", second_saw[COUNTERS], 1);
    rt_equal("the frame of the first CPU says whose it is", second_saw[COUNTERS + 1] & 0xFF, 0);
    rt_equal("the frame of the second CPU says whose it is", second_saw[COUNTERS + 2] & 0xFF, 1);
    rt_equal("the second CPU's own frame has its own count", second_saw[COUNTERS + 3], 0);
    rt_equal("the second CPU wrote event counter 3", MRS("pmevcntr3_el0"), 0x1234);
    rt_equal("the second CPU wrote the enables", MRS("pmcntenset_el0"), 4);
    return rt_status();
}
