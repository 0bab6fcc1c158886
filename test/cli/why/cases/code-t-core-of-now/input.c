// SPDX-License-Identifier: BSD-2-Clause
/* Taken from our ZynqMP code, Cortex-A53. Now it runs on a Cortex-R52. The last two of the table stay 0. */
static const unsigned table[6] = {0x11, 0x08, 0x03, 0x04, 0x10, 0x12};

void start_counters(void)
{
    unsigned value;

    for (unsigned i = 0; i < 6; i++) {
        __asm volatile("mcr p15, 0, %0, c9, c12, 5\n\tisb" ::"r"(i));
        __asm volatile("mcr p15, 0, %0, c9, c13, 1" ::"r"(table[i]));
    }
    __asm volatile("mcr p15, 0, %0, c9, c12, 1" ::"r"(0x3F));
    __asm volatile("mrc p15, 0, %0, c9, c12, 0" : "=r"(value));
    __asm volatile("mcr p15, 0, %0, c9, c12, 0\n\tisb" ::"r"(value | 7));
}
