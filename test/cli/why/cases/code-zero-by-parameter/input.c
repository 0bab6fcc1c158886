// SPDX-License-Identifier: BSD-2-Clause
/* EL1, A57. halt_counting() has no effect: the cycle counter runs on. */
static void counting(unsigned long bits)
{
    asm volatile("msr pmcntenset_el0, %0\n\t"
                 "isb\n" : : "r"(bits));
}
void run_counting(void)
{
    asm volatile("msr pmccfiltr_el0, xzr");
    asm volatile("msr pmcr_el0, %0" : : "r"(0x41UL));
    counting(0x80000000UL);
}
void halt_counting(void) { counting(0); }
