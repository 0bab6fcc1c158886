/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads PMEVCNTR0_EL0 and PMCCNTR_EL0 twice, one instruction apart.  Prints the differences and PMCR_EL0.{N, E}. */
#include <stdio.h>

/* READ("PMCR_EL0") is an expression: the value that MRS reads.  For example unsigned long pmcr = READ("PMCR_EL0"). */
#define READ(register) \
    ({ \
        unsigned long value; \
        __asm__ volatile("mrs %0, " register : "=r"(value)); \
        value; \
    })

int main(void)
{
    const unsigned long event = READ("S3_3_C14_C8_0"), events = READ("S3_3_C14_C8_0") - event;
    const unsigned long cycle = READ("PMCCNTR_EL0"), cycles = READ("PMCCNTR_EL0") - cycle;
    const unsigned long pmcr = READ("PMCR_EL0");

    printf("%lu instruction, %lu cycle, N = %lu, E = %lu\n", events, cycles, pmcr >> 11 & 31, pmcr & 1);
    return 0;
}
