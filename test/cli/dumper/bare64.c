/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets the PMU up, and runs a dumper at each Exception level.  Firmware here allows nothing that is closed after a
 * reset (MDCR_EL3.EnPM2, SCR_EL3.FGTEn), so a read that is not guarded ends in an exception.  RUNNING starts the
 * counters.
 */
#include "../../hardware/bare/rt.h"

#define WRITE(name, value) __asm__ volatile("msr " name ", %0\n\tisb" : : "r"((uint64_t)(value)) : "memory")
#define READ(value, name) __asm__ volatile("mrs %0, " name : "=r"(value))

#ifndef RUNNING
#define RUNNING 0
#endif

void armpmu_dump_begin(void (*put)(void *, const char *), void *ctx);
void armpmu_dump_cpu(void (*put)(void *, const char *), void *ctx, unsigned cpu);
void armpmu_dump_end(void (*put)(void *, const char *), void *ctx);

static void put(void *ctx, const char *text)
{
    (void)ctx;
    rt_print(text);
}

static uintptr_t dump(void *unused)
{
    (void)unused;
    armpmu_dump_begin(put, NULL);
    armpmu_dump_cpu(put, NULL, 0);
    armpmu_dump_end(put, NULL);
    return 0;
}

/* Gives each register of the PMU that all versions have a value of its own. */
static void set_up(void)
{
    uint64_t pmcr, pfr0;

    READ(pmcr, "pmcr_el0");
    READ(pfr0, "id_aa64pfr0_el1");
    for (unsigned n = 0; n < (pmcr >> 11 & 31); n++) {
        WRITE("pmselr_el0", n);
        WRITE("pmxevtyper_el0", 0x08000008 + n + ((uint64_t)(n & 1) << 31));
        WRITE("pmxevcntr_el0", 0x100 + n);
    }
    WRITE("pmselr_el0", 3);
    WRITE("pmccfiltr_el0", 0x08000000);
    WRITE("pmccntr_el0", UINT64_C(0x123456789));
    WRITE("pmintenset_el1", 0x80000001);
    WRITE("pmovsset_el0", 0x2);
    WRITE("pmuserenr_el0", 0xd);
    WRITE("pmcntenset_el0", 0x80000007);
    WRITE("mdcr_el3", 0x20000); /* SPME */
    if ((pfr0 >> 8 & 15) != 0) {
        WRITE("mdcr_el2", 0x83); /* HPME, HPMN = 3 */
    }
    WRITE("pmcr_el0", 0x40 | RUNNING);
}

int main(void)
{
    static const enum rt_where levels[] = {RT_EL3, RT_EL2, RT_EL1, RT_SECURE_EL1};
    static const char *const names[] = {"EL3", "EL2", "EL1", "S_EL1"};

    set_up();
    for (unsigned i = 0; i < 4; i++) {
        rt_print("level ");
        rt_print(names[i]);
        rt_print("\n");
        rt_call(levels[i], dump, NULL);
    }
    rt_print("done\n");
    return rt_status();
}
