/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An image for armpmu run (test_run.sh).  Counter 0 counts 4002 instructions and the 13 of an interrupt's handler;
 * counter 1 counts 1000 loads and the handler's 3.  Counter 2 overflows and interrupts, and stays enabled when
 * PMCR_EL0.E becomes 0.  Its exit status is 5.
 */
#include "image.h"

static uint64_t memory[8];

void main(void)
{
    image_enable_irq();
    IMAGE_WRITE("pmcr_el0", 0x46);
    image_set_counter(0, 0x0008, 0);
    image_set_counter(1, 0x0006, 0);
    image_set_counter(2, 0x0006, 0xfffffff0u);
    IMAGE_WRITE("pmintenset_el1", 4);
    IMAGE_WRITE("pmcr_el0", 0x41);
    __asm__ volatile("msr pmcntenset_el0, %1\n"
                     "mov x2, #1000\n 1: ldr x3, [%0]\n str x3, [%0, #8]\n sub x2, x2, #1\n cbnz x2, 1b\n"
                     "msr pmcntenclr_el0, %2\n isb"
                     ::"r"(memory), "r"(UINT64_C(7)), "r"(UINT64_C(5)) : "x2", "x3", "memory");
    IMAGE_WRITE("pmcr_el0", 0x40);
    for (volatile int i = 0; i < 1000; i++) {
    }
    image_print("done\n");
    image_finish(5);
}
