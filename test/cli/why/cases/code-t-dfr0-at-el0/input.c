// SPDX-License-Identifier: BSD-2-Clause
// Ampere Altra, Debian 12. Prints "PMU version 0", so does the machine have no PMU? perf stat works though.
#include <stdint.h>
#include <stdio.h>

int main(void)
{
    uint64_t id;

    asm("mrs %0, ID_AA64DFR0_EL1" : "=r"(id));
    printf("PMU version %u\n", (unsigned)(id >> 8 & 0xF));
}
