/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image that qemu.sh boots.  It executes 600 million instructions of calls, branches, loads and stores, with EVENTS
 * events counted; 31 events also interrupt, each every ten million.  With ACCESSES it reads and writes PMU registers a
 * million times instead.
 */
#include "../qemu/system/image.h"

static const uint16_t events[] = {
    0x0008, 0x0011, 0x0006, 0x0007, 0x0021, 0x0009, 0x000A, 0x000D, 0x000E, 0x0013, 0x001B,
    0x006C, 0x006F, 0x0071, 0x0073, 0x0074, 0x0075, 0x007C, 0x007D, 0x007E, 0x0081, 0x0082,
    0x0084, 0x0086, 0x0090, 0x0091, 0x810A, 0x817A, 0x8181, 0x82AB, 0x82B3,
};
#define PERIOD 10000000u

static uint32_t table[1024];

static __attribute__((noinline)) uint32_t step(uint32_t x, unsigned i)
{
    uint32_t *slot = &table[(x ^ i) & 1023u];

    *slot += x;
    return (x & 1u) != 0 ? x * 1664525u + *slot : (x >> 1) ^ i;
}

static void preset(unsigned n)
{
    while (n-- != 0) {
        image_set_counter(n, events[n], EVENTS == 31 ? UINT64_C(0x100000000) - PERIOD : 0);
    }
}

/* Works thirty times a million steps.  The interrupts' handler masks them, so they are enabled again each time. */
static void work(void)
{
    uint32_t x = 1;

    for (unsigned part = 0; part < 30; part++) {
        if (EVENTS == 31) {
            preset(EVENTS);
            IMAGE_WRITE("pmovsclr_el0", 0x7fffffff);
            IMAGE_WRITE("pmintenset_el1", 0x7fffffff);
        }
        for (unsigned i = 0; i < 1000000u; i++) {
            x = step(x, i);
        }
    }
    table[0] = x;
}

static void access_registers(void)
{
    for (unsigned i = 0; i < 1000000u; i++) {
        __asm__ volatile("msr pmselr_el0, %0\n mrs x1, pmccntr_el0\n mrs x1, pmcr_el0\n msr pmovsclr_el0, xzr"
                         :
                         : "r"((uint64_t)0)
                         : "x1");
    }
}

void main(void)
{
    if (EVENTS != 0) {
        IMAGE_WRITE("pmcr_el0", 0x46);
        preset(EVENTS);
        if (EVENTS == 31) {
            image_enable_irq();
        }
        IMAGE_WRITE("pmcntenset_el0", (UINT64_C(1) << EVENTS) - 1);
        IMAGE_WRITE("pmcr_el0", 0x41);
    }
    if (ACCESSES != 0) {
        access_registers();
    } else {
        work();
    }
    image_finish(0);
}
