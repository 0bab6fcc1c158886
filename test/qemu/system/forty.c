/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts without a break, at one Exception level after the other, with an overflow interrupt every PERIOD instructions,
 * and prints the counters 200 times (test_migrate.sh).  Under -icount the lines are the same whether the machine was
 * migrated or not.
 */
#include "../../hardware/bare/rt.h"
#include "levels.h"

#define SPME (UINT64_C(1) << 17)
#define NSH (UINT64_C(1) << 27) /* M and P are equal, so counters count at EL3 if MDCR_EL3.SPME is 1 */
#define LINES 200u
#define TURNS 2000000u
#define PERIOD 1000003u
#define INST_RETIRED 0x08u

int main(void);

static uint64_t places; /* a hash of the addresses at which interrupts were taken */
static uint64_t memory[2];

/* Executes 4 instructions a turn: a load, a store, a subtraction and a branch. */
static uintptr_t work(void *turns)
{
    uint64_t n = (uintptr_t)turns, value;

    __asm__ volatile("1: ldr %1, [%2]\n\tstr %1, [%2, #8]\n\tsubs %0, %0, #1\n\tb.ne 1b"
                     : "+r"(n), "=&r"(value) : "r"(memory) : "cc", "memory");
    return 0;
}

static void overflowed(void)
{
    MSR("pmovsclr_el0", 1);
    MSR("pmevcntr0_el0", 0x100000000u - PERIOD);
    places = places * 31u + rt_interrupted;
}

static void start(void)
{
    MSR("mdcr_el3", SPME);
    MSR("pmevtyper0_el0", INST_RETIRED | NSH);
    MSR("pmevtyper1_el0", INST_RETIRED | NSH);
    MSR("pmevtyper2_el0", 0x06 | NSH); /* LD_RETIRED */
    MSR("pmevtyper3_el0", 0x07 | NSH); /* ST_RETIRED */
    MSR("pmevtyper4_el0", 0x21 | NSH); /* BR_RETIRED */
    MSR("pmevtyper5_el0", 0x09 | NSH); /* EXC_TAKEN */
    MSR("pmccfiltr_el0", NSH);
    MSR("pmevcntr0_el0", 0x100000000u - PERIOD);
    MSR("pmevcntr2_el0", 0xFFF00000u); /* overflows soon, without an interrupt */
    MSR("pmcntenset_el0", UINT64_C(1) << 31 | 0x3F);
    MSR("pmintenset_el1", 1);
    rt_on_interrupt = overflowed;
    rt_gic_enable(RT_HIGHEST);
    MSR("pmcr_el0", 0x41); /* E, and LC */
}

static void print(const char *before, uint64_t value)
{
    rt_print(before);
    rt_decimal(value);
}

int main(void)
{
    start();
    for (unsigned line = 0; line < LINES; line++) {
        rt_interrupts_on(); /* at EL3 */
        rt_call((enum rt_where)(line % RT_LEVELS), work, (void *)(uintptr_t)TURNS);
        print("line ", line);
        print(": instructions ", MRS("pmevcntr1_el0"));
        print(", loads ", MRS("pmevcntr2_el0"));
        print(", stores ", MRS("pmevcntr3_el0"));
        print(", branches ", MRS("pmevcntr4_el0"));
        print(", exceptions ", MRS("pmevcntr5_el0"));
        print(", to the next interrupt ", 0x100000000u - MRS("pmevcntr0_el0"));
        print(", cycles ", MRS("pmccntr_el0"));
        print(", overflows ", MRS("pmovsset_el0"));
        print(", interrupts ", rt_interrupts);
        print(" at ", places);
        rt_print("\n");
    }
    rt_true("it interrupted all the time", rt_interrupts >= MRS("pmevcntr1_el0") / PERIOD - 1u);
    return rt_status();
}
