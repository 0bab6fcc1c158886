/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets the unit of an ARM11 up, and runs a dumper.  RUNNING starts the counters. */
#include <stdint.h>

#include <armpmu/arm11_regs.h>

#ifndef RUNNING
#define RUNNING 0
#endif

int main(void);
void arm11_say(const char *text);
extern uint32_t arm11_refused;
void armpmu_dump_begin(void (*put)(void *, const char *), void *ctx);
void armpmu_dump_cpu(void (*put)(void *, const char *), void *ctx, unsigned cpu);
void armpmu_dump_end(void (*put)(void *, const char *), void *ctx);

static void put(void *ctx, const char *text)
{
    (void)ctx;
    arm11_say(text);
}

int main(void)
{
    const uint32_t pmnc = (uint32_t)(APMU_PUT(PMNC, EvtCount0, APMU_ARM11_EV_INSTR_EXEC) |
                                     APMU_PUT(PMNC, EvtCount1, APMU_ARM11_EV_BR_EXEC) | APMU_PUT(PMNC, EC1, 1));

    __asm__ volatile("mcr p15, 0, %0, c15, c12, 1" : : "r"(0x11111));
    __asm__ volatile("mcr p15, 0, %0, c15, c12, 2" : : "r"(0x22222));
    __asm__ volatile("mcr p15, 0, %0, c15, c12, 3" : : "r"(0x33333));
    __asm__ volatile("mcr p15, 0, %0, c15, c12, 0" : : "r"(pmnc | RUNNING));
    armpmu_dump_begin(put, 0);
    armpmu_dump_cpu(put, 0, 0);
    armpmu_dump_end(put, 0);
    arm11_say(arm11_refused == 0 ? "done\n" : "refused\n");
    return 0;
}
