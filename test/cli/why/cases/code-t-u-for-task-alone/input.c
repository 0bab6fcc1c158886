// SPDX-License-Identifier: BSD-2-Clause
/* Our own kernel, Cortex-A72 at EL1, tasks at EL0. The cycles of the task alone, please: but a busy task shows a few
 * thousand a second, and without the filter it is 1.5e9. */
#define FILTER_TASK (1ul << 30)

void account_begin(void)
{
    asm volatile("msr pmccfiltr_el0, %0" ::"r"(FILTER_TASK));
    asm volatile("msr pmcntenset_el0, %0" ::"r"(0x80000000ul));
    asm volatile("msr pmcr_el0, %0" ::"r"(0x41ul));
    asm volatile("isb");
}
