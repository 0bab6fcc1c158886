/* SPDX-License-Identifier: BSD-2-Clause */
/* Cortex-A7, SVC mode */
#define WRITE(ops, v) asm volatile("mcr " ops : : "r"(v))

void cycles_on(void)
{
    WRITE("p15, 0, %0, c9, c12, 5", 31);
    asm volatile("isb");
    WRITE("p15, 0, %0, c9, c13, 1", 0);          /* PMCCFILTR */
    WRITE("p15, 0, %0, c9, c12, 1", 0x80000000); /* PMCNTENSET */
    WRITE("p15, 0, %0, c9, c12, 0", 5);
    asm volatile("isb");
}
