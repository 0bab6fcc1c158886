/* The PMU's part of the task switch of an RTOS on Cortex-A53 at EL1. */
#include <stdint.h>

struct task_counters { uint64_t pmcr, enabled, count; };

#define READ(reg) ({ uint64_t v_; __asm__ volatile("mrs %0, " #reg : "=r"(v_)); v_; })
#define WRITE(reg, value) __asm__ volatile("msr " #reg ", %0" :: "r"((uint64_t)(value)))

void pmu_switch_out(struct task_counters *t)
{
    t->pmcr = READ(pmcr_el0);
    WRITE(pmcr_el0, 0);
    t->enabled = READ(pmcntenset_el0);
    t->count = READ(pmevcntr0_el0);
}

void pmu_switch_in(const struct task_counters *t)
{
    WRITE(pmcr_el0, 2);
    WRITE(pmevcntr0_el0, t->count);
    WRITE(pmcntenset_el0, t->enabled);
    WRITE(pmcr_el0, t->pmcr);
    __asm__ volatile("isb");
}
