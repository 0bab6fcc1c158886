/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An image for armpmu run on an ARM11 board (test_run.sh).  PMN0 counts 202 and 2002 instructions.  PMN1 counts 202
 * cycles from 16 below its end, so that it overflows, and then an event that the emulator does not know, from 0.
 * Between the two, PMNC.E is 0 for a thousand instructions, and a read in User mode is UNDEFINED.  At the end the
 * events are 0, and enabled for an instruction, as by a session that closes.  Its exit status is 5.
 */
#include <stdint.h>

#include <armpmu/arm11.h>

int main(void);
uint32_t arm11_user_reads(uint32_t otherwise);

#define FIELD(name, value) (uint32_t)APMU_PUT(PMNC, name, value)
#define PMNC(event1) (FIELD(EvtCount0, APMU_ARM11_EV_INSTR_EXEC) | FIELD(EvtCount1, event1) | FIELD(EC1, 1))

/* Counts 2 * @turns instructions, one before them, and the one that stops the counters. */
static void count(uint32_t pmnc, uint32_t turns)
{
    __asm__ volatile("mcr p15, 0, %0, c15, c12, 0\n mov r3, %2\n 1: subs r3, r3, #1\n bne 1b\n"
                     "mcr p15, 0, %1, c15, c12, 0" ::"r"(pmnc | FIELD(E, 1)), "r"(pmnc), "r"(turns) : "r3", "cc");
}

int main(void)
{
    __asm__ volatile("mcr p15, 0, %0, c15, c12, 0\n mcr p15, 0, %1, c15, c12, 3"
                     ::"r"(FIELD(P, 1) | FIELD(C, 1)), "r"(0xFFFFFFF0u));
    count(PMNC(APMU_ARM11_EV_CPU_CYCLES), 100);
    __asm__ volatile("mov r3, #500\n 1: subs r3, r3, #1\n bne 1b" ::: "r3", "cc");
    if (arm11_user_reads(7) != 7) {
        return 1;
    }
    __asm__ volatile("mcr p15, 0, %0, c15, c12, 3" ::"r"(0));
    count(PMNC(APMU_ARM11_EV_BR_EXEC), 1000);
    __asm__ volatile("mcr p15, 0, %0, c15, c12, 0\n mcr p15, 0, %1, c15, c12, 0\n mcr p15, 0, %0, c15, c12, 0"
                     ::"r"(FIELD(EC1, 1)), "r"(FIELD(EC1, 1) | FIELD(E, 1)));
    return 5;
}
