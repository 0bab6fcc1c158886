/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What shim.S does wrong: PLAN is one of the faults below.  Accesses to the PMU from below are trapped and made here,
 * with the fault in them, so Linux finds a PMU that its firmware or its hypervisor has broken.
 */
#include <stdbool.h>
#include <stdint.h>

#define JOIN(a, b) a##b
#define IS(a, b) JOIN(a, b)

enum plan {
    PLAN_none,
    PLAN_hpmn,     /* EL2 keeps all but two counters, and says so */
    PLAN_range,    /* EL2 keeps all but two counters, stops them, and says that it keeps none */
    PLAN_user,     /* U is 1 in every filter */
    PLAN_nsh,      /* NSH is 0 in every filter: a kernel at EL2 is not counted */
    PLAN_hpmd,     /* MDCR_EL2.HPMD is 1: event counters do not count at EL2 */
    PLAN_stopped,  /* PMCR_EL0.E stays 0 */
    PLAN_disabled, /* no event counter is enabled */
    PLAN_frozen,   /* PMCR_EL0.FZO is 1, and a flag stays set */
    PLAN_userenr,  /* PMUSERENR_EL0 stays 0 */
    PLAN_silent,   /* no overflow raises an interrupt */
    PLAN_event,    /* BR_RETIRED is counted for INST_RETIRED */
    PLAN_hidden,   /* PMCEID0_EL0 announces no INST_RETIRED */
    PLAN_divided,  /* PMCR_EL0.D is 1, LC is 0 */
    PLAN_zero,     /* every register reads as 0 and ignores writes */
};

static const enum plan plan = IS(PLAN_, PLAN);

#define BIT(n) (UINT64_C(1) << (n))
/* The register of an access in ESR_ELx.ISS: Op0, Op2, Op1, CRn and CRm, without Rt and direction. */
#define REGISTER(op0, op1, crn, crm, op2) \
    ((op0) << 20 | (op2) << 17 | (op1) << 14 | (crn) << 10 | (crm) << 1)
#define REGISTER_MASK REGISTER(3u, 7u, 15u, 15u, 7u)

#define PMCR       REGISTER(3u, 3u, 9u, 12u, 0u)
#define PMCNTENSET REGISTER(3u, 3u, 9u, 12u, 1u)
#define PMOVSCLR   REGISTER(3u, 3u, 9u, 12u, 3u)
#define PMCEID0    REGISTER(3u, 3u, 9u, 12u, 6u)
#define PMXEVTYPER REGISTER(3u, 3u, 9u, 13u, 1u)
#define PMUSERENR  REGISTER(3u, 3u, 9u, 14u, 0u)
#define PMINTENSET REGISTER(3u, 0u, 9u, 14u, 1u)

extern uint32_t shim_slot[2];
void shim_begin(void);
void shim_trap(uint64_t *registers, uint64_t esr);

/* Returns whether the register is one of PMEVTYPER<n>_EL0 or PMCCFILTR_EL0. */
static bool is_filter(uint32_t where)
{
    const uint32_t crm = where >> 1 & 15, crn = where >> 10 & 15, op1 = where >> 14 & 7;

    return where == PMXEVTYPER || (op1 == 3 && crn == 14 && crm >= 12);
}

/* Accesses the register at this level. */
static uint64_t access_register(uint32_t where, bool reads, uint64_t value)
{
    const uint32_t op0 = where >> 20 & 3, op2 = where >> 17 & 7, op1 = where >> 14 & 7, crn = where >> 10 & 15,
                   crm = where >> 1 & 15;
    register uint64_t x0 __asm__("x0") = value;
    register uint32_t *slot __asm__("x9") = shim_slot;

    slot[0] = 0xD5000000u | (uint32_t)reads << 21 | op0 << 19 | op1 << 16 | crn << 12 | crm << 8 | op2 << 5;
    __asm__ volatile("dc cvau, %1\n dsb sy\n ic ivau, %1\n dsb sy\n isb\n blr %1\n isb"
                     : "+r"(x0) : "r"(slot) : "x30", "memory");
    return x0;
}

