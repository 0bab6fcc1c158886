// sampling of one function in EL1 of our hypervisor-less kernel (Neoverse N1); counter 2 may be somebody else's
#include "arch.h"
#define SLOT 2u

u64 measure_l2_refills(void (*job)(void))
{
    const u64 bit = 1ul << SLOT;
    u64 was_on = read_sysreg(pmcntenset_el0) & bit;
    u64 was_irq = read_sysreg(pmintenset_el1) & bit;
    u64 type = read_sysreg(pmevtyper2_el0), old = read_sysreg(pmevcntr2_el0);
    u64 result;

    write_sysreg(bit, pmintenclr_el1);
    write_sysreg(bit, pmcntenclr_el0);
    write_sysreg(0x17, pmevtyper2_el0);     // L2D_CACHE_REFILL
    write_sysreg(0, pmevcntr2_el0);
    write_sysreg(read_sysreg(pmcr_el0) | 1, pmcr_el0);
    write_sysreg(bit, pmcntenset_el0);
    isb();
    job();
    isb();
    write_sysreg(bit, pmcntenclr_el0);
    isb();
    result = read_sysreg(pmevcntr2_el0);
    write_sysreg(type, pmevtyper2_el0);
    write_sysreg(old, pmevcntr2_el0);
    write_sysreg(was_irq, pmintenset_el1);
    write_sysreg(was_on, pmcntenset_el0);
    return result;
}
