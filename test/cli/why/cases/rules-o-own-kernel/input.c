/*
 * cpu.c and pmu.c of a small SMP kernel, 2 x Cortex-A55, AArch64. The loader enters at EL2, sets
 * MDCR_EL2 = 6 with nothing trapped, and goes down to EL1.
 */
#include "printk.h"
#include "percpu.h"
#include "irqchip.h"
#include "types.h"

#define BIT(n)                  (1ULL << (n))
#define ARRAY_SIZE(x)           (sizeof(x) / sizeof((x)[0]))
#define WRITE(reg, val)         asm volatile("msr " #reg ", %0" : : "r"((u64)(val)) : "memory")
#define READ(reg)               ({ u64 r_; asm volatile("mrs %0, " #reg : "=r"(r_) : : "memory"); r_; })
#define BARRIER()               asm volatile("isb" : : : "memory")

enum { RUN = BIT(0), ZERO_EVENTS = BIT(1), ZERO_CYCLES = BIT(2), LONG = BIT(6) };

struct watched {
    u16 event;
    const char *label;
};

static const struct watched watched[] = {
    { 0x08, "instructions" },
    { 0x10, "mispredicted branches" },
    { 0x05, "data TLB refills" },
};

#define ALL     (BIT(31) | (BIT(ARRAY_SIZE(watched)) - 1))

static void program(unsigned n, u64 type)
{
    switch (n) {
    case 0:
        WRITE(pmevtyper0_el0, type);
        break;
    case 1:
        WRITE(pmevtyper1_el0, type);
        break;
    case 2:
        WRITE(pmevtyper2_el0, type);
        break;
    }
}

static u32 fetch(unsigned n)
{
    switch (n) {
    case 0: return (u32)READ(pmevcntr0_el0);
    case 1: return (u32)READ(pmevcntr1_el0);
    default: return (u32)READ(pmevcntr2_el0);
    }
}

static void caches_on(void)
{
    WRITE(sctlr_el1, READ(sctlr_el1) | BIT(12) | BIT(2));
    BARRIER();
}

static void pmu_on(void)
{
    WRITE(pmcntenclr_el0, ALL);
    WRITE(pmintenclr_el1, ALL);
    for (unsigned i = 0; i < ARRAY_SIZE(watched); i++)
        program(i, watched[i].event);
    WRITE(pmccfiltr_el0, 0);
    BARRIER();
}

/* all counters back to 0 and going */
static void pmu_go(void)
{
    WRITE(pmcr_el0, LONG | ZERO_CYCLES | ZERO_EVENTS | RUN);
    WRITE(pmovsclr_el0, ALL);
    WRITE(pmcntenset_el0, ALL);
    BARRIER();
}

static void pmu_halt(void)
{
    BARRIER();
    WRITE(pmcntenclr_el0, ALL);
    BARRIER();
}

static void (*const bring_up[])(void) = { caches_on, irqchip_cpu_init, pmu_on, percpu_timer_init };

/* the boot core and the other one both come here */
void cpu_online(void)
{
    for (unsigned i = 0; i < ARRAY_SIZE(bring_up); i++)
        bring_up[i]();
    printk("cpu%u: online\n", (unsigned)(READ(mpidr_el1) & 0xff));
}

void profile_checksum(const void *data, size_t n)
{
    u32 sum;

    pmu_go();
    sum = checksum(data, n);
    pmu_halt();
    printk("checksum %08x: %u cycles", sum, (unsigned)READ(pmccntr_el0));
    for (unsigned i = 0; i < ARRAY_SIZE(watched); i++)
        printk(", %u %s", fetch(i), watched[i].label);
    printk("\n");
}