/* Returns what is written in place of @value, by the plan. */
static uint64_t spoil_write(uint32_t where, uint64_t value)
{
    switch (plan) {
    case PLAN_user: return is_filter(where) ? value | BIT(30) : value;
    case PLAN_nsh: return is_filter(where) ? value & ~BIT(27) : value;
    case PLAN_stopped: return where == PMCR ? value & ~BIT(0) : value;
    case PLAN_disabled: return where == PMCNTENSET ? value & BIT(31) : value;
    case PLAN_frozen: return where == PMCR ? value | BIT(9) : where == PMOVSCLR ? value & ~BIT(5) : value;
    case PLAN_userenr: return where == PMUSERENR ? 0 : value;
    case PLAN_silent: return where == PMINTENSET ? 0 : value;
    case PLAN_event:
        return is_filter(where) && (value & 0xFFFF) == 0x08 ? (value & ~UINT64_C(0xFFFF)) | 0x21 : value;
    case PLAN_divided: return where == PMCR ? (value & ~BIT(6)) | BIT(3) : value;
    default: return value;
    }
}

/* Returns what is read in place of @value, by the plan. */
static uint64_t spoil_read(uint32_t where, uint64_t value)
{
    return plan == PLAN_zero ? 0 : plan == PLAN_hidden && where == PMCEID0 ? value & ~BIT(8) : value;
}

/* Sets MDCR_EL2.HPMD again, because Linux has written the register, if the plan says so. */
static void prohibit_el2(void)
{
#if LEVEL == 3
    if (plan == PLAN_hpmd) {
        uint64_t mdcr;

        __asm__ volatile("mrs %0, mdcr_el2" : "=r"(mdcr));
        __asm__ volatile("msr mdcr_el2, %0\n isb" : : "r"(mdcr | BIT(17)));
    }
#endif
}

/* Handles a trapped MRS or MSR; @registers are x0 to x30 of the code below. */
void shim_trap(uint64_t *registers, uint64_t esr)
{
    const uint32_t where = (uint32_t)esr & REGISTER_MASK, rt = (uint32_t)esr >> 5 & 31;
    const bool reads = (esr & 1) != 0;

    while (esr >> 26 != 0x18) {
        /* nothing else is trapped */
    }
    if (reads) {
        const uint64_t value = spoil_read(where, plan == PLAN_zero ? 0 : access_register(where, true, 0));

        if (rt != 31) {
            registers[rt] = value;
        }
    } else if (plan != PLAN_zero) {
        prohibit_el2();
        (void)access_register(where, false, spoil_write(where, rt == 31 ? 0 : registers[rt]));
    }
}

/* Sets the traps and controls of the plan. */
void shim_begin(void)
{
    uint64_t pmcr, hpmn;
    const bool traps = plan != PLAN_none && plan != PLAN_hpmn;

    __asm__ volatile("mrs %0, pmcr_el0" : "=r"(pmcr));
    hpmn = pmcr >> 11 & 31;
    if (plan == PLAN_hpmn || plan == PLAN_range) {
        hpmn = 2;
    }
    if (plan == PLAN_frozen) { /* counter 5 overflows, and nobody clears its flag */
        __asm__ volatile("msr pmovsset_el0, %0" : : "r"(BIT(5)));
    }
#if LEVEL == 3
    __asm__ volatile("msr mdcr_el3, %0" : : "r"(traps ? BIT(6) : 0));
    __asm__ volatile("msr mdcr_el2, %0" : : "r"(hpmn));
#else
    __asm__ volatile("msr mdcr_el2, %0" : : "r"(hpmn | (traps ? BIT(6) : 0)));
#endif
    __asm__ volatile("isb");
}
