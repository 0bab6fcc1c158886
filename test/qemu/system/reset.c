/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reset of the machine returns the PMU to its first state, and counts are exact after it; five times (test_reset.sh).
 * When the machine is reset, every register has been written, the counters run, and an overflow interrupt is pending.
 */
#include <armpmu/native.h>

#include "../../hardware/bare/rt.h"
#include "levels.h"

#define SPME (UINT64_C(1) << 17)
#define NSH (UINT64_C(1) << 27) /* M and P are equal, so counters count at EL3 if MDCR_EL3.SPME is 1 */
#define INST_RETIRED 8u
#define TURNS 1000u
#define RESETS 5u
#define COUNTERS 31u

int main(void);

/* The registers of the PMU, with their numbers of copies.  The value of one that no MRS reads is 0. */
static const struct {
    enum apmu_reg reg;
    unsigned copies;
    const char *name;
    bool writable;
} registers[] = {
#define WRITABLE_RW true
#define WRITABLE_RO false
#define WRITABLE_WO false
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    {APMU_REG_##id, copies, #id " is as it was at first", WRITABLE_##access},
#include <armpmu/tables/registers.def>
};
enum { REGISTERS = sizeof registers / sizeof registers[0] };

/* The state that outlives the reset, in memory that the image does not occupy. */
static volatile struct {
    uint64_t resets;
    uint64_t values[REGISTERS][COUNTERS];
    uint64_t refused; /* reads of registers that the PMU does not have */
} *const before = (void *)0x46000000;

/* The board's secure GPIO, whose output 1 resets the machine. */
#define GPIO(offset) (*(volatile uint32_t *)(uintptr_t)(0x090B0000u + (offset)))
#define GPIO_DATA 0x3FCu /* all outputs */
#define GPIO_DIR 0x400u
#define GPIO_RESET 2u
#define GICD_ISPENDR0 (*(volatile uint32_t *)0x08000200u)
#define PMU_PENDING (1u << 23)

/* Returns true for a view of another register, selected by PMSELR_EL0. */
static bool is_view(enum apmu_reg reg)
{
    return reg == APMU_REG_PMXEVTYPER_EL0 || reg == APMU_REG_PMXEVCNTR_EL0;
}

static unsigned copies_of(unsigned r)
{
    const unsigned counters = (unsigned)(MRS("pmcr_el0") >> 11 & 31u);

    return registers[r].copies == 1 ? 1 : counters;
}

static uint64_t value_of(unsigned r, unsigned n)
{
    uint64_t value = 0;

    (void)apmu_native_ops.read(NULL, registers[r].reg, n, &value);
    return value;
}

/* Reads every register.  If this is the @first boot, keeps the values in before->values; else compares them. */
static void check_registers(bool first)
{
    MSR("mdcr_el3", SPME | UINT64_C(1) << 7); /* EnPM2 */
    rt_refused = 0;
    for (unsigned r = 0; r < REGISTERS; r++) {
        bool same = true;

        for (unsigned n = 0; n < copies_of(r) && !is_view(registers[r].reg); n++) {
            const uint64_t value = value_of(r, n);

            if (first) {
                before->values[r][n] = value;
            } else if (value != before->values[r][n]) {
                same = rt_equal(registers[r].name, value, before->values[r][n]);
            }
        }
        if (!first && same) {
            rt_true(registers[r].name, true);
        }
    }
    if (first) {
        before->refused = rt_refused;
    }
    rt_equal("registers that are not there", rt_refused, before->refused);
}

/* Starts two event counters and the cycle counter, from 0. */
static void count(void)
{
    MSR("mdcr_el3", SPME);
    MSR("pmevtyper0_el0", INST_RETIRED | NSH);
    MSR("pmevtyper1_el0", INST_RETIRED | NSH);
    MSR("pmccfiltr_el0", NSH);
    MSR("pmcntenset_el0", 3u | UINT64_C(1) << 31);
    MSR("pmcr_el0", 7); /* P and C reset the counters */
}

/* Writes 1 to every bit of every register, so that all counters run and interrupt, and resets the machine. */
static void spoil_and_reset(void)
{
    for (unsigned r = 0; r < REGISTERS; r++) {
        for (unsigned n = 0; n < copies_of(r) && registers[r].writable; n++) {
            if (registers[r].reg != APMU_REG_PMCNTENCLR_EL0 && registers[r].reg != APMU_REG_PMINTENCLR_EL1 &&
                registers[r].reg != APMU_REG_PMOVSCLR_EL0) {
                (void)apmu_native_ops.write(NULL, registers[r].reg, n, ~UINT64_C(0));
            }
        }
    }
    MSR("pmevtyper0_el0", INST_RETIRED | NSH);
    MSR("pmevcntr1_el0", 0xFFFFFFF0u);
    MSR("pmcntenset_el0", 3u | UINT64_C(1) << 31);
    MSR("pmintenset_el1", 3);
    MSR("pmovsset_el0", 1);
    MSR("pmcr_el0", 1);
    rt_loop((void *)(uintptr_t)TURNS);
    if ((GICD_ISPENDR0 & PMU_PENDING) == 0) {
        rt_true("an interrupt is pending before the reset", false);
    }
    before->resets++;
    GPIO(GPIO_DIR) = GPIO_RESET;
    GPIO(GPIO_DATA) = GPIO_RESET;
    for (;;) {
    }
}

int main(void)
{
    rt_skip_refused = true;
    check_registers(before->resets == 0);
    rt_equal("no interrupt is pending", GICD_ISPENDR0 & PMU_PENDING, 0);
    rt_equal("PMCR_EL0.E", MRS("pmcr_el0") & 1, 0);
    count();
    rt_equal("instructions after the reset", rt_measure_event0(TURNS), 2u * TURNS + 1u);
    if (before->resets < RESETS && rt_status() == 0) {
        spoil_and_reset();
    }
    rt_equal("resets", before->resets, RESETS);
    return rt_status();
}
